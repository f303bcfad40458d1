"""Every test of this room that asks for an `engine` runs over each of them."""

from __future__ import annotations

import pytest

from dragoman.leaks.engines import Engine, fast_is_installed


@pytest.fixture(
    scope="session",
    params=[
        Engine.PLAIN,
        pytest.param(Engine.FAST, marks=pytest.mark.skipif(not fast_is_installed(), reason="needs the extra `fast`")),
    ],
)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Both engines, one after the other."""
    found: Engine = request.param
    return found
