"""What comes in: weighed once under the policy in force, written down, remembered (spec 1 §3, §9).

1. Nothing is looked up for an event but what lies in the gate's own stores: seen before? paused? taken over? spent?
2. Every decision leaves one record before anything comes of it; a deferred event is not decided yet.
3. The policy in force is looked at before each decision. A file that cannot be used leaves the last good one in force.
4. In shadow mode a bot's own words that come back are judged as the door would have judged them (`witness`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.admit import Admission, admit
from dragoman.gate.asked import Standing
from dragoman.gate.burst import album_key
from dragoman.gate.entries import event_entry, output_entry, policy_entry
from dragoman.gate.event import AuthorKind, Event
from dragoman.gate.observe import Observed, observed
from dragoman.gate.policy import Policy, PolicySource
from dragoman.gate.ports import Charges, Journal, Observations, Receipt, Seen, SeenState
from dragoman.gate.shadow import seen_leaving
from dragoman.gate.twin import DECIDED_ONCE_MORE, kept, with_twin
from dragoman.identity import Target
from dragoman.words import Fact, Outcome

ANSWERING: Final = 4_096
"""Targets whose newest admission is remembered in shadow mode."""


class Intake:
    """The coming in of one gate."""

    def __init__(
        self,
        policy: Policy | PolicySource,
        *,
        journal: Journal,
        seen: Seen,
        charges: Charges,
        observations: Observations,
        clock: Clock,
        new_id: Callable[[str], str],
    ) -> None:
        self._source = None if isinstance(policy, Policy) else policy
        self._refused: DragomanError | None = None
        self.policy = policy if isinstance(policy, Policy) else policy.current()
        self._journal = journal
        self._seen = seen
        self._charges = charges
        self._observations = observations
        self._clock = clock
        self._new_id = new_id
        self._answering: dict[Target, Admission] = {}

    def look(self) -> Policy:
        """Take the policy that holds now; a change of it, and a file that cannot be used, are written down once."""
        if self._source is None:
            return self.policy
        found, now = self._source.current(), self._clock.now()
        if found.version != self.policy.version:
            self._journal.record(policy_entry("policy_changed", "policy", found.version, now))
        if (refused := self._source.refused) is not self._refused and refused is not None:
            self._journal.record(policy_entry("policy_refused", refused.code, found.version, now))
        self.policy, self._refused = found, refused
        return found

    def admit(self, event: Event, waits: bool) -> Admission:
        """Decide one event, write it down, remember it."""
        policy, now = self.look(), self._clock.now()
        standing = self._standing(event, now, waits)
        if standing.seen is SeenState.TWIN:
            event = with_twin(event, self._seen.twin(event.dedupe_key))
        admission = admit(event, policy, standing, self._new_id("cor"))
        self._journal.record(event_entry(event, admission, policy, standing))
        if admission.outcome in (Outcome.SILENT, Outcome.RESPOND):
            self._remember(event, admission, now)
        if policy.mode == "shadow":
            self._witness(event, admission, now)
        return admission

    def observed(self, target: Target) -> tuple[Observed, ...]:
        """What was said at `target` without asking the agent, where the policy lets the agent read it."""
        here = self.policy.at(target).observes
        may_read = here is not None and here.readers == "agent"
        return self._observations.of(target, self._clock.now()) if may_read else ()

    def _remember(self, event: Event, admission: Admission, now: int) -> None:
        """What later events are weighed with: how this one was decided, who wrote, what the policy lets be kept."""
        outcome, reason = admission.outcome, admission.reason
        facts = kept(event) if reason in DECIDED_ONCE_MORE else None
        self._seen.decided(event.dedupe_key, outcome, reason, now, facts)
        if admission.responds and (album := album_key(event)) is not None:
            self._seen.decided(album, outcome, reason, now)
        ours = event.author_kind is AuthorKind.HUMAN and event.author in self.policy.operators
        if ours and not admission.responds:
            self._seen.colleague_wrote(event.target, now)
        if (text := observed(event, outcome, reason, self.policy.at(event.target).observes, now)) is not None:
            self._observations.keep(text)

    def _witness(self, event: Event, admission: Admission, now: int) -> None:
        """Shadow mode: remember who was answered where; a message of our own account is the answer, and is judged."""
        if admission.responds:
            if len(self._answering) >= ANSWERING:
                self._answering.clear()
            self._answering[event.target] = admission
        elif event.author_kind is AuthorKind.SELF and event.authenticated is Fact.YES and event.target.known:
            attempt, decision = seen_leaving(event, self._answering.get(event.target), self.policy, now)
            correlation, consumer = admission.id, f"{event.target.platform}.witness"
            receipt = Receipt(delivered=Fact.YES, evidence=event.event_id)
            version = self.policy.version
            self._journal.record(output_entry(attempt, decision, correlation, consumer, version, now, receipt, ""))

    def _seen_before(self, event: Event) -> SeenState:
        """Whether this very message, or the album that it is a late part of, was decided before."""
        found, album = self._seen.seen(event.dedupe_key), album_key(event)
        if found is SeenState.NEW and album is not None and self._seen.seen(album) is not SeenState.NEW:
            return SeenState.DUPLICATE
        return found

    def _standing(self, event: Event, now: int, waits: bool) -> Standing:
        target = event.target
        return Standing(
            now=now,
            seen=self._seen_before(event),
            paused=self._seen.paused(target),
            colleague_at=self._seen.colleague_at(target),
            burst_open=waits,
            spent={grant.id: self._charges.spent(grant.id, target, now) for grant in self.policy.grants_at(target)},
        )
