"""What the owner is to be told: a queue of its own, apart from replies (spec 2 §2, §3.10).

    queued → sending → delivered | uncertain | failed          local_only

1. One event is one notification: its `key` is unique, so a hundred cycles queue it once.
2. `uncertain` is neither resent nor blocking; it is left by the owner's word only, under the same id.
3. `delivered` drops the words and keeps the mark until it expires. Delivered is not read.
4. Without a notifier the row is `local_only`; a later notifier does not flush it.
"""

from __future__ import annotations

import msgspec

from dragoman.errors import DragomanError
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger, Row
from dragoman.words import Milestone, NotificationState


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """One notification; `target` is a conversation's text form or empty."""

    id: str
    key: str
    target: str
    milestone: Milestone
    summary: str
    state: NotificationState
    attempts: int = 0
    created_at: int = 0
    updated_at: int = 0


class Notifications:
    """The notifications of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("notifications")

    def queue(self, notification: Notification, now: int) -> bool:
        """Queue one notification; False when its event was queued before."""
        return bool(
            self._ledger.change(
                self._queries["queue"],
                id=notification.id,
                key=notification.key,
                target=notification.target,
                milestone=str(notification.milestone),
                summary=notification.summary,
                state=str(notification.state),
                now=now,
            )
        )

    def find(self, id: str) -> Notification | None:
        """One notification, or None."""
        row = self._ledger.row(self._queries["find"], id=id)
        return None if row is None else _notification(row)

    def listed(self, state: NotificationState | None = None) -> list[Notification]:
        """Notifications in one state, or all of them, oldest first."""
        return [_notification(row) for row in self._ledger.rows(self._queries["in_state"], state=str(state or ""))]

    def lately(self, prefix: str, since: int) -> int:
        """How many whose key begins so were queued since a moment."""
        row = self._ledger.row(self._queries["lately"], prefix=prefix, since=since)
        return int(row["n"]) if row else 0

    def send(self, id: str, now: int) -> bool:
        """`queued` → `sending`; whether it was queued."""
        return bool(self._ledger.change(self._queries["send"], id=id, now=now))

    def settle(self, id: str, state: NotificationState, now: int) -> None:
        """`sending` → what became of it."""
        self._ledger.change(self._queries["settle"], id=id, state=str(state), now=now)

    def interrupted(self, now: int) -> int:
        """At a start: what was being sent when the process died is uncertain; how many."""
        return self._ledger.change(self._queries["interrupted"], now=now)

    def resolve(self, id: str, *, delivered: bool, now: int) -> Notification:
        """The owner's word on an uncertain or failed notification. The same word again changes nothing.

        Raises:
            DragomanError: `not_found`, or `conflict` when it is neither uncertain nor failed.
        """
        changed = self._ledger.change(self._queries["delivered" if delivered else "again"], id=id, now=now)
        found = self.find(id)
        if found is None:
            raise DragomanError("not_found", "no such notification", where=id, fix="see `dragoman status`")
        settled = (NotificationState.DELIVERED,) if delivered else (NotificationState.QUEUED, NotificationState.SENDING)
        if not changed and found.state not in settled:
            raise DragomanError("conflict", f"the notification is `{found.state}`", where=id)
        return found

    def forget(self, before: int) -> int:
        """Drop the marks of what was delivered before a moment; how many."""
        return self._ledger.change(self._queries["forget"], before=before)

    def counts(self) -> dict[str, int]:
        """How many stand where."""
        return {row["state"]: row["n"] for row in self._ledger.rows(self._queries["count"])}


def _notification(row: Row) -> Notification:
    return Notification(
        id=row["id"],
        key=row["key"],
        target=row["target"],
        milestone=Milestone(row["milestone"]),
        summary=row["summary"],
        state=NotificationState(row["state"]),
        attempts=row["attempts"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
