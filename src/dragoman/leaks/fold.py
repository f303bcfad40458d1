"""What does a text say once disguises are taken off? (spec 1 §5; consent never folds, only this room does)

Folding is a map of single characters, so it is the same whatever surrounds a character or wherever a chunk ends:

1. invisible characters (format, control, combining marks, fillers, variation selectors) fold to nothing;
2. compatibility forms (full-width, ligatures, circled, mathematical ...) fold to the plain characters (NFKD);
3. look-alikes (`lookalikes.ROWS`) and every script's decimal digits fold to ASCII; a Han character that has several
   written forms (simplified, traditional, variants) folds to one of them (`hanzi`);
4. tag characters, which no reader sees but a machine reads, fold to their letter set apart by spaces;
5. emoji and other pictures fold to `*`, every other non-ASCII character that is no letter, number or vowel sign to a
   space; what turns the direction of writing around folds to `OVERRIDE`, since what is shown is not what is written;
6. `text` is lower case, `cased` is the same without the last step; both have the same length.

Combining marks are dropped rather than composed: composing would depend on the neighbour. Kana voicing marks stay.
In folded text a *separator* is an ASCII character that is no letter or digit; everything else is a word character.
Never: look at more than one character, raise on odd input (a lone surrogate is a space), or change consent.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.leaks.engines import Engine, Match, Patterns
from dragoman.leaks.hanzi import WRITTEN_AS
from dragoman.leaks.lookalikes import LETTER_BLOCKS, LIGATURES, ROWS

UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\U00020000-\U0003ffff"
)
"""Scripts that write words without spaces between them (a regex class body over folded text)."""

OVERRIDE: Final = "\ue02e"
"""What a direction override folds to, one character that nothing else folds to."""

_OVERRIDES: Final = frozenset("\u202d\u202e\ue02e")
_CONTROLS: Final = bytes(code for code in (*range(0x20), 0x7F) if not chr(code).isspace())
_KEPT_MARKS: Final = frozenset("\u3099\u309a")
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
_LINE_ENDS: Final = frozenset("\u0085\u2028\u2029")
_LOOKALIKE: Final[dict[str, str]] = {
    **{alike: plain for plain, row in ROWS for alike in row},
    **dict(LIGATURES),
    **WRITTEN_AS,
    **{chr(first + step): chr(ord("A") + step) for first in LETTER_BLOCKS for step in range(26)},
}
_USUAL: Final = "，。、；：？！“”‘’（）《》【】「」—…"
"""Special characters that ordinary Chinese text is full of: each is replaced by itself, which is quicker."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")


class Folded:
    """One text folded: `cased`, its UTF-8 bytes `raw`, `text` (lower case), and the way back to the original."""

    __slots__ = ("_origins", "cased", "original", "raw")

    def __init__(self, original: str, cased: str, raw: bytes) -> None:
        self.cased = cased
        self.raw = raw
        self.original = original
        self._origins: list[int] | None = None

    @property
    def text(self) -> str:
        """`cased` in lower case, of the same length."""
        return self.cased.lower()

    @property
    def origins(self) -> list[int]:
        """For each folded character the position of the original character it came from (made when first asked)."""
        if self._origins is None:
            self._origins = origins(self.original)
        return self._origins

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original half-open span of the non-empty folded span `start:end`."""
        return self.origins[start], self.origins[end - 1] + 1


def fold(text: str) -> Folded:
    """The folded form of a text (spec 1 §5). ASCII, and Chinese in one form with its usual marks, take a fast path."""
    cased = text if text.isascii() else _usually(text)
    raw = cased.encode("utf-8")
    bare = raw.translate(None, _CONTROLS)
    return Folded(text, cased, raw) if len(bare) == len(raw) else Folded(text, bare.decode("utf-8"), bare)


def folded_bytes(text: str) -> bytes:
    """`fold(text).raw` alone."""
    cased = text if text.isascii() else _usually(text)
    return cased.encode("utf-8").translate(None, _CONTROLS)


def origins(text: str) -> list[int]:
    """For each folded character of a text the position it came from."""
    out: list[int] = []
    for position, char in enumerate(text):
        out.extend([position] * len(_TABLE[char]))
    return out


def unspaced(char: str) -> bool:
    """Whether a folded character belongs to a script that writes without spaces (Han, kana, Hangul, Thai ...)."""
    return char > "\x7f" and _UNSPACED.match(char) is not None


def is_word(char: str) -> bool:
    """Whether a folded character is a letter, digit or sign of a word, that is: no separator."""
    return char > "\x7f" or char.isalnum()


def _own(chars: Iterable[int]) -> Iterator[str]:
    """The ranges of code points, written for a class, of those that no rule touches."""
    first = last = -2
    for code in chars:
        if chr(code) in WRITTEN_AS:
            continue
        if code != last + 1:
            if first >= 0:
                yield f"{chr(first)}-{chr(last)}"
            first = code
        last = code
    yield f"{chr(first)}-{chr(last)}"


@functools.cache
def _own_class() -> str:
    """ASCII and every Han character that has one form (the inside of a class)."""
    return "\x00-\x7f" + "".join(_own([*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)]))


@functools.cache
def _special() -> re.Pattern[str]:
    """A run of characters that may be more than themselves."""
    return re.compile(f"([^{_own_class()}]+)")


@functools.cache
def _kinds() -> Match:
    """Says which kinds of special characters a text holds: 0 is any unusual one, then each of `_USUAL`."""
    return Patterns([f"[^{_own_class()}{_USUAL}]", *_USUAL], engine=Engine.PLAIN).match


def _usually(text: str) -> str:
    """The folded form of a text, control characters left in."""
    try:
        kinds = _kinds()(text.encode("utf-8"))
    except UnicodeEncodeError:  # a lone surrogate
        kinds = (0,)
    if 0 in kinds:
        parts = _special().split(text)
        parts[1::2] = map(_TABLE.__getitem__, parts[1::2])
        return "".join(parts)
    for kind in kinds:
        mark = _USUAL[kind - 1]
        text = text.replace(mark, _TABLE[mark])
    return text


class _Table(dict[str, str]):
    """Character → folded, filled as characters are met (never more than Unicode has); a longer key is not kept."""

    def __missing__(self, chars: str) -> str:
        if len(chars) > 1:
            return "".join(map(self.__getitem__, chars))
        folded = self[chars] = _fold_char(chars)
        return folded


_TABLE: Final = _Table()


def _fold_char(char: str) -> str:
    code = ord(char)
    if char < "\x80":
        return "" if code in _CONTROLS else char
    if 0xE0020 <= code <= 0xE007E:
        return f" {chr(code - 0xE0000)} "
    if 0xE0000 <= code <= 0xE0FFF or 0xFFF0 <= code <= 0xFFF8 or char in _FILLERS:
        return ""
    if char in _OVERRIDES:
        return OVERRIDE
    if char in _LINE_ENDS:
        return "\n"
    plain = _LOOKALIKE.get(char) or "".join(map(_plain, unicodedata.normalize("NFKD", char)))
    return _settle_case(plain)


def _plain(char: str) -> str:
    """One character of a decomposition: look-alike, digit, letter, nothing or a space."""
    if char in _LOOKALIKE:
        return _LOOKALIKE[char]
    if char < "\x80" or char in _KEPT_MARKS:
        return char
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in ("Mn", "Me", "Cf", "Cc"):
        return ""
    if category in ("So", "Sk"):
        return "*"
    return char if category[0] in "LNM" else " "


def _settle_case(plain: str) -> str:
    """The same, folded for good where lower case alone would change the length (ß, İ) or be a look-alike (Þ)."""
    lower = plain.lower()
    alike = "".join(_LOOKALIKE.get(char, char) for char in lower)
    if alike != lower:
        return alike.upper()
    if len(lower) == len(plain) and lower == plain.casefold():
        return plain
    return "".join(map(_plain, unicodedata.normalize("NFKD", plain.casefold()))).lower()
