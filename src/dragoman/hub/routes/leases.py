"""Leases, and the waiting of a poll: it looks, waits for the bell or a second, and looks again."""

from __future__ import annotations

import asyncio
from typing import Final

from litestar import post

from dragoman import wire
from dragoman.hub.refusal import Refusal
from dragoman.hub.routes.request import AnyRequest, token_of
from dragoman.hub.service import Hub

POLLS: Final = 32
"""How many polls of one role may wait at a time; more are told `overloaded`, so that no role takes every place."""

LOOK_AGAIN_SECONDS: Final = 1.0
"""The longest that a waiting poll goes without looking: a lease may have ended, another process may have written."""


@post("/leases", status_code=200)
async def lease(hub: Hub, request: AnyRequest, data: wire.TakeLease) -> wire.Leased:
    """Lease waiting messages; waits up to `wait_ms` for the first."""
    token = token_of(request)
    role_id = await hub.leases.waiting(token, data)
    if role_id is not None and data.wait_ms and hub.desk.bell.waiting(role_id) >= POLLS:
        raise Refusal("overloaded")
    if role_id is not None and not (data.wait_ms and await _wait(hub, request, token, data, role_id)):
        return wire.Leased(lease=None, messages=[], server_time=hub.desk.clock.now())
    return await hub.leases.take(token, data)


@post("/leases/renew", status_code=200)
async def renew(hub: Hub, request: AnyRequest, data: wire.RenewLease) -> wire.Lease:
    """Move a live lease's end, never past its cap."""
    return await hub.leases.renew(token_of(request), data)


@post("/leases/ack", status_code=200)
async def ack(hub: Hub, request: AnyRequest, data: wire.AckMessages) -> wire.Settled:
    """Settle messages for good; all or none."""
    return await hub.leases.ack(token_of(request), data)


@post("/leases/release", status_code=200)
async def release(hub: Hub, request: AnyRequest, data: wire.ReleaseMessages) -> wire.Settled:
    """Give messages back; all or none."""
    return await hub.leases.release(token_of(request), data)


async def _wait(hub: Hub, request: AnyRequest, token: str | None, wanted: wire.TakeLease, role_id: str) -> bool:
    """Wait until something can be leased; False when time is up, the caller has gone or the hub goes down."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + min(wanted.wait_ms, hub.desk.limits.wait_ms) / 1000
    gone = asyncio.ensure_future(request.receive())
    try:
        # Listen before looking: what is committed between look and wait rings a bell that is already held.
        with hub.desk.bell.listening(role_id) as bell:
            while await hub.leases.waiting(token, wanted) is not None:
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


HANDLERS = [lease, renew, ack, release]
