"""What a cycle does beside the lives: approved drafts of ended turns, closings, reminders.

Each looks at the ledger, does one thing per row, and writes it down; nothing here begins a turn.
"""

from __future__ import annotations

import msgspec

from dragoman.clock import SECOND
from dragoman.ledger.conversations import CLOSE, Standing
from dragoman.ledger.turns import TurnState
from dragoman.receiver.ask import Ask
from dragoman.receiver.desk import Desk
from dragoman.receiver.send import Send
from dragoman.receiver.sentences import REMINDER, said
from dragoman.words import DraftState, Milestone, SendState


class Upkeep:
    """The upkeep of one source."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._send = Send(desk, Ask(desk))

    async def release(self) -> None:
        """Without leases: let out what an operator approved after its turn had ended."""
        desk = self._desk
        for state in (SendState.HELD, SendState.SENDING):
            for decision in desk.books.turns.in_state(state):
                turn = desk.books.turns.find(decision.turn_id)
                mine = decision.target.platform == desk.source.channel.platform
                filed = desk.books.approvals.find(decision.draft_id) if decision.draft_id else None
                if not mine or turn is None or turn.state is not TurnState.SETTLED or filed is None:
                    continue
                if state is SendState.SENDING:
                    await self._send.look_up(turn, decision)
                elif filed.state is DraftState.APPROVED:
                    await self._send.send(turn, decision)
                elif filed.state in (DraftState.REJECTED, DraftState.EXPIRED):
                    desk.books.turns.mark(decision.reply_id, SendState.STOPPED, now=desk.clock.now())

    def forget(self) -> None:
        """Forget raw evidence and observed texts that have been kept long enough."""
        now = self._desk.clock.now()
        self._desk.books.evidence.prune(now)
        self._desk.books.observations.prune(now)

    async def close_asked(self) -> None:
        """Close on the source what the owner closed here."""
        desk = self._desk
        for conversation in desk.books.conversations.all():
            mine = conversation.target.platform == desk.source.channel.platform
            if mine and conversation.state is Standing.CLOSED and conversation.note == CLOSE:
                await desk.source.close(conversation.target)
                desk.books.conversations.put(msgspec.structs.replace(conversation, note=""), desk.clock.now())

    def remind(self) -> None:
        """One reminder per outbound message that nobody answered in time; to the owner only (spec 2 §3.11)."""
        desk, mandate = self._desk, self._desk.authority.mandate
        if mandate.autonomy is None or mandate.scope is None or mandate.scope.changed or not desk.source.bounded:
            return
        now = desk.clock.now()
        for conversation in desk.books.conversations.all():
            last = desk.books.turns.last_sent(conversation.target)
            mine = conversation.target.platform == desk.source.channel.platform
            if not mine or conversation.state is not Standing.OPEN or last is None:
                continue
            if conversation.reminded == last.reply_id:
                continue
            over = now - last.sent_at >= mandate.autonomy.wait_timeout_seconds * SECOND
            if (
                over
                and now < mandate.scope.expires_at
                and not desk.books.inbox.anything_after(conversation.target, last.sent_at)
            ):
                with desk.books.ledger.write():
                    desk.books.conversations.put(msgspec.structs.replace(conversation, reminded=last.reply_id), now)
                    words = said(REMINDER, mandate.language)
                    desk.tell(Milestone.WAIT_REMINDER, f"wait|{last.reply_id}", words, conversation.target)
