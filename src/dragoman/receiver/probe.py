"""A self-check that really runs the handler and the notifier, and contacts nobody (spec 2 §2, §3.1).

The handler gets `probe: true`, no messages and no contact, and must answer `completed` with a summary; anything else
fails the probe. The notifier gets one notification of its own. Both are journalled, neither is charged. It proves
nothing about a real peer, and says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from dragoman.agents.contract import HandlerAnswer, HandlerFailed, HandlerLimits, HandlerRequest
from dragoman.clock import Clock
from dragoman.gate.ports import Entry
from dragoman.receiver.books import Books
from dragoman.receiver.notify import Notices
from dragoman.words import Milestone, NotificationState

PROVES: Final = "the handler and the notifier work here; nothing about a real peer"
_BYTES: Final = 16 * 1024


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe came to. `notifier` is None when there is none."""

    handler_ok: bool
    handler: str
    notifier: NotificationState | None
    notification_id: str = ""
    notifier_detail: str = ""
    proves: str = PROVES

    @property
    def ok(self) -> bool:
        """Whether everything that is configured worked."""
        return self.handler_ok and self.notifier in (None, NotificationState.DELIVERED)


async def probe(
    answer: Callable[[HandlerRequest], Awaitable[HandlerAnswer]],
    notices: Notices,
    books: Books,
    clock: Clock,
    *,
    instruction: str,
    language: str,
    commands: tuple[str, str],
    has_notifier: bool,
    probe_id: str,
) -> Probed:
    """Run the handler once and the notifier once.

    `commands` are the fingerprints of both, kept with the result: a probe says nothing of a command changed since.
    """
    request = HandlerRequest(
        limits=HandlerLimits(max_message_bytes=_BYTES), owner_instruction=instruction, probe=True, language=language
    )
    try:
        summary, worked = (await answer(request)).owner_summary, True
    except HandlerFailed as error:
        summary, worked = error.detail, False
    _note(books, clock, "handler", probe_id, {"ok": worked, "command": commands[0]})
    if not has_notifier:
        return Probed(handler_ok=worked, handler=summary, notifier=None)
    id = notices.queue(Milestone.PROBE, f"probe|{probe_id}", "Self-check of the notifier. 通知自检。")
    queued = books.notifications.find(id)
    assert queued is not None
    told = await notices.tell(queued)
    delivered = told.state is NotificationState.DELIVERED
    _note(books, clock, "notifier", probe_id, {"ok": delivered, "command": commands[1]})
    return Probed(handler_ok=worked, handler=summary, notifier=told.state, notification_id=id, notifier_detail=told.why)


def _note(books: Books, clock: Clock, part: str, probe_id: str, result: dict[str, Any]) -> None:
    now = clock.now()
    with books.ledger.write():
        books.ledger.put(f"probe_{part}", msgspec.json.encode({**result, "at": now}).decode())
        books.journal.record(
            Entry(
                correlation_id=f"probe-{probe_id}",
                kind="life",
                outcome="probe_passed" if result["ok"] else "probe_failed",
                reason=part,
                time=now,
            )
        )
