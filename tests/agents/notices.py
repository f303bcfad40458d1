"""What the tests of the notifiers share: one notification, and a clock that stands."""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman.agents.notifier import Notification
from dragoman.words import Milestone

NOW = 1_790_000_000_000
NOTE = Notification(
    notification_id="ntf-1",
    milestone=Milestone.DECISION_NEEDED,
    summary="It waits.\nOffer the 6th?",
    contact_id="con_1",
)


class Standing:
    """A clock that stands at `NOW`."""

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return NOW


def note(**changed: Any) -> Notification:
    """The notification, changed."""
    return msgspec.structs.replace(NOTE, **changed)
