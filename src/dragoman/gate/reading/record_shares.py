"""Is a share of a text a share of the record? `one in four`, `three fifths`, 四分之一, 25 %, 18 of 20. For `record_equal`.

A share is a number between nought and one. Two are equal when they differ by less than half a percent and by
a twentieth of the larger one at most, so a third is 33 %, and 3 ‰ is not 5 ‰. The record's shares are its percentages, its own sayings, and `18 of 20` in its facts.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from dragoman.gate.reading.numbers import HAN, han_readings
from dragoman.gate.reading.record_figures import Figure
from dragoman.gate.reading.words import SMALL

_PARTS: Final = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_WORD: Final = "|".join([*list(SMALL)[1:13], "a hundred", r"\d{1,4}"])
_OUT_OF: Final = re.compile(
    rf"\b({_WORD}) (?:[a-z]+ ){{0,2}}?(?:in|out of|of|from)(?: the| a total of| all)? ({_WORD})\b"
)
_PART: Final = re.compile(rf"\b(?:(an?|one|two|three|four|five|six|seven|eight|nine)[ -])?({'|'.join(_PARTS)})s?\b")
_ZH: Final = re.compile(rf"({HAN[:-1]}{{1,3}})分之({HAN[:-1]}{{1,3}})")
_ZH_HALF: Final = re.compile("一半|半数")
_CLOSE: Final = Decimal("0.005")


def _number(word: str) -> Decimal:
    return Decimal({"a hundred": 100, "a": 1, "an": 1}.get(word) or (int(word) if word.isdigit() else SMALL[word]))


def said_share(saying: str) -> Decimal | None:
    """The share that a saying names; None when it names none."""
    if hit := _OUT_OF.search(saying):
        below = _number(hit[2])
        return _number(hit[1]) / below if below and _number(hit[1]) <= below else None
    if hit := _ZH.search(saying):
        parts, taken = (next(iter(han_readings(one)), "") for one in hit.groups())
        return Decimal(taken) / Decimal(parts) if taken.isdigit() and parts.isdigit() and int(parts) else None
    if _ZH_HALF.search(saying):
        return Decimal("0.5")
    if hit := _PART.search(saying):
        return _number(hit[1] or "a") / _PARTS[hit[2]]
    return None


def shares_of(facts: Iterable[str], figures: tuple[Figure, ...]) -> frozenset[Decimal]:
    """The shares that a record states."""
    found = {figure.number / 100 for figure in figures if figure.unit == "%"}
    for fact in facts:
        if (share := said_share(fact.lower())) is not None:
            found.add(share)
    return frozenset(found)


def share_stated(share: Decimal, known: frozenset[Decimal]) -> bool:
    """Whether the record has this share, as near as the page's law says."""
    return any(abs(share - one) < _CLOSE and abs(share - one) <= max(share, one) / 20 for one in known)
