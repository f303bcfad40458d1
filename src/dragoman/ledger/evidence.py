"""Raw evidence for the operator: what failed, what was refused, in its own words (spec 1 §11.10).

1. It lies in the private ledger, linked to the journal by correlation id; the journal holds none of it, and it never
   leaves in a message, a packet or a notification.
2. Every piece has an end. `prune` forgets what is over, and nothing that is over is shown.
3. It is bounded: a piece is cut at `PIECE_BYTES` (its end is kept: that is where an error says what it is), a decision
   holds `PIECES`. What does not fit is dropped: evidence never stops the life.

Whoever shows a piece passes it through `shown`: it holds the words of others.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger

PIECE_BYTES: Final = 64 * 1024
PIECES: Final = 32
CUT: Final = b"[cut] "


class KeptEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One piece. Times are epoch milliseconds; `kind` says what it is of, such as `handler_failed`."""

    correlation_id: str
    kind: str
    body: bytes
    kept_at: int
    until: int


class EvidenceStore:
    """The evidence of one ledger. Implements the gate's `Evidence`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("evidence")

    def keep(self, correlation_id: str, kind: str, body: bytes, now: int, until: int) -> None:
        """Keep one piece until `until`, in the open transaction or one of its own.

        Raises:
            DragomanError: `ledger_broken` when it cannot be written.
        """
        cut = body if len(body) <= PIECE_BYTES else CUT + body[len(CUT) - PIECE_BYTES :]
        self._ledger.change(
            self._queries["keep"],
            correlation_id=correlation_id,
            kind=kind,
            body=cut,
            now=now,
            until=until,
            most=PIECES,
        )

    def of(self, correlation_id: str, now: int) -> list[KeptEvidence]:
        """What is kept of one decision, oldest first."""
        rows = self._ledger.rows(self._queries["of"], correlation_id=correlation_id, now=now)
        return [msgspec.convert(dict(row), KeptEvidence) for row in rows]

    def prune(self, now: int) -> int:
        """Forget what is over; how many pieces."""
        return self._ledger.change(self._queries["prune"], now=now)
