"""What may leave by Mattermost, and the content of what does. Pure.

1. An operation that is not in the table is refused. A post has at most 16,383 code points.
2. The server forgets a `pending_post_id` after 30 seconds and with its process, so that a send key is not native. Every
   post carries its key as a property instead, by which it can be found again.
3. A text leaves as it was said. The server reads Markdown and links in it, which it lets nobody switch off; it rings
   those whose `@name` stands in it. It would ring everybody for `@all`, `@channel` or `@here`: such a text is refused.
4. A reaction is a name there: those of the marks in `MARKS`; another mark is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.mattermost.live import calls_everybody
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

KEY: Final = "dragoman_key"
"""The property of a post that holds the key of its output."""
OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    Operation.SEND: OperationSpec(SendKey.NONE, 16_383, pieces=4),
    Operation.EDIT: OperationSpec(SendKey.NONE, 16_383),
    Operation.UPLOAD: OperationSpec(SendKey.NONE, 4_000, carries_text=False, carries={PartKind.FILE: 1}),
    Operation.REACT: OperationSpec(SendKey.NATIVE, 16),
    Operation.TYPING: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
}
"""A reaction that stands already is not made a second time."""
MARKS: Final = {
    "👍": "+1",
    "👎": "-1",
    "✅": "white_check_mark",
    "❌": "x",
    "👀": "eyes",
    "❤️": "heart",
    "🎉": "tada",
    "🙏": "pray",
    "😀": "grinning",
    "⏳": "hourglass_flowing_sand",
}
_QUIET: Final = {"disable_group_highlight": True, "mentionHighlightDisabled": True}


def post(output: Output, own_id: str, file_ids: tuple[str, ...] = ()) -> dict[str, Any]:
    """The new post of a send or an upload; `own_id` is our user id."""
    text = output.text
    if output.operation is Operation.UPLOAD:
        text = output.parts.files[0].caption or output.parts.files[0].alt
    return {
        "channel_id": output.target.channel,
        "message": text,
        "root_id": output.thread or "",
        "pending_post_id": f"{own_id}:{output.key}",
        "props": {KEY: output.key, **_QUIET},
        **({"file_ids": list(file_ids)} if file_ids else {}),
    }


def refusal(output: Output) -> str:
    """Why an output cannot be carried out, whatever the channel; empty if it can."""
    operation = output.operation
    if operation not in OPERATIONS:
        return "operation not declared"
    if operation is Operation.EDIT and not output.edits:
        return "nothing to edit"
    if operation is Operation.REACT and (not output.reply_to or output.text not in MARKS):
        return "no message to mark, or a mark without a name there"
    if bool(output.parts) != (operation is Operation.UPLOAD) or len(output.parts.files) > 1:
        return "not declared with these parts"
    texts = (output.text, *(file.caption or file.alt for file in output.parts.files))
    if any(map(calls_everybody, texts)):
        return "the text would ring everybody in the channel"
    return ""
