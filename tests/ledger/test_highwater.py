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


# --- a new grant -----------------------------------------------------------------------------------------------------

OLDER = {"autonomy|target:a": 1}
"""The counts of a ledger below the marks of `water`."""


def refused(water: HighWater, grant_id: str, install: str = "one", counts: dict[str, int] = OLDER) -> bool:
    """Whether a ledger is refused under a grant."""
    try:
        water.check(install, counts, grant_id)
    except DragomanError as error:
        return error.code == "ledger_missing"
    return False


def test_only_the_owners_new_grant_goes_on_with_an_older_ledger(water: HighWater) -> None:
    """The used one is refused, and so is none at all; a new one is the owner's word."""
    assert (True, True, False) == (refused(water, "g-1"), refused(water, ""), refused(water, "g-2"))
    water.check_missing("g-2")
    for known in ("g-1", ""):
        with pytest.raises(DragomanError):
            water.check_missing(known)


def test_a_new_grant_refunds_nothing_to_the_old_one(water: HighWater) -> None:
    """With the older ledger the new grant is used; the old one stays barred from it, in opening and in use."""
    water.raise_to("one", "g-2", OLDER)

    assert (False, True) == (refused(water, "g-2"), refused(water, "g-1"))
    with pytest.raises(DragomanError) as error:
        water.raise_to("one", "g-1", OLDER)
    assert error.value.code == "ledger_missing"
    assert refused(water, "g-2", counts={})
    assert water.read().left[0].counts == {"autonomy|target:a": 3}


def test_the_state_that_was_left_frees_the_old_grant(water: HighWater) -> None:
    """A ledger that reaches both marks may use both grants again."""
    water.raise_to("one", "g-2", OLDER)

    assert not refused(water, "g-1", counts={"autonomy|target:a": 3})


def test_grants_one_after_the_other_leave_nothing_behind(water: HighWater) -> None:
    """The usual way: a new grant on the same ledger keeps one set of marks."""
    water.raise_to("one", "g-2", {"autonomy|target:a": 4})

    assert (("g-1", "g-2"), ()) == (water.read().grants, water.read().left)


def test_a_side_file_of_an_earlier_release_is_read(water: HighWater) -> None:
    """It has no `left`."""
    water.path.write_bytes(b'{"version":1,"install_id":"one","grants":["g-1"],"counts":{"autonomy|target:a":3}}')

    assert (True, False) == (refused(water, "g-1"), refused(water, "g-2"))
