"""Fixtures for every test: no environment of ours leaks in, and time and ids are passed, never patched."""

from __future__ import annotations

import pytest

from tests.synapse import synapse as synapse  # fixtures
from tests.synapse import synapse_server as synapse_server


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio only."""
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file first: beside it, the other worker runs the rest."""
    items.sort(key=lambda item: item.path.name != "test_demo.py")
