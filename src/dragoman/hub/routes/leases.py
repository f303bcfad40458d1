"""Leases: taking them by a poll that may wait, renewing, settling and giving back."""

from __future__ import annotations

from litestar import post
from litestar.params import JSONBody

from dragoman import wire
from dragoman.hub.routes.request import AnyRequest, TheHub, token_of
from dragoman.hub.routes.waiting import found


@post("/leases", status_code=200)
async def lease(hub: TheHub, request: AnyRequest, data: JSONBody[wire.TakeLease]) -> wire.Leased:
    """Lease waiting messages; waits up to `wait_ms` for the first."""
    token = token_of(request)
    if not await found(hub, request, lambda: hub.leases.waiting(token, data), data.wait_ms):
        return wire.Leased(lease=None, messages=[], server_time=hub.desk.clock.now())
    return await hub.leases.take(token, data)


@post("/leases/renew", status_code=200)
async def renew(hub: TheHub, request: AnyRequest, data: JSONBody[wire.RenewLease]) -> wire.Lease:
    """Move a live lease's end, never past its cap."""
    return await hub.leases.renew(token_of(request), data)


@post("/leases/ack", status_code=200)
async def ack(hub: TheHub, request: AnyRequest, data: JSONBody[wire.AckMessages]) -> wire.Settled:
    """Settle messages for good; all or none."""
    return await hub.leases.ack(token_of(request), data)


@post("/leases/release", status_code=200)
async def release(hub: TheHub, request: AnyRequest, data: JSONBody[wire.ReleaseMessages]) -> wire.Settled:
    """Give messages back; all or none."""
    return await hub.leases.release(token_of(request), data)


HANDLERS = [lease, renew, ack, release]
