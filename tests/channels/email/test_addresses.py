"""A channel is its people in one form only."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.email.addresses import HEADER_LIMIT, People, addresses, channel_of, people_of

ADDRESS = st.builds(
    lambda a, b: f"{a}@{b}.example", st.from_regex(r"[A-Za-z0-9+]{1,5}", fullmatch=True), st.sampled_from("abc")
)


@settings(max_examples=100, deadline=None)
@given(st.sets(ADDRESS, max_size=6), st.sets(ADDRESS, max_size=3))
def test_a_channel_tells_its_people(written_to: set[str], heard_by: set[str]) -> None:
    """Back and forth it is the same people, whoever stood first; without anybody to write to there is none."""
    people = People(tuple(sorted(written_to)), tuple(sorted(heard_by)))
    channel = channel_of(People(tuple(reversed(people.written_to)), people.heard_by))
    assert (people if written_to else None) == people_of(channel)


@pytest.mark.parametrize(
    "channel",
    [
        "",
        "kim",
        "kim@SHOP.example",
        " kim@shop.example",
        "kim@shop.example,",
        "b@x.example,a@x.example",
        "a@x.example,a@x.example",
        "a@x.example, b@x.example",
        "reply-to:a@x.example",
        "reply-to:a@x.example,b@x.example",
        "a@x.example,reply-to:a",
        '"a"@x.example',
        "a@[127.0.0.1]",
        "a@x.example\n",
    ],
)
def test_no_other_form_is_a_channel(channel: str) -> None:
    """What is not exactly the one form names nobody, and nothing is sent there."""
    assert people_of(channel) is None


def test_too_many_are_no_channel() -> None:
    """More people than an identity holds are no channel, and a header beyond its bound is spoilt."""
    crowd = [f"somebody{number}@shop.example" for number in range(30)]
    assert "" == channel_of(People(tuple(crowd)))
    assert people_of(",".join(sorted(crowd))) is None
    assert addresses("a@b.example," * HEADER_LIMIT).spoilt


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("a@x.example", ["a@x.example"]),
        ("A <a@x.example>, B <b@X.Example>", ["a@x.example", "b@x.example"]),
        ("a@x.example,,b@x.example,", ["a@x.example", "b@x.example"]),
        ('"x, y" <a@x.example>', ["a@x.example"]),
        ('"x\\" <b@x.example>" <a@x.example>', ["a@x.example"]),
        ("(c@x.example, (d)) a@x.example (e)", ["a@x.example"]),
        ("Kim @ Shop <a@x.example>", ["a@x.example"]),
        ("=?utf-8?q?b=40x.example?= <a@x.example>", ["a@x.example"]),
        ("g: a@x.example, b@x.example;, c@x.example", ["a@x.example", "b@x.example", "c@x.example"]),
        ("", []),
    ],
)
def test_a_header_names_its_addresses(header: str, found: list[str]) -> None:
    """Names, comments and groups are no part of an address."""
    assert (found, False) == (list(addresses(header).found), addresses(header).spoilt)


@pytest.mark.parametrize(
    "header",
    [
        "a",
        "a@",
        "@x.example",
        "a b@x.example",
        "a@x.example b@x.example",
        "<a@x.example",
        "a@x.example>",
        "<<a@x.example>>",
        "<a@x.example> <b@x.example>",
        "<a@x.example> b",
        "<@r.example:a@x.example>",
        '"a@x.example',
        "(a@x.example",
        "g: a@x.example",
        "a@x.example;",
        "g: h: a@x.example;;",
        "a..b@x.example",
        "a@x..example",
        "a@-x.example",
        "a@x.example\x00",
        "ä@x.example",
        "a@xn_.example",
        "=?utf-8?q?b=40x?=@x.example",
        "a.=?utf-8?q?b?=@x.example",
    ],
)
def test_a_spoilt_header_is_known_as_one(header: str) -> None:
    """What does not read whole is not half believed."""
    assert addresses(header).spoilt
