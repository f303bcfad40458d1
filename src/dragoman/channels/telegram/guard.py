"""`gate.guard(bot)` for python-telegram-bot: the bot goes on listening, and speaks by the gate's door only.

1. From here on no method of this bot, no shortcut (`message.reply_text`), and no other bot with its token says
   anything: `fences.py` stops it. The wall lets through what the door carries out by the channel that `guard` returns.
2. That channel is the Telegram account of the receiver (`adapter.py`) with the bot's own token and its own connection.
3. `event(update)` reads the facts of an update that the bot's own polling brought. With a webhook, give the library a
   `secret_token`: without one anybody who knows the address can write what it hands out, and no guard can tell.
4. Groups are external: who in them is a colleague is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.guarded import own_place
from dragoman.channels.telegram.adapter import TelegramAccount
from dragoman.channels.telegram.calls import READS, SENDS
from dragoman.channels.telegram.facts import PLATFORM
from dragoman.channels.telegram.fences import WALLS, raise_fences, watch_clients
from dragoman.channels.telegram.outgoing import OPERATIONS
from dragoman.channels.telegram.section import TelegramSection
from dragoman.channels.wall import Wall, Watched
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target

from telegram import Bot, Update  # isort: skip

CALLS: Final[Mapping[Operation, tuple[str, ...]]] = {
    Operation.SEND: ("sendMessage",),
    Operation.EDIT: ("editMessageText",),
    Operation.UPLOAD: ("sendDocument",),
    Operation.REACT: ("setMessageReaction",),
    Operation.TYPING: ("sendChatAction",),
}
"""Which calls one output takes, each once."""


class TelegramDesk:
    """The door of a guarded bot; implements `gate.ports.Channel`."""

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, account: TelegramAccount, wall: Wall) -> None:
        self._account, self._wall = account, wall

    async def event(self, update: Update) -> Event:
        """The facts of an update that the bot's own library brought.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable` when our own name could not be asked for.
        """
        updates = self._account._updates
        await updates._known()
        arrival = await updates._arrival(msgspec.Raw(update.to_json().encode()))
        return self._account.event(arrival.raw, arrival.received_at)

    async def presence(self, target: Target) -> Presence:
        """Who is there now (`adapter.py`)."""
        return await self._account.presence(target)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation, with the calls that it takes. Called by the gate's door only."""
        return await self._wall.letting(self._account.perform, CALLS.get(output.operation, ()), output)

    async def close(self) -> None:
        """Close the connection that speaks; the bot stays guarded."""
        await self._account.close()


def guard(gate: Watched, client: Any) -> TelegramDesk:
    """See the top of this file; `client` is a `Bot`, an `ExtBot` or an `Application`.

    Raises:
        DragomanError: `conflict` when the bot is guarded already; `input_invalid` for what has no bot; `config_invalid`
            for an address that is not `…/bot<token>`; `not_ready` for a version that sends by another way.
    """
    bot = client if isinstance(client, Bot) else getattr(client, "bot", None)
    if not isinstance(bot, Bot):
        raise DragomanError("input_invalid", "not a bot", where="telegram", fix="guard the `Bot` or the `Application`")
    address, _, token = bot.base_url.rpartition("/bot")
    if token != bot.token or not address:
        raise DragomanError("config_invalid", "`base_url` does not end in /bot and the token", where="telegram")
    raise_fences(bot)
    wall = Wall(PLATFORM, READS, SENDS, gate)
    section = TelegramSection(bot_id=_number(token), token_file="-", api_url=address)  # noqa: S106
    account = TelegramAccount(section, token, "", own_place(gate))
    WALLS.build(bot, lambda: (token,), wall)
    watch_clients(bot, wall)
    return TelegramDesk(account, wall)


def _number(token: str) -> int:
    number = token.partition(":")[0]
    if not number.isascii() or not number.isdigit() or len(number) > 15:
        raise DragomanError("config_invalid", "the token does not begin with the bot's id", where="telegram")
    return int(number)
