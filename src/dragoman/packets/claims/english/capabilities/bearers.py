"""Who is said to have a capability, or to do the act: UAIX, the packet, we, or another (spec 3 §5.4).

1. Whoever stands in the word itself ("UAIX certificate"), then the one behind "by" or "with", then the nearest before
   it, then the subject of the clause before. What stands behind a preposition is no subject.
2. "It" is who was spoken of last. At the start of a text it is the packet.
3. What is done to the packet (it was committed) and what the reader is told to do (start the worker) is not its act.
4. Where nobody is named, it is ours only if no unknown word stands before it: "Provides hosted messaging".
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import msgspec

from dragoman.packets.claims.english.capabilities.clauses import Clause, Kinds, Mark
from dragoman.packets.claims.english.capabilities.more import ENGLISH as MORE
from dragoman.packets.claims.english.capabilities.rows import OURS, UAIX, Capability
from dragoman.packets.claims.english.capabilities.table import TABLE
from dragoman.packets.claims.english.kinds import Kind, words

_K: Final = Kind
BEARERS: Final = OURS | {_K.OTHER}
_BY_ANOTHER: Final = re.compile(r"\bby\s+(?!(?:default|itself|the\s+packet|uaix|us)\b)", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"[^\W\d_]")


class Scene(msgspec.Struct):
    """What the earlier clauses of a sentence leave behind for the next one."""

    subject: Kinds = frozenset()
    objects: Kinds = frozenset()
    mention: bool = False
    told: bool = False
    last: Kinds = frozenset()
    nearest: Kinds = frozenset()


def bearer_of(clause: Clause, at: int, scene: Scene, row: Capability) -> Kinds:
    """Who is said to have or do it: within the word, by whom, who stands before, who came before."""
    marks = clause.marks
    if marks[at].kinds & {_K.UAIX, _K.PACKET}:
        return marks[at].kinds & OURS
    agent = _agent_after(marks, at, row)
    if agent:
        if agent != {_K.IT}:
            return agent
        return scene.subject or (frozenset({_K.OTHER}) if _K.OTHER in clause.kinds else agent)
    subject = _subject_before(clause, at, row)
    if subject == {_K.IT} and _K.OTHER in scene.subject and scene.nearest & OURS:
        return scene.nearest & OURS
    if subject == {_K.IT} and (scene.subject or scene.told or row.pivot is _K.RUN_DO):
        return scene.subject
    if subject:
        return subject
    if row.noun and _K.UAIX in clause.kinds:
        return UAIX
    if {_K.BE, _K.OTHER} <= clause.kinds:
        return frozenset({_K.OTHER})
    return scene.subject


def _subject_before(clause: Clause, at: int, row: Capability) -> Kinds:
    """The nearest that can be the subject of the word at this place; what "it" may stand for is looked for further."""
    marks = clause.marks
    given = False
    subject: Kinds = frozenset()
    if at == 0 and row.pivot is _K.MSG_DO and marks[0].word in _bare():
        return frozenset({_K.YOU})
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
        if _K.OTHER in kinds and stands(marks, number) and (not row.noun or given or OURS.isdisjoint(clause.kinds)):
            subject = kinds & BEARERS
            break
        if _K.YOU in kinds and not row.noun and not subject:
            subject = frozenset({_K.YOU})
            break
        given = given or _K.GIVE in kinds
    return subject


def acting(sentence: str, clause: Clause, at: int) -> Kinds:
    """UAIX, if it does something with what stands at this place: as the subject of a verb, or with "by"."""
    if clause.kinds & {_K.TELL, _K.DEFINED}:
        return frozenset()
    marks = clause.marks
    for number, mark in enumerate(marks):
        if _K.UAIX not in mark.kinds or (number + 1 < len(marks) and _K.PACKET in marks[number + 1].kinds):
            continue
        if _link(marks, number) == "by":
            return UAIX
        if number < at and _ACT.match(sentence, mark.end, marks[at].start):
            return UAIX
    return frozenset()


_ACT: Final = re.compile(
    r"""\s+(?:(?:\w+ly|also|now|then|even|already|always|automatically|itself|just|simply|actually|only)\s+)?
      (?:(?:can|will|may|shall|could|has|have)\s|(?!is\b|was\b|has\b|does\b|'s|\w{1,12}(?:fields|schemas|profiles))[a-z]{2,14}s\s)""",
    re.VERBOSE,
)
_MODAL: Final = frozenset(words("can,will,shall,may,must,able to,let,to,does,do,it'll,also,only,not only,not just"))


def _ordered(marks: tuple[Mark, ...], at: int) -> bool:
    """Whether the act stands bare, with nothing before it that takes a bare verb: an order to the reader."""
    word = marks[at].word.split(" ")[0]
    if word not in _bare() or marks[at - 1].word in _ARTICLES:
        return False
    return not any(mark.word in _MODAL or _K.NOT in mark.kinds or "'ll" in mark.word for mark in marks[:at])


@cache
def _bare() -> frozenset[str]:
    """The bare forms of the acts: words of the English table whose form with s is there too."""
    acts = {word for kind in _ACTS for table in (TABLE, MORE) for word in table.get(kind, ())}
    return frozenset(word for word in acts if word + "s" in acts or word + "es" in acts)


_ACTS: Final = (_K.MSG_DO, _K.SYNC_DO, _K.SYNC_MAY, _K.RUN_DO, _K.RUN_SURE, _K.REPO_DO, _K.REPO_MAY, _K.IMPORT_DO)
_OF: Final = frozenset({"of", "for", "to", "from", "with"})
_HANDLED: Final = frozenset({_K.REPO_DO, _K.REPO_MAY, _K.IMPORT_DO, _K.MSG_DO, _K.RUN_DO})


def passive(row: Capability, clause: Clause, at: int) -> bool:
    """Whether something is done to the packet, not by it: it was committed, it has been uploaded."""
    if row.pivot not in _HANDLED or _agent_after(clause.marks, at, row):
        return False
    before = clause.marks[max(0, at - 3) : at]
    return clause.marks[at].word.endswith(("ed", "en", "t")) and any(_K.BE in mark.kinds for mark in before)


def _agent_after(marks: tuple[Mark, ...], at: int, row: Capability) -> Kinds:
    for number in range(at + 1, len(marks)):
        found = marks[number].kinds & OURS
        if not found:
            continue
        if found == {_K.WE} and _link(marks, number) != "by" and not _place(marks, number):
            continue
        link = _link(marks, number)
        if link in (_NOUN_LINKS if row.noun else _LINKS) and (found != {_K.IT} or link == "by"):
            return found
    return frozenset()


def _place(marks: tuple[Mark, ...], at: int) -> bool:
    return at + 1 < len(marks) and _K.PLACE in marks[at + 1].kinds


def _link(marks: tuple[Mark, ...], at: int) -> str:
    """The preposition before a word, articles left out; empty if there is none known."""
    while at > 0 and marks[at - 1].word in _ARTICLES:
        at -= 1
    if at == 0:
        return ""
    return "by" if marks[at - 1].word == "thanks to" else marks[at - 1].word.rsplit(" ", 1)[-1]


_ARTICLES: Final = frozenset({"the", "a", "an", "every", "all", "each"})
_LINKS: Final = frozenset(words("by,of,in,into,from,through,via,using,on,at,that,which"))
_NOUN_LINKS: Final = _LINKS | {"with"}


def is_ours(row: Capability, bearer: Kinds, sentence: str, clause: Clause, at: int) -> bool:
    if row.ours:
        return not bearer.isdisjoint(row.ours) and not (row.pivot is _K.RUN_DO and bearer == {_K.IT})
    if bearer:
        return not bearer.isdisjoint(OURS)
    if row.pivot is _K.SYNC_FLOW and _K.OTHER in clause.kinds:
        return False
    if _K.GIVE not in clause.kinds and _K.AUTO not in clause.kinds:
        return False
    mark = clause.marks[at]
    if _BY_ANOTHER.search(sentence, mark.end, min(clause.end, mark.end + 80)):
        return False
    before = sentence[clause.start : mark.start]
    for other in clause.marks[:at]:
        before = before.replace(sentence[other.start : other.end], " ", 1)
    return _UNKNOWN.search(before) is None


def stands(marks: tuple[Mark, ...], at: int) -> bool:
    """Whether another party at this place can be a subject: not behind a preposition or "is", not part of our name."""
    link = _link(marks, at)
    return link not in _PREPOSITIONS and link not in ("is", "are") and not (at > 0 and _K.UAIX in marks[at - 1].kinds)


_PREPOSITIONS: Final = frozenset(
    words("""to,for,in,on,at,with,of,from,across,between,among,into,within,after,before,during,under""")
)
