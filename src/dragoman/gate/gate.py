"""The shell of the gate: it looks up, asks the pure files, writes down, and is the one door out (spec 1 §1, §7, §9).

An event comes in by `admit`; words leave by `deliver` and nowhere else. `handle` is the whole life for a bot that
embeds the gate (`embedded.py`); the receiver runs the same `admit` and `deliver` around its ledger.

1. Nothing is looked up, charged or performed for an event that is not admitted, but the journal record of the decision.
2. Order at the door: presence → release → charge the grant → mark `sending` → perform → journal the evidence. The mark
   is durable: the caller's ledger, or else the journal, must accept the attempt before anything leaves.
3. Only evidence of the transport is `delivered`; an error, a lost answer or a cancelled send is unknown, never a no,
   never repeated here.
4. A turn ends with its agent: what is said later under its admission is denied (a late result needs a grant, §6).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from dragoman.chance import unguessable
from dragoman.clock import DAY, Clock, SystemClock
from dragoman.gate.admit import Admission
from dragoman.gate.embedded import TURN_SECONDS, Agent, Embedded, Report, unreported
from dragoman.gate.entries import filed, mark_entry, output_entry, refused
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
from dragoman.gate.outgoing import Bound, outputs
from dragoman.gate.parts import as_said, decoded
from dragoman.gate.policy import Policy, PolicySource
from dragoman.gate.ports import (
    PAID,
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
    Operation,
    Output,
    Presence,
    Receipt,
    Seen,
)
from dragoman.gate.release import Attempt, Decision, approval_grant, in_shadow, release, text_hash
from dragoman.gate.sent import Sent
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.grants import Grant, Spent
from dragoman.identity import UNKNOWN, Party, Target
from dragoman.leaks import StreamScan
from dragoman.words import Audience, DraftState, Fact, OutputClass, Purpose, Reason, ReleaseOutcome

CHARGED_AT_THE_DOOR: Final = frozenset({Purpose.SCHEDULE, Purpose.BOT, Purpose.HANDOVER, Purpose.APPROVAL})
"""Grants that pay per send; an autonomy grant pays per turn, before the handler (spec 2 §2)."""
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
        self._looks_on = looks_on
        self._sent = Sent()
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
        self._evidence, self._evidence_ms = evidence, evidence_ms
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
        """A fresh leak scan for one stream; it fears foreign terms whatever the audience turns out to be."""
        owners = self.policy.at(admission.target).owners
        return StreamScan(self.policy.guard, owners if len(owners) == 1 else frozenset(), terms=True)

    async def foresee(self, draft: Draft, admission: Admission, channel: Channel, operation: Operation) -> Decision:
        """What the door would decide now for a piece of a stream, without any effect."""
        presence = await _presence(channel, admission.target)
        bound = Bound(edits="", only_for=admission.author if operation is Operation.PRIVATE else None)
        return self._decide(self._attempt(draft, admission, admission.target, operation, presence, channel, bound))

    async def epoch(self, target: Target, channel: Channel) -> str:
        """What an approval for `target` must have been given under to count now (spec 1 §4)."""
        return self.policy.epoch(await self.audience(target, channel))

    async def audience(self, target: Target, channel: Channel) -> Audience:
        """Who is listening at `target` at this moment (spec 1 §1, Q1)."""
        self._intake.look()
        presence = await _presence(channel, target)
        return self.policy.audience(target, presence.shared)

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
        where = target or (authority.target if isinstance(authority, Admission) else UNKNOWN)
        bound = Bound(thread=thread, reply_to=reply_to, edits=edits, only_for=only_for, complete=complete)
        presence = await _presence(channel, where)
        attempt = self._attempt(draft, authority, where, operation, presence, channel, bound)
        decision = self._decide(attempt)
        if decision.sends and not self._charge(attempt):
            decision = msgspec.structs.replace(decision, outcome=ReleaseOutcome.DENY, reason=Reason.GRANT_SPENT)
        correlation = authority.id if isinstance(authority, Admission) else self._new_id("cor")
        if not decision.sends:
            draft_id = self._kept_back(attempt, decision, correlation, key, thread, channel)
            return Delivery(outcome=decision.outcome, reason=decision.reason, draft_id=draft_id)
        return await self._let_out(attempt, decision, correlation, channel, key, bound, sending)

    async def deliver_approved(
        self, draft_id: str, channel: Channel, *, key: str, sending: Callable[[], None] | None = None
    ) -> Delivery | None:
        """Release one approved draft once, whole (spec 1 §4): ask the door, claim it, and let it out.

        Everything that can say no is asked before the claim: what is refused stays `approved` until its time is over,
        with the reason in the journal. Returns None when there is nothing to claim: unknown, not approved, expired,
        changed text or stale epoch.
        """
        filed = self._approvals.find(draft_id)
        if filed is None or filed.state is not DraftState.APPROVED:
            return None
        draft, bound = Draft(text=filed.text, parts=decoded(filed.body)), Bound(thread=filed.thread)
        grant = approval_grant(filed, f"approval-{filed.id}-{filed.nonce}")
        presence = await _presence(channel, filed.target)
        attempt = self._attempt(draft, grant, filed.target, Operation.SEND, presence, channel, bound)
        epoch = self.policy.epoch(self.policy.audience(filed.target, presence.shared))
        digest, correlation = text_hash(draft.text, draft.parts), self._new_id("cor")
        if filed.sha256 != digest or filed.epoch != epoch or attempt.now >= filed.expires_at:
            return None
        decision = self._decide(attempt)
        if not decision.sends:
            self._write(attempt, decision, correlation, channel, evidence=draft_id)
            return Delivery(outcome=decision.outcome, reason=decision.reason, draft_id=draft_id)
        if not self._approvals.claim(draft_id, digest, epoch, attempt.now):
            return None
        proven = False
        try:  # claimed is no state to be left in: only the operator can say what became of it
            if not self._charge(attempt):
                raise RuntimeError("an approval was charged before it was claimed")
            delivery = await self._let_out(attempt, decision, correlation, channel, key, bound, sending)
            proven = delivery.delivered is Fact.YES
        finally:
            state = DraftState.DELIVERED if proven else DraftState.UNCERTAIN
            self._approvals.settle(draft_id, state, self._clock.now())
        return delivery

    async def release_approved(self, channel: Channel, account: str) -> list[Delivery]:
        """Let out, oldest first, what was approved for targets of this account (their `workspace`) and still waits:
        approved elsewhere, or kept back by a pause. What is refused again stays approved until it expires.
        """
        found = []
        for draft in self._approvals.listed(DraftState.APPROVED):
            if (draft.target.platform, draft.target.workspace) == (channel.platform, account):
                delivery = await self.deliver_approved(draft.id, channel, key=self._new_id("out"))
                found += [] if delivery is None else [delivery]
        return found

    async def obey(self, admission: Admission, event: Event, channel: Channel) -> Obeyed | None:
        """Obey the control command of an admitted event (`commands.py`); None when it holds none."""
        return await obey(self, self._obedience, admission, event, channel, self._new_id)

    async def _let_out(
        self,
        attempt: Attempt,
        decision: Decision,
        correlation: str,
        channel: Channel,
        key: str,
        bound: Bound,
        sending: Callable[[], None] | None,
    ) -> Delivery:
        """Mark, then perform step by step; the first step whose outcome is not a proven yes stops the rest."""
        if sending is None:
            consumer = f"{channel.platform}.{attempt.operation}"
            self._journal.record(mark_entry(attempt, decision, correlation, consumer, self.policy.version))
        else:
            sending()
        if isinstance(attempt.authority, Admission):
            paid, said = attempt.operation in PAID, as_said(attempt.draft.text, attempt.draft.parts)
            until = attempt.authority.expires_at
            self._sent.left(correlation, said, sends=int(paid), changes=int(not paid), now=attempt.now, until=until)
        proven: list[str] = []
        receipt = Receipt(delivered=Fact.UNKNOWN)
        for output in outputs(attempt.target, decision.steps, key, bound):
            try:
                receipt = await _perform(channel, output)
            except BaseException as error:  # cancelled half-way: it may have left, and the journal says so
                lost = Receipt(delivered=Fact.UNKNOWN, detail=type(error).__name__)
                self._write(attempt, decision, correlation, channel, receipt=lost, operation=output.operation)
                raise
            self._write(attempt, decision, correlation, channel, receipt=receipt, operation=output.operation)
            if receipt.delivered is not Fact.YES:
                break
            proven.append(receipt.evidence)
        # a part of it stands there: the whole is neither delivered nor kept back
        whole = Fact.UNKNOWN if proven and receipt.delivered is Fact.NO else receipt.delivered
        return Delivery(
            outcome=decision.outcome,
            reason=decision.reason,
            delivered=whole,
            evidence=proven[0] if whole is Fact.YES else "",
            pieces=tuple(proven),
            retry_at=receipt.retry_at,
        )

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

    def _decide(self, attempt: Attempt) -> Decision:
        decision = release(attempt, self.policy)
        if self.policy.mode != "shadow":
            return decision
        if self._looks_on:
            return msgspec.structs.replace(decision, outcome=ReleaseOutcome.DENY, reason=Reason.LOOKS_ON)
        return in_shadow(decision, attempt)

    def note(self, entry: Entry) -> None:
        """Write one journal record."""
        self._journal.record(entry)

    def keep(self, correlation_id: str, kind: str, words: str) -> None:
        """Keep what the journal must not hold, for the operator's `why --evidence`; nothing to keep is nothing."""
        if self._evidence is not None and words:
            now = self._clock.now()
            self._evidence.keep(
                correlation_id, kind, words.encode("utf-8", "backslashreplace"), now, now + self._evidence_ms
            )

    def now(self) -> int:
        """The time, epoch milliseconds."""
        return self._clock.now()

    def _attempt(
        self,
        draft: Draft,
        authority: Admission | Grant | None,
        target: Target,
        operation: Operation,
        presence: Presence,
        channel: Channel,
        bound: Bound,
    ) -> Attempt:
        self._intake.look()
        now = self._clock.now()
        grant, admitted = self._grant(authority), authority.id if isinstance(authority, Admission) else ""
        return Attempt(
            draft=draft,
            target=target,
            operation=operation,
            operations=channel.operations if channel.platform == target.platform else {},
            authority=authority,
            grant=grant,
            presence=presence,
            now=now,
            edits=bound.edits,
            points_at=bound.reply_to,
            only_for=bound.only_for,
            sends=self._sent.count(admitted),
            changes=self._sent.changes(admitted),
            shown=self._sent.tail(admitted),
            spent=Spent() if grant is None else self._charges.spent(grant.id, target, now),
            paused=self._seen.paused(target),
        )

    def _grant(self, authority: Admission | Grant | None) -> Grant | None:
        """The grant behind an authority as the policy holds it now; only an approval carries its own."""
        if isinstance(authority, Grant):
            return authority if authority.purpose is Purpose.APPROVAL else self.policy.grants.get(authority.id)
        if authority is not None and authority.grant_id is not None:
            return self.policy.grants.get(authority.grant_id)
        return None

    def _charge(self, attempt: Attempt) -> bool:
        grant = attempt.grant
        if grant is None or grant.purpose not in CHARGED_AT_THE_DOOR or attempt.operation not in PAID:
            return True
        return self._charges.charge(grant, attempt.target, attempt.now)

    def _kept_back(
        self, attempt: Attempt, decision: Decision, correlation: str, key: str, thread: str | None, channel: Channel
    ) -> str:
        """File and journal what does not leave; a hold that cannot be filed is in the journal all the same."""
        draft_id = ""
        try:
            draft_id = self._file(attempt, decision, correlation, key, thread)
        finally:
            self._write(attempt, decision, correlation, channel, evidence=draft_id)
        self.keep(correlation, "draft_denied", refused(attempt, decision))
        return draft_id

    def _file(self, attempt: Attempt, decision: Decision, correlation: str, key: str, thread: str | None) -> str:
        """File a held text for the operator; a denial files nothing."""
        if decision.outcome is not ReleaseOutcome.HOLD:
            return ""
        draft_id = self._new_id("dft")
        epoch, expires_at = self.policy.epoch(decision.audience), attempt.now + self.policy.draft_ms
        self._approvals.file(filed(attempt, decision, correlation, draft_id, epoch, expires_at, key, thread))
        return draft_id

    def _write(
        self,
        attempt: Attempt,
        decision: Decision,
        correlation: str,
        channel: Channel,
        *,
        receipt: Receipt | None = None,
        evidence: str = "",
        operation: Operation | None = None,
    ) -> None:
        consumer, now = f"{channel.platform}.{operation or attempt.operation}", self._clock.now()
        entry = output_entry(attempt, decision, correlation, consumer, self.policy.version, now, receipt, evidence)
        self._journal.record(entry)


async def _presence(channel: Channel, target: Target) -> Presence:
    if not target.known or target.platform != channel.platform:
        return Presence(shared=Fact.UNKNOWN)
    try:
        return await channel.presence(target)
    except Exception:  # noqa: BLE001  a failed look-up leaves the audience external
        return Presence(shared=Fact.UNKNOWN)


async def _perform(channel: Channel, output: Output) -> Receipt:
    try:
        receipt = await channel.perform(output)
    except Exception as error:  # noqa: BLE001  nothing is known of what left
        return Receipt(delivered=Fact.UNKNOWN, detail=type(error).__name__)
    if not isinstance(receipt, Receipt) or (receipt.delivered is Fact.YES and not receipt.evidence):
        return Receipt(delivered=Fact.UNKNOWN, detail="no evidence")  # a word without evidence proves nothing
    return receipt
