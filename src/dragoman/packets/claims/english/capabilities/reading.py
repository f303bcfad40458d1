"""Whether English prose claims a capability, by its name or by an act and what stands beside it (`rows`).

The question of each clause of each sentence, in this order:
1. Does it name a capability that is not ours? By a name of it, or by an act with its object (`CAPABILITIES`).
2. Is it only mentioned: asked, reported, wished, supposed, the topic of a page, or taken back in the same sentence?
3. Is it ours: said of UAIX, of the packet, of us, or of nobody at all? What another does, a named runtime or a party,
   it may. What we did ourselves (a commit, a task) is a report and no claim.
4. Is it denied, in its own clause? A denial before "but" does not cover what comes after. "Not only", "no need to" and
   "without asking" deny nothing, and a denied denial is a claim.
Letter case does not matter. The words stand in `table` and `more`, who has it is asked in `bearers`.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.capabilities.bearers import (
    BEARERS,
    Scene,
    acting,
    bearer_of,
    is_ours,
    passive,
    stands,
)
from dragoman.packets.claims.english.capabilities.clauses import Clause, Kinds, Mark, sentences
from dragoman.packets.claims.english.capabilities.rows import CAPABILITIES, OURS, Capability
from dragoman.packets.claims.english.kinds import Kind, words

_K: Final = Kind
MOST: Final = 40
"""Most denied capabilities in one clause; one with more is no denial that anybody reads, and counts as a claim."""


_ALL_PIVOTS: Final = frozenset(row.pivot for row in CAPABILITIES)
_MENTION: Final = frozenset({_K.SAY, _K.ASK, _K.TOPIC})
_FRAMES: Final = _MENTION | {_K.IF}


def says(text: str) -> bool:
    """Whether one of the sentences of an English text asserts a capability that is not ours."""
    scene = Scene()
    return any(_asserted(sentence, clauses, scene) for sentence, clauses in sentences(text))


def _asserted(sentence: str, clauses: list[Clause], earlier: Scene) -> bool:
    scene = Scene(told=earlier.told)
    if clauses and _K.IT in clauses[0].kinds:
        scene.subject = earlier.subject
    if any(_K.BACK in clause.kinds for clause in clauses):
        return False
    wrong = any(_K.WRONG in clause.kinds for clause in clauses)
    for clause in clauses:
        if clause.after_contrast:
            scene.mention = False
        if clause.marks[0].word in ("which", "who") and scene.last:
            scene.subject = scene.last
        if _claimed(sentence, clause, scene, wrong):
            return True
        _remember(scene, clause)
    earlier.subject, earlier.told = scene.subject, True
    return False


def _remember(scene: Scene, clause: Clause) -> None:
    first = True
    for at, mark in enumerate(clause.marks):
        bearers = mark.kinds & BEARERS
        if bearers == {_K.OTHER} and (not stands(clause.marks, at) or _told(clause.marks[:at])):
            continue
        if bearers and (bearers != {_K.IT} or not (scene.told or scene.subject)):
            scene.subject = bearers if first else scene.subject
            scene.nearest, first = bearers, False
    scene.objects, scene.last = clause.kinds & _CARRIED, clause.marks[-1].kinds & BEARERS
    scene.mention = scene.mention or not _MENTION.isdisjoint(clause.kinds)


def _told(before: tuple[Mark, ...]) -> bool:
    return any(mark.kinds & {_K.BE, _K.NOT} for mark in before)


_CARRIED: Final = frozenset(
    {
        _K.MSG_OF,
        _K.PLACE,
        _K.SYNC_OF,
        _K.AUTO,
        _K.EASE,
        _K.RUN_OF,
        _K.REPO_OF,
        _K.OFFICIAL,
        _K.FOR_YOU,
        _K.RUN_WHO,
        _K.MSG_SAID,
    }
)


def _claimed(sentence: str, clause: Clause, scene: Scene, wrong: bool) -> bool:
    """Whether this clause asserts one of the capabilities; `wrong` if the sentence says that it is not so."""
    if _ALL_PIVOTS.isdisjoint(clause.kinds) or (scene.mention and not wrong):
        return False
    near = clause.kinds | scene.objects
    denials = 0
    for row in CAPABILITIES:
        if row.pivot is _K.RUN_MAY and _K.DEFINED in clause.kinds:
            continue
        if row.pivot not in clause.kinds or any(near.isdisjoint(beside) for beside in row.beside):
            continue
        for at, mark in enumerate(clause.marks):
            if row.pivot not in mark.kinds or not _apart(row, clause, at, scene):
                continue
            if not wrong and _mentioned(clause, at, row):
                continue
            bearer = _who(sentence, clause, at, row, scene)
            if not is_ours(row, bearer, sentence, clause, at):
                continue
            denials += 1
            if _denied(clause, at, row) == wrong or denials > MOST:
                return True
    return False


def _who(sentence: str, clause: Clause, at: int, row: Capability, scene: Scene) -> Kinds:
    """Who has it, or does it."""
    if row.agent:
        return acting(sentence, clause, at)
    bearer = bearer_of(clause, at, scene, row)
    if bearer == {_K.PACKET} and passive(row, clause, at):
        return frozenset({_K.OTHER})
    return bearer


def _apart(row: Capability, clause: Clause, at: int, scene: Scene) -> bool:
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


def _denied(clause: Clause, at: int, row: Capability) -> bool:
    """Whether the clause denies it: one negation or a chain of them; a negation of a lack is none."""
    marks = clause.marks
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
    ours = bool(before) and before[0].word in ("which", "who", "that")
    for mark in before:
        if ours and _K.GIVE in mark.kinds and mark.word not in _WEAK:
            return True
        ours = ours or not mark.kinds.isdisjoint(OURS)
    return False


_WEAK: Final = frozenset(words("has,have,had,is,are,can,will,shall,does,do,now,get,gets,got,part of"))
