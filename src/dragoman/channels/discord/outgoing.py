"""What may leave by Discord, and the content of what does. Pure.

An operation that is not in the table is refused. A text leaves byte for byte (clients show its markdown), pings nobody
(`allowed_mentions` is empty, the replied-to author included) and opens no preview of a link. A message names the one it
answers; if that one is gone it stands alone.

Discord knows a message again by its nonce for a few minutes only: within `NONCE_KEPT` a repetition is harmless, later
it is not, and `look_up` says so.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.discord.facts import EPOCH
from dragoman.channels.discord.state import is_snowflake
from dragoman.clock import SECOND
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

TEXT_LIMIT: Final = 2_000
"""Characters of a message, and of what stands beside a file."""
OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    Operation.SEND: OperationSpec(SendKey.NATIVE, TEXT_LIMIT, pieces=5),
    # the same text again, and the same mark again, change nothing
    Operation.EDIT: OperationSpec(SendKey.NATIVE, TEXT_LIMIT),
    Operation.UPLOAD: OperationSpec(SendKey.NATIVE, TEXT_LIMIT, carries_text=False, carries={PartKind.FILE: 1}),
    Operation.REACT: OperationSpec(SendKey.NATIVE, 32),
    Operation.TYPING: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
}

NONCE_KEPT: Final = 90 * SECOND
"""How long after a send was decided its nonce is relied on; Discord promises "a few minutes"."""
SUPPRESS_EMBEDS: Final = 1 << 2
NOBODY_PINGED: Final[Mapping[str, Any]] = {"parse": [], "replied_user": False}


def nonce(key: str) -> str:
    """The nonce of an output's key: 24 characters, of the 25 that Discord takes."""
    return base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()[:18]).decode()


def message(output: Output) -> dict[str, Any]:
    """The body of a new message, or of one with a file."""
    said: dict[str, Any] = {
        "content": output.text,
        "allowed_mentions": dict(NOBODY_PINGED),
        "flags": SUPPRESS_EMBEDS,
        "nonce": nonce(output.key),
        "enforce_nonce": True,
    }
    if output.operation is Operation.UPLOAD:
        file = output.parts.files[0]
        said["content"] = file.caption
        said["attachments"] = [{"id": 0, "filename": file.name} | ({"description": file.alt} if file.alt else {})]
    if is_snowflake(output.reply_to):
        said["message_reference"] = {"message_id": output.reply_to, "fail_if_not_exists": False}
    return said


def edit(output: Output) -> dict[str, Any]:
    """The body of a change of our own message."""
    return {"content": output.text, "allowed_mentions": dict(NOBODY_PINGED), "flags": SUPPRESS_EMBEDS}


def id_at(time: int) -> str:
    """The smallest id that Discord gives at a time (epoch ms); history is read from there."""
    return str(max(time - EPOCH, 1) << 22)
