"""The durable counters behind grants (spec 1 §6, spec 2 §2, §3.1). Implements the gate's `Charges`.

1. A charge is one transaction: every bound is asked in the WHERE of the statement that counts; one no, and none counts.
2. Counters only grow. A refund, a reset and a new grant id under which old turns vanish do not exist.
3. Autonomy grants share their turns per contact (for life) and dispatches per day (per role); other grants count alone.
4. A day is a UTC date. A clock that was set back charges the latest day that was ever charged: no day is paid twice.

What a turn costs is decided by the caller; this knows one use.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.clock import utc_day
from dragoman.grants import Grant, Spent, covers
from dragoman.identity import Target, parse_target
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger
from dragoman.words import Purpose

NO_LIMIT: Final = 2**53
AUTONOMY_POOL: Final = "autonomy"


class UsedGrant(msgspec.Struct, frozen=True):
    """A grant that has been used here, with the digest of the scope of its first use."""

    id: str
    purpose: str
    digest: str
    first_used_at: int


class _Over(Exception):
    """A bound was reached; the transaction is undone."""


class LedgerCharges:
    """The counters of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("charges")

    def use(self, grant_id: str, purpose: Purpose, digest: str, now: int) -> UsedGrant:
        """Remember a grant at its first use; returns what is remembered, which may carry another digest."""
        with self._ledger.write():
            self._ledger.change(self._queries["use"], id=grant_id, purpose=str(purpose), digest=digest, now=now)
            found = self.used(grant_id)
        assert found is not None
        return found

    def used(self, grant_id: str) -> UsedGrant | None:
        """What is remembered of a grant id, or None when it was never used here."""
        row = self._ledger.row(self._queries["used"], id=grant_id)
        return None if row is None else msgspec.convert(dict(row), UsedGrant)

    def accept(self, grant_id: str, target: Target, now: int) -> bool:
        """Take on a contact that a peer opened; whether it is new (spec 2 §3.7)."""
        return bool(self._ledger.change(self._queries["accept"], grant_id=grant_id, target=str(target), now=now))

    def accepted(self, grant_id: str) -> frozenset[Target]:
        """The contacts that a grant took on in addition to those it names."""
        rows = self._ledger.rows(self._queries["accepted"], grant_id=grant_id)
        return frozenset(parse_target(row["target"]) for row in rows)

    def spent(self, grant_id: str, target: Target, now: int) -> Spent:
        """What has been charged so far, as it bears on one more use of this grant."""
        used = self.used(grant_id)
        pool = _pool(grant_id, Purpose(used.purpose) if used else Purpose.SCHEDULE)
        return Spent(
            total=self._count(f"grant:{grant_id}", "total"),
            on_target=self._count(pool, f"target:{target}"),
            today=self._count(pool, f"day:{self.day(now)}"),
        )

    def charge(self, grant: Grant, target: Target, now: int) -> bool:
        """Charge one use in one transaction if the grant covers it and every bound has room; False charges nothing."""
        if covers(grant, target, grant.purpose, now, Spent()) is not None:
            return False
        pool, day = _pool(grant.id, grant.purpose), self.day(now)
        try:
            with self._ledger.write():
                self.use(grant.id, grant.purpose, "", now)
                total = self._add(f"grant:{grant.id}", "total", grant.max_total)
                on_target = self._add(pool, f"target:{target}", grant.max_per_target)
                today = self._add(pool, f"day:{day}", grant.max_per_day)
                self._ledger.change(
                    self._queries["log"],
                    grant_id=grant.id,
                    target=str(target),
                    day=day,
                    total=total,
                    on_target=on_target,
                    today=today,
                    now=now,
                )
        except _Over:
            return False
        return True

    def day(self, now: int) -> str:
        """The day that a charge at `now` counts on."""
        row = self._ledger.row(self._queries["last_day"])
        return max(utc_day(now), str(row["day"] or "") if row else "")

    def counts(self) -> dict[str, int]:
        """Every counter as `pool|key` → count; the high-water marks are made of it."""
        return {f"{row['pool']}|{row['key']}": int(row["n"]) for row in self._ledger.rows(self._queries["counts"])}

    def _count(self, pool: str, key: str) -> int:
        row = self._ledger.row(self._queries["count"], pool=pool, key=key)
        return 0 if row is None else int(row["n"])

    def _add(self, pool: str, key: str, ceiling: int | None) -> int:
        limit = NO_LIMIT if ceiling is None else ceiling
        row = self._ledger.row(self._queries["add"], pool=pool, key=key, ceiling=limit)
        if row is None:
            raise _Over
        return int(row["n"])


def _pool(grant_id: str, purpose: Purpose) -> str:
    return AUTONOMY_POOL if purpose is Purpose.AUTONOMY else f"grant:{grant_id}"
