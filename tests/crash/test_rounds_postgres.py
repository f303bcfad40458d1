"""Crash rounds on PostgreSQL: whoever is killed wherever, every question is answered once."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.crash.rounds import Arena
from tests.crash.test_rounds_sqlite import ROUNDS, SEED
from tests.postgres import running_cluster

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.mark.timeout(1200)
def test_every_question_is_answered_once(tmp_path: Path) -> None:
    """As on SQLite, with another order of kills."""
    with running_cluster() as cluster, contextlib.closing(Arena(tmp_path, cluster.database())) as arena:
        assert arena.rounds(SEED + 1, ROUNDS) == []
        assert set(arena.world.stands()["messages"]) == {"done"}
