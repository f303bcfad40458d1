"""What changed in one transaction, told to whoever records it before it is committed (spec 2 §2: every state change).

1. A part notes a change in the transaction that makes it; what is rolled back was never noted.
2. The recorder is asked once, inside the transaction, before the commit: the record and the change are one commit.
3. A change holds ids, states and one word; never a text.
4. Without a recorder nothing is noted, and no state is read twice.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec


class What(StrEnum):
    """Whose state changed."""

    MESSAGE = "message"
    TURN = "turn"
    REPLY = "reply"
    DRAFT = "draft"
    CONVERSATION = "conversation"
    GRANT = "grant"
    REMINDER = "reminder"
    PAUSE = "pause"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change. `target` is a whole target or `*` (everywhere); `before` is empty for what is new; `why` is a word.

    `now` is the moment in epoch milliseconds, 0 where the caller was not told.
    """

    what: What
    target: str
    id: str
    before: str
    after: str
    why: str = ""
    now: int = 0


Recorder = Callable[[list[Change]], None]
