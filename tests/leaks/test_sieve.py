"""The cheap look before the dear one: where it says no, the dear one finds nothing."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.leaks import Engine, Guard, Kind, Sieve, Terms

from .samples import ORDINARY_EN, ORDINARY_ZH, SHAPE_SAMPLES

WORDS = ("auto sync", "\nmirror", "自动同步", "C++ bridge")
GUARD = Guard(Terms({}))
SECRETS = [row[1] for row in SHAPE_SAMPLES]


@pytest.fixture(scope="module")
def sieve(engine: Engine) -> Sieve:
    """The sieve of these tests over each engine."""
    return Sieve(WORDS, engine=engine)


def holds(text: str) -> bool:
    """Whether the whole scan finds a secret."""
    return any(hit.kind is Kind.SECRET for hit in GUARD.scan(text, terms=False))


def test_no_secret_falls_through(sieve: Sieve) -> None:
    """Samples, near misses and ordinary talk; encoded, escaped, among words, beyond the length of a run."""
    pieces = [*SECRETS, *(row[2] for row in SHAPE_SAMPLES), *ORDINARY_EN, *ORDINARY_ZH]
    for piece in pieces:
        coded = base64.b64encode(piece.encode()).decode()
        shapes = (piece, f"请看 {piece} ok", coded, coded.lower() + coded, quote(piece, safe=""), piece * 120)
        assert [text for text in shapes if holds(text) and not sieve.caught(text).secret] == []


@given(
    pieces=st.lists(st.sampled_from([*SECRETS, " ", "a", "=", "%41", "key", "a_b_c", "x" * 17, "\n"]), max_size=5),
    engine=st.sampled_from([Engine.PLAIN, None]),
)
def test_no_mixture_falls_through(pieces: list[str], engine: Engine | None) -> None:
    """Samples glued to each other and to what surrounds them."""
    text = "".join(pieces)
    assert SIEVES[engine].caught(text).secret or not holds(text)


SIEVES = {engine: Sieve(WORDS, engine=engine) for engine in (Engine.PLAIN, None)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with AUTO SYNC on", True),
        ("Mirror, mirror", True),
        ("the\nmirror", True),
        ("a mirror", False),
        ("ａｕｔｏ ｓｙｎｃ", True),
        ("au\u200bto sync", True),
        ("自動同步", True),
        ("our c++ Bridge", True),
        ("our c bridge", False),
        ("auto-sync", False),
        ("", False),
    ],
)
def test_words_in_any_case_and_disguise(sieve: Sieve, text: str, expected: bool) -> None:
    """A word is caught as it is folded; a line feed before it stands for the beginning of a line."""
    assert (False, expected) == sieve.caught(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("timestamp_not_utc in stock/dates/of/september", False),
        ("internationalization of canonicalization", False),
        ("dGhlIHBhc3N3b3JkIGlz", True),
        ("x" * 5_000, True),
        ("word " * 2_000, True),
    ],
)
def test_what_is_worth_a_second_look(sieve: Sieve, text: str, expected: bool) -> None:
    """Long words, names and paths are none; what may be base64, and what is too long to be one run, is."""
    assert (expected, False) == sieve.caught(text)


def test_a_sieve_without_words_catches_none() -> None:
    """Only secrets then."""
    bare = Sieve()
    assert [(False, False), (True, False)] == [bare.caught(text) for text in ("auto sync", "AKIAIOSFODNN7EXAMPLF")]
