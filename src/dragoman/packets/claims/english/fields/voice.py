"""Whether an English sentence as a whole offers what no packet has, in our voice (see `reading`).

Where one of us is named, an act or a name of a field is spoken of, and the sentence is told like an offer (for you,
automatically, without lifting a finger), it is a claim whatever its grammar. But any denial, any other party, any word
of mere definition, and any trouble or report lets it pass.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.fields.bearers import OURS, subject
from dragoman.packets.claims.english.fields.names import bad
from dragoman.packets.claims.english.fields.scene import Here
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.seven import Field, Part, Role

_S: Final = Sign
_LETS: Final[Signs] = frozenset(
    {_S.NOT, _S.NO, _S.DENY, _S.IF, _S.OTHER, _S.NAME, _S.DEFINE, _S.MUST, _S.SELF, _S.WANT, _S.TELL}
)
_FOR: Final[Signs] = frozenset({_S.FOR_YOU, _S.YOUR, _S.EASE})
_MANNER: Final[Signs] = _FOR | {_S.AUTO, _S.OFFER}


def offered(here: Here) -> bool:
    """Whether the sentence offers a capability in our voice."""
    signs = here.signs
    if signs & _LETS or any(bad(clause.words) for clause in here.clauses):
        return False
    roles = frozenset[Role]().union(*(clause.roles for clause in here.clauses))
    if not roles:
        return False
    if _S.UAIX in signs:
        return bool(signs & _MANNER)
    if not any(part in (Part.ACT, Part.NAMED, Part.SURE) for _, part in roles):
        return False
    if _reported(here):
        return False
    if signs & _FOR and any(subject(clause) & OURS for clause in here.clauses):
        return True
    return _S.WE in signs and _S.AUTO in signs and not any(field is Field.REPO for field, _ in roles)


def _reported(here: Here) -> bool:
    """Whether what we did ourselves is told."""
    return any(
        _S.ED in word.signs
        and _S.BASE not in word.signs
        and not any(_S.BE in before.signs for before in clause.words[max(0, at - 4) : at])
        for clause in here.clauses
        for at, word in enumerate(clause.words)
    )
