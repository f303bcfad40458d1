"""Who is said to have a capability, or to do an act, in an English clause (see `reading`).

1. Whoever stands behind "by", "through" or "with" after it; then whose place it happens at (on our servers, with us);
   then the nearest before it that is not behind a preposition; then the subject of the clause before.
2. What is ours is us where it is a place or a service (our relay); otherwise it is another's (our engineer).
3. An unknown noun right before an active verb is its subject, and no order of words makes it ours.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.fields.clauses import Clause, Word
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.seven import Part

_S: Final = Sign
OURS: Final[Signs] = frozenset({_S.UAIX, _S.PACKET, _S.WE})
THEIRS: Final[Signs] = frozenset({_S.OTHER, _S.NAME, _S.AGENT, _S.YOU, _S.YOUR})
NOBODY: Final[Signs] = frozenset()
PACKET: Final[Signs] = frozenset({_S.PACKET})
WE: Final[Signs] = frozenset({_S.WE})
YOUR: Final[Signs] = frozenset({_S.YOUR})
OTHER: Final[Signs] = frozenset({_S.OTHER})
_NOUNS: Final = frozenset({Part.SURE, Part.NAMED})
_LINKS: Final[Signs] = frozenset({_S.PREP, _S.BY})
_SKIP: Final[Signs] = frozenset({_S.DET, _S.YOUR, _S.AUTO, _S.OFFER})
_NEAR: Final = 3
_MEANS: Final = frozenset(("with", "under", "through", "via", "thanks to", "using", "in", "by means of"))
_FIRM: Final = frozenset(("by", "through", "via", "thanks to", "courtesy of", "by means of"))


def bearer(words: tuple[Word, ...], at: int) -> Signs:
    """Who the word at a place stands for; nobody if it is no party."""
    word = words[at]
    signs = word.signs
    after = words[at + 1 : at + 1 + _NEAR]
    if _S.UAIX in signs:
        return frozenset({_S.UAIX})
    if _S.PACKET in signs:
        return frozenset({_S.PACKET})
    if _S.WE in signs:
        return WE
    if _S.OUR in signs:
        ours = any(_S.PLACE in each.signs or any(part in _NOUNS for _, part in each.roles) for each in after)
        return WE if ours or not after else OTHER
    if _S.YOUR in signs:
        return YOUR
    if _S.IT in signs and word.text != "itself":
        return frozenset({_S.IT})
    return signs & THEIRS


def behind(words: tuple[Word, ...], at: int) -> bool:
    """Whether the word at a place stands behind a preposition."""
    at -= 1
    while at >= 0 and (words[at].signs & _SKIP or words[at].text in ("official", "uaix")):
        at -= 1
    return at >= 0 and bool(words[at].signs & _LINKS)


def before(words: tuple[Word, ...], at: int) -> Signs:
    """The nearest subject before a place in the clause."""
    for number in range(at - 1, -1, -1):
        who = bearer(words, number)
        if who and (not behind(words, number) or _with(words, number, who)):
            return who
    return NOBODY


def _with(words: tuple[Word, ...], at: int, who: Signs) -> bool:
    """Whether a clause begins with what it is done with: with UAIX, under UAIX."""
    return at <= _NEAR - 1 and bool(who & {_S.UAIX, _S.PACKET}) and words[0].text in _MEANS


def agent(words: tuple[Word, ...], at: int, placed: bool = True) -> Signs:
    """Who does it by a preposition after the word at a place: by UAIX, on our servers, with us, by the operator."""
    for number in range(at + 1, len(words)):
        if not words[number].signs & _LINKS:
            continue
        by = _S.BY in words[number].signs
        head = number + 1
        while head < len(words) and words[head].signs & _SKIP and not bearer(words, head):
            head += 1
        who = bearer(words, head) if head < len(words) else NOBODY
        firm = words[number].text in _FIRM
        if not firm and by and before(words, at) & {_S.OTHER, _S.NAME}:
            continue
        if who & OURS and (firm or (_S.PACKET not in who and (by or (placed and _placed(words, head))))):
            return who
        if by and firm:
            return who or (OTHER if head < len(words) and words[head].roles == frozenset() else NOBODY)
    return NOBODY


def _placed(words: tuple[Word, ...], at: int) -> bool:
    """Whether what stands at a place is a place of ours: our servers, us, the UAIX portal."""
    if words[at].text == "us" or _S.SITE in words[at].signs:
        return True
    return any(_S.PLACE in each.signs or _S.SITE in each.signs for each in words[at + 1 : at + 1 + _NEAR])


def subject(clause: Clause) -> Signs:
    """Who the clause is about: its first party that is not behind a preposition; or who stands alone behind "with"."""
    for number, word in enumerate(clause.words):
        who = bearer(clause.words, number)
        if not who or (_S.IT in who and number):
            continue
        alone = word.signs & OURS and number <= 1 and len(clause.words) <= number + 2
        if alone or not behind(clause.words, number):
            return who
    return NOBODY
