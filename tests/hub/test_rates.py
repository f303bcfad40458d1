"""How often who may ask: the buckets as tables and properties, and whose bucket a request is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.hub import rates
from dragoman.hub.rates import Buckets, Rate, address_of


def test_a_burst_and_then_one_by_one() -> None:
    """Three at once, then one per half second; who waits as long as he was told is let in."""
    buckets = Buckets(Rate(2.0, 3))
    taken = [buckets.take("a", 1000) for _ in range(5)]
    wait = taken[-1]

    assert [0, 0, 0] == taken[:3]
    assert 0 < wait <= 501
    assert 0 == buckets.take("a", 1000 + wait)
    assert 0 < buckets.take("a", 1000 + wait)
    assert 0 == buckets.take("b", 1000), "another key has a bucket of its own"


def test_nothing_counted() -> None:
    """A rate of 0 counts nothing and keeps nothing."""
    buckets = Buckets(Rate(0.0, 1))

    assert ([0] * 1000, 0) == ([buckets.take("a", 1) for _ in range(1000)], len(buckets))


def test_memory_is_bounded() -> None:
    """However many keys ask, at most `MOST` are kept."""
    buckets = Buckets(Rate(1.0, 1))
    for number in range(rates.MOST + 100):
        buckets.take(f"{number}", 1)

    assert rates.MOST == len(buckets)


@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=200),
    st.integers(1, 50),
    st.floats(0.5, 100, allow_nan=False),
)
def test_never_more_than_the_rate_allows(steps: list[int], burst: int, per_second: float) -> None:
    """In any stretch of time no more pass than the burst and what the rate has added since."""
    buckets = Buckets(Rate(per_second, burst))
    now, passed = 10_000, []
    for step in steps:
        now += step
        if buckets.take("a", now) == 0:
            passed.append(now)
    for first, begin in enumerate(passed):
        for last in range(first, len(passed)):
            allowed = burst + (passed[last] - begin) / 1000 * per_second
            assert last - first + 1 <= allowed + 1e-3


PROXY = {"10.0.0.1", "::1"}
ADDRESSES = [
    ("no proxy", "203.0.113.7", [], "203.0.113.7"),
    ("a header from anybody is not believed", "203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
    ("behind the proxy", "10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
    ("what the caller put before it", "10.0.0.1", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
    ("in a header of its own", "10.0.0.1", ["1.1.1.1", "198.51.100.1"], "198.51.100.1"),
    ("two proxies of ours", "::1", ["198.51.100.1, 10.0.0.1"], "198.51.100.1"),
    ("a proxy that wrote nothing", "10.0.0.1", [], "10.0.0.1"),
    ("with a port", "10.0.0.1", ["198.51.100.1:5000"], "198.51.100.1"),
    ("IPv6 by its network", "2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::"),
    ("IPv6 in brackets", "10.0.0.1", ["[2001:db8:1:2::9]:443"], "2001:db8:1:2::"),
    ("nonsense shares one bucket", "10.0.0.1", ["x'); drop"], "?"),
    ("no address at all", "?", [], "?"),
]


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"), [row[1:] for row in ADDRESSES], ids=[r[0] for r in ADDRESSES]
)
def test_whose_bucket(peer: str, forwarded: list[str], address: str) -> None:
    """The connection's own address, or what a named proxy says of it."""
    assert address == address_of(peer, forwarded, PROXY)
