"""The same life on a real IRC network with services: real accounts, a real channel, the receiver as a process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from tests.channels.irc.network import NETWORK, PASSWORD, Client, Network, client, running
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.anyio, pytest.mark.timeout(300)]

POLICY = """
version = 1

[[targets]]
platform = "irc"
workspace = "desk@HomeTest"
channel = "{hall}"
audience = "external"
"""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """InspIRCd and Atheme for the module."""
    with running() as found:
        yield found


class Desk:
    """A receiver with one IRC account, in one channel with a buyer."""

    def __init__(self, world: World, network: Network, hall: str, buyer: Client) -> None:
        self.world, self.hall, self.buyer = world, hall, buyer
        secret = world.folder / "irc.password"
        secret.touch(0o600)
        secret.write_text(PASSWORD)
        (world.folder / "policy.toml").write_text(POLICY.format(hall=hall))
        account = {
            "network": NETWORK,
            "host": "127.0.0.1",
            "port": network.port,
            "login": "desk",
            "password_file": "irc.password",
            "nick": "desk",
            "channels": [hall],
            "spacing_ms": 0,
        }
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"irc": account})

    async def comes(self, times: int = 1) -> None:
        """Wait until the receiver has come into the channel so many times."""
        await self.buyer.until(
            lambda: sum(" :desk!" in line and " JOIN " in line for line in self.buyer.heard) >= times, 30
        )

    def said(self) -> list[str]:
        """What the agent said in the channel, as the buyer hears it."""
        return [text for text, _ in self.buyer.lines_of("desk", self.hall)]


@asynccontextmanager
async def desk_of(world: World, network: Network, hall: str) -> AsyncIterator[Desk]:
    """A desk, and the buyer who sits in its channel."""
    async with client(network, "buyer", hall) as buyer:
        yield Desk(world, network, hall, buyer)


async def test_a_mention_is_answered_and_chatter_is_not(world: World, network: Network) -> None:
    """A mention is answered once, chatter not at all, and whoever is not logged in not either, wherever he writes."""
    async with (
        desk_of(world, network, "#plain") as desk,
        client(network, "stranger", desk.hall, account="") as stranger,
    ):
        run = world.running()
        await desk.comes()
        await desk.buyer.say(desk.hall, "Did you see the game?")
        await stranger.say(desk.hall, "desk: and me?")
        await stranger.say("desk", "are you there?")
        await desk.buyer.say(desk.hall, "desk: Can you come on Monday?")
        await desk.buyer.until(lambda: desk.said() == ["Yes, we can meet."], 30)
        assert await asyncio.to_thread(until, lambda: world.stands()["messages"].get("done") == 1, 30)
        run.terminate()
        out, err = await asyncio.to_thread(run.communicate, timeout=60)

    assert run.returncode == 0, out + err
    assert ["desk: Can you come on Monday?"] == [call["messages"][-1]["text"] for call in world.calls()]
    assert ["Yes, we can meet."] == desk.said()


@pytest.mark.parametrize(("point", "copies"), [("sending", 0), ("posted", 1)])
async def test_killed_at(world: World, network: Network, point: str, copies: int) -> None:
    """Killed before or after the line left: nobody can tell, so that it is uncertain, not said again, and the owner is
    told."""
    async with desk_of(world, network, f"#killed-{point}") as desk:
        first = world.start(point, "run", entry="tests.crash.receiver_at")
        await desk.comes()
        await desk.buyer.say(desk.hall, "desk: Can you come on Monday?")
        await asyncio.to_thread(first.communicate, timeout=90)
        assert -9 == first.returncode
        again = world.running()
        told = ["decision_needed"]
        assert await asyncio.to_thread(until, lambda: [each["milestone"] for each in world.told()] == told, 40)
        assert "It cannot be proven" in world.told()[0]["summary"]
        again.terminate()
        out, err = await asyncio.to_thread(again.communicate, timeout=60)
        assert again.returncode == 0, out + err
        await desk.buyer.say(desk.hall, "tick")
        assert ["Yes, we can meet."] * copies == desk.said()

    assert 1 == len(world.calls())
