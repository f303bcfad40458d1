"""From a saved decision to evidence: recheck → release → mark sending → POST → mark sent (spec 2 §2, §3.3-§3.5).

1. Grant, generation, deadline, pause and lease are asked again before every attempt; the text never changes and the
   handler is never asked again.
2. `sending` is durable before a byte leaves, `sent` is written only on the platform's evidence.
3. An outcome that is not known is looked up by its reply id: there → sent; not there → the same text again under the
   same id; no proof → `uncertain_send`, left by the owner only.
4. A hold waits for the operator under its draft id; the approval sends under the saved reply id. A denial is a failure.
5. What certainly did not leave is tried again with growing waits; only real attempts count.
"""

from __future__ import annotations

import msgspec

from dragoman.gate.admit import Admission
from dragoman.gate.parts import decoded
from dragoman.gate.ports import Delivery, Draft, Filed
from dragoman.gate.release import approval_grant, text_hash
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import InboundState
from dragoman.ledger.turns import Decided, TurnRow, TurnState
from dragoman.receiver.ask import Ask
from dragoman.receiver.desk import Desk
from dragoman.receiver.endings import GAVE_UP
from dragoman.receiver.sentences import SENT, said
from dragoman.receiver.source import Superseded
from dragoman.receiver.turn import LONGEST_RETRY_MS, Step, lapsed, send_retry_at, stopped
from dragoman.receiver.unsent import Unsent
from dragoman.words import (
    DraftState,
    Fact,
    LifePoint,
    Milestone,
    OutputClass,
    ReleaseOutcome,
    SendState,
    StopReason,
)

_GONE = frozenset({"instance_superseded", "instance_read_only"})
_UNSENDABLE = frozenset({"text_too_large", "text_empty", "bad_request", "packet_invalid", "packet_too_large"})


class Stopped(Exception):
    """Somebody said stop at the last moment; nothing left."""


class Revoked(Exception):
    """An approval was no longer there at the last moment; nothing left."""


class Send:
    """The half of the life that begins with a saved decision."""

    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk = desk
        self._ask = ask
        self.unsent = Unsent(desk, ask)
        self._failures: dict[str, int] = {}

    async def send(self, turn: TurnRow, decision: Decided) -> bool:
        """One attempt to let a saved reply out; whether anything more can be done now."""
        desk = self._desk
        if not await self._recheck(turn, decision):
            return False
        desk.checkpoint(LifePoint.RECHECKED)
        filed = desk.books.approvals.find(decision.draft_id) if decision.draft_id else None
        try:
            if filed is not None:
                delivery = await self._approved(turn, decision, filed)
            else:
                delivery = await self._admitted(turn, decision)
        except Stopped:
            return False
        if delivery is None:
            return False
        desk.checkpoint(LifePoint.POSTED)
        return self._settled(turn, decision, delivery)

    async def look_up(self, turn: TurnRow, decision: Decided) -> bool:
        """Find out what became of a reply that was being sent; whether anything more can be done now."""
        desk = self._desk
        proof = await desk.source.look_up(turn.target, decision.reply_id, decision.decided_at)
        if proof.there is Fact.YES:
            self._sent(turn, decision, proof.evidence)
            return True
        if proof.gone:
            self.unsent.uncertain(turn, decision)
            return True
        if proof.there is Fact.UNKNOWN:
            return False
        if desk.source.bounded and turn.generation != desk.source.generation:
            self.unsent.uncertain(turn, decision)
            return True
        return await self.send(turn, decision)

    # --- before ------------------------------------------------------------------------------------------------------

    async def _recheck(self, turn: TurnRow, decision: Decided) -> bool:
        """Grant, generation, deadline, pause, lease: may this reply still go, now?"""
        desk = self._desk
        desk.authority.look()
        if desk.source.bounded and turn.generation != desk.source.generation and turn.attempts:
            self.unsent.stop(turn, decision, StopReason.GENERATION_CHANGED)
            return False
        view = desk.view(turn.target)
        own = not turn.attempts or bool(decision.draft_id)
        stop = None if own else stopped(view, budgets=False)
        if view.paused:
            return False
        if decision.draft_id and decision.state is SendState.HELD and lapsed(view) is not None:
            self._withdrawn(decision)
            return False
        if stop is not None:
            if stop.step is not Step.KEEP:
                self.unsent.stop(turn, decision, stop.stop)
            return False
        waiting = [each for each in desk.books.inbox.of_turn(turn.id) if each.lease and not each.acked]
        lease = waiting[0].lease if waiting and waiting[0].state is InboundState.IN_TURN else ""
        before = lease
        if lease:
            ids = [message.id for message in waiting]
            held = await desk.source.hold(lease, ids)
            if not held:
                return False
            if held != lease:
                now = desk.clock.now()
                with desk.books.ledger.write():
                    for id in ids:
                        desk.books.inbox.leased(id, held, now)
                lease = held
        # Only what this very lease holds: a message under another one, or kept without one, is acked by itself.
        answers = [each.id for each in waiting if each.lease in (lease, before)] if lease else []
        desk.source.held(turn.target, lease, answers)
        return True

    async def _admitted(self, turn: TurnRow, decision: Decided) -> Delivery | None:
        """The door, by the admission of the message that is answered."""
        desk = self._desk
        admission = self._admission(turn)
        return await desk.gate.deliver(
            Draft(
                text=decision.text,
                topics=frozenset(decision.topics),
                output_class=OutputClass.SAFE_ERROR if turn.failure == GAVE_UP else OutputClass.FINAL,
            ),
            admission,
            desk.source.channel,
            key=decision.reply_id,
            thread=admission.thread,
            reply_to=admission.event_id,
            complete=decision.complete,
            sending=lambda: self._sending(decision),
        )

    async def _approved(self, turn: TurnRow, decision: Decided, filed: Filed) -> Delivery | None:
        """The door, by the operator's approval of exactly this text: claimed in the commit that marks `sending`.

        A claimed draft that is proven not to be there goes once more under the same id (spec 1 §11.11).
        """
        desk = self._desk
        epoch = await desk.gate.epoch(turn.target, desk.source.channel)
        draft = Draft(text=filed.text, parts=decoded(filed.body))
        digest, grant = text_hash(draft.text, draft.parts), approval_grant(filed, desk.new_id(f"apr-{filed.id}"))

        def claim() -> None:
            now = desk.clock.now()
            claimed = filed.state in (DraftState.CLAIMED, DraftState.UNCERTAIN)
            with desk.books.ledger.write():
                if not claimed and not desk.books.approvals.claim(filed.id, digest, epoch, now):
                    raise Revoked(filed.id)
                self._sending(decision)

        try:
            return await desk.gate.deliver(
                draft,
                grant,
                desk.source.channel,
                key=decision.reply_id,
                target=turn.target,
                thread=filed.thread,
                complete=decision.complete,
                sending=claim,
            )
        except Revoked:  # a stale epoch, a changed text, or its time is over: nothing left, the owner is asked anew
            filed = desk.books.approvals.find(filed.id) or filed
            if filed.state in (DraftState.FILED, DraftState.APPROVED):
                desk.books.approvals.reject(filed.id, operator="epoch", now=desk.clock.now())
            return None

    def _withdrawn(self, decision: Decided) -> None:
        """The grant under which the draft was written is over: the approval lets nothing out, the owner is asked."""
        filed = self._desk.books.approvals.find(decision.draft_id)
        if filed is not None and filed.state is DraftState.APPROVED:
            self._desk.books.approvals.reject(filed.id, operator="epoch", now=self._desk.clock.now())

    def _admission(self, turn: TurnRow) -> Admission:
        """The turn's admission; under another policy or grant than its own it is weighed again, its budget as paid."""
        admission = msgspec.json.decode(turn.admission, type=Admission)
        policy = self._desk.gate.policy
        messages = self._desk.books.inbox.of_turn(turn.id)
        same = admission.policy_version == policy.version and (admission.grant_id or turn.grant_id) == turn.grant_id
        if same or not messages or messages[-1].raw is None:
            return admission
        event = self._desk.source.event(messages[-1].raw, messages[-1].received_at)
        fresh = self._ask.readmit(event, admission.id)
        self._desk.log(turn.target, admission.id, "readmitted", str(fresh.reason))
        return fresh

    def _sending(self, decision: Decided) -> None:
        """The durable mark: from here on the outcome must be proven, never assumed."""
        desk = self._desk
        desk.checkpoint(LifePoint.RELEASED)
        now_stands = desk.books.turns.by_reply(decision.reply_id)
        if now_stands is not None and now_stands.state is SendState.STOPPED:
            raise Stopped(decision.reply_id)
        desk.books.turns.mark(decision.reply_id, SendState.SENDING, now=desk.clock.now())
        desk.checkpoint(LifePoint.SENDING)

    # --- after -------------------------------------------------------------------------------------------------------

    def _settled(self, turn: TurnRow, decision: Decided, delivery: Delivery) -> bool:
        if delivery.outcome is ReleaseOutcome.HOLD:
            self.unsent.held(turn, decision, delivery)
            return False
        if delivery.outcome is not ReleaseOutcome.SEND:
            admitted = not turn.attempts or self._admission(turn).responds
            self.unsent.denied(turn, decision, delivery, admitted=admitted)
            return False
        if delivery.delivered is Fact.YES:
            self._sent(turn, decision, delivery.evidence, self._desk.source.settled(decision.reply_id))
            return True
        refusal = self._desk.source.refusal(decision.reply_id)
        if refusal in _GONE:
            raise Superseded(refusal)
        if delivery.delivered is Fact.UNKNOWN:
            return False
        self._refused(turn, decision, refusal, delivery.retry_at)
        return refusal == "lease_lost" and self._failures[decision.reply_id] < 2

    def _sent(self, turn: TurnRow, decision: Decided, evidence: str, settled: tuple[str, ...] = ()) -> None:
        """`settled`: what the source settled with this very send; the rest is acked afterwards."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.mark(decision.reply_id, SendState.SENT, evidence=evidence, now=now)
            if decision.draft_id:
                desk.books.approvals.settle(decision.draft_id, DraftState.DELIVERED, now)
            desk.books.turns.move(turn.id, TurnState.SETTLED, now=now)
            for message in desk.books.inbox.of_turn(turn.id):
                desk.books.inbox.move(message.id, InboundState.DONE, turn_id=turn.id, now=now)
            desk.books.inbox.acked(list(settled), now)
            if decision.complete and desk.source.bounded:
                desk.stand(
                    turn.target,
                    Standing.COMPLETED,
                    StopReason.COMPLETED,
                    summary=decision.owner_summary,
                    key=f"completed|{turn.id}",
                )
            else:
                desk.stand(turn.target, Standing.OPEN, None)
                words = said(SENT, desk.authority.mandate.language, decision.owner_summary)
                desk.tell(Milestone.RESULT, f"result|{turn.id}", words, turn.target)
        self._failures.pop(decision.reply_id, None)
        desk.source.held(turn.target, "")
        desk.checkpoint(LifePoint.SENT)
        if settled:
            desk.checkpoint(LifePoint.ACKED)

    def _refused(self, turn: TurnRow, decision: Decided, refusal: str, retry: int | None) -> None:
        """The platform proved that nothing was written."""
        desk, now = self._desk, self._desk.clock.now()
        failures = self._failures[decision.reply_id] = self._failures.get(decision.reply_id, 0) + 1
        back = SendState.HELD if decision.draft_id else SendState.SAVED
        with desk.books.ledger.write():
            if refusal in ("contact_closed", "contact_blocked"):
                desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=now)
                self.unsent.settle(turn)
                desk.stand(turn.target, Standing.CLOSED, StopReason.CONTACT_CLOSED)
            elif refusal == "reply_id_conflict":
                self.unsent.uncertain(turn, decision)
            elif refusal in _UNSENDABLE:
                desk.books.turns.mark(decision.reply_id, SendState.DENIED, now=now)
                self._ask.failed(turn, refusal)
            else:
                at = min(retry, now + LONGEST_RETRY_MS) if retry else send_retry_at(now, failures)
                at = 0 if refusal == "lease_lost" and failures < 2 else at
                desk.books.turns.mark(decision.reply_id, back, retry_at=at, now=now)
                if refusal == "reply_limited":
                    desk.stand(turn.target, Standing.OPEN, StopReason.REPLY_LIMITED)
