"""Which packets does one commit leave in one conversation? Decided from what changed, by tables (spec 2 §2, spec 3 §2).

Order of the records: what came in and its answer → corrections → the task's state → what blocks it → the report.

1. A change is looked at as a whole: from the state before the commit to the state after it.
2. At most one record of each kind; the first row of its table in `packet_rows.py` that holds gives the words. A blocker
   or a report says what a state would repeat, so that the state is left out beside it; a correction is the new state.
   Only that a reply is unknown is always said as a state: that is what a correction corrects.

Pure: no store, no clock, no ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec

from dragoman.ledger.changes import Change, What
from dragoman.receiver.packet_rows import (
    BLOCKERS,
    CORRECTIONS,
    INTAKES,
    REPORTS,
    STATUSES,
    UNKNOWN,
    WAITS,
    Correction,
    Intake,
    On,
    Record,
    Status,
)

Said = TypeVar("Said", bound=Record)
_STEPS: Final = frozenset({What.TURN, What.REPLY})


def records(changes: Sequence[Change]) -> list[Record]:
    """The records of one commit about one conversation, in their order."""
    moved = _folded(changes)
    count = sum(change.what is What.MESSAGE and change.after == "in_turn" for change in moved)
    intake = _intake(moved, count)
    corrections = _corrections(moved)
    blocked = _first(BLOCKERS, moved)
    if blocked is None and any(
        change.what is What.CONVERSATION and change.after == "waiting_owner" for change in moved
    ):
        blocked = _first(WAITS, moved)
    report = _first(REPORTS, moved)
    status = _status(moved)
    said = blocked is not None or report is not None or bool(corrections)
    if status is not None and said and status.summary != UNKNOWN:
        status = None
    return [each for each in (intake, *corrections, status, blocked, report) if each is not None]


def _folded(changes: Sequence[Change]) -> list[Change]:
    """Each thing once: from before the commit to after it; a message that came back to where it was counts by its
    word alone."""
    last: dict[tuple[What, str], Change] = {}
    for change in changes:
        key = (change.what, change.id)
        earlier = last.pop(key, None)
        last[key] = change if earlier is None else msgspec.structs.replace(change, before=earlier.before)
    return [change for change in last.values() if change.what not in _STEPS or change.before != change.after]


def _first(table: Sequence[tuple[On, Said]], moved: Sequence[Change]) -> Said | None:
    """What the first row says that holds for any change."""
    return next((said for on, said in table if any(on.holds(change) for change in moved)), None)


def _intake(moved: Sequence[Change], count: int) -> Intake | None:
    found = _first(INTAKES, moved)
    return None if found is None else msgspec.structs.replace(found, intent=found.intent.format(n=count))


def _corrections(moved: Sequence[Change]) -> list[Correction]:
    completes = any(change.what is What.CONVERSATION and change.after == "completed" for change in moved)
    found = [
        msgspec.structs.replace(said, ref=f"reply:{change.id}")
        for change in moved
        for on, said in CORRECTIONS
        if on.holds(change)
    ]
    if completes:  # nobody's answer is waited for any more
        return [
            msgspec.structs.replace(each, state="working", blocking=()) if each.state == "waiting_input" else each
            for each in found
        ]
    return found


def _status(moved: Sequence[Change]) -> Status | None:
    for on, said in STATUSES:
        for change in moved:
            if on.holds(change):
                ref = f"{said.ref}:{change.id}" if said.ref else ""
                return msgspec.structs.replace(said, ref=ref, summary=_under(said.summary, moved))
    return None


def _under(summary: str, moved: Sequence[Change]) -> str:
    """The first question under another grant says so."""
    regranted = any(change.what is What.GRANT and change.before for change in moved)
    return f"{summary}, under another grant of the owner" if regranted and summary.endswith("asked") else summary
