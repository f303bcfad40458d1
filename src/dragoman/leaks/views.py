"""What else does a text say once its encodings are undone? Percent-encoding (twice) and base64.

A view is text with a way back: `starts[i]` and `ends[i]` are the span, in the text it was made from, of character `i`.
Everything decoded from one encoded piece spans that whole piece. Encoded pieces never hold white space, so each lies
inside one run and a stream that holds back the current run needs nothing more for them.

Base64 is tried on tokens of 16 to `TOKEN_LIMIT` characters, on their `/`-separated parts, and at each of the four
alignments, since a token may be glued to other letters; a decoded text counts when most of it can be read.
Never: decode deeper than this (base64 in base64, compressed data), or treat an undecodable piece as an error.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

from dragoman.leaks.fold import fold

TOKEN_LIMIT: Final = 4096
"""Longest base64 token looked into, in characters: the longest run that a check accepts."""

_PERCENT: Final = re.compile("(?:%[0-9A-Fa-f]{2})+")
_TOKEN: Final = re.compile("[A-Za-z0-9+/_-]{16,}")
_URLSAFE: Final = str.maketrans("-_", "+/")
_UNREADABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")


class View(NamedTuple):
    """A decoded text (folded, cased) and the spans its characters came from."""

    cased: str
    starts: list[int]
    ends: list[int]


def percent_views(cased: str) -> Iterator[View]:
    """The text with its percent-encoding undone once, and once more if some is left."""
    view = _unquote(cased)
    if view is None:
        return
    yield view
    deeper = _unquote(view.cased)
    if deeper is not None:
        starts = [view.starts[start] for start in deeper.starts]
        yield View(deeper.cased, starts, [view.ends[end - 1] for end in deeper.ends])


def base64_texts(cased: str) -> Iterator[tuple[str, int, int]]:
    """Every readable text that base64 tokens of the text decode to (folded, cased), with the token's span."""
    for token in _TOKEN.finditer(cased):
        for piece in _pieces(token[0][:TOKEN_LIMIT]):
            for skip in range(4):
                decoded = _decode(piece[skip:])
                if decoded:
                    yield decoded, *token.span()


def _unquote(cased: str) -> View | None:
    if _PERCENT.search(cased) is None:
        return None
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for piece in _PERCENT.finditer(cased):
        start, end = piece.span()
        decoded = fold(unquote(piece[0], errors="replace")).cased
        parts += (cased[last:start], decoded)
        starts += range(last, start)
        starts += [start] * len(decoded)
        ends += range(last + 1, start + 1)
        ends += [end] * len(decoded)
        last = end
    parts.append(cased[last:])
    starts += range(last, len(cased))
    ends += range(last + 1, len(cased) + 1)
    return View("".join(parts), starts, ends)


def _pieces(token: str) -> Iterator[str]:
    """The token, and each of its parts between slashes that is long enough by itself."""
    yield token
    if "/" in token:
        yield from (part for part in token.split("/") if len(part) >= 16)


def _decode(piece: str) -> str:
    """The folded text of a base64 piece (either alphabet, padding missing), or "" if most of it cannot be read."""
    whole = piece.translate(_URLSAFE)
    if len(whole) % 4 == 1:
        whole = whole[:-1]
    raw = base64.b64decode(whole + "=" * (-len(whole) % 4))
    text = raw.decode("utf-8", "replace")
    if len(text) < 3 or len(_UNREADABLE.findall(text)) * 8 > len(text):
        return ""
    return fold(text).cased
