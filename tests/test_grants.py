"""A grant covers what it names, while it lasts, as often as it says — and nothing else (spec 1 §6, §11.1)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.grants import Grant, Spent, covers
from dragoman.identity import UNKNOWN, Target
from dragoman.words import Purpose, Reason

HERE, THERE = Target("memory", "desk", "EXT"), Target("memory", "desk", "INT")
GRANT = Grant(
    id="g1",
    purpose=Purpose.SCHEDULE,
    targets=frozenset({HERE}),
    given_by="oper",
    not_before=100,
    expires_at=200,
    max_total=5,
    max_per_target=4,
    max_per_day=3,
)

TABLE: list[tuple[str, dict[str, Any], Reason | None]] = [
    ("all is well", {}, None),
    ("no grant", {"grant": None}, Reason.GRANT_UNKNOWN),
    ("nowhere", {"target": UNKNOWN}, Reason.TARGET_INVALID),
    ("another place", {"target": THERE}, Reason.GRANT_OTHER_TARGET),
    ("another purpose", {"purpose": Purpose.BOT}, Reason.GRANT_OTHER_PURPOSE),
    ("before it begins", {"now": 99}, Reason.GRANT_NOT_YET),
    ("the first moment", {"now": 100}, None),
    ("the last moment", {"now": 199}, None),
    ("the moment it ends", {"now": 200}, Reason.GRANT_EXPIRED),
    ("one use left in all", {"spent": Spent(total=4)}, None),
    ("used up in all", {"spent": Spent(total=5)}, Reason.GRANT_SPENT),
    ("used up here", {"spent": Spent(on_target=4)}, Reason.GRANT_SPENT),
    ("used up today", {"spent": Spent(today=3)}, Reason.GRANT_SPENT),
]


@pytest.mark.parametrize(("what", "change", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_covers(what: str, change: dict[str, Any], expected: Reason | None) -> None:
    """Each way in which a grant does not cover has its own reason."""
    asked: dict[str, Any] = {
        "grant": GRANT,
        "target": HERE,
        "purpose": Purpose.SCHEDULE,
        "now": 150,
        "spent": Spent(),
    } | change

    assert expected == covers(**asked)


@given(st.integers(0, 10), st.integers(0, 10), st.integers(0, 10), st.integers(0, 300))
def test_spending_more_never_covers_more(total: int, on_target: int, today: int, now: int) -> None:
    """One more use never turns a no into a yes."""
    spent = Spent(total=total, on_target=on_target, today=today)
    more = Spent(total=total + 1, on_target=on_target + 1, today=today + 1)

    if covers(GRANT, HERE, Purpose.SCHEDULE, now, spent) is not None:
        assert covers(GRANT, HERE, Purpose.SCHEDULE, now, more) is not None


def test_a_grant_without_limits_still_ends() -> None:
    """Leaving the budgets out leaves the expiry."""
    free = msgspec.structs.replace(GRANT, max_total=None, max_per_target=None, max_per_day=None)

    assert covers(free, HERE, Purpose.SCHEDULE, 199, Spent(total=10**9)) is None
    assert Reason.GRANT_EXPIRED is covers(free, HERE, Purpose.SCHEDULE, 200, Spent())
