"""Which links does a text carry in its markup, and what does a reader see of it? (spec 1 §5: link targets are checked)

1. Markdown `[shown](target)`, HTML `<a href=target>shown</a>` and `<target|shown>`. Brackets may be nested or escaped,
   and one that was never opened counts as opened on its line; HTML may hold other tags and entities.
2. What is shown of a link is at most `SHOWN` characters of its beginning and of its end.
3. Every step is linear in the text.

Pure; judges nothing (`links`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

SHOWN: Final = 1_024
TARGET: Final = 2_048
"""Characters of a target that are looked at."""

_BRACKET: Final = re.compile(r"\\.|\[|\](\(\s*+<?)?|\n", re.DOTALL)
_TARGET: Final = re.compile(rf"[^()\s<>]{{1,{TARGET}}}")
_ANCHOR: Final = re.compile(r"<a(?=[\s/])", re.IGNORECASE)
_HREF: Final = re.compile(rf"href\s*+=\s*+[\"']?\s*+([^\"'<>\s]{{1,{TARGET}}})", re.IGNORECASE)
_CLOSED: Final = re.compile(r"</a(?![a-z])", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_ANGLED: Final = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{0,20}:[^<>|\s]+)\|([^<>]*)>")


class Shown(NamedTuple):
    """A link found in the markup of a text, and the half-open span of its whole markup."""

    target: str
    shown: str
    start: int
    end: int


def linked(text: str) -> list[Shown]:
    """The links in a text's markup, in order."""
    found = [*_markdown(text), *_anchors(text)] if "](" in text or "<" in text else []
    if "|" in text:
        found += [Shown(match[1][:TARGET], _ends(match[2]), *match.span()) for match in _ANGLED.finditer(text)]
    return sorted(found, key=lambda link: (link.start, -link.end))


def as_shown(text: str) -> str | None:
    """The text with only what is shown of its links; None when it holds none."""
    kept: list[str] = []
    at = 0
    for link in linked(text):
        if link.start >= at:
            kept += [text[at : link.start], link.shown]
            at = link.end
    return "".join([*kept, text[at:]]) if kept else None


def _markdown(text: str) -> Iterator[Shown]:
    opened: list[int] = []
    line = 0
    for token in _BRACKET.finditer(text):
        if token[0] == "[":
            opened.append(token.start())
        elif token[0] == "\n":
            line = token.end()
        elif token[0].startswith("]"):
            start = opened.pop() if opened else -1
            target = _TARGET.match(text, token.end()) if token[1] else None
            if target is None:
                continue
            begin = start + 1 if start >= 0 else line
            closed = text.find(")", target.end(), target.end() + TARGET)
            end = closed + 1 if closed >= 0 else target.end()
            shown = _ends(text, begin, token.start())
            yield Shown(target[0], shown, start if start >= 0 else token.start(), end)


def _anchors(text: str) -> Iterator[Shown]:
    starts = [match.start() for match in _ANCHOR.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        href = _HREF.search(text, start, end)
        opens = text.find(">", href.end(), end) + 1 if href else 0
        if href is None or not opens:
            continue
        closed = _CLOSED.search(text, opens, end)
        closes = closed.start() if closed else end
        shown = html.unescape(_TAG.sub("", text[opens:closes]))
        yield Shown(html.unescape(href[1]), _ends(shown), start, closes)


def _ends(text: str, start: int = 0, end: int | None = None) -> str:
    stop = len(text) if end is None else end
    if stop - start <= 2 * SHOWN:
        return text[start:stop]
    return f"{text[start : start + SHOWN]} {text[stop - SHOWN : stop]}"
