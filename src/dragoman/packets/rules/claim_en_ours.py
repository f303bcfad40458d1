"""Whether an English clause says of us that we have one of the seven capabilities (see `claim_en`).

1. Of UAIX, an act of a field with its object is a claim; so is what it has or gives by its name.
2. The packet does a thing only in the active voice, with an object that is named. What we do is a claim where it is
   done for the reader; otherwise it is a report.
3. What nobody is named for is a claim where it is a sure name, offered; or done by itself, in the words of a machine.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.rules.claim_en_bearers import NOBODY, OTHER, OURS, THEIRS, WE, agent, before
from dragoman.packets.rules.claim_en_clauses import Clause, Word
from dragoman.packets.rules.claim_en_denials import NEGATIONS, denied
from dragoman.packets.rules.claim_en_scene import Here
from dragoman.packets.rules.claim_en_tags import Sign, Signs
from dragoman.packets.rules.claim_zh_fields import Field, Part

_S, _F, _P = Sign, Field, Part
_EASY: Final[Signs] = frozenset({_S.AUTO, _S.EASE})
_FOR: Final[Signs] = frozenset({_S.FOR_YOU, _S.YOUR, _S.YOU})
_PRONOUNS: Final = frozenset(("it", "them", "everything", "the rest", "the file", "the files", "the change", "changes"))
_ADVERBS: Final[Signs] = frozenset({_S.AUTO, _S.MAY, _S.BE, _S.NOT, _S.FILL, _S.EASE, _S.OFFER})


def claimed(here: Here) -> bool:
    """Whether the clause claims something of us that it does not deny."""
    clause = here.clause
    if _S.IF in clause.words[0].signs:
        return False
    if _flipped(here):
        return True
    return any(_at(here, at) for at, word in enumerate(clause.words) if word.roles)


def _flipped(here: Here) -> bool:
    """Whether it is called wrong that UAIX lacks or leaves something."""
    clause = here.clause
    if _S.WRONG not in here.signs:
        return False
    roles = frozenset().union(*(each.roles for each in here.clauses))
    return bool(roles) and bool(clause.signs & (NEGATIONS | {_S.LESS})) and bool(here.signs & OURS)


def _at(here: Here, at: int) -> bool:
    word = here.clause.words[at]
    return any(_of(here, at, field, part) for field, part in word.roles)


def _of(here: Here, at: int, field: Field, part: Part) -> bool:
    if part in (_P.SURE, _P.NAMED):
        said, sure = _named(here, at, field, part)
    elif part in (_P.ACT, _P.SOFT):
        said, sure = _done(here, at, field, part)
    else:
        said, sure = _official(here, at, field)
    return said and not denied(here, at, sure)


def _whose(here: Here, at: int) -> Signs:
    words = here.clause.words
    who = agent(words, at) or before(words, at)
    if who == {_S.IT} or not who:
        return here.subject or (frozenset({_S.PACKET}) if who else NOBODY)
    return who


def _named(here: Here, at: int, field: Field, part: Part) -> tuple[bool, bool]:
    """Whether what is named is ours, and whether one of us is said to have it."""
    clause = here.clause
    who = _whose(here, at)
    given = bool(clause.signs & {_S.GIVE, _S.OUR, _S.OFFER} or clause.mark == ":")
    if who & {_S.UAIX, _S.WE}:
        return given, True
    if who & {_S.PACKET}:
        return given and part is _P.SURE, True
    if who & (THEIRS - {_S.YOU}):
        return False, False
    offered = bool(clause.signs & (_FOR | {_S.OFFER})) or len(clause.words) <= 3
    if field is _F.CERT and part is _P.NAMED:
        return _S.PASS in here.signs and bool(here.signs & _FOR | here.signs & OURS), False
    if field is _F.SYNC and part is _P.NAMED:
        return _things(here, at, field) and bool(here.signs & _EASY), False
    return part is _P.SURE and offered, False


def _official(here: Here, at: int, field: Field) -> tuple[bool, bool]:
    """Whether an adapter is called official, or is ours."""
    if field is not _F.ADAPTER:
        return False, False
    clause = here.clause
    ours = any(_S.OUR in word.signs for word in clause.words[:at])
    official = any("official" in word.text or "native" in word.text or "approved" in word.text for word in clause.words)
    who = _whose(here, at)
    if who & {_S.UAIX, _S.WE}:
        return official or bool(clause.signs & {_S.GIVE, _S.OUR}) or ours, True
    return official and not who & {_S.OTHER, _S.NAME}, False


def _done(here: Here, at: int, field: Field, part: Part) -> tuple[bool, bool]:
    """Whether an act is done by us, and whether one of us is named."""
    clause, word = here.clause, here.clause.words[at]
    passive = _passive(clause.words, at)
    by = agent(clause.words, at)
    if not by and not passive and _ordered(clause.words, at):
        return False, False
    who = by or (NOBODY if passive else _acting(here, at))
    if who & (THEIRS | {_S.IT}):
        return False, False
    if not _things(here, at, field) and not (part is _P.ACT and here.clause.signs & _FOR):
        return False, False
    easy = bool(here.signs & (_EASY | _FOR))
    if who & {_S.UAIX}:
        return part is _P.ACT or easy, True
    if who & {_S.PACKET}:
        return _packet(here, at, field, part), True
    if who & {_S.WE}:
        return _we(here, word, field), True
    return passive and bool(clause.signs & _EASY) and bool(here.signs & _FOR), False


def _packet(here: Here, at: int, field: Field, part: Part) -> bool:
    if field is _F.MESSAGES or part is _P.SOFT:
        return False
    words = here.clause.words
    named = any((field, _P.THING) in word.roles and word.text not in _PRONOUNS for word in words[at + 1 :])
    return named and not words[at].signs & {_S.ED}


def _we(here: Here, word: Word, field: Field) -> bool:
    if _S.ED in word.signs and not here.clause.signs & _FOR:
        return False
    return bool(here.signs & (_FOR | {_S.PLACE}))


def _acting(here: Here, at: int) -> Signs:
    """Who does an act in the active voice."""
    words = here.clause.words
    number = at - 1
    while number >= 0 and words[number].signs & _ADVERBS and not words[number].roles:
        number -= 1
    if number >= 0 and not words[number].signs and words[number].text not in (",", "and", "or", "also", "to", "&"):
        return NOBODY if words[number].text.endswith("ly") else OTHER
    who = before(words, at)
    if who and who != {_S.IT}:
        return who
    return here.subject or (frozenset({_S.PACKET}) if who else NOBODY)


def _passive(words: tuple[Word, ...], at: int) -> bool:
    if _S.ED not in words[at].signs:
        return False
    return any(_S.BE in word.signs for word in words[max(0, at - 4) : at])


def _ordered(words: tuple[Word, ...], at: int) -> bool:
    """Whether an act is an order to the reader, or a mere noun."""
    signs = words[at].signs
    if _S.BASE not in signs and _S.ING not in signs:
        return False
    if _S.ING in signs:
        return not any(_S.BE in word.signs for word in words[max(0, at - 3) : at])
    for number in range(at - 1, -1, -1):
        word = words[number]
        if word.signs & {_S.MAY} or word.text in ("to", "we", "and", ",", "also"):
            return False
        if not word.signs & _ADVERBS:
            return not word.signs & {_S.WE, _S.UAIX}
    return True


def _things(here: Here, at: int, field: Field) -> bool:
    """Whether the object of a field stands beside the act or was spoken of before."""
    thing = (field, _P.THING)
    packets = field in (_F.MESSAGES, _F.IMPORT)
    for number, word in enumerate(here.clause.words):
        if number == at:
            continue
        if thing in word.roles and (number > at or word.text not in _PRONOUNS):
            return True
        if packets and _S.PACKET in word.signs and number > at:
            return True
    return thing in here.roles or (field, _P.SURE) in here.roles or (field, _P.NAMED) in here.roles
