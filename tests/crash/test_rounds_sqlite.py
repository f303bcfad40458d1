"""Crash rounds on SQLite: whoever is killed wherever, every question is answered once."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from tests.crash.rounds import Arena, Plan

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("DRAGOMAN_CRASH_ROUNDS", "60"))
SEED = int(os.environ.get("DRAGOMAN_CRASH_SEED", "20261130"))


@pytest.mark.timeout(1200)
def test_every_question_is_answered_once(tmp_path: Path) -> None:
    """Random order over all named arrows of hub and receiver; the seed is fixed, so a failure can be repeated."""
    with contextlib.closing(Arena(tmp_path, f"sqlite://{tmp_path}/hub.db")) as arena:
        assert arena.rounds(SEED, ROUNDS) == []
        assert set(arena.world.stands()["messages"]) == {"done"}
        books = arena.world.books()
        assert books.journal.verify().seq > 0
        books.close()


def test_the_judge_sees_a_second_send(tmp_path: Path) -> None:
    """A receiver that says everything twice, under another id, is caught in its first round."""
    with contextlib.closing(Arena(tmp_path, f"sqlite://{tmp_path}/hub.db")) as arena:
        complaints = arena.play(0, Plan(None, None, 1, 1), planted="twice")

    assert [each.partition(": ")[2] for each in complaints] == ["bababababa is in 2 replies"]
