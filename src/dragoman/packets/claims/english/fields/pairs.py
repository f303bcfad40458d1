"""What two English clauses or sentences claim together (see `reading`).

1. What is done on one side and is so on the other is a sync: change it here, see it there.
2. A question about a capability that is answered with one of us (Who delivers it? We do.) is a claim.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.fields.clauses import Word, words_of
from dragoman.packets.claims.english.fields.scene import Here
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.seven import Part

_S: Final = Sign
_DENIES: Final[Signs] = frozenset({_S.NOT, _S.NO, _S.DENY})
_FEW: Final = 14
_STOP: Final = Word("", frozenset(), frozenset())


def mirrored(here: Here) -> bool:
    """Whether what is changed on one side is told to be so on the other."""
    signs = here.signs
    if not {_S.HERE, _S.FAR, _S.EDIT} <= signs or signs & (_DENIES | {_S.OTHER, _S.NAME}):
        return False
    words = [word for clause in here.clauses for word in (*clause.words, _STOP)]
    first = next(at for at, word in enumerate(words) if _S.HERE in word.signs)
    last = max(at for at, word in enumerate(words) if _S.FAR in word.signs)
    return any(word.text in (",", "and", "") for word in words[first:last])


def settles(asked: str, answer: str) -> bool:
    """Whether an answer names one of us as who does what was asked for."""
    words = words_of(answer)
    if len(words) > _FEW or any(word.signs & _DENIES for word in words):
        return False
    if not any(word.signs & {_S.UAIX, _S.WE, _S.OUR} for word in words[:3]):
        return False
    return _named(words_of(asked))


def _named(words: list[Word]) -> bool:
    roles = frozenset[tuple[object, Part]]().union(*(word.roles for word in words))
    return any(
        part in (Part.SURE, Part.NAMED) or (part is Part.ACT and (field, Part.THING) in roles) for field, part in roles
    )
