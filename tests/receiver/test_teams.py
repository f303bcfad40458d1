"""The same life on Microsoft Teams: the receiver as a process, activities by a real port, Microsoft's own emulator."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.channels.teams.emulator import Emulator, running_emulator
from tests.channels.teams.world import People, written
from tests.platforms.world import Saying
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "teams"
workspace = "{tenant}"
channel = "{channel}"
audience = "external"
"""


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    """Microsoft's emulator."""
    with running_emulator() as running:
        yield running


class Desk:
    """A receiver with one bot, in the emulator's group chat."""

    def __init__(self, world: World, emulator: Emulator) -> None:
        self.emulator, self.people = emulator, People(emulator)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        emulator.logins.callback = lambda: f"http://{address}/api/messages"
        self._chat, self._before = self.people.places["trio"], len(emulator.shown)
        policy = POLICY.format(tenant=emulator.config["tenantId"], channel=self._chat)
        (world.folder / "policy.toml").write_text(policy)
        channels = {"listen": address, "teams": written(world.folder, emulator)}
        world.write(hub=None, autonomy=None, policy="policy.toml", channels=channels)

    def asks(self, **saying: object) -> None:
        """Somebody says something until it is taken: the connector, too, offers it again."""
        answers = self.emulator.logins.answers

        def taken() -> bool:
            before = len(answers)
            self.people.custom(Saying(place="trio", who="jordan", **saying))  # type: ignore[arg-type]
            return until(lambda: len(answers) > before, 10) and answers[-1] == 200

        assert until(taken, 30)

    def said(self) -> list[str]:
        """What a client of the emulator shows of us."""
        return [text for at, _, text in self.emulator.shown[self._before :] if at == self._chat]


def test_a_mention_is_answered_and_chatter_is_not(world: World, emulator: Emulator) -> None:
    """A mention is answered once; what mentions nobody costs no request that writes."""
    desk = Desk(world, emulator)
    running = world.running()
    desk.asks(text="did you see the game?")
    desk.asks(text="can you come on Monday?", mentions=True)

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert 1 == len(world.calls())


@pytest.mark.parametrize(("point", "copies"), [("sending", 0), ("posted", 1)])
def test_killed_at(world: World, emulator: Emulator, point: str, copies: int) -> None:
    """Teams proves nothing afterwards: what was under way is uncertain, the owner is told, nothing is said twice."""
    desk = Desk(world, emulator)
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    desk.asks(text="can you come on Monday?", mentions=True)
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.running()
    told = until(lambda: [each["milestone"] for each in world.told()] == ["decision_needed"], 30)
    again.terminate()
    out, err = again.communicate(timeout=60)
    assert told, world.told()
    assert again.returncode == 0, out + err
    assert "It cannot be proven" in world.told()[0]["summary"]
    assert until(lambda: desk.said() == ["Yes, we can meet."] * copies)
    assert 1 == len(world.calls())
