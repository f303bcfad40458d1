"""Whether a capability is said to be ours in a Chinese clause (see `reading`).

1. Of UAIX and the packet it is a claim, unless something is done to the packet (本包已提交到仓库).
2. What we do ourselves in our work is a report; it is a claim where it is sure, or done for the reader (替您).
3. Of nobody it is a claim only where it is sure and offered, or stands bare like a heading. Reports of troubles, of
   what was done and of what other products do are none.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.chinese.clauses import Clause, Tags
from dragoman.packets.claims.chinese.scene import (
    FOR_YOU,
    MANNER,
    OFFER,
    OURS,
    PROVIDER,
    THEIRS,
    UAIX,
    Here,
    named_others,
)
from dragoman.packets.claims.chinese.tags import Tag
from dragoman.packets.claims.seven import Field, Part

_T: Final = Tag
_BARE: Final = 2
"""Fewer unknown letters than these in a clause, and it is bare."""
_WORK: Final = frozenset({Field.RUN, Field.SYNC, Field.IMPORT})
_WITH: Final = frozenset({"用", "从", "把", "将"})


def is_ours(here: Here, at: int, who: Tags, strength: int) -> bool:
    """Whether what the word at a place names is said of us; `who` is who is said to have it."""
    if not who.isdisjoint(THEIRS | {_T.YOU}) and who.isdisjoint(OURS):
        return False
    if _T.IT in who and not who & UAIX:
        return _it(here, at)
    if not who.isdisjoint(UAIX):
        return not (strength == 1 and _T.UAIX not in who and _handled(here.clause, at))
    if not who.isdisjoint(PROVIDER):
        return _provided(here, at, who, strength)
    return strength == 2 and _nobodys(here, at)


def _it(here: Here, at: int) -> bool:
    """Whether 它 is UAIX: it is who was spoken of last, and at the start of a text the packet."""
    if here.scene.others and not here.scene.ours:
        return False
    return not here.before.isdisjoint(UAIX) or not (here.others or named_others(here.clause.tokens[:at]))


def _provided(here: Here, at: int, who: Tags, strength: int) -> bool:
    """Whether we offer it and do not only report our work."""
    clause, fields = here.clause, {field for field, _ in here.clause.tokens[at].roles}
    if _T.PAST in clause.tags and _T.THIRD in clause.tags:
        return False
    if Field.REPO in fields and here.tags.isdisjoint(FOR_YOU):
        return False
    if fields & _WORK and (_T.OUR not in who or Field.IMPORT not in fields) and _worked(here):
        return False
    if here.others and Field.ADAPTER not in fields and here.tags.isdisjoint({_T.BENEFIT, _T.YOU, _T.UAIX}):
        return False
    return strength == 2 or not here.tags.isdisjoint({_T.BENEFIT, _T.YOU, _T.PLACE})


def _worked(here: Here) -> bool:
    """Whether we tell what we have done, or do among ourselves, and offer it to nobody."""
    if not here.tags.isdisjoint({_T.BENEFIT, _T.VOICE}):
        return False
    return _T.PAST in here.tags or here.tags.isdisjoint(FOR_YOU | {_T.PLACE})


def _nobodys(here: Here, at: int) -> bool:
    """Whether what nobody is named for is offered."""
    clause, tags = here.clause, here.tags
    if (here.scene.others and not here.scene.ours) or here.report or _reported(clause, at):
        return False
    if here.later is not None and _T.TASK in here.later.tags and clause.tags.isdisjoint({_T.VOICE, _T.MAY}):
        return False
    if (Field.ADAPTER, Part.SURE) in clause.tokens[at].roles and _T.DONE in clause.tags:
        return True
    if tags.isdisjoint(FOR_YOU):
        worked = _T.DONE in clause.tags or any(_T.AGENT in token.tags for token in clause.tokens[:at])
        if (worked and _T.VOICE not in tags) or (_T.PROD in clause.tags and _T.DOMAIN not in tags):
            return False
    bare = sum(token.gap for token in clause.tokens) < _BARE
    return not tags.isdisjoint(OFFER) or (bare and not any(token.word in _WITH for token in clause.tokens))


def _reported(clause: Clause, at: int) -> bool:
    """Whether a trouble is told, or only what something else is about: 同步服务的重构方案."""
    tags = clause.tags
    if _T.BAD in tags and tags.isdisjoint(MANNER | {_T.NOT, _T.VOICE}):
        return True
    following = clause.tokens[at + 1 : at + 2]
    modifies = any(_T.OF in token.tags for token in following) and len(clause.tokens) > at + 2
    return modifies and tags.isdisjoint({_T.VOICE, _T.BENEFIT, _T.YOU, _T.MAY})


def _handled(clause: Clause, at: int) -> bool:
    """Whether something is done to the packet itself: 本包已提交到仓库."""
    if clause.tags & MANNER:
        return False
    token = clause.tokens[at]
    if at and clause.tokens[at - 1].tags & UAIX and any(field is Field.MESSAGES for field, _ in token.roles):
        return True
    if _T.DONE not in clause.tags:
        return False
    return token.word[-1] in "到至进入" or any(_T.TO in after.tags for after in clause.tokens[at + 1 : at + 2])
