"""Is a term written here, or do its letters only happen to stand in this order? (spec 1 §5)

The search finds the letters of a term in a text without separators (`squeeze`). A find counts as the term only by these
rules, in this order:

1. Edges. The neighbours belong to no common word with the term. Letter beside digit is an edge (`falcon2`, `v2falcon`
   name Falcon) unless the term has fewer than `SHORT` characters; an underscore always is one, and so is the `s` of a
   plural from `PLURAL` characters on; scripts without spaces have edges everywhere. A number is not found inside a
   longer number (`500` in `1,500` or `500.25`).
2. Width. No run of separators is longer than `GAP_LIMIT`.
3. Decimal marks. A `.`, `,` or `:` between digits of the term (not before exactly three digits) must be apart in the
   text too: `42.5` is `42,5` and `4 2 . 5`, never `425`.
4. Extra breaks inside a word: none (the term may also be written together), or at least half of all places (spelled
   out, three characters or more), or each one of a kind that `_bridges` knows: digits split by spaces, dashes or as
   thousands (any separator from five digits on), letters joined by marks without space (`-`, `.`, `[` ...) or a
   hyphenated line end, unspaced scripts split by spaces. From `LONG` characters on white space is such a kind too.
5. A term squeezed to one or two characters and written with marks (`C++`, `$42`) needs its marks; a bare one of Latin
   letters must stand together.

Never: look further than two characters before the find, or further behind it than a number of four digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from dragoman.leaks.fold import is_word, unspaced

GAP_LIMIT: Final = 24
"""Most separators in a row inside a term, in folded characters."""
LONG: Final = 10
"""Squeezed length from which white space inside a word hides nothing."""
PLURAL: Final = 5
"""Squeezed length from which an `s` behind the term is its plural, not another word."""
SHORT: Final = 3
"""Squeezed length below which a letter beside a digit is no edge."""

_SPACES: Final = frozenset(" \t\r\n-_'")
_MARKS: Final = frozenset("-_.'`*|~/\\^+()[]{}<>\"")
_JOINERS: Final = frozenset(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())
_LINE_HYPHEN: Final = re.compile(r"-[ \t]*\r?\n[ \t]*")
_DECIMAL: Final = frozenset(".,:")


class Spelling(NamedTuple):
    """Where a term has separators, counted by the squeezed characters before them."""

    gaps: frozenset[int]
    needed: frozenset[int]
    exact: tuple[str, str, str] | None  # marks before, spelling between, marks after


def spelling_of(text: str, places: list[int]) -> Spelling:
    """How a term is written whose word characters stand at `places` of a folded text."""
    gaps = frozenset(_gaps(places))
    needed = frozenset(gap for gap in gaps if _is_decimal(text, places, gap))
    marks = text[: places[0]].strip(), _bare(text, places), text[places[-1] + 1 :].strip()
    short = len(places) <= 2 and not any(unspaced(text[place]) for place in places)
    return Spelling(gaps, needed, marks if short else None)


def plain_spelling(words: list[str]) -> Spelling:
    """The same for words of ASCII letters and digits with one space between them, `SHORT` characters or more in all."""
    return Spelling(frozenset(accumulate(map(len, words[:-1]))), frozenset(), None)


def _is_decimal(text: str, places: list[int], gap: int) -> bool:
    """Whether the separators after the `gap`-th character are a decimal mark between digits, and no thousands mark."""
    left, right = places[gap - 1], places[gap]
    between = text[left + 1 : right].strip()
    if not (text[left].isdigit() and text[right].isdigit() and between in _DECIMAL and between):
        return False
    return not (between != ":" and _digits_from(text, right) == 3)


def _digits_from(text: str, start: int) -> int:
    """How many digits stand in a row from `start` on (counts to four at most)."""
    end = start
    while end < min(len(text), start + 4) and text[end].isdigit():
        end += 1
    return end - start


def stands_apart(text: str, start: int, end: int, size: int) -> bool:
    """Rule 1: whether the span stands by itself."""
    strict = size < SHORT
    before, first, last, after = text[start - 1], text[start], text[end - 1], text[end]
    plural = size >= PLURAL and after == "s" and last.isalpha() and not joined(after, text[end + 1], strict=strict)
    if joined(before, first, strict=strict) or (joined(last, after, strict=strict) and not plural):
        return False
    # `1,500` holds no `500`, `0.25` no `25`; but `4100,4250` is a list
    number_before = first.isdigit() and before in ".," and text[start - 2].isdigit()
    if number_before and (before == "." or _digits_from(text, start) == 3):
        return False
    if last.isdigit() and after in ".," and text[end + 1].isdigit():
        return not (after == "." or _digits_from(text, end + 1) == 3)
    return True


def joined(left: str, right: str, *, strict: bool) -> bool:
    """Whether two neighbours belong to one word."""
    if not (is_word(left) and is_word(right)) or unspaced(left) or unspaced(right):
        return False
    return strict or left.isdigit() == right.isdigit()


def reads(text: str, where: list[int], spelling: Spelling) -> bool:
    """Rules 2 to 5: whether the characters at `where` are set apart as the term could be."""
    start, end, size = where[0], where[-1] + 1, len(where)
    if spelling.exact is not None:
        before, between, after = spelling.exact
        written = text[start:end] if len(between) == size else _bare(text, where)
        return text.endswith(before, 0, start) and written == between and text.startswith(after, end)
    if end - start == size:
        return not spelling.needed
    if any(right - left > GAP_LIMIT + 1 for left, right in pairwise(where)):
        return False
    gaps = set(_gaps(where))
    if not spelling.needed <= gaps:
        return False
    extra = gaps - spelling.gaps
    spelled = size >= 3 and len(extra) * 2 >= size - 1 and (size > 3 or len(gaps) == size - 1)
    if size >= LONG and all(not text[where[gap - 1] + 1 : where[gap]].strip() for gap in extra):
        return True
    return spelled or all(_bridges(text, where, gap) for gap in extra)


def _gaps(where: list[int]) -> Iterator[int]:
    return (nth for nth in range(1, len(where)) if where[nth] - where[nth - 1] > 1)


def _bare(text: str, where: list[int]) -> str:
    return "".join(text[where[0] : where[-1] + 1].split())


def _bridges(text: str, where: list[int], gap: int) -> bool:
    """Rule 4: whether the separators after the `gap`-th character can break a word without ending it."""
    left, right = text[where[gap - 1]], text[where[gap]]
    between = text[where[gap - 1] + 1 : where[gap]]
    if unspaced(left) or unspaced(right):
        return _SPACES.issuperset(between) or _MARKS.issuperset(between)
    if left.isdigit() and right.isdigit():
        if _SPACES.issuperset(between) or sum(text[place].isdigit() for place in where) >= 5:
            return True
        return between in (".", ",") and _digits_from(text, where[gap]) == 3
    if left.isdigit() or right.isdigit():
        return _SPACES.issuperset(between) or _MARKS.issuperset(between)
    return _JOINERS.issuperset(between) or _LINE_HYPHEN.fullmatch(between) is not None
