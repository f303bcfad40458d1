"""What came in at one Zulip account: its event queue, and what was said while there was none.

1. `Batch.position` is `MESSAGE:QUEUE:EVENT`: the last message that was read, the queue, and its last event. A restart
   goes on in the same queue while the server keeps it (some ten minutes).
2. When the server does not know the queue any more, or has dropped events of it that we did not store, another one is
   registered first, and then every message after the last one is read back, with its flags. Edits and deletions of that
   time are not known. The first time nothing is read back: that is history. A second copy has the same dedupe key.
3. Our own messages that come back under their `local_id` are remembered for `MOST_ECHOES` sends: that is the proof of a
   send whose answer was lost.
4. Between attempts the wait grows to a minute. A key that is refused ends it.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from dragoman.channels.account import Arrival, Batch
from dragoman.channels.address import pause
from dragoman.channels.zulip.connection import Answered, Connection, refused
from dragoman.channels.zulip.facts import facts
from dragoman.channels.zulip.places import Places
from dragoman.channels.zulip.state import ZulipAgent, ZulipPlace, recipient
from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.words import Fact

KEPT: Final = frozenset({"message", "update_message", "delete_message"})
CHANGES: Final = frozenset({"realm_user", "stream", "subscription"})
MOST_ECHOES: Final = 1_000
PAGE: Final = 500
PAGES: Final = 20
"""A gap is read back up to `PAGES` × `PAGE` messages."""
SURELY_WHOLE: Final = 8_000
POLL_SECONDS: Final = 100.0
"""The server answers a poll after some 90 seconds at the latest."""
_TRIES: Final = 3


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One arrival: the event, and what was known of its place and author when it came."""

    event: dict[str, Any]
    place: ZulipPlace


class Stream:
    """The stream of one account."""

    def __init__(self, connection: Connection, places: Places, agent: ZulipAgent, clock: Clock) -> None:
        self._connection, self._places, self._agent, self._clock = connection, places, agent, clock
        self.queue = ""
        """The queue that sends may name."""
        self.reading_since: int | None = None
        """Since when this process has read one queue without a gap; None before."""
        self.polled_at = 0
        """When the queue was last read to its end."""
        self.echoes: OrderedDict[str, str] = OrderedDict()
        """Local id → message id, of our own messages that came back; empty for one that may be the first of several."""
        self._event = -1
        self._message = 0

    async def read(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from `since` on, without end.

        Raises:
            DragomanError: `channel_refused` when the server does not accept our key.
        """
        self._begin(since)
        failures, first = 0, since is None
        while True:
            try:
                events, fresh = await self._next(first)
            except DragomanError as failed:
                if failed.code == "channel_refused":
                    raise
                failures += 1
                await asyncio.sleep(pause(failures))
                continue
            failures = 0
            arrivals = tuple([await self._arrival(event) for event in events if event.get("type") in KEPT])
            if arrivals or fresh or events:
                first = False
                yield Batch(arrivals, f"{self._message}:{self.queue}:{self._event}")

    def _begin(self, since: str | None) -> None:
        message, _, rest = (since or "").partition(":")
        queue, _, event = rest.rpartition(":")
        self._message = int(message) if message.isascii() and message.isdigit() else 0
        self.queue = queue
        self._event = int(event) if event.isascii() and event.isdigit() else -1
        self.reading_since = self._clock.now() if queue else None

    async def _next(self, first: bool) -> tuple[list[dict[str, Any]], bool]:
        """What came next, and whether it begins a queue.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`.
        """
        if not self.queue:
            return await self._register(first), True
        form = {"queue_id": self.queue, "last_event_id": str(self._event)}
        answer = await self._connection.ask("GET", "events", form, timeout=POLL_SECONDS)
        if refused(answer.status) and answer.status not in (401, 403):
            # the queue is not known any more, or its events after ours were dropped already (`BAD_EVENT_QUEUE_ID`)
            self.queue, self.reading_since = "", None
            return [], False
        _accepted(answer)
        events = [event for event in answer.items("events") if isinstance(event, dict)]
        for event in events:
            self._heard(event)
        self.polled_at = self._clock.now()
        return events, False

    async def _register(self, first: bool) -> list[dict[str, Any]]:
        """A new queue, and what was said since the last message; of the first one nothing."""
        kinds = json.dumps(sorted(KEPT | CHANGES))
        form = {"event_types": kinds, "fetch_event_types": '["message"]', "apply_markdown": "true"}
        answer = await self._connection.ask("POST", "register", form)
        _accepted(answer)
        queue = answer.value.get("queue_id")
        if type(queue) is not str or not queue:
            raise DragomanError("channel_unreachable", "no queue", where="zulip")
        missed = [] if first else await self._missed()
        self._places.forget()
        self.queue, self._event = queue, answer.whole("last_event_id")
        self.reading_since = self.polled_at = self._clock.now()
        self._message = max(self._message, answer.whole("max_message_id")) if first else self._message
        for event in missed:
            self._heard(event)
        return missed

    async def _missed(self) -> list[dict[str, Any]]:
        """Every message after the last one that was read, as events."""
        found: list[dict[str, Any]] = []
        anchor = self._message
        for _ in range(PAGES):
            form = {
                "anchor": str(anchor),
                "include_anchor": "false",
                "num_before": "0",
                "num_after": str(PAGE),
                "apply_markdown": "true",
            }
            answer = await self._connection.ask("GET", "messages", form)
            _accepted(answer)
            messages = [m for m in answer.items("messages") if isinstance(m, dict) and type(m.get("id")) is int]
            found += [{"type": "message", "message": each, "flags": each.get("flags")} for each in messages]
            if not messages or answer.value.get("found_newest") is not False:
                break
            anchor = max(each["id"] for each in messages)
        return found

    def _heard(self, event: dict[str, Any]) -> None:
        if type(event.get("id")) is int:
            self._event = max(self._event, event["id"])
        if event.get("type") in CHANGES:
            self._places.forget()
        message = event.get("message")
        if event.get("type") != "message" or not isinstance(message, dict) or type(message.get("id")) is not int:
            return
        self._message = max(self._message, message["id"])
        local = event.get("local_message_id")
        if type(local) is str and message.get("sender_id") == self._agent.user_id:
            whole = len(str(message.get("content"))) < SURELY_WHOLE
            self.echoes[local] = str(message["id"]) if whole else ""
            while len(self.echoes) > MOST_ECHOES:
                self.echoes.popitem(last=False)

    async def _arrival(self, event: dict[str, Any]) -> Arrival:
        """The event as bytes, with what is known of its place and author."""
        now = self._clock.now()
        bare = facts(event, self._agent, None, received_at=now, authenticated=Fact.YES)
        where, author = recipient(bare.target.channel), bare.author.id
        place = ZulipPlace()
        for number in range(_TRIES if author and author != str(self._agent.user_id) else 0):
            place = await self._places.place(where, int(author))
            if place.author_is_bot is not None and place.shared is not None:
                break
            self._places.forget()  # somebody new, or the server did not answer
            await asyncio.sleep(0.2 * number)
        return Arrival(msgspec.json.encode(Kept(event, place)), now)


def _accepted(answer: Answered) -> None:
    if answer.status == 200:
        return
    code = "channel_refused" if refused(answer.status) else "channel_unreachable"
    raise DragomanError(code, f"{answer.status} {answer.code}".strip(), where="zulip")
