"""Cycles of the receiver, and how far sources without leases were read.

A cycle that was not ended is a cycle that was killed. What counts as background evidence is judged in the receiver;
this only remembers. Starting and ending a cycle need no promise to anybody: they are written with the work around them.
"""

from __future__ import annotations

import msgspec

from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger


class Cycle(msgspec.Struct, frozen=True):
    """One cycle; `ended_at` 0 while it runs, or when it was killed."""

    seq: int
    started_at: int
    ended_at: int
    ok: bool
    boot_id: str
    started_by: str


class Cycles:
    """The cycles of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("cycles")

    def start(self, now: int, boot_id: str, started_by: str) -> int:
        """Note that a cycle begins; its number."""
        with self._ledger.write():
            row = self._ledger.row(self._queries["start"], now=now, boot_id=boot_id, started_by=started_by)
            self._ledger.change(self._queries["forget"])
        assert row is not None
        return int(row["seq"])

    def end(self, seq: int, now: int, ok: bool) -> None:
        """Note how it ended."""
        self._ledger.change(self._queries["end"], seq=seq, now=now, ok=int(ok))

    def newest(self) -> list[Cycle]:
        """The newest fifty, newest first."""
        return [
            msgspec.convert({**dict(row), "ok": bool(row["ok"])}, Cycle)
            for row in self._ledger.rows(self._queries["newest"])
        ]

    def position(self, source: str) -> str | None:
        """Where a source was read up to, or None."""
        row = self._ledger.row(self._queries["position"], source=source)
        return None if row is None else str(row["position"])

    def move(self, source: str, position: str) -> None:
        """Remember how far a source was read; in one commit with the rows it brought."""
        self._ledger.change(self._queries["set_position"], source=source, position=position)
