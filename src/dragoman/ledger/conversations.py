"""Where each conversation stands: open, waiting for the owner, completed or closed (spec 2 §2 stops, §3.6).

1. `waiting_owner` is left by the owner's `resolve` only; nothing that a peer writes changes it.
2. `completed` and `closed` are left by a new grant id only; counts stay.
3. `stop_reason` says why nothing happens; a stop that time or a new grant ends leaves the conversation `open`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from dragoman.identity import Target, parse_target
from dragoman.ledger.changes import Change, What
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger, Row
from dragoman.words import StopReason

CLOSE: Final = "close"
"""The note of a closed conversation that its source was not told about yet."""


class Standing(StrEnum):
    """Whether a conversation goes on."""

    OPEN = "open"
    WAITING_OWNER = "waiting_owner"
    COMPLETED = "completed"
    CLOSED = "closed"


GOING: Final = frozenset({Standing.OPEN, Standing.WAITING_OWNER})
"""Where a conversation may still come to something."""


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation. `summary` is for the owner, `note` is the owner's word for the next turn.

    `resolution` is the digest of the last resolution, so that repeating it changes nothing; `reminded` is the reply
    id that a wait reminder was given for.
    """

    target: Target
    state: Standing = Standing.OPEN
    stop_reason: StopReason | None = None
    grant_id: str = ""
    summary: str = ""
    note: str = ""
    resolution: str = ""
    reminded: str = ""
    updated_at: int = 0


class Conversations:
    """The conversations of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("conversations")

    def at(self, target: Target) -> Conversation:
        """One conversation; an unknown one is open."""
        row = self._ledger.row(self._queries["find"], target=str(target))
        return Conversation(target=target) if row is None else _conversation(row)

    def all(self) -> list[Conversation]:
        """Every conversation, the newest change first."""
        return [_conversation(row) for row in self._ledger.rows(self._queries["all"])]

    def put(self, conversation: Conversation, now: int) -> None:
        """Remember where it stands now."""
        with self._ledger.write():
            before = self.at(conversation.target) if self._ledger.watched else conversation
            self._ledger.change(
                self._queries["put"],
                target=str(conversation.target),
                state=str(conversation.state),
                stop_reason=str(conversation.stop_reason or ""),
                grant_id=conversation.grant_id,
                summary=conversation.summary,
                note=conversation.note,
                resolution=conversation.resolution,
                reminded=conversation.reminded,
                now=now,
            )
            self._note(before, conversation, now)

    def _note(self, before: Conversation, after: Conversation, now: int) -> None:
        """Note what of it is somewhere else now: the standing, the grant, the reminder."""
        place = str(after.target)
        moved = (before.state, before.stop_reason) != (after.state, after.stop_reason)
        for what, changed, was, now_is, why in (
            (What.CONVERSATION, moved, str(before.state), str(after.state), str(after.stop_reason or "")),
            (What.GRANT, before.grant_id != after.grant_id, before.grant_id, after.grant_id, ""),
            (What.REMINDER, before.reminded != after.reminded, before.reminded, after.reminded, ""),
        ):
            if changed:
                self._ledger.note(Change(what=what, target=place, id=place, before=was, after=now_is, why=why, now=now))


def _conversation(row: Row) -> Conversation:
    return Conversation(
        target=parse_target(row["target"]),
        state=Standing(row["state"]),
        stop_reason=StopReason(row["stop_reason"]) if row["stop_reason"] else None,
        grant_id=row["grant_id"],
        summary=row["summary"],
        note=row["note"],
        resolution=row["resolution"],
        reminded=row["reminded"],
        updated_at=row["updated_at"],
    )
