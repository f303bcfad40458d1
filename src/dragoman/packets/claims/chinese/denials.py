"""Whether a Chinese clause denies what it speaks of (see `reading`).

1. Denials that follow each other make a chain; an even chain says yes (没有…不, 不是没有). A mark like 、, a 也 and an
   act between part two chains. Who denies something bad (从不掉线), or what somebody lacks who is spoken of, denies
   nothing.
2. A topic is denied by the clause after it (官方连接器：无; 自动开 PR，UAIX 做不到).
3. "It is wrong that" and a rhetorical question turn the answer around.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.chinese.clauses import Clause, Tags
from dragoman.packets.claims.chinese.scene import DENIALS, MANNER, UAIX, Here, acts, ends
from dragoman.packets.claims.chinese.tags import Tag

_T: Final = Tag
_SPOKEN: Final[Tags] = frozenset({_T.FILL, _T.EASE, _T.WRONG})
_GAP: Final = 2
_TOPIC: Final = 5
"""Most known words in a clause that is a mere topic."""


def denied(here: Here, at: int, subject: Tags) -> bool:
    """Whether the word at a place is denied; `subject` is who its clause names."""
    said = here.denied or negated(here.clause, at)
    wrong = any(_T.WRONG in later.tags for later in here.clauses[here.number :])
    if not said and not wrong and here.later is not None:
        said = _refused(here.clause, here.later, at, subject)
    return said != (wrong != (_T.RHETORIC in here.clause.tags))


def negated(clause: Clause, at: int | None = None) -> bool:
    """Whether an odd chain of denials stands in the clause, seen from the word at a place or from its end."""
    at = len(clause.tokens) if at is None else at
    odd, found = False, False
    for number, token in enumerate(clause.tokens):
        if _T.AND in token.tags or (number < at and acts(token.roles)):
            found, odd = found or odd, False
        if _unrelated(clause, number) or (
            token.tags & DENIALS and not token.tags & _SPOKEN and not _eased(clause, number, at)
        ):
            odd = not odd
    return found or odd


def _unrelated(clause: Clause, number: int) -> bool:
    """Whether 没关系 says that two things have nothing to do with each other, not that it does not matter."""
    if clause.tokens[number].word != "没关系":
        return False
    return any(_T.TO in before.tags for before in clause.tokens[:number])


def _eased(clause: Clause, number: int, at: int) -> bool:
    """Whether a denial denies only something bad, or what somebody lacks who is spoken of: 没有信箱的智能体."""
    tokens = clause.tokens
    if any(_T.BAD in token.tags for token in tokens[number + 1 : number + 3]):
        return True
    return any(
        _T.OF in tokens[after].tags and _T.WHO in tokens[after + 1].tags
        for after in range(number + 1, min(number + 5, at, len(tokens) - 1))
    )


def _refused(clause: Clause, later: Clause, at: int, subject: Tags) -> bool:
    """Whether the next clause refuses what this one only names."""
    if ends(clause, ":：|") and negated(later):
        return True
    if later.turned or _elsewhere(later):
        return False
    if not subject and not clause.tags & (MANNER - {_T.AUTO} | {_T.MAY}) and len(clause.tokens) < _TOPIC:
        return negated(later)
    if acts(later.roles):
        return False
    acted = any(not token.tags.isdisjoint(UAIX) for token in clause.tokens[:at]) and _T.MAY in clause.tags
    refuses = _T.REFUSE in later.tags or not later.tags.isdisjoint(UAIX)
    return not acted and refuses and negated(later)


def _elsewhere(clause: Clause) -> bool:
    """Whether the denial of a clause is of somebody else: 招标方不会再问."""
    for number, token in enumerate(clause.tokens):
        if not token.tags.isdisjoint(DENIALS):
            return sum(before.gap for before in clause.tokens[:number]) > _GAP
        if _T.WHO in token.tags:
            return True
    return False
