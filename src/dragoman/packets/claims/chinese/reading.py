"""Whether Chinese prose claims one of the seven capabilities that no packet has (seed, support boundary; spec 3 §5.4).

For each clause of each sentence:
1. Which field is spoken of? A name of the capability, or an act with its object; the object may be known from an
   earlier clause or from the question before.
2. Is it only mentioned? Reports, questions, tasks, plans, lists of words and suppositions assert nothing.
3. Whose is it? Whoever stands behind 由, 靠, 交给; else the nearest subject before it; else the one of the clause
   before. What nobody is named for counts only as a sure name, or in the voice of one who offers something.
4. Is it denied? Two denials without a comma between them are none; 不仅 and 无需 deny nothing; a refusal in the next
   clause denies a topic. A rhetorical question turns it around.
Where two readings are left, the sentence passes.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.chinese.answers import answered, plainly
from dragoman.packets.claims.chinese.bearers import subject_of, whose
from dragoman.packets.claims.chinese.clauses import MOST, Clause, Sentence, Tags, clauses_of, sentences
from dragoman.packets.claims.chinese.denials import denied, negated
from dragoman.packets.claims.chinese.ours import is_ours
from dragoman.packets.claims.chinese.scene import (
    DENIALS,
    HEADS,
    LISTS,
    OURS,
    THEIRS,
    UAIX,
    Here,
    Scene,
    ends,
    named_others,
)
from dragoman.packets.claims.chinese.strength import kept, strength, told
from dragoman.packets.claims.chinese.tags import Tag
from dragoman.packets.claims.seven import Field, Part

_T: Final = Tag
_MENTION: Final[Tags] = frozenset({_T.PLAN, _T.LIST, _T.BACK})
"""What makes a whole sentence a mention."""


def says(text: str) -> bool:
    """Whether one of the sentences of a Chinese text, in the form of `clauses`, asserts a capability."""
    scene = Scene()
    return any(_said(sentence, scene) for sentence in sentences(text))


def _said(sentence: Sentence, scene: Scene) -> bool:
    if sentence.asks:
        clauses = clauses_of(sentence.text)[:MOST]
        scene.topic = frozenset[tuple[Field, Part]]().union(*(clause.roles for clause in clauses))
        scene.asked = sentence.text
        rhetoric = any(_T.RHETORIC in clause.tags for clause in clauses)
        return rhetoric and _asserted(clauses, scene, rhetoric=True)
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
    here = Here(clauses, scene, tags, roles=scene.topic, rhetoric=rhetoric)
    here.subject = scene.subject if _T.IT in tags or scene.asked else frozenset()
    found = tags.isdisjoint(_MENTION) and any(_claimed(here, number) for number in range(len(clauses)))
    scene.subject = here.subject
    scene.others = scene.others or not tags.isdisjoint(THEIRS)
    scene.ours = scene.ours or not tags.isdisjoint(UAIX)
    return found


def _claimed(here: Here, number: int) -> bool:
    """Whether a clause claims something; what it leaves behind goes into `here`."""
    here.number = number
    clause = here.clause
    subject = subject_of(clause)
    _listen(here, subject)
    here.earlier = here.roles
    here.roles |= clause.roles
    found = not here.mention and _T.MAYBE not in clause.tags and (_settled(here, subject) or _spoken(here, subject))
    _remember(here, subject)
    return found


def _listen(here: Here, subject: Tags) -> None:
    """Whether the clause asserts at all: a contrast, and we as subject after a request, begin anew."""
    clause = here.clause
    if clause.turned:
        here.mention = here.denied = False
    if here.tasked and subject & (UAIX | {_T.WE}) and clause.tags & {_T.MAY, _T.AUTO}:
        here.tasked = here.mention = False
    asked = _T.ASK in clause.tags and not here.rhetoric and not _whatever(clause)
    tasked = _tasked(clause)
    here.tasked = here.tasked or (tasked and not here.mention and not asked and not ends(clause, LISTS))
    here.mention = here.mention or asked or tasked


def _spoken(here: Here, subject: Tags) -> bool:
    """Whether one of the words of the clause is a capability that is said of us."""
    at_uaix = kept(here.clause)
    return any(
        _counts(here, at, subject)
        for at, token in enumerate(here.clause.tokens)
        if token.roles and (at_uaix or any(part in HEADS or field is Field.ADAPTER for field, part in token.roles))
    )


def _counts(here: Here, at: int, subject: Tags) -> bool:
    clause, sure = here.clause, strength(here, at)
    if not sure or told(here, at):
        return False
    who = whose(here, at)
    if sure == 1 and who == here.subject and _T.YOU in clause.tokens[0].tags and clause.tags.isdisjoint(OURS):
        return False
    return is_ours(here, at, who, sure) and not denied(here, at, subject)


def _remember(here: Here, subject: Tags) -> None:
    clause = here.clause
    here.others = here.others or named_others(clause.tokens)
    here.mention = here.mention or (_T.SAY in clause.tags and _T.WRONG not in here.tags) or _supposed(clause)
    heading = ends(clause, LISTS)
    here.denied = here.denied or _T.NOT_ALL in clause.tags or (heading and _T.REFUSE in clause.tags and negated(clause))
    report = heading and _T.REPORT in clause.tags
    here.report = here.report or (report and _T.VOICE not in clause.tags)
    here.before |= clause.tags
    here.subject = subject or here.subject
    refused = bool(clause.roles and clause.tags & DENIALS) and negated(clause)
    if refused or _T.ONLY in clause.tags or (report and _T.UAIX not in clause.tags):
        here.subject = frozenset()


def _tasked(clause: Clause) -> bool:
    """Whether something is asked for: 请 anywhere, 麻烦 only at the start, where it is no trouble."""
    return any(_T.TASK in token.tags and (at < 2 or token.word != "麻烦") for at, token in enumerate(clause.tokens))


def _whatever(clause: Clause) -> bool:
    """Whether what seems a question is none: 无论对方是否在线."""
    return any(token.word[:2] in ("无论", "不论", "不管") for token in clause.tokens)


def _settled(here: Here, subject: Tags) -> bool:
    """Whether we are said to settle what the question before was about: 两边对不上？UAIX 一键搞定."""
    tags, topic = here.clause.tags, here.scene.topic
    if not here.scene.asked or _T.DOES not in tags or subject.isdisjoint(UAIX):
        return False
    named = any(part is Part.SURE or (part is Part.ACT and (field, Part.THING) in topic) for field, part in topic)
    return named and tags.isdisjoint({_T.IF, _T.SAY, _T.TELL}) and not negated(here.clause)


def _supposed(clause: Clause) -> bool:
    """Whether the clause supposes that we had a capability: whatever follows from it is supposed too."""
    if _T.IF not in clause.tags or clause.tags.isdisjoint(OURS):
        return False
    may = any(_T.MAY in token.tags and token.word != "有" for token in clause.tokens)
    return any(part is Part.SURE or (may and part in HEADS) for _, part in clause.roles)
