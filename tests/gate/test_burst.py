"""Parts of one request wait for each other and are decided once (spec 1 §3 step 10, §11.3)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gate.burst import PARTS_LIMIT, Part, due, merged
from dragoman.gate.event import Event, ReplyTo
from dragoman.words import Fact
from tests.gate.world import NOW, said

QUIET, CAP = 1_500, 10_000


def parts(*arrivals: int, event: Event | None = None) -> list[Part]:
    """Parts that arrived at these milliseconds after NOW."""
    return [Part(event or said("", attachments=1), NOW + at, True) for at in arrivals]


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        ((0,), 1_500),
        ((0, 700), 2_200),
        ((0, 1_000, 2_000, 3_000), 4_500),
        ((0, 9_000), 10_000),
        ((0, 9_999), 10_000),
    ],
)
def test_a_buffer_is_due_after_the_quiet_time_or_at_the_cap(arrivals: tuple[int, ...], expected: int) -> None:
    """Every part makes the request wait a little longer, but never beyond the cap."""
    assert NOW + expected == due(parts(*arrivals), QUIET, CAP)


def test_a_full_buffer_is_due_at_once() -> None:
    """More parts than a request can have are not waited for."""
    assert NOW == due(parts(*[0] * PARTS_LIMIT), QUIET, CAP)


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=30))
def test_the_wait_is_bounded(gaps: list[int]) -> None:
    """However parts trickle in, the request is due within the cap of its first part."""
    at, arrivals = 0, []
    for gap in gaps:
        at += gap
        arrivals.append(at)
    found = due(parts(*arrivals), QUIET, CAP)

    assert arrivals[0] + NOW <= found <= NOW + arrivals[0] + CAP
    assert all(a <= b for a, b in pairwise(arrivals))


def test_what_asks_and_who_else_is_addressed_comes_from_any_part() -> None:
    """The merged event is told as the part that asked; facts of all parts count, and unknown stays unknown."""
    silent = said("", attachments=1, mentions_other=Fact.YES, shared=Fact.UNKNOWN)
    asking = said("do these fit?", attachments=1, mentions_agent=Fact.YES)
    reply = said("", attachments=2, reply_to=ReplyTo.AGENT, malformed=("text",))
    found = merged([Part(silent, NOW, False), Part(asking, NOW, True), Part(reply, NOW, False)])

    assert asking.event_id == found.event_id
    assert asking.dedupe_key == found.dedupe_key
    assert (Fact.YES, Fact.YES, Fact.UNKNOWN) == (found.mentions_agent, found.mentions_other, found.shared)
    assert ReplyTo.AGENT is found.reply_to
    assert 4 == found.attachments
    assert "do these fit?" == found.text
    assert ("text",) == found.malformed
