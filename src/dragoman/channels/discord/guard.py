"""`gate.guard(client)` for a discord.py client: the client goes on listening, and speaks by the gate's door only.

1. From here on no call of this client, of its models, of a webhook, or of another client with its token says anything:
   `fences.py` stops it. The wall lets through what the door carries out by the channel that `guard` returns.
2. That channel is the Discord account of the receiver (`adapter.py`) with the client's own token and its own
   connection, logged in when it is first needed: the client's token is known after its login.
3. `event(message)` is what the gateway said of a message, kept for a while as it came: the library's objects leave out
   what facts are read from.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.account import Place
from dragoman.channels.discord.adapter import DiscordAccount
from dragoman.channels.discord.calls import READS, SENDS
from dragoman.channels.discord.connection import discord
from dragoman.channels.discord.facts import CREATED, INTERACTION, PLATFORM, UPDATED
from dragoman.channels.discord.fences import WALLS, raise_fences, watch_session
from dragoman.channels.discord.outgoing import OPERATIONS
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.guarded import own_place
from dragoman.channels.wall import Wall, Watched
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target
from dragoman.words import Fact

KEPT: Final = 1_000
"""How many messages are kept as they came, for `event`."""
_MESSAGE: Final = "POST /channels/{channel_id}/messages"
CALLS: Final[Mapping[Operation, tuple[str, ...]]] = {
    Operation.SEND: (_MESSAGE,),
    Operation.UPLOAD: (_MESSAGE,),
    Operation.EDIT: ("PATCH /channels/{channel_id}/messages/{message_id}",),
    Operation.REACT: ("PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me",),
    Operation.TYPING: ("POST /channels/{channel_id}/typing",),
}
"""Which calls one output takes, each once."""


class _Speaker(DiscordAccount):
    """The account behind a client: its connection is its own, and what it knows of servers is the client's."""

    def __init__(self, section: DiscordSection, token: str, place: Place, listener: discord.Client) -> None:
        super().__init__(section, token, place)
        self._listener = listener

    async def heard(self, raw: dict[str, Any], received_at: int) -> Event:
        """The facts of what the client heard."""
        return self.event(await self._with_place(raw), received_at)

    def _server(self, guild_id: int) -> discord.Guild | None:
        return self._listener.get_guild(guild_id)


class DiscordDesk:
    """The door of a guarded client; implements `gate.ports.Channel`."""

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, client: discord.Client, wall: Wall, place: Place) -> None:
        self._client, self._wall, self._place = client, wall, place
        self._account: _Speaker | None = None
        self._once = asyncio.Lock()
        self._heard: OrderedDict[str, dict[str, Any]] = OrderedDict()
        parsers = client._connection.parsers
        for name in (CREATED, UPDATED, INTERACTION):
            parsers[name] = self._hearing(name, parsers[name])

    async def event(self, message: discord.Message | discord.Interaction) -> Event:
        """The facts of a message, or of a chat command, that the client's own gateway brought.

        Raises:
            DragomanError: `not_found` when it did not come by this client, or too long ago.
        """
        raw = self._heard.get(str(message.id))
        if raw is None:
            raise DragomanError("not_found", f"message {message.id} was not heard by this client", where="discord")
        return await (await self._opened()).heard(raw, self._place.clock.now())

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
        if self._account is not None:
            await self._account.close()
            self._account = None

    async def _opened(self) -> _Speaker:
        """The account behind the client.

        Raises:
            DragomanError: `not_ready` before the client has logged in; as `DiscordAccount.open`.
        """
        async with self._once:
            if self._account is None:
                self._account = await self._new()
            return self._account

    async def _new(self) -> _Speaker:
        token, application = self._client.http.token, self._client.application_id
        if not token or not application:
            raise DragomanError("not_ready", "the client has not logged in", where="discord", fix="log in first")
        section = DiscordSection(application_id=str(application), token_file="-")  # noqa: S106
        account = _Speaker(section, token, self._place, self._client)
        await account.open()
        return account

    def _hearing(self, name: str, parse: Callable[[Any], None]) -> Callable[[Any], None]:
        def heard(said: Any) -> None:
            if isinstance(said, dict) and isinstance(said.get("id"), str):
                self._heard[said["id"]] = {"t": name, "d": msgspec.json.decode(msgspec.json.encode(said))}
                while len(self._heard) > KEPT:
                    self._heard.popitem(last=False)
            parse(said)

        return heard


def guard(gate: Watched, client: discord.Client) -> DiscordDesk:
    """See the top of this file.

    Raises:
        DragomanError: `conflict` when the client is guarded already; `not_ready` for a version of the SDK that sends by
            another way.
    """
    raise_fences()
    wall = Wall(PLATFORM, READS, SENDS, gate)
    WALLS.build(client.http, lambda: (client.http.token,), wall)
    watch_session(client, wall)
    return DiscordDesk(client, wall, own_place(gate))
