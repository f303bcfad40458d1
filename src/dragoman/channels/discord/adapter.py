"""One Discord application, on discord.py: keeps what the gateway says, carries out outputs, decides nothing.

1. The gateway is read from `events` on. What it says goes into the account's inbox with what is known of its place (the
   library's cache, or one look at an unknown channel, which nobody else sees) before anything is made of it. What was
   said in servers while nobody listened is read back from their channels (`listening.py`).
2. It sends no typing, presence or profile look-up by itself, fetches no members and downloads nothing.
3. A message carries the nonce of its key, which Discord enforces for a few minutes: within that time, and no longer,
   `look_up` says that a repetition is harmless. Discord keeps no nonce with a message, so that later nothing proves it.
4. Delivered is YES only with the id that Discord gave. It is NO only when no byte left, or Discord answered 4xx; a rate
   limit is NO with its time. All else is UNKNOWN.
5. A target is spoken to only if Discord says that the channel is in that server (or is our direct message), a thread
   only if it is under that channel.
6. Chat commands over HTTP are verified over raw bytes (401 else), kept, and answered 202: an answer of the agent is a
   message of the channel, by the door.

Output operations are called from `gate/gate.py` only.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable
from typing import Any, Final
from weakref import WeakValueDictionary

from dragoman.channels.account import Place, Proof
from dragoman.channels.discord.connection import (
    Limited,
    MultipartParameters,
    Refused,
    Unsent,
    Unsure,
    discord,
    once,
)
from dragoman.channels.discord.facts import PLATFORM, facts
from dragoman.channels.discord.listening import Listening, kept
from dragoman.channels.discord.outgoing import NONCE_KEPT, edit, message
from dragoman.channels.discord.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.discord.state import DIRECT, OPEN_THREADS, is_snowflake
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import CHANGING, POINTING, Operation
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target, party
from dragoman.words import Fact

UPLOAD_SPEED: Final = 500_000
"""Bytes a second that a file must make, besides the time of any request."""
_MESSAGES: Final = frozenset({Operation.SEND, Operation.UPLOAD, Operation.EDIT})


class DiscordAccount(Listening):
    """The application of `section`; implements `channels.account.Account`.

    Args:
        section: its configuration.
        token: its bot's token.
        place: clock, inbox and inlet.
        timeout: seconds that one request may take.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(self, section: DiscordSection, token: str, place: Place, *, timeout: float = 15.0) -> None:
        super().__init__(section, token, place, timeout)
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one arrival: it came over our own gateway connection, or its signature was verified."""
        said = kept(raw)
        return facts(said.raw, said.agent, said.place, received_at=received_at, authenticated=Fact.YES)

    async def presence(self, target: Target) -> Presence:
        """Who is there now: the other one in a direct message; in a server whether outsiders may look in, and nobody by
        name (that takes a privileged intent)."""
        unknown = Presence(Fact.UNKNOWN)
        try:
            channel = await self._channel(target.channel, fresh=True)
            if channel is None or not self._is_at(channel, target):
                return unknown
            if target.workspace == self.account:
                others = frozenset(
                    party(PLATFORM, target.workspace, user.get("id")) for user in channel.get("recipients") or ()
                )
                known = all(other.known for other in others)
                return Presence(Fact.NO, others) if others and known else unknown
            server = await self._ask(self._client.http.get_guild(int(target.workspace), with_counts=False))
        except DragomanError:
            return unknown
        features = server.get("features")
        if not isinstance(features, list):
            return unknown
        return Presence(Fact.YES if "DISCOVERABLE" in features else Fact.NO)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        try:
            refusal = await self._refusal(output)
        except DragomanError as failed:
            return Receipt(delivered=Fact.NO, detail=f"nothing was sent: {failed.detail}")
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        channel = output.thread or output.target.channel
        size = sum(len(file.content) for file in output.parts.files)
        try:
            async with self._order.setdefault(channel, asyncio.Lock()):
                answer = await once(self._call(output, int(channel)), self._timeout + size / UPLOAD_SPEED)
        except Limited as limited:
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=self._place.clock.now() + limited.wait)
        except (Refused, Unsent) as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            return Receipt(delivered=Fact.UNKNOWN, detail=str(failed))
        if output.operation not in _MESSAGES:
            return Receipt(delivered=Fact.YES, evidence="status 204")
        id = answer.get("id") if isinstance(answer, dict) and answer.get("channel_id") == channel else None
        if not is_snowflake(id):
            return Receipt(delivered=Fact.UNKNOWN, detail="an answer without the message's id")
        return Receipt(delivered=Fact.YES, evidence=str(id))

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """While the nonce holds a repetition is harmless; later nothing proves it: messages are not kept with it."""
        if 0 <= self._place.clock.now() - minted_at < NONCE_KEPT:
            return Proof(Fact.NO)
        return Proof(Fact.UNKNOWN, gone=True)

    # --- what is asked before, and what is called ---------------------------------------------------------------------

    async def _refusal(self, output: Output) -> str:
        """Why an output cannot be carried out at all, or the empty string.

        Raises:
            DragomanError: where the target is could not be found out.
        """
        operation, target = output.operation, output.target
        if operation not in OPERATIONS:
            return "operation not declared"
        if target.platform != PLATFORM or not all(map(is_snowflake, (target.workspace, target.channel))):
            return "not a channel of Discord"
        if operation in CHANGING and not is_snowflake(output.edits):
            return "nothing to edit"
        if operation in POINTING and not is_snowflake(output.reply_to):
            return "no message to mark"
        if bool(output.parts) != (operation is Operation.UPLOAD) or len(output.parts.files) > 1:
            return "not declared with these parts"
        channel = await self._channel(target.channel)
        if channel is None or not self._is_at(channel, target):
            return "no such channel there"
        if output.thread is None:
            return ""
        thread = await self._channel(output.thread) if is_snowflake(output.thread) else None
        below = thread is not None and thread.get("type") in OPEN_THREADS
        return "" if below and thread is not None and thread.get("parent_id") == target.channel else "no such thread"

    def _is_at(self, channel: dict[str, Any], target: Target) -> bool:
        if channel.get("id") != target.channel:
            return False
        if target.workspace == self.account and channel.get("type") == DIRECT:
            return True
        return channel.get("guild_id") == target.workspace

    def _call(self, output: Output, channel: int) -> Awaitable[Any]:
        http = self._client.http
        match output.operation:
            case Operation.SEND:
                said = MultipartParameters(payload=message(output), multipart=None, files=None)
                return http.send_message(channel, params=said)
            case Operation.UPLOAD:
                return http.send_message(channel, params=_with_file(output))
            case Operation.EDIT:
                said = MultipartParameters(payload=edit(output), multipart=None, files=None)
                return http.edit_message(channel, int(output.edits or 0), params=said)
            case Operation.REACT:
                return http.add_reaction(channel, int(output.reply_to or 0), output.text)
            case _:
                return http.send_typing(channel)


def _with_file(output: Output) -> MultipartParameters:
    """The form of a message with a file: its body, and the bytes under the file's own name."""
    file = output.parts.files[0]
    whole = discord.File(io.BytesIO(file.content), filename=file.name)
    form: list[dict[str, Any]] = [
        {"name": "payload_json", "value": json.dumps(message(output))},
        {"name": "files[0]", "value": whole.fp, "filename": file.name, "content_type": file.media_type},
    ]
    return MultipartParameters(payload=None, multipart=form, files=[whole])
