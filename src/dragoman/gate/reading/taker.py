"""What has a folded text at all, and which of its characters are read? For `reading.dates` and `reading.times`.

A pattern is searched only when its gate is open (`patterns`), and a match counts only when none of its characters
belongs to a claim already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.gate.reading.numbers import han_readings
from dragoman.gate.reading.patterns import Open

Found = tuple[str, str, int, int]
"""Kind, value, start, end."""


class Taker:
    """Collects what was found and which characters it used."""

    def __init__(self, folded: str, taken: bytearray, open: Open) -> None:
        self.folded, self.taken = folded, taken
        self.found: list[Found] = []
        self.late_until = -1  # where the last afternoon time ended
        self.open = open

    def free(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches none of whose characters is taken; none at all when the pattern cannot match."""
        if id(pattern) not in self.open:
            return iter(())
        taken = self.taken
        return (hit for hit in pattern.finditer(self.folded) if taken.find(1, hit.start(), hit.end()) < 0)

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
