"""What came in at one Mattermost account: pushed by websocket, kept in the spool, read back after an outage.

1. A frame that is kept (`KEPT`) is looked up, and put into the spool with what was found, before the next one is read.
2. After a cut the connection is taken up where it was, by `connection_id` and `sequence_number`; the server repeats
   what it still has. If it cannot, or if a number is missing, the channels are read back from the last moment that was
   heard. Posts that are read back have no list of mentions (`facts.py` 3).
3. `Batch.position` is `SPOOL:MOMENT:NUMBER:CONNECTION`: after a restart reading goes on there, the connection is taken
   up, or else channels are read back from the moment on. A second copy of a post has the same dedupe key. The first
   time nothing is read back: that is history.
4. Between attempts the wait grows to a minute. A token that is refused ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import aiohttp
import msgspec

from dragoman.channels.account import Batch
from dragoman.channels.address import pause
from dragoman.channels.mattermost.connection import Connection
from dragoman.channels.mattermost.places import Places
from dragoman.channels.mattermost.state import MattermostPlace
from dragoman.channels.spool import Spool
from dragoman.clock import SECOND, Clock
from dragoman.errors import DragomanError

KEPT: Final = frozenset({"posted", "post_edited", "post_deleted"})
CHANGES: Final = frozenset(
    {
        *("channel_updated", "channel_converted", "channel_member_updated", "memberrole_updated", "user_added"),
        *("user_removed", "user_updated", "user_role_updated", "guests_deactivated", "channel_created"),
    }
)
SLACK_MS: Final = 30 * SECOND
"""How much further channels are read back than to the last moment that was heard."""
MOST_CHANNELS: Final = 500
_TRIES: Final = 3


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One arrival: the event, and what was known of its channel and author when it came."""

    event: dict[str, Any]
    place: MattermostPlace
    connection: str = ""
    """By which connection it came, for a restart that takes it up."""


class Stream:
    """The stream of one account."""

    def __init__(self, connection: Connection, places: Places, spool: Callable[[], Spool], clock: Clock) -> None:
        self._connection, self._places, self._spool, self._clock = connection, places, spool, clock
        self._id, self._next = "", 0
        self._heard_at: int | None = None
        self._ready = asyncio.Event()

    async def read(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from `since` on, without end.

        Raises:
            DragomanError: `channel_refused`; `inbox_broken`.
        """
        first = self._begin(since)
        spool = self._spool()
        listening = asyncio.ensure_future(self._listen(spool))
        pages = spool.read(first)
        try:
            if since is None:
                await _first(asyncio.ensure_future(self._ready.wait()), listening)
                yield Batch((), f"0:{self._clock.now()}:{self._next}:{self._id}")
            while True:
                batch = await _first(asyncio.ensure_future(anext(pages)), listening)
                yield Batch(batch.arrivals, _position(batch))
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError, DragomanError):
                await listening
            await pages.aclose()  # type: ignore[attr-defined]
            spool.close()

    def _begin(self, since: str | None) -> str | None:
        """Take a position up; what of it is the spool's."""
        first, _, rest = (since or "").partition(":")
        moment, _, rest = rest.partition(":")
        number, _, self._id = rest.partition(":")
        self._heard_at = int(moment) if _digits(moment) else None
        self._next = int(number) if _digits(number) else 0
        return first if _digits(first) else None

    async def _listen(self, spool: Spool) -> None:
        failures = 0
        while True:
            try:
                async for frame in self._frames(spool):
                    failures = 0
                    await self._take(frame, spool)
            except DragomanError as failed:
                if failed.code != "channel_unreachable":
                    raise
            except (aiohttp.ClientError, OSError):
                pass  # cut in the middle of a frame
            failures += 1
            await asyncio.sleep(pause(failures))

    async def _frames(self, spool: Spool) -> AsyncIterator[dict[str, Any]]:
        """The events of one connection, each with the number that is due; ends when it is cut or one is missing."""
        query = {"connection_id": self._id, "sequence_number": str(self._next)} if self._id else {}
        socket = await self._connection.websocket(query)
        try:
            async for message in socket:
                if message.type is not aiohttp.WSMsgType.TEXT:
                    continue
                frame = _object(message.data)
                if type(frame.get("event")) is not str:
                    continue
                if frame["event"] == "hello":
                    await self._greeted(frame, spool)
                elif frame.get("seq") != self._next:
                    self._id = ""  # something was lost: begin anew, and read back
                    return
                self._next = int(frame["seq"]) + 1 if type(frame.get("seq")) is int else self._next + 1
                self._heard_at = self._clock.now()
                yield frame
        finally:
            await socket.close()

    async def _greeted(self, frame: dict[str, Any], spool: Spool) -> None:
        data = frame.get("data")
        id = data.get("connection_id") if isinstance(data, dict) else None
        if not id or id != self._id:
            if self._heard_at is not None:
                await self._read_back(self._heard_at - SLACK_MS, spool)
            self._places.forget()
        self._id = id if type(id) is str else ""
        self._ready.set()

    async def _take(self, frame: dict[str, Any], spool: Spool) -> None:
        if frame["event"] in CHANGES:
            self._places.forget()
        if frame["event"] in KEPT:
            await self._keep(frame, spool)

    async def _keep(self, event: dict[str, Any], spool: Spool) -> None:
        post = _object(event.get("data", {}).get("post") if isinstance(event.get("data"), dict) else None)
        channel, author = post.get("channel_id"), post.get("user_id")
        place = MattermostPlace()
        if type(channel) is str and type(author) is str and channel and author:
            place = await self._place(channel, author)
        await spool.put(msgspec.json.encode(Kept(event, place, self._id)))

    async def _place(self, channel: str, author: str) -> MattermostPlace:
        for number in range(_TRIES):
            place = MattermostPlace(
                channel=await self._places.channel(channel), author=await self._places.person(author)
            )
            if place.channel.type is not None and place.author.is_bot is not None:
                break
            await asyncio.sleep(0.2 * (number + 1))
        return place

    async def _read_back(self, since: int, spool: Spool) -> None:
        """Every post since a moment, of every channel of ours in which something was said.

        Raises:
            DragomanError: `channel_unreachable`; it is tried again with the next connection.
        """
        for channel in await self._channels():
            if _whole(channel.get("last_post_at")) < since:
                continue
            answer = await self._connection.ask(
                "GET", "channels", str(channel.get("id")), "posts", query={"since": str(since)}
            )
            posts = answer.value.get("posts") if isinstance(answer.value, dict) else None
            found = [post for post in (posts or {}).values() if isinstance(post, dict)]
            for post in sorted(found, key=lambda each: _whole(each.get("create_at"))):
                if _whole(post.get("create_at")) < since or post.get("delete_at"):
                    continue
                data = {"post": msgspec.json.encode(post).decode(), "channel_type": channel.get("type")}
                await self._keep({"event": "posted", "data": data, "read_back": True}, spool)

    async def _channels(self) -> list[dict[str, Any]]:
        teams = await self._connection.ask("GET", "users", "me", "teams")
        found: dict[str, dict[str, Any]] = {}
        for team in teams.value if isinstance(teams.value, list) else []:
            id = str(team.get("id")) if isinstance(team, dict) else ""
            answer = await self._connection.ask("GET", "users", "me", "teams", id, "channels")
            for channel in answer.value if isinstance(answer.value, list) else []:
                if isinstance(channel, dict):
                    found[str(channel.get("id"))] = channel
        return list(found.values())[:MOST_CHANNELS]


async def _first(wanted: asyncio.Future[Any], listening: asyncio.Future[None]) -> Any:
    """What `wanted` comes to, unless listening ends first."""
    try:
        await asyncio.wait({wanted, listening}, return_when=asyncio.FIRST_COMPLETED)
        if wanted.done():
            return wanted.result()
        return listening.result()
    finally:
        if not wanted.done():
            wanted.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await wanted


def _position(batch: Batch) -> str:
    last = batch.arrivals[-1]
    try:
        kept = msgspec.json.decode(last.raw, type=Kept)
    except (msgspec.DecodeError, RecursionError):  # said by whoever reads it; what the server kept is read back
        return f"{batch.position}:{last.received_at}:0:"
    number = _whole(kept.event.get("seq")) + 1 if kept.connection and not kept.event.get("read_back") else 0
    return f"{batch.position}:{last.received_at}:{number}:{kept.connection if number else ''}"


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _object(text: object) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text) if isinstance(text, str | bytes) else None
    except (msgspec.DecodeError, ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _whole(value: object) -> int:
    return value if type(value) is int else 0
