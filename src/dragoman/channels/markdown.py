"""Which words of a text did its author say now, where quotes and code are written in Markdown? Pure: text in, text out.

In this order, each step only ever removing text:
1. fenced code blocks (a fence left open runs to the end);
2. lines that start with `>`: quotes;
3. inline code: a run of backticks up to the next run of the same length.

Every step is linear in its input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_TICKS: Final = re.compile(r"(`+)")


def said(text: str, hidden: frozenset[str] = frozenset()) -> str:
    """The text without quotes and code; lines that are in `hidden` (stripped) go too."""
    kept = (line for line in _outside_fences(text) if not line.lstrip().startswith(">") and line.strip() not in hidden)
    return _without_inline_code("\n".join(kept))


def _outside_fences(body: str) -> Iterator[str]:
    fence = ""
    for line in body.splitlines():
        opened = _FENCE.match(line)
        if not fence and opened:
            fence = opened[1]
        elif not fence:
            yield line
        elif set(line.strip()) == {fence[0]} and len(line.strip()) >= len(fence):
            fence = ""


def _without_inline_code(text: str) -> str:
    parts = _TICKS.split(text)  # text, run, text, run, ... text
    last: dict[str, int] = {run: at for at, run in enumerate(parts) if at % 2}
    kept, at = [], 0
    while at < len(parts):
        piece = parts[at]
        if at % 2 and last[piece] > at:
            at = parts.index(piece, at + 1)
            kept.append(" ")
        else:
            kept.append(piece)
        at += 1
    return "".join(kept)
