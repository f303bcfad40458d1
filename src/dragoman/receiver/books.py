"""The parts of one ledger, opened together with the side file that guards it (spec 2 §2).

Opening order: the state lock is held → a missing ledger is made anew only if the side file knows of no grant → the open
ledger must reach up to the side file's marks. Anything else is a blocker, never a fresh start, until the owner gives a
grant that the side file does not know.

Whoever has the books open leaves the packets of what he changes, in the same commit (`evidence.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.clock import Clock, SystemClock
from dragoman.ledger.approvals import LedgerApprovals
from dragoman.ledger.changes import Change
from dragoman.ledger.charges import LedgerCharges
from dragoman.ledger.conversations import Conversations
from dragoman.ledger.cycles import Cycles
from dragoman.ledger.evidence import EvidenceStore
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.inbox import Inbox
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.notifications import Notifications
from dragoman.ledger.observations import LedgerObservations
from dragoman.ledger.packets import PacketLog
from dragoman.ledger.seen import LedgerSeen
from dragoman.ledger.store import Ledger, create, exists, open_ledger
from dragoman.ledger.turns import Turns

if TYPE_CHECKING:
    from dragoman.receiver.evidence import Evidence


class Books:
    """One open ledger, part by part."""

    def __init__(self, ledger: Ledger, high_water: HighWater) -> None:
        self.ledger = ledger
        self.high_water = high_water
        self.journal = LedgerJournal(ledger)
        self.approvals = LedgerApprovals(ledger)
        self.charges = LedgerCharges(ledger)
        self.seen = LedgerSeen(ledger)
        self.inbox = Inbox(ledger)
        self.turns = Turns(ledger)
        self.conversations = Conversations(ledger)
        self.notifications = Notifications(ledger)
        self.cycles = Cycles(ledger)
        self.packets = PacketLog(ledger)
        self.evidence = EvidenceStore(ledger)
        self.observations = LedgerObservations(ledger)
        ledger.recorder = self._record

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()

    def recorded(self, clock: Clock, new_id: Callable[[str], str] | None = None) -> Evidence:
        """Let packets be written by this clock and these ids from now on; who writes them."""
        from dragoman.receiver.evidence import Evidence

        made = Evidence(self.ledger, self.packets, self.journal, self.turns, clock=clock, new_id=new_id)
        self.ledger.recorder = made.commit
        return made

    def _record(self, changes: list[Change]) -> None:
        """The first change of a process makes its recorder: most commands only read."""
        self.recorded(SystemClock()).commit(changes)

    def note_use(self, grant_id: str) -> None:
        """Raise the side file's marks to the present counts; after the charge is committed, before the handler runs."""
        self.high_water.raise_to(self.ledger.install_id, grant_id, self.charges.counts())


def side_file(config_path: Path) -> Path:
    """Where the side file of a configuration lies: beside it, so that wiping the state folder does not wipe it."""
    return config_path.with_name(f"{config_path.stem}.high-water.json")


def open_books(state_dir: Path, high_water: Path, *, may_create: bool, grant_id: str = "") -> Books:
    """Open the ledger of `state_dir`, or make the first one. `grant_id` is the owner's present one, or empty: a new one
    is what an older ledger may go on with.

    Raises:
        DragomanError: `ledger_missing` when it is gone, older or another; `ledger_broken` when it cannot be trusted.
    """
    water = HighWater(high_water)
    if may_create and not exists(state_dir):
        water.check_missing(grant_id)
        return Books(create(state_dir), water)
    ledger = open_ledger(state_dir)
    books = Books(ledger, water)
    try:
        water.check(ledger.install_id, books.charges.counts(), grant_id)
    except BaseException:
        ledger.close()
        raise
    return books
