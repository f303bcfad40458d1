"""`gate.guard(client)` for Slack's SDK and Bolt: the app goes on listening, and speaks by the gate's door only.

1. From here on no method of this client, of the clients that Bolt makes per request, no `say`, `respond` or `ack` with
   words, and no webhook says anything: `fences.py` stops it. The wall lets through what the door carries out by the
   channel that `guard` returns.
2. That channel is the Slack account of the receiver (`adapter.py`) with the client's own token and its own connection.
   Who we are is asked of Slack when it is first needed.
3. `event(body)` reads the facts of an envelope whose signature, or whose socket, the SDK has checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.guarded import own_place
from dragoman.channels.payload import Payload
from dragoman.channels.slack.adapter import SlackChannel
from dragoman.channels.slack.calls import READS, SENDS
from dragoman.channels.slack.connection import Connection
from dragoman.channels.slack.facts import PLATFORM, facts, worth_asking
from dragoman.channels.slack.fences import WALLS, raise_fences, watch_session
from dragoman.channels.slack.outgoing import OPERATIONS
from dragoman.channels.slack.section import SLACK
from dragoman.channels.wall import Wall, Watched
from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target
from dragoman.words import Fact

from slack_sdk.web.async_base_client import AsyncBaseClient  # isort: skip
from slack_sdk.web.base_client import BaseClient  # isort: skip
from slack_sdk.web.legacy_base_client import LegacyBaseClient  # isort: skip

CALLS: Final[Mapping[Operation, tuple[str, ...]]] = {
    Operation.SEND: ("chat.postMessage",),
    Operation.EDIT: ("chat.update",),
    Operation.UPLOAD: ("files.getUploadURLExternal", "files.completeUploadExternal"),
    Operation.REACT: ("reactions.add",),
    Operation.PRIVATE: ("chat.postEphemeral",),
}
"""Which calls one output takes, each once."""
TIMEOUT: Final = 15.0


class SlackDesk:
    """The door of a guarded client; implements `gate.ports.Channel`."""

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, client: Any, wall: Wall, clock: Clock) -> None:
        self._client, self._wall, self._clock = client, wall, clock
        self._channel: SlackChannel | None = None
        self._once = asyncio.Lock()

    async def event(self, body: Mapping[str, Any]) -> Event:
        """The facts of an envelope (Bolt's `body`) that the SDK authenticated.

        Raises:
            DragomanError: as `SlackChannel.open`.
        """
        channel = await self._opened()
        wanted = worth_asking(body, channel.agent)
        lookup = await channel._lookups.about(wanted.channel, wanted.user)
        now = self._clock.now()
        return facts(body, channel.agent, lookup, received_at=now, authenticated=Fact.YES)

    async def presence(self, target: Target) -> Presence:
        """Who is there now (`adapter.py`); unknown while the account cannot be opened."""
        try:
            account = await self._opened()
        except DragomanError:
            return Presence(Fact.UNKNOWN)
        return await account.presence(target)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation, with the calls that it takes. Called by the gate's door only."""
        try:
            account = await self._opened()
        except DragomanError as failed:
            return Receipt(delivered=Fact.NO, detail=f"nothing was sent: {failed.code}")
        return await self._wall.letting(account.perform, CALLS.get(output.operation, ()), output)

    async def close(self) -> None:
        """Close the connection that speaks; the client stays guarded."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None

    async def _opened(self) -> SlackChannel:
        """The account behind the client: its workspace and its app, as Slack names them.

        Raises:
            DragomanError: `not_ready` without a token; as `SlackChannel.open`.
        """
        async with self._once:
            if self._channel is None:
                self._channel = await self._new()
            return self._channel

    async def _new(self) -> SlackChannel:
        token, address = self._client.token, self._client.base_url or SLACK
        if not token:
            raise DragomanError("not_ready", "the client has no token", where="slack", fix="make it with `token=`")
        connection = Connection(address, token, TIMEOUT)
        try:
            me = Payload((await connection.ask("auth.test")).body)
            bot = Payload((await connection.ask("bots.info", bot=me.id("bot_id"))).body).inside("bot")
        finally:
            await connection.close()
        team, app = me.id("team_id"), bot.id("app_id") or me.id("app_id")
        if not team or not app:
            raise DragomanError("channel_refused", "not a bot's token", where="slack", fix="use the bot's token")
        channel = SlackChannel(team, app, token, api_url=address, clock=self._clock)
        try:
            await channel.open()
        except BaseException:
            await channel.close()
            raise
        return channel


def guard(gate: Watched, client: Any) -> SlackDesk:
    """See the top of this file; `client` is a `WebClient`, an `AsyncWebClient`, or an app of Bolt.

    Raises:
        DragomanError: `conflict` when the client is guarded already; `input_invalid` for what has no client;
            `not_ready` for a version of the SDK that sends by another way.
    """
    kinds = (BaseClient, AsyncBaseClient, LegacyBaseClient)
    speaks = client if isinstance(client, kinds) else getattr(client, "client", None)
    if not isinstance(speaks, kinds):
        raise DragomanError(
            "input_invalid", f"`{type(client).__name__}` has no client", where="slack", fix="guard `app.client`"
        )
    raise_fences()
    wall = Wall(PLATFORM, READS, SENDS, gate)
    WALLS.build(speaks, lambda: (speaks.token,), wall)
    watch_session(getattr(speaks, "session", None), speaks.base_url, wall)
    return SlackDesk(speaks, wall, own_place(gate).clock)
