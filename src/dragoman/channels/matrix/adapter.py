"""One Matrix account, on matrix-nio: reads the sync stream, carries out outputs, decides nothing.

1. The sync loop gives raw events with what is known of their rooms, batch by batch; `Batch.token` is to be stored only
   after the batch's arrivals are. Without a token the loop starts at now: what was said before is history.
2. It sends no typing, receipt, read marker or profile look-up, downloads no media, and appears offline. Its one
   request about an event is who wrote the message that the event answers (or edits), and only when `worth_asking` says
   that this could change the decision and the author was not seen in the stream. The room does not see that request.
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
import json
from collections.abc import AsyncIterator
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from dragoman.channels.matrix.connection import Connection, Unsent, Unsure
from dragoman.channels.matrix.facts import PLATFORM, facts, worth_asking
from dragoman.channels.matrix.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.matrix.outgoing import content, reaction
from dragoman.channels.matrix.rooms import Arrival, Rooms
from dragoman.channels.matrix.state import MatrixAgent, is_id, is_user_id, of_another_server
from dragoman.clock import HOUR, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.parts import File
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

PAGE: Final = 100
PAGES: Final = 10
"""A gap in the stream is read back up to `PAGES` × `PAGE` events per room; what is older is left."""
_RETRY: Final = 5 * SECOND
_LONGEST_RETRY: Final = HOUR
_LONGEST_WAIT: Final = 60.0
_FULL_SYNC: Final = 180.0
"""Seconds that the first answer of a run may take: it holds the state of every room."""
_MESSAGES: Final = frozenset({Operation.SEND, Operation.EDIT, Operation.UPLOAD})
_EVENTS: Final = _MESSAGES | {Operation.REACT}
"""What becomes an event of the room, and is refused where events would have to be encrypted."""
_STATE: Final = ["m.room.create", "m.room.member", "m.room.encryption", "m.room.history_visibility"]


class Batch(msgspec.Struct, frozen=True):
    """The arrivals of one sync answer, and the token to go on from once they are stored."""

    arrivals: tuple[Arrival, ...]
    token: str


class MatrixChannel:
    """The account `agent.user_id` on `homeserver`; implements `gate.ports.Channel`.

    Args:
        homeserver: its address; `https`, or `http` on the loopback.
        token: the account's access token.
        agent: who we are, and who is a bot.
        clock: for arrivals and `retry_at`.
        timeout: seconds that one request may take.
        wait: milliseconds that the homeserver may hold a sync request open.

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
    ) -> None:
        self._agent, self._clock, self._wait = agent, clock, wait
        self._rooms = Rooms(agent.user_id)
        self._connection = Connection(homeserver, token, agent.user_id, timeout)
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def open(self) -> None:
        """Check that the token is the agent's.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        status, answer = await self._connection.ask("account", "whoami")
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
        first, failures = True, 0
        while True:
            started_at = since
            try:
                answer = await self._sync(since, full=first)
                earlier = await self._earlier(answer, since) if since else {}
            except DragomanError as failed:
                if failed.code == "channel_refused":
                    raise
                failures += 1
                await asyncio.sleep(min(2.0 ** min(failures, 10) / 2, _LONGEST_WAIT))
                continue
            token = answer["next_batch"]
            arrivals = self._rooms.apply(answer, self._clock.now(), earlier)
            known = tuple([await self._completed(arrival) for arrival in arrivals]) if since else ()
            first, failures, since = False, 0, token
            if token != started_at:
                yield Batch(known, token)

    def event(self, arrival: Arrival) -> Event:
        """The facts of an arrival; our access token over our own connection authenticated it."""
        return facts(arrival.raw, self._agent, arrival.room, received_at=arrival.received_at, authenticated=Fact.YES)

    async def _sync(self, since: str | None, *, full: bool) -> dict[str, Any]:
        """One sync answer. The first of a run brings the whole state; without a token its timeline is not read."""
        nothing: dict[str, list[str]] = {"types": []}
        wanted = {
            "presence": nothing,
            "account_data": {"types": ["m.direct"]},
            "room": {
                "timeline": {"limit": PAGE if since else 1},
                "state": {"types": _STATE, "lazy_load_members": False},
                "ephemeral": nothing,
                "account_data": nothing,
            },
        }
        query = {
            "filter": json.dumps(wanted, separators=(",", ":")),
            "set_presence": "offline",
            "timeout": "0" if full else str(self._wait),
            "full_state": "true" if full else "false",
        }
        limit = _FULL_SYNC if full else self._wait / SECOND + self._connection.timeout
        query |= {"since": since} if since else {}
        status, answer = await self._connection.ask("sync", query=query, timeout=limit)
        if status == 200 and isinstance(answer.get("next_batch"), str):
            return answer
        raise DragomanError(
            "channel_refused" if _refused(status) else "channel_unreachable", f"sync: {status}", where="matrix"
        )

    async def _earlier(self, answer: dict[str, Any], since: str) -> dict[str, list[dict[str, Any]]]:
        """What cut timelines left out, oldest first, per room; a room that we may no longer read gives nothing.

        Raises:
            DragomanError: `channel_unreachable`; the whole answer is then asked for again.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        for room_id, batch in self._rooms.gaps(answer).items():
            events: list[dict[str, Any]] = []
            start: object = batch
            for _ in range(PAGES):
                query = {"dir": "b", "limit": str(PAGE), "from": str(start), "to": since}
                status, page = await self._connection.ask("rooms", room_id, "messages", query=query)
                if status != 200 and not _refused(status):
                    raise DragomanError("channel_unreachable", f"messages: {status}", where="matrix")
                chunk = page.get("chunk")
                chunk = [event for event in chunk if isinstance(event, dict)] if isinstance(chunk, list) else []
                events += chunk
                start = page.get("end")
                if not chunk or not isinstance(start, str) or self._rooms.joined_in(chunk):
                    break
            found[room_id] = events[::-1]
        return found

    async def _completed(self, arrival: Arrival) -> Arrival:
        """The arrival with the author of the message it points at, if that is worth a request."""
        wanted = worth_asking(arrival.raw, self._agent, arrival.room)
        if wanted is None:
            return arrival
        try:
            status, answer = await self._connection.ask("rooms", arrival.raw["room_id"], "event", wanted)
        except DragomanError:
            return arrival
        sender = answer.get("sender")
        if status != 200 or answer.get("event_id") != wanted or not is_user_id(sender):
            return arrival
        self._rooms.remember(wanted, sender)
        room = msgspec.structs.replace(arrival.room, senders={**arrival.room.senders, wanted: str(sender)})
        return msgspec.structs.replace(arrival, room=room)

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
        if _refused(status):
            return Receipt(delivered=Fact.NO, detail=f"{status} {code}".strip())
        evidence = getattr(answer, "event_id", "") if operation in _EVENTS else f"status {status}"
        if 200 <= status < 300 and not code and evidence:
            return Receipt(delivered=Fact.YES, evidence=evidence)
        return Receipt(delivered=Fact.UNKNOWN, detail=f"status {status}")

    def _ours(self, target: Target) -> bool:
        return target.platform == PLATFORM and target.workspace == self._agent.user_id


def _refused(status: int) -> bool:
    """Whether a status means that the homeserver read the request and will not do it: 4xx, but not "later"."""
    return 400 <= status < 500 and status not in (408, 429)


def _wait_of(header: object, body: object) -> int:
    """Milliseconds that a rate limit asks for: the header's seconds, else the old body field, else a default."""
    if isinstance(header, str) and header.isascii() and header.isdigit():
        return min(int(header[:9]) * SECOND, _LONGEST_RETRY)
    return min(body, _LONGEST_RETRY) if type(body) is int and body > 0 else _RETRY
