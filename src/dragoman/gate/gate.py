"""The gate: what comes in by `admit`, what goes out by `deliver`, and the life between for a bot that embeds it.

    event → Gate.admit  (`intake.py`: weigh, decide, write down)
    event → Gate.handle (`embedded.py`: admit, wait for parts, obey, give the agent a turn)
    draft → Gate.deliver (`outlet.py`: release, charge, mark, perform, evidence)

1. Nothing is looked up, charged or performed for an event that is not admitted, but the journal record of the decision.
2. The receiver runs the same `admit` and `deliver` around its ledger. There is no other way in and no other way out.
3. A turn ends with its agent: what is said later under its admission is denied (a late result needs a grant, §6).

Nothing is decided here: this file puts the parts together and hands on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from dragoman.chance import unguessable
from dragoman.clock import DAY, Clock, SystemClock
from dragoman.gate.admit import Admission
from dragoman.gate.embedded import TURN_SECONDS, Agent, Embedded, Report, unreported
from dragoman.gate.event import Event
from dragoman.gate.in_memory import (
    MemoryApprovals,
    MemoryBursts,
    MemoryCharges,
    MemoryJournal,
    MemoryObservations,
    MemorySeen,
)
from dragoman.gate.intake import Intake
from dragoman.gate.obey import Obedience, Obeyed, obey
from dragoman.gate.observe import Observed
from dragoman.gate.operations import Operation
from dragoman.gate.outgoing import Bound
from dragoman.gate.outlet import Outlet
from dragoman.gate.policy import Policy, PolicySource
from dragoman.gate.ports import (
    Approvals,
    Bursts,
    Channel,
    Charges,
    Delivery,
    Draft,
    Entry,
    Evidence,
    Journal,
    Observations,
    Seen,
)
from dragoman.gate.release import Decision
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.grants import Grant
from dragoman.identity import Party, Target
from dragoman.leaks import StreamScan
from dragoman.words import Audience, OutputClass

KEPT: Final = 100_000
"""How many records and decided messages a gate without stores remembers."""


class Gate:
    """One gate over one policy.

    Args:
        policy: what holds, or a source of it that is looked at before each decision (`receiver.policy.PolicyWatch`).
        journal, approvals, charges, seen, bursts, observations: the stores; one that is not given is held in memory,
            bounded, and ends with the process. `dragoman.open_state` gives all of them on disk.
        clock: the machine's, if not given.
        new_id: `new_id(kind)` mints opaque ids such as `cor-…` and `dft-…`; unguessable ones, if not given.
        evidence, evidence_ms: where errors and refused texts are kept for the operator, and how long; nowhere, if not
            given.
        sleep: how to wait for the parts of a request, in seconds.
        looks_on: in shadow mode another bot speaks, and nothing leaves by this gate.
        turn_seconds: how long an agent may take for one turn; then it is cancelled and has failed.
    """

    def __init__(
        self,
        *,
        policy: Policy | PolicySource,
        journal: Journal | None = None,
        approvals: Approvals | None = None,
        charges: Charges | None = None,
        seen: Seen | None = None,
        clock: Clock | None = None,
        new_id: Callable[[str], str] = unguessable,
        bursts: Bursts | None = None,
        observations: Observations | None = None,
        evidence: Evidence | None = None,
        evidence_ms: int = 30 * DAY,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        turn_seconds: float = TURN_SECONDS,
        looks_on: bool = False,
    ) -> None:
        self._journal = MemoryJournal(KEPT) if journal is None else journal
        self._approvals = MemoryApprovals() if approvals is None else approvals
        self._charges = MemoryCharges() if charges is None else charges
        self._seen = MemorySeen(KEPT) if seen is None else seen
        self._clock = SystemClock() if clock is None else clock
        self._new_id = new_id
        self.bursts = MemoryBursts() if bursts is None else bursts
        self._intake = Intake(
            policy,
            journal=self._journal,
            seen=self._seen,
            charges=self._charges,
            observations=MemoryObservations() if observations is None else observations,
            clock=self._clock,
            new_id=new_id,
        )
        self._outlet = Outlet(
            self._intake,
            journal=self._journal,
            approvals=self._approvals,
            charges=self._charges,
            seen=self._seen,
            evidence=evidence,
            evidence_ms=evidence_ms,
            clock=self._clock,
            new_id=new_id,
            looks_on=looks_on,
        )
        self._embedded = Embedded(self, new_id, sleep, turn_seconds)
        self._obedience = Obedience(
            approvals=self._approvals,
            seen=self._seen,
            note=self._journal.record,
            new_id=new_id,
            stop=self._embedded.stop,
            running=self._embedded.running,
        )

    def admit(self, event: Event, *, waits: bool = False) -> Admission:
        """Q1 and Q2 for one event; writes one journal record and remembers the decision.

        `waits`: more parts of the event may be arriving, so that what would be answered is deferred. A deferred event
        is not decided yet; the caller hands over what all its parts come to. A life with a ledger gives a `Seen` that
        leaves `respond` unmarked here and marks it together with the charge, so that a crash in between loses nothing.
        """
        return self._intake.admit(event, waits)

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._intake.policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._intake.policy = policy

    def observed(self, target: Target) -> tuple[Observed, ...]:
        """What was said at `target` without asking the agent, where the policy lets the agent read it."""
        return self._intake.observed(target)

    def scan(self, admission: Admission) -> StreamScan:
        """A fresh leak scan for one stream to the admission's target."""
        return self._outlet.scan(admission)

    async def foresee(self, draft: Draft, admission: Admission, channel: Channel, operation: Operation) -> Decision:
        """What the door would decide now for a piece of a stream, without any effect."""
        return await self._outlet.foresee(draft, admission, channel, operation)

    async def epoch(self, target: Target, channel: Channel) -> str:
        """What an approval for `target` must have been given under to count now (spec 1 §4)."""
        return await self._outlet.epoch(target, channel)

    async def audience(self, target: Target, channel: Channel) -> Audience:
        """Who is listening at `target` at this moment (spec 1 §1, Q1)."""
        return await self._outlet.audience(target, channel)

    async def deliver(
        self,
        draft: Draft,
        authority: Admission | Grant | None,
        channel: Channel,
        *,
        key: str,
        operation: Operation = Operation.SEND,
        target: Target | None = None,
        thread: str | None = None,
        reply_to: str | None = None,
        edits: str | None = None,
        only_for: Party | None = None,
        complete: bool = False,
        sending: Callable[[], None] | None = None,
    ) -> Delivery:
        """The door. `target` defaults to the admission's own; `sending` is the durable mark before the bytes leave,
        the journal's when none is given. What leaves in several messages is one decision and one charge.
        """
        bound = Bound(thread=thread, reply_to=reply_to, edits=edits, only_for=only_for, complete=complete)
        return await self._outlet.deliver(draft, authority, channel, bound, key, operation, target, sending)

    async def deliver_approved(
        self, draft_id: str, channel: Channel, *, key: str, sending: Callable[[], None] | None = None
    ) -> Delivery | None:
        """Release one approved draft once, whole (spec 1 §4); None when there is nothing to claim."""
        return await self._outlet.deliver_approved(draft_id, channel, key=key, sending=sending)

    async def release_approved(self, channel: Channel, account: str) -> list[Delivery]:
        """Let out, oldest first, what was approved for targets of this account (their `workspace`) and still waits."""
        return await self._outlet.release_approved(channel, account)

    async def obey(self, admission: Admission, event: Event, channel: Channel) -> Obeyed | None:
        """Obey the control command of an admitted event (`commands.py`); None when it holds none."""
        return await obey(self, self._obedience, admission, event, channel, self._new_id)

    async def handle(self, event: Event, channel: Channel, agent: Agent, *, report: Report = unreported) -> Admission:
        """The whole life of one event without a ledger: admit, and if admitted give the agent one turn.

        A request whose attachments are still arriving is deferred, and answered later on all of them. A failing agent
        of which nothing was sent becomes the fixed safe sentence. Its exception goes to `report`, which is the
        operator's own (a log, a terminal), and nowhere else; the journal holds only its type.
        """
        return await self._embedded.handle(event, channel, agent, report)

    async def acknowledge(self, admission: Admission, channel: Channel, *, key: str) -> None:
        """`never_silent_ack`: a short fixed sentence at an internal target once a request is admitted (spec 1 §3)."""
        wanted = admission.responds and self.policy.at(admission.target).acknowledges
        if wanted and admission.audience is not Audience.EXTERNAL:
            text = safe_sentence(Sentence.ACKNOWLEDGED, admission.language)
            draft = Draft(text=text, output_class=OutputClass.PROGRESS)
            reply_to = admission.answers
            await self.deliver(draft, admission, channel, key=key, thread=admission.thread, reply_to=reply_to)

    def resume(self, channel: Channel, agent: Agent, *, report: Report = unreported) -> int:
        """After a restart: take up the requests on this platform that waited for their parts; how many."""
        return self._embedded.resume(channel, agent, report)

    async def settled(self) -> None:
        """Return when no request waits for its parts any more."""
        await self._embedded.settled()

    def close(self) -> None:
        """Stop waiting; what waits stays in `bursts`."""
        self._embedded.close()

    def stop(self, target: Target, author: Party | None) -> int:
        """Nothing of that author (None: of anybody there) runs or waits any more: somebody said stop. How much did."""
        return self._embedded.stop(target, author)

    def keep(self, correlation_id: str, kind: str, words: str) -> None:
        """Keep what the journal must not hold, for the operator's `why --evidence`; nothing to keep is nothing."""
        self._outlet.keep(correlation_id, kind, words)

    def note(self, entry: Entry) -> None:
        """Write one journal record."""
        self._journal.record(entry)

    def now(self) -> int:
        """The time, epoch milliseconds."""
        return self._clock.now()
