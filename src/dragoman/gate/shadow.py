"""What would the gate have stopped? Counted from a journal that was written in shadow mode (spec 1 §7).

An output of a live bot is stopped when the gate would not have sent it: replaced, held or denied. Events are told apart:
what was not asked is silence, what is no decidable event is rejected. Reasons are counted, most frequent first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from dragoman.words import Outcome, ReleaseOutcome


class Record(Protocol):
    """What is read of one journal record."""

    @property
    def kind(self) -> str:
        """`event` and `output` are counted."""
        ...

    @property
    def outcome(self) -> str:
        """Of an event: what was decided."""
        ...

    @property
    def reason(self) -> str:
        """Why."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """`shadow` and `shadow_reason`: what would have become of it."""
        ...


class ShadowReport(msgspec.Struct, frozen=True, kw_only=True):
    """The counts. `stopped` of `outputs` would not have left; `silent` of `events` would not have been answered."""

    outputs: int
    stopped: int
    reasons: dict[str, int]
    events: int
    silent: int
    silences: dict[str, int]


def shadow_report(records: Iterable[Record]) -> ShadowReport:
    """The report over the records of one journal; records that were not written in shadow mode are left out."""
    outputs = events = 0
    stopped: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for record in records:
        would = record.facts.get("shadow")
        if would is None:
            continue
        if record.kind == "output":
            outputs += 1
            if would != ReleaseOutcome.SEND:
                stopped[record.facts.get("shadow_reason", "")] += 1
        elif record.kind == "event":
            events += 1
            if record.outcome in (Outcome.SILENT, Outcome.DEFER):
                silent[record.reason] += 1
    return ShadowReport(
        outputs=outputs,
        stopped=stopped.total(),
        reasons=dict(stopped.most_common()),
        events=events,
        silent=silent.total(),
        silences=dict(silent.most_common()),
    )
