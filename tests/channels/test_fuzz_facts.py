"""Every platform's facts under payloads that are bent at many places at once: nothing is raised, and nothing malformed
is answered by a gate that would answer. `make soak` does the same for longer, guided by coverage."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.cli.platforms import PLATFORMS
from dragoman.testing.payloads import JUNK, changed, places
from dragoman.words import Outcome
from tests.channels.fuzzing import admitted, at, bent, holds, payloads_of, worlds

WORLDS = worlds()
EVERYTHING = [raw for world in WORLDS.values() for raw in payloads_of(world)]
EXAMPLES = int(os.environ.get("DRAGOMAN_FUZZ", "40"))
TRIED = settings(
    max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
)


def test_every_platform_is_bent() -> None:
    """A platform that `dragoman gate` reads has payloads here."""
    assert set() == set(PLATFORMS) - set(WORLDS)


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_unbent_it_is_answered(platform: str) -> None:
    """The gate of these tests answers both messages of every platform, so that a no is a no for what was bent."""
    world = WORLDS[platform]

    for raw in (world.asking, world.unasked):
        event = holds(world, raw)
        assert (Outcome.RESPOND, ()) == (admitted(event).outcome, event.malformed)


WRONG: tuple[Any, ...] = (7, "x", True, [], {}, [7], {"x": 7}, ["x"])
"""One or more values of each kind that JSON has."""


def kind(value: Any) -> str:
    """Which kind of JSON a value is."""
    return "number" if type(value) in (int, float) else type(value).__name__


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_a_value_of_another_kind_changes_nothing_or_silences(platform: str) -> None:
    """Everywhere in a request, one at a time: either nobody reads what stands there, or the request is not answered."""
    world = WORLDS[platform]
    for raw in (world.asking, world.unasked):
        meant = world.read(raw)
        for place in places(raw):
            for value in (value for value in WRONG if kind(value) != kind(at(raw, place))):
                event = holds(world, changed(raw, place, value))
                answered = admitted(event).outcome is Outcome.RESPOND
                assert event == meant or not answered, f"{value!r} at {place} is read, and answered"


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_bent_payloads_raise_nothing_and_are_not_answered(platform: str) -> None:
    """Its own payloads, with parts of its own and of every other platform's in them."""
    world = WORLDS[platform]

    @TRIED
    @given(bent(payloads_of(world)) | bent(EVERYTHING))
    def law(raw: Any) -> None:
        holds(world, raw)

    law()


@pytest.mark.parametrize("platform", sorted(WORLDS))
def test_any_json_raises_nothing(platform: str) -> None:
    """Whatever JSON can hold, under the keys that are read and under others."""
    world = WORLDS[platform]

    @TRIED
    @given(st.dictionaries(st.sampled_from(sorted(world.asking)) | st.text(max_size=8), JUNK, max_size=6))
    def law(raw: Any) -> None:
        holds(world, raw)

    law()
