"""A furnished hub for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.hub.world import World


@pytest.fixture
async def world(tmp_path: Path, anyio_backend: str) -> AsyncIterator[World]:
    """A hub with two roles and one contact."""
    made = World(tmp_path / "hub")
    await made.furnish()
    yield made
    made.store.close()
