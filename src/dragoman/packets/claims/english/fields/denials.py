"""Whether an English clause denies what it speaks of (see `reading`).

1. A negation denies what stands in its clause; "without" only what follows it. In a clause without a subject of its
   own the denial of the clause before goes on (it does not host, relay or deliver).
2. "No packet that our relay will not carry": two denials that a relative clause or "without" binds are none.
3. A later clause without an act of its own takes back what was said (but it doesn't).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import msgspec

from dragoman.packets.claims.english.fields.bearers import OURS, subject
from dragoman.packets.claims.english.fields.clauses import Clause, Word
from dragoman.packets.claims.english.fields.scene import Here
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.english.kinds import words as listed
from dragoman.packets.claims.seven import Part

_S: Final = Sign
NEGATIONS: Final[Signs] = frozenset({_S.NOT, _S.NO})
_DENIES: Final[Signs] = NEGATIONS | {_S.DENY}
_FIRST: Final = frozenset(
    listed(
        "no,nobody,no one,never,hardly,not a single,won't,none,cannot,not one,there is no,isn't,scarcely,nothing,not"
    )
)
_BINDS: Final = frozenset(listed("that,which,who,for,where,without,lacks,lack,so"))
_FEW: Final = 14
_NEAR: Final = 5
_US: Final[Signs] = OURS | {_S.IT}
_SO: Final = frozenset(listed("so,because,since,as,although,though,while,even,whatever,whichever"))


def unbound(clauses: list[Clause]) -> list[Clause]:
    """The clauses, with two denials that bind each other taken out."""
    clauses = [_unspoiled(clause) for clause in clauses]
    words = [(number, word) for number, clause in enumerate(clauses) for word in clause.words]
    at = [place for place, (_, word) in enumerate(words) if word.signs & NEGATIONS or word.text in ("lacks", "lack")]
    for first, second in pairwise(at):
        if (
            words[first][1].text in _FIRST
            and second - first < _FEW
            and _bound([w for _, w in words[first + 1 : second + 1]])
        ):
            taken = {id(words[first][1]), id(words[second][1])}
            return [_without(clause, taken) for clause in clauses]
    return clauses


def _unspoiled(clause: Clause) -> Clause:
    """The clause, with the denial of something bad taken out: no copy ever goes stale."""
    if _S.STALE not in clause.signs or not clause.signs & NEGATIONS:
        return clause
    words, taken = clause.words, set[int]()
    for at, word in enumerate(words):
        for number in range(max(0, at - _NEAR), at) if _S.STALE in word.signs else ():
            if words[number].signs & NEGATIONS:
                taken |= {id(words[number]), id(word)}
    return _without(clause, taken, frozenset({_S.EASE})) if taken else clause


def _bound(between: list[Word]) -> bool:
    texts = [word.text for word in between]
    return not {",", "and", "or", "nor"} & set(texts) and not _BINDS.isdisjoint(texts)


def _without(clause: Clause, taken: set[int], given: Signs = frozenset()) -> Clause:
    words = tuple(
        msgspec.structs.replace(word, signs=(word.signs - _DENIES) | given) if id(word) in taken else word
        for word in clause.words
    )
    signs: Signs = frozenset().union(*(word.signs for word in words))
    return msgspec.structs.replace(clause, words=words, signs=signs)


def negated(clause: Clause, at: int) -> bool:
    """Whether a clause denies what stands at a place."""
    for number, word in enumerate(clause.words):
        if not word.signs & _DENIES:
            continue
        if number > at and (word.text == "without" or (number and clause.words[number - 1].text == "with")):
            continue
        return True
    return False


def denied(here: Here, at: int, sure: bool) -> bool:
    """Whether what the clause says at a place is denied; `sure` if it is said of one of us by name."""
    if negated(here.clause, at):
        return True
    if not sure and _S.SELF in here.clause.signs:
        return True
    if not sure and any(clause.signs & _DENIES and not _aside(clause) for clause in here.clauses):
        return True
    last = here.clauses[here.number - 1] if here.number else None
    relative = here.clause.words[0].text in ("where", "which", "that", "who", "whereby")
    if last is not None and relative and last.signs & NEGATIONS:
        return True
    if (
        last is not None
        and last.signs & NEGATIONS
        and not subject(here.clause)
        and _S.CONTRAST not in here.clause.signs
    ):
        return True
    return any(_refuses(later) for later in here.clauses[here.number + 1 :])


def _aside(clause: Clause) -> bool:
    """Whether what a clause denies is said of the reader or is a mere ground: so nobody notices."""
    return clause.words[0].text in _SO and bool(subject(clause)) and not subject(clause) & _US


def _refuses(clause: Clause) -> bool:
    """Whether a later clause takes back what was said before."""
    if not clause.signs & _DENIES or clause.words[0].text in ("not", "never", "so"):
        return False
    if subject(clause) & {_S.YOU, _S.OTHER, _S.YOUR} and _S.DENY not in clause.signs:
        return False
    if (
        clause.words[0].text in ("that", "who", "which")
        and len(clause.words) > 1
        and clause.words[1].signs & {_S.MAY, _S.NOT}
    ):
        return False
    return not any(part is Part.ACT for _, part in clause.roles) or bool(clause.signs & {_S.DENY, _S.CONTRAST})
