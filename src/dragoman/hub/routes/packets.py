"""The validator, over HTTP."""

from __future__ import annotations

from litestar import MediaType, Response, post

from dragoman import wire
from dragoman.hub.routes.request import AnyRequest, TheHub, token_of
from dragoman.hub.validation import Judged


@post("/packets/validate", status_code=200, request_max_body_size=wire.Limits().body_bytes)
async def validate_packet(hub: TheHub, request: AnyRequest) -> Response[Judged]:
    """Judge the body as a packet, now. A packet that fails is an answer, not an error; nothing is kept."""
    judged = await hub.validation.judge(token_of(request), await request.body())
    return Response(judged, media_type=MediaType.JSON)  # type: ignore[arg-type]  # the bytes of one


HANDLERS = [validate_packet]
