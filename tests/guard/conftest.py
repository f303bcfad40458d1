"""A wall stands until its process ends, and tests share one: after each of these none stands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dragoman.channels.discord import fences as discord
from dragoman.channels.slack import fences as slack
from dragoman.channels.telegram import fences as telegram


@pytest.fixture(autouse=True)
def _no_wall() -> Iterator[None]:
    """Take every wall down."""
    yield
    for sdk in (slack, telegram, discord):
        sdk.WALLS.clear()
