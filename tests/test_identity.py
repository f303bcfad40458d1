"""Identities are exact, and what is malformed is nobody and nowhere (spec 1 §2)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.identity import (
    NOBODY,
    PART_LIMIT,
    UNKNOWN,
    Party,
    Target,
    parse_party,
    parse_target,
    party,
    target,
    well_formed,
)

PARTS = st.text(min_size=1, max_size=40).filter(well_formed)

MALFORMED = [
    ("", "empty"),
    (" padded", "padded in front"),
    ("padded ", "padded behind"),
    ("line\nbreak", "a line break"),
    ("zero\u200bwidth", "an invisible character"),
    ("nul\x00", "a control character"),
    ("x" * (PART_LIMIT + 1), "too long"),
    (None, "missing"),
    (7, "a number"),
    (["x"], "a list"),
    (b"x", "bytes"),
]


@pytest.mark.parametrize(("part", "what"), MALFORMED, ids=[row[1] for row in MALFORMED])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_malformed_part_makes_it_unknown(part: object, what: str, place: int) -> None:
    """One malformed part is enough to be nowhere, or nobody."""
    parts: list[object] = ["matrix", "@desk:x", "!room:x"]
    parts[place] = part

    assert not target(*parts).known
    assert not party(*parts).known


def test_unknown_never_equals_anything() -> None:
    """A malformed identity never matches a malformed policy key, nor itself."""
    assert UNKNOWN != UNKNOWN
    assert NOBODY != NOBODY
    assert not UNKNOWN == UNKNOWN  # noqa: SIM201  both operators must say so
    assert Target("", "", "") not in {UNKNOWN: "target"}
    assert UNKNOWN not in frozenset({Target("", "", "")})
    assert Party("", "", "") not in {NOBODY: "party"}


@given(PARTS, PARTS, PARTS)
def test_the_text_form_goes_there_and_back(platform: str, workspace: str, channel: str) -> None:
    """Whatever stands in a part, slashes and percent signs included, is read back byte for byte."""
    place, person = Target(platform, workspace, channel), Party(platform, workspace, channel)

    assert place == parse_target(str(place))
    assert person == parse_party(str(person))


@given(PARTS, PARTS, PARTS, PARTS)
def test_only_the_exact_triple_is_equal(platform: str, workspace: str, channel: str, other: str) -> None:
    """No folding, no prefix, no trimming: another part is another place."""
    place = Target(platform, workspace, channel)

    assert place == Target(platform, workspace, channel)
    assert hash(place) == hash(Target(platform, workspace, channel))
    assert (place == Target(platform, workspace, other)) is (channel == other)
    assert (place == Target(platform, workspace, channel.swapcase())) is (channel == channel.swapcase())


@pytest.mark.parametrize("text", ["", "a/b", "a/b/c/d", "a//c", "/b/c", "a/b/", "a/b/ c", None, 3])
def test_a_text_that_is_no_identity_is_unknown(text: object) -> None:
    """Anything but three well-formed parts is nowhere."""
    assert not parse_target(text).known


def test_a_target_is_no_party() -> None:
    """A place and a person with the same parts are not the same thing."""
    assert Target("a", "b", "c") != Party("a", "b", "c")


def test_identities_survive_json() -> None:
    """The ledger and the wire read back what they wrote."""
    place = Target("matrix", "@desk:x", "!a/b:x")

    assert place == msgspec.json.decode(msgspec.json.encode(place), type=Target)
