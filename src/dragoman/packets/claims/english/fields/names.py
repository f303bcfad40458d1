"""Whether a name of a capability in an English clause is said of us (see `reading`).

1. A name is ours where one of us gives or has it. A sure name (hosted import) is a claim of nobody too: in the voice of
   an offer, for the reader, or bare like a heading.
2. An adapter is a claim where it is called official, native or ours; whoever it is for has nothing to do with it.
3. A certificate is one where it follows from a pass, or is the packet's, UAIX's or the reader's product's.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.fields.bearers import NOBODY, PACKET, THEIRS, agent, before
from dragoman.packets.claims.english.fields.clauses import Word
from dragoman.packets.claims.english.fields.scene import Here
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.english.kinds import words as listed
from dragoman.packets.claims.seven import Field, Part

_S, _F, _P = Sign, Field, Part
_FOR: Final[Signs] = frozenset({_S.FOR_YOU, _S.YOUR, _S.YOU})
_EASY: Final[Signs] = frozenset({_S.AUTO, _S.EASE})
_OFFICIAL: Final = (
    "official",
    "native",
    "approved",
    "endorsed",
    "first party",
    "ready made",
    "authorised",
    "genuine",
    "off the shelf",
    "supported",
)
_FEW: Final = 3
_DENIES: Final[Signs] = frozenset({_S.NOT, _S.NO, _S.DENY})
_MANY: Final = 5
_KEPT: Final = frozenset(listed("keep,keeps,kept,keeping,stay,stays,staying,remain,remains,always,held,hold,never"))
_THEIR: Final[Signs] = THEIRS - {_S.YOU, _S.YOUR, _S.AGENT}


def whose(here: Here, at: int) -> Signs:
    """Who is said to have what stands at a place."""
    words = here.clause.words
    who = agent(words, at, placed=False) or before(words, at)
    if who == {_S.IT} or not who:
        return (here.near if who else NOBODY) or here.subject or (PACKET if who else NOBODY)
    return who


def named(here: Here, at: int, field: Field, part: Part) -> tuple[bool, bool]:
    """Whether what is named is ours, and whether one of us is said to have it."""
    clause = here.clause
    who = whose(here, at)
    if field is _F.ADAPTER and _to_uaix(here, at):
        return True, _S.UAIX in who
    if at and _S.YOUR in clause.words[at - 1].signs and part is _P.NAMED and field is not _F.CERT:
        return False, False
    given = bool(agent(clause.words, at, placed=False)) or bool(
        clause.signs & {_S.GIVE, _S.OUR, _S.OFFER} or clause.mark == ":"
    )
    if who & {_S.UAIX}:
        return given, True
    if who & {_S.WE} and _S.WANT in clause.signs:
        return False, False
    if who & {_S.WE}:
        firm = part is _P.SURE or field in (_F.CERT, _F.ADAPTER)
        return given and (firm or bool(here.signs & (_FOR | _EASY | {_S.DEST, _S.OFFER, _S.DOES}))), True
    if who & {_S.PACKET}:
        sync = field is _F.SYNC and bool(clause.signs & _EASY) and _thing(here, field)
        return sync or (given and (part is _P.SURE or field is _F.CERT)), True
    if who & _THEIR:
        return False, False
    if field is _F.CERT and not bad(clause.words):
        passed = _S.PASSED in here.signs or bool(clause.signs & {_S.UAIX, _S.PACKET})
        return passed or (part is _P.SURE and bool(clause.signs & (_FOR | {_S.OFFER}))), False
    if field is _F.SYNC and part is _P.NAMED:
        kept = any(word.text in _KEPT for word in clause.words) or _S.EASE in clause.signs
        return (kept or _S.YOUR in here.signs) and _thing(here, field) and bool(here.signs & _EASY), False
    if field is _F.ADAPTER and given and not bad(clause.words):
        return True, False
    if field in (_F.MESSAGES, _F.IMPORT) and agent(clause.words, at) & {_S.UAIX, _S.WE}:
        return not bad(clause.words) and bool(here.signs & (_EASY | _FOR | {_S.SITE})), True
    offered = bool(clause.signs & (_FOR | {_S.OFFER}))
    leads = at <= 1 or (not who and {_S.OFFER, _S.GIVE} <= clause.words[0].signs)
    if (
        leads
        and part is _P.NAMED
        and field is not _F.SYNC
        and offered
        and not (bad(clause.words) or _of(clause.words, at))
    ):
        return True, False
    if part is not _P.SURE or bad(clause.words):
        return False, False
    return bool(clause.signs & (_FOR | {_S.OFFER})) or len(clause.words) <= _FEW or _heads(clause.words, at), False


def bad(words: tuple[Word, ...]) -> bool:
    """Whether a trouble or something past is told; failed steps are only spoken of."""
    return any(
        _S.BAD in word.signs and not (at + 1 < len(words) and words[at + 1].roles) for at, word in enumerate(words)
    )


def _to_uaix(here: Here, at: int) -> bool:
    """Whether a product is said to support UAIX of its own: speaks UAIX, natively supported by Slack."""
    word = here.clause.words[at]
    return "uaix" in word.text or word.text in ("natively supported", "native support", "built into chatgpt")


def _of(words: tuple[Word, ...], at: int) -> bool:
    """Whether it is somebody's: the scheduler of the shop."""
    return at + 1 < len(words) and words[at + 1].text == "of"


def _heads(words: tuple[Word, ...], at: int) -> bool:
    """Whether a name stands at the head of a line that says no more than the name and what it is for."""
    if any(word.signs & {_S.BE, _S.MAY} - {_S.S} and word.text != "to" for word in words):
        return False
    unknown = sum(not word.signs and not word.roles and word.text not in (",", "and") for word in words)
    return at <= 1 and unknown <= _MANY


def _thing(here: Here, field: Field) -> bool:
    thing = (field, _P.THING)
    return thing in here.roles or thing in here.clause.roles


def official(here: Here, at: int, field: Field) -> tuple[bool, bool]:
    """Whether an adapter is called official, or is ours."""
    if field is not _F.ADAPTER:
        return False, False
    clause = here.clause
    ours = any(_S.OUR in word.signs for word in clause.words[:at])
    called = any(each in word.text for word in clause.words for each in _OFFICIAL)
    first = next((n for n, word in enumerate(clause.words) if any(each in word.text for each in _OFFICIAL)), at)
    who = whose(here, min(first, at)) if first <= at else whose(here, at)
    if _S.WANT in clause.signs and not who & {_S.UAIX}:
        return False, False
    if who & {_S.UAIX, _S.WE}:
        return called or ours or bool(clause.signs & {_S.GIVE}), True
    if ours:
        return not bad(clause.words), True
    return called and not who & {_S.OTHER, _S.NAME}, False


_BACKS: Final = ("native", "natively", "officially", "built in", "out of the box", "first class", "adopted", "endorsed")
_FORMAT: Final = frozenset(
    ("uaix", "the format", "these packets", "our format", "packets", "the standard", "our packets")
)


def backed(here: Here) -> bool:
    """Whether a product is said to support our format of its own: Claude Code supports UAIX natively."""
    words = here.clause.words
    names = here.clause.signs & {_S.NAME} or any(word.text.startswith(("platform", "vendor")) for word in words)
    if not names or not any(word.text in _FORMAT for word in words):
        return False
    called = any(word.text.startswith(each) for word in words for each in _BACKS) or _built(words)
    return called and not any(clause.signs & _DENIES for clause in here.clauses)


def _built(words: tuple[Word, ...]) -> bool:
    texts = {word.text for word in words}
    return "built" in texts and not texts.isdisjoint({"into", "in", "right", "support"})
