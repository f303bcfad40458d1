"""Whether an English sentence only mentions what it speaks of (see `reading`).

Words of others, tasks, wishes, duties and lists of wordings assert nothing; a question asserts only where it is the
rhetorical question of one who sells something.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.fields.clauses import Clause, words_of
from dragoman.packets.claims.english.fields.tags import Sign, Signs

_S: Final = Sign
_ANYWHERE: Final[Signs] = frozenset({_S.SAY, _S.MENTION, _S.WISH})


def rhetorical(sentence: str) -> bool:
    """Whether a question answers itself."""
    return any(_S.RHETORIC in word.signs for word in words_of(sentence))


def mentioned(clauses: list[Clause]) -> bool:
    """Whether a sentence is a report of words, a wish, a task or a list of wordings."""
    if any(_S.WRONG in clause.signs for clause in clauses):
        return not any(clause.signs & {_S.NOT, _S.NO, _S.LESS} for clause in clauses)
    if any(_S.RHETORIC in clause.signs for clause in clauses):
        return False
    if any(clause.signs & _ANYWHERE for clause in clauses):
        return True
    return any(_tasked(clause) for clause in clauses)


def _tasked(clause: Clause) -> bool:
    """Whether a clause begins like a task."""
    words = [word for word in clause.words if word.text not in ("-", ",")][:2]
    return bool(words) and _S.TASK in words[0].signs
