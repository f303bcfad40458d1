"""What would the gate have stopped? Counted from a journal that was written in shadow mode (spec 1 §7).

`seen_leaving` judges what a bot was seen to say, without having been asked at the door. `shadow_report` counts: an
output is stopped when the gate would not have sent it: replaced, held or denied. Events are told apart: what was not
asked is silence, what is no decidable event is rejected. Reasons are counted, most frequent first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

import msgspec

from dragoman.gate.admit import Admission
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Draft, Presence
from dragoman.gate.release import Attempt, Decision, in_shadow, release
from dragoman.words import Outcome, OutputClass, ReleaseOutcome, SendKey

TEXT_LIMIT: Final = 1_000_000
"""Characters of a message that was seen to leave; the platform took it, so its own limit is not asked."""


def seen_leaving(event: Event, answering: Admission | None, policy: Policy, now: int) -> tuple[Attempt, Decision]:
    """What the door would have said of a message of our own account that came back from the platform.

    `answering` is the newest admission at its target; without one, or when that has run out, nobody asked.
    """
    attempt = Attempt(
        draft=Draft(text=event.body or event.text, output_class=OutputClass.FINAL),
        target=event.target,
        operation=Operation.SEND,
        operations={Operation.SEND: OperationSpec(SendKey.NONE, TEXT_LIMIT)},
        authority=answering,
        grant=policy.grants.get(answering.grant_id) if answering and answering.grant_id else None,
        presence=Presence(event.shared),
        now=now,
    )
    return attempt, in_shadow(release(attempt, policy), attempt)


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
