"""The one door out: presence → release → charge → mark `sending` → perform → evidence (spec 1 §1, §4, §6, §7).

1. Every send, edit and stream piece of every life passes `deliver`, or `deliver_approved` for what an operator let out;
   only this file calls an adapter's `perform`.
2. The mark before the bytes leave is durable: the caller's ledger, or else the journal, must accept the attempt first.
3. Only evidence of the transport is `delivered`; an error, a lost answer or a cancelled send is unknown, never a no,
   never repeated here.
4. What may not leave is filed for the operator when it is held, and written down in any case; nobody outside learns
   of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from dragoman.clock import Clock
from dragoman.gate.admit import Admission
from dragoman.gate.entries import filed, mark_entry, output_entry, refused
from dragoman.gate.intake import Intake
from dragoman.gate.operations import CHANGING, PAID, POINTING, Operation
from dragoman.gate.outgoing import Bound, outputs
from dragoman.gate.parts import as_said, decoded
from dragoman.gate.policy import Policy
from dragoman.gate.ports import (
    Approvals,
    Channel,
    Charges,
    Delivery,
    Draft,
    Evidence,
    Journal,
    Output,
    Presence,
    Receipt,
    Seen,
)
from dragoman.gate.release import Attempt, Decision, approval_grant, in_shadow, release, text_hash
from dragoman.gate.sent import Sent
from dragoman.grants import Grant, Spent
from dragoman.identity import UNKNOWN, Target
from dragoman.leaks import StreamScan
from dragoman.words import Audience, DraftState, Fact, Purpose, Reason, ReleaseOutcome

APPROVED_STATES: Final = (DraftState.APPROVED, DraftState.CLAIMED, DraftState.UNCERTAIN)
"""What an operator approved and may still leave: also what was claimed, or is proven not to have arrived."""
CHARGED_AT_THE_DOOR: Final = frozenset({Purpose.SCHEDULE, Purpose.BOT, Purpose.HANDOVER, Purpose.APPROVAL})
"""Grants that pay per send; an autonomy grant pays per turn, before the handler (spec 2 §2)."""


class Outlet:
    """The going out of one gate. `intake` holds the policy in force; `looks_on`: in shadow mode nothing leaves here."""

    def __init__(
        self,
        intake: Intake,
        *,
        journal: Journal,
        approvals: Approvals,
        charges: Charges,
        seen: Seen,
        evidence: Evidence | None,
        evidence_ms: int,
        clock: Clock,
        new_id: Callable[[str], str],
        looks_on: bool,
    ) -> None:
        self._intake = intake
        self._journal = journal
        self._approvals = approvals
        self._charges = charges
        self._seen = seen
        self._evidence, self._evidence_ms = evidence, evidence_ms
        self._clock = clock
        self._new_id = new_id
        self._looks_on = looks_on
        self._sent = Sent()

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._intake.policy

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
        bound: Bound,
        key: str,
        operation: Operation,
        target: Target | None,
        sending: Callable[[], None] | None,
    ) -> Delivery:
        """The door: one draft, decided and, if it may leave, let out (`Gate.deliver`)."""
        where = target or (authority.target if isinstance(authority, Admission) else UNKNOWN)
        presence = await _presence(channel, where)
        attempt = self._attempt(draft, authority, where, operation, presence, channel, bound)
        decision = self._decide(attempt)
        if decision.sends and not self._charge(attempt):
            decision = msgspec.structs.replace(decision, outcome=ReleaseOutcome.DENY, reason=Reason.GRANT_SPENT)
        correlation = authority.id if isinstance(authority, Admission) else self._new_id("cor")
        if not decision.sends:
            draft_id = self._kept_back(attempt, decision, correlation, key, bound.thread, channel)
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
        self._remember(attempt)
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

    def _remember(self, attempt: Attempt) -> None:
        """What is leaving counts for its admission, and stands at its target."""
        authority, draft, now = attempt.authority, attempt.draft, attempt.now
        if isinstance(authority, Admission):
            paid, until = attempt.operation in PAID, authority.expires_at
            self._sent.counted(authority.id, paid=paid, now=now, until=until)
        if attempt.operation not in POINTING:
            changing = attempt.operation in CHANGING
            self._sent.left(attempt.target, as_said(draft.text, draft.parts), changing=changing, now=now)

    def keep(self, correlation_id: str, kind: str, words: str) -> None:
        """Keep what the journal must not hold, for the operator's `why --evidence`; nothing to keep is nothing."""
        if self._evidence is not None and words:
            now = self._clock.now()
            self._evidence.keep(
                correlation_id, kind, words.encode("utf-8", "backslashreplace"), now, now + self._evidence_ms
            )

    def _decide(self, attempt: Attempt) -> Decision:
        decision = release(attempt, self.policy)
        if self.policy.mode != "shadow":
            return decision
        if self._looks_on:
            return msgspec.structs.replace(decision, outcome=ReleaseOutcome.DENY, reason=Reason.LOOKS_ON)
        return in_shadow(decision, attempt)

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
            shown=self._sent.ends(target, changing=operation in CHANGING),
            spent=Spent() if grant is None else self._charges.spent(grant.id, target, now),
            paused=self._seen.paused(target),
        )

    def _grant(self, authority: Admission | Grant | None) -> Grant | None:
        """The grant behind an authority as the policy holds it now; an approval's, if the books hold its draft."""
        if isinstance(authority, Grant):
            if authority.purpose is Purpose.APPROVAL:
                return authority if self._approved(authority) else None
            return self.policy.grants.get(authority.id)
        if authority is not None and authority.grant_id is not None:
            return self.policy.grants.get(authority.grant_id)
        return None

    def _approved(self, grant: Grant) -> bool:
        """Whether an operator approved the one text of this grant, for its one target; nobody else makes one."""
        return any(
            (draft.sha256, draft.operator) == (grant.text_sha256, grant.given_by)
            and grant.targets == frozenset({draft.target})
            for state in APPROVED_STATES
            for draft in self._approvals.listed(state)
        )

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
