"""The same life on a real XMPP server: real accounts, a real room, the receiver as a process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.channels.xmpp.prosody import PASSWORD, ROOMS, Client, Prosody, client, running
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.anyio, pytest.mark.timeout(300)]

POLICY = """
version = 1

[[targets]]
platform = "xmpp"
workspace = "{desk}"
channel = "{room}"
audience = "external"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prosody]:
    """A Prosody for the module."""
    with running(tmp_path_factory.mktemp("prosody")) as prosody:
        yield prosody


class Desk:
    """A receiver with one XMPP account, in one room with a buyer."""

    def __init__(self, world: World, server: Prosody, name: str, buyer: Client) -> None:
        self.world, self.buyer = world, buyer
        self.jid, self.room = server.user(f"desk-{name}"), f"{name}@{ROOMS}"
        secret = world.folder / "xmpp.password"
        secret.touch(0o600)
        secret.write_text(PASSWORD)
        (world.folder / "policy.toml").write_text(POLICY.format(desk=self.jid, room=self.room))
        account = {
            "jid": self.jid,
            "password_file": "xmpp.password",
            "rooms": {self.room: "desk"},
            "host": "127.0.0.1",
            "port": server.port,
        }
        world.write(hub=None, autonomy=None, policy="policy.toml", channels={"xmpp": account})

    async def comes(self) -> None:
        """Wait until the receiver is in the room."""
        await self.buyer.until(lambda: self.presences() > 0, 30)

    def presences(self) -> int:
        """How often the receiver's presence in the room was seen."""
        mine = [each for each in self.buyer.seen if each.get("from") == f"{self.room}/desk"]
        return sum(1 if each.get("type") is None else -1 for each in mine)

    async def asks(self, text: str, id: str) -> None:
        """The buyer mentions the agent."""
        mention = f"<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:{self.jid}'/>"
        await self.buyer.say(self.room, text, mention, id=id)

    def said(self) -> list[str]:
        """What the agent said in the room, as the buyer sees it."""
        mine = [each for each in self.buyer.heard if each.get("from") == f"{self.room}/desk"]
        return [body for each in mine if (body := each.findtext("{jabber:client}body"))]


@asynccontextmanager
async def desk_of(world: World, server: Prosody, name: str) -> AsyncIterator[Desk]:
    """A desk, and the buyer who sits in its room."""
    room = f"{name}@{ROOMS}"
    async with client(server, server.user(f"buyer-{name}"), room) as buyer:
        await buyer.configure(room)
        yield Desk(world, server, name, buyer)


async def test_a_mention_is_answered_and_chatter_is_not(world: World, server: Prosody) -> None:
    """What was said before the first look is history; a mention is answered once, chatter not at all."""
    async with desk_of(world, server, "plain") as desk:
        await desk.asks("Are you there already?", "m0")
        run = world.running()
        await desk.comes()
        await desk.buyer.say(desk.room, "Did you see the game?", id="m1")
        await desk.asks("Can you come on Monday?", "m2")
        await desk.buyer.until(lambda: desk.said() == ["Yes, we can meet."], 30)
        run.terminate()
        out, err = await asyncio.to_thread(run.communicate, timeout=60)

    assert run.returncode == 0, out + err
    assert ["Can you come on Monday?"] == [call["messages"][-1]["text"] for call in world.calls()]
    assert 1 == world.stands()["messages"]["done"]


@pytest.mark.parametrize("point", ["sending", "posted"])
async def test_killed_at(world: World, server: Prosody, point: str) -> None:
    """Killed before and after the message left, and started again: the archive tells, and the room has one message."""
    async with desk_of(world, server, f"killed-{point}") as desk:
        first = world.start(point, "run", entry="tests.crash.receiver_at")
        await desk.comes()
        await desk.asks("Can you come on Monday?", "m1")
        await asyncio.to_thread(first.communicate, timeout=90)
        assert -9 == first.returncode
        again = world.running()
        assert await asyncio.to_thread(until, lambda: world.stands()["messages"].get("done") == 1, 60)
        again.terminate()
        out, err = await asyncio.to_thread(again.communicate, timeout=60)
        assert again.returncode == 0, out + err
        await desk.buyer.say(desk.room, "tick", id="t1")
        assert ["Yes, we can meet."] == desk.said()

    assert 1 == len(world.calls())


async def test_no_archive_no_second_copy(world: World, tmp_path: Path) -> None:
    """Without an archive nobody can tell whether it left: it is uncertain, is not said again, and the owner hears."""
    (tmp_path / "server").mkdir()
    with running(tmp_path / "server", archives=False) as bare:
        async with desk_of(world, bare, "unarchived") as desk:
            first = world.start("posted", "run", entry="tests.crash.receiver_at")
            await desk.comes()
            await desk.asks("Can you come on Monday?", "m1")
            await asyncio.to_thread(first.communicate, timeout=90)
            again = world.running()
            told = ["decision_needed"]
            assert await asyncio.to_thread(until, lambda: [each["milestone"] for each in world.told()] == told, 40)
            assert "It cannot be proven" in world.told()[0]["summary"]
            again.terminate()
            await asyncio.to_thread(again.communicate, timeout=60)
            await desk.buyer.say(desk.room, "tick", id="t1")
            assert ["Yes, we can meet."] == desk.said()
