"""What a cycle does beside the lives: approved drafts of ended turns, closings, reminders, the end of the grant.

Each looks at the ledger, does one thing per row, and writes it down; nothing here begins a turn.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.clock import DAY, MINUTE, SECOND, utc_day
from dragoman.gate.command_words import age
from dragoman.identity import Target
from dragoman.ledger.conversations import CLOSE, Standing
from dragoman.ledger.turns import TurnState
from dragoman.receiver.ask import Ask
from dragoman.receiver.desk import Desk
from dragoman.receiver.send import Send
from dragoman.receiver.sentences import DRAFT_WAITS, LAPSED, REMINDER, STOP, said
from dragoman.receiver.turn import Scope
from dragoman.words import DraftState, Milestone, SendState, StopReason

_GRANT_OVER: Final = "grant_over"
"""The grant of which the owner was told that its time is over."""


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
        desk, mandate, scope = self._desk, self._desk.authority.mandate, self._scope()
        if mandate.autonomy is None or scope is None:
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
                and now < scope.expires_at
                and not desk.books.inbox.anything_after(conversation.target, last.sent_at)
            ):
                with desk.books.ledger.write():
                    desk.books.conversations.put(msgspec.structs.replace(conversation, reminded=last.reply_id), now)
                    words = said(REMINDER, mandate.language)
                    desk.tell(Milestone.WAIT_REMINDER, f"wait|{last.reply_id}", words, conversation.target)

    def expire(self) -> None:
        """What is over: the grant; drafts, each written down, and told to the owner where nothing else will."""
        self._grant_over()
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            for draft_id in desk.books.approvals.expire(now):
                draft = desk.books.approvals.find(draft_id)
                assert draft is not None
                desk.log(draft.target, draft.correlation_id or draft_id, "draft_expired", str(draft.reason))
                decision = desk.books.turns.by_reply(draft.reply_id)
                turn = desk.books.turns.find(decision.turn_id) if decision else None
                if turn is None or turn.state is TurnState.SETTLED:  # an open turn ends by it, and says so itself
                    words = said(LAPSED, desk.authority.mandate.language, f"{draft_id} ({draft.reason})")
                    self._tell(Milestone.DECISION_NEEDED, f"dropped|{draft_id}", words, draft.target)

    def due(self) -> int:
        """Milliseconds until the grant's time is over, at most a minute: the owner is told then, not a poll later."""
        scope = self._scope()
        left = 0 if scope is None else scope.expires_at - self._desk.clock.now()
        return max(SECOND, min(MINUTE, left)) if left > 0 else MINUTE

    def _scope(self) -> Scope | None:
        """The scope that bounds this source; None when none does, or when it was changed and binds nothing."""
        scope = self._desk.authority.mandate.scope
        return scope if scope is not None and not scope.changed and self._desk.source.bounded else None

    def _grant_over(self) -> None:
        """The grant's time is over: once, every conversation that goes on under it stops and the owner is told, with or
        without a message that waits."""
        desk, scope = self._desk, self._scope()
        if scope is None or desk.clock.now() < scope.expires_at or desk.books.ledger.get(_GRANT_OVER) == scope.id:
            return
        stop = StopReason.GRANT_EXPIRED
        with desk.books.ledger.write():
            for conversation in desk.books.conversations.all():
                mine = conversation.target.platform == desk.source.channel.platform
                if mine and conversation.state is Standing.OPEN and conversation.stop_reason is None:
                    desk.stand(conversation.target, Standing.OPEN, stop)
            words = said(STOP[stop], desk.authority.mandate.language)
            desk.notices.queue(Milestone.LIMIT_HIT, f"{stop}||{scope.id}|", words)
            desk.books.ledger.put(_GRANT_OVER, scope.id)

    def remind_of_drafts(self) -> None:
        """Remind the owner of drafts that have waited long: each at most once a day, by its id, never by its words."""
        desk, now = self._desk, self._desk.clock.now()
        with desk.books.ledger.write():
            for draft in desk.books.approvals.unattended(now, older_than=desk.reminder_ms, again_after=DAY):
                language = desk.authority.mandate.language
                words = said(
                    DRAFT_WAITS, language, f"{draft.id} ({draft.reason}, {age(now - draft.filed_at, language)})"
                )
                self._tell(Milestone.WAIT_REMINDER, f"draft|{draft.id}|{utc_day(now)}", words, draft.target)
                desk.books.approvals.pinged(draft.id, now)

    def _tell(self, milestone: Milestone, key: str, words: str, target: Target) -> None:
        """Queue a notification about a place that may be another source's."""
        desk = self._desk
        mine = target.platform == desk.source.channel.platform
        desk.notices.queue(milestone, key, words, contact=desk.source.contact_id(target) if mine else str(target))
