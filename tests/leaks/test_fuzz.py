"""Random terms, texts, chunkings, edits and length splits: engines, streams and the slow oracle agree.

`make soak` runs it over at least 100,000 splits (`DRAGOMAN_LEAK_SPLITS`); a failing round tells its seed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from dragoman.leaks import Engine, Guard, Settled, StreamScan, Terms, fold
from dragoman.leaks.engines import fast_is_installed

from . import oracle
from .samples import ORDINARY_EN, ORDINARY_ZH, SHAPE_SAMPLES
from .test_stream import DISGUISES as USUAL

SPLITS = int(os.environ.get("DRAGOMAN_LEAK_SPLITS", "10000"))
SPLITS_A_TEXT = 25
ENGINES = [engine for engine in Engine if engine is Engine.PLAIN or fast_is_installed()]
SYLLABLES = ["fal", "con", "ab", "a", "b", "s", "42", "5", "0", "猎", "鹰", "獵", "Ω", "х", "ハ", "C"]
DISGUISES = (*USUAL, lambda term: term.translate(RESEMBLING), lambda term: f"<b>{term[:2]}</b>{term[2:]}", str.swapcase)
RESEMBLING = str.maketrans("olaseOLASE", "0145$0145$")
JOINTS = ["", "", "", " ", " ", "-", ".", ",", "=", "+", "$", ":", "\n", "  ", "*", "'"]
PIECES = [
    "\u200b",
    "\u0301",
    "%46",
    "&#97;",
    "<b>",
    "</b>",
    "password is ",
    'File "',
    "Bearer ",
    "I",
    "1",
    "|",
    "...",
    "é",
]


class Round:
    """One random policy and one random text, with everything made of one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.owned = {owner: [self.term() for _ in range(self.chance.randint(1, 4))] for owner in "ab"}
        self.owned_by = frozenset(self.chance.choice(["", "", "a", "b"]))
        self.terms = [term for terms in self.owned.values() for term in terms]
        self.text = self.written()

    def term(self) -> str:
        """A term of a few syllables."""
        syllables = self.chance.choices(SYLLABLES, k=self.chance.randint(1, 5))
        return "".join(syllable + self.chance.choice(JOINTS) for syllable in syllables)

    def written(self) -> str:
        """Terms in disguise, their beginnings, keys and traces and theirs, and all that is near them."""
        return "".join(self.piece() + self.chance.choice(JOINTS) for _ in range(self.chance.randint(0, 12)))

    def piece(self) -> str:
        """One piece of a text."""
        term = self.chance.choice(self.terms)
        kind = self.chance.random()
        if kind < 0.3:
            first = self.chance.choice((0, 0, self.chance.randint(0, len(term))))
            one, other = self.chance.choice(DISGUISES), self.chance.choice(DISGUISES)
            return one(term[:first]) + other(term[first:])
        if kind < 0.5:
            return term[: self.chance.randint(0, len(term))]
        if kind < 0.57:
            sample = self.chance.choice(SHAPE_SAMPLES)[self.chance.choice((1, 2))]
            return sample[: self.chance.randint(0, len(sample) + 20)]
        if kind < 0.65:
            return self.chance.choice(ORDINARY_EN + ORDINARY_ZH)[: self.chance.randint(0, 30)]
        return self.chance.choice(PIECES if kind < 0.75 else SYLLABLES)

    def edited(self) -> str:
        """The text with a piece of it replaced."""
        start, end = sorted(self.chance.randint(0, len(self.text)) for _ in range(2))
        return self.text[:start] + self.chance.choice(["", self.piece()]) + self.text[end:]

    def chunks(self) -> list[str]:
        """The text cut into chunks: at random places, by length, or one character at a time."""
        kind = self.chance.random()
        if kind < 0.3:
            size = self.chance.randint(1, 40)
            places = [*range(size, len(self.text), size)]
        else:
            count = self.chance.choice((1, 2, 3, 8, 20))
            places = sorted(self.chance.randint(0, len(self.text)) for _ in range(count))
        return [self.text[left:right] for left, right in pairwise([0, *places, len(self.text)])]

    def goes_on(self, beginning: str) -> Iterator[str]:
        """Ways in which a beginning would become a term or a shape: each that its end is the first part of."""
        letters = "".join(char for char in fold(beginning).text if char.isalnum())
        for term in self.terms:
            written = oracle.read(term)
            for length in range(1, len(written.letters)):
                if letters.endswith(written.letters[:length]):
                    yield written.letters[length:] + " "
                    rest = zip(written.between[length - 1 :], written.letters[length:], strict=True)
                    yield "".join(gap + letter for gap, letter in rest) + written.after + " "
        for _, sample, _ in SHAPE_SAMPLES:
            for length in range(1, min(len(sample), len(beginning) + 1)):
                if beginning.endswith(sample[:length]):
                    yield sample[length:] + " "


def found(guard: Guard, text: str, owned_by: frozenset[str]) -> set[oracle.Place]:
    """What a guard finds, in the oracle's words."""
    return {
        oracle.Place(hit.start, hit.end, hit.kind, "" if hit.kind == "term" else hit.rule)
        for hit in guard.scan(text, owned_by)
    }


def check_splits(seed: int, made: Round, guards: list[Guard], guarded: set[oracle.Place]) -> None:
    """However the text is cut, nothing from the first guarded place on is shown, and the end is the same."""
    limit = min((place.start for place in guarded), default=len(made.text))
    ends: set[Settled] = set()
    for nth in range(SPLITS_A_TEXT):
        stream = StreamScan(guards[nth % len(guards)], made.owned_by)
        shown = 0
        for chunk in made.chunks():
            upto = stream.push(chunk).upto
            assert shown <= upto <= limit, (seed, made.text)
            shown = upto
        ends.add(stream.close())
    (end,) = ends

    assert shown <= end.upto <= limit, (seed, made.text)
    assert (bool(guarded), len(made.text) if not guarded else end.upto) == (bool(end.hits), end.upto), (seed, made.text)


def check_open(seed: int, made: Round, guard: Guard) -> None:
    """What is shown of a beginning stays clean whatever it becomes."""
    beginning = made.text[: made.chance.randint(0, len(made.text))]
    shown = StreamScan(guard, made.owned_by).push(beginning).upto
    for rest in set(made.goes_on(beginning)):
        hits = oracle.scan(beginning + rest, made.owned, made.owned_by)
        assert shown <= min((hit.start for hit in hits), default=shown), (seed, beginning, rest)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_engines_streams_and_oracle_agree() -> None:
    """In each random policy a text and an edit of it are found alike, and no split shows what is or may become one."""
    for seed in range(SPLITS // SPLITS_A_TEXT):
        made = Round(seed)
        guards = [Guard(Terms(made.owned, engine=engine)) for engine in ENGINES]
        for text in (made.text, made.edited()):
            expected = oracle.scan(text, made.owned, made.owned_by)
            for guard in guards:
                assert expected == found(guard, text, made.owned_by), (seed, text)
        check_splits(seed, made, guards, oracle.scan(made.text, made.owned, made.owned_by))
        check_open(seed, made, guards[seed % len(guards)])
