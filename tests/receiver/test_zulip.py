"""The same life on Zulip: the receiver as a process. In place of Zulip is a loopback server of our own
(`tests/channels/zulip/server.py`)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.channels.zulip.server import InAThread, ZulipServer
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "zulip"
workspace = "{host}"
channel = "stream:{stream}"
audience = "external"
"""


@pytest.fixture
def zulip() -> Iterator[InAThread]:
    """Our own server in place of Zulip."""
    with InAThread(ZulipServer()).running() as found:
        yield found


class Desk:
    """A receiver with one bot, in one stream with a buyer."""

    def __init__(self, world: World, zulip: InAThread) -> None:
        self.world, self.zulip = world, zulip
        server = zulip.server
        self.desk, self.buyer = server.user("desk", bot=True), server.user("buyer")
        self.stream = server.stream(self.desk, self.buyer)
        key = world.folder / "zulip.key"
        key.touch(0o600)
        key.write_text("key-desk")
        host = f"127.0.0.1:{server.port}"
        (world.folder / "policy.toml").write_text(POLICY.format(host=host, stream=self.stream))
        self.account = f"zulip:{self.desk}@{host}"
        account = {"realm": server.url, "email": "desk@zulip.test", "user_id": self.desk, "key_file": "zulip.key"}
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"zulip": account})

    def says(self, text: str) -> None:
        """The buyer says something in the stream."""
        self.zulip.say(self.buyer, text, stream=self.stream, topic="returns")

    def said(self) -> list[tuple[str, str]]:
        """What stands there of us, with its topic."""
        return [(m["subject"], m["raw"]) for m in self.zulip.server.of(self.desk, f"stream:{self.stream}")]

    def listens(self) -> bool:
        """Whether the account has been read up to somewhere."""
        if not (self.world.folder / "state" / "ledger.db").exists():
            return False
        books = self.world.books()
        try:
            return books.cycles.position(self.account) is not None
        finally:
            books.close()


ANSWER = ("returns", "Yes, we can meet.")


def test_a_mention_is_answered_and_chatter_is_not(world: World, zulip: InAThread) -> None:
    """A mention is answered once in its topic, chatter not at all, and costs no writing request."""
    desk = Desk(world, zulip)
    running = world.running()
    assert until(desk.listens, 30)
    desk.says("Did you see the game?")
    desk.says("@**desk** Can you come on Monday?")

    assert until(lambda: desk.said() == [ANSWER], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert 1 == len(world.calls())
    assert {desk.desk: 1} == zulip.server.written


@pytest.mark.parametrize("point", ["sending", "posted"])
def test_killed_at(world: World, zulip: InAThread, point: str) -> None:
    """What left comes back in the queue under its key after the restart. What did not is not said again as long as it
    could still come; neither is ever said twice."""
    desk = Desk(world, zulip)
    first = world.running()
    assert until(desk.listens, 30)
    first.kill()
    first.communicate()
    desk.says("@**desk** Can you come on Monday?")
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    running = world.running()
    if point == "posted":
        assert until(lambda: world.stands()["messages"].get("done") == 1, 40)
    else:
        time.sleep(3)
    running.terminate()
    running.communicate(timeout=60)
    assert [ANSWER] * (point == "posted") == desk.said()
    assert 1 == len(world.calls())
