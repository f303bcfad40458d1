"""Texts of silent group messages that the policy lets be kept, until their time is over. Implements `Observations`."""

from __future__ import annotations

from dragoman.gate.observe import Observed
from dragoman.identity import Target, parse_party
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger


class LedgerObservations:
    """What was observed, in one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("observations")

    def keep(self, observed: Observed) -> None:
        """Keep one text; what has been kept long enough goes."""
        with self._ledger.write():
            self.prune(observed.observed_at)
            self._ledger.change(
                self._queries["keep"],
                target=str(observed.target),
                author=str(observed.author),
                text=observed.text,
                observed_at=observed.observed_at,
                until=observed.until,
            )

    def of(self, target: Target, now: int) -> tuple[Observed, ...]:
        """What is kept of one target, oldest first."""
        rows = self._ledger.rows(self._queries["of"], target=str(target), now=now)
        return tuple(
            Observed(target, parse_party(row["author"]), row["text"], row["observed_at"], row["until"]) for row in rows
        )

    def prune(self, now: int) -> int:
        """Drop what has been kept long enough; how many."""
        return self._ledger.change(self._queries["prune"], now=now)
