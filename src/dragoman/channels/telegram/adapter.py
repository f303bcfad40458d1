"""One Telegram bot, on python-telegram-bot: carries out outputs, decides nothing. `updates.py` reads.

1. Delivered is YES only with Telegram's answer, NO only when no byte left or Telegram answered 4xx; all else, 5xx and
   cut connections included, is UNKNOWN. That an edit changes nothing is a YES: the text stands there.
2. What becomes a message of one chat goes in order, and not faster than Telegram lets it.
3. Telegram cannot be asked what became of a message, and no send of ours is ever repeated here.
4. Who is in a group is known only where all of it are our colleagues.

Output operations are called from the gate's door only.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final

from telegram import InputFile, LinkPreviewOptions, MessageEntity, ReactionTypeEmoji, ReplyParameters

from dragoman.channels.account import Batch, Place, Proof
from dragoman.channels.telegram.connection import Answer, Connection, Denied, Unsent
from dragoman.channels.telegram.facts import PLATFORM
from dragoman.channels.telegram.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.telegram.outgoing import SAID, SPACING, chat_id, message_id, names, place, refusal, text_of
from dragoman.channels.telegram.section import TelegramSection
from dragoman.channels.telegram.state import ChatState
from dragoman.channels.telegram.updates import Updates
from dragoman.clock import SECOND
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

_MOST_PACED: Final = 100


class TelegramAccount:
    """The bot of `section`; implements `channels.account.Account`.

    Args:
        section: the configuration.
        token, secret: what its private files hold; an empty secret is none.
        place: what the account is given.
        timeout: seconds that one request may take.
        wait: seconds that Telegram may hold a request for news open.
        spacing: milliseconds between two messages in one chat.

    Raises:
        DragomanError: `config_invalid`, as `Connection`, or for a secret that Telegram would not take.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(
        self,
        section: TelegramSection,
        token: str,
        secret: str,
        place: Place,
        *,
        timeout: float = 15.0,
        wait: int = 30,
        spacing: int = SPACING,
    ) -> None:
        self._section, self._clock = section, place.clock
        self._connection = Connection(section.api_url, token, section.bot_id, timeout)
        self._updates = Updates(section, secret, self._connection, place, wait)
        self._pace = _Pace(spacing)

    @property
    def name(self) -> str:
        """`telegram:` and our bot's id."""
        return self._updates.name

    async def open(self) -> None:
        """See that the token is the bot's, and by which name it is mentioned.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        await self._updates.open()

    async def close(self) -> None:
        """Close every connection."""
        await self._connection.close()
        self._updates.close()

    def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out.

        Raises:
            DragomanError: `channel_refused` when Telegram does not know our token any more; `inbox_broken`.
        """
        return self._updates.read(since)

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one arrival; our own connection, or the secret of its call, authenticated it."""
        return self._updates.event(raw, received_at)

    async def presence(self, target: Target) -> Presence:
        """Who reads there now: of a one-to-one its person; of a group only whether all are colleagues (spec 1 §2)."""
        id = chat_id(target.channel)
        if (target.platform, target.workspace) != (PLATFORM, self._section.account) or id is None:
            return Presence(Fact.UNKNOWN)
        if id > 0:
            return Presence(Fact.NO, frozenset({party(PLATFORM, target.workspace, target.channel)}))
        state = await self._updates.chat(target.channel) if self._section.colleagues else ChatState()
        if state.only_ours is None:
            return Presence(Fact.UNKNOWN)
        if not state.only_ours:
            return Presence(Fact.YES)
        ours = frozenset(party(PLATFORM, target.workspace, str(user)) for user in state.colleagues or ())
        return Presence(Fact.NO, ours)

    # --- out ---------------------------------------------------------------------------------------------------------

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        why = refusal(output, self._section.account)
        if why:
            return Receipt(delivered=Fact.NO, detail=why)
        turn = self._pace.turn(output.target.channel) if output.operation in SAID else contextlib.nullcontext()
        async with turn:
            try:
                return Receipt(delivered=Fact.YES, evidence=await self._call(output))
            except Unsent as failed:
                return Receipt(delivered=Fact.NO, detail=failed.message)
            except Denied as denied:
                return self._denied(output, denied.answer)
            except Exception as failed:  # noqa: BLE001  an answer that the SDK cannot read proves nothing
                return Receipt(delivered=Fact.UNKNOWN, detail=type(failed).__name__)

    async def _call(self, output: Output) -> str:
        """The one call of the SDK that an operation is; the evidence of its answer."""
        sdk, chat = self._connection.sdk, chat_id(output.target.channel)
        marks = [MessageEntity("code", offset, length) for offset, length in names(text_of(output))] or None
        quiet = LinkPreviewOptions(is_disabled=True)
        match output.operation:
            case Operation.SEND:
                sent = await sdk.send_message(
                    **_where(output), text=output.text, entities=marks, link_preview_options=quiet
                )
                return str(sent.message_id)
            case Operation.EDIT:
                await sdk.edit_message_text(
                    output.text, chat, message_id(output.edits), entities=marks, link_preview_options=quiet
                )
                return str(output.edits)
            case Operation.UPLOAD:
                (file,) = output.parts.files
                sent = await sdk.send_document(
                    **_where(output),
                    document=InputFile(file.content, filename=file.name),
                    caption=text_of(output) or None,
                    caption_entities=marks,
                    disable_content_type_detection=True,
                )
                return str(sent.message_id)
            case Operation.REACT:
                await sdk.set_message_reaction(
                    chat or 0, message_id(output.reply_to) or 0, ReactionTypeEmoji(output.text)
                )
                return str(output.reply_to)
            case _:
                await sdk.send_chat_action(**place(output), action="typing")
                return "accepted"

    def _denied(self, output: Output, answer: Answer) -> Receipt:
        if answer.status == 429:
            wait = max(1, answer.parameters.retry_after or 1) * SECOND
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=self._clock.now() + wait)
        if output.operation is Operation.EDIT and "message is not modified" in answer.description:
            return Receipt(delivered=Fact.YES, evidence=str(output.edits))
        moved = answer.parameters.migrate_to_chat_id is not None
        detail = "the group has another id now; list it as a new target" if moved else f"refused: {answer.status}"
        return Receipt(delivered=Fact.NO, detail=detail)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Telegram cannot be asked what became of a message."""
        return Proof(Fact.UNKNOWN, gone=True)


class _Pace:
    """Messages of one chat one after the other, `spacing` milliseconds apart."""

    def __init__(self, spacing: int) -> None:
        self._spacing = spacing / SECOND
        self._order: dict[str, asyncio.Lock] = {}
        self._next: dict[str, float] = {}

    @contextlib.asynccontextmanager
    async def turn(self, channel: str) -> AsyncIterator[None]:
        """The turn of one message."""
        clock = asyncio.get_running_loop().time
        async with self._order.setdefault(channel, asyncio.Lock()):
            await asyncio.sleep(max(0.0, self._next.get(channel, 0.0) - clock()))
            try:
                yield
            finally:
                self._next[channel] = clock() + self._spacing
        if len(self._next) > _MOST_PACED:
            self._forget(clock())

    def _forget(self, now: float) -> None:
        for channel in [each for each, at in self._next.items() if at < now and not self._order[each].locked()]:
            del self._next[channel], self._order[channel]


def _where(output: Output) -> dict[str, Any]:
    """Where a new message goes, and what it answers."""
    answers = message_id(output.reply_to)
    pointer = ReplyParameters(answers, allow_sending_without_reply=True) if answers else None
    return {**place(output), "reply_parameters": pointer}
