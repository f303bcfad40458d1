"""Which words of a Discord message did its author say now? Quotes and code are cut out, and our own mention.

1. A code block ends at the next three backticks, wherever they stand. Then: everything after a line that begins with
   `>>> ` is a quote; other quotes and code are those of Markdown (`channels/markdown.py`).
   Only what is left can hold a mention that counts.
2. A mention is written `<@id>`, `<@!id>` (old clients) or, of a role, `<@&id>`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from dragoman.channels.markdown import said

_BLOCK: Final = re.compile(r"```.*?```", re.DOTALL)
_REST_IS_QUOTED: Final = re.compile(r"^[ \t]*>>>(?:\s|\Z)", re.MULTILINE)


def live_text(content: str) -> str:
    """The live text of `content`, mentions still in it."""
    text = _BLOCK.sub(" ", content)
    rest = _REST_IS_QUOTED.search(text)
    return said(text[: rest.start()] if rest else text).strip()


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
