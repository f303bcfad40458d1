"""Claims that no packet may make: a record is not what a runtime does (seed, support boundary; spec 3 §5.4).

The question of each clause of each sentence, in this order:
1. Does it name a capability that is not ours? By a name of it, or by an act with its object (`CAPABILITIES`).
2. Is it only mentioned: asked, reported, wished, supposed, the topic of a page, or taken back in the same sentence?
3. Is it ours: said of UAIX, of the packet, of us, or of nobody at all? What another does, a named runtime or a party,
   it may. What we did ourselves (a commit, a task) is a report and no claim.
4. Is it denied, in its own clause? A denial before "but" does not cover what comes after. "Not only", "no need to" and
   "without asking" deny nothing, and a denied denial is a claim.
English and Chinese; letter case does not matter. The words stand in `claims_en` and `claims_zh`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from dragoman.packets.profiles import shown
from dragoman.packets.rules.claim_clauses import Clause, Kinds, Mark, sentences
from dragoman.packets.rules.claim_needles import worth
from dragoman.packets.rules.claim_words import Kind, words
from dragoman.packets.rules.claims_en import TABLE
from dragoman.packets.rules.prose import places_of
from dragoman.packets.rules.rule import Hit, Rule, Subject

MOST: Final = 40
"""Most capabilities looked at in one clause; one with more is no denial that anybody reads, and counts as a claim."""


class Capability(msgspec.Struct, frozen=True):
    """One way to name a capability: the word it turns on, what has to be beside it, and whose it must be said to be."""

    pivot: Kind
    beside: tuple[frozenset[Kind], ...] = ()
    ours: Kinds = frozenset()
    noun: bool = False
    agent: bool = False
    """UAIX has to be the one that acts, whatever the act is."""


_K: Final = Kind
ANY: Final[Kinds] = frozenset()
UAIX: Final = frozenset({_K.UAIX})
THING: Final = frozenset({_K.UAIX, _K.PACKET, _K.IT})
OURS: Final = THING | {_K.WE}


def _beside(*kinds: Kind) -> frozenset[Kind]:
    return frozenset(kinds)


CAPABILITIES: Final = (
    Capability(_K.HOST_IS, (), UAIX, noun=True),
    Capability(_K.FOR_YOU, (), UAIX),
    Capability(_K.AUTO_SURE, (), UAIX),
    Capability(_K.MSG_IS, noun=True),
    Capability(_K.MSG_BOX, (), UAIX, noun=True),
    Capability(_K.MSG_DO, (_beside(_K.MSG_OF),), UAIX),
    Capability(_K.MSG_DO, (_beside(_K.MSG_OF), _beside(_K.PLACE)), OURS),
    Capability(_K.MSG_OF, (_beside(_K.PLACE),), UAIX, noun=True),
    Capability(_K.SYNC_IS, noun=True),
    Capability(_K.SYNC_DO, (), UAIX),
    Capability(_K.SYNC_DO, (_beside(_K.AUTO, _K.EASE),), OURS, noun=True),
    Capability(_K.SYNC_MAY, (_beside(_K.AUTO, _K.EASE), _beside(_K.SYNC_OF)), OURS),
    Capability(_K.SYNC_DO, (_beside(_K.SYNC_OF),), THING),
    Capability(_K.SYNC_MAY, (_beside(_K.SYNC_OF),), UAIX),
    Capability(_K.SYNC_DO, (_beside(_K.AUTO),), noun=True),
    Capability(_K.RUN_IS, noun=True),
    Capability(_K.RUN_SURE, (), THING),
    Capability(_K.RUN_NOUN, (), UAIX, noun=True),
    Capability(_K.RUN_DO, (_beside(_K.RUN_OF),), THING),
    Capability(_K.REPO_IS, noun=True),
    Capability(_K.REPO_DO, (_beside(_K.REPO_OF),), THING),
    Capability(_K.REPO_MAY, (_beside(_K.REPO_OF),), THING),
    Capability(_K.REPO_SURE, (), UAIX),
    Capability(_K.REPO_DO, (_beside(_K.FOR_YOU),), THING),
    Capability(_K.ACCESS, (), THING, noun=True),
    Capability(_K.ADAPTER_IS, noun=True),
    Capability(_K.ADAPTER, (_beside(_K.OFFICIAL),), OURS, noun=True),
    Capability(_K.CERT_ANY, noun=True),
    Capability(_K.CERT_IS, (), OURS, noun=True),
    Capability(_K.CERT_DO, (), OURS),
    Capability(_K.CERT_OF, (), UAIX, noun=True),
    Capability(_K.IMPORT_IS, noun=True),
    Capability(_K.IMPORT_DO, (_beside(_K.PLACE, _K.FOR_YOU, _K.AUTO),), UAIX),
    Capability(_K.IMPORT_DO, (), UAIX),
    Capability(_K.IMPORT_DO, (_beside(_K.UAIX),), THING),
    Capability(_K.IMPORT_DO, (_beside(_K.FOR_YOU),), OURS),
    *(Capability(kind, (), UAIX, agent=True) for kind in (_K.MSG_OF, _K.SYNC_OF, _K.RUN_OF, _K.REPO_OF, _K.CERT_OF)),
)

_ALL_PIVOTS: Final = frozenset(row.pivot for row in CAPABILITIES)
_MENTION: Final = frozenset({_K.SAY, _K.ASK, _K.TOPIC})
_FRAMES: Final = _MENTION | {_K.IF}
_BEARERS: Final = OURS | {_K.OTHER}
_BY_ANOTHER: Final = re.compile(r"\bby\s+(?!(?:default|itself|the\s+packet|uaix|us)\b)|由(?!此|UAIX|本)", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"[^\W\d_]")


def claims(text: str) -> bool:
    """Whether one of the sentences of `text` asserts a capability that is not ours."""
    scene = _Scene()
    return any(_asserted(sentence, clauses, scene) for sentence, clauses in sentences(text))


def unsupported_claim(subject: Subject) -> Iterator[Hit]:
    """No text of the packet, in whatever field, claims what the model does not do."""
    if not worth(subject.prose):
        return
    for place, text in places_of(subject.packet):
        if worth(text) and claims(text):
            yield shown(place), "claims a capability that no packet has"


class _Scene(msgspec.Struct):
    """What the earlier clauses of a sentence leave behind for the next one."""

    subject: Kinds = frozenset()
    objects: Kinds = frozenset()
    mention: bool = False
    told: bool = False
    last: Kinds = frozenset()


def _asserted(sentence: str, clauses: list[Clause], earlier: _Scene) -> bool:
    scene = _Scene(told=earlier.told)
    if clauses and _K.IT in clauses[0].kinds:
        scene.subject = earlier.subject
    if any(_K.BACK in clause.kinds for clause in clauses):
        return False
    wrong = any(_K.WRONG in clause.kinds for clause in clauses)
    for number, clause in enumerate(clauses):
        if clause.after_contrast:
            scene.mention = False
        if clause.marks[0].word in ("which", "who") and scene.last:
            scene.subject = scene.last
        later = clauses[number + 1] if clause.chinese and number + 1 < len(clauses) else None
        if _claimed(sentence, clause, later, scene, wrong):
            return True
        _remember(scene, clause)
    earlier.subject, earlier.told = scene.subject, True
    return False


def _remember(scene: _Scene, clause: Clause) -> None:
    for at, mark in enumerate(clause.marks):
        bearers = mark.kinds & _BEARERS
        if bearers == {_K.OTHER} and (not _stands(clause.marks, at) or _told(clause.marks[:at])):
            continue
        if bearers and (bearers != {_K.IT} or not (scene.told or scene.subject)):
            scene.subject = bearers
            break
    scene.objects, scene.last = clause.kinds & _CARRIED, clause.marks[-1].kinds & _BEARERS
    scene.mention = scene.mention or not _MENTION.isdisjoint(clause.kinds)


def _told(before: tuple[Mark, ...]) -> bool:
    return any(mark.kinds & {_K.BE, _K.NOT} for mark in before)


def _stands(marks: tuple[Mark, ...], at: int) -> bool:
    """Whether another party at this place can be a subject: not behind a preposition or "is", not part of our name."""
    link = _link(marks, at)
    return (
        link not in _PREPOSITIONS
        and link not in ("is", "are", "是")
        and not (at > 0 and _K.UAIX in marks[at - 1].kinds)
    )


_PREPOSITIONS: Final = frozenset(
    words(
        """to,for,in,on,at,with,of,from,across,between,among,into,within,after,before,during,under
        在,给,向,往,把,从,和,与,跟,对于,到"""
    )
)
_CARRIED: Final = frozenset(
    {_K.MSG_OF, _K.PLACE, _K.SYNC_OF, _K.AUTO, _K.EASE, _K.RUN_OF, _K.REPO_OF, _K.OFFICIAL, _K.FOR_YOU}
)


def _claimed(sentence: str, clause: Clause, later: Clause | None, scene: _Scene, wrong: bool) -> bool:
    """Whether this clause asserts one of the capabilities."""
    if _ALL_PIVOTS.isdisjoint(clause.kinds) or (scene.mention and not wrong):
        return False
    near = clause.kinds | scene.objects
    looked = 0
    for row in CAPABILITIES:
        if row.pivot not in clause.kinds or any(near.isdisjoint(beside) for beside in row.beside):
            continue
        for at, mark in enumerate(clause.marks):
            if row.pivot not in mark.kinds:
                continue
            looked += 1
            if looked > MOST:
                return True
            if not _apart(row, clause, at, scene):
                continue
            if not wrong and _mentioned(clause, at, row):
                continue
            bearer = _acting(sentence, clause, at) if row.agent else _bearer(clause, at, scene, row)
            if bearer == {_K.PACKET} and _passive(row, clause, at):
                continue
            right = False
            if not bearer and later is not None and _K.OTHER not in clause.kinds and later.kinds & OURS:
                bearer, right = later.kinds & OURS, True
            if not _ours(row, bearer, sentence, clause, at):
                continue
            if _denied(clause, at, row, later if right else None) == wrong:
                return True
    return False


def _apart(row: Capability, clause: Clause, at: int, scene: _Scene) -> bool:
    """Whether what has to be beside the pivot is another word than the pivot itself."""
    own = clause.marks[at].kinds
    for beside in row.beside:
        if own.isdisjoint(beside) or not scene.objects.isdisjoint(beside):
            continue
        if not any(number != at and not mark.kinds.isdisjoint(beside) for number, mark in enumerate(clause.marks)):
            return False
    return True


def _mentioned(clause: Clause, at: int, row: Capability) -> bool:
    frames = _FRAMES if row.noun else _FRAMES | {_K.TELL}
    return any(not frames.isdisjoint(mark.kinds) for mark in clause.marks[:at])


def _bearer(clause: Clause, at: int, scene: _Scene, row: Capability) -> Kinds:
    """Who is said to have or do it: within the word, by whom, who stands before, who came before."""
    marks = clause.marks
    if marks[at].kinds & {_K.UAIX, _K.PACKET}:
        return marks[at].kinds & OURS
    agent = _agent_after(marks, at, row)
    if agent:
        return agent
    given = False
    subject: Kinds = frozenset()
    for number in range(at - 1, -1, -1):
        kinds = marks[number].kinds
        if kinds & OURS:
            if kinds & OURS == {_K.PACKET} and not row.noun and _link(marks, number) in _OF:
                continue
            if not row.noun and _ordered(marks, at):
                return frozenset({_K.OTHER})
            subject = kinds & OURS
            if subject == {_K.IT}:
                continue
            break
        if _K.OTHER in kinds and _stands(marks, number) and (not row.noun or given or OURS.isdisjoint(clause.kinds)):
            subject = kinds & _BEARERS
            break
        if _K.YOU in kinds and not row.noun:
            subject = frozenset({_K.YOU})
            break
        given = given or _K.GIVE in kinds
    if subject == {_K.IT} and (scene.subject or scene.told or row.pivot is _K.RUN_DO):
        return scene.subject
    if subject:
        return subject
    if row.noun and _K.UAIX in clause.kinds:
        return UAIX
    if row.noun and clause.chinese and clause.kinds & OURS:
        return clause.kinds & OURS
    if {_K.BE, _K.OTHER} <= clause.kinds:
        return frozenset({_K.OTHER})
    return scene.subject


def _acting(sentence: str, clause: Clause, at: int) -> Kinds:
    """UAIX, if it does something with what stands at this place: as the subject of a verb, or with "by"."""
    if _K.TELL in clause.kinds:
        return frozenset()
    marks = clause.marks
    for number, mark in enumerate(marks):
        if _K.UAIX not in mark.kinds or (number + 1 < len(marks) and _K.PACKET in marks[number + 1].kinds):
            continue
        if _link(marks, number) in ("by", "由", "被"):
            return UAIX
        if number < at and _ACT.match(sentence, mark.end, marks[at].start):
            return UAIX
    return frozenset()


_ACT: Final = re.compile(
    r"""\s+(?:(?:also|now|then|even|already|always|automatically|itself|just|simply|actually|only)\s+)?
      (?:(?:can|will|may|shall|could|has|have)\s|(?!is\b|was\b|has\b|does\b|'s|\w{1,12}(?:fields|schemas|profiles))[a-z]{2,14}s\s)
    |\s*(?!\s|的|是|数据|版本|字段|记录|格式|规范|模型|里|中)[\u3400-\u9fff]""",
    re.VERBOSE,
)
_MODAL: Final = frozenset(words("can,will,shall,may,must,able to,to,does,do,it'll,also,only,not only,not just"))


def _ordered(marks: tuple[Mark, ...], at: int) -> bool:
    """Whether the act stands bare, with nothing before it that takes a bare verb: an order to the reader."""
    word = marks[at].word.split(" ")[0]
    if not word.isascii() or word not in _bare() or marks[at - 1].word in _ARTICLES:
        return False
    return not any(mark.word in _MODAL or _K.NOT in mark.kinds or "'ll" in mark.word for mark in marks[:at])


@cache
def _bare() -> frozenset[str]:
    """The bare forms of the acts: words of the English table whose form with s is there too."""
    acts = {word for kind in _ACTS for word in TABLE.get(kind, ())}
    return frozenset(word for word in acts if word + "s" in acts or word + "es" in acts)


_ACTS: Final = (_K.MSG_DO, _K.SYNC_DO, _K.SYNC_MAY, _K.RUN_DO, _K.RUN_SURE, _K.REPO_DO, _K.REPO_MAY, _K.IMPORT_DO)
_OF: Final = frozenset({"of", "for", "to", "from", "with"})
_HANDLED: Final = frozenset({_K.REPO_DO, _K.REPO_MAY, _K.IMPORT_DO, _K.MSG_DO, _K.RUN_DO})


def _passive(row: Capability, clause: Clause, at: int) -> bool:
    """Whether something is done to the packet, not by it: it was committed, it has been uploaded."""
    if row.pivot not in _HANDLED or _agent_after(clause.marks, at, row):
        return False
    before = clause.marks[max(0, at - 3) : at]
    if clause.chinese:
        return any(mark.word in ("已", "已经", "存放") for mark in before)
    return clause.marks[at].word.endswith(("ed", "en", "t")) and any(_K.BE in mark.kinds for mark in before)


def _agent_after(marks: tuple[Mark, ...], at: int, row: Capability) -> Kinds:
    for number in range(at + 1, len(marks)):
        found = marks[number].kinds & OURS
        if not found:
            continue
        link = _link(marks, number)
        if link in (_NOUN_LINKS if row.noun else _LINKS) and (found != {_K.IT} or link == "by"):
            return found
    return frozenset()


def _link(marks: tuple[Mark, ...], at: int) -> str:
    """The preposition before a word, articles left out; empty if there is none known."""
    while at > 0 and marks[at - 1].word in _ARTICLES:
        at -= 1
    if at == 0:
        return ""
    return "by" if marks[at - 1].word == "thanks to" else marks[at - 1].word.rsplit(" ", 1)[-1]


_ARTICLES: Final = frozenset({"the", "a", "an", "every", "all", "each"})
_LINKS: Final = frozenset(
    {
        "by",
        "of",
        "in",
        "into",
        "from",
        "through",
        "via",
        "using",
        "on",
        "that",
        "which",
        "由",
        "在",
        "被",
        "靠",
        "到",
        "交给",
        "借助",
    }
)
_NOUN_LINKS: Final = _LINKS | {"with"}


def _ours(row: Capability, bearer: Kinds, sentence: str, clause: Clause, at: int) -> bool:
    if row.ours:
        return not bearer.isdisjoint(row.ours) and not (row.pivot is _K.RUN_DO and bearer == {_K.IT})
    if bearer:
        return not bearer.isdisjoint(OURS)
    if _K.GIVE not in clause.kinds and _K.AUTO not in clause.kinds:
        return False
    mark = clause.marks[at]
    if _BY_ANOTHER.search(sentence, mark.end, min(clause.end, mark.end + 80)):
        return False
    before = sentence[clause.start : mark.start]
    for other in clause.marks[:at]:
        before = before.replace(sentence[other.start : other.end], " ", 1)
    return _UNKNOWN.search(before) is None


def _denied(clause: Clause, at: int, row: Capability, later: Clause | None) -> bool:
    """Whether the clause denies it: one negation or a chain of them; a negation of a lack is none."""
    marks = clause.marks + (later.marks if later else ())
    last, nobody = -9, False
    denied = False
    given = row.noun and _given(clause.marks[:at])
    for number, mark in enumerate(marks):
        if _K.LACK in mark.kinds:
            denied = number - last > _CLOSE
        elif _K.NOT in mark.kinds:
            if number > at and (mark.word == "without" if not row.noun else given):
                continue
            denied = not (nobody and number < at)
            nobody = nobody or _K.NO_ONE in mark.kinds
            last = number
    return denied


_CLOSE: Final = 2


def _given(before: tuple[Mark, ...]) -> bool:
    """Whether we are said to give what comes next, by a verb that is no mere "has" or "is"."""
    ours = False
    for mark in before:
        if ours and _K.GIVE in mark.kinds and mark.word not in _WEAK:
            return True
        ours = ours or not mark.kinds.isdisjoint(OURS)
    return False


_WEAK: Final = frozenset(
    words("has,have,had,is,are,can,will,shall,does,do,now,get,gets,got,part of,有,会,是,由,可,将,能,已,可以,能够,就是")
)


RULES: Final = (
    Rule(
        id="unsupported_claim",
        reason="No automatic sync, hosted messaging, runtime orchestration, official adapters, repository writes, "
        "certification or hosted import comes with a packet; runtimes execute elsewhere.",
        fix="remove the claim, deny it, or name the runtime that does it",
        check=unsupported_claim,
    ),
)
