"""From an English text to the clauses of its sentences, each a row of words with their signs (see `reading`).

1. The longest known phrase at a place is one word; an unknown word is a word without signs.
2. A clause ends at a semicolon, colon, bracket or dash, before a conjunction that opens one, and at a comma or an "and"
   after which a new subject stands. A clause has at most `MOST` words, so that the work stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from dragoman.packets.claims.english.fields.fields import ACTS, NAMES
from dragoman.packets.claims.english.fields.manners import MANNERS
from dragoman.packets.claims.english.fields.tags import Sign, Signs, acts
from dragoman.packets.claims.english.fields.words import WORDS
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
    high: bool
    """Whether it begins with a capital letter."""


class Clause(msgspec.Struct, frozen=True):
    """A part of a sentence: its words, and what they are together; `mark` is what stands before it."""

    words: tuple[Word, ...]
    signs: Signs
    roles: Roles
    mark: str


class _Node:
    """A node of the tree of phrases: what ends here, and the words that may follow."""

    __slots__ = ("after", "known", "roles", "signs")

    def __init__(self) -> None:
        self.after: dict[str, _Node] = {}
        self.signs: set[Sign] = set()
        self.roles: set[Role] = set()
        self.known = False


_TOKEN: Final = re.compile(r"[a-z0-9_]+(?:'[a-z]+|\.(?:org|com)\b|(?:@[a-z]+\.[a-z]+))?|[,;:()≠&]|\s[-–—]+\s|—")
_GLUED: Final = re.compile(r"[a-z0-9']")
_ENDS: Final = frozenset(";:()")


@cache
def _lexicon() -> _Node:
    root = _Node()
    for sign, entries in (*WORDS.items(), *MANNERS.items()):
        for phrase in entries:
            _node(root, phrase).signs.add(sign)
    for role, entries in NAMES.items():
        for phrase in entries:
            _node(root, phrase).roles.add(role)
    for role, verbs in ACTS.items():
        for form, sign in acts(verbs):
            node = _node(root, form)
            node.roles.add(role)
            node.signs.add(sign)
    return root


def _node(root: _Node, phrase: str) -> _Node:
    node = root
    for token in _TOKEN.findall(low(phrase)):
        node = node.after.setdefault(token, _Node())
    node.known = True
    return node


def low(text: str) -> str:
    """Lower case of the same length, straight apostrophes."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(each.lower() if len(each.lower()) == 1 else each for each in text)
    return lower.replace("’", "'")


def words_of(text: str) -> list[Word]:
    """The words of a sentence, and its marks."""
    lower = low(text)
    tokens = [(found.group().strip(), found.start()) for found in _TOKEN.finditer(lower)]
    made: list[Word] = []
    at = 0
    while at < len(tokens):
        length, node = _longest(tokens, at)
        word = " ".join(token for token, _ in tokens[at : at + length])
        made.append(Word(word, frozenset(node.signs), frozenset(node.roles), text[tokens[at][1]].isupper()))
        at += length
    return made


_NONE: Final = _Node()


def _longest(tokens: list[tuple[str, int]], at: int) -> tuple[int, _Node]:
    node, best, length, found = _lexicon(), 1, 0, _NONE
    while at + length < len(tokens):
        token = tokens[at + length][0]
        following = node.after.get(token) or (None if length else node.after.get(token.removesuffix("'s")))
        if following is None:
            break
        node, length = following, length + 1
        if node.known:
            best, found = length, node
    return best, found


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
