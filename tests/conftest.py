"""Fixtures for every test: no environment of ours leaks in, and time and ids are passed, never patched."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.synapse import synapse as synapse  # fixtures
from tests.synapse import synapse_server as synapse_server

pytest.register_assert_rewrite("tests.platforms.stories", "tests.platforms.life")  # a failure says what differed
settings.register_profile("house", deadline=None)  # how long an example takes says nothing on a shared machine
settings.load_profile("house")


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio only."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    """Commands that run in this process make files private; the next test begins as its own process would."""
    os.umask(0o022)
    yield
    os.umask(0o022)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file first: beside it, the other worker runs the rest."""
    items.sort(key=lambda item: item.path.name != "test_demo.py")
