"""The same life on Mattermost: the receiver as a process. In place of Mattermost is a loopback server of our own
(`tests/channels/mattermost/server.py`)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.channels.mattermost.server import InAThread, MattermostServer
from tests.channels.mattermost.world import TEAM
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "mattermost"
workspace = "{workspace}"
channel = "{channel}"
audience = "external"
"""


@pytest.fixture
def mattermost() -> Iterator[InAThread]:
    """Our own server in place of Mattermost."""
    with InAThread(MattermostServer()).running() as found:
        yield found


class Desk:
    """A receiver with one bot account, in one channel with a buyer."""

    def __init__(self, world: World, mattermost: InAThread) -> None:
        self.world, self.mattermost = world, mattermost
        server = mattermost.server
        self.desk, self.buyer = server.user("desk", bot=True), server.user("buyer")
        self.channel = server.channel("O", TEAM, self.desk, self.buyer)
        token = world.folder / "mattermost.token"
        token.touch(0o600)
        token.write_text("token-desk")
        host = f"127.0.0.1:{server.port}"
        policy = POLICY.format(workspace=f"{TEAM}@{host}", channel=self.channel)
        (world.folder / "policy.toml").write_text(policy)
        self.account = f"mattermost:{self.desk}@{host}"
        account = {"server": server.url, "user_id": self.desk, "token_file": "mattermost.token"}
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"mattermost": account})

    def says(self, text: str) -> None:
        """The buyer says something in the channel."""
        self.mattermost.do(self.mattermost.server.post(self.buyer, self.channel, text))

    def said(self) -> list[str]:
        """What stands there of us."""
        return [post["message"] for post in self.mattermost.server.of(self.channel, self.desk)]

    def connected(self) -> bool:
        """Whether a websocket of ours is open."""
        return any(socket.open and not socket.open.closed for socket in self.mattermost.server.sockets)

    def listens(self) -> bool:
        """Whether the account has been read up to somewhere."""
        if not (self.world.folder / "state" / "ledger.db").exists():
            return False
        books = self.world.books()
        try:
            return books.cycles.position(self.account) is not None
        finally:
            books.close()


def test_a_platform_that_is_away_at_the_start(world: World, mattermost: InAThread) -> None:
    """The receiver runs and says what it waits for; when the server is there, the account is served."""
    desk = Desk(world, mattermost)
    mattermost.do(mattermost.server.stop())
    running = world.start("run")
    assert running.stdout is not None
    waiting, began = json.loads(running.stdout.readline()), running.stdout.readline()
    assert ("channel_unreachable", True) == (waiting["waiting"], "running" in began)
    mattermost.do(mattermost.server.start())
    assert until(desk.listens, 30)
    desk.says("@desk Can you come on Monday?")

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err


def test_a_mention_is_answered_and_chatter_is_not(world: World, mattermost: InAThread) -> None:
    """A mention is answered once, chatter not at all, and costs no writing request."""
    desk = Desk(world, mattermost)
    running = world.running()
    assert until(desk.listens, 30)
    desk.says("Did you see the game?")
    desk.says("@desk Can you come on Monday?")

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert 1 == len(world.calls())
    assert {desk.desk: 1} == mattermost.server.written


@pytest.mark.parametrize(("point", "again"), [("sending", "admitted+120"), ("posted", "admitted")])
def test_killed_at(world: World, mattermost: InAThread, point: str, again: str) -> None:
    """What left is found by its key after the restart. What did not is said once it cannot come late any more; the
    clock of the second run is ahead for that."""
    desk = Desk(world, mattermost)
    first = world.running()
    assert until(desk.listens, 30)
    first.kill()
    first.communicate()
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    assert until(desk.connected, 30)
    desk.says("@desk Can you come on Monday?")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    running = world.start(again, "run", entry="tests.crash.receiver_at")
    assert until(lambda: world.stands()["messages"].get("done") == 1, 40)
    running.terminate()
    running.communicate(timeout=60)
    assert ["Yes, we can meet."] == desk.said()
    assert 1 == len(world.calls())
