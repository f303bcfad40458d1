"""The front of the library: a gate for a bot of your own, in three words.

    from dragoman import Gate, load_policy, open_state

    gate = Gate(policy=load_policy("policy.toml"), **open_state("state"))

1. Without `open_state` the gate keeps everything in memory and forgets it with the process.
2. A state folder belongs to one process at a time (a kernel lock), and to the thread that opened it.
3. What was being sent when the last process died is `uncertain` from the start on, and written down; nothing sends it
   again.

Nothing here decides or sends: it puts the gate and its ledger together. `dragoman/__init__.py` loads it when one of its
names is first asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Self

from dragoman.chance import unguessable as unguessable
from dragoman.clock import Clock, SystemClock
from dragoman.gate.entries import interrupted_entry
from dragoman.gate.ports import Delivery as Delivery
from dragoman.gate.ports import Turn as Turn
from dragoman.guarding import Gate as Gate
from dragoman.ledger.approvals import LedgerApprovals
from dragoman.ledger.bursts import LedgerBursts
from dragoman.ledger.charges import LedgerCharges
from dragoman.ledger.evidence import EvidenceStore
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.observations import LedgerObservations
from dragoman.ledger.seen import LedgerSeen
from dragoman.ledger.store import Ledger, create, exists, open_ledger
from dragoman.receiver.lock import StateLock
from dragoman.receiver.policy import PolicyWatch as PolicyWatch
from dragoman.receiver.policy import load_policy as load_policy

STORES: Final = ("journal", "approvals", "charges", "seen", "bursts", "observations", "evidence")
"""The arguments of `Gate` that a state gives."""


class State:
    """The stores of one state folder, to be handed to a gate with `**`; also a context manager that closes it."""

    def __init__(self, ledger: Ledger, lock: StateLock) -> None:
        self._ledger, self._lock = ledger, lock
        self.journal = LedgerJournal(ledger)
        self.approvals = LedgerApprovals(ledger)
        self.charges = LedgerCharges(ledger)
        self.seen = LedgerSeen(ledger)
        self.bursts = LedgerBursts(ledger)
        self.observations = LedgerObservations(ledger)
        self.evidence = EvidenceStore(ledger)
        self._open = True

    def keys(self) -> Iterable[str]:
        """What `**` hands over."""
        return STORES

    def __getitem__(self, name: str) -> Any:
        if name not in STORES:
            raise KeyError(name)
        return getattr(self, name)

    def close(self) -> None:
        """Close the ledger and let the folder go; committed work stays. Closing twice is closing once."""
        if self._open:
            self._open = False
            self._ledger.close()
            self._lock.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_state(folder: str | os.PathLike[str], *, clock: Clock | None = None) -> State:
    """Open the private ledger in `folder`, or make folder (0700) and ledger when there is none.

    Without `close` the state is held until the process ends, however it ends.

    Raises:
        DragomanError: `state_locked` when another process holds it; `ledger_broken` when it is not private or cannot be
            trusted; `ledger_missing` when only its remains are there.
    """
    place, now = Path(folder), (clock or SystemClock()).now()
    lock = StateLock(place, "an embedded gate")
    lock.__enter__()
    try:
        ledger = open_ledger(place) if exists(place) else create(place)
    except BaseException:
        lock.__exit__(None, None, None)
        raise
    state = State(ledger, lock)
    try:
        for draft_id in state.approvals.interrupted(now):
            state.journal.record(interrupted_entry(draft_id, "", now))
        state.approvals.expire(now)
        state.observations.prune(now)
        state.evidence.prune(now)
    except BaseException:
        state.close()
        raise
    return state
