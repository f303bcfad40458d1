"""A fresh ledger in a private folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.ledger.store import Ledger, create


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The folder of a ledger that does not exist yet."""
    return tmp_path / "state"


@pytest.fixture
def ledger(state: Path) -> Iterator[Ledger]:
    """An open, empty ledger."""
    opened = create(state)
    yield opened
    opened.close()
