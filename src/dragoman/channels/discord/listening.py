"""The hearing half of a Discord account: logs in, reads the gateway and signed requests, keeps it. Sends nothing.

1. Whatever says something (`facts.READ`) is put into the inbox in the order in which it came, together with what is
   known of its place; a deletion of many is kept as many deletions. Nothing else is kept.
2. Outages are waited out with growing waits; what Discord says is not to be tried again ends the reading.
3. A session that goes on brings what was said meanwhile. Before a new one the channels of servers are read from the
   newest message that was kept, at most a day back; a copy is known by its key. Direct messages, edits and commands of
   that time are not told by anybody. The position names both: the inbox's, and the newest message.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from typing import Any, Final

import msgspec

from dragoman.channels.account import Batch, Place
from dragoman.channels.address import LONGEST_WAIT, pause
from dragoman.channels.discord.connection import FAILURES, Client, discord, intents, told
from dragoman.channels.discord.facts import CREATED, DELETED, INTERACTION, READ
from dragoman.channels.discord.outgoing import id_at
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.discord.state import (
    ChannelState,
    DiscordAgent,
    PlaceState,
    RoleState,
    RoleTags,
    is_snowflake,
)
from dragoman.channels.discord.verify import verify
from dragoman.channels.inlet import Answer, Request
from dragoman.channels.spool import Spool
from dragoman.clock import DAY
from dragoman.errors import DragomanError
from dragoman.words import Fact

DELETED_MANY, BEGUN = "MESSAGE_DELETE_BULK", "READY"
_REFUSED: Final = frozenset({4004, 4010, 4011, 4012, 4013, 4014})
"""Close codes after which Discord says not to connect again: token, shard, version, intents."""
_MOST_CHANNELS: Final = 10_000
_PAGE, _PAGES, _CATCH_UP = 100, 10, 60.0
"""Messages of a request, requests of a channel, and seconds, that reading back may take."""
_PONG: Final = Answer(body=b'{"type":1}', content_type="application/json")


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One arrival in the inbox: the event, what is known of its place, and who we are."""

    raw: dict[str, Any]
    place: PlaceState | None
    agent: DiscordAgent


def kept(raw: bytes) -> Kept:
    """The arrival that was kept as `raw`."""
    return msgspec.json.decode(raw, type=Kept)


class Listening:
    """See the top of this file; `DiscordAccount` adds speaking."""

    def __init__(self, section: DiscordSection, token: str, place: Place, timeout: float) -> None:
        self.name = f"discord:{section.account}"
        self.account = section.account
        self._section, self._token, self._place, self._timeout = section, token, place, timeout
        self._agent = DiscordAgent(user_id=section.account, public_key=section.public_key)
        self._heard: asyncio.Queue[str | None] = asyncio.Queue()
        self._newest = self._behind = int(id_at(place.clock.now()))
        """The newest message that was kept, and that of when the present session began."""
        self._channels: dict[str, dict[str, Any]] = {}
        self._client = self._new_client()

    async def open(self) -> None:
        """Log in, and see that the token is the application's.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        try:
            async with asyncio.timeout(self._timeout):
                await self._client.login(self._token)
        except FAILURES as failed:
            await self.close()
            raise told(failed) from failed
        user = self._client.user
        if user is None or str(self._client.application_id) != self.account:
            await self.close()
            raise DragomanError(
                "channel_refused",
                f"the token is of application {self._client.application_id}",
                where="discord",
                fix="name that application in `application_id`, or write its bot's token",
            )
        self._agent = msgspec.structs.replace(self._agent, user_id=str(user.id), application_id=self.account)

    async def close(self) -> None:
        """Close every connection."""
        with contextlib.suppress(*FAILURES):
            await self._client.close()

    async def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when Discord does not take us any more; `inbox_broken`.
        """
        spool = self._place.spool(self.name)
        at, _, newest = (since or "").partition(" ")
        self._newest = int(newest or id_at(self._place.clock.now()))
        read_up_to = self._newest
        tasks: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(self._gateway()),
            asyncio.ensure_future(self._keep(spool)),
        ]
        try:
            if self._section.public_key:
                self._place.inlet.on("POST", f"/discord/{self.account}", self._signed(spool))
                await self._place.inlet.start()
            if since is None:  # from here on nothing is history
                yield Batch((), f"0 {read_up_to}")
            batches = spool.read(at or None)
            while True:
                reading = asyncio.ensure_future(anext(batches))
                tasks.append(reading)
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                tasks.remove(reading)
                if not reading.done():
                    reading.cancel()
                    next(task for task in tasks if task.done()).result()
                batch = reading.result()
                read_up_to = max([read_up_to, *(_kept_id(arrival.raw) for arrival in batch.arrivals)])
                yield Batch(batch.arrivals, f"{batch.position} {read_up_to}")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            spool.close()

    # --- the gateway --------------------------------------------------------------------------------------------------

    def _new_client(self) -> Client:
        asked = intents(message_content=self._section.message_content)
        return Client(self._heard.put_nowait, api_url=self._section.api_url, intents=asked)

    async def _gateway(self) -> None:
        """Stay connected; ends only with what Discord refuses for good."""
        failures = 0
        while True:
            began = self._place.clock.now()
            try:
                await self._client.connect(reconnect=True)
            except discord.PrivilegedIntentsRequired as refused:
                raise DragomanError(
                    "channel_refused",
                    "the message content intent is not switched on",
                    where="discord",
                    fix="switch it on under Bot in the developer portal, or set `message_content = false`",
                ) from refused
            except discord.ConnectionClosed as closed:
                if closed.code in _REFUSED:
                    raise DragomanError("channel_refused", f"gateway code {closed.code}", where="discord") from closed
            except Exception as failed:  # noqa: BLE001  whatever stopped the library's reading, the account goes on
                self._place.report(told(failed))
            failures = 0 if self._place.clock.now() - began > 1_000 * LONGEST_WAIT else failures + 1
            await self._again(failures)

    async def _again(self, failures: int) -> None:
        """A new client instead of one that gave up, as soon as one can log in."""
        while True:
            await asyncio.sleep(pause(failures))
            await self.close()
            self._client = self._new_client()
            try:
                await self.open()
            except DragomanError as failed:
                if failed.code == "channel_refused":
                    raise
                failures += 1
                continue
            return

    async def _keep(self, spool: Spool) -> None:
        """Put what was heard into the inbox, in order."""
        while True:
            heard = await self._heard.get()
            if heard is None:
                await self._catch_up(spool)
            for raw in _events(heard or "{}"):
                if raw["t"] == BEGUN:
                    self._behind = self._newest
                    continue
                await self._put(spool, await self._with_place(raw))
                self._newest = max(self._newest, _message_id(raw))

    async def _catch_up(self, spool: Spool) -> None:
        """Keep what was said in servers since the newest message that was kept before this session."""
        after = max(self._behind, int(id_at(self._place.clock.now() - DAY)))
        try:
            async with asyncio.timeout(_CATCH_UP):
                for guild in self._client.guilds:
                    for channel in (*guild.channels, *guild.threads):
                        if (getattr(channel, "last_message_id", None) or 0) > after:
                            await self._read_back(spool, str(guild.id), channel.id, after)
        except (TimeoutError, DragomanError) as failed:
            self._place.report(told(failed))

    async def _read_back(self, spool: Spool, guild_id: str, channel_id: int, after: int) -> None:
        found: dict[int, dict[str, Any]] = {}
        for _ in range(_PAGES):
            before = min(found, default=None)
            try:
                page = await self._ask(self._client.http.logs_from(channel_id, _PAGE, before=before))
            except DragomanError as failed:
                if failed.code == "channel_refused":  # a channel that we may not read
                    break
                raise
            raws = [{"t": CREATED, "d": {**said, "guild_id": guild_id}} for said in page if isinstance(said, dict)]
            newer = {id: raw for raw in raws if (id := _message_id(raw)) > after and id not in found}
            found |= newer
            if len(newer) < _PAGE:
                break
        for _, raw in sorted(found.items()):
            await self._put(spool, await self._with_place(raw))

    async def _put(self, spool: Spool, raw: bytes) -> None:
        """Keep one arrival, however long there is no room for it: the gateway will not say it again."""
        wait = 1.0
        while True:
            try:
                await spool.put(raw)
            except DragomanError as failed:
                self._place.report(failed)
                await asyncio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT)
            else:
                return

    async def _with_place(self, raw: dict[str, Any]) -> bytes:
        return msgspec.json.encode(Kept(raw=raw, place=await self._known_of(raw["d"]), agent=self._agent))

    async def _known_of(self, said: dict[str, Any]) -> PlaceState | None:
        """What is known of the place of an event: of a server from the library's cache, of a channel by one look."""
        guild_id, channel_id = said.get("guild_id"), said.get("channel_id")
        if not is_snowflake(channel_id):
            return None
        guild = self._server(int(str(guild_id))) if is_snowflake(guild_id) else None
        if guild is None:
            return PlaceState(channel=await self._looked_at(str(channel_id)))
        channel = guild.get_channel_or_thread(int(str(channel_id)))
        own = guild.self_role
        roles = (
            () if own is None else (RoleState(id=str(own.id), managed=True, tags=RoleTags(bot_id=self._agent.user_id)),)
        )
        parent = getattr(channel, "parent_id", None)
        known = None
        if channel is not None:
            known = ChannelState(id=str(channel.id), type=channel.type.value, parent_id=str(parent) if parent else None)
        return PlaceState(
            channel=known or await self._looked_at(str(channel_id)), roles=roles, features=frozenset(guild.features)
        )

    def _server(self, guild_id: int) -> discord.Guild | None:
        """A server as the client that listens knows it."""
        return self._client.get_guild(guild_id)

    async def _looked_at(self, channel_id: str) -> ChannelState | None:
        try:
            found = await self._channel(channel_id)
            return msgspec.convert({name: (found or {}).get(name) for name in _NAMED}, ChannelState)
        except (DragomanError, msgspec.ValidationError):
            return None

    # --- signed requests ----------------------------------------------------------------------------------------------

    def _signed(self, spool: Spool) -> Any:
        async def handler(request: Request) -> Answer:
            now = self._place.clock.now()
            if verify(request.headers, request.body, request.received_at, now, self._agent) is not Fact.YES:
                return Answer(status=401)
            try:
                said = msgspec.json.decode(request.body, type=dict[str, Any])
            except (msgspec.DecodeError, RecursionError):
                return Answer(status=400)
            if said.get("type") == 1:
                return _PONG
            await spool.put(await self._with_place({"t": INTERACTION, "d": said}))
            return Answer(status=202)

        return handler

    # --- questions ----------------------------------------------------------------------------------------------------

    async def _ask(self, request: Awaitable[Any]) -> Any:
        """One reading request; the library waits for its rate limits, within the time-out.

        Raises:
            DragomanError: `channel_refused` for 4xx, else `channel_unreachable`.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await request
        except FAILURES as failed:
            raise told(failed) from failed

    async def _channel(self, channel_id: str, *, fresh: bool = False) -> dict[str, Any] | None:
        """A channel as Discord describes it, or None if there is no such one for us; what it is never changes.

        Raises:
            DragomanError: `channel_unreachable`.
        """
        if not is_snowflake(channel_id):
            return None
        if not fresh and channel_id in self._channels:
            return self._channels[channel_id]
        try:
            found = await self._ask(self._client.http.get_channel(int(channel_id)))
        except DragomanError as failed:
            if failed.code == "channel_refused":
                return None
            raise
        if not isinstance(found, dict):
            return None
        if len(self._channels) >= _MOST_CHANNELS:
            self._channels.clear()
        self._channels[channel_id] = dict(found)
        return self._channels[channel_id]


_NAMED: Final = ("id", "type", "parent_id", "guild_id")


def _events(text: str) -> list[dict[str, Any]]:
    """The events in one text of the gateway that are worth keeping."""
    try:
        whole = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return []
    name, said = whole.get("t"), whole.get("d")
    if not isinstance(said, dict):
        return []
    if name == DELETED_MANY and isinstance(said.get("ids"), list):
        place = {key: said[key] for key in ("channel_id", "guild_id") if key in said}
        return [{"t": DELETED, "d": {"id": id, **place}} for id in said["ids"]]
    return [{"t": name, "d": said}] if name in READ or name == BEGUN else []


def _kept_id(raw: bytes) -> int:
    """The id of a new message that was kept; 0 for one that cannot be read: its reader says so."""
    try:
        return _message_id(kept(raw).raw)
    except (msgspec.DecodeError, RecursionError):
        return 0


def _message_id(raw: dict[str, Any]) -> int:
    """The id of a new message, by which later ones are larger; 0 for anything else."""
    id = raw["d"].get("id") if raw.get("t") == CREATED and isinstance(raw.get("d"), dict) else None
    return int(str(id)) if is_snowflake(id) else 0
