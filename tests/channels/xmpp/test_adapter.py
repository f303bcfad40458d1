"""One account on a real Prosody: what comes in through outages, what is proven of what went out, what never happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dragoman.channels.xmpp.adapter import XmppAccount
from dragoman.channels.xmpp.connection import Connection
from dragoman.channels.xmpp.section import XmppSection
from dragoman.clock import MINUTE
from dragoman.errors import DragomanError
from dragoman.gate.event import ChatKind, Event, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact
from tests.channels.tcp import Way, certificate
from tests.channels.xmpp.place import CLOCK, account
from tests.channels.xmpp.prosody import PASSWORD, ROOMS, Client, Prosody, client, running

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]


class Reader:
    """Reads an account in the background."""

    def __init__(self, ours: XmppAccount, since: str | None = None) -> None:
        self.events: list[Event] = []
        self.position = since
        self._ours = ours
        self._task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for batch in self._ours.events(self.position):
            self.position = batch.position
            self.events += [self._ours.event(each.raw, each.received_at) for each in batch.arrivals]

    @property
    def texts(self) -> list[str]:
        """The bodies that came, in order."""
        return [event.body for event in self.events]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something is true of what came."""
        async with asyncio.timeout(45):
            while not true():
                if self._task.done():
                    self._task.result()
                await asyncio.sleep(0.02)

    async def close(self) -> None:
        """Stop."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, DragomanError):
            await self._task


@contextlib.asynccontextmanager
async def opened(ours: XmppAccount, since: str | None = None) -> AsyncIterator[Reader]:
    """An account that is open and read."""
    await ours.open()
    reader = Reader(ours, since)
    await asyncio.sleep(0.1)
    try:
        yield reader
    finally:
        await reader.close()
        await ours.close()


@contextlib.asynccontextmanager
async def hall(server: Prosody, name: str) -> AsyncIterator[tuple[Client, str]]:
    """Kim's client, alone in a room that is Kim's."""
    room = f"{name}@{ROOMS}"
    async with client(server, server.user("kim"), room) as kim:
        await kim.configure(room)
        yield kim, room


def send(to: str, key: str, text: str = "hello", desk: str = "desk@home.test") -> Output:
    """One message."""
    return Output(operation=Operation.SEND, target=Target("xmpp", desk, to), key=key, text=text)


async def test_another_occupant_under_the_same_nick(server: Prosody, tmp_path: Path) -> None:
    """Who comes after somebody under his nick is somebody else, and corrects nothing of his."""
    correction = "<replace xmlns='urn:xmpp:message-correct:0' id='a1'/>"
    async with hall(server, "nicks") as (kim, room):
        ours = account(tmp_path, server.port, server.user("desk"), {room: "desk"})
        eve, mo = (Client(server.user(name), "sam", server.port) for name in ("eve", "mo"))
        async with opened(ours) as reader:
            await eve.open()
            await eve.enter(room)
            await eve.say(room, "first", id="a1")
            await eve.say(room, "first, mended", correction, id="a2")
            eve.leave(room)
            await kim.until(lambda: any(p.get("type") == "unavailable" for p in kim.seen))
            await mo.open()
            await mo.enter(room)
            await mo.say(room, "first, forged", correction, id="a3")
            await mo.say(room, "the end", id="a4")
            await reader.until(lambda: "the end" in reader.texts)
            await eve.close()
            await mo.close()

    assert ["first", "first, mended", "the end"] == reader.texts
    assert [EventKind.MESSAGE, EventKind.EDIT, EventKind.MESSAGE] == [event.kind for event in reader.events]
    first, mended, last = (event.author.id for event in reader.events)
    assert first == mended != last
    assert all(author.startswith(f"{room}:") for author in (first, last))


async def test_a_private_message_of_a_room_is_no_one_to_one(server: Prosody, tmp_path: Path) -> None:
    """It comes as a group's, from an address to which nothing is ever sent."""
    async with hall(server, "private") as (kim, room):
        ours = account(tmp_path, server.port, server.user("desk"), {room: "desk"})
        async with opened(ours) as reader:
            await kim.say(f"{room}/desk", "psst", id="p1", room=False)
            await reader.until(lambda: reader.texts == ["psst"])
            receipt = await ours.perform(send(f"{room}/kim", "k1"))
            await kim.say(room, "tick", id="t1")

    (event, *_) = reader.events
    assert (ChatKind.GROUP, f"{room}/kim") == (event.chat, event.target.channel)
    assert Fact.NO is receipt.delivered
    assert "hello" not in [message.findtext("{jabber:client}body") for message in kim.heard]


async def test_what_was_said_during_an_outage(server: Prosody, tmp_path: Path) -> None:
    """After the way was cut, and after a new start, the archives bring what was missed, each message once."""
    way = Way(server.port)
    await way.open()
    async with hall(server, "outage") as (kim, room):
        desk = server.user("desk-of-outage")
        ours = account(tmp_path, way.port, desk, {room: "desk"})
        async with opened(ours) as reader:
            await kim.say(room, "one", id="o1")
            await reader.until(lambda: reader.texts == ["one"])
            await way.close()
            await kim.say(room, "two", id="o2")
            await kim.say(desk, "two direct", id="o3", room=False)
            await way.open()
            await reader.until(lambda: len({event.dedupe_key for event in reader.events}) == 3)
            assert Fact.YES is (await settled(ours, send(room, "k2", desk=desk))).delivered
        await kim.say(room, "three", id="o4")
        await kim.say(desk, "three direct", id="o5", room=False)
        again = account(tmp_path, way.port, desk, {room: "desk"})
        async with opened(again, reader.position) as second:
            await second.until(lambda: {"three", "three direct"} <= set(second.texts))
    await way.close()

    assert {"one", "two", "two direct"} == set(reader.texts)
    seen = {event.body: event.dedupe_key for event in [*reader.events, *second.events]}
    assert len(seen) == len({event.dedupe_key for event in [*reader.events, *second.events]})


async def settled(ours: XmppAccount, output: Output) -> Receipt:
    """What became of an output once we are in the room again."""
    async with asyncio.timeout(45):
        while (receipt := await ours.perform(output)).detail == "not connected":
            await asyncio.sleep(0.1)
    return receipt


async def test_what_the_archive_proves(server: Prosody, tmp_path: Path) -> None:
    """A lost answer is read back, in a room and one-to-one; what is not there after a while was not sent."""
    way = Way(server.port)
    await way.open()
    async with hall(server, "proofs") as (kim, room):
        desk = server.user("desk")
        ours = account(tmp_path, way.port, desk, {room: "desk"}, timeout=1.0)
        async with opened(ours):
            way.to_client = False
            lost = [await ours.perform(send(to, key)) for to, key in ((room, "l1"), (kim.jid, "l2"))]
            way.to_client = True
            await way.cut()
            assert Fact.YES is (await settled(ours, send(room, "l3"))).delivered
            then = CLOCK.now() - MINUTE
            found = [
                await ours.look_up(Target("xmpp", desk, to), key, then)
                for to, key in ((room, "l1"), (kim.jid, "l2"), (room, "never"), (kim.jid, "never"))
            ]
            early = await ours.look_up(Target("xmpp", desk, room), "never", CLOCK.now())
    await way.close()

    assert [Fact.UNKNOWN, Fact.UNKNOWN] == [receipt.delivered for receipt in lost]
    assert [Fact.YES, Fact.YES, Fact.NO, Fact.NO] == [proof.there for proof in found]
    assert all(proof.evidence for proof in found[:2])
    assert (Fact.UNKNOWN, False) == (early.there, early.gone)


async def test_a_server_with_little(tmp_path: Path) -> None:
    """Without archives and counts, our server's next answer proves that it took a message; nothing is read back."""
    (tmp_path / "server").mkdir()
    with running(tmp_path / "server", archives=False, counts=False) as server:
        async with hall(server, "little") as (kim, room):
            desk = server.user("desk")
            ours = account(tmp_path, server.port, desk, {room: "desk"})
            async with opened(ours) as reader:
                receipts = [await ours.perform(send(to, key)) for to, key in ((room, "k1"), (kim.jid, "k2"))]
                nobody = await ours.perform(send("nobody@home.test", "k3"))
                proof = await ours.look_up(Target("xmpp", desk, room), "k1", CLOCK.now() - MINUTE)
                await kim.say(desk, "and you?", id="d1", room=False)
                await reader.until(lambda: reader.texts == ["and you?"])

    assert [Fact.YES, Fact.YES, Fact.NO] == [receipt.delivered for receipt in (*receipts, nobody)]
    assert (Fact.UNKNOWN, True) == (proof.there, proof.gone)


async def test_who_is_not_let_in(server: Prosody, tmp_path: Path) -> None:
    """A wrong password is refused; nobody there is unreachable."""
    section = XmppSection(jid=server.user("desk"), password_file="-", host="127.0.0.1", port=server.port)
    wrong = Connection(section.jid, "wrong", address=("127.0.0.1", server.port), in_the_clear=True, timeout=5.0)
    nobody = Connection(section.jid, "wrong", address=("127.0.0.1", 1), in_the_clear=True, timeout=2.0)
    with pytest.raises(DragomanError) as refused:
        await wrong.start()
    with pytest.raises(DragomanError) as unreachable:
        await nobody.start()

    assert ("channel_refused", "channel_unreachable") == (refused.value.code, unreachable.value.code)


async def test_rooms_that_are_none_of_ours(server: Prosody, tmp_path: Path) -> None:
    """No room is made by our coming, a nick that is taken is told at once, and so is being put out; nothing is sent."""
    reports: list[DragomanError] = []
    async with hall(server, "taken") as (kim, room):
        made, desk = f"unmade@{ROOMS}", server.user("desk-of-none")
        ours = account(tmp_path, server.port, desk, {room: "kim", made: "desk"}, reports=reports)
        async with opened(ours):
            receipts = [await ours.perform(send(to, key, desk=desk)) for to, key in ((room, "n1"), (made, "n2"))]
        assert {f"xmpp room {room}", f"xmpp room {made}"} == {report.where for report in reports}
        reports.clear()
        again = account(tmp_path, server.port, desk, {room: "desk"}, reports=reports)
        async with opened(again):
            await kim.role(room, "desk", "none")
            async with asyncio.timeout(45):
                while not reports:
                    await asyncio.sleep(0.02)
            receipts.append(await again.perform(send(room, "n3", desk=desk)))

    assert {Fact.NO} == {receipt.delivered for receipt in receipts}


async def test_no_password_in_the_clear(server: Prosody) -> None:
    """Where the stream must be encrypted and the server offers none, nothing of the password leaves."""
    before = server.log().count("sasl")
    unready = Connection("desk@home.test", "secret", address=("127.0.0.1", server.port), in_the_clear=False, timeout=2)

    with pytest.raises(DragomanError):
        await unready.start()

    attempts = [line for line in server.log().splitlines() if "Received[c2s_unauthed]: <auth" in line]
    assert not any("desk" in line for line in attempts[before:])
    assert not XmppSection(jid="a@b.test", password_file="-", host="192.0.2.1").in_the_clear
    assert not XmppSection(jid="a@b.test", password_file="-").in_the_clear


async def test_an_encrypted_stream(tmp_path: Path) -> None:
    """With a certificate that is verified it signs in; with one that nobody vouches for it does not, and sends no
    password."""
    (tmp_path / "server").mkdir()
    mine, other = certificate(tmp_path, "home.test"), certificate(tmp_path, "elsewhere.test")
    codes = []
    with running(tmp_path / "server", certificate=mine) as server:
        jid, address = server.user("desk"), ("127.0.0.1", server.port)
        good = Connection(jid, PASSWORD, address=address, in_the_clear=False, ca_file=mine, timeout=5.0)
        await good.start()
        assert good.up
        await good.close()
        authenticated = server.log().count("Authenticated as")
        for bad in (other, None):
            trying = Connection(jid, PASSWORD, address=address, in_the_clear=False, ca_file=bad, timeout=3.0)
            with pytest.raises(DragomanError) as failed:
                await trying.start()
            codes.append(failed.value.code)
        again = server.log().count("Authenticated as")

    assert (["channel_unreachable"] * 2, 1, 1) == (codes, authenticated, again)


@pytest.mark.parametrize("text", ["", "a\x00b", "a\x1bb", "a\r\nb", "\ufffe", "\ud800"])
async def test_what_xml_cannot_carry_does_not_leave(server: Prosody, tmp_path: Path, text: str) -> None:
    """It is a no before a byte leaves: it would end the stream, or arrive changed."""
    ours = account(tmp_path, server.port, server.user("desk"), {})

    assert Fact.NO is (await ours.perform(send("kim@home.test", "k1", text))).delivered


async def test_forged_copies(server: Prosody, tmp_path: Path) -> None:
    """A carbon by a stranger is not authentic, and an archive's answer that nobody asked for is nothing."""
    desk = server.user("desk-of-forged")
    inner = f"<message xmlns='jabber:client' from='oper@home.test' to='{desk}' id='f1'><body>pay them</body></message>"
    forwarded = f"<forwarded xmlns='urn:xmpp:forward:0'>{inner}</forwarded>"
    async with client(server, server.user("eve")) as eve:
        ours = account(tmp_path, server.port, desk, {})
        async with opened(ours) as reader:
            for payload in (
                f"<received xmlns='urn:xmpp:carbons:2'>{forwarded}</received>",
                f"<result xmlns='urn:xmpp:mam:2' queryid='q' id='1'>{forwarded}</result>",
            ):
                eve.put(f"<message xmlns='jabber:client' to='{desk}' type='chat' id='c1'>{payload}</message>")
            await eve.say(desk, "the end", id="e1", room=False)
            await reader.until(lambda: "the end" in reader.texts)

    told = [(event.authenticated, event.author.id, event.body) for event in reader.events]
    assert (Fact.YES, "eve@home.test", "the end") == told.pop()
    assert all(proven is Fact.NO and not body for proven, _, body in told)


async def test_a_room_that_changes(server: Prosody, tmp_path: Path) -> None:
    """What a room announces is asked for again when it says that it changed: real JIDs count as soon
    as the room shows them."""
    async with hall(server, "changes") as (kim, room):
        desk = server.user("desk")
        ours = account(tmp_path, server.port, desk, {room: "desk"})
        async with opened(ours):
            before = await ours.presence(Target("xmpp", desk, room))
            await kim.configure(room, muc_roomconfig_whois="anyone")
            await asyncio.sleep(0.2)
            kim.put(f"<presence xmlns='jabber:client' to='{room}/kim'><show>chat</show></presence>")
            async with asyncio.timeout(45):
                while (await ours.presence(Target("xmpp", desk, room))).shared is Fact.UNKNOWN:
                    await asyncio.sleep(0.05)
            after = await ours.presence(Target("xmpp", desk, room))

    assert [Fact.UNKNOWN, Fact.NO] == [before.shared, after.shared]
    assert ["kim@home.test"] == [each.id for each in after.parties or ()]


async def test_it_says_nothing_by_itself(server: Prosody, tmp_path: Path) -> None:
    """A direct message, a chat state and a wish to see our presence: no message, receipt or presence comes back."""
    desk = server.user("quiet")
    async with client(server, server.user("mute")) as mute:
        ours = account(tmp_path, server.port, desk, {})
        async with opened(ours) as reader:
            mute.put(f"<presence xmlns='jabber:client' to='{desk}' type='subscribe'/>")
            wishes = "<request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/>"
            await mute.say(desk, "are you there?", wishes, id="q1", room=False)
            await reader.until(lambda: reader.texts == ["are you there?"])
            await asyncio.sleep(0.3)

    assert 0 == server.messages_of(desk)
    came = [stanza for stanza in (*mute.heard, *mute.seen) if stanza.get("from", "").startswith(desk)]
    assert {"unavailable"} == {stanza.get("type") for stanza in came}, "the server itself tells a stranger no more"
