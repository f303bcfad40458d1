"""One IRC account: goes into its channels, keeps what comes in, carries out outputs, decides nothing.

1. A line is kept in the account's inbox with what was known of its place. IRC keeps nothing for who is away: what is
   said during an outage is lost, unless the network plays it back.
2. It answers no CTCP and no NOTICE, joins nowhere by itself, and marks itself as a bot where the network has a mode for
   that. Before it writes to a person, it asks the server whether that nick is logged in to his account now; others do
   not see this.
3. Delivered is YES only with the server's echo of every line (`echo-message`), NO when nothing left or the server
   refused the first line, UNKNOWN else. Without echoes nothing is ever proven.
4. No key is native, and nothing can be read back: a lost echo stays uncertain.
5. Lines of all places go one after the other.

Output operations are called from the gate's door only.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from dragoman.channels.account import Batch, Place, Proof
from dragoman.channels.address import pause
from dragoman.channels.irc.connection import Connection, Unsent
from dragoman.channels.irc.facts import PLATFORM, facts, replied, strangers
from dragoman.channels.irc.line import Line, folded, parsed
from dragoman.channels.irc.live import same
from dragoman.channels.irc.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.irc.section import IrcSection
from dragoman.channels.irc.sending import Sending
from dragoman.channels.irc.state import IrcPlace, Member
from dragoman.channels.spool import Spool
from dragoman.clock import SECOND
from dragoman.errors import DragomanError
from dragoman.gate.event import Event, EventKind
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

REMEMBERED: Final = 10_000
MOST_MEMBERS: Final = 500
"""Of a larger channel only who wrote and we are handed on, with one unknown member for all others."""
_LONGEST_WAIT: Final = 300.0


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One arrival as it is kept."""

    line: str
    place: IrcPlace


class IrcAccount:
    """The account of `section`; implements `channels.account.Account`.

    Args:
        section: the account's configuration.
        password: its password.
        place: clock, inbox and whom to tell.
        timeout: seconds that the server may take to answer, or to echo.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, section: IrcSection, password: str, place: Place, *, timeout: float = 15.0) -> None:
        self.name = f"{PLATFORM}:{section.account}"
        self._section, self._password, self._place, self._timeout = section, password, place, timeout
        self._agent = section.agent
        self._sending = Sending(self._agent, place.clock, section.spacing_ms / SECOND)
        self._spool: Spool | None = None
        self._connection: Connection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._refused: asyncio.Future[None] | None = None
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._authors: OrderedDict[str, str] = OrderedDict()
        """Message id → the account that said it."""
        self._nicks: OrderedDict[str, str] = OrderedDict()
        """Account → the nick under which it last wrote to us."""
        self._serial = 0

    # --- the connection ----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Sign in, and go into the channels; one that does not let us in is told, not raised.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`, `inbox_broken`.
        """
        self._refused = asyncio.get_running_loop().create_future()
        self._spool = self._place.spool(self.name)
        await self._signed_in()
        self._tasks = [asyncio.ensure_future(self._live()), asyncio.ensure_future(self._keep(self._spool))]

    async def close(self) -> None:
        """End the connection."""
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if self._connection is not None:
            await self._connection.close()
        if self._spool is not None:
            with contextlib.suppress(DragomanError):
                while not self._inbox.empty():
                    await self._spool.put(self._inbox.get_nowait())
            self._spool.close()
            self._spool = None

    async def _signed_in(self) -> Connection:
        section = self._section
        connection = Connection(
            (section.host, section.port),
            section.login,
            self._password,
            section.nick,
            in_the_clear=section.in_the_clear,
            heard=self._heard,
            ca_file=self._place.at(section.ca_file) if section.ca_file else None,
            timeout=self._timeout,
        )
        self._connection = connection
        await connection.start()
        if connection.network != section.network:
            await connection.close()
            found = connection.network or "nothing"
            raise DragomanError(
                "channel_refused", f"the network calls itself {found}", where="irc network", fix="write its exact name"
            )
        try:
            for channel in section.channels:
                if not await connection.join(channel):
                    self._report(f"{channel} does not let us in", f"irc channel {channel}")
        except (Unsent, TimeoutError) as failed:
            raise DragomanError("channel_unreachable", "while joining", where="irc") from failed
        if not same(connection.nick, section.nick, connection.mapping):
            self._report(f"the nick is taken: we are `{connection.nick}`", "irc nick")
        if not connection.can("account-tag") or not connection.can("echo-message"):
            self._report("the server shows no accounts, or no echoes: nobody is known, or nothing proven", "irc server")
        return connection

    async def _live(self) -> None:
        """Connect again whenever the connection ends, with growing waits."""
        failures = 0
        while self._connection is not None:
            await self._connection.ended.wait()
            await self._connection.close()
            await asyncio.sleep(pause(failures, _LONGEST_WAIT))
            try:
                await self._signed_in()
                failures = 0
            except DragomanError as failed:
                failures += 1
                if failed.code == "channel_refused" and self._refused is not None and not self._refused.done():
                    self._refused.set_exception(failed)
                    return

    def _report(self, detail: str, where: str) -> None:
        self._place.report(DragomanError("channel_unreachable", detail, where=where, fix="see docs/how-to/irc.md"))

    # --- in ----------------------------------------------------------------------------------------------------------

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when the server does not accept us any more.
        """
        spool, refused = self._spool, self._refused
        if spool is None or refused is None:
            raise DragomanError("channel_unreachable", "not opened", where=PLATFORM)
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
        """The facts of an arrival; our signed-in connection authenticated it."""
        kept = msgspec.json.decode(raw, type=_Kept)
        event = facts({"line": kept.line}, self._agent, kept.place, received_at=received_at, authenticated=Fact.YES)
        line = parsed(kept.line)
        if event.author.known and line is not None:
            _remember(self._nicks, event.author.id, line.nick)
        return event

    def _heard(self, text: str, line: Line, playback: bool) -> None:
        """Take one line in, at the very moment for which its place is known."""
        if self._connection is None:
            return
        if line.command == "KICK" and same(line.text, self._connection.nick, self._connection.mapping):
            self._report(f"we were put out of {line.target}", f"irc channel {line.target}")
        if line.command not in ("PRIVMSG", "NOTICE"):
            return
        now = self._place.clock.now()
        self._serial += 1
        raw = msgspec.json.encode(_Kept(text, self._place_of(line, f"{now}-{self._serial}")))
        event = self.event(raw, now)
        if event.author.known and not playback:
            _remember(self._authors, event.event_id, event.author.id)
        if event.kind is EventKind.MESSAGE and event.author.id != self._agent.account:
            self._inbox.put_nowait(raw)

    def _place_of(self, line: Line, serial: str) -> IrcPlace:
        connection = self._connection
        if connection is None:
            return IrcPlace(serial=serial)
        answered = replied(line)
        return IrcPlace(
            nick=connection.nick,
            casemapping=connection.mapping,
            chantypes=connection.chantypes,
            members=_bounded(connection.members(line.target), line.nick, connection.nick),
            authors={answered: self._authors[answered]} if answered in self._authors else {},
            serial=serial,
        )

    async def _keep(self, spool: Spool) -> None:
        """Put into the inbox what came, in order."""
        while True:
            await self._kept(spool, await self._inbox.get())

    async def _kept(self, spool: Spool, raw: bytes) -> None:
        while True:
            try:
                await spool.put(raw)
            except DragomanError as failed:
                self._place.report(failed)
                await asyncio.sleep(1.0)  # nobody else has it: the server keeps nothing
            else:
                return

    # --- out ---------------------------------------------------------------------------------------------------------

    async def presence(self, target: Target) -> Presence:
        """Who is there: the other of a one-to-one, or a channel's members, if all of them are logged in."""
        unknown, connection = Presence(Fact.UNKNOWN), self._connection
        if not self._sending.ours(target) or connection is None or not connection.up:
            return unknown
        if target.channel[:1] not in connection.chantypes:
            shared = Fact.NO if target.channel in self._agent.colleagues else Fact.YES
            return Presence(shared, frozenset({party(PLATFORM, target.workspace, target.channel)}))
        members = connection.members(target.channel)
        if members is None or folded(target.channel, connection.mapping) != target.channel:
            return unknown
        own = folded(connection.nick, connection.mapping)
        others = [each for each in members if folded(each.nick, connection.mapping) != own]
        parties = frozenset(party(PLATFORM, target.workspace, each.account) for each in others)
        known = all(each.known for each in parties)
        return Presence(strangers(members, self._agent), parties if known else None)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        nick = self._nicks.get(output.target.channel, "")
        known = (output.reply_to or "") in self._authors
        return await self._sending.carry_out(output, self._connection, nick, known)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """IRC keeps nothing that could be looked up."""
        return Proof(Fact.UNKNOWN, gone=True)


def _bounded(members: tuple[Member, ...] | None, *needed: str) -> tuple[Member, ...] | None:
    if members is None or len(members) <= MOST_MEMBERS:
        return members
    return (*(each for each in members if each.nick in needed), Member(nick="?"))


def _remember(kept: OrderedDict[str, str], key: str, value: str) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
