"""Turns and their saved decisions: what a handler was asked, and what it said, once (spec 2 §2, §3.1-§3.4).

    turn       running → decided → settled         running → waiting (backoff) → running …      … → parked
    decision   saved → sending → sent | uncertain   saved → held → sending …   saved → denied | stopped

1. A turn is opened and charged in one commit; `running` at a start means that the process died in the handler.
2. A decision is saved once per attempt with the `reply_id` that its reply keeps over every retry; its text never
   changes. What the gate denied counts no longer; the turn may be tried again.
3. `sent` is final.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from dragoman.identity import Target, parse_target
from dragoman.ledger.changes import Change, What
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger, Row, Value
from dragoman.words import Action, SendState, Topic


class TurnState(StrEnum):
    """The life of one turn."""

    RUNNING = "running"
    WAITING = "waiting"
    DECIDED = "decided"
    PARKED = "parked"
    SETTLED = "settled"


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """One turn. `grant_id` is empty for the owner's own words; `note` is what the owner said when he let it go on."""

    id: str
    target: Target
    grant_id: str
    generation: int
    correlation_id: str
    admission: bytes
    attempts: int
    state: TurnState
    next_at: int
    failure: str
    note: str
    created_at: int


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """One saved decision. Times are epoch milliseconds, 0 for "not yet"."""

    turn_id: str
    reply_id: str
    target: Target
    action: Action
    text: str = ""
    complete: bool = False
    owner_summary: str = ""
    topics: tuple[Topic, ...] = ()
    state: SendState = SendState.SAVED
    draft_id: str = ""
    evidence: str = ""
    retry_at: int = 0
    decided_at: int = 0
    sent_at: int = 0


class Turns:
    """The turns of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("turns")

    def open(self, turn: TurnRow) -> None:
        """Begin a turn in the state it carries."""
        with self._ledger.write():
            self._ledger.change(
                self._queries["open"],
                id=turn.id,
                target=str(turn.target),
                grant_id=turn.grant_id,
                generation=turn.generation,
                correlation_id=turn.correlation_id,
                admission=turn.admission,
                attempts=turn.attempts,
                state=str(turn.state),
                note=turn.note,
                now=turn.created_at,
            )
            self._note_turn(turn.id, turn.target, "", turn.state, "", turn.created_at)

    def find(self, turn_id: str) -> TurnRow | None:
        """One turn, or None."""
        row = self._ledger.row(self._queries["find"], id=turn_id)
        return None if row is None else _turn(row)

    def unsettled(self) -> list[TurnRow]:
        """Turns that are not over, oldest first."""
        return [_turn(row) for row in self._ledger.rows(self._queries["unsettled"])]

    def of(self, target: Target) -> TurnRow | None:
        """The unsettled turn of a conversation, or None."""
        row = self._ledger.row(self._queries["of"], target=str(target))
        return None if row is None else _turn(row)

    def latest(self, target: Target) -> TurnRow | None:
        """The newest turn of a conversation, over or not, or None."""
        row = self._ledger.row(self._queries["latest"], target=str(target))
        return None if row is None else _turn(row)

    def attempt(self, turn_id: str, *, generation: int, grant_id: str, now: int) -> bool:
        """One more attempt begins; whether the turn was waiting for it."""
        with self._ledger.write():
            values: dict[str, Value] = {"id": turn_id, "generation": generation, "grant_id": grant_id, "now": now}
            began = bool(self._ledger.change(self._queries["attempt"], **values))
            turn = self.find(turn_id) if began and self._ledger.watched else None
            if turn is not None:
                self._note_turn(turn_id, turn.target, TurnState.WAITING, TurnState.RUNNING, "", now)
        return began

    def move(self, turn_id: str, state: TurnState, *, next_at: int = 0, failure: str = "", now: int) -> None:
        """Change a turn's state; a settled or parked one stays so."""
        with self._ledger.write():
            before = self.find(turn_id) if self._ledger.watched else None
            changed = self._ledger.change(
                self._queries["move"], id=turn_id, state=str(state), next_at=next_at, failure=failure[:2000], now=now
            )
            if changed and before is not None:
                why = failure.partition(":")[0].partition(" ")[0]
                self._note_turn(turn_id, before.target, before.state, state, why, now)

    def decide(self, decided: Decided, now: int) -> None:
        """Save what the handler decided in this turn."""
        with self._ledger.write():
            self._ledger.change(
                self._queries["decide"],
                turn_id=decided.turn_id,
                reply_id=decided.reply_id,
                target=str(decided.target),
                action=str(decided.action),
                text=decided.text,
                complete=int(decided.complete),
                owner_summary=decided.owner_summary,
                topics=" ".join(decided.topics),
                state=str(decided.state),
                now=now,
            )
            self._note_reply(decided, "", decided.state, now)
            self.move(decided.turn_id, TurnState.DECIDED, now=now)

    def decision(self, turn_id: str) -> Decided | None:
        """The decision of a turn that still counts, or None."""
        row = self._ledger.row(self._queries["decision"], turn_id=turn_id)
        return None if row is None else _decided(row)

    def by_reply(self, reply_id: str) -> Decided | None:
        """The decision behind a reply id, or None."""
        row = self._ledger.row(self._queries["by_reply"], reply_id=reply_id)
        return None if row is None else _decided(row)

    def mark(
        self, reply_id: str, state: SendState, *, draft_id: str = "", evidence: str = "", retry_at: int = 0, now: int
    ) -> None:
        """A decision moves on; what was sent stays sent."""
        with self._ledger.write():
            before = self.by_reply(reply_id) if self._ledger.watched else None
            changed = self._ledger.change(
                self._queries["mark"],
                reply_id=reply_id,
                state=str(state),
                draft_id=draft_id,
                evidence=evidence,
                retry_at=retry_at,
                now=now,
            )
            if changed and before is not None:
                self._note_reply(before, before.state, state, now)

    def in_state(self, state: SendState) -> list[Decided]:
        """The decisions in one state, oldest first."""
        return [_decided(row) for row in self._ledger.rows(self._queries["in_state"], state=str(state))]

    def last_sent(self, target: Target) -> Decided | None:
        """The newest reply of a conversation that was sent."""
        row = self._ledger.row(self._queries["last_sent"], target=str(target))
        return None if row is None else _decided(row)

    def newest(self, target: Target, limit: int) -> list[Decided]:
        """The newest decisions of a conversation, newest first."""
        return [_decided(row) for row in self._ledger.rows(self._queries["newest"], target=str(target), limit=limit)]

    def counts(self) -> dict[str, int]:
        """How many decisions stand where."""
        return {row["state"]: row["n"] for row in self._ledger.rows(self._queries["count"])}

    def _note_turn(self, id: str, target: Target, before: str, after: str, why: str, now: int) -> None:
        self._ledger.note(
            Change(what=What.TURN, target=str(target), id=id, before=str(before), after=str(after), why=why, now=now)
        )

    def _note_reply(self, decided: Decided, before: str, after: str, now: int) -> None:
        place, id = str(decided.target), decided.reply_id
        self._ledger.note(Change(what=What.REPLY, target=place, id=id, before=str(before), after=str(after), now=now))


def _turn(row: Row) -> TurnRow:
    return TurnRow(
        id=row["id"],
        target=parse_target(row["target"]),
        grant_id=row["grant_id"],
        generation=row["generation"],
        correlation_id=row["correlation_id"],
        admission=row["admission"],
        attempts=row["attempts"],
        state=TurnState(row["state"]),
        next_at=row["next_at"],
        failure=row["failure"],
        note=row["note"],
        created_at=row["created_at"],
    )


def _decided(row: Row) -> Decided:
    return Decided(
        turn_id=row["turn_id"],
        reply_id=row["reply_id"],
        target=parse_target(row["target"]),
        action=Action(row["action"]),
        text=row["text"],
        complete=bool(row["complete"]),
        owner_summary=row["owner_summary"],
        topics=tuple(Topic(topic) for topic in row["topics"].split()),
        state=SendState(row["state"]),
        draft_id=row["draft_id"],
        evidence=row["evidence"],
        retry_at=row["retry_at"],
        decided_at=row["decided_at"],
        sent_at=row["sent_at"],
    )
