"""The owner is told in a room of a real Matrix homeserver, by the same account that serves counterparties."""

from __future__ import annotations

import json

import pytest

from tests.receiver.ways import rows
from tests.receiver.world import World, until
from tests.synapse import Synapse

pytestmark = [pytest.mark.slow, pytest.mark.synapse, pytest.mark.timeout(300)]

POLICY = """
version = 1

[[targets]]
platform = "matrix"
workspace = "{agent}"
channel = {room}
audience = "{audience}"
"""


class Office:
    """The receiver's account and its owner, alone in a room."""

    def __init__(self, world: World, synapse: Synapse, name: str, audience: str = "operator") -> None:
        self.world, self.synapse = world, synapse
        self.agent, self.owner = synapse.user(f"told-{name}"), synapse.user(f"owner-{name}")
        self.room = synapse.room(self.owner, self.agent)
        token = world.folder / "matrix.token"
        token.write_text(self.agent.token)
        token.chmod(0o600)
        words = POLICY.format(agent=self.agent.user_id, room=json.dumps(self.room), audience=audience)
        (world.folder / "policy.toml").write_text(words)
        account = {"homeserver": synapse.url, "user_id": self.agent.user_id, "token_file": "matrix.token"}
        target = f"matrix/{self.agent.user_id}/{self.room}"
        notifier = {"channel": {"target": target}, "timeout_seconds": 20}
        world.write(notifier=notifier, policy="policy.toml", channels={"matrix": account})
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")

    def read(self) -> list[str]:
        """What the owner reads in the room."""
        events = self.synapse.messages(self.owner, self.room)
        return [event["content"]["body"] for event in events if event["sender"] == self.agent.user_id]


def test_the_owner_reads_it_once(world: World, synapse: Synapse) -> None:
    """`doctor` is content and says nothing; `probe` and the decision each arrive once, the second from `run`."""
    office = Office(world, synapse, "once")
    (check,) = [each for each in json.loads(world.command("doctor").stdout)["checks"] if each["name"] == "notification"]
    assert ("ok", []) == (check["state"], office.read()), check
    assert world.command("probe").returncode == 0
    process = world.running()
    world.peer_says("Which day?")
    assert until(lambda: [row[1:] for row in rows(world)] == [("delivered", 1)] * 2, 60), rows(world)
    process.terminate()
    process.communicate(timeout=60)
    world.cycle()

    titles = [words.splitlines()[0] for words in office.read()]
    assert ["Self-check of the notifier", "Your decision is needed"] == titles
    assert "Offer the 6th?" in office.read()[1]


def test_killed_while_the_homeserver_does_not_answer(world: World, synapse: Synapse) -> None:
    """Uncertain, never resent; the owner's one more try goes under the same id, so that the room never shows two."""
    office = Office(world, synapse, "killed")
    process = world.running()
    synapse.freeze()
    try:
        world.peer_says("Which day?")
        assert until(lambda: [row[1] for row in rows(world)] == ["sending"], 60), rows(world)
        process.kill()
        process.communicate()
    finally:
        synapse.thaw()
    world.cycle()
    world.cycle()
    ((id, state, _),) = rows(world)
    assert "uncertain" == state
    assert len(office.read()) <= 1

    world.resolve(notification_id=id, notification_delivered=False)
    world.cycle()
    assert ([(id, "delivered", 2)], 1) == (rows(world), len(office.read()))


def test_a_room_that_the_policy_calls_external(world: World, synapse: Synapse) -> None:
    """The receiver does not start, and nothing is said there."""
    office = Office(world, synapse, "outside", audience="external")
    world.peer_says("Which day?")

    started = world.command("once")
    assert (2, "config_invalid") == (started.returncode, json.loads(started.stdout)["error"]["code"])
    assert [] == office.read()
