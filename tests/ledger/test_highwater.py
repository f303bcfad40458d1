"""Deleting or restoring the ledger refunds nothing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dragoman.errors import DragomanError
from dragoman.ledger.highwater import HighWater


@pytest.fixture
def water(tmp_path: Path) -> HighWater:
    """The side file of a ledger called `one`, with a grant used."""
    side = HighWater(tmp_path / "high-water.json")
    side.raise_to("one", "g-1", {"autonomy|target:a": 3})
    return side


def test_it_is_private(water: HighWater) -> None:
    """0600, and nothing is left beside it."""
    assert stat.S_IMODE(water.path.stat().st_mode) == 0o600
    assert [water.path] == list(water.path.parent.iterdir())


def test_a_missing_ledger_under_a_known_grant_is_a_blocker(water: HighWater, tmp_path: Path) -> None:
    """A fresh start is only for a state in which nothing was ever granted."""
    HighWater(tmp_path / "other.json").check_missing()

    with pytest.raises(DragomanError) as error:
        water.check_missing()
    assert error.value.code == "ledger_missing"


@pytest.mark.parametrize(
    ("install", "counts"),
    [("one", {"autonomy|target:a": 2}), ("one", {}), ("two", {"autonomy|target:a": 9})],
    ids=["older copy", "emptied", "another ledger"],
)
def test_an_older_or_other_ledger_is_a_blocker(water: HighWater, install: str, counts: dict[str, int]) -> None:
    """Counts below the marks, or another installation's file."""
    with pytest.raises(DragomanError) as error:
        water.check(install, counts)
    assert error.value.code == "ledger_missing"


def test_marks_only_grow(water: HighWater) -> None:
    """Lower counts leave the marks, higher ones raise them; an equal or higher ledger passes."""
    water.raise_to("one", "g-1", {"autonomy|target:a": 1, "autonomy|target:b": 1})

    assert water.read().counts == {"autonomy|target:a": 3, "autonomy|target:b": 1}
    water.check("one", {"autonomy|target:a": 4, "autonomy|target:b": 1})


@pytest.mark.parametrize("body", [b"", b"{", b'{"counts":{"a":"x"}}'])
def test_an_unreadable_side_file_is_a_blocker(water: HighWater, body: bytes) -> None:
    """Unknown is never "nothing was used"."""
    water.path.write_bytes(body)

    with pytest.raises(DragomanError) as error:
        water.check_missing()
    assert error.value.code == "ledger_broken"
