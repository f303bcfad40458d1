"""What may leave by Matrix, and the content of what does. Pure.

An operation that is not in the table is refused. Texts go as `m.notice`, the type that other bots do not answer, and
with an empty `m.mentions`, so that nobody is pinged by a name in the text. Only a Matrix event is answered: what a
schedule says points at nothing, and the schedule's own id stays here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.matrix.state import is_id
from dragoman.gate.ports import Operation, OperationSpec, Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    # An event may have 65,536 bytes, its envelope takes up to 4,000, and a character of text up to 4: any text of this
    # length fits. An edit carries its text twice (for old clients, and as new content).
    Operation.SEND: OperationSpec(SendKey.NATIVE, 15_000),
    Operation.EDIT: OperationSpec(SendKey.NATIVE, 7_500),
    Operation.TYPING: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
    Operation.READ_RECEIPT: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
}


def content(output: Output) -> dict[str, Any]:
    """The event content of a text: a notice that mentions nobody, in its thread, as a reply, or as a replacement."""
    said: dict[str, Any] = {"msgtype": "m.notice", "body": output.text, "m.mentions": {}}
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
