"""The counters behind grants: they only grow, and no bound is passed by anybody."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.clock import DAY, utc_day
from dragoman.grants import Grant, Spent
from dragoman.identity import Target
from dragoman.ledger.charges import LedgerCharges
from dragoman.ledger.store import Ledger, create, open_ledger
from dragoman.words import Purpose

NOON = 20_000 * DAY + DAY // 2
ACME = Target("hub", "role_a", "con_acme")
BOLT = Target("hub", "role_a", "con_bolt")


def autonomy(id: str = "g-1", *, turns: int = 3, dispatches: int = 100) -> Grant:
    """An autonomy grant over both contacts."""
    return Grant(
        id=id,
        purpose=Purpose.AUTONOMY,
        targets=frozenset({ACME, BOLT}),
        given_by="owner",
        expires_at=NOON + 100 * DAY,
        max_per_target=turns,
        max_per_day=dispatches,
    )


def test_turns_are_counted_per_contact_and_for_life(ledger: Ledger) -> None:
    """The bound per contact holds, other contacts have their own, and a new grant id starts where the old one ended."""
    charges = LedgerCharges(ledger)

    first = [charges.charge(autonomy(), ACME, NOON) for _ in range(4)]
    other = charges.charge(autonomy(), BOLT, NOON)
    renewed = [charges.charge(autonomy("g-2", turns=4), ACME, NOON) for _ in range(2)]

    assert first == [True, True, True, False]
    assert True is other
    assert renewed == [True, False]
    assert Spent(total=1, on_target=4, today=5) == charges.spent("g-2", ACME, NOON)


def test_a_refused_charge_counts_nothing(ledger: Ledger) -> None:
    """When one bound says no, the other counters stand where they stood."""
    charges = LedgerCharges(ledger)
    grant = autonomy(turns=1)
    charges.charge(grant, ACME, NOON)
    before = charges.counts()

    assert charges.charge(grant, ACME, NOON) is False
    assert before == charges.counts()


def test_a_refused_charge_leaves_the_outer_transaction_alone(ledger: Ledger) -> None:
    """A no inside a larger commit must not half-count there."""
    charges = LedgerCharges(ledger)
    grant = autonomy(turns=1)
    charges.charge(grant, ACME, NOON)
    before = charges.counts()

    with ledger.write():
        assert charges.charge(grant, ACME, NOON) is False
        ledger.put("beside", "1")

    assert before == charges.counts()
    assert ledger.get("beside") == "1"


def test_the_day_is_a_utc_date_and_never_paid_twice(ledger: Ledger) -> None:
    """Midnight opens a new day; a clock set back across it charges the later day."""
    charges = LedgerCharges(ledger)
    grant = autonomy(turns=99, dispatches=2)
    midnight = 20_001 * DAY

    assert [charges.charge(grant, ACME, midnight - 1) for _ in range(3)] == [True, True, False]
    assert [charges.charge(grant, ACME, midnight) for _ in range(3)] == [True, True, False]
    assert charges.charge(grant, ACME, midnight - 1) is False
    assert charges.day(midnight - 1) == utc_day(midnight)


def test_grants_of_other_purposes_count_alone(ledger: Ledger) -> None:
    """A schedule's day is its own."""
    charges = LedgerCharges(ledger)
    charges.charge(autonomy(), ACME, NOON)
    schedule = Grant(
        id="s-1",
        purpose=Purpose.SCHEDULE,
        targets=frozenset({ACME}),
        given_by="owner",
        expires_at=NOON + DAY,
        max_total=1,
    )

    assert charges.charge(schedule, ACME, NOON) is True
    assert Spent(total=1, on_target=1, today=1) == charges.spent("s-1", ACME, NOON)
    assert charges.charge(schedule, ACME, NOON) is False


def test_counters_cannot_be_lowered_by_sql(ledger: Ledger) -> None:
    """The tables themselves refuse to forget."""
    charges = LedgerCharges(ledger)
    charges.charge(autonomy(), ACME, NOON)

    for statement in ("UPDATE spend SET n = n - 1", "DELETE FROM spend", "DELETE FROM spend_log"):
        with pytest.raises(sqlite3.IntegrityError):
            ledger.change(statement)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["g-1", "g-2"]), st.sampled_from([ACME, BOLT]), st.integers(-3, 3)), max_size=30
    )
)
def test_counts_never_fall_and_never_pass_a_bound(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Target, int]]
) -> None:
    """Whatever is charged, in any order and with any clock: every count only grows and stays within its bound."""
    ledger = create(tmp_path_factory.mktemp("p") / "state")
    charges = LedgerCharges(ledger)
    before: dict[str, int] = {}
    for grant_id, target, days in steps:
        charges.charge(autonomy(grant_id, turns=4, dispatches=5), target, NOON + days * DAY)
        now = charges.counts()
        assert all(now.get(key, 0) >= count for key, count in before.items())
        assert all(count <= 4 for key, count in now.items() if "|target:" in key)
        assert all(count <= 5 for key, count in now.items() if "|day:" in key)
        before = now
    ledger.close()


def _charge_once(folder: Path, results: multiprocessing.Queue[bool]) -> None:
    ledger = open_ledger(folder)
    results.put(LedgerCharges(ledger).charge(autonomy(turns=1), ACME, NOON))
    ledger.close()


@pytest.mark.slow
def test_sixteen_processes_one_slot(ledger: Ledger, state: Path) -> None:
    """Many processes ask for the last slot at once; exactly one gets it."""
    ledger.get("a")
    spawn = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[bool] = spawn.Queue()
    workers = [spawn.Process(target=_charge_once, args=(state, results)) for _ in range(16)]
    for worker in workers:
        worker.start()
    got = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    results.close()

    assert sorted(got) == [False] * 15 + [True]
