"""How much a sentence weighs as a claim: a table of words, weighed on sentences that people wrote and labelled.

The grammar of `claims` knows what it was taught; people promise in words that nobody foresaw. So every word (and pair
of words, and sign of the grammar, see `features`) has a weight: above zero where claims have it more often than
denials, mentions and harmless talk, below zero where it is the other way round.

1. The weight of a sentence is the sum over its signs, and over its words divided by the root of their number; in units
   of the logarithm of the odds, so that 0 is even.
2. The table (`weights.json`) is made by `python -m tests.packets.make_claim_weights` from the open sentences of
   `tests/packets/claims`, never from the locked ones. It says how many it was made from, and their digest.
3. Words that fewer than two sentences have, or that hardly weigh, are left out: the table can be read.
"""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Iterator
from math import sqrt
from typing import Final, Literal, NamedTuple

import msgspec

from dragoman.packets.claims.chinese.clauses import HAN, parted, pieces
from dragoman.packets.claims.english.capabilities.clauses import without_quoted
from dragoman.packets.claims.features import ASKS, DENIES, features

HUNDREDTHS: Final = 100
LEAST: Final = 5
"""Fewer words than these (with pairs, and runs of characters) say too little: a sentence of two words has three."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of one language, in hundredths."""

    even: int
    """What a sentence without any known word weighs."""
    signs: dict[str, int]
    words: dict[str, int]


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables as written, how many sentences they were made from, and the digest of those."""

    sentences: int
    sha256: str
    en: msgspec.Raw
    zh: msgspec.Raw


class Weighed(NamedTuple):
    """What a sentence weighs as a claim, and whether the grammar reads a denial or a question in it."""

    odds: float
    denies: bool
    asks: bool


def weighed(text: str) -> Iterator[Weighed]:
    """Every sentence of a text, quotations blanked, as far as it is one and has words enough to be weighed."""
    han, others = parted(text) if HAN.search(text) else ("", text)
    for sentence in map(str.strip, pieces(han)):
        yield from _weighed(sentence, table("zh"))
    for sentence in map(str.strip, pieces(without_quoted(others))):
        if " " in sentence:  # else an id, an address, a path
            yield from _weighed(sentence, table("en"))


def _weighed(sentence: str, table: Table) -> Iterator[Weighed]:
    words, signs = features(sentence)
    if len(words) >= LEAST:
        light = sum(table.signs.get(sign, 0) for sign in signs) + table.even
        heavy = sum(table.words.get(word, 0) for word in words) / sqrt(len(words))
        yield Weighed((light + heavy) / HUNDREDTHS, not DENIES.isdisjoint(signs), ASKS in signs)


@functools.cache
def table(language: Literal["en", "zh"]) -> Table:
    """The table of a language, read when it is first asked for."""
    return msgspec.json.decode(getattr(weights(), language), type=Table)


def weights() -> Weights:
    """What this release carries."""
    folder = importlib.resources.files("dragoman.packets.claims")
    return msgspec.json.decode((folder / "weights.json").read_bytes(), type=Weights)
