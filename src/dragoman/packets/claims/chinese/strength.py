"""How surely a word of a Chinese clause speaks of a capability (see `reading`).

1. A name of the capability is sure. An act needs its object, in the sentence or in the question before; with the manner
   of a machine (自动, 后台) or of an offer (替您, 无需) it is sure too.
2. An act of daily life (更新, 看到) needs that manner besides; of sync it is sure where a change comes before it.
3. What a record tells, what is supposed and what somebody has to do himself is not said.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.chinese.clauses import Clause, Tags, Token
from dragoman.packets.claims.chinese.scene import MANNER, UAIX, Here, acts
from dragoman.packets.claims.chinese.tags import Tag
from dragoman.packets.claims.seven import Field, Part

_T: Final = Tag
_ADAPTERS: Final = frozenset({(Field.ADAPTER, Part.SURE), (Field.ADAPTER, Part.ACT)})
_KEPT: Final = frozenset(
    {
        "服务器",
        "云端",
        "云上",
        "云",
        "云里",
        "机房",
        "机器",
        "这边",
        "这里",
        "那边",
        "那里",
        "这儿",
        "平台",
        "服务端",
        "硬盘",
        "后台",
    }
)
_FEW: Final = 3
_NOUN_IF: Final[Tags] = frozenset({_T.MAY, _T.OF, _T.AUTO, _T.FILL, _T.TO})


def strength(here: Here, at: int) -> int:
    """2: a capability by its name or with the manner of one; 1: an act with its object; 0: none."""
    clause = here.clause
    token = clause.tokens[at]
    best = int((Field.MESSAGES, Part.THING) in token.roles and _T.PACKET not in token.tags and kept(clause))
    if _T.DEPUTY in clause.tags and here.roles:
        best = 1
    return max([best, *(_of(here, at, field, part) for field, part in token.roles)])


def _of(here: Here, at: int, field: Field, part: Part) -> int:
    clause = here.clause
    if field is Field.CERT and _T.BAD in clause.tags:
        return 0
    if part is Part.SURE or (field is Field.ADAPTER and _official(here)):
        return 2
    manner = 2 if clause.tags & MANNER or here.before & {_T.EASE, _T.BENEFIT} else 1
    best = int(part in (Part.NAMED, Part.ACT) and _handed(here))
    if part is Part.NAMED:
        return max(manner, 2 if _offered(here) else 1)
    if part is Part.THING or not _has(here, at, field):
        return best
    if part is Part.ACT:
        return best if _T.FORM in clause.tags and field is Field.RUN else manner
    return max(best, _softly(here, field))


def _handed(here: Here) -> bool:
    """Whether the next clause hands to us what this one names: 无人值守跑批，交给 UAIX 就行."""
    later = here.later
    return later is not None and _T.BY in later.tags and bool(later.tags & UAIX) and not acts(later.roles)


def kept(clause: Clause) -> bool:
    """Whether something is said to be at UAIX: 消息都在 UAIX 的云上."""
    return any(
        token.tags & {_T.UAIX, _T.WE} and any(other.word in _KEPT for other in clause.tokens[number + 1 : number + 3])
        for number, token in enumerate(clause.tokens)
    )


def _offered(here: Here) -> bool:
    """Whether an act is offered like goods, by its clause or, of a bare topic, by the next one: 同步嘛，开箱就有."""
    if _T.VOICE in here.clause.tags:
        return True
    later = here.later
    return later is not None and len(here.clause.tokens) < _FEW and bool(later.tags & (MANNER | {_T.VOICE}))


def _softly(here: Here, field: Field) -> int:
    sync, tags = field is Field.SYNC, here.clause.tags
    if _T.FORM in tags:
        return 0
    near = tags | here.before if sync else tags
    if near.isdisjoint(MANNER) and not (sync and _T.SURELY in tags):
        return 0
    return 2 if sync and ((field, Part.SOFT) in here.earlier or _T.AUTO in here.before) else 1


def _has(here: Here, at: int, field: Field) -> bool:
    """Whether the object of a field stands beside the act or was spoken of before."""
    thing = (field, Part.THING)
    if any(thing in token.roles for number, token in enumerate(here.clause.tokens) if number != at):
        return True
    return (thing in here.roles and thing not in here.clause.roles) or (field, Part.SURE) in here.roles


def _official(here: Here) -> bool:
    """Whether an adapter is called official, in this clause or the one before."""
    thing, roles = (Field.ADAPTER, Part.THING), here.clause.roles
    if thing in roles:
        return not here.roles.isdisjoint(_ADAPTERS)
    return thing in here.roles and not roles.isdisjoint(_ADAPTERS)


def told(here: Here, at: int) -> bool:
    """Whether the clause only says what a record tells (本包记录了…), or is a report, a duty or a supposition."""
    tokens = here.clause.tokens
    if any(token.word in ("也好", "也罢") for token in tokens):
        return True
    for number, token in enumerate(tokens[:at]):
        if not token.tags.isdisjoint({_T.IF, _T.MUST, _T.LIMIT}) or (_T.EVEN in token.tags and number == 0):
            return True
        if _T.SAY in token.tags and _T.WRONG not in here.tags:
            return True
        if token.word == "记录" and (number == 0 or tokens[number + 1].tags & _NOUN_IF):
            continue
        if _T.TELL in token.tags and (number == 0 or _only_named(tokens[:number])):
            return True
    return False


def _only_named(before: tuple[Token, ...]) -> bool:
    """Whether nothing is done before, and UAIX or the packet is named."""
    named = any(token.tags & (UAIX | {_T.IT}) for token in before)
    return named and not any(token.roles or token.tags & MANNER for token in before if not token.tags & UAIX)
