"""What the life of one source works with, and the writes that its steps share.

`Desk` holds the parts. `stand` writes where a conversation stands, and in the same commit what the owner is told; the
packets of a change are written by the ledger's recorder, in its commit too (`chronicle.py`). `view` reads what
`turn.next_step` decides from. Nothing here decides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final

import msgspec

from dragoman.agents.contract import HandlerAnswer, HandlerRequest
from dragoman.clock import DAY, HOUR, Clock, utc_day
from dragoman.gate.gate import Gate
from dragoman.gate.ports import Entry
from dragoman.grants import Spent
from dragoman.identity import Target
from dragoman.ledger.conversations import Conversation, Standing
from dragoman.receiver.authority import Authority
from dragoman.receiver.books import Books
from dragoman.receiver.notify import Notices
from dragoman.receiver.sentences import STOP, STRANGERS, said
from dragoman.receiver.source import Source
from dragoman.receiver.turn import View
from dragoman.words import LifePoint, Milestone, StopReason

Answer = Callable[[HandlerRequest], Awaitable[HandlerAnswer]]
Checkpoint = Callable[[LifePoint], None]

NO_BOUND: Final = nullcontext()
"""The slots of a process that bounds nothing."""

TOLD: Final[dict[StopReason, Milestone]] = {
    StopReason.WAITING_OWNER: Milestone.DECISION_NEEDED,
    StopReason.GRANT_CHANGED: Milestone.DECISION_NEEDED,
    StopReason.GENERATION_CHANGED: Milestone.DECISION_NEEDED,
    StopReason.NOT_IN_SCOPE: Milestone.DECISION_NEEDED,
    StopReason.UNCERTAIN_SEND: Milestone.DECISION_NEEDED,
    StopReason.COMPLETED: Milestone.COMPLETED,
    StopReason.TURN_LIMIT: Milestone.LIMIT_HIT,
    StopReason.DAILY_LIMIT: Milestone.LIMIT_HIT,
    StopReason.GRANT_EXPIRED: Milestone.LIMIT_HIT,
}
"""Which stops the owner is told of; the others stay in the status (spec 2 §3.10)."""

_ONE_FOR_ALL: Final = frozenset(
    {StopReason.DAILY_LIMIT, StopReason.GRANT_CHANGED, StopReason.GENERATION_CHANGED, StopReason.GRANT_EXPIRED}
)
"""Stops of the whole task: one notification, not one per conversation."""


STRANGERS_TOLD: Final = 10
"""How many contacts outside the task the owner is told of one by one within a day."""


def no_checkpoint(point: LifePoint) -> None:
    """The default: nobody watches the arrows."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Desk:
    """The parts of one source's life. `new_id(kind)` mints opaque ids; `checkpoint` is told of every arrow passed.

    `slots` is held while a handler runs: a process of many roles bounds them together.
    `evidence_ms` is how long raw evidence is kept, `reminder_ms` how long a draft waits before the owner is reminded.
    """

    books: Books
    source: Source
    gate: Gate
    authority: Authority
    answer: Answer
    notices: Notices
    clock: Clock
    new_id: Callable[[str], str]
    checkpoint: Checkpoint = no_checkpoint
    slots: AbstractAsyncContextManager[object] = NO_BOUND
    evidence_ms: int = 30 * DAY
    reminder_ms: int = 4 * HOUR

    @property
    def looks_on(self) -> bool:
        """Whether the policy only lets events be decided and written down: another bot speaks (spec 1 §7)."""
        return self.gate.policy.mode == "shadow"

    def view(self, target: Target) -> View:
        """What the ledger and the owner's file say of one conversation now."""
        books, mandate, now = self.books, self.authority.mandate, self.clock.now()
        conversation = books.conversations.at(target)
        turn = books.turns.of(target)
        decision = books.turns.decision(turn.id) if turn else None
        draft = books.approvals.find(decision.draft_id) if decision and decision.draft_id else None
        grant = mandate.grant
        return View(
            now=now,
            bounded=self.source.bounded,
            scope=mandate.scope,
            covered=grant is None or target in grant.targets,
            spent=books.charges.spent(grant.id, target, now) if grant else Spent(),
            paused=self.looks_on or books.seen.paused(target),
            standing=conversation.state,
            standing_grant=conversation.grant_id,
            turn=turn.state if turn else None,
            attempts=turn.attempts if turn else 0,
            next_at=turn.next_at if turn else 0,
            send=decision.state if decision else None,
            retry_at=decision.retry_at if decision else 0,
            draft=draft.state if draft else None,
            own_words=bool(turn and not turn.attempts),
        )

    def stand(
        self,
        target: Target,
        state: Standing,
        stop: StopReason | None,
        *,
        sentence: tuple[str, str] | None = None,
        summary: str = "",
        key: str = "",
    ) -> None:
        """Write where a conversation stands; a stop that the owner is to hear of is queued once per `key`."""
        mandate, now = self.authority.mandate, self.clock.now()
        before = self.books.conversations.at(target)
        grant_id = mandate.grant.id if mandate.grant else before.grant_id
        words = said(sentence or STOP[stop], mandate.language, summary) if stop else ""
        after = Conversation(
            target=target,
            state=state,
            stop_reason=stop,
            grant_id=grant_id,
            summary=words,
            note="" if state is not Standing.OPEN else before.note,
            resolution=before.resolution,
            reminded=before.reminded,
        )
        if msgspec.structs.replace(after, updated_at=before.updated_at) != before:
            self.books.conversations.put(after, now)
        if stop is StopReason.NOT_IN_SCOPE and self.books.notifications.lately(f"{stop}|", now - DAY) >= STRANGERS_TOLD:
            # Anybody can open contacts: the owner hears of a crowd once a day, not once for each of it.
            words = said(STRANGERS, mandate.language)
            self.notices.queue(TOLD[stop], f"crowd|{stop}|{grant_id}|{utc_day(now)}", words)
        elif stop in TOLD:
            self.tell(TOLD[stop], key or self._key(stop, target, grant_id, now), words, target)

    def tell(self, milestone: Milestone, key: str, words: str, target: Target) -> None:
        """Queue a notification about a conversation."""
        autonomy = self.authority.mandate.autonomy
        every = autonomy is not None and autonomy.notification_mode == "every_result"
        self.notices.queue(milestone, key, words, contact=self.source.contact_id(target), every=every)

    def log(self, target: Target, correlation_id: str, outcome: str, reason: str) -> None:
        """One record about the life of a conversation."""
        self.books.journal.record(
            Entry(
                correlation_id=correlation_id,
                kind="life",
                outcome=outcome,
                reason=reason,
                time=self.clock.now(),
                policy_version=self.gate.policy.version,
                target=target,
            )
        )

    def keep(self, correlation_id: str, kind: str, *words: str) -> None:
        """Keep what the journal must not hold (errors, refused texts) for the operator's `why --evidence`."""
        body = "\n".join(word for word in words if word).encode("utf-8", "backslashreplace")
        now = self.clock.now()
        if body:
            self.books.evidence.keep(correlation_id, kind, body, now, now + self.evidence_ms)

    def _key(self, stop: StopReason, target: Target, grant_id: str, now: int) -> str:
        where = "" if stop in _ONE_FOR_ALL else str(target)
        when = self.books.charges.day(now) if stop is StopReason.DAILY_LIMIT else ""
        return f"{stop}|{where}|{grant_id}|{when}"
