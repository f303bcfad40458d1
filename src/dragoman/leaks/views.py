"""What else does a text say once its encodings are undone? Escapes and markup, base64 and its kin, letters as digits.

A view is text with a way back: `starts[i]` and `ends[i]` are the span, in the text it was made from, of character `i`.
Everything decoded from one encoded piece spans that whole piece.

1. `written_views`: percent-encoding, HTML entities, `\\x46` `\\u0046` `=46` escapes undone, tags (`<b>`, `[b]`,
   `\\textbf{`) taken away; twice. A tag still open at the end counts as taken away, so that a stream holds back.
2. `decoded_texts`: base64, base32 and hex, tried on tokens of 16 to `TOKEN_LIMIT` characters, on their `/`-separated
   parts, and base64 at each of the four alignments, since a token may be glued to other letters; a decoded text counts
   when most of it can be read. A token without a capital or a digit is a word, a name or a path: encodings of nothing
   that is sent look like that (one secret of sixteen bytes in ten million).
3. `alike_views`: digits and signs that stand for letters beside letters (`F4lc0n`, `FaIcon`); same length, same places.

Encoded pieces but tags hold no white space, so each lies inside one run and a stream that holds back the current run
needs nothing more for them. Never: decode deeper than this (base64 in base64, compressed data), or treat an undecodable
piece as an error.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

from dragoman.leaks.fold import fold

TOKEN_LIMIT: Final = 4096
"""Longest base64 token looked into, in characters: the longest run that a check accepts."""
TOKEN_LEAST: Final = 16
"""Shortest run that is looked into."""

_WRITTEN: Final = re.compile(
    r"(?P<percent>(?:%[0-9A-Fa-f]{2})+)|%u(?P<u>[0-9A-Fa-f]{4})|(?P<quoted>(?:=[0-9A-F]{2})+)"
    r"|(?P<entity>&(?:#[0-9]{1,7};?|#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z]{2,31};))"
    r"|\\(?:x(?P<x>[0-9A-Fa-f]{2})|u(?P<v>[0-9A-Fa-f]{4})|u\{(?P<w>[0-9A-Fa-f]{1,6})\}|(?P<space>[nrt])(?![a-z0-9_.\\-]{3,64}\\))"
    r"|(?P<tag></?[A-Za-z!][^<>]{0,256}(?:>|\Z)|\[/?(?:b|i|u|s|em|strong|color|size|font|url|code|quote)(?:=[^\]\s]{1,64})?\]"
    r"|\\[a-z]{2,12}\{)"
)
_MARKED: Final = bytes(
    ord("x") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "+/_-") else ord(" ")
    for code in range(256)
)
"""An `x` for each byte that encodings are written in, a space for any other."""
_SMALL: Final = b"abcdefghijklmnopqrstuvwxyz+/_-"
_RUN: Final = b"x" * TOKEN_LEAST
_TELLING: Final = re.compile("[A-Z0-9]")
"""What stands in every encoding that is looked into."""
_HEX: Final = re.compile("(?:[0-9A-Fa-f]{2}){8,}")
_BASE32: Final = re.compile("[A-Z2-7]{16,}")
_URLSAFE: Final = bytes.maketrans(b"-_", b"+/")
_UNREADABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
_MARK: Final = re.compile(r"[%&\\=<\[]")
# the first character alone decides where to look, which `re` does quickly
_ALIKE: Final = re.compile("[0134578|$@!I](?:(?<=[A-Za-z][^I])|(?<=[a-z]I)|(?=[A-Za-z])(?<!I))")
_ALIKES: Final = (
    str.maketrans("0134578|$@!I", "oleastblsail"),
    str.maketrans("0134578|$@!I", "oieastbisail"),
)
_NO_TEXT: Final = bytes(
    code for code in range(256) if code not in {9, 10, 13, *range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF5)}
)
"""Bytes each of which becomes, in any UTF-8 text, a character that cannot be read."""


class View(NamedTuple):
    """A decoded text (folded, cased) and the spans its characters came from."""

    cased: str
    starts: list[int]
    ends: list[int]


def written_views(cased: str) -> Iterator[View]:
    """The text with its escapes undone and its markup taken away, once, and once more if some is left."""
    view = _undone(cased)
    if view is None:
        return
    yield view
    deeper = _undone(view.cased)
    if deeper is not None:
        starts = [view.starts[start] for start in deeper.starts]
        yield View(deeper.cased, starts, [view.ends[end - 1] for end in deeper.ends])


def decoded_texts(cased: str) -> Iterator[tuple[str, int, int]]:
    """Every readable text that base64, base32 or hex tokens decode to (folded, cased), with the token's span."""
    for token, start in _tokens(cased):
        span = start, start + len(token)
        for piece in _pieces(token[:TOKEN_LIMIT]):
            whole = piece.encode("ascii").translate(_URLSAFE)
            for skip in range(4):
                decoded = _readable(_base64(whole[skip:]))
                if decoded:
                    yield decoded, *span
        for pattern, undo in ((_HEX, bytes.fromhex), (_BASE32, _base32)):
            for part in pattern.finditer(token):
                decoded = _readable(undo(part[0][:TOKEN_LIMIT]))
                if decoded:
                    yield decoded, start + part.start(), start + part.end()


def _tokens(cased: str) -> Iterator[tuple[str, int]]:
    """Every run of at least `TOKEN_LEAST` characters that encodings are written in, and where it begins."""
    marks = cased.encode("ascii", "replace").translate(_MARKED) + b" "
    start = marks.find(_RUN)
    while start >= 0:
        end = marks.index(b" ", start)
        token = cased[start:end]
        if _TELLING.search(token):
            yield token, start
        start = marks.find(_RUN, end)


def may_be_encoded(raw: bytes) -> bool:
    """Whether a folded text (cased, UTF-8) has a token that `decoded_texts` would look into."""
    marks = raw.translate(_MARKED) + b" "
    start = marks.find(_RUN)
    while start >= 0:
        end = marks.index(b" ", start)
        if raw[start:end].translate(None, _SMALL):
            return True
        start = marks.find(_RUN, end)
    return False


def alike_views(cased: str) -> Iterator[str]:
    """The text with digits, signs and a capital I beside letters read as the letters they resemble; same length."""
    places = [found.start() for found in _ALIKE.finditer(cased)]
    if not places:
        return
    once = _reread(cased, places, _ALIKES[0])
    # `Fa11s`: the second digit has a letter beside it only once the first is one
    places = sorted({*places, *(found.start() for found in _ALIKE.finditer(once))})
    for letters in _ALIKES:
        yield _reread(cased, places, letters)


def _reread(cased: str, places: list[int], letters: dict[int, int]) -> str:
    """The text with the characters at some places replaced."""
    parts: list[str] = []
    last = 0
    for place in places:
        parts += (cased[last:place], cased[place].translate(letters))
        last = place + 1
    return "".join((*parts, cased[last:]))


def _undone(cased: str) -> View | None:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for mark in _MARK.finditer(cased):
        piece = _WRITTEN.match(cased, mark.start()) if mark.start() >= last else None
        if piece is None:
            continue
        start, end = piece.span()
        decoded = _written(piece)
        parts += (cased[last:start], decoded)
        starts += range(last, start)
        starts += [start] * len(decoded)
        ends += range(last + 1, start + 1)
        ends += [end] * len(decoded)
        last = end
    if not last:
        return None
    parts.append(cased[last:])
    starts += range(last, len(cased))
    ends += range(last + 1, len(cased) + 1)
    return View("".join(parts), starts, ends)


def _written(piece: re.Match[str]) -> str:
    """What one escape stands for, folded."""
    if piece["tag"] is not None:
        return ""
    if piece["space"] is not None:
        return " "
    if piece["percent"] is not None:
        return fold(unquote(piece["percent"], errors="replace")).cased
    if piece["quoted"] is not None:
        return fold(bytes.fromhex(piece["quoted"].replace("=", "")).decode("utf-8", "replace")).cased
    if piece["entity"] is not None:
        return fold(html.unescape(piece["entity"])).cased
    code = int(piece["u"] or piece["x"] or piece["v"] or piece["w"], 16)
    return fold(chr(code)).cased if code < 0x110000 else ""


def _pieces(token: str) -> Iterator[str]:
    """The token, and each of its parts between slashes that is long enough by itself."""
    yield token
    if "/" in token:
        yield from (part for part in token.split("/") if len(part) >= TOKEN_LEAST)


def _base64(piece: bytes) -> bytes:
    """The bytes of a base64 piece: the usual alphabet, padding missing."""
    if len(piece) % 4 == 1:
        piece = piece[:-1]
    return binascii.a2b_base64(piece + b"=" * (-len(piece) % 4))


def _base32(piece: str) -> bytes:
    """The bytes of a base32 piece, or none."""
    try:
        return base64.b32decode(piece + "=" * (-len(piece) % 8))
    except binascii.Error:
        return b""


def _readable(raw: bytes) -> str:
    """The folded text of decoded bytes, or "" if most of it cannot be read."""
    # what is neither text nor could be part of it is counted first: it alone settles most pieces
    if (len(raw) - len(raw.translate(None, _NO_TEXT))) * 8 > len(raw):
        return ""
    text = raw.decode("utf-8", "replace")
    if len(text) < 3 or len(_UNREADABLE.findall(text)) * 8 > len(text):
        return ""
    return fold(text).cased
