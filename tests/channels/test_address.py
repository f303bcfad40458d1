"""Where a secret may travel, and how waits grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.channels.address import LONGEST_WAIT, is_private, pause, private
from dragoman.errors import DragomanError

ADDRESSES = [
    ("https://chat.example.org", True),
    ("wss://chat.example.org/socket", True),
    ("http://127.0.0.1:8080", True),
    ("ws://localhost:1", True),
    ("http://[::1]:80/", True),
    ("http://chat.example.org", False),
    ("ws://chat.example.org", False),
    ("http://127.0.0.1.example.org", False),
    ("http://127.0.0.1@evil.example", False),
    ("https://token@chat.example.org", False),
    ("https://", False),
    ("https://[::1", False),
    ("chat.example.org", False),
    ("file:///etc/passwd", False),
    ("", False),
]


@pytest.mark.parametrize(("address", "right"), ADDRESSES)
def test_an_address(address: str, right: bool) -> None:
    """TLS, or this machine by its fixed names."""
    assert right == is_private(address)


def test_what_is_refused_says_where() -> None:
    """The key of the configuration, and how to mend it; a good one loses its last slash."""
    with pytest.raises(DragomanError) as caught:
        private("http://chat.example.org", "zulip realm")

    assert ("config_invalid", "zulip realm") == (caught.value.code, caught.value.where)
    assert "https://chat.example.org" == private("https://chat.example.org/", "zulip realm")


@given(st.text(max_size=40))
def test_nothing_raises(address: str) -> None:
    """Whatever was written, it is private or it is not."""
    assert is_private(address) in (True, False)


def test_waits_double_up_to_a_minute() -> None:
    """Half a second, a second ... and never longer than the longest."""
    assert [0.5, 1.0, 2.0, 4.0] == [pause(failures) for failures in (1, 2, 3, 4)]
    assert LONGEST_WAIT == pause(10) == pause(10_000)
