"""The event stream of the caller."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import Parameter, QueryParameter

from dragoman import wire
from dragoman.hub.routes.request import After, AnyRequest, TheHub, token_of
from dragoman.hub.routes.waiting import found

Kinds = Annotated[list[wire.EventKind] | None, QueryParameter(name="kind", max_items=len(wire.EventKind))]
WaitMs = Annotated[int, Parameter(ge=0, le=30_000)]


@get("/events")
async def events(
    hub: TheHub, request: AnyRequest, after: After = 0, kinds: Kinds = None, wait_ms: WaitMs = 0
) -> wire.Events:
    """The caller's events after a number, oldest first; waits up to `wait_ms` for the first."""
    token, wanted = token_of(request), [str(each) for each in kinds] if kinds else None
    await request.body()  # what is received after a body, an empty one too, is the end of the connection
    await found(hub, request, lambda: hub.events.waiting(token, after, wanted), wait_ms)
    return await hub.events.page(token, after, wanted)


HANDLERS = [events]
