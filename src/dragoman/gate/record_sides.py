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
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from dragoman.gate.claim_words import FUNCTION_WORDS, SIMPLIFIED
from dragoman.gate.claims import Claim, ClaimKind, claims
from dragoman.gate.sides_words import AXES, FLIPPING, NEGATION, UNKNOWN

_CLAUSE: Final = re.compile(
    r"[.!?](?=\s|$)|[。!?！？;；\n,，](?!\d)|,(?=\s)|\b(?:and|but|while|whereas|though)\b|而且?|但是?|不过|另外"
)
_WORD: Final = re.compile(r"[a-z][a-z'-]+|\b[a-z]\b|\d+")
_HAN: Final = re.compile("[\u4e00-\u9fff]+")
_ALL_AXES: Final = frozenset(axis.id for axis in AXES)
_PLACE: Final = re.compile(r"\b(?:in|at|to|from|near|via) ([A-Z][a-z]{2,})")
_PARTIAL: Final = re.compile(r"(\d+) (?:of|out of) (?:the |all )?(\d+)|(?:其中|只|仅)(?:有)?\S{0,4}\d+")
_ALL: Final = re.compile(
    r"\ball (?:of )?(?:the |your )?(?:\d+\b)?|\bevery(?:thing| one| single)?\b|\bwhole\b|全部|全都|所有|悉数|全数"
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


def clauses(facts: Iterable[str]) -> Iterator[Clause]:
    """The clauses of a record's facts."""
    for fact in facts:
        yield from _read(fact, claims(fact))


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
            if _denied(clause, known):
                yield Claim(ClaimKind.TURNED, "not", clause.start, clause.end)
            elif _elsewhere(clause, known):
                yield Claim(ClaimKind.TURNED, "place", clause.start, clause.end)
            elif clause.whole and any(other.partial and other.words & clause.words for other in known):
                yield Claim(ClaimKind.TURNED, "all", clause.start, clause.end)


def _opposed(clause: Clause, axis: str, side: int, known: tuple[Clause, ...]) -> bool:
    own, other = -1, -1
    for fact in known:
        for its_axis, its_side in fact.sides:
            if its_axis == axis:
                shared = len(fact.words & clause.words)
                own, other = (max(own, shared), other) if its_side == side else (own, max(other, shared))
    if own < 0:
        return other > 0 or (other == 0 and len(known) <= 3)
    return other > own and other >= min(2, len(clause.words))


def _denied(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether the fact that it shares most with has the other polarity."""
    best = {True: 0, False: 0}
    for fact in known:
        if set(fact.sides) & set(clause.sides):
            continue  # both are "closed", one as "not open"
        shared = len(fact.words & clause.words)
        enough = shared >= 2 and shared * 2 >= min(len(fact.words), len(clause.words))
        best[fact.negated] = max(best[fact.negated], shared if enough else 0)
    return best[not clause.negated] > best[clause.negated]


def _elsewhere(clause: Clause, known: tuple[Clause, ...]) -> bool:
    """Whether it names a place that no fact names, where the fact it shares most with names another one."""
    fresh = {place for place in clause.places if not any(place in fact.words | fact.places for fact in known)}
    near = [fact for fact in known if fact.words & clause.words]
    return bool(fresh) and any(fact.places for fact in near)


def _read(text: str, stated: tuple[Claim, ...], axes: frozenset[str] = _ALL_AXES) -> Iterator[Clause]:
    lower = text.lower().translate(SIMPLIFIED)
    start = 0
    ends = [*_CLAUSE.finditer(lower), None]
    for end in ends:
        stop = end.start() if end else len(lower)
        part = lower[start:stop]
        if part.strip():
            question = end is not None and end.group() in "?？"
            yield _clause(part, text, stated, start, stop, axes, question or UNKNOWN.search(part) is not None)
        start = end.end() if end else stop


def _clause(
    part: str, text: str, stated: tuple[Claim, ...], start: int, stop: int, axes: frozenset[str], question: bool
) -> Clause:
    negated = NEGATION.search(part) is not None
    sides: list[tuple[str, int]] = []
    rest = part
    for axis in AXES:
        if axis.id not in axes:
            continue
        down = axis.other.search(part)
        up = axis.one.search(axis.other.sub(" ", part) if down else part)
        there = up or down
        own = there is not None and NEGATION.search(there.group()) is not None
        if there and bool(up) != bool(down) and (axis.flips or own or not negated):
            side = 1 if up else -1
            sides.append((axis.id, -side if negated and axis.flips and not own else side))
            rest = (axis.one if up else axis.other).sub(" ", rest)
    words = {_stem(word[0]) for word in _WORD.finditer(rest) if word[0] not in FUNCTION_WORDS}
    for run in _HAN.finditer(NEGATION.sub(" ", rest)):
        words |= {run[0][at : at + 2] for at in range(len(run[0]) - 1)}
    words |= {f"={one}" for claim in stated if start <= claim.start < stop for one in claim.value.split("|")}
    words |= {letter.lower() for letter in re.findall(r"\b[A-Z]\b", text[start:stop])}
    return Clause(
        frozenset(words),
        tuple(sides),
        negated or any(side < 0 and axis in FLIPPING for axis, side in sides),
        _PARTIAL.search(part) is not None,
        _ALL.search(part) is not None and _PARTIAL.search(part) is None,
        frozenset(place[1].lower() for place in _PLACE.finditer(text, start, stop)),
        start,
        max(stop, start + 1),
        question,
    )


def _stem(word: str) -> str:
    for end in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word
