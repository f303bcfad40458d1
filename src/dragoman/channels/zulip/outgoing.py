"""What may leave by Zulip, and the content of what does. Pure.

1. An operation that is not in the table is refused. A message has at most 10,000 code points.
2. The server de-duplicates nothing. A message sent with a `local_id` comes back under it in the queue that it names,
   and is proven by that.
3. A text leaves as it was said. The server reads Markdown in it, which it lets nobody switch off, and rings those whose
   mention stands in it. It would ring everybody for `@**all**` and the like, and make a widget of `/poll` or `/todo`:
   such a text is refused.
4. A reaction is a name there: those of the marks in `MARKS`; another mark is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from dragoman.channels.zulip.state import Recipient
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import File, PartKind
from dragoman.gate.ports import Output
from dragoman.words import SendKey

OPERATIONS: Final[Mapping[Operation, OperationSpec]] = {
    Operation.SEND: OperationSpec(SendKey.NONE, 10_000, pieces=4),
    Operation.EDIT: OperationSpec(SendKey.NONE, 10_000),
    Operation.UPLOAD: OperationSpec(SendKey.NONE, 4_000, carries_text=False, carries={PartKind.FILE: 1}),
    Operation.REACT: OperationSpec(SendKey.NATIVE, 16),
    Operation.TYPING: OperationSpec(SendKey.NATIVE, 0, carries_text=False),
}
"""A reaction that stands already is not made a second time."""
MARKS: Final = {
    "👍": "+1",
    "👎": "-1",
    "✅": "check",
    "❌": "cross_mark",
    "👀": "eyes",
    "❤️": "heart",
    "🎉": "tada",
    "🙏": "pray",
    "⏳": "hourglass",
}
_EVERYBODY: Final = re.compile(r"@\*\*(?:all|everyone|channel|stream|topic)\*\*", re.IGNORECASE)
_WIDGET: Final = re.compile(r"\s*/(?:me|poll|todo)\b")


def message(output: Output, where: Recipient, topic: str, url: str = "") -> dict[str, str]:
    """The form of a new message; `url` is where its file was put."""
    text = output.text
    if output.operation is Operation.UPLOAD:
        text = _linked(output.parts.files[0], url)
    return addressed(where, topic) | {"content": text}


def addressed(where: Recipient, topic: str) -> dict[str, str]:
    """To whom a message goes."""
    if where.stream:
        return {"type": "stream", "to": str(where.stream), "topic": topic}
    return {"type": "direct", "to": json.dumps(list(where.people))}


def refusal(output: Output) -> str:
    """Why an output cannot be carried out, wherever it goes; empty if it can."""
    operation = output.operation
    if operation not in OPERATIONS:
        return "operation not declared"
    if operation is Operation.EDIT and not (output.edits or "").isdigit():
        return "nothing to edit"
    if operation is Operation.REACT and (not (output.reply_to or "").isdigit() or output.text not in MARKS):
        return "no message to mark, or a mark without a name there"
    if bool(output.parts) != (operation is Operation.UPLOAD) or len(output.parts.files) > 1:
        return "not declared with these parts"
    texts = (output.text, *(file.caption or file.alt for file in output.parts.files))
    if any(map(_EVERYBODY.search, texts)):
        return "the text would ring everybody in the channel"
    return "the text would be read as a command" if any(map(_WIDGET.match, texts)) else ""


def _linked(file: File, url: str) -> str:
    name = re.sub(r"[\[\]\n]", " ", file.name)
    words = file.caption or file.alt
    return "\n".join(filter(None, (words, f"[{name}]({url})")))
