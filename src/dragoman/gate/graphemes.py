"""Where may a text be cut without cutting what people see as one character? (for `split`)

A cut is refused wherever Unicode's rules for grapheme clusters might forbid it, and in a few places more; it is never
allowed inside a cluster. Refused are cuts

1. between a carriage return and a line feed;
2. before a mark (combining, enclosing, spacing), a joiner, a variation selector, a skin tone or a tag;
3. after a joiner, after a character that is written in front of the next, and after a virama;
4. between two halves of a flag, counted from the beginning of the run of halves;
5. between the jamo of one Hangul syllable.

Pure: characters and their categories, nothing else.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_JOINING: Final = frozenset({"Mn", "Me", "Mc"})
_UNCLEAR: Final = frozenset({"Cf", "Cn"})
"""Joiners, selectors, tags, number and direction signs; and what is too new to be known here."""
_REPH: Final = frozenset("\u0d4e\u1cf5\u1cf6\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011d46\U00011f02") | {
    chr(code) for code in range(0x11A84, 0x11A8A)
}
"""Letters that are written in front of the next."""
_SPACING_LETTERS: Final = frozenset("\u0e33\u0eb3")
"""Thai and Lao letters that close the cluster before them."""
_HALF_MARKS: Final = frozenset("\uff9e\uff9f")


def may_cut(text: str, at: int) -> bool:
    """Whether `text` may be cut before position `at`; always at its ends."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if before in "\r\n":
        return True
    if before < "\u0300" and after < "\u0300":
        return before != "\u00ad" and after != "\u00ad"
    if _extends(after) or _holds_on(text, at):
        return False
    if _flag_half(before) and _flag_half(after):
        return _halves_before(text, at) % 2 == 0
    return not ((_jamo(after) and (_jamo(before) or _syllable(before))) or (_jamo(before) and _syllable(after)))


def _extends(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    if char in _SPACING_LETTERS or char in _HALF_MARKS or "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    kind = unicodedata.category(char)
    return kind in _JOINING or kind in _UNCLEAR


def _holds_on(text: str, at: int) -> bool:
    """Whether what stands before `at` belongs to what follows; marks may stand between a virama and its letter."""
    before = text[at - 1]
    if before in _REPH or unicodedata.category(before) in _UNCLEAR:
        return True
    while at and _extends(text[at - 1]):
        at -= 1
        if unicodedata.combining(text[at]) == 9:
            return True
    return False


def _flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _halves_before(text: str, at: int) -> int:
    start = at
    while start and _flag_half(text[start - 1]):
        start -= 1
    return at - start


def _jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\ua960" <= char <= "\ua97c" or "\ud7b0" <= char <= "\ud7fb"


def _syllable(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"
