"""What does a text say once disguises are taken off? (spec 1 §5; consent never folds, only this room does)

Folding is a map of single characters, so it is the same whatever surrounds a character or wherever a chunk ends:

1. invisible characters (format, control, combining marks, fillers, variation selectors) fold to nothing;
2. compatibility forms (full-width, ligatures, circled, mathematical ...) fold to the plain characters (NFKD);
3. look-alikes (`lookalikes.ROWS`) and every script's decimal digits fold to ASCII;
4. tag characters, which no reader sees but a machine reads, fold to their letter set apart by spaces;
5. emoji and other pictures fold to `*`, every other non-ASCII character that is no letter, number or vowel sign to a
   space; what turns the direction of writing around folds to `OVERRIDE`, since what is shown is not what is written;
6. `text` is lower case, `cased` is the same without the last step; both have the same length.

Combining marks are dropped rather than composed: composing would depend on the neighbour. Kana voicing marks stay.
In folded text a *separator* is an ASCII character that is no letter or digit; everything else is a word character.
Never: look at more than one character, raise on odd input (a lone surrogate is a space), or change consent.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

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
    **{chr(first + step): chr(ord("A") + step) for first in LETTER_BLOCKS for step in range(26)},
}
# All that may be more than itself: everything but ASCII and the unified Han characters, which no rule above touches.
_SPECIAL: Final = re.compile("[^\x00-\x7f\u3400-\u4dbf\u4e00-\u9fff]+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")


class Folded:
    """One text folded: `text` (lower case), `cased`, and the way back to positions of the original."""

    __slots__ = ("_original", "_origins", "cased", "text")

    def __init__(self, original: str, cased: str) -> None:
        self.cased = cased
        self.text = cased.lower()
        self._original = original
        self._origins: list[int] | None = None

    @property
    def origins(self) -> list[int]:
        """For each folded character the position of the original character it came from (made when first asked)."""
        if self._origins is None:
            self._origins = origins(self._original)
        return self._origins

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original half-open span of the non-empty folded span `start:end`."""
        return self.origins[start], self.origins[end - 1] + 1


def fold(text: str) -> Folded:
    """The folded form of a text (spec 1 §5). Pure ASCII without control characters takes the fast path."""
    if text.isascii():
        raw = text.encode("ascii")
        bare = raw.translate(None, _CONTROLS)
        return Folded(text, text if len(bare) == len(raw) else bare.decode("ascii"))
    cased = _SPECIAL.sub(_fold_run, text)
    raw = cased.encode("utf-8")
    bare = raw.translate(None, _CONTROLS)
    return Folded(text, cased if len(bare) == len(raw) else bare.decode("utf-8"))


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


class _Table(dict[str, str]):
    """Character → folded, filled as characters are met (never more than Unicode has)."""

    def __missing__(self, char: str) -> str:
        folded = self[char] = _fold_char(char)
        return folded


_TABLE: Final = _Table()


def _fold_run(found: re.Match[str]) -> str:
    return "".join(map(_TABLE.__getitem__, found[0]))


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
