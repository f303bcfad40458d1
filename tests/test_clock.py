"""Time is UTC milliseconds, and an RFC 3339 stamp is read in one narrow form (spec 3 §1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.clock import DAY, SystemClock, next_utc_day, parse_rfc3339, rfc3339, utc_day

MOMENTS = st.integers(min_value=0, max_value=4_102_444_800_000)

READ = [
    ("1970-01-01T00:00:00Z", 0),
    ("2026-09-21T14:13:20Z", 1_790_000_000_000),
    ("2026-09-21T14:13:20.5Z", 1_790_000_000_500),
    ("2026-09-21T14:13:20.123456Z", 1_790_000_000_123),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000),
]

REFUSED = [
    "2026-09-21T14:13:20+00:00",
    "2026-09-21T14:13:20",
    "2026-09-21t14:13:20z",
    "2026-09-21 14:13:20Z",
    "2026-09-21T14:13:60Z",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-09-21T24:00:00Z",
    "2026-09-21T14:13:20.1234567Z",
    "2026-09-21T14:13Z",
    "２０２６-09-21T14:13:20Z",
    " 2026-09-21T14:13:20Z",
    "",
    None,
    1_790_000_000_000,
]


@pytest.mark.parametrize(("text", "moment"), READ)
def test_a_stamp_is_read(text: str, moment: int) -> None:
    """Fractions below a millisecond are cut, never rounded up."""
    assert moment == parse_rfc3339(text)


@pytest.mark.parametrize("text", REFUSED)
def test_any_other_form_is_refused(text: object) -> None:
    """Offsets, leap seconds, impossible dates, other digits: an error, never a guess."""
    with pytest.raises(ValueError, match=r"expected an RFC 3339 time|must be in|out of range|day is|month must"):
        parse_rfc3339(text)  # type: ignore[arg-type]


@given(MOMENTS)
def test_a_moment_goes_there_and_back(moment: int) -> None:
    """What is written is what is read."""
    assert moment == parse_rfc3339(rfc3339(moment))


@given(MOMENTS)
def test_the_next_day_is_the_next_day(moment: int) -> None:
    """The daily budget turns at midnight UTC, to the millisecond."""
    turn = next_utc_day(moment)

    assert utc_day(turn) != utc_day(moment)
    assert utc_day(turn - 1) == utc_day(moment)
    assert 0 < turn - moment <= DAY


def test_the_real_clock_tells_milliseconds() -> None:
    """The one real clock speaks in the house's unit."""
    assert SystemClock().now() > parse_rfc3339("2024-01-01T00:00:00Z")
