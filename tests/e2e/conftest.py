"""The world that the Matrix tests of this folder live in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.e2e.matrix_world import MatrixWorld
from tests.receiver.evidence_of import complaints
from tests.synapse import Synapse


@pytest.fixture(autouse=True)
def packets_verify(tmp_path: Path) -> Iterator[None]:
    """Whatever the story was: the packets that it left verify, say where things stand, and hold no text."""
    yield
    assert complaints(tmp_path) == []


@pytest.fixture
async def world(synapse: Synapse, request: pytest.FixtureRequest) -> AsyncIterator[MatrixWorld]:
    """A fresh agent with accounts and rooms of its own; not open yet."""
    made = MatrixWorld(synapse, f"{abs(hash(request.node.nodeid)) % 10**8}")
    yield made
    await made.close()
