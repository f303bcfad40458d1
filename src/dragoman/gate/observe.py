"""May the text of a silent group message be kept, and for how long? (spec 1 §3, `observe_unmentioned_group_messages`)

1. Off unless the policy of this exact target says so, with a retention and who may read it.
2. Only group messages that nobody addressed to the agent (`not_requested`, `addressed_to_other`); never after another
   silence: not a denied sender's, not a bot's, not while paused or taken over.
3. Text alone: no media, no look-up, no output, and never a model call. It is used at that same target only, as
   untrusted words of whoever wrote them.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.gate.event import ChatKind, Event, EventKind
from dragoman.gate.policy import Observes
from dragoman.gate.twin import DECIDED_ONCE_MORE
from dragoman.identity import Party, Target
from dragoman.words import Outcome, Reason

TEXT_LIMIT: Final = 4_000
"""Characters that are kept of one message."""


class Observed(msgspec.Struct, frozen=True):
    """One observed text; `observed_at` and `until` are epoch milliseconds."""

    target: Target
    author: Party
    text: str
    observed_at: int
    until: int


def observed(event: Event, outcome: Outcome, reason: Reason, here: Observes | None, now: int) -> Observed | None:
    """What is kept of a decided event, or None."""
    silenced = outcome is Outcome.SILENT and reason in DECIDED_ONCE_MORE
    if here is None or not silenced or event.kind is not EventKind.MESSAGE or event.chat is ChatKind.DIRECT:
        return None
    text = event.body[:TEXT_LIMIT].strip()
    return Observed(event.target, event.author, text, now, now + here.retention_ms) if text else None
