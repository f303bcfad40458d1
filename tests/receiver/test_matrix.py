"""The same life on a real Matrix homeserver: real accounts, a real room, the receiver as a process."""

from __future__ import annotations

import json

import pytest

from tests.receiver.world import World, until
from tests.synapse import Synapse, User

pytestmark = [pytest.mark.slow, pytest.mark.synapse, pytest.mark.timeout(300)]

POLICY = """
version = 1

[[targets]]
platform = "matrix"
workspace = "{agent}"
channel = {room}
audience = "external"
"""


class Desk:
    """A receiver with one Matrix account, in one room with a buyer."""

    def __init__(self, world: World, synapse: Synapse, name: str) -> None:
        self.world, self.synapse = world, synapse
        self.agent, self.buyer = synapse.user(f"desk-{name}"), synapse.user(f"buyer-{name}")
        self.room = synapse.room(self.buyer, self.agent)
        token = world.folder / "matrix.token"
        token.write_text(self.agent.token)
        token.chmod(0o600)
        policy = POLICY.format(agent=self.agent.user_id, room=json.dumps(self.room))
        (world.folder / "policy.toml").write_text(policy)
        account = {"homeserver": synapse.url, "user_id": self.agent.user_id, "token_file": "matrix.token"}
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"matrix": account})

    def asks(self, text: str, who: User | None = None) -> str:
        """The buyer mentions the agent."""
        content = {"msgtype": "m.text", "body": text, "m.mentions": {"user_ids": [self.agent.user_id]}}
        return self.synapse.say(who or self.buyer, self.room, content)

    def said(self) -> list[str]:
        """What the agent said in the room, as the buyer sees it."""
        events = self.synapse.messages(self.buyer, self.room)
        return [event["content"]["body"] for event in events if event["sender"] == self.agent.user_id]


def test_a_mention_is_answered_and_chatter_is_not(world: World, synapse: Synapse) -> None:
    """What was said before the first look is history; a mention is answered once, chatter not at all."""
    desk = Desk(world, synapse, "plain")
    desk.asks("Are you there already?")
    running = world.running()
    assert until(lambda: _position(world) is not None)
    synapse.say(desk.buyer, desk.room, "Did you see the game?")
    desk.asks("Can you come on Monday?")

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert [call["messages"][-1]["text"] for call in world.calls()] == ["Can you come on Monday?"]
    assert world.stands()["messages"]["done"] == 1


@pytest.mark.parametrize("point", ["admitted", "saved", "sending", "posted", "sent"])
def test_killed_at(world: World, synapse: Synapse, point: str) -> None:
    """Killed at an arrow and started again: one message in the room, one handler run."""
    desk = Desk(world, synapse, point)
    first = world.running()
    assert until(lambda: _position(world) is not None, 30)
    first.kill()
    first.communicate()
    desk.asks("Can you come on Monday?")
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    killed.communicate(timeout=90)
    assert killed.returncode == -9

    again = world.running()
    assert until(lambda: world.stands()["messages"].get("done") == 1, 60)
    again.terminate()
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, out + err
    assert desk.said() == ["Yes, we can meet."]
    assert len(world.calls()) == 1


def _position(world: World) -> str | None:
    """Where the account was read up to, if anything is written down yet."""
    if not (world.folder / "state" / "ledger.db").exists():
        return None
    books = world.books()
    try:
        user_id = json.loads(world.config.read_text())["channels"]["matrix"]["user_id"]
        return books.cycles.position(f"matrix:{user_id}")
    finally:
        books.close()
