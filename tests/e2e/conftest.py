"""The world that the Matrix tests of this folder live in."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.e2e.matrix_world import MatrixWorld
from tests.synapse import Synapse


@pytest.fixture
async def world(synapse: Synapse, request: pytest.FixtureRequest) -> AsyncIterator[MatrixWorld]:
    """A fresh agent with accounts and rooms of its own; not open yet."""
    made = MatrixWorld(synapse, f"{abs(hash(request.node.nodeid)) % 10**8}")
    yield made
    await made.close()
