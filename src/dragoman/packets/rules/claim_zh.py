"""Whether Chinese prose claims one of the seven capabilities that no packet has (seed, support boundary; spec 3 §5.4).

For each clause of each sentence:
1. Which field is spoken of? A name of the capability, or an act with its object; the object may be known from an
   earlier clause or from the question before.
2. Is it only mentioned? Reports, questions, tasks, plans, lists of words and suppositions assert nothing.
3. Whose is it? Whoever stands behind 由, 靠, 交给; else the nearest subject before it; else the one of the clause before.
   What nobody is named for counts only as a sure name, or in the voice of one who offers something.
4. Is it denied? Two denials without a comma between them are none; 不仅 and 无需 deny nothing; a refusal in the next
   clause denies a topic. A rhetorical question turns it around.
Where two readings are left, the sentence passes.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.packets.rules.claim_zh_answers import answered, plainly
from dragoman.packets.rules.claim_zh_clauses import (
    MOST,
    Clause,
    Roles,
    Sentence,
    Tags,
    Token,
    clauses_of,
    form,
    sentences,
    without_quoted,
)
from dragoman.packets.rules.claim_zh_fields import Field, Part
from dragoman.packets.rules.claim_zh_words import Tag

_T: Final = Tag
_UAIX: Final[Tags] = frozenset({_T.UAIX, _T.PACKET})
_OURS: Final[Tags] = _UAIX | {_T.WE, _T.OUR, _T.IT}
_THEIRS: Final[Tags] = frozenset({_T.OTHER, _T.NAME, _T.MANUAL})
_MENTION: Final[Tags] = frozenset({_T.ASK, _T.PLAN, _T.LIST, _T.BACK})
_NO: Final[Tags] = frozenset({_T.NOT, _T.NOT_ALL, _T.REFUSE})
_MANNER: Final[Tags] = frozenset({_T.AUTO, _T.EASE, _T.BENEFIT})
_OFFER: Final[Tags] = _MANNER | {_T.VOICE, _T.DOMAIN, _T.YOU}
_HEADS: Final = frozenset({Part.SURE, Part.ACT, Part.SOFT, Part.NAMED})
_ADAPTER_NAMES: Final = frozenset({(Field.ADAPTER, Part.SURE), (Field.ADAPTER, Part.ACT)})


class Scene(msgspec.Struct):
    """What the sentences before leave behind: who was spoken of, and what a question was about."""

    subject: Tags = frozenset()
    others: bool = False
    ours: bool = False
    asked: str = ""
    topic: Roles = frozenset()


class _Here(msgspec.Struct):
    """What the clauses before leave behind within a sentence."""

    clauses: list[Clause]
    scene: Scene
    tags: Tags
    roles: Roles = frozenset()
    earlier: Roles = frozenset()
    before: Tags = frozenset()
    subject: Tags = frozenset()
    mention: bool = False
    denied: bool = False
    rhetoric: bool = False
    others: bool = False
    report: bool = False
    number: int = 0
    tasked: bool = False


def says(text: str, scene: Scene | None = None) -> bool:
    """Whether one of the sentences of a text with Han letters asserts a capability."""
    scene = scene or Scene()
    return any(_said(sentence, scene) for sentence in sentences(without_quoted(form(text))))


def _said(sentence: Sentence, scene: Scene) -> bool:
    if sentence.asks:
        clauses = clauses_of(sentence.text)[:MOST]
        tags = frozenset[Tag]().union(*(clause.tags for clause in clauses))
        scene.topic = frozenset[tuple[Field, Part]]().union(*(clause.roles for clause in clauses))
        scene.asked = sentence.text
        return _T.RHETORIC in tags and _asserted(clauses, scene, rhetoric=True)
    found = False
    if scene.asked:
        both = answered(scene.asked + "?", sentence.text)
        found = both is not None and _asserted(clauses_of(both)[:MOST], scene)
    clauses = clauses_of(plainly(sentence.text))
    found = found or any(_asserted(clauses[start : start + MOST], scene) for start in range(0, len(clauses), MOST))
    scene.asked, scene.topic = "", frozenset()
    return found


def _asserted(clauses: list[Clause], scene: Scene, rhetoric: bool = False) -> bool:
    tags = frozenset[Tag]().union(*(clause.tags for clause in clauses))
    here = _Here(clauses, scene, tags, roles=scene.topic, rhetoric=rhetoric)
    here.subject = scene.subject if _T.IT in tags or scene.asked else frozenset()
    found = not (tags & _MENTION - {_T.ASK}) and any(_claimed(here, number) for number in range(len(clauses)))
    scene.subject = here.subject
    scene.others = scene.others or not tags.isdisjoint(_THEIRS)
    scene.ours = scene.ours or not tags.isdisjoint(_UAIX)
    return found


def _claimed(here: _Here, number: int) -> bool:
    """Whether a clause claims something; what it leaves behind goes into `here`."""
    clause = here.clauses[number]
    here.number = number
    if clause.turned:
        here.mention = here.denied = False
    if here.tasked and _subject(clause) & (_UAIX | {_T.WE}) and clause.tags & {_T.MAY, _T.AUTO}:
        here.tasked = here.mention = False
    asked = _T.ASK in clause.tags and not here.rhetoric and not _whatever(clause)
    tasked = _tasked(clause)
    here.tasked = here.tasked or (tasked and not here.mention and not asked and clause.end not in _LISTS)
    here.mention = here.mention or asked or tasked
    here.earlier = here.roles
    kept = _kept(clause)
    here.roles |= clause.roles
    found = not here.mention and _T.MAYBE not in clause.tags and (_settled(here, clause) or any(
        _counts(here, number, at)
        for at, token in enumerate(clause.tokens)
        if token.roles and (any(part in _HEADS or field is Field.ADAPTER for field, part in token.roles) or kept)
    ))
    here.others = here.others or _others(clause.tokens)
    said = _T.SAY in clause.tags and _T.WRONG not in here.tags
    here.mention = here.mention or said or _supposed(clause)
    here.denied = here.denied or _T.NOT_ALL in clause.tags or (clause.end in _LISTS and _T.REFUSE in clause.tags)
    here.report = here.report or (clause.end in _LISTS and _T.REPORT in clause.tags and _T.VOICE not in clause.tags)
    here.before |= clause.tags
    here.subject = _subject(clause) or here.subject
    if clause.end in _LISTS and _T.REPORT in clause.tags and not clause.tags & {_T.UAIX}:
        here.subject = frozenset()
    if _T.ONLY in clause.tags or (clause.roles and clause.tags & _NO and _negated(clause, len(clause.tokens))):
        here.subject = frozenset()
    return found


_LISTS: Final = frozenset(":：)）")


def _others(tokens: tuple[Token, ...]) -> bool:
    return any(token.tags & {_T.OTHER, _T.NAME} and token.word not in _SPEAKERS for token in tokens)


_SPEAKERS: Final = frozenset({"我", "研发", "同事", "运行时"})


def _tasked(clause: Clause) -> bool:
    """Whether something is asked for: 请 anywhere, 麻烦 only at the start, where it is no trouble."""
    return any(_T.TASK in token.tags and (number < 2 or token.word != "麻烦") for number, token in enumerate(clause.tokens))


def _whatever(clause: Clause) -> bool:
    """Whether what seems a question is none: 无论对方是否在线."""
    return any(token.word[:2] in ("无论", "不论", "不管") for token in clause.tokens)


def _settled(here: _Here, clause: Clause) -> bool:
    """Whether we are said to settle what the question before was about: 两边对不上？UAIX 一键搞定."""
    if not here.scene.asked or _T.DOES not in clause.tags or not _subject(clause) & _UAIX:
        return False
    topic = here.scene.topic
    named = any(part is Part.SURE or (part is Part.ACT and (field, Part.THING) in topic) for field, part in topic)
    return named and not clause.tags & {_T.IF, _T.SAY, _T.TELL} and not _negated(clause, len(clause.tokens))


def _supposed(clause: Clause) -> bool:
    """Whether the clause supposes that we had a capability: whatever follows from it is supposed too."""
    may = any(_T.MAY in token.tags and token.word != "有" for token in clause.tokens)
    return (
        _T.IF in clause.tags
        and not clause.tags.isdisjoint(_OURS)
        and any(part is Part.SURE or (may and part in _HEADS) for _, part in clause.roles)
    )


def _counts(here: _Here, number: int, at: int) -> bool:
    clause = here.clauses[number]
    strength = _strength(here, clause, at)
    if not strength or _told(here, clause, at):
        return False
    whose = _whose(here, number, at)
    if strength == 1 and whose == here.subject and _T.YOU in clause.tokens[0].tags and not clause.tags & _OURS:
        return False
    if not _is_ours(here, clause, at, whose, strength):
        return False
    return not _denied(here, number, at)


def _strength(here: _Here, clause: Clause, at: int) -> int:
    """2: a capability by its name or with the manner of one; 1: an act with its object; 0: none."""
    token = clause.tokens[at]
    best = int((Field.MESSAGES, Part.THING) in token.roles and _T.PACKET not in token.tags and _kept(clause))
    manner = bool(clause.tags & _MANNER or here.before & {_T.EASE, _T.BENEFIT})
    if _T.DEPUTY in clause.tags and here.roles:
        best = 1
    for field, part in token.roles:
        if field is Field.CERT and _T.BAD in clause.tags:
            continue
        if part is Part.SURE or (field is Field.ADAPTER and _official(here, clause)):
            return 2
        if part in (Part.NAMED, Part.ACT) and _handed(here, clause):
            best = max(best, 1)
        if part is Part.NAMED:
            best = max(best, 2 if manner or _offered(here, clause) else 1)
        if part is Part.THING or not _has(here, clause, at, field):
            continue
        if part is Part.ACT and not (_T.FORM in clause.tags and field is Field.RUN):
            best = max(best, 2 if manner else 1)
        elif part is Part.SOFT:
            best = max(best, _softly(here, clause, field))
    return best


def _handed(here: _Here, clause: Clause) -> bool:
    """Whether the next clause hands to us what this one names: 无人值守跑批，交给 UAIX 就行."""
    number = here.number + 1
    later = here.clauses[number] if number < len(here.clauses) else clause
    return _T.BY in later.tags and bool(later.tags & _UAIX) and not any(part in _HEADS for _, part in later.roles)


def _kept(clause: Clause) -> bool:
    """Whether something is said to be at UAIX: 消息都在 UAIX 的云上."""
    tokens = clause.tokens
    return any(
        token.tags & {_T.UAIX, _T.WE} and any(other.word in _KEPT for other in tokens[number + 1 : number + 3])
        for number, token in enumerate(tokens)
    )


_KEPT: Final = frozenset("服务器 云端 云上 云 云里 机房 机器 这边 这里 那边 那里 这儿 平台 服务端 硬盘 后台 server".split())


def _offered(here: _Here, clause: Clause) -> bool:
    """Whether an act is offered like goods, by its clause or, of a bare topic, by the next one: 同步嘛，开箱就有."""
    if _T.VOICE in clause.tags:
        return True
    number = here.number + 1
    return len(clause.tokens) < _FEW and any(not later.tags.isdisjoint(_MANNER | {_T.VOICE}) for later in here.clauses[number : number + 1])


_FEW: Final = 3


def _softly(here: _Here, clause: Clause, field: Field) -> int:
    """The strength of an act of daily life: it needs the manner of a machine; of sync, a change before it is enough."""
    near = clause.tags | here.before if field is Field.SYNC else clause.tags
    if near.isdisjoint(_MANNER) and not (field is Field.SYNC and _T.SURELY in clause.tags):
        return 0
    changed = field is Field.SYNC and ((field, Part.SOFT) in here.earlier or _T.AUTO in here.before)
    return 2 if changed else 1


def _has(here: _Here, clause: Clause, at: int, field: Field) -> bool:
    """Whether the object of a field stands beside the act or was spoken of before."""
    thing = (field, Part.THING)
    if any(thing in token.roles for number, token in enumerate(clause.tokens) if number != at):
        return True
    return (thing in here.roles and thing not in clause.roles) or (field, Part.SURE) in here.roles


def _official(here: _Here, clause: Clause) -> bool:
    """Whether an adapter is called official, in this clause or the one before."""
    thing = (Field.ADAPTER, Part.THING)
    return bool(thing in clause.roles and here.roles & _ADAPTER_NAMES or thing in here.roles and clause.roles & _ADAPTER_NAMES)


def _told(here: _Here, clause: Clause, at: int) -> bool:
    """Whether the clause only says what a record tells: 本包记录了…, or is a report, a task or a supposition."""
    if any(token.word in ("也好", "也罢") for token in clause.tokens):
        return True
    for number, token in enumerate(clause.tokens[:at]):
        if not token.tags.isdisjoint({_T.IF, _T.MUST, _T.LIMIT}) or (_T.EVEN in token.tags and number == 0):
            return True
        if _T.SAY in token.tags and _T.WRONG not in here.tags:
            return True
        if token.word == "记录" and (number == 0 or clause.tokens[number + 1].tags & _NOUN_IF):
            continue
        before = clause.tokens[:number]
        if _T.TELL in token.tags and (not before or _only_named(before)):
            return True
    return False


def _only_named(before: tuple[Token, ...]) -> bool:
    """Whether nothing is done before, and UAIX or the packet is named."""
    named = any(token.tags & (_UAIX | {_T.IT}) for token in before)
    return named and not any(token.roles or token.tags & _MANNER for token in before if not token.tags & _UAIX)


_NOUN_IF: Final[Tags] = frozenset({_T.MAY, _T.OF, _T.AUTO, _T.FILL, _T.TO})


def _subject(clause: Clause) -> Tags:
    """Who the clause is about: the first bearer that is not behind a preposition."""
    for number, token in enumerate(clause.tokens):
        who = _who(clause, number) if _T.FILL not in token.tags else frozenset()
        if who and (number == 0 or not _behind(clause, number)):
            return who
    if _T.PLACE in clause.tags:
        return clause.tags & (_UAIX | {_T.OUR})
    return frozenset()


def _who(clause: Clause, number: int) -> Tags:
    """Who a word stands for; what is ours and does things of its own is somebody else: 我们的调度器."""
    token = clause.tokens[number]
    who = token.tags & (_OURS | _THEIRS)
    if who == {_T.OUR}:
        following = clause.tokens[number + 1] if number + 1 < len(clause.tokens) else None
        ours = following is not None and (
            following.tags & (_OURS | {_T.PLACE}) or any(field in _SERVICES for field, _ in following.roles)
        )
        ours = ours or _T.PLACE in token.tags or not clause.tags.isdisjoint({_T.BENEFIT, _T.YOU})
        if following is not None and following.tags & _UAIX:
            return following.tags & _UAIX
        return who if ours else frozenset({_T.OTHER})
    if who == {_T.MANUAL} and number and clause.tokens[number - 1].tags & _OURS:
        return frozenset()
    return who


_SERVICES: Final = frozenset({Field.MESSAGES, Field.IMPORT, Field.ADAPTER, Field.CERT})


def _behind(clause: Clause, number: int) -> bool:
    while number > 2 and _T.NAME in clause.tokens[number].tags and clause.tokens[number - 1].word == "、":
        number -= 2
    before = clause.tokens[number - 1]
    if _T.TO not in before.tags or _T.BY in before.tags:
        return False
    if clause.tokens[number].tags & _OURS:
        return before.word in _TOWARDS
    return before.word != "在" or not any(token.word in _MACHINES for token in clause.tokens[number + 1 : number + 3])


_TOWARDS: Final = frozenset({"给", "向", "对", "对于", "从", "把"})
_MACHINES: Final = frozenset({"服务器", "机器", "平台", "云"})


def _whose(here: _Here, number: int, at: int) -> Tags:
    """The bearer; of a bare topic the one of the next clauses: 自动续跑，UAIX 全包了."""
    clause = here.clauses[number]
    fields = {field for field, _ in clause.tokens[at].roles}
    near = here.tags if (Field.CERT, Part.SURE) in clause.tokens[at].roles or Field.ADAPTER in fields else clause.tags
    if clause.end and clause.end in "(（" and number + 1 < len(here.clauses):
        near |= here.clauses[number + 1].tags
    if fields & _NOUNS and near & {_T.UAIX} and not clause.tags & {_T.BY}:
        return frozenset({_T.UAIX})
    if Field.ADAPTER in fields and not clause.tags & {_T.BY}:
        return _maker(here, clause)
    whose = _bearer(here, clause, at)
    inherited = bool(whose) and whose == here.subject and not _subject(clause)
    offered = bool(clause.tags & {_T.BENEFIT, _T.EASE, _T.YOU}) and _T.NAME not in whose
    if inherited and whose & _THEIRS and (_agent(clause, at) or offered):
        whose = frozenset()
    later = here.clauses[number + 1 : number + 2]
    if not whose and clause.end and clause.end in ":：" and later and later[0].tags & {_T.NAME, _T.OTHER}:
        return _THEIRS
    if not whose:
        if later and later[0].tags & {_T.OTHER, _T.MANUAL} and not later[0].tags & (_OURS | {_T.EASE}) and not later[0].turned:
            return _THEIRS
        for later in here.clauses[number + 1 : number + 3]:
            ours = later.tags & (_UAIX if later.tags.isdisjoint({_T.BENEFIT}) else _UAIX | {_T.WE, _T.OUR})
            if ours and not _negated(later, len(later.tokens)):
                return ours
    return whose


def _agent(clause: Clause, at: int) -> bool:
    """Whether the name of the service stands at the head of its clause and does something itself: 中继会替您保留."""
    return any(part is Part.SURE for _, part in clause.tokens[0].roles) and at >= 0 and _T.MAY in clause.tags


def _maker(here: _Here, clause: Clause) -> Tags:
    """Who makes an adapter; the product that it is for is none of its makers, unless it has it: Notion 的官方集成."""
    if any(one.tags & {_T.WE} and two.word == "用" for one, two in zip(clause.tokens, clause.tokens[1:], strict=False)):
        return _THEIRS
    ours = frozenset[Tag]().union(*(token.tags & _OURS for token in clause.tokens if token.word != "官方"))
    if ours:
        return ours
    for number, token in enumerate(clause.tokens):
        following = clause.tokens[number + 1 : number + 2]
        if following and following[0].word == "官方":
            following = clause.tokens[number + 2 : number + 3]
        has = following and (following[0].tags & {_T.OF, _T.MAY, _T.VOICE} or following[0].word == "为")
        if _T.OTHER in token.tags or (_T.NAME in token.tags and has):
            return _THEIRS
    return here.subject


_NOUNS: Final = frozenset({Field.ADAPTER, Field.CERT})


def _bearer(here: _Here, clause: Clause, at: int) -> Tags:
    """Who does it: behind 由, then the nearest subject before, then the one behind it, then the one of before."""
    tokens = clause.tokens
    for number, token in enumerate(tokens):
        if _T.BY in token.tags:
            for follower in tokens[number + 1 : number + 4]:
                who = follower.tags & (_OURS | _THEIRS | {_T.YOU})
                if who:
                    return who
                if follower.word in _HOSTS:
                    return frozenset({_T.WE, _T.OUR})
                if _T.BE not in follower.tags and any(part is Part.ACT for _, part in follower.roles):
                    break
            if token.word[-1] in "由归靠":
                return frozenset({_T.OTHER})
    if at > 1 and _T.MAY in tokens[1].tags and tokens[0].tags & {_T.OTHER, _T.NAME} and not tokens[0].tags & _OURS:
        return _THEIRS
    for number in range(at - 1, -1, -1):
        who = _who(clause, number)
        if who and not (number and _behind(clause, number)) and not _spared(clause, number, at):
            return who
    for number, token in enumerate(tokens[at:], at):
        if _T.JOB in token.tags and any(_T.BE in before.tags for before in tokens[at:number]):
            return _THEIRS
        if token.word == "在" and any(_T.OTHER in other.tags for other in tokens[number + 1 : number + 2]):
            return _THEIRS
        if _T.BE in token.tags and any(other.tags & (_THEIRS | {_T.YOU}) for other in tokens[number + 1 : number + 3]):
            return _THEIRS
        who = token.tags & (_OURS | {_T.MANUAL})
        if who:
            return who
    return here.subject


_HOSTS: Final = frozenset("平台 云端 网站 后台 服务端 官网 云上 系统".split())


def _spared(clause: Clause, number: int, at: int) -> bool:
    """Whether somebody is only named as one who need not act, or at whose place it is done: 对方的系统那边."""
    tokens = clause.tokens
    if tokens[number].tags & _OURS:
        return False
    if any(token.tags & {_T.EASE, _T.NOT} for token in tokens[max(0, number - 2) : number]):
        return True
    return any(token.word in _PLACES for token in tokens[number + 1 : at])


_PLACES: Final = frozenset("那边 这边 那里 手里 两边 双方 之间 那头 系统里".split())


def _is_ours(here: _Here, clause: Clause, at: int, whose: Tags, strength: int) -> bool:
    if not whose.isdisjoint(_THEIRS | {_T.YOU}) and whose.isdisjoint(_OURS):
        return False
    near = here.tags
    if _T.IT in whose and not whose & _UAIX:
        others = here.scene.others and not here.scene.ours
        named = here.others or _others(clause.tokens[:at])
        return not others and (bool(here.before & _UAIX) or not named)
    if not whose.isdisjoint(_UAIX):
        return not (strength == 1 and _handled(clause, at, whose))
    if not whose.isdisjoint({_T.WE, _T.OUR}):
        if clause.tags & {_T.PAST} and clause.tags & {_T.THIRD}:
            return False
        if any(field is Field.REPO for field, _ in clause.tokens[at].roles) and not here.tags & {_T.BENEFIT, _T.YOU, _T.EASE}:
            return False
        official = any(field is Field.ADAPTER for field, _ in clause.tokens[at].roles)
        if here.others and not official and not here.tags & {_T.BENEFIT, _T.YOU, _T.UAIX}:
            return False
        return strength == 2 or not near.isdisjoint({_T.BENEFIT, _T.YOU, _T.PLACE})
    if here.scene.others and not here.scene.ours:
        return False
    if here.report or _reported(clause, at):
        return False
    official = (Field.ADAPTER, Part.SURE) in clause.tokens[at].roles
    if official and _T.DONE in clause.tags:
        return True
    if near.isdisjoint({_T.VOICE, _T.BENEFIT, _T.EASE, _T.YOU}) and (
        _T.DONE in clause.tags or any(_T.AGENT in token.tags for token in clause.tokens[:at])
    ):
        return False
    if _T.PROD in clause.tags and near.isdisjoint({_T.BENEFIT, _T.EASE, _T.YOU, _T.DOMAIN}):
        return False
    bare = sum(token.gap for token in clause.tokens) < _BARE and not any(token.word in _WITH for token in clause.tokens)
    return strength == 2 and (bare or not near.isdisjoint(_OFFER))


_BARE: Final = 2
_WITH: Final = frozenset({"用", "从", "把", "将"})


def _reported(clause: Clause, at: int) -> bool:
    """Whether what nobody is named for is a trouble, or only what something else is about: 同步服务的重构方案."""
    tags = clause.tags
    if _T.BAD in tags and tags.isdisjoint({_T.AUTO, _T.BENEFIT, _T.EASE, _T.NOT, _T.VOICE}):
        return True
    following = clause.tokens[at + 1 : at + 2]
    modifies = bool(following) and _T.OF in following[0].tags and len(clause.tokens) > at + _BARE
    return modifies and tags.isdisjoint({_T.VOICE, _T.BENEFIT, _T.YOU, _T.MAY})


def _handled(clause: Clause, at: int, whose: Tags) -> bool:
    """Whether something is done to the packet itself: 本包已提交到仓库."""
    if whose & {_T.UAIX} or clause.tags & _MANNER:
        return False
    if at and clause.tokens[at - 1].tags & _UAIX and {field for field, _ in clause.tokens[at].roles} & {Field.MESSAGES}:
        return True
    if _T.DONE not in clause.tags:
        return False
    following = clause.tokens[at + 1 : at + 2]
    return clause.tokens[at].word[-1] in "到至进入" or any(_T.TO in token.tags for token in following)


def _denied(here: _Here, number: int, at: int) -> bool:
    clause = here.clauses[number]
    denied = here.denied or _negated(clause, at)
    wrong = any(_T.WRONG in later.tags for later in here.clauses[number:])
    if not denied and not wrong and number + 1 < len(here.clauses):
        denied = _refused(clause, here.clauses[number + 1], at)
    return denied != (wrong != (_T.RHETORIC in clause.tags))


def _negated(clause: Clause, at: int) -> bool:
    """Whether an odd chain of denials stands in the clause; 、 and what is done in between part two chains."""
    odd, denied = False, False
    for number, token in enumerate(clause.tokens):
        if _T.AND in token.tags or (number < at and any(part in _HEADS for _, part in token.roles)):
            denied, odd = denied or odd, False
        unrelated = token.word == "没关系" and any(_T.TO in before.tags for before in clause.tokens[:number])
        if unrelated or (token.tags & _NO and not token.tags & _SPOKEN and not _eased(clause, number, at)):
            odd = not odd
    return denied or odd


_SPOKEN: Final[Tags] = frozenset({_T.FILL, _T.EASE, _T.WRONG})


def _eased(clause: Clause, number: int, at: int) -> bool:
    """Whether a denial denies only something bad, or what somebody lacks who is spoken of: 没有信箱的智能体."""
    tokens = clause.tokens
    if any(_T.BAD in token.tags for token in tokens[number + 1 : number + 3]):
        return True
    return any(
        _T.OF in tokens[next_].tags and _T.WHO in tokens[next_ + 1].tags
        for next_ in range(number + 1, min(number + 5, at, len(tokens) - 1))
    )


def _elsewhere(clause: Clause) -> bool:
    """Whether the denial of a clause is of somebody else: 招标方不会再问."""
    for number, token in enumerate(clause.tokens):
        if not token.tags.isdisjoint(_NO):
            return sum(before.gap for before in clause.tokens[:number]) > _BARE
        if _T.WHO in token.tags:
            return True
    return False


_TOPIC: Final = 5


def _refused(clause: Clause, later: Clause, at: int) -> bool:
    """Whether the next clause refuses what this one only names."""
    if clause.end and clause.end in ":：|" and _negated(later, len(later.tokens)):
        return True
    if later.turned or _elsewhere(later):
        return False
    if not _subject(clause) and not clause.tags & (_MANNER - {_T.AUTO} | {_T.MAY}) and len(clause.tokens) < _TOPIC:
        return _negated(later, len(later.tokens))
    if any(part in _HEADS for _, part in later.roles):
        return False
    acted = any(not token.tags.isdisjoint(_UAIX) for token in clause.tokens[:at]) and _T.MAY in clause.tags
    refuses = _T.REFUSE in later.tags or bool(later.tags & _UAIX)
    return not acted and refuses and _negated(later, len(later.tokens))
