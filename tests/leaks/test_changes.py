"""Terms given and taken while running: enforced at once, however many there are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.leaks import Engine, Guard, StreamScan, Terms, fold
from dragoman.leaks.spelling import plain_spelling, spelling_of

BASE = {"acme": ["Falcon", "42.5"], "northwind": ["Northwind depot", "猎鹰项目"]}
TEXT = "Falcon, Kestrel one and Northwind depot for 42.5, 猎鹰项目"
NAMES = ["Falcon", "Kestrel", "Merlin", "Fal con", "42.5", "425", "猎鹰", "獵鷹"]
OWNED = st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from(NAMES), max_size=4))


def named(guard: Guard, text: str, owned_by: str = "") -> list[str]:
    """What of a text names a term."""
    return [text[hit.start : hit.end] for hit in guard.scan(text, frozenset(owned_by.split()))]


def test_added_term_is_found_and_held_back(engine: Engine) -> None:
    """A term added later is found whole and held back in a stream, and the guard it came from is as before."""
    before = Guard(Terms(BASE, engine=engine))
    after = before.with_terms({"zenith": ["Kestrel one"]})

    assert ["Falcon", "Northwind depot", "42.5", "猎鹰项目"] == named(before, TEXT)
    assert ["Falcon", "Kestrel one", "Northwind depot", "42.5", "猎鹰项目"] == named(after, TEXT)
    assert ["Kestrel one"] == named(after, TEXT, "acme northwind")
    assert StreamScan(after).push("for Kestrel ").upto == len("for ")
    assert (4, 5) == (len(before.terms), len(after.terms))


def test_removed_term_is_free(engine: Engine) -> None:
    """A term taken away is no longer found; one that another party gave too stays theirs."""
    guard = Guard(Terms({**BASE, "zenith": ["FALCON"]}, engine=engine))

    assert ["Falcon"] == named(guard.without_terms({"acme": ["Falcon"]}), "a Falcon", "acme")
    assert [] == named(guard.without_terms({"acme": ["Falcon"]}), "a Falcon", "zenith")
    assert [] == named(guard.without_terms({"acme": ["Falcon"], "zenith": ["falcon"]}), "a Falcon")
    assert [] == named(guard.with_terms({"a": ["Kite"]}).without_terms({"a": ["kite"]}), "a Kite")
    assert len(guard.terms) == len(guard.without_terms({"nobody": ["Falcon", "Owl"]}).terms)


def test_taken_and_given_again(engine: Engine) -> None:
    """A term taken away and given again is guarded again, for its new owner."""
    guard = Guard(Terms(BASE, engine=engine)).without_terms({"acme": ["Falcon"]}).with_terms({"zenith": ["falcon"]})

    assert [] == named(guard, "a Falcon", "zenith")
    assert ["Falcon"] == named(guard, "a Falcon", "acme")


@settings(deadline=None)  # each example builds several guards
@given(OWNED, st.lists(st.tuples(st.booleans(), OWNED), max_size=4), st.sampled_from(["", "a", "b", "a b c"]))
def test_changes_come_to_the_same_as_a_fresh_start(
    engine: Engine,
    owned: dict[str, list[str]],
    changes: list[tuple[bool, dict[str, list[str]]]],
    owned_by: str,
) -> None:
    """After any changes a guard finds what one made of the resulting terms finds, whole and in a stream."""
    text = "Falcon Kestrel, Merlin; F-a-l-c-o-n 42.5 425 猎鹰"
    guard = Guard(Terms(owned, engine=engine))
    kept = {(owner, folded(name)): name for owner, names in owned.items() for name in names}
    for given_now, change in changes:
        each = {(owner, folded(name)): name for owner, names in change.items() for name in names}
        guard = guard.with_terms(change) if given_now else guard.without_terms(change)
        kept = {**kept, **each} if given_now else {key: name for key, name in kept.items() if key not in each}
    together: dict[str, list[str]] = {}
    for (owner, _), name in kept.items():
        together.setdefault(owner, []).append(name)
    fresh = Guard(Terms(together, engine=engine))

    assert named(fresh, text, owned_by) == named(guard, text, owned_by)
    assert len(fresh.terms) == len(guard.terms)


def folded(name: str) -> str:
    """What makes two of `NAMES` one term."""
    return name.lower().replace("獵鷹", "猎鹰")


def test_late_terms_are_checked_like_others() -> None:
    """A broken term is refused when added, and the rule ids of added terms count on."""
    guard = Guard(Terms(BASE))

    with pytest.raises(DragomanError, match="policy_invalid"):
        guard.with_terms({"a": ["..."]})
    assert ["term:000004"] == [hit.rule for hit in guard.with_terms({"a": ["Kite"]}).scan("a Kite")]


@pytest.mark.slow
def test_a_million_terms_take_one_more_within_a_second() -> None:
    """Adding to and taking from a million terms, and the first check with it, take well under a second each."""
    guard = Guard(Terms({"many": [f"code {nth:06d} word" for nth in range(999_999)]}))
    start = time.perf_counter()
    more = guard.with_terms({"zenith": ["Kestrel one"]})
    assert ["Kestrel one"] == named(more, "a Kestrel one")
    added = time.perf_counter() - start
    start = time.perf_counter()
    fewer = more.without_terms({"many": ["code 123456 word"]})
    assert ["code 123457 word"] == named(fewer, "code 123456 word, code 123457 word")
    taken = time.perf_counter() - start

    assert max(added, taken) < 1


@given(st.lists(st.text("abZ09", min_size=1, max_size=4), min_size=1, max_size=4))
def test_plain_terms_are_read_as_any_others(words: list[str]) -> None:
    """The quick way to read a term of plain words comes to the same as the thorough one."""
    text = fold(" ".join(words)).text
    places = [place for place, char in enumerate(text) if char != " "]

    assert len(places) < 3 or spelling_of(text, places) == plain_spelling(words)
