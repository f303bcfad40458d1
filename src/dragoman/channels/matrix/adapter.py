"""One Matrix account, on matrix-nio: reads the sync stream, carries out outputs, decides nothing.

1. What came in is read by `stream.py`: an arrival is an event with what was known of its room, `Batch.position` the
   token to go on from. Without one the stream starts at now: what was said before is history.
2. It sends no typing, receipt, read marker or profile look-up of its own, downloads no media, and appears offline. It
   joins a room only when whoever invited it is named in `accept_invitations_from`; by default nobody is.
3. Sends carry the output's key as transaction id: the homeserver answers a repetition with the first event id. Texts go
   as `m.notice`, which other bots do not answer, and mention nobody. A file is first put into the media repository,
   where nobody sees it, and then said in the room; only the second can be delivered.
4. Delivered is YES only with the homeserver's event id. It is NO only when no byte of the request left, or when the
   homeserver answered 4xx. All else is UNKNOWN: time-outs, cut connections, 5xx.
5. A room that is encrypted, or of which that is not known, gets nothing: this adapter would send in the clear.
6. nio keeps no store, retries nothing, and logs nothing.

Output operations are called from `gate/gate.py` only.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.account import Batch, Proof
from dragoman.channels.matrix.connection import Connection, Unsent, Unsure, refused
from dragoman.channels.matrix.facts import PLATFORM, facts
from dragoman.channels.matrix.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.matrix.outgoing import content, reaction
from dragoman.channels.matrix.rooms import RoomEvent, Rooms
from dragoman.channels.matrix.state import MatrixAgent, is_id, of_another_server
from dragoman.channels.matrix.stream import Stream
from dragoman.clock import HOUR, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.parts import File
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

_RETRY: Final = 5 * SECOND
_LONGEST_RETRY: Final = HOUR
_MESSAGES: Final = frozenset({Operation.SEND, Operation.EDIT, Operation.UPLOAD})
_EVENTS: Final = _MESSAGES | {Operation.REACT}
"""What becomes an event of the room, and is refused where events would have to be encrypted."""


class MatrixChannel:
    """The account `agent.user_id` on `homeserver`; an `Account`.

    Args:
        homeserver: its address; `https`, or `http` on the loopback.
        token: the account's access token.
        agent: who we are, and who is a bot.
        clock: for arrivals and `retry_at`.
        timeout: seconds that one request may take.
        wait: milliseconds that the homeserver may hold a sync request open.
        accept_invitations_from: the user ids whose invitations are accepted.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(
        self,
        homeserver: str,
        token: str,
        agent: MatrixAgent,
        *,
        clock: Clock,
        timeout: float = 15.0,
        wait: int = 30_000,
        accept_invitations_from: frozenset[str] = frozenset(),
    ) -> None:
        self._agent, self._clock = agent, clock
        self._rooms = Rooms(agent.user_id)
        self._connection = Connection(homeserver, token, agent.user_id, timeout)
        self._stream = Stream(self._connection, self._rooms, agent, clock, wait, accept_invitations_from)
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def name(self) -> str:
        """`matrix:` and our user id."""
        return f"{PLATFORM}:{self._agent.user_id}"

    async def open(self) -> None:
        """Check that the token is the agent's.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        status, answer = await self._connection.ask("account", "whoami")
        if status != 200 and not refused(status):
            raise DragomanError("channel_unreachable", f"status {status}", where="matrix")
        if status != 200 or answer.get("user_id") != self._agent.user_id:
            raise DragomanError("channel_refused", f"status {status}", where="matrix", fix="check the access token")

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    # --- in ----------------------------------------------------------------------------------------------------------

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored token on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when the homeserver does not accept our token or `since`.
        """
        async for batch in self._stream.read(since):
            yield batch

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of an arrival; our access token over our own connection authenticated it."""
        seen = msgspec.json.decode(raw, type=RoomEvent)
        return facts(seen.raw, self._agent, seen.room, received_at=received_at, authenticated=Fact.YES)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Nothing has to be looked up: a repetition under the same transaction id is the same event."""
        return Proof(Fact.NO)

    async def presence(self, target: Target) -> Presence:
        """Who is joined now, we ourselves left out; unknown when the homeserver does not say (spec 1 §2)."""
        unknown = Presence(Fact.UNKNOWN)
        if not self._ours(target):
            return unknown
        try:
            status, answer = await self._connection.ask("rooms", target.channel, "joined_members")
        except DragomanError:
            return unknown
        joined, own = answer.get("joined"), self._agent.user_id
        if status != 200 or not isinstance(joined, dict) or own not in joined:
            return unknown
        others = frozenset(party(PLATFORM, own, user_id) for user_id in joined if user_id != own)
        if not all(other.known for other in others):
            return unknown
        shared = of_another_server(frozenset(joined), own)
        return Presence(shared if shared is Fact.YES else await self._world_readable(target.channel), others)

    async def _world_readable(self, room_id: str) -> Fact:
        """Whether anybody may read without joining; asked for when the stream did not say."""
        known = self._rooms.state(room_id).world_readable
        if known is not None:
            return Fact.YES if known else Fact.NO
        try:
            status, answer = await self._connection.ask("rooms", room_id, "state", "m.room.history_visibility")
        except DragomanError:
            return Fact.UNKNOWN
        if status == 404 and answer.get("errcode") == "M_NOT_FOUND":
            return Fact.NO
        readable = Fact.YES if answer.get("history_visibility") == "world_readable" else Fact.NO
        return readable if status == 200 else Fact.UNKNOWN

    # --- out ---------------------------------------------------------------------------------------------------------

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        refusal = await self._refusal(output)
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        uri = ""
        if output.operation is Operation.UPLOAD:
            stored = await self._stored(output.parts.files[0])
            if isinstance(stored, Receipt):
                return stored
            uri = stored
        try:
            async with self._in_order(output):
                answer = await self._connection.send(self._call(output, uri))
        except Unsent as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            return Receipt(delivered=Fact.UNKNOWN, detail=str(failed))
        receipt = self._receipt(answer, output.operation)
        if receipt.delivered is Fact.YES and output.operation in _MESSAGES:
            self._rooms.remember(receipt.evidence, self._agent.user_id)
        return receipt

    def _in_order(self, output: Output) -> contextlib.AbstractAsyncContextManager[object]:
        """Events of one room go one after the other: an event's id is the hash of what it holds and follows, so two
        equal ones at once could become one."""
        if output.operation not in _EVENTS:
            return contextlib.nullcontext()
        return self._order.setdefault(output.target.channel, asyncio.Lock())

    async def _refusal(self, output: Output) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        operation = output.operation
        if operation not in OPERATIONS:
            return "operation not declared"
        if not self._ours(output.target):
            return "not a room of this account"
        if operation is Operation.EDIT and not output.edits:
            return "nothing to edit"
        if operation in (Operation.READ_RECEIPT, Operation.REACT) and not is_id(output.reply_to, "$"):
            return "no message to acknowledge"
        if bool(output.parts) != (operation is Operation.UPLOAD) or len(output.parts.files) > 1:
            return "not declared with these parts"
        if operation in _EVENTS and await self._encrypted(output.target.channel) is not Fact.NO:
            return "the room is encrypted, or that could not be found out"
        return ""

    async def _encrypted(self, room_id: str) -> Fact:
        known = self._rooms.encrypted(room_id)
        if known is not None:
            return Fact.YES if known else Fact.NO
        try:
            status, answer = await self._connection.ask("rooms", room_id, "state", "m.room.encryption")
        except DragomanError:
            return Fact.UNKNOWN
        if status == 404 and answer.get("errcode") == "M_NOT_FOUND":
            return Fact.NO
        return Fact.YES if status == 200 else Fact.UNKNOWN

    async def _stored(self, file: File) -> str | Receipt:
        """The URI of a file in the media repository, or why it is not there: of the room nobody has seen anything."""
        try:
            status, answer = await self._connection.upload(file.name, file.media_type, file.content)
        except DragomanError as failed:
            return Receipt(delivered=Fact.NO, detail=f"upload: {failed.detail}")
        uri = answer.get("content_uri")
        if status == 200 and isinstance(uri, str) and uri.startswith("mxc://"):
            return uri
        wait = _wait_of(None, answer.get("retry_after_ms")) if status == 429 else None
        retry = None if wait is None else self._clock.now() + wait
        return Receipt(delivered=Fact.NO, detail=f"upload: status {status}", retry_at=retry)

    async def _call(self, output: Output, uri: str) -> Any:
        room_id, client = output.target.channel, self._connection.client()
        match output.operation:
            case Operation.SEND | Operation.EDIT | Operation.UPLOAD:
                return await client.room_send(room_id, "m.room.message", content(output, uri), tx_id=output.key)
            case Operation.REACT:
                return await client.room_send(room_id, "m.reaction", reaction(output), tx_id=output.key)
            case Operation.TYPING:
                return await client.room_typing(room_id, typing_state=True, timeout=10 * SECOND)
            case _:
                return await client.update_receipt_marker(room_id, output.reply_to)

    def _receipt(self, answer: Any, operation: Operation) -> Receipt:
        transport = answer.transport_response
        status, code = transport.status, str(getattr(answer, "status_code", None) or "")
        if status == 429:
            wait = _wait_of(transport.headers.get("Retry-After"), getattr(answer, "retry_after_ms", None))
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=self._clock.now() + wait)
        if refused(status):
            return Receipt(delivered=Fact.NO, detail=f"{status} {code}".strip())
        evidence = getattr(answer, "event_id", "") if operation in _EVENTS else f"status {status}"
        if 200 <= status < 300 and not code and evidence:
            return Receipt(delivered=Fact.YES, evidence=evidence)
        return Receipt(delivered=Fact.UNKNOWN, detail=f"status {status}")

    def _ours(self, target: Target) -> bool:
        return target.platform == PLATFORM and target.workspace == self._agent.user_id


def _wait_of(header: object, body: object) -> int:
    """Milliseconds that a rate limit asks for: the header's seconds, else the old body field, else a default."""
    if isinstance(header, str) and header.isascii() and header.isdigit():
        return min(int(header[:9]) * SECOND, _LONGEST_RETRY)
    return min(body, _LONGEST_RETRY) if type(body) is int and body > 0 else _RETRY
