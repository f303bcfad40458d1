"""Reading untrusted JSON: nothing raises, nothing is guessed, and what is wrong has a name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.channels.payload import MOST_ITEMS, TEXT_LIMIT, Payload
from dragoman.words import Fact

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=12,
)

ROWS: list[tuple[str, Any, str, Any, tuple[str, ...]]] = [
    # reader, what stands at `a`, -, what is read, what is named as malformed
    ("text", "hello", "", "hello", ()),
    ("text", None, "", "", ()),
    ("text", 5, "", "", ("a",)),
    ("text", "x" * (TEXT_LIMIT + 1), "", "", ("a",)),
    ("text", "half \ud800", "", "", ("a",)),
    ("id", "C0SHELVES1", "", "C0SHELVES1", ()),
    ("id", " padded ", "", "", ("a",)),
    ("id", 5, "", "", ("a",)),
    ("id", None, "", "", ()),
    ("number_id", -1002000000001, "", "-1002000000001", ()),
    ("number_id", "5", "", "", ("a",)),
    ("number_id", True, "", "", ("a",)),
    ("number_id", 2**63, "", "", ("a",)),
    ("whole", 0, "", 0, ()),
    ("whole", 1.0, "", None, ("a",)),
    ("whole", True, "", None, ("a",)),
    ("flag", True, "", Fact.YES, ()),
    ("flag", False, "", Fact.NO, ()),
    ("flag", None, "", Fact.UNKNOWN, ()),
    ("flag", "true", "", Fact.UNKNOWN, ("a",)),
    ("flag", 1, "", Fact.UNKNOWN, ("a",)),
    ("texts", ["x", 1, "y"], "", ["x", "y"], ("a.1",)),
    ("texts", "x", "", [], ("a",)),
    ("texts", ["x"] * (MOST_ITEMS + 1), "", [], ("a",)),
]


@pytest.mark.parametrize(("reader", "value", "_", "read", "malformed"), ROWS)
def test_a_row(reader: str, value: Any, _: str, read: Any, malformed: tuple[str, ...]) -> None:
    """What is read of a value, and what is named."""
    payload = Payload({"a": value})

    assert (read, malformed) == (getattr(payload, reader)("a"), payload.malformed)


def test_what_is_needed_is_named_when_it_is_missing() -> None:
    """An id that must stand there is malformed without."""
    payload = Payload({})
    payload.id("sender", needed=True)
    payload.number_id("chat", needed=True)
    payload.id("thread")

    assert ("sender", "chat") == payload.malformed


def test_paths_tell_where_it_stands() -> None:
    """Inside objects and lists, at any depth; each path once."""
    payload = Payload({"event": {"files": [{"name": 1}, 7]}, "user": []})
    for _ in range(2):
        for file in payload.inside("event").objects("files"):
            file.text("name")
        payload.inside("user").inside("deeper").text("name")

    assert ("event.files.1", "event.files.0.name", "user") == payload.malformed


@given(JSON)
def test_nothing_raises(raw: Any) -> None:
    """Whatever the JSON, every reader gives a value of its type."""
    payload = Payload(raw)
    for place in (payload, payload.inside("a"), *payload.objects("b")):
        assert type(place.text("a")) is str
        assert type(place.id("b", needed=True)) is str
        assert type(place.number_id("c")) is str
        assert place.flag("a") in Fact
        assert all(type(item) is str for item in place.texts("c"))
    assert len(payload.malformed) == len(set(payload.malformed))
