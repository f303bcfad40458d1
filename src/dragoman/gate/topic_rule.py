"""One row of a topic table, and how a table is matched.

1. A rule is data: id, mark, language, pattern, one sentence that hits and one near miss. The tests run
   both sentences of every row, alone, so a row that does nothing cannot stay.
2. Patterns are read by RE2 (linear time, no look-around) over folded text: NFKC, case folded, no invisible characters
   and no Markdown emphasis; so `，` is `,`, `：` is `:`, `￥` is `¥`. `\\b` is an ASCII word boundary.
3. A text that is not plain ASCII is also read with look-alikes and other scripts' digits undone (`leaks.fold`).
4. A table becomes one alternation per mark, compiled at first use. RE2 falls back to its slower engine when memory is
   short, so running out of memory never turns a hit into a miss.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final, Generic, TypeVar

import msgspec
import re2

from dragoman.leaks.fold import fold
from dragoman.words import HardStop, Topic

Mark = TypeVar("Mark", Topic, HardStop)

_EMPHASIS: Final = str.maketrans("", "", "*`~")


class Rule(msgspec.Struct, Generic[Mark], frozen=True):
    """A row: `hit` must match, `miss` must not. `language` is `en`, `zh` or `any`."""

    id: str
    mark: Mark
    language: str
    pattern: str
    hit: str
    miss: str


def readings(text: str) -> tuple[str, ...]:
    """The folded forms in which a text is searched; the first alone when it is plain ASCII."""
    if text.isascii():
        return (text.lower().translate(_EMPHASIS),)
    visible = "".join(char for char in text if unicodedata.category(char) not in {"Cf", "Cc", "Mn"} or char in "\t\n\r")
    folded = unicodedata.normalize("NFKC", visible).casefold().translate(_EMPHASIS)
    return (folded, fold(text).text.translate(_EMPHASIS))


class Table(Generic[Mark]):
    """The rules of one kind of mark, ready to search."""

    def __init__(self, rules: Iterable[Rule[Mark]]) -> None:
        self.rules: Final[tuple[Rule[Mark], ...]] = tuple(rules)
        self._compiled: dict[Mark, re2._Regexp] | None = None

    def marks_in(self, text: str) -> frozenset[Mark]:
        """Every mark of which at least one rule matches somewhere in the text."""
        if self._compiled is None:
            self._compiled = self._compile()
        forms = readings(text)
        return frozenset(
            mark for mark, pattern in self._compiled.items() if any(pattern.search(form) for form in forms)
        )

    def _compile(self) -> dict[Mark, re2._Regexp]:
        patterns: dict[Mark, list[str]] = {}
        for rule in self.rules:
            patterns.setdefault(rule.mark, []).append(f"(?:{rule.pattern})")
        return {mark: re2.compile("|".join(rows)) for mark, rows in patterns.items()}
