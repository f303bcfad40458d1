"""A growing text shows nothing of what is guarded, wherever it is cut."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.leaks import Engine, Guard, Settled, StreamScan, Terms

from .samples import ORDINARY_EN, ORDINARY_ZH, SHAPE_SAMPLES

TERMS = (
    "Falcon",
    "Acme Steel GmbH",
    "Acme Northern Steel",
    "42.5",
    "floor=12",
    "猎鹰项目",
    "猎鹰 Nine",
    "Project Zero One",
    "C++",
    "$42",
    "aab",
    "aaab ab",
    "乙$",
    "Ω7",
)


@pytest.fixture(scope="module")
def guard(engine: Engine) -> Guard:
    """A guard of `TERMS` over each engine."""
    return Guard(Terms({"acme": TERMS}, engine=engine))


@pytest.fixture(scope="module")
def ordinary_guard(engine: Engine) -> Guard:
    """A guard of terms as they are."""
    return Guard(Terms({"acme": ["Falcon", "Acme Steel GmbH", "Order Nine", "单价表", "猎鹰项目"]}, engine=engine))


def shown(guard: Guard, chunks: Iterable[str]) -> tuple[list[int], Settled]:
    """How far each chunk and the close let the text be shown, and the last answer."""
    stream = StreamScan(guard)
    settled = [stream.push(chunk) for chunk in chunks]
    settled.append(stream.close())
    return [each.upto for each in settled], settled[-1]


def cut(text: str, places: Iterable[int]) -> list[str]:
    """The text cut at the given places."""
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[left:right] for left, right in pairwise(edges)]


# --- disguises: a term, written so that it still reads as the term ------------------------------------------------


def _wide(term: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in term)


def _hidden(term: str) -> str:
    return "\u200b".join(term)


def _alike(term: str) -> str:
    return term.translate(str.maketrans("aceopxyACEHMOPTX", "асеорхуАСЕНМОРТХ"))


def _spelled(term: str) -> str:
    return " ".join(term)


def _marked(term: str) -> str:
    return "".join(char + "\u0301" if char.isalpha() else char for char in term)


def _percent(term: str) -> str:
    return "".join(f"%{byte:02X}" for byte in term.encode())


DISGUISES = (str, str.upper, str.lower, _wide, _hidden, _alike, _spelled, _marked, _percent)
PIECES = [
    "猎鹰",
    "Fal",
    "Acme",
    "Steel",
    "North",
    "aa",
    "ab",
    "你好",
    "hunter2!",
    "/home/x",
    "at",
    "%46",
    "%4",
    "Zero",
    "４",
]
OPENINGS = ("Project ", "\u200b", "\u0301", "password is ", 'File "', "Bearer ")
WORDS = st.sampled_from([*TERMS, *"aAcfF猎鹰项目乙$+.,- \n=1245%", *PIECES, *OPENINGS])
DISGUISED = st.builds(lambda disguise, term: disguise(term), st.sampled_from(DISGUISES), st.sampled_from(TERMS))
TEXTS = st.lists(WORDS | DISGUISED, max_size=12).map("".join)
CUTS = st.lists(st.integers(0, 10_000), max_size=12)


@settings(max_examples=400)
@given(TEXTS, CUTS, CUTS)
def test_what_is_shown_does_not_depend_on_the_cuts(
    guard: Guard, text: str, first: list[int], second: list[int]
) -> None:
    """Two ways of cutting a text, and one character at a time, end at the same place with the same hits."""
    one, other, single = (shown(guard, chunks)[1] for chunks in (cut(text, first), cut(text, second), text))

    assert one == other == single


@settings(max_examples=400)
@given(TEXTS, CUTS)
def test_nothing_guarded_is_shown(guard: Guard, text: str, cuts: list[int]) -> None:
    """What is shown only grows, ends before the first hit of the whole text, and a clean text is shown whole."""
    hits = guard.scan(text)
    steps, last = shown(guard, cut(text, cuts))

    assert steps == sorted(steps)
    assert bool(hits) == bool(last.hits)
    assert set(last.hits) <= set(hits)
    assert last.upto <= min((hit.start for hit in hits), default=len(text))
    assert hits or last.upto == len(text)


@settings(max_examples=300)
@given(st.sampled_from(DISGUISES), st.sampled_from(TERMS), TEXTS, CUTS)
def test_no_beginning_of_a_planted_term_is_shown(
    guard: Guard, disguise, term: str, before: str, cuts: list[int]
) -> None:  # type: ignore[no-untyped-def]
    """A term planted in a text is held from its first character, in every disguise, though nothing follows yet."""
    assume(disguise is not _spelled or len(term) > 3)
    text = before + " " + disguise(term)
    stream = StreamScan(guard)
    released = max((stream.push(chunk).upto for chunk in cut(text, cuts)), default=0)

    assert released <= len(before) + 1
    assert stream.close().hits


@pytest.mark.parametrize("text", ORDINARY_EN + ORDINARY_ZH)
def test_ordinary_message_streams_through(ordinary_guard: Guard, text: str) -> None:
    """An ordinary message comes out whole, and never more than a few words late."""
    steps, last = shown(ordinary_guard, text)

    assert last == Settled(len(text))
    assert all(nth - upto <= 80 for nth, upto in enumerate(steps[:-1], start=1))


@pytest.mark.parametrize(("rule", "found", "near"), SHAPE_SAMPLES, ids=[row[0] for row in SHAPE_SAMPLES])
def test_shape_is_held_from_its_first_character(guard: Guard, rule: str, found: str, near: str) -> None:
    """Each secret, path, trace and host is held in a stream of single characters; its near miss comes through."""
    text = "Hello there. " + found + " bye"
    steps, last = shown(guard, text)
    start = min(hit.start for hit in guard.scan(text))

    assert last.hits
    assert max(steps) <= start
    assert shown(guard, near)[1] == Settled(len(near))


def test_length_split_changes_nothing(engine: Engine) -> None:
    """Case C040: a key that begins just before a length split is held, with chunks of any length."""
    key = "sk-test-" + "EXAMPLE0000000000000000"
    guard = Guard(Terms({"acme": [key]}, engine=engine))
    text = "word " * 818 + key

    for size in (1, 7, 4096):
        _, last = shown(guard, [text[at : at + size] for at in range(0, len(text), size)])
        assert (last.upto, bool(last.hits)) == (4090, True)


@pytest.mark.parametrize(
    "chunks",
    [
        ["Here it is: sk-te", "st-EXAMPLE0000", "000000000000 - enjoy"],
        list("Here it is: sk-test-EXAMPLE0000000000000000 - enjoy"),
        ["Here it is: sk-test-\u200b", "EXAMPLE0000000000000000 - enjoy"],
        ["Here it is: c2stdGVzdC1F", "WEFNUExFMDAwMDAwMDAwMDAwMDAwMA== - enjoy"],
        list("Here it is: s k - t e s t - E X A M P L E 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 - enjoy"),
    ],
)
def test_key_across_chunks_is_held(engine: Engine, chunks: list[str]) -> None:
    """Case C040: a protected value cut or disguised across chunks is never shown, not even its beginning."""
    guard = Guard(Terms({"acme": ["sk-test-" + "EXAMPLE0000000000000000"]}, engine=engine))
    steps, last = shown(guard, chunks)

    assert last.hits
    assert max(steps) <= len("Here it is: ")


def test_encoded_beginning_of_a_term_is_held(guard: Guard) -> None:
    """The first word of a term is held though only its encoded form is there and the rest follows in plain words."""
    for first in ("%41cme", "%2541cme", "x%2F%41cme"):
        steps, last = shown(guard, f"Hello {first} Steel GmbH, hello")

        assert last.hits
        assert max(steps) == len("Hello ")


def test_hit_ends_the_stream(guard: Guard) -> None:
    """After a hit nothing more is shown, whatever follows."""
    stream = StreamScan(guard)
    ended = stream.push("Hello. The Falcon flies. ")

    assert ended == Settled(11, ended.hits)
    assert ended.hits
    assert stream.push("Nothing else. ") == ended
    assert stream.close() == ended


def test_own_terms_flow(guard: Guard) -> None:
    """A target that owns the terms gets them; terms can be left out; secrets are held all the same."""
    for stream in (StreamScan(guard, frozenset({"acme"})), StreamScan(guard, terms=False)):
        assert stream.push("Falcon and ").upto == len("Falcon and ")
        assert stream.push("/home/kim ").hits


def test_held_tail_is_one_run_or_one_term(guard: Guard) -> None:
    """Only the last run, or the beginning of a term of several words, is held back."""
    stream = StreamScan(guard)

    assert stream.push("We ship on Mon") == Settled(11)
    assert stream.push("day to Acme Steel ") == Settled(21)
    assert stream.push("and ") == Settled(36)
    assert stream.push("别人的猎鹰项") == Settled(39)
    assert stream.push("链") == Settled(43)


def test_endless_run_is_a_hit_and_endless_text_an_error(guard: Guard) -> None:
    """A run too long to be checked ends the stream at its beginning; a text too long raises."""
    steps, last = shown(guard, ["Hello "] + ["x" * 100] * 50)
    assert max(steps) == 6
    assert [hit.rule for hit in last.hits] == ["secret:unbroken_run"]

    stream = StreamScan(guard)
    stream.push("word " * 150_000)
    with pytest.raises(DragomanError, match="input_too_large"):
        stream.push("word " * 100_000)


def test_window_stays_bounded(guard: Guard) -> None:
    """However long the text, the stream keeps only what it holds back: settled text is never read again."""
    stream = StreamScan(guard)
    sizes = set()
    for _ in range(3_000):
        stream.push("We ship to Acme Steel and others. ")
        sizes.add(len(stream._window))

    assert max(sizes) <= 80


def test_little_is_held_back(engine: Engine) -> None:
    """When a word has ended, eight characters or fewer are unshown on the average, though the text begins terms.

    Each second message gives the first two words of a term.
    """
    guard = Guard(Terms({"acme": [f"{' '.join(line.split()[:2])} Nine" for line in ORDINARY_EN[::2]]}, engine=engine))
    text = " ".join(ORDINARY_EN)
    stream = StreamScan(guard)
    held = []
    for end, char in enumerate(text, start=1):
        shown = stream.push(char).upto
        if char == " ":
            held.append(end - shown)

    assert sum(held) / len(held) <= 8
