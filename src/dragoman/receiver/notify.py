"""Telling the owner: what is worth it, once per event, and never blindly twice (spec 2 §2, §3.10).

1. `milestones`: decision needed, completed, limit hit, wait reminder, trade event. `every_result` adds each sent reply.
2. A notification is queued in the commit of the state change that it is about.
3. Without a notifier it stays here (`local_only`) and is never claimed as told.
4. What the leak check finds in a summary stays here: the owner is told the event without the words.
5. Delivering is apart from replying: a notifier that hangs delays nobody's answer, and after one that ran out of time
   the rest waits for the next round.
6. Why a notification is not proven to have been told is in the journal, in one word, and among the kept evidence.
7. A notifier that may not be used now (a chat where the agent is paused) leaves what is queued where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dragoman.agents.notifier import Notification as Notice
from dragoman.agents.notifier import Notifier, Told
from dragoman.clock import DAY, Clock
from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry
from dragoman.ledger.notifications import Notification
from dragoman.receiver.books import Books
from dragoman.shown import shown
from dragoman.words import Milestone, NotificationState

KEEP_MS: Final = 30 * DAY
_ALWAYS: Final = frozenset(
    {
        Milestone.DECISION_NEEDED,
        Milestone.COMPLETED,
        Milestone.LIMIT_HIT,
        Milestone.WAIT_REMINDER,
        Milestone.TRADE,
        Milestone.PROBE,
    }
)


class Notices:
    """The owner's notifications. `notifier` None means that nobody can be told."""

    def __init__(
        self,
        books: Books,
        notifier: Notifier | None,
        clock: Clock,
        new_id: Callable[[str], str],
        *,
        leaks: Callable[[str], bool] = lambda text: False,
    ) -> None:
        self._books = books
        self._notifier = notifier
        self._kind = "" if notifier is None else notifier.kind
        self._clock = clock
        self._new_id = new_id
        self._leaks = leaks

    def queue(self, milestone: Milestone, key: str, summary: str, *, contact: str = "", every: bool = False) -> str:
        """Queue one notification; its id, or an empty string when it is not worth one or was queued before.

        Args:
            milestone: why the owner is told.
            key: names the event; one event is one notification.
            summary: the owner's words.
            contact: the contact id, or empty.
            every: whether plain results are reported too.
        """
        if milestone not in _ALWAYS and not every:
            return ""
        if self._leaks(summary):
            fixed = summary.partition("\n")[0]
            summary = str(milestone) if self._leaks(fixed) else fixed
        summary = shown(summary, lines=True)  # what tells the owner may be a terminal too
        id = self._new_id("ntf")
        queued = self._books.notifications.queue(
            Notification(
                id=id,
                key=key,
                target=contact,
                milestone=milestone,
                summary=summary,
                state=NotificationState.LOCAL_ONLY if self._notifier is None else NotificationState.QUEUED,
            ),
            self._clock.now(),
        )
        return id if queued else ""

    async def deliver(self) -> int:
        """Tell the owner what is queued; how many were tried."""
        if self._notifier is None or not self._notifier.ready():
            return 0
        tried = 0
        for notification in self._books.notifications.listed(NotificationState.QUEUED):
            tried += 1
            if (await self.tell(notification)).slow:
                break
        self._books.notifications.forget(self._clock.now() - KEEP_MS)
        return tried

    async def tell(self, notification: Notification) -> Told:
        """Run the notifier once for one queued notification; the mark stands before it starts."""
        assert self._notifier is not None
        if not self._books.notifications.send(notification.id, self._clock.now()):
            return Told(NotificationState.FAILED, "not queued")
        notice = Notice(
            notification_id=notification.id,
            milestone=notification.milestone,
            summary=notification.summary,
            contact_id=notification.target or None,
            probe=notification.milestone is Milestone.PROBE,
        )
        try:
            told = await self._notifier.notify(notice)
        except DragomanError:
            raise  # our own books: the row stays `sending`, and is uncertain at the next start
        except Exception as error:  # noqa: BLE001  a fault of a notifier ends no receiver, and may have told the owner
            told = Told(NotificationState.UNCERTAIN, f"internal: {type(error).__name__}")
        self._settle(notification, told)
        return told

    def _settle(self, notification: Notification, told: Told) -> None:
        """What became of it; for the operator's `why` the reason, when nobody proved that the owner was told."""
        now, state = self._clock.now(), told.state
        with self._books.ledger.write():
            self._books.notifications.settle(notification.id, state, now)
            if state is not NotificationState.DELIVERED:
                code = told.why.partition(":")[0] or str(state)
                self._books.journal.record(
                    Entry(
                        correlation_id=notification.id,
                        kind="notice",
                        outcome=str(state),
                        reason=code,
                        time=now,
                        consumer=f"notifier.{self._kind}",
                    )
                )
                words = f"{told.why}\n{told.evidence}".encode("utf-8", "backslashreplace")
                self._books.evidence.keep(notification.id, "notifier_unproven", words, now, now + KEEP_MS)
