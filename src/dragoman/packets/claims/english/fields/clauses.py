"""From an English text to the clauses of its sentences, each a row of words with their signs (see `reading`).

1. The longest known phrase at a place is one word; an unknown word is a word without signs.
2. A clause ends at a semicolon, colon, bracket or dash, before a conjunction that opens one, and at a comma or an "and"
   after which a new subject stands. A clause has at most `MOST` words, so that the work stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

import msgspec

from dragoman.packets.claims.english.fields.fields import ACTS, NAMES
from dragoman.packets.claims.english.fields.manners import MANNERS
from dragoman.packets.claims.english.fields.tags import Sign, Signs, acts
from dragoman.packets.claims.english.fields.words import WORDS
from dragoman.packets.claims.english.kinds import lower
from dragoman.packets.claims.english.kinds import words as listed
from dragoman.packets.claims.seven import Role

MOST: Final = 60
"""Most words in one clause."""
CLAUSES: Final = 12
"""Most clauses that are read together."""

Roles = frozenset[Role]


class Word(msgspec.Struct, frozen=True):
    """One word or known phrase, in lower case."""

    text: str
    signs: Signs
    roles: Roles


class Clause(msgspec.Struct, frozen=True):
    """A part of a sentence: its words, and what they are together; `mark` is what stands before it."""

    words: tuple[Word, ...]
    signs: Signs
    roles: Roles
    mark: str


_Entry = tuple[Signs, Roles]
"""What a word or phrase is."""
_NONE: Final[_Entry] = (frozenset(), frozenset())


class _Lexicon(NamedTuple):
    """Every known phrase, its words a space apart, and how many words the longest has that begins with a word."""

    entries: dict[str, _Entry]
    longest: dict[str, int]


@cache
def _entry(signs: Signs, roles: Roles) -> _Entry:
    """One object for what is alike: there are twenty thousand phrases."""
    return signs, roles


_TOKEN: Final = re.compile(r"[a-z0-9_]+(?:'[a-z]+|\.(?:org|com)\b|(?:@[a-z]+\.[a-z]+))?|[,;:()≠&]|\s[-–—]+\s|—")
_ENDS: Final = frozenset(";:()")


@cache
def _lexicon() -> _Lexicon:
    made = _Lexicon({}, {})
    for sign, entries in (*WORDS.items(), *MANNERS.items()):
        for phrase in entries:
            _add(made, phrase, sign, None)
    for role, entries in NAMES.items():
        for phrase in entries:
            _add(made, phrase, None, role)
    for role, verbs in ACTS.items():
        for form, sign in acts(verbs):
            _add(made, form, sign, role)
    return made


def _add(made: _Lexicon, phrase: str, sign: Sign | None, role: Role | None) -> None:
    tokens = _TOKEN.findall(lower(phrase))
    key = " ".join(tokens)
    signs, roles = made.entries.get(key, _NONE)
    signs = signs if sign is None else signs | {sign}
    roles = roles if role is None else roles | {role}
    made.entries[key] = _entry(signs, roles)
    made.longest[tokens[0]] = max(made.longest.get(tokens[0], 0), len(tokens))


def words_of(text: str) -> list[Word]:
    """The words of a sentence, and its marks."""
    low = lower(text)
    tokens = [(found.group().strip(), found.start()) for found in _TOKEN.finditer(low)]
    made: list[Word] = []
    at = 0
    while at < len(tokens):
        length, (signs, roles) = _longest(tokens, at)
        word = " ".join(token for token, _ in tokens[at : at + length])
        made.append(Word(word, signs, roles))
        at += length
    return made


def _longest(tokens: list[tuple[str, int]], at: int) -> tuple[int, _Entry]:
    """How many words the longest known phrase at a place has, and what it is; a genitive is looked up without "s"."""
    entries, longest = _lexicon()
    first = tokens[at][0]
    first = first if first in longest else first.removesuffix("'s")
    words = [first, *(token for token, _ in tokens[at + 1 : at + longest.get(first, 1)])]
    for length in range(len(words), 0, -1):
        found = entries.get(" ".join(words[:length]))
        if found is not None:
            return length, found
    return 1, _NONE


_OPENS: Final = frozenset(
    listed(
        """as soon as,so that,the moment,the second,the minute,the instant,in case,even if,because,since
        whereas,while,although,though,if
        when,whenever,once,unless,until,so,which,who,whereupon
        whereby,where,before,after,but,yet,however,upon"""
    )
)
_HEADS: Final = frozenset(
    {Sign.UAIX, Sign.PACKET, Sign.WE, Sign.OUR, Sign.IT, Sign.YOU, Sign.YOUR, Sign.OTHER, Sign.NAME, Sign.DET, Sign.NO}
    | {Sign.CONTRAST, Sign.EASE, Sign.IF, Sign.WHERE, Sign.FILL}
)


def clauses_of(words: list[Word]) -> Iterator[Clause]:
    """The clauses of a sentence."""
    here: list[Word] = []
    mark = ""
    for at, word in enumerate(words):
        ends = _ends(words, at)
        if here and (ends or len(here) == MOST):
            yield _clause(here, mark)
            here, mark = [], word.text
        if word.text in _ENDS or word.text[:1] in "-–—":
            mark = word.text
            continue
        here.append(word)
    if here:
        yield _clause(here, mark)


def _clause(words: list[Word], mark: str) -> Clause:
    signs: Signs = frozenset().union(*(word.signs for word in words))
    roles: Roles = frozenset().union(*(word.roles for word in words))
    return Clause(tuple(words), signs, roles, mark)


def _ends(words: list[Word], at: int) -> bool:
    """Whether a new clause begins with the word at a place, or a mark ends the old one."""
    word = words[at]
    if word.text in _ENDS or word.text[:1] in "-–—":
        return True
    if word.text in _OPENS:
        return True
    if word.text == "that" and at + 1 < len(words) and words[at + 1].signs & {Sign.MAY, Sign.NOT, Sign.S}:
        return True
    before = words[at - 1].text if at else ""
    if before == ",":
        return bool(word.signs & _HEADS) or word.text == "as"
    return before in ("and", "then", "&") and bool(word.signs & (_HEADS - {Sign.DET, Sign.YOUR, Sign.NAME, Sign.OTHER}))
