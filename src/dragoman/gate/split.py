"""How does one finished text leave in several messages? (spec 1 §4: only after the whole passed every check)

1. Nothing is lost and nothing is added: the pieces in their order are the text.
2. A cut stands at the last paragraph that fills at least half a piece, or else line, sentence, word, or at least
   between two characters as people see them (`graphemes`).
3. A code block, a piece of code and a link are never cut. What is longer than a piece, and what would need more pieces
   than there may be, cannot be split: None.
4. No piece is empty to the eye.

Pure. That each piece is still harmless by itself is asked by `release`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from dragoman.gate.graphemes import may_cut

_WHOLE: Final = re.compile(
    r"(?ms:^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$\n?|\Z))"
    r"|`[^`\n]+`"
    r"|\[[^\[\]\n]*\]\([^()\n]*\)"
    r"|<a\s[^<>]*>[^<]*</a>|<[^<>\s][^<>\n]*>"
    r"|(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.|mailto:)[^\s<>\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+"
)
"""What stands in one message or in none."""
_BREAKS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n[ \t]*\n\s*",
        r"\n\s*",
        r"[.!?…][\"'”’)\]]*\s+|[。！？][”’」』）]*\s*",
        r"\s+|(?<=[，、；：])",
    )
)
"""Where a text is cut best: behind a paragraph, a line, a sentence, a word."""


def split(text: str, limit: int, most: int) -> tuple[str, ...] | None:
    """The pieces of `text`, at most `most` of at most `limit` characters each; None when that cannot be."""
    if len(text) <= limit:
        return (text,)
    if limit < 1 or len(text) > limit * most:
        return None
    whole = [found.span() for found in _WHOLE.finditer(text)]
    starts = [start for start, _ in whole]
    pieces: list[str] = []
    at = 0
    while len(text) - at > limit:
        cut = _cut(text, at, at + limit, whole, starts)
        if cut is None or len(pieces) + 2 > most:
            return None
        pieces.append(text[at:cut])
        at = cut
    pieces.append(text[at:])
    return tuple(pieces) if all(piece.strip() for piece in pieces) else None


def _cut(text: str, start: int, end: int, whole: list[tuple[int, int]], starts: list[int]) -> int | None:
    """The best place to cut in `start:end`, behind its first character."""

    def allowed(at: int) -> bool:
        inside = bisect_right(starts, at) - 1
        return may_cut(text, at) and not (inside >= 0 and whole[inside][0] < at < whole[inside][1])

    found = [
        [found.end() for found in pattern.finditer(text, start, end) if found.end() > start and allowed(found.end())]
        for pattern in _BREAKS
    ]
    half = (start + end) // 2
    for places in found:
        if places and places[-1] >= half:
            return places[-1]
    last = max((places[-1] for places in found if places), default=None)
    return last if last is not None else next((at for at in range(end, start, -1) if allowed(at)), None)
