"""Does a sentence turn a fact of the record around? Opposite words, negation, swapped things. For `records`.

1. A clause stands on a side of an axis (`open`/`closed`, before/after, 有货/缺货) when it has words of that side only. On
   some axes a negation changes the side ("not open" is closed); on the others a negated clause stands nowhere.
2. It is held against the clauses of the record on the same axis: what it shares with them (words, Chinese pairs of
   characters, claims) tells which of them it speaks of. It is turned when it shares more with one on the other side
   than with any on its own side. So "Module B in the morning" is turned by "Module A ... morning, Module B ... afternoon".
3. Negation alone is an axis too, for clauses that share at least half of a fact's words.
4. Questions, and clauses that say nobody knows, stand nowhere. Without a record nothing is turned.

Not seen: what shares no word with the record, sides that no row lists, irony.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from dragoman.gate.claims import Claim, ClaimKind, claims
from dragoman.gate.reading.patterns import Open
from dragoman.gate.reading.record_exclusive import EXCLUSIVE, Asked, answers, asked_in, kind_of, routes
from dragoman.gate.reading.sides_words import AXES, FLIPPING, NEGATION, SIDES, UNKNOWN, Axis
from dragoman.gate.reading.words import FUNCTION_WORDS, SIMPLIFIED

_CLAUSE: Final = re.compile(
    r"(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bno)(?<!\bmrs)[.!?](?=\s|$)|[。!?！？;；\n,，](?!\d)|(?<![\d])[,，](?=\d)|,(?=\s)|\b(?:and|but|while|whereas|though)\b|而且?|但是?|不过|另外"
)
_WORD: Final = re.compile(r"[a-z][a-z'-]+|\b[a-z]\b|\d+")
_HAN: Final = re.compile("[\u4e00-\u9fff]+")
_TWO_EVENTS: Final = frozenset({"arrive", "check", "first"})
"""Axes of which a record may well have both sides, each of another thing."""
_NAMED: Final = frozenset({"transport", "language", "payer"})
_ALL_AXES: Final = frozenset(axis.id for axis in AXES)
_PLACE: Final = SIDES.add(
    r"\b(?:in|at|to|from|near|via) (?:the |mainland |central |northern |southern )?([A-Z][a-z]{2,})"
)
_ROAD: Final = re.compile(r"([一-鿿]{2}(?:路|街|大道))(?=\S{0,6}[号弄巷]|\s?\d)")
_PARTIAL: Final = SIDES.add(
    r"\b(\d+) (?:\w+ )?(?:of|out of) (?:the |all |a total of )?(?!\1\b)(\d+)|(?:其中|只|仅)(?:有)?\S{0,4}\d+|到\S{0,3}\d+\S{0,4}共\S{0,2}\d+|共\S{0,2}\d+\S{0,6}到\S{0,3}\d+|\d+\S{0,12}已\S{0,4}\d+"
)
_LETTER: Final = re.compile(r"\b[A-Z]\b")
_ALL: Final = SIDES.add(
    r"\ball (?:of )?(?:the |your )?(?!but)|\bevery(?:thing| one| single)?\b|\bwhole\b|全部|全都|所有|悉数|全数|全(?=到|齐|收|发|好|完|装)"
)


class Clause(msgspec.Struct, frozen=True):
    """One clause: what it speaks of, where it stands, where it lies in its text."""

    words: frozenset[str]
    sides: tuple[tuple[str, int], ...]
    negated: bool
    partial: bool
    whole: bool
    places: frozenset[str]
    start: int
    end: int
    question: bool
    answers: frozenset[tuple[str, str]] = frozenset()
    routes: frozenset[tuple[str, str]] = frozenset()
    timed: bool = False


def clauses(facts: Iterable[str]) -> Iterator[Clause]:
    """The clauses of a record's facts."""
    for fact in facts:
        partial = _PARTIAL.search(fact.lower()) is not None
        for clause in _read(fact, claims(fact)):
            yield msgspec.structs.replace(clause, partial=True) if partial else clause


def turned(text: str, stated: tuple[Claim, ...], known: tuple[Clause, ...]) -> Iterator[Claim]:
    """A claim of kind `turned` for every clause of `text`, which states `stated`, that turns a fact around."""
    if not known:
        return
    for clause in _read(text, stated, frozenset(axis for fact in known for axis, _ in fact.sides)):
        if clause.question:
            continue
        for axis, side in clause.sides:
            if _opposed(clause, axis, side, known):
                yield Claim(ClaimKind.TURNED, axis, clause.start, clause.end)
                break
        else:
            if _other(clause, known):
                yield Claim(ClaimKind.TURNED, "other", clause.start, clause.end)
            elif _denied(clause, known):
                yield Claim(ClaimKind.TURNED, "not", clause.start, clause.end)
            elif _elsewhere(clause, known):
                yield Claim(ClaimKind.TURNED, "place", clause.start, clause.end)
            elif clause.whole and any(other.partial and other.words & clause.words for other in known):
                yield Claim(ClaimKind.TURNED, "all", clause.start, clause.end)


def _opposed(clause: Clause, axis: str, side: int, known: tuple[Clause, ...]) -> bool:
    if axis == "open" and clause.timed:
        return False  # "closes at six" is said by hours of opening
    if axis == "ready" and any(fact.partial for fact in known):
        return False
    own, other = -1, -1
    for fact in known:
        for its_axis, its_side in fact.sides:
            if its_axis == axis:
                shared = len(fact.words & clause.words)
                own, other = (max(own, shared), other) if its_side == side else (own, max(other, shared))
    if own < 0:
        return other > 0 or (other == 0 and len(known) <= 3 and axis not in _TWO_EVENTS)
    return other > own and other >= min(2, len(clause.words))


def _other(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether it answers a question of the record in another way, or the other way round."""
    if any(
        (to, start) in fact.routes and (start, to) not in fact.routes for start, to in clause.routes for fact in known
    ):
        return True
    for id, answer in clause.answers:
        facts = [fact for fact in known if any(its == id for its, _ in fact.answers)]
        if not facts or any((id, answer) in fact.answers for fact in facts):
            continue
        needed = 1 if id in _NAMED or len(facts) == len(known) else 2
        if any(len(_plain_words(fact, id) & clause.words) >= needed for fact in facts):
            return True
    return _misjoined(clause, known) or _crossed(clause, known) or _misplaced(clause, known)


def _plain_words(fact: Clause, id: str) -> set[str]:
    return {word for word in fact.words if not set(word) & set(id) or word.isascii()}


def _misjoined(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether it joins a value of the record to what the record joins to another value of this kind."""
    said = [word[1:] for word in clause.words if word.startswith("=")]
    if len(said) != 1 or not (kind := kind_of(said[0])):
        return False
    own = [fact for fact in known if f"={said[0]}" in fact.words]
    others = [
        fact
        for fact in known
        if fact not in own and any(word[:1] == "=" and kind_of(word[1:]) == kind for word in fact.words)
    ]
    if not own or not others:
        return False
    return max(_common(clause, fact) for fact in others) >= max(_common(clause, fact) for fact in own) + 2


def _crossed(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether it gives red the count that the record gives to blue, and another one to red."""
    said = [word for word in clause.words if word.startswith("=") and kind_of(word[1:])]
    if len(said) != 1 or not clause.answers:
        return False
    own = [fact for fact in known if said[0] in fact.words]
    for id, answer in clause.answers:
        here = [
            fact for fact in known if (id, answer) in fact.answers and any(_like(word, said[0]) for word in fact.words)
        ]
        there = own and all(any(its == id and one != answer for its, one in fact.answers) for fact in own)
        if there and here and not any((id, answer) in fact.answers for fact in own):
            return True
    return False


def _like(word: str, said: str) -> bool:
    return word[:1] == "=" and kind_of(word[1:]) == kind_of(said[1:])


def _misplaced(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether it joins a place of the record to what the record joins to another place."""
    own = [fact for fact in known if clause.places & fact.places]
    others = [fact for fact in known if fact.places and not clause.places & fact.places]
    if len(clause.places) != 1 or not own or not others:
        return False
    aside = clause.places
    return max(_shared(clause, fact, aside) for fact in others) >= 2 + max(_shared(clause, fact, aside) for fact in own)


def _shared(clause: Clause, fact: Clause, aside: frozenset[str]) -> int:
    return len((clause.words & fact.words) - aside) + len(set(clause.sides) & set(fact.sides))


def _common(clause: Clause, fact: Clause) -> int:
    return sum(not (word.startswith("=") or any(char.isdigit() for char in word)) for word in clause.words & fact.words)


def _denied(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether the fact that it shares most with has the other polarity."""
    best = {True: 0, False: 0}
    for fact in known:
        if set(fact.sides) & set(clause.sides):
            continue  # both are "closed", one as "not open"
        shared = len(fact.words & clause.words)
        enough = (
            shared >= 2
            and (clause.negated or _common(clause, fact) > 0)
            and shared * 2 >= min(len(fact.words), len(clause.words))
        )
        best[fact.negated] = max(best[fact.negated], shared if enough else 0)
    return best[not clause.negated] > best[clause.negated]


def _elsewhere(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether it names a place that no fact names, where the fact it shares most with names another one."""
    fresh = {place for place in clause.places if not any(place in fact.words | fact.places for fact in known)}
    near = [fact for fact in known if fact.words & clause.words]
    return bool(fresh) and any(fact.places for fact in near)


class _Text(msgspec.Struct, frozen=True):
    """A text that is read by clauses, and which patterns may match it."""

    text: str
    stated: tuple[Claim, ...]
    axes: tuple[Axis, ...]
    open: Open
    asked: Asked

    def has(self, pattern: re.Pattern[str], part: str) -> bool:
        """Whether a part of the text matches."""
        return id(pattern) in self.open and pattern.search(part) is not None


def _read(text: str, stated: tuple[Claim, ...], axes: frozenset[str] = _ALL_AXES) -> Iterator[Clause]:
    lower = text.lower() if text.isascii() else text.lower().translate(SIMPLIFIED)
    open = SIDES.of(lower)
    there = tuple(axis for axis in AXES if axis.id in axes and (id(axis.one) in open or id(axis.other) in open))
    exclusive = EXCLUSIVE.of(lower)
    whole = _Text(text, stated, there, open | exclusive, asked_in(exclusive))
    start = 0
    ends = [*_CLAUSE.finditer(lower), None]
    for end in ends:
        stop = end.start() if end else len(lower)
        part = lower[start:stop]
        if part.strip():
            asks = (end is not None and end.group() in "?？") or whole.has(UNKNOWN, part)
            yield _clause(part, whole, start, stop, asks)
        start = end.end() if end else stop


def _clause(part: str, whole: _Text, start: int, stop: int, question: bool) -> Clause:
    negated = whole.has(NEGATION, part)
    sides, rest = _sides(part, whole, negated)
    first, last = (bisect_left(whole.stated, at, key=lambda claim: claim.start) for at in (start, stop))
    stated = whole.stated[first:last]
    words = {_stem(word) for word in _WORD.findall(rest) if word not in FUNCTION_WORDS}
    if not rest.isascii():
        for run in _HAN.findall(NEGATION.sub(" ", rest)):
            words |= {run[at : at + 2] for at in range(len(run) - 1)}
    words |= {f"={one}" for claim in stated for one in claim.value.split("|")}
    words |= {letter.lower() for letter in _LETTER.findall(whole.text, start, stop)}
    partial = whole.has(_PARTIAL, part)
    return Clause(
        frozenset(words),
        sides,
        negated or any(side < 0 and axis in FLIPPING for axis, side in sides),
        partial,
        not partial and whole.has(_ALL, part),
        frozenset({place.lower() for place in _PLACE.findall(whole.text, start, stop)} | {*_ROAD.findall(part)}),
        start,
        max(stop, start + 1),
        question,
        answers(part, whole.asked, whole.open),
        routes(part, whole.open),
        any(claim.kind is ClaimKind.TIME for claim in stated),
    )


def _sides(part: str, whole: _Text, negated: bool) -> tuple[tuple[tuple[str, int], ...], str]:
    """Where a clause stands, and its words without those that put it there."""
    sides: list[tuple[str, int]] = []
    rest = part
    for axis in whole.axes:
        down = axis.other.search(part) if id(axis.other) in whole.open else None
        up = axis.one.search(axis.other.sub(" ", part) if down else part) if id(axis.one) in whole.open else None
        there = up or down
        if there is None or (up and down):
            continue
        own = NEGATION.search(there.group()) is not None
        if axis.flips or own or not negated:
            side = 1 if up else -1
            sides.append((axis.id, -side if negated and axis.flips and not own else side))
            rest = (axis.one if up else axis.other).sub(" ", rest)
    return tuple(sides), rest


def _stem(word: str) -> str:
    for end in ("ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word
