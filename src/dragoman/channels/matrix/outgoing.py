"""What may leave by Matrix, and the content of what does. Pure.

A file is an event of its own, as `m.image` or `m.file`; its caption, or else its alternative text, is the body. A
reaction is an annotation of the message that it marks.

An operation that is not in the table is refused. Texts go as `m.notice`, the type that other bots do not answer, and
with an empty `m.mentions`, so that nobody is pinged by a name in the text. Only a Matrix event is answered: what a
schedule says points at nothing, and the schedule's own id stays here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.matrix.state import is_id
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import File, PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # An event may have 65,536 bytes, its envelope takes up to 4,000, and a character of text up to 4: any text of this
    # length fits. An edit carries its text twice (for old clients, and as new content).
    Operation.SEND: OperationSpec(SendKey.NATIVE, 15_000, pieces=4),
    Operation.EDIT: OperationSpec(SendKey.NATIVE, 7_500),
    Operation.UPLOAD: OperationSpec(SendKey.NATIVE, 4_000, carries_text=False, carries={PartKind.FILE: 1}),
    Operation.REACT: OperationSpec(SendKey.NATIVE, 32),
    Operation.TYPING: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
    Operation.READ_RECEIPT: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
}


IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What clients show as a picture; everything else is a file to open."""


def content(output: Output, uri: str = "") -> dict[str, Any]:
    """The event content of an output: a notice that mentions nobody, or the file that was put at `uri`; in its thread,
    as a reply, or as a replacement."""
    said: dict[str, Any] = {"msgtype": "m.notice", "body": output.text, "m.mentions": {}}
    if output.operation is Operation.UPLOAD:
        said = _file(output.parts.files[0], uri)
    if output.operation is Operation.EDIT:
        replaced = {"rel_type": "m.replace", "event_id": output.edits}
        return said | {"body": f"* {output.text}", "m.new_content": said, "m.relates_to": replaced}
    answers = is_id(output.reply_to, "$")
    relates: dict[str, Any] = {"m.in_reply_to": {"event_id": output.reply_to}} if answers else {}
    if output.thread:
        # without a message of its own to answer, the pointer is only the fallback for clients that know no threads
        fallback: dict[str, Any] = {"m.in_reply_to": {"event_id": output.thread}, "is_falling_back": True}
        relates = {"rel_type": "m.thread", "event_id": output.thread, **(relates or fallback)}
    return said | ({"m.relates_to": relates} if relates else {})


def reaction(output: Output) -> dict[str, Any]:
    """The event content of a reaction to `reply_to`."""
    return {"m.relates_to": {"rel_type": "m.annotation", "event_id": output.reply_to, "key": output.text}}


def _file(file: File, uri: str) -> dict[str, Any]:
    return {
        "msgtype": "m.image" if file.media_type in IMAGES else "m.file",
        "body": file.caption or file.alt or file.name,
        "filename": file.name,
        "url": uri,
        "info": {"mimetype": file.media_type, "size": len(file.content)},
        "m.mentions": {},
    }
