"""Which words of a rendered Zulip message did its author say now, and whom does it mention? Pure.

The server renders every message; what is rendered carries the ids that its author meant.
1. Quotes (`blockquote`) and code (`pre`, `code`) are cut; nobody is mentioned in them.
2. A mention is a `user-mention` with a `data-user-id` that is a number and not `silent`. Groups, channels and topics
   are others' marks (`user-group-mention`, `*`), and mention nobody in particular.
3. A file is a link to `/user_uploads/`, counted once; links that only show it again are not counted.
4. Our own mention is cut out of the live text when the server says that we are mentioned.

Every step is linear in its input. Tags are read by their names and attributes only; what is no tag is text.
"""

from __future__ import annotations

import html
import re
from typing import Final

import msgspec

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})([^<>]{0,4096})>")
_ATTRIBUTE: Final = re.compile(r'([a-zA-Z-]{1,40})="([^"]{0,2048})"')
_HIDING: Final = frozenset({"blockquote", "pre", "code"})
_BREAKING: Final = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"}) | _HIDING
_UPLOADS: Final = "/user_uploads/"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A message, read."""

    text: str
    """The live text."""
    body: str
    """All of its words."""
    mentions: frozenset[int]
    files: int
    begins: frozenset[int]
    """Whom the live text mentions at its very beginning."""


def read(content: str, own: int, *, mentioned: bool) -> Said:
    """A rendered message; `mentioned` is whether the server says that `own` is mentioned in it."""
    live: list[str] = []
    whole: list[str] = []
    ids: set[int] = set()
    first: set[int] = set()
    files: set[str] = set()
    depth, at, naming, begun = 0, 0, 0, False
    for tag in _TAG.finditer(content):
        text = html.unescape(content[at : tag.start()])
        at = tag.end()
        whole.append(text)
        if not depth:
            live.append("" if naming == own and mentioned else text)
            begun = begun or bool(text.strip())
        closing, name = bool(tag[1]), tag[2].lower()
        if name in _BREAKING:
            whole.append("\n")
            live.append("" if depth else "\n")
        if name in _HIDING:
            depth = max(0, depth + (-1 if closing else 1))
        attributes = {} if closing or depth else dict(_ATTRIBUTE.findall(tag[3]))
        naming = _mentioned(name, attributes) if not closing else 0
        if naming:
            first |= set() if begun else {naming}
            ids.add(naming)
        link = html.unescape(attributes.get("href", ""))
        files |= {link} if name == "a" and _UPLOADS in link else set()
    rest = html.unescape(content[at:])
    whole.append(rest)
    live.append("" if depth else rest)
    text = re.sub(r"\A[\s:,]+", "", _tidy(live)) if mentioned else _tidy(live)
    return Said(
        text=text,
        body=_tidy(whole),
        mentions=frozenset(ids),
        files=len(files),
        begins=frozenset(first),
    )


def _mentioned(name: str, attributes: dict[str, str]) -> int:
    classes = attributes.get("class", "").split()
    id = attributes.get("data-user-id", "")
    if name != "span" or "user-mention" not in classes or "silent" in classes:
        return 0
    return int(id) if id.isascii() and id.isdigit() and len(id) < 17 else 0


def _tidy(pieces: list[str]) -> str:
    lines = (line.strip() for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)
