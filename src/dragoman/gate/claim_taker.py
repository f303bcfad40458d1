"""What has a folded text at all, and which of its characters are read? For `claim_dates` and `claim_times`.

A pattern is searched only when the text has what it needs (a digit, a month's name, 点 ...), and a match counts only
when none of its characters belongs to a claim already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import re2

from dragoman.gate.claim_numbers import han_readings
from dragoman.gate.claim_words import MONTHS, WEEKDAYS

Found = tuple[str, str, int, int]
"""Kind, value, start, end."""

_SIGNS: Final = (
    ("digit", re2.compile(r"\d")),
    ("han", re2.compile(r"\p{Han}")),
    ("month", re2.compile("|".join(MONTHS))),
    ("weekday", re2.compile("|".join(WEEKDAYS))),
    ("week", re2.compile("周|星期|礼拜")),
    ("day", re2.compile("月|日|号|號|年")),
    ("hour", re2.compile("点|點|时|時")),
    ("said", re2.compile("past|o'clock|quarter|half|am|pm|a\\.m|p\\.m|\\d")),
)


class Taker:
    """Collects what was found and which characters it used."""

    def __init__(self, folded: str, taken: bytearray) -> None:
        self.folded, self.taken = folded, taken
        self.found: list[Found] = []
        self.late_until = -1  # where the last afternoon time ended
        self.signs = frozenset(sign for sign, pattern in _SIGNS if pattern.search(folded))

    def free(self, pattern: re.Pattern[str], *needs: str) -> Iterator[re.Match[str]]:
        """Matches none of whose characters is taken; none at all when the text lacks a sign that is needed."""
        if not self.signs.issuperset(needs):
            return iter(())
        return (hit for hit in pattern.finditer(self.folded) if not any(self.taken[hit.start() : hit.end()]))

    def add(self, kind: str, value: str, start: int, end: int) -> None:
        """Records a claim and takes its characters."""
        self.found.append((kind, value, start, end))
        self.taken[start:end] = b"\1" * (end - start)


def han(text: str) -> int:
    """A number in digits or Chinese numerals; -1 when it names none."""
    if text.isdigit():
        return int(text)
    readings = han_readings(text)
    return int(readings[0]) if readings and readings[0].isdigit() else -1
