"""The waiting of a poll: it looks, waits for the bell or a second, and looks again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub

POLLS: Final = 32
"""How many polls of one role may wait at a time; more are told `overloaded`, so that no role takes every place."""

LOOK_AGAIN_SECONDS: Final = 1.0
"""The longest that a waiting poll goes without looking: a lease may have ended, another process may have written."""


class Connected(Protocol):
    """Somebody who may hang up."""

    @property
    def receive(self) -> Callable[[], Awaitable[Any]]: ...


Look = Callable[[], Awaitable[str | None]]
"""The caller's role while there is nothing for it, else None."""


async def found(hub: Hub, request: Connected, look: Look, wait_ms: int) -> bool:
    """Whether there is something for the caller, waiting up to `wait_ms`.

    False when time is up, the caller has gone or the hub goes down; refuses `overloaded`.
    """
    role_id = await look()
    if role_id is not None and wait_ms and hub.desk.bell.waiting(role_id) >= POLLS:
        raise Refusal("overloaded")
    return role_id is None or (wait_ms > 0 and await _wait(hub, request, look, wait_ms, role_id))


async def _wait(hub: Hub, request: Connected, look: Look, wait_ms: int, role_id: str) -> bool:
    loop = asyncio.get_running_loop()
    ends = loop.time() + min(wait_ms, hub.desk.limits.wait_ms) / 1000
    gone = asyncio.ensure_future(request.receive())
    try:
        # Listen before looking: what is committed between look and wait rings a bell that is already held.
        with hub.desk.bell.listening(role_id) as bell:
            while await look() is not None:
                left = min(ends - loop.time(), LOOK_AGAIN_SECONDS)
                if left <= 0 or gone.done() or hub.closing:
                    return False
                rung = asyncio.ensure_future(bell.wait())
                await asyncio.wait((rung, gone), timeout=left, return_when=asyncio.FIRST_COMPLETED)
                rung.cancel()
                bell.clear()
            return not gone.done()
    finally:
        gone.cancel()
