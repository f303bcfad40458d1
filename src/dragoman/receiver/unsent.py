"""What becomes of a saved reply that does not leave: held, denied, uncertain, stopped, dropped (spec 2 §3.3, §3.4).

Each is one commit, with what the owner is told and the packet that records it. The text of the decision never changes,
and nothing here sends.
"""

from __future__ import annotations

import msgspec

from dragoman.gate.ports import Delivery
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import InboundState
from dragoman.ledger.turns import Decided, TurnRow, TurnState
from dragoman.receiver.ask import Ask
from dragoman.receiver.desk import Desk
from dragoman.receiver.sentences import DROPPED, HELD, said
from dragoman.words import DraftState, Milestone, Reason, SendState, StopReason

GATE = "gate"
"""Who rejects an approved draft that the door refuses."""
_TIMELY = frozenset({Reason.PAUSED, Reason.GRANT_EXPIRED, Reason.GRANT_UNKNOWN, Reason.GRANT_OTHER_TARGET})
"""Denials that say "not now", not "not this text": the reply stays saved, the next look names the stop."""


_THIS_TEXT = frozenset(
    {Reason.CLASS_NOT_ALLOWED, Reason.HARD_STOP, Reason.TOO_LONG, Reason.EMPTY_TEXT, Reason.PART_NOT_CARRIED}
)
"""Denials of this very text: the handler may find another one. Whatever else is denied, no words of it would go."""


class Unsent:
    """Writes down replies that stay."""

    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk = desk
        self._ask = ask

    def drop(self, turn: TurnRow, decision: Decided) -> None:
        """A held reply was rejected, or nobody decided in time: it is not sent; the owner is asked."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=now)
            desk.books.turns.move(turn.id, TurnState.SETTLED, failure="draft_dropped", now=now)
            for message in desk.books.inbox.of_turn(turn.id):
                desk.books.inbox.move(message.id, InboundState.KEPT, reason="draft_dropped", now=now)
            filed = desk.books.approvals.find(decision.draft_id)
            told = filed is not None and filed.operator != "epoch"  # else nobody rejected it: its world has changed
            desk.stand(
                turn.target,
                Standing.WAITING_OWNER,
                StopReason.WAITING_OWNER,
                sentence=DROPPED.get(filed.state) if filed and told else None,
                summary=decision.draft_id,
                key=f"dropped|{decision.draft_id}",
            )

    def settle(self, turn: TurnRow) -> None:
        """End a turn whose decision has ended."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.move(turn.id, TurnState.SETTLED, failure=turn.failure, now=now)
            for message in desk.books.inbox.of_turn(turn.id):
                if message.state is InboundState.IN_TURN:
                    desk.books.inbox.move(message.id, InboundState.DONE, turn_id=turn.id, now=now)

    def held(self, turn: TurnRow, decision: Decided, delivery: Delivery) -> None:
        """The operator decides on the exact text; the counterparty sees nothing of it (spec 2 §3.3)."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            self._revoke(decision)
            desk.books.turns.mark(decision.reply_id, SendState.HELD, draft_id=delivery.draft_id, now=now)
            if not desk.source.bounded:
                self._held_in_chat(turn, delivery)
                return
            for message in desk.books.inbox.of_turn(turn.id):
                desk.books.inbox.move(message.id, InboundState.KEPT, reason="held", turn_id=turn.id, now=now)
            desk.stand(
                turn.target,
                Standing.WAITING_OWNER,
                StopReason.WAITING_OWNER,
                sentence=HELD,
                summary=f"{delivery.draft_id} ({delivery.reason})",
                key=f"held|{delivery.draft_id}",
            )

    def _held_in_chat(self, turn: TurnRow, delivery: Delivery) -> None:
        """A room goes on while one draft waits: the turn ends here, `Life.release` lets the approved text out."""
        desk = self._desk
        self.settle(turn)
        words = said(HELD, desk.authority.mandate.language, f"{delivery.draft_id} ({delivery.reason})")
        desk.tell(Milestone.DECISION_NEEDED, f"held|{delivery.draft_id}", words, turn.target)

    def denied(self, turn: TurnRow, decision: Decided, delivery: Delivery, *, admitted: bool) -> None:
        """A no to this text is a failed turn; a no that only says "not now" leaves the reply saved. Where nothing may
        be answered any more (not `admitted`), the turn ends and the handler is not asked again.
        """
        if delivery.reason in _TIMELY:
            return
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            self._revoke(decision)
            desk.books.turns.mark(decision.reply_id, SendState.DENIED, now=now)
            if turn.attempts and admitted and delivery.reason in _THIS_TEXT:
                self._ask.failed(turn, "denied", str(delivery.reason))
            elif turn.attempts:
                desk.log(turn.target, turn.correlation_id, "turn_ended", str(delivery.reason))
                self.settle(msgspec.structs.replace(turn, failure=f"denied: {delivery.reason}"))
            else:
                self._words_denied(turn, delivery)

    def _revoke(self, decision: Decided) -> None:
        """An approval under which the door said no for good lets nothing out any more; nothing had left."""
        approvals = self._desk.books.approvals
        filed = approvals.find(decision.draft_id) if decision.draft_id else None
        if filed is not None and filed.state is DraftState.APPROVED:
            approvals.reject(filed.id, operator=GATE, now=self._desk.clock.now())

    def _words_denied(self, turn: TurnRow, delivery: Delivery) -> None:
        """The owner's own words were denied: the conversation goes on waiting for him."""
        desk, now = self._desk, self._desk.clock.now()
        desk.books.turns.move(turn.id, TurnState.SETTLED, failure=f"denied: {delivery.reason}", now=now)
        for message in desk.books.inbox.of_turn(turn.id):
            desk.books.inbox.move(message.id, InboundState.KEPT, reason="denied", now=now)
        desk.stand(
            turn.target,
            Standing.WAITING_OWNER,
            StopReason.WAITING_OWNER,
            summary=str(delivery.reason),
            key=f"denied|{turn.id}",
        )

    def uncertain(self, turn: TurnRow, decision: Decided) -> None:
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.mark(decision.reply_id, SendState.UNCERTAIN, now=now)
            if decision.draft_id:
                desk.books.approvals.settle(decision.draft_id, DraftState.UNCERTAIN, now)
            for message in desk.books.inbox.of_turn(turn.id):
                desk.books.inbox.move(message.id, InboundState.KEPT, reason="uncertain_send", turn_id=turn.id, now=now)
            desk.stand(
                turn.target,
                Standing.WAITING_OWNER,
                StopReason.UNCERTAIN_SEND,
                summary=decision.reply_id,
                key=f"uncertain|{decision.reply_id}",
            )

    def stop(self, turn: TurnRow, decision: Decided, stop: StopReason | None) -> None:
        """The authority ended before the reply left: not sent, and the messages are offered again (spec 2 §3.1)."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=now)
            desk.books.turns.move(turn.id, TurnState.SETTLED, failure=str(stop or "stopped"), now=now)
            for message in desk.books.inbox.of_turn(turn.id):
                if message.state is InboundState.IN_TURN:
                    desk.books.inbox.move(message.id, InboundState.DEFERRED, reason=str(stop), now=now)
            if stop is not None:
                desk.stand(turn.target, desk.books.conversations.at(turn.target).state, stop)
