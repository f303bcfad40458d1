"""By which tokens is a text found? One function for both engines and for subscriptions, so all find the same.

1. Text is folded first: NFKC (full and half width, ligatures), case, then what folding made anew.
2. A run of letters, digits and marks of one kind is a word. Han and kana stand together without spaces: no words.
3. A word is one token, at most `WORD` characters of it. An English plural is its singular (`-ies`, `-es`, `-s`).
4. A text holds of a Han run every character and every pair of neighbours. A query asks for its pairs, or for the
   character when there is only one: every Chinese word of a text finds it, characters that stand apart do not.
5. A tag is folded words joined by `-`, and a token that no word can be. Its words are found like the text's.
6. A text matches when it holds every token that is asked for. Nothing asked for matches everything.

A token holds no space, no quote and no control character. Traditional and simplified characters stay different.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Final

WORD: Final = 40
_TAG: Final = "§"
_JOINT: Final = "·"
_NONE, _LETTERS, _HAN = range(3)
_UNSPACED: Final = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def held(title: str, text: str, tags: Iterable[str] = ()) -> list[str]:
    """Every token that an entry is found by, sorted, each once. `tags` as `tag_of` makes them."""
    known = list(tags)
    found = {token for part in (title, text, *known) for token in _held(part)}
    return sorted(found | {_tag_token(tag) for tag in known})


def wanted(query: str, tags: Iterable[str] = ()) -> list[str]:
    """Every token that a query asks for, sorted, each once; empty when it asks for nothing."""
    return sorted({*_wanted(query), *map(_tag_token, tags)})


def matches(asked: Iterable[str], found: Iterable[str]) -> bool:
    """Whether what `held` found in an entry has all that `wanted` asked for."""
    return set(asked) <= set(found)


def tag_of(text: str) -> str:
    """A tag in its one spelling: folded words joined by `-`; empty when there is no word in it."""
    return "-".join(run for _, run in _runs(text))


def _held(text: str) -> Iterator[str]:
    for kind, run in _runs(text):
        if kind == _LETTERS:
            yield _word(run)
        else:
            yield from run
            yield from map("".join, pairwise(run))


def _wanted(text: str) -> Iterator[str]:
    for kind, run in _runs(text):
        if kind == _LETTERS:
            yield _word(run)
        elif len(run) == 1:
            yield run
        else:
            yield from map("".join, pairwise(run))


def _tag_token(tag: str) -> str:
    return _TAG + tag.replace("-", _JOINT)


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """The runs of one kind in a text, what is neither word nor Han left out."""
    for kind, run in groupby(_folded(text), key=_kind):
        if kind != _NONE:
            yield kind, "".join(run)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _kind(each: str) -> int:
    if each.isascii():
        return _LETTERS if each.isalnum() else _NONE
    if unicodedata.category(each)[0] not in "LNM":
        return _NONE
    point = ord(each)
    return _HAN if any(low <= point <= high for low, high in _UNSPACED) else _LETTERS


def _word(run: str) -> str:
    word = run[:WORD]
    if not word.isascii() or len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word.removesuffix("s")
