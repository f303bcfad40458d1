"""One XMPP account: goes into its rooms, keeps what comes in, carries out outputs, decides nothing.

1. A message is kept in the account's inbox, with what was known of its place, before it is confirmed to the server
   (XEP-0198). After an outage the archives (XEP-0313) of our account and of our rooms are read again from a little
   before it, where they exist; a copy is known by its id. At the very first start nothing older than the start is read.
2. It sends no chat states, receipts or markers, asks nobody for a profile, and tells its presence to its own contacts
   and rooms, as every client must to receive anything. It accepts no invitation and no subscription.
3. Delivered is YES in a room with the id that the room's own echo of our message has, and one-to-one when our server
   confirms that it took the message (XEP-0198, or by answering what was asked after it). It is NO when there was no
   stream, or when the server or the room answered with an error. All else is UNKNOWN.
4. No key is native. What became of a message can be read back from the archive, where there is one.
5. A private message to an occupant is never sent: whoever has the nick by then would get it.

Output operations are called from the gate's door only.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement

import msgspec

from dragoman.channels.account import Batch, Place, Proof
from dragoman.channels.address import pause
from dragoman.channels.spool import Spool
from dragoman.channels.xmpp import stanza as x
from dragoman.channels.xmpp.connection import Connection, ErrorAnswer, Unsent
from dragoman.channels.xmpp.facts import PLATFORM, facts
from dragoman.channels.xmpp.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.xmpp.rooms import Rooms
from dragoman.channels.xmpp.section import XmppSection
from dragoman.channels.xmpp.sending import Sending
from dragoman.channels.xmpp.state import XmppPlace, domain, identity, of_another_server, split
from dragoman.clock import HOUR, MINUTE, rfc3339
from dragoman.errors import DragomanError, unforeseen
from dragoman.gate.event import Event, EventKind
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

_MUC: Final = "http://jabber.org/protocol/muc"
_FIX: Final = "see that the room exists, that our nick there is free, and that it lets us in"
_CATCH_UP: Final = HOUR
"""How far back archives are read after an outage, at most; what is older would be stale."""
_OVERLAP: Final = MINUTE


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One arrival as it is kept."""

    xml: str
    place: XmppPlace


class XmppAccount:
    """The account of `section`; implements `channels.account.Account`.

    Args:
        section: the account's configuration.
        password: its password.
        place: clock, inbox and whom to tell.
        timeout: seconds that the server may take to answer, or to echo.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, section: XmppSection, password: str, place: Place, *, timeout: float = 15.0) -> None:
        self.name = f"{PLATFORM}:{section.jid}"
        self._section, self._password, self._place, self._timeout = section, password, place, timeout
        self._agent = section.agent
        self._rooms = Rooms(self._agent)
        self._spool: Spool | None = None
        self._connection: Connection | None = None
        self._life: asyncio.Task[None] | None = None
        self._learning: asyncio.Task[None] | None = None
        self._reading = False
        self._since: int | None = None
        self._refused: asyncio.Future[None] | None = None
        self._entered: dict[str, asyncio.Event] = {}
        self._heard = 0
        self._sending = Sending(self._agent, self._rooms, place.clock, timeout)

    # --- the connection ----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Sign in, and go into the rooms; a room that does not let us in is told, not raised.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`, `inbox_broken`.
        """
        self._refused = asyncio.get_running_loop().create_future()
        self._spool = self._place.spool(self.name)
        connection = await self._signed_in()
        self._life = asyncio.ensure_future(self._live(connection))
        await self._greet(connection)

    async def close(self) -> None:
        """End the stream."""
        for task in (self._learning, self._life):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        if self._connection is not None:
            await self._connection.close()
        if self._spool is not None:
            self._spool.close()
            self._spool = None

    async def _signed_in(self) -> Connection:
        section = self._section
        self._connection = Connection(
            section.jid,
            self._password,
            address=(section.host, section.port) if section.host else None,
            in_the_clear=section.in_the_clear,
            ca_file=self._place.at(section.ca_file) if section.ca_file else None,
            timeout=self._timeout,
        )
        await self._connection.start()
        return self._connection

    async def _live(self, connection: Connection) -> None:
        """Take stanzas in until the stream ends, then connect again, with growing waits."""
        failures = 0
        while True:
            await self._take_in(connection)
            if self._reading and self._since is None:
                self._since = self._heard - _OVERLAP
            self._rooms.forget()
            while True:
                await asyncio.sleep(pause(failures))
                failures += 1
                try:
                    connection = await self._signed_in()
                    break
                except DragomanError as failed:
                    if failed.code == "channel_refused" and self._refused is not None and not self._refused.done():
                        self._refused.set_exception(failed)
                        return
            greeting = asyncio.ensure_future(self._greet(connection))
            greeting.add_done_callback(lambda done: done.cancelled() or done.exception())
            failures = 0

    async def _greet(self, connection: Connection) -> None:
        """Learn what server and rooms announce, go into the rooms, and read what was missed."""
        self._rooms.announced(self._section.jid, await connection.features(self._section.jid))
        await asyncio.gather(*(self._enter(connection, room) for room in self._agent.rooms))
        if self._reading:
            await self._listen(connection)

    async def _enter(self, connection: Connection, room: str) -> None:
        self._rooms.announced(room, await connection.features(room))
        self._entered[room] = asyncio.Event()
        joining = Element(f"{{{x.CLIENT}}}presence", {"to": f"{room}/{self._agent.rooms[room]}"})
        SubElement(SubElement(joining, f"{{{_MUC}}}x"), f"{{{_MUC}}}history", {"maxstanzas": "0"})
        try:
            connection.put(joining)
            async with asyncio.timeout(self._timeout):
                await self._entered[room].wait()
        except (Unsent, TimeoutError):
            pass  # told below
        if not self._rooms.inside(room):
            self._outside(room)

    async def _listen(self, connection: Connection) -> None:
        """Say that we are here, and read again what archives kept while we were not."""
        connection.put(Element(f"{{{x.CLIENT}}}presence"))
        if self._since is None:
            return
        now = self._place.clock.now()
        since = rfc3339(max(self._since, now - _CATCH_UP))
        for archive in (self._section.jid, *self._agent.rooms):
            with contextlib.suppress(ErrorAnswer):
                for id, kept in (await connection.archived(archive, since))[0]:
                    await self._arrive(_stamped(kept, archive, id))
        self._since = None

    # --- in ----------------------------------------------------------------------------------------------------------

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when the server does not accept us any more.
        """
        spool, refused = self._spool, self._refused
        if spool is None or refused is None:
            raise DragomanError("channel_unreachable", "not opened", where=PLATFORM)
        self._reading = True
        if since is not None and self._since is None:
            self._since = self._place.clock.now() - _CATCH_UP
        if self._connection is not None and self._connection.up:
            with contextlib.suppress(Unsent, DragomanError):  # the stream's end brings the next one
                await self._listen(self._connection)
        batches = spool.read(since)
        while True:
            waiting = asyncio.ensure_future(anext(batches))
            both: set[asyncio.Future[Any]] = {waiting, refused}
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    refused.result()
                yield waiting.result()
            finally:
                waiting.cancel()

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of an arrival; our signed-in stream authenticated it."""
        kept = msgspec.json.decode(raw, type=_Kept)
        return facts({"xml": kept.xml}, self._agent, kept.place, received_at=received_at, authenticated=Fact.YES)

    async def _take_in(self, connection: Connection) -> None:
        self._heard = self._place.clock.now()
        async for came in connection.stanzas():
            self._heard = self._place.clock.now()
            try:
                if isinstance(came, int):
                    connection.confirm(came)
                elif not x.is_message(came):
                    self._present(connection, came)
                else:
                    await self._arrive(came)
            except DragomanError as failed:
                self._place.report(failed)
                await connection.close()  # what could not be kept is not confirmed: the server keeps it
            except Exception as failed:  # noqa: BLE001 - one odd stanza must not stop the stream
                self._place.report(unforeseen(failed))

    async def _learn(self, room: str) -> None:
        """A room said that it changed: what it announces is asked for again."""
        if self._connection is not None:
            with contextlib.suppress(DragomanError):
                self._rooms.announced(room, await self._connection.features(room))

    def _present(self, connection: Connection, stanza: Element) -> None:
        """Take one presence in; a room that puts us out, or did not exist, is told."""
        room, nick = split(stanza.get("from", ""))
        was_inside = self._rooms.inside(room)
        came_into = self._rooms.presence(stanza)
        if stanza.get("type") == "error" and room in self._entered:
            self._entered[room].set()
        if came_into and came_into in self._entered:
            self._entered[came_into].set()
        if came_into and self._rooms.was_made(stanza):
            leaving = {"to": f"{room}/{nick}", "type": "unavailable"}
            connection.put(Element(f"{{{x.CLIENT}}}presence", leaving))
        if was_inside and not self._rooms.inside(room):
            self._outside(room)

    def _outside(self, room: str) -> None:
        self._place.report(
            DragomanError("channel_unreachable", "we are not in the room", where=f"xmpp room {room}", fix=_FIX)
        )

    async def _arrive(self, stanza: Element) -> None:
        """Keep one message with what is known of its place, if it can matter; ours are evidence."""
        place = self._rooms.place(stanza)
        try:
            kept = _Kept(x.written(stanza), place)
        except RecursionError:
            return  # no client writes elements in elements that deep
        raw = msgspec.json.encode(kept)
        event = self.event(raw, self._place.clock.now())
        self._rooms.remember(stanza, event)
        if self._sending.evidence(stanza, event) or event.author.id == self._section.jid:
            return
        if stanza.get("from") in self._agent.rooms and x.first(stanza, x.MUC_USER, "x") is not None:
            self._learning = asyncio.ensure_future(self._learn(stanza.get("from", "")))
        says = event.kind is not EventKind.OTHER or event.deletes is not None or event.authenticated is not Fact.YES
        if says and self._spool is not None:
            await self._spool.put(raw)

    # --- out ---------------------------------------------------------------------------------------------------------

    async def presence(self, target: Target) -> Presence:
        """Who is there: the other of a one-to-one, or a room's occupants, as far as it shows them."""
        unknown = Presence(Fact.UNKNOWN)
        own = self._section.jid
        if not self._ours(target) or self._connection is None or not self._connection.up:
            return unknown
        if target.channel not in self._agent.rooms:
            if domain(target.channel) in self._agent.services:
                return unknown
            shared = Fact.NO if domain(target.channel) == domain(own) else Fact.YES
            return Presence(shared, frozenset({party(PLATFORM, own, target.channel)}))
        here = self._rooms.occupants(target.channel)
        nick = self._rooms.nick(target.channel)
        others = [party(PLATFORM, own, identity(target.channel, each)) for each in here or () if each.nick != nick]
        if here is None or not all(other.known for other in others):
            return unknown
        return Presence(of_another_server(here, own), frozenset(others))

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        return await self._sending.carry_out(output, self._connection)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """What the archive says of a message that was sent under `key`; without an archive nothing, ever."""
        return await self._sending.look_up(target, key, minted_at, self._connection)

    def _ours(self, target: Target) -> bool:
        return target.platform == PLATFORM and target.workspace == self._section.jid


def _stamped(kept: Element, archive: str, id: str) -> Element:
    """A message of an archive with the archive's id as its only stamp by it."""
    for old in list(x.named(kept, x.SID, "stanza-id")):
        kept.remove(old)
    SubElement(kept, f"{{{x.SID}}}stanza-id", {"by": archive, "id": id})
    return kept
