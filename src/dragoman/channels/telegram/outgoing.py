"""What may leave by Telegram, and the arguments of the call that it leaves by. Pure.

1. An operation that is not in the table is refused. Telegram de-duplicates nothing, so no operation has a native key.
2. Lengths are Telegram's, in UTF-16 code units: a character takes up to two, and half as many always fit.
3. A text goes without a parse mode: nothing in it is read as markup. No link is previewed. A name in it would call
   whoever has it; it is shown as code, which calls nobody and changes no character.
4. A file goes as a document, byte for byte; as a photo Telegram would make another picture of it. Its caption, or else
   its alternative text, comes with it.
5. Only a message of Telegram's is answered: what a schedule says points at nothing, and the schedule's own id stays
   here. If the message that is answered is gone by then, the answer is said all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from dragoman.gate.operations import CHANGING, Operation, OperationSpec
from dragoman.gate.parts import PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    Operation.SEND: OperationSpec(SendKey.NONE, 2_048, pieces=8),
    Operation.EDIT: OperationSpec(SendKey.NONE, 2_048),
    Operation.UPLOAD: OperationSpec(SendKey.NONE, 512, carries_text=False, carries={PartKind.FILE: 1}),
    Operation.REACT: OperationSpec(SendKey.NONE, 16),
    Operation.TYPING: OperationSpec(SendKey.NONE, 0, carries_text=False),
}
SAID: Final = frozenset({Operation.SEND, Operation.EDIT, Operation.UPLOAD})
"""What Telegram counts as messages of a chat; between two of them `SPACING` must pass."""
SPACING: Final = 1_000
"""Milliseconds."""

_CHAT: Final = re.compile(r"-?[1-9][0-9]{0,17}\Z")
_MESSAGE: Final = re.compile(r"[1-9][0-9]{0,17}\Z")
_NAME: Final = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9_]+")


def chat_id(channel: str) -> int | None:
    """The chat that a channel names, or None: a business chat, or no id of ours at all."""
    return int(channel) if _CHAT.match(channel) else None


def message_id(id: str | None) -> int | None:
    """The message or topic that an id names, or None."""
    return int(id) if id and _MESSAGE.match(id) else None


def names(text: str) -> list[tuple[int, int]]:
    """Where `text` names somebody: offset and length in UTF-16 code units."""
    found, units, at = [], 0, 0
    for name in _NAME.finditer(text):
        units += _units(text[at : name.start()])
        found.append((units, _units(name[0])))
        units, at = units + found[-1][1], name.end()
    return found


def refusal(output: Output, bot_id: str) -> str:
    """Why an output cannot be carried out at all, or the empty string."""
    operation, target = output.operation, output.target
    if operation not in OPERATIONS:
        return "operation not declared"
    if (target.platform, target.workspace) != ("telegram", bot_id) or chat_id(target.channel) is None:
        return "not a chat of this account"
    if operation in CHANGING and message_id(output.edits) is None:
        return "nothing to edit"
    if operation is Operation.REACT and message_id(output.reply_to) is None:
        return "no message to react to"
    if bool(output.parts) != (operation is Operation.UPLOAD) or len(output.parts.files) > 1:
        return "not declared with these parts"
    if output.thread and message_id(output.thread) is None:
        return "no such topic"
    return ""


def text_of(output: Output) -> str:
    """What is said: the text, or what is shown beside the file."""
    if output.operation is not Operation.UPLOAD:
        return output.text
    (file,) = output.parts.files
    return file.caption or file.alt


def place(output: Output) -> dict[str, Any]:
    """The arguments that say where a new message goes."""
    topic = message_id(output.thread)
    return {"chat_id": chat_id(output.target.channel), **({"message_thread_id": topic} if topic else {})}


def _units(text: str) -> int:
    return sum(1 if char < "\U00010000" else 2 for char in text)
