"""The bell: wakes a waiting poll when a message for its role has been committed in this process.

Only a shortcut. A bell rung too early, too late, in another process or never costs time, not correctness: whoever waits
looks again by itself after at most the time it gave.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator


class Bell:
    """Waiting polls by role; for one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def waiting(self, role_id: str) -> int:
        """How many polls of this role wait now."""
        return len(self._waiting.get(role_id, ()))

    def waiting_in_all(self) -> int:
        """How many polls wait now."""
        return sum(map(len, self._waiting.values()))

    def ring(self, role_id: str) -> None:
        """Wake everyone who waits for this role."""
        for event in self._waiting.get(role_id, ()):
            event.set()

    def ring_each(self, role_ids: Iterable[str]) -> None:
        """Wake everyone who waits for one of these roles."""
        for role_id in role_ids:
            self.ring(role_id)

    def ring_all(self) -> None:
        """Wake everyone: the hub is going down, or rings may have been missed."""
        for role_id in list(self._waiting):
            self.ring(role_id)

    @contextlib.contextmanager
    def listening(self, role_id: str) -> Iterator[asyncio.Event]:
        """An event that rings from now on; take it before looking, so that nothing falls between look and wait."""
        event = asyncio.Event()
        self._waiting.setdefault(role_id, set()).add(event)
        try:
            yield event
        finally:
            waiting = self._waiting[role_id]
            waiting.discard(event)
            if not waiting:
                del self._waiting[role_id]
