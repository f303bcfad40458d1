"""Which words of a Discord message did its author say now? Quotes and code are cut out, and our own mention.

In this order, each step only ever removing text:
1. code blocks between runs of three backticks (one left open is cut to the end);
2. inline code: a run of one or two backticks up to the next run of the same length;
3. quotes: a line that begins with `> `, and everything after a line that begins with `>>> `.

What is left is where a mention counts, written `<@id>`, `<@!id>` or `<@&role>`; `without_mentions` takes ours out.
Every step is linear in its input.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_TICKS: Final = re.compile(r"(`+)")
_REST_IS_QUOTED: Final = re.compile(r"^[ \t]*>>>(?:\s|\Z)", re.MULTILINE)
_QUOTED: Final = re.compile(r"^[ \t]*>(?:[ \t].*)?$", re.MULTILINE)


def live_text(content: str) -> str:
    """The live text of `content`, mentions still in it."""
    text = _without_code(content)
    if rest := _REST_IS_QUOTED.search(text):
        text = text[: rest.start()]
    return _QUOTED.sub("", text).strip()


def mentions(text: str, ids: Collection[str], sign: str = "@") -> bool:
    """Whether one of `ids` is mentioned in `text`; `sign` is `@&` for roles."""
    forms = (f"<{sign}{bang}{id}>" for id in ids for bang in (("", "!") if sign == "@" else ("",)))
    return any(form in text for form in forms)


def without_mentions(text: str, user_id: str, roles: Collection[str]) -> str:
    """`text` without the marks of our own mention, and without the comma or colon after one at its beginning."""
    for form in (f"<@{user_id}>", f"<@!{user_id}>", *(f"<@&{role}>" for role in roles)):
        begins = text.startswith(form)
        text = text.replace(form, " ")
        text = text.lstrip(" :,") if begins else text
    return text.strip()


def _without_code(content: str) -> str:
    parts = _TICKS.split(content)  # text, run, text, run, ... text
    last: dict[str, int] = {run: at for at, run in enumerate(parts) if at % 2}
    kept, at = [], 0
    while at < len(parts):
        piece = parts[at]
        if at % 2 and last[piece] > at:
            at = parts.index(piece, at + 1)
            kept.append(" ")
        elif at % 2 and len(piece) >= 3:
            break
        else:
            kept.append(piece)
        at += 1
    return "".join(kept)
