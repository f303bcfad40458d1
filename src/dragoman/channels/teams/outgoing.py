"""What may leave by Teams, and the activity that carries it. Pure.

Texts go with `textFormat: plain` and without entities: nothing in them is markup, a mention or a card. A channel's
thread is part of the conversation id. `replyToId` is not sent: chats show nothing of it. Teams de-duplicates nothing,
and a bot cannot read messages back. Files need the consent of each person first, and are not declared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.teams.facts import THREAD
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # A message of a bot may have about 100 KB in UTF-16: with four bytes a character any text of this length fits.
    Operation.SEND: OperationSpec(SendKey.NONE, 20_000, pieces=2),
    Operation.EDIT: OperationSpec(SendKey.NONE, 20_000),
    Operation.TYPING: OperationSpec(SendKey.NONE, 0, carries_text=False),
}
_ID: Final = re.compile(r"[A-Za-z0-9][\w.:@=+-]{0,254}", re.ASCII)
"""An id that stays one segment of a path, whatever reads it."""


def conversation(output: Output) -> str:
    """The conversation id of an output, its thread included; empty when it could lead anywhere else."""
    channel, thread = output.target.channel, output.thread or ""
    fits = _ID.fullmatch(channel) and (not thread or _ID.fullmatch(thread))
    return f"{channel}{THREAD}{thread}" if fits and thread else channel if fits else ""


def is_message_id(id: str | None) -> bool:
    """Whether `id` can stand in the path of a request as one message."""
    return id is not None and _ID.fullmatch(id) is not None


def activity(output: Output) -> dict[str, Any]:
    """The activity that says a text, or that somebody types."""
    if output.operation is Operation.TYPING:
        return {"type": "typing"}
    return {"type": "message", "text": output.text, "textFormat": "plain"}
