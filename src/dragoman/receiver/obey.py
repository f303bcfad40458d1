"""Control commands among the messages that wait: taken out first, obeyed once, answered where that may be seen.

1. A command waits for no turn: it is looked for whenever a conversation is looked at, and on a chat platform while its
   handlers run. So a pause holds before the next send, and a stop ends the handler that runs.
2. Admission, what the command does, its record and the end of its row are one commit (`gate/obey.py`); after a crash it
   is done or it is still there. The answer follows that commit, once, and is not repeated when it is lost.
3. A stop ends the open turn of that author alone, or the operator any turn there, and the words that came before it.
   What may have left, and a draft that waits for approval, stay as they are.

Nothing here sends but the answer, through the door.
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.gate.commands import order_of
from dragoman.gate.event import Event
from dragoman.gate.obey import Obedience, Obeyed, tell
from dragoman.identity import Party, Target
from dragoman.ledger.inbox import Inbound, InboundState
from dragoman.ledger.turns import TurnRow, TurnState
from dragoman.receiver.ask import Ask
from dragoman.receiver.desk import Desk
from dragoman.words import Audience, Fact, LifePoint, SendState

STOPPED = "stopped"
_ENDS = (None, SendState.SAVED)
"""Decisions that a stop ends: none yet, and one that certainly did not leave."""


class Commands:
    """The commands of one source. `ask` is whose handlers a stop ends."""

    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk = desk
        self._ask = ask

    async def take(self, messages: Sequence[Inbound]) -> frozenset[str]:
        """Obey every command among waiting messages, in their order; the ids of those that wait no longer."""
        desk, taken = self._desk, set()
        desk.authority.look()
        waiting = [(message, desk.source.event(message.raw or b"", message.received_at)) for message in messages]
        deleted = {event.deletes for _, event in waiting if event.deletes and event.authenticated is Fact.YES}
        for message, event in waiting:
            if event.event_id in deleted or self._ask.readmit(event, "").command is None:
                continue
            audience = await desk.gate.audience(message.target, desk.source.channel)
            known = desk.books.inbox.find(message.id)
            if known is None or known.state is InboundState.DEFERRED:
                await self._obey(message, event, audience)
            taken.add(message.id)
        return frozenset(taken)

    async def _obey(self, message: Inbound, event: Event, audience: Audience) -> None:
        desk, now = self._desk, self._desk.clock.now()
        obeyed: Obeyed | None = None
        with desk.books.ledger.write():
            admission = self._ask.admitted(event, message.id)
            order = order_of(admission, event, desk.gate.policy, audience)
            if order is not None:
                obeyed = self._obedience(message).carry_out(order, admission, desk.gate.policy, now)
            state = InboundState.SILENT if obeyed is None else InboundState.DONE
            reason = str(admission.reason if obeyed is None else obeyed.said)
            desk.books.inbox.take(message, state=state, reason=reason, now=now)
            desk.checkpoint(LifePoint.ADMITTED)
        if obeyed is not None:
            await tell(desk.gate, obeyed, admission, desk.source.channel, key=desk.new_id("out"))

    def _obedience(self, message: Inbound) -> Obedience:
        desk = self._desk
        return Obedience(
            approvals=desk.books.approvals,
            seen=desk.books.seen,
            note=desk.books.journal.record,
            new_id=desk.new_id,
            stop=lambda target, author: self._stop(message, target, author),
            running=self._running,
        )

    def _running(self, target: Target) -> int:
        turn = self._desk.books.turns.of(target)
        return int(turn is not None and turn.state is TurnState.RUNNING)

    def _stop(self, command: Inbound, target: Target, author: Party | None) -> int:
        """End the open turn and the words before the command, of that author or of everybody; how many."""
        desk, now = self._desk, self._desk.clock.now()
        turn = desk.books.turns.of(target)
        ended = int(turn is not None and self._ended(turn, author))
        for message in desk.books.inbox.in_state(target, InboundState.DEFERRED):
            before = message.id != command.id and message.position <= command.position
            if before and self._by(message, author):
                desk.books.inbox.move(message.id, InboundState.SILENT, reason=STOPPED, now=now)
                ended += 1
        return ended

    def _ended(self, turn: TurnRow, author: Party | None) -> bool:
        desk, now = self._desk, self._desk.clock.now()
        messages, decision = desk.books.inbox.of_turn(turn.id), desk.books.turns.decision(turn.id)
        if (decision.state if decision else None) not in _ENDS or not all(self._by(each, author) for each in messages):
            return False
        if decision is not None:
            desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=now)
        desk.books.turns.move(turn.id, TurnState.SETTLED, failure=STOPPED, now=now)
        for message in messages:
            desk.books.inbox.move(message.id, InboundState.DONE, reason=STOPPED, turn_id=turn.id, now=now)
        desk.log(turn.target, turn.correlation_id, STOPPED, "stop")
        self._ask.stop(turn.id)
        return True

    def _by(self, message: Inbound, author: Party | None) -> bool:
        """Whether a message is of that author; None is anybody."""
        return author is None or self._desk.source.event(message.raw or b"", message.received_at).author == author
