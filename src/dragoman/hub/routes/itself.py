"""What a hub says of itself to anybody."""

from __future__ import annotations

from litestar import get

from dragoman import wire
from dragoman.hub.routes.request import TheHub


@get(wire.WELL_KNOWN, sync_to_thread=False, security=[])
def well_known(hub: TheHub) -> wire.WellKnown:
    """The hub's protocol version and limits."""
    return hub.well_known()


@get("/healthz", security=[])
async def healthz(hub: TheHub) -> wire.Health:
    """Whether the hub is ready: its store takes writes, and it is not going down."""
    return await hub.health()


HANDLERS = [well_known, healthz]
