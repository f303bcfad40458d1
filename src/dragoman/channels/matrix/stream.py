"""What came in at one Matrix account: the sync stream, read batch by batch, each event with what was known of its room.

1. `Batch.position` is the token to go on from once the batch's arrivals are stored. Without a token the stream starts
   at now: what was said before is history. Timelines that were cut short are read back, up to `PAGES` × `PAGE` events.
2. Its one request about an event is who wrote the message that the event answers (or edits), and only when
   `worth_asking` says that this could change the decision and the author was not seen in the stream. The room does not
   see that request.
3. An invitation is accepted only when whoever invited us is among `hosts`, exactly; a join that got no answer is tried
   again with the next answer. All other invitations stay as they are.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from dragoman.channels.account import Arrival, Batch
from dragoman.channels.address import pause
from dragoman.channels.matrix.connection import Connection, refused
from dragoman.channels.matrix.facts import worth_asking
from dragoman.channels.matrix.rooms import RoomEvent, Rooms
from dragoman.channels.matrix.state import MatrixAgent, is_user_id
from dragoman.clock import SECOND, Clock
from dragoman.errors import DragomanError

PAGE: Final = 100
PAGES: Final = 10
"""A gap in the stream is read back up to `PAGES` × `PAGE` events per room; what is older is left."""
_FULL_SYNC: Final = 180.0
"""Seconds that the first answer of a run may take: it holds the state of every room."""
_STATE: Final = ["m.room.create", "m.room.member", "m.room.encryption", "m.room.history_visibility"]


class Stream:
    """The stream of `agent`; `rooms` is what is known of its rooms, which reading keeps up.

    Args:
        wait: milliseconds that the homeserver may hold a request open.
        hosts: the user ids whose invitations are accepted.
    """

    def __init__(
        self, connection: Connection, rooms: Rooms, agent: MatrixAgent, clock: Clock, wait: int, hosts: frozenset[str]
    ) -> None:
        self._connection, self._rooms, self._agent, self._clock = connection, rooms, agent, clock
        self._wait, self._hosts = wait, hosts
        self._invited: dict[str, str] = {}

    async def read(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from `since` on, without end; outages are waited out.

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
                await asyncio.sleep(pause(failures))
                continue
            token = answer["next_batch"]
            seen = self._rooms.apply(answer, self._clock.now(), earlier)
            arrivals = tuple([await self._arrival(event) for event in seen]) if since else ()
            await self._accept(answer)
            first, failures, since = False, 0, token
            if token != started_at:
                yield Batch(arrivals, token)

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
            "channel_refused" if refused(status) else "channel_unreachable", f"sync: {status}", where="matrix"
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
                if status != 200 and not refused(status):
                    raise DragomanError("channel_unreachable", f"messages: {status}", where="matrix")
                chunk = page.get("chunk")
                chunk = [event for event in chunk if isinstance(event, dict)] if isinstance(chunk, list) else []
                events += chunk
                start = page.get("end")
                if not chunk or not isinstance(start, str) or self._rooms.joined_in(chunk):
                    break
            found[room_id] = events[::-1]
        return found

    async def _arrival(self, seen: RoomEvent) -> Arrival:
        """The event as bytes, with the author of the message it points at, if that is worth a request."""
        return Arrival(_encoded(await self._completed(seen)), seen.received_at)

    async def _completed(self, seen: RoomEvent) -> RoomEvent:
        wanted = worth_asking(seen.raw, self._agent, seen.room)
        if wanted is None:
            return seen
        try:
            status, answer = await self._connection.ask("rooms", seen.raw["room_id"], "event", wanted)
        except DragomanError:
            return seen
        sender = answer.get("sender")
        if status != 200 or answer.get("event_id") != wanted or not is_user_id(sender):
            return seen
        self._rooms.remember(wanted, sender)
        room = msgspec.structs.replace(seen.room, senders={**seen.room.senders, wanted: str(sender)})
        return msgspec.structs.replace(seen, room=room)

    async def _accept(self, answer: dict[str, Any]) -> None:
        """Go where somebody invites us whose invitations are accepted."""
        self._invited |= self._rooms.inviters(answer)
        for room_id, inviter in list(self._invited.items()):
            if inviter in self._hosts:
                try:
                    status = await self._connection.join(room_id)
                except DragomanError:
                    continue
                if status != 200 and not refused(status):
                    continue
            del self._invited[room_id]


def _encoded(seen: RoomEvent) -> bytes:
    """The event as bytes. Halves of characters, which JSON can write and UTF-8 cannot, become `?`: one such event must
    not keep what comes after it from being read."""
    try:
        return msgspec.json.encode(seen)
    except UnicodeEncodeError:
        whole = json.dumps(msgspec.to_builtins(seen), ensure_ascii=False).encode("utf-8", "replace")
        return msgspec.json.encode(json.loads(whole))
