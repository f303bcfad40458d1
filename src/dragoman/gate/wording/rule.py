"""One row of a topic table, and how a table is matched.

1. A rule is data: id, mark, language, pattern, one sentence that hits and one near miss. The tests run
   both sentences of every row, alone, so a row that does nothing cannot stay.
2. A row has a weight: *sure* rows mark wherever they match; an *act* is asked for the excuses of its own clause, a
   *word* for those of its whole sentence (`wording.excuses`).
3. Patterns are read by RE2 (linear time, no look-around) over folded text: NFKC, case folded, no invisible characters
   and no Markdown emphasis; so `，` is `,`, `：` is `:`, `￥` is `¥`, `’` is `'`. `\\b` is an ASCII word boundary.
4. A text that is not plain ASCII is also read with look-alikes and other scripts' digits undone (`leaks.fold`), when
   that makes a difference.
5. A table becomes alternations of a few rows per mark, weight and language, compiled at first use; a sentence is looked at only when the
   whole text matched. RE2 falls back to its slower engine when memory is short, so that never turns a hit into a miss.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, Generic, TypeVar

import msgspec
import re2

from dragoman.gate.reading.words import SIMPLIFIED
from dragoman.gate.wording.excuses import ACT_EXCUSES, BARS, WORD_EXCUSES, Excuse
from dragoman.gate.wording.names import named
from dragoman.leaks.fold import fold
from dragoman.words import HardStop, Topic

Mark = TypeVar("Mark", Topic, HardStop)

_EMPHASIS: Final = str.maketrans({"*": "", "`": "", "~": "", "’": "'", "‘": "'", "“": '"', "”": '"'})
_MEMORY: Final = 16 << 20
"""Bytes that one pattern may use for its states: more is a little faster on long odd texts, and stays resident."""
_TOGETHER: Final = 8
"""Rows in one pattern: more states than the memory holds would make the engine slow."""
_HAN: Final = re.compile("[\u3400-\u9fff]")
_LATIN: Final = re.compile("[a-z]")
_INVISIBLE: Final = re.compile("[^\x20-\x7e\t\n\r\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_QUOTED: Final = re.compile(r"[\"「『]([^\"」』\n]{2,300})[\"」』]")
_THEIRS: Final = re.compile(
    r"(?:\byou(?:'ve| have|'d)? (?:wrote|write|written|asked?|said|say|mentioned)|\byour (?:question|words|sentence|message|request)|[您你]\S{0,4}[问说写提讲句])\W*$"
)
_SENTENCE: Final = re.compile(r"(?<=[!?。;\n])|(?<=\.)(?<!\b[md]r\.)(?<!\bmrs\.)(?<!\bms\.)(?=\s)")
_CLAUSE: Final = re.compile(r",(?!\d)|:(?!\d)| - | – |—")


class Weight(StrEnum):
    """How much a match says by itself."""

    SURE = "sure"
    ACT = "act"
    WORD = "word"


class Rule(msgspec.Struct, Generic[Mark], frozen=True):
    """A row: `hit` must match, `miss` must not. `language` is `en`, `zh` or `any`."""

    id: str
    mark: Mark
    language: str
    pattern: str
    hit: str
    miss: str
    weight: Weight = Weight.ACT
    named: bool = False
    """Read over `topic_names.named`, where every proper name is `¤`."""


def readings(text: str) -> tuple[str, ...]:
    """The folded forms in which a text is searched; one alone when undoing look-alikes changes nothing."""
    if text.isascii():
        return (text.lower().translate(_EMPHASIS),)
    visible = _INVISIBLE.sub(_seen, text)
    folded = unicodedata.normalize("NFKC", visible).casefold().translate(_EMPHASIS).translate(SIMPLIFIED)
    if not _INVISIBLE.search(folded):
        return (folded,)
    return (folded, fold(text).text.translate(_EMPHASIS))


def named_readings(text: str) -> tuple[str, ...]:
    """The folded form with every proper name as `¤`; none when the text has no name."""
    marked = named(text)
    return () if marked is None else readings(marked)[:1]


def unquoted(form: str) -> str:
    """The form without the outsider's own words: a quotation after "you wrote", or one that is a question."""
    if '"' not in form and "「" not in form and "『" not in form:
        return form
    return _QUOTED.sub(_quoted, form)


def _quoted(found: re.Match[str]) -> str:
    theirs = found[1].rstrip().endswith("?") or _THEIRS.search(found.string[max(0, found.start() - 40) : found.start()])
    return '""' if theirs else found[0]


def _seen(char: re.Match[str]) -> str:
    kind = unicodedata.category(char[0])
    return "" if kind in {"Cf", "Cc", "Mn"} else " " if kind == "Cs" else char[0]


def compiled(rows: Iterable[str]) -> re2._Regexp:
    """One pattern that finds whatever one of the rows finds, its Han characters written as in a reading."""
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return re2.compile("|".join(f"(?:{row})" for row in rows).translate(SIMPLIFIED), options)


class _Excuses:
    """The excuse tables as patterns, compiled at first use."""

    def __init__(self) -> None:
        self._tables: dict[str, re2._Regexp] = {}

    def found(self, name: str, rows: Iterable[Excuse], text: str) -> bool:
        """Whether one of the rows matches the text."""
        if name not in self._tables:
            self._tables[name] = compiled(row.pattern for row in rows)
        return self._tables[name].search(text) is not None

    def act(self, clause: str, sentence: str, deed: bool) -> bool:
        """Whether an act in this clause is none; a deed (hard stop, commitment) has more excuses than a position."""
        read = (clause, sentence) if sentence.rstrip().endswith("?") else (clause,)
        rows = [row for row in ACT_EXCUSES if not row.barred and (deed or not row.deeds)]
        if any(self.found("deed" if deed else "act", rows, part) for part in read):
            return True
        quoting = [row for row in ACT_EXCUSES if row.barred]
        return any(self.found("said", quoting, part) and not self.found("bars", BARS, part) for part in read)

    def word(self, sentence: str) -> bool:
        """Whether a topical word in this sentence states nothing."""
        excused = self.found("word", WORD_EXCUSES, sentence) or self.found("any", ACT_EXCUSES, sentence)
        return excused and not self.found("bars", BARS, sentence)


_EXCUSES: Final = _Excuses()


class _Search(msgspec.Struct, frozen=True):
    """Some rules of one mark, weight and language: all in one pattern, and each by itself."""

    together: re2._Regexp
    each: tuple[re2._Regexp, ...]
    weight: Weight
    named: bool
    language: str


class Table(Generic[Mark]):
    """The rules of one kind of mark, ready to search."""

    def __init__(self, rules: Iterable[Rule[Mark]]) -> None:
        self.rules: Final[tuple[Rule[Mark], ...]] = tuple(rules)
        self._compiled: list[tuple[Mark, _Search]] | None = None

    def marks_in(self, text: str) -> frozenset[Mark]:
        """Every mark of which at least one rule matches somewhere in the text, and is not excused there."""
        if self._compiled is None:
            self._compiled = self._compile()
        read = {False: readings(text), True: named_readings(text)}
        written = {form: _languages(form) for forms in read.values() for form in forms}
        marks: set[Mark] = set()
        for mark, search in self._compiled:
            if mark in marks:
                continue
            forms = (form for form in read[search.named] if search.language in written[form])
            if any(_marks(search, mark, form) for form in forms):
                marks.add(mark)
        return frozenset(marks)

    def _compile(self) -> list[tuple[Mark, _Search]]:
        groups: dict[tuple[Mark, Weight, bool, str], list[str]] = {}
        for rule in self.rules:
            groups.setdefault((rule.mark, rule.weight, rule.named, rule.language), []).append(rule.pattern)
        return [
            (mark, _Search(compiled(part), tuple(compiled([row]) for row in part), weight, named, language))
            for (mark, weight, named, language), rows in sorted(
                groups.items(), key=lambda group: group[0][1] != Weight.SURE
            )
            for part in (rows[at : at + _TOGETHER] for at in range(0, len(rows), _TOGETHER))
        ]


def _languages(form: str) -> frozenset[str]:
    """The languages whose rows can match a form: a Chinese row wants a Han character, an English one a letter."""
    found = {"any"}
    if _HAN.search(form):
        found.add("zh")
    if form.isascii() or _LATIN.search(form):
        found.add("en")
    return frozenset(found)


def _marks(search: _Search, mark: Topic | HardStop, form: str) -> bool:
    if search.together.search(form) is None:
        return False
    if search.weight is Weight.SURE:
        return True
    deed = isinstance(mark, HardStop) or mark is Topic.COMMITMENTS
    for sentence in sentences(unquoted(form)):
        if search.together.search(sentence) is None:
            continue
        if search.weight is Weight.WORD:
            if not _EXCUSES.word(sentence):
                return True
        elif any(
            not _EXCUSES.act(clause, sentence, deed)
            for pattern in search.each
            for clause in _hit_clauses(pattern, sentence)
        ):
            return True
    return False


def sentences(form: str) -> Iterator[str]:
    """The sentences of a folded text, with their ends."""
    return (part for part in _SENTENCE.split(form) if part.strip())


def _hit_clauses(pattern: re2._Regexp, sentence: str) -> Iterator[str]:
    """The clauses that a match touches, each once."""
    commas = list(_CLAUSE.finditer(sentence))
    ends, starts = [comma.end() for comma in commas], [comma.start() for comma in commas]
    seen: set[tuple[int, int]] = set()
    for hit in pattern.finditer(sentence):
        before, after = bisect_right(ends, hit.start()), bisect_left(starts, hit.end())
        if (before, after) not in seen:
            seen.add((before, after))
            yield sentence[ends[before - 1] if before else 0 : starts[after] if after < len(starts) else len(sentence)]
