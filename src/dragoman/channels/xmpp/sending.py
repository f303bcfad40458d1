"""What we say by XMPP, and what proves that it was said; `adapter.py` has the laws (3 to 5).

Messages of one place go one after the other, each only when what became of the one before is known, or its time is up.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from typing import Any, Final
from weakref import WeakValueDictionary
from xml.etree.ElementTree import Element

from dragoman.channels.account import Proof
from dragoman.channels.xmpp import stanza as x
from dragoman.channels.xmpp.connection import MAM, Connection, ErrorAnswer, Unsent, prepared
from dragoman.channels.xmpp.facts import PLATFORM, facts
from dragoman.channels.xmpp.outgoing import OPERATIONS, message, unsayable
from dragoman.channels.xmpp.rooms import REMEMBERED, Rooms
from dragoman.channels.xmpp.state import XmppAgent, domain, is_bare
from dragoman.clock import MINUTE, SECOND, Clock, rfc3339
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact

_STANZAS: Final = "urn:ietf:params:xml:ns:xmpp-stanzas"
_LATER: Final = "resource-constraint"
_EARLIER: Final = MINUTE
"""How long before a send was decided its archive is read from: two clocks differ."""
_SETTLED: Final = 5 * SECOND
"""How old a send must be before its absence from the archive is believed: its stream is dead by then."""


class Sending:
    """The way out of one account.

    Args:
        agent: who we are.
        rooms: what is known of our rooms.
        clock: for `retry_at`.
        timeout: seconds that evidence is waited for.
    """

    def __init__(self, agent: XmppAgent, rooms: Rooms, clock: Clock, timeout: float) -> None:
        self._agent, self._rooms, self._clock, self._timeout = agent, rooms, clock, timeout
        self._echoes: dict[str, asyncio.Future[str | Receipt]] = {}
        self._keys: OrderedDict[tuple[str, str], str] = OrderedDict()
        """Place and evidence of our messages → the id that a correction names."""
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def evidence(self, stanza: Element, event: Event) -> bool:
        """Whether a stanza is the room's echo of what we wait for, or the refusal of it."""
        waiting = self._echoes.get(stanza.get("id", ""))
        if waiting is None or waiting.done():
            return False
        if stanza.get("type") == "error":
            waiting.set_result(_refusal(stanza, self._clock.now()))
        elif stanza.get("type") == "groupchat" and event.author.id == self._agent.jid:
            waiting.set_result(event.event_id)
        return waiting.done()

    async def carry_out(self, output: Output, connection: Connection | None) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        room = output.target.channel in self._agent.rooms
        refusal = self._refusal(output, room=room)
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        if connection is None or not connection.up or (room and not self._rooms.inside(output.target.channel)):
            return self._nowhere()
        known = self._rooms.knows(output.target.channel, output.reply_to)
        corrected = self._keys.get((output.target.channel, output.edits or ""), "")
        stanza = message(output, room=room, reply=known, corrects=corrected)
        echo: asyncio.Future[str | Receipt] = asyncio.get_running_loop().create_future()
        async with self._order.setdefault(output.target.channel, asyncio.Lock()):
            self._echoes[output.key] = echo
            try:
                async with asyncio.timeout(self._timeout):
                    receipt = await self._sent(connection, stanza, echo, room=room)
            except TimeoutError:
                return Receipt(delivered=Fact.UNKNOWN, detail="no answer in time")
            except Unsent:
                return self._nowhere()
            finally:
                self._echoes.pop(output.key, None)
        if receipt.delivered is Fact.YES:
            self._remember(output, receipt, room=room)
        return receipt

    def _remember(self, output: Output, receipt: Receipt, *, room: bool) -> None:
        if not room:
            self._rooms.wrote(output.target.channel, output.key, self._agent.jid)
        self._keys[output.target.channel, receipt.evidence] = output.key
        while len(self._keys) > REMEMBERED:
            self._keys.popitem(last=False)

    def _nowhere(self) -> Receipt:
        """There is no stream, or we are not in the room: the connection is being made again."""
        return Receipt(delivered=Fact.NO, detail="not connected", retry_at=self._clock.now() + 5 * SECOND)

    async def _sent(
        self, connection: Connection, stanza: Element, echo: asyncio.Future[str | Receipt], *, room: bool
    ) -> Receipt:
        """The receipt of one message."""
        taken = asyncio.ensure_future(self._taken(connection, connection.put(stanza)))
        either: set[asyncio.Future[Any]] = {echo} if room else {echo, taken}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not echo.done():
                await asyncio.sleep(0)  # an error that came before the confirmation has been taken in by now
            if echo.done():
                found = echo.result()
                return found if isinstance(found, Receipt) else Receipt(delivered=Fact.YES, evidence=found)
            if taken.cancelled() or taken.exception() is not None:
                return Receipt(delivered=Fact.UNKNOWN, detail="the stream ended")
            return Receipt(delivered=Fact.YES, evidence=stanza.get("id", ""))
        finally:
            taken.cancel()
            taken.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _taken(self, connection: Connection, counted: asyncio.Future[None]) -> None:
        """Until our server has said that it took what was sent last: it handles a stream's stanzas in order."""
        if connection.counts:
            await counted
            return
        with contextlib.suppress(ErrorAnswer):
            await connection.ask(domain(self._agent.jid), "get", Element("{urn:xmpp:ping}ping"))

    def _refusal(self, output: Output, *, room: bool) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        channel = output.target.channel
        if output.operation not in OPERATIONS:
            return "operation not declared"
        if not self._ours(output.target):
            return "not a place of this account"
        if not room and (not is_bare(channel) or domain(channel) in self._agent.services or not prepared(channel)):
            return "no bare JID of a person, and no room of ours"
        if output.operation is Operation.EDIT and (channel, output.edits or "") not in self._keys:
            return "not a message that we sent on this run"
        if output.parts:
            return "not declared with these parts"
        return "not a text that XML can carry" if unsayable(output.text) else ""

    async def look_up(self, target: Target, key: str, minted_at: int, connection: Connection | None) -> Proof:
        """What the archive says of a message that was sent under `key`; without an archive nothing, ever."""
        room = target.channel in self._agent.rooms
        if not self._ours(target):
            return Proof(Fact.UNKNOWN, gone=True)
        if connection is None or not connection.up or self._clock.now() - minted_at < _SETTLED:
            return Proof(Fact.UNKNOWN)
        archive, peer = (target.channel, "") if room else (self._agent.jid, target.channel)
        try:
            if MAM not in await connection.features(archive):
                return Proof(Fact.UNKNOWN, gone=True)
            kept, complete = await connection.archived(archive, rfc3339(max(minted_at - _EARLIER, 0)), peer)
        except ErrorAnswer:
            return Proof(Fact.UNKNOWN, gone=True)
        except DragomanError:
            return Proof(Fact.UNKNOWN)
        for id, found in kept:
            raw = {"xml": x.written(found)}
            sent = facts(raw, self._agent, self._rooms.place(found), received_at=0, authenticated=Fact.YES)
            if found.get("id") == key and sent.author.id == self._agent.jid:
                return Proof(Fact.YES, evidence=id if room else key)
        return Proof(Fact.NO) if complete else Proof(Fact.UNKNOWN, gone=True)

    def _ours(self, target: Target) -> bool:
        return target.platform == PLATFORM and target.workspace == self._agent.jid


def _refusal(stanza: Element, now: int) -> Receipt:
    """The receipt of a message that came back as an error."""
    error = x.first(stanza, x.CLIENT, "error")
    names = [] if error is None else [each.tag.removeprefix(f"{{{_STANZAS}}}") for each in error]
    later = _LATER in names or (error is not None and error.get("type") == "wait")
    return Receipt(
        delivered=Fact.NO,
        detail=f"refused: {names[0]}" if names else "refused",
        retry_at=now + 5 * SECOND if later else None,
    )
