"""Waiting for a hub that is away when the receiver starts: it is asked again, and everything stays as it is.

1. Only what passes by itself is waited for: no connection, a hub that is going down, starting, or has too much to do.
   Every other no ends the start at once.
2. The waits grow from a second to a minute, with some chance in them, so that many receivers do not come at once.
3. Asked to stop, it ends with the error that it was waiting on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from dragoman.channels.hub.answers import HubError
from dragoman.errors import DragomanError

T = TypeVar("T")

FIRST_SECONDS: Final = 0.5
LONGEST_SECONDS: Final = 60.0
_PASSES: Final = frozenset({"internal", "overloaded", "store_unavailable", "shutting_down", "rate_limited"})


def passes(error: HubError) -> bool:
    """Whether what was met goes away by itself."""
    return error.code == "hub_unreachable" or error.wire_code in _PASSES


async def patiently(
    ask: Callable[[], Awaitable[T]],
    stop: asyncio.Event,
    report: Callable[[DragomanError], None],
    spread: Callable[[], float],
) -> T:
    """What `ask` answers, sooner or later; `spread` is a number from 0 to 1.

    Raises:
        HubError: one that does not pass, or the last one when `stop` is set.
    """
    wait = FIRST_SECONDS
    while True:
        try:
            return await ask()
        except HubError as error:
            if not passes(error) or stop.is_set():
                raise
            report(error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), wait * (1 + spread()))
            if stop.is_set():
                raise
            wait = min(wait * 2, LONGEST_SECONDS / 2)
