"""Asking a hub again, for whoever has no ledger to go on from: what may be repeated, and after which wait.

1. Only what carries an id minted once by the caller, or changes nothing, may be handed in: the same send under the same
   `reply_id`, the same contact under the same `open_id`, a look. Repeated, it is one message, one contact.
2. The hub's own word comes first: `retry_at`, by the hub's clock. Else the waits double from half a second to half a
   minute, each between half and the whole of it by chance, so that callers that lost one hub do not come back at once.
3. A no that waiting does not change (any other 4xx) is raised at once; so is the last error when the time is over.

A receiver does not use this: its ledger knows what was sent, and its patience outlives the process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from dragoman.channels.hub.answers import HubError
from dragoman.clock import SECOND, Clock

T = TypeVar("T")

FIRST_MS: Final = SECOND // 2
LONGEST_MS: Final = 30 * SECOND


def wait_ms(error: HubError, attempt: int, now: int, skew_ms: int, chance: float) -> int | None:
    """How long to wait before asking again, or None when waiting changes nothing.

    Args:
        attempt: how often it was asked, from 1.
        now: our clock. `skew_ms`: the hub's clock minus ours.
        chance: from 0 to 1.
    """
    if error.retry_at is not None:
        return max(0, error.retry_at - skew_ms - now) + int(FIRST_MS * chance)
    if error.wire_code and error.status < 500:
        return None
    longest = min(FIRST_MS * 2 ** min(attempt - 1, 16), LONGEST_MS)
    return int(longest * (0.5 + chance / 2))


async def again(
    ask: Callable[[], Awaitable[T]],
    *,
    clock: Clock,
    sleep: Callable[[float], Awaitable[None]],
    chance: Callable[[], float],
    skew_ms: Callable[[], int] = lambda: 0,
    within_ms: int = 60 * SECOND,
) -> T:
    """Ask until there is an answer, a no that stands, or no time left.

    Args:
        ask: safe to repeat; see the top of this file.
        sleep: takes seconds, as `asyncio.sleep`.
        chance: gives a number from 0 to 1, as `random.random`.
        skew_ms: the hub's clock minus ours, as of now.
        within_ms: no wait may end later than this after the first asking.

    Raises:
        HubError: the no that stands, or the last error.
    """
    ends, attempt = clock.now() + within_ms, 0
    while True:
        attempt += 1
        try:
            return await ask()
        except HubError as error:
            now = clock.now()
            wait = wait_ms(error, attempt, now, skew_ms(), chance())
            if wait is None or now + wait > ends:
                raise
            await sleep(wait / SECOND)
