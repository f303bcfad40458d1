"""A furnished hub for the tests of this folder, once on each engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from dragoman.hub.store import Store
from dragoman.hub.wake import Bell
from tests.hub.world import World, store_for
from tests.postgres import Cluster, running_cluster

ENGINES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server for the whole run."""
    with running_cluster(fsync="off") as cluster:
        yield cluster


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine."""
    name: str = request.param
    return name


@pytest.fixture
async def store(
    engine: str, tmp_path: Path, anyio_backend: str, request: pytest.FixtureRequest
) -> AsyncIterator[Store]:
    """An open store over a fresh database."""
    cluster = request.getfixturevalue("postgres") if engine == "postgres" else None
    made = store_for(engine, tmp_path / "hub", cluster, Bell())
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def world(
    engine: str, tmp_path: Path, anyio_backend: str, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    """A hub with two roles and one contact."""
    cluster = request.getfixturevalue("postgres") if engine == "postgres" else None
    bell = Bell()
    made = World(store_for(engine, tmp_path / "hub", cluster, bell), bell)
    await made.furnish()
    yield made
    await made.store.close()
