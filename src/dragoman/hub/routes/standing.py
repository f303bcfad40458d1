"""Where conversations stand, what receivers report of themselves, high-water marks."""

from __future__ import annotations

from typing import Annotated

from litestar import get, put
from litestar.params import JSONBody, QueryParameter

from dragoman import wire
from dragoman.hub.routes.request import AnyRequest, PathId, TheHub, token_of

REPORT_BYTES = 160 * 1024
"""A report may name a thousand conversations that wait."""
GrantId = Annotated[
    str,
    QueryParameter(name="grant_id", pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{3,127}(?!\n)$", min_length=4, max_length=128),
]


@get("/contacts/{contact_id:str}/communication")
async def communication(hub: TheHub, request: AnyRequest, contact_id: PathId) -> wire.Communication:
    """Where a conversation stands."""
    return await hub.communication.one(token_of(request), contact_id)


@get("/communication/status")
async def status(hub: TheHub, request: AnyRequest) -> wire.Status:
    """The newest 50 conversations that are not closed."""
    return await hub.communication.newest(token_of(request))


@put("/communication/receiver", status_code=200, request_max_body_size=REPORT_BYTES)
async def report(hub: TheHub, request: AnyRequest, data: JSONBody[wire.ReportReceiver]) -> wire.Receiver:
    """What a receiver says of itself."""
    return await hub.reports.put(token_of(request), data)


@get("/communication/receiver")
async def receiver(hub: TheHub, request: AnyRequest) -> wire.Receiver:
    """The last self-report of the caller's receiver, and how far it reaches."""
    return await hub.reports.get(token_of(request))


@get("/me/readiness")
async def readiness(hub: TheHub, request: AnyRequest) -> wire.MyReadiness:
    """How far dated evidence about the caller's receiver reaches."""
    return await hub.reports.readiness(token_of(request))


@put("/marks", status_code=200)
async def raise_marks(hub: TheHub, request: AnyRequest, data: JSONBody[wire.RaiseMarks]) -> wire.Marks:
    """Raise the high-water marks of a grant."""
    return await hub.reports.raise_marks(token_of(request), data)


@get("/marks")
async def marks(hub: TheHub, request: AnyRequest, grant: GrantId) -> wire.Marks:
    """The high-water marks of a grant."""
    return await hub.reports.marks(token_of(request), grant)


HANDLERS = [communication, status, report, receiver, readiness, raise_marks, marks]
