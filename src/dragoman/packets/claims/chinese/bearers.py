"""Who is said to have a capability in a Chinese clause (see `reading`).

1. Who stands behind 由, 靠 or 交给; then the nearest subject before the word; then who is named after it; then the
   subject of the clause before, or of a bare topic the one of the clause after (自动续跑，UAIX 全包了).
2. What stands behind a preposition is no subject, nor is who need not act, or at whose place it is done.
3. What is ours and acts for itself (我们的调度器) is another's. An adapter is of whoever makes it, not of the product
   that it is for.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from dragoman.packets.claims.chinese.clauses import Clause, Tags, Token
from dragoman.packets.claims.chinese.denials import negated
from dragoman.packets.claims.chinese.scene import FOR_YOU, OURS, PROVIDER, THEIRS, UAIX, Here, ends
from dragoman.packets.claims.chinese.tags import Tag
from dragoman.packets.claims.seven import Field, Part

_T: Final = Tag
_SERVICES: Final = frozenset({Field.MESSAGES, Field.IMPORT, Field.ADAPTER, Field.CERT})
_WORK: Final = frozenset({Field.RUN, Field.REPO, Field.IMPORT})
_NOUNS: Final = frozenset({Field.ADAPTER, Field.CERT})
_TOWARDS: Final = frozenset({"给", "向", "对", "对于", "从", "把"})
_TAKEN: Final = frozenset({"收到", "读取", "打开", "根据", "按", "按照", "依据", "参照"})
_MACHINES: Final = frozenset({"服务器", "机器", "平台", "云"})
_HOSTS: Final = frozenset({"平台", "云端", "网站", "服务端", "官网", "云上", "系统"})
_PLACES: Final = frozenset({"那边", "这边", "那里", "手里", "两边", "双方", "之间", "那头", "系统里"})


def subject_of(clause: Clause) -> Tags:
    """Who the clause is about: the first bearer that is not behind a preposition."""
    for number, token in enumerate(clause.tokens):
        who = _who(clause, number) if _T.FILL not in token.tags else frozenset()
        if who and (number == 0 or not _behind(clause, number)):
            return who
    return clause.tags & (UAIX | {_T.OUR}) if _T.PLACE in clause.tags else frozenset()


def _who(clause: Clause, number: int) -> Tags:
    """Who a word stands for."""
    token = clause.tokens[number]
    who = token.tags & (OURS | THEIRS)
    if who == {_T.OUR}:
        return _of_ours(clause, number)
    if who == {_T.PACKET} and number and clause.tokens[number - 1].word in _TAKEN:
        return frozenset()
    if who == {_T.WE} and any(
        _T.AGENT in after.tags and not after.gap for after in clause.tokens[number + 1 : number + 2]
    ):
        return frozenset({_T.OTHER})
    if who == {_T.MANUAL} and number and clause.tokens[number - 1].tags & OURS:
        return frozenset()
    return who


def _of_ours(clause: Clause, number: int) -> Tags:
    """Whether what is ours is a service of ours, the packet, or a thing with a life of its own."""
    token, following = clause.tokens[number], clause.tokens[number + 1 : number + 2]
    for after in following:
        if after.tags & UAIX:
            return after.tags & UAIX
        if after.tags & (OURS | {_T.PLACE}) or any(field in _SERVICES for field, _ in after.roles):
            return frozenset({_T.OUR})
    ours = _T.PLACE in token.tags or not clause.tags.isdisjoint({_T.BENEFIT, _T.YOU})
    return frozenset({_T.OUR}) if ours else frozenset({_T.OTHER})


def _behind(clause: Clause, number: int) -> bool:
    """Whether a word stands behind a preposition, at the end of a list too: 从 Notion、飞书."""
    tokens = clause.tokens
    while number > 2 and _T.NAME in tokens[number].tags and tokens[number - 1].word == "、":
        number -= 2
    before = tokens[number - 1]
    if _T.TO not in before.tags or _T.BY in before.tags:
        return False
    if tokens[number].tags & OURS:
        return before.word in _TOWARDS
    return before.word != "在" or not any(token.word in _MACHINES for token in tokens[number + 1 : number + 3])


def whose(here: Here, at: int) -> Tags:
    """Who is said to have what the word at a place names; nobody, if nobody is named."""
    clause = here.clause
    fields = {field for field, _ in clause.tokens[at].roles}
    if _T.BY not in clause.tags:
        if fields & _NOUNS and _T.UAIX in _near(here, at, fields):
            return frozenset({_T.UAIX})
        if Field.ADAPTER in fields:
            return _maker(here)
    who = _bearer(here, at)
    inherited = bool(who) and who == here.subject and not subject_of(clause)
    if inherited and who & THEIRS and (_serves(clause) or (clause.tags & FOR_YOU and not who & {_T.NAME, _T.SELF})):
        who = frozenset()
    return who or _named_later(here)


def _near(here: Here, at: int, fields: set[Field]) -> Tags:
    """Where UAIX may be named as who certifies or makes it: the sentence, or the clause and a bracket after it."""
    clause = here.clause
    if Field.ADAPTER in fields or (Field.CERT, Part.SURE) in clause.tokens[at].roles:
        return here.tags
    return clause.tags | here.later.tags if ends(clause, "(（") and here.later else clause.tags


def _named_later(here: Here) -> Tags:
    """Who is named only in the next clauses; one that denies is for `denials`."""
    later = here.later
    if later is None:
        return frozenset()
    if ends(here.clause, ":：") and later.tags & {_T.NAME, _T.OTHER}:
        return THEIRS
    if later.tags & {_T.OTHER, _T.MANUAL} and not later.tags & (OURS | {_T.EASE}) and not later.turned:
        return THEIRS
    for clause in here.clauses[here.number + 1 : here.number + 3]:
        ours = clause.tags & (UAIX | PROVIDER if _T.BENEFIT in clause.tags else UAIX)
        if ours and not negated(clause):
            return ours
    return frozenset()


def _serves(clause: Clause) -> bool:
    """Whether the name of the service stands at the head of its clause and does something itself: 中继会替您保留."""
    return any(part is Part.SURE for _, part in clause.tokens[0].roles) and _T.MAY in clause.tags


def _maker(here: Here) -> Tags:
    """Who makes an adapter; the product that it is for makes it only where it has it: Notion 的官方集成."""
    tokens = here.clause.tokens
    if any(_T.WE in one.tags and two.word == "用" for one, two in pairwise(tokens)):
        return THEIRS
    ours = frozenset[Tag]().union(*(token.tags & OURS for token in tokens if token.word != "官方"))
    if ours:
        return ours
    for number, token in enumerate(tokens):
        if _T.OTHER in token.tags or (_T.NAME in token.tags and _has(tokens[number + 1 : number + 3])):
            return THEIRS
    if any(one.word == "官方" and _T.MAY in two.tags for one, two in pairwise(tokens)):
        return PROVIDER
    return here.subject


def _has(following: tuple[Token, ...]) -> bool:
    after = [token for token in following if token.word != "官方"][:1]
    if following and following[0].word != "官方":
        after = [following[0]]
    return any(token.tags & {_T.OF, _T.MAY, _T.VOICE} or token.word == "为" for token in after)


def _bearer(here: Here, at: int) -> Tags:
    """Who does it: behind 由, then the nearest subject before, then the one behind it, then the one of before."""
    clause, tokens = here.clause, here.clause.tokens
    agent = _agent(tokens)
    if agent:
        return agent
    if at > 1 and _T.MAY in tokens[1].tags and tokens[0].tags & {_T.OTHER, _T.NAME} and not tokens[0].tags & OURS:
        return THEIRS
    fields = {field for field, _ in tokens[at].roles}
    if at > 1 and _T.AGENT in tokens[0].tags and _T.MAY in tokens[1].tags and fields & _WORK:
        return THEIRS
    for number in range(at - 1, -1, -1):
        who = _who(clause, number)
        if who and not (number and _behind(clause, number)) and not _spared(tokens, number, at):
            return who
    return _after(tokens, at) or here.subject


def _agent(tokens: tuple[Token, ...]) -> Tags:
    """Who stands behind 由, 靠 or 交给; somebody unknown behind 由 is another."""
    for number, token in enumerate(tokens):
        if _T.BY not in token.tags:
            continue
        for follower in tokens[number + 1 : number + 4]:
            who = follower.tags & (OURS | THEIRS | {_T.YOU})
            if who or follower.word in _HOSTS:
                return who or PROVIDER
            if _T.BE not in follower.tags and any(part is Part.ACT for _, part in follower.roles):
                break
        if token.word[-1] in "由归靠":
            return THEIRS
    return frozenset()


def _after(tokens: tuple[Token, ...], at: int) -> Tags:
    """Who is named behind the word: 合并这件事 UAIX 干; 编排是你的运行时的事."""
    was = False
    for number, token in enumerate(tokens[at:], at):
        following = tokens[number + 1 : number + 3]
        if _T.JOB in token.tags and was:
            return THEIRS
        if token.word == "在" and any(_T.OTHER in other.tags for other in following[:1]):
            return THEIRS
        if _T.BE in token.tags:
            was = True
            if any(other.tags & (THEIRS | {_T.YOU}) for other in following):
                return THEIRS
        who = token.tags & (OURS | {_T.MANUAL})
        if who:
            return who
    return frozenset()


def _spared(tokens: tuple[Token, ...], number: int, at: int) -> bool:
    """Whether somebody is only named as one who need not act, or at whose place it is done: 对方的系统那边."""
    if tokens[number].tags & OURS:
        return False
    if any(token.tags & {_T.EASE, _T.NOT} for token in tokens[max(0, number - 2) : number]):
        return True
    return any(token.word in _PLACES for token in tokens[number + 1 : at])
