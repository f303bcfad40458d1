"""The hub over HTTP: routes to verbs, refusals to bodies, and the waiting of a poll. It decides nothing.

1. Bodies and answers are the structs of `wire`, bodies decoded strictly; every success is 200. The OpenAPI document is
   made from the same types and says `additionalProperties: false` where a body refuses unknown fields.
2. One table makes errors: a `Refusal` shows its code; what the framework refuses gets a code by its status; the rest is
   `internal`, and only the log knows the cause.
3. While the hub goes down polls return empty at once, and later requests are told `shutting_down`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from litestar import Litestar, MediaType, Request, Response
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import (
    Components,
    OpenAPI,
    OpenAPIMediaType,
    OpenAPIResponse,
    OpenAPIType,
    Reference,
    Schema,
    SecurityScheme,
)
from litestar.router import Router

from dragoman import __version__, wire
from dragoman.hub.refusal import Refusal
from dragoman.hub.routes import contacts, events, identity, itself, keys, leases
from dragoman.hub.routes.request import AnyRequest
from dragoman.hub.service import Hub

ENTRANCE_BYTES: Final = 4 * 1024
ROOM_BYTES: Final = 32 * 1024
"""The most of a body that is not a message; a message has the limits' `body_bytes`."""

_BY_STATUS: Final[Mapping[int, str]] = {
    400: "bad_request",
    401: "token_missing",
    404: "route_unknown",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "media_type_unsupported",
}
ROOMS: Final = [*identity.HANDLERS, *contacts.HANDLERS, *leases.HANDLERS, *events.HANDLERS, *finding.HANDLERS]
"""Every route that needs a token."""

_log: Final = logging.getLogger("dragoman.hub")


def _json_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A body must say that it is JSON."""
    if connection.scope.get("method") == "POST":
        kind = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal("media_type_unsupported")


# --- errors ----------------------------------------------------------------------------------------------------------


def _refused(_: Request[Any, Any, Any], refusal: Refusal) -> Response[wire.ErrorBody]:
    if refusal.__cause__ is not None:
        _log.error("refused with %s", refusal.code, exc_info=refusal.__cause__)
    headers = {"retry-after": str(refusal.retry_seconds)} if refusal.retry_seconds is not None else None
    return Response(refusal.body, status_code=refusal.status, media_type=MediaType.JSON, headers=headers)


def _framework_refused(request: Request[Any, Any, Any], error: HTTPException) -> Response[wire.ErrorBody]:
    code = _BY_STATUS.get(error.status_code, "bad_request" if error.status_code < 500 else "internal")
    return _refused(request, Refusal(code))


def _failed(request: Request[Any, Any, Any], error: Exception) -> Response[wire.ErrorBody]:
    refusal = Refusal("internal")
    refusal.__cause__ = error
    return _refused(request, refusal)


# --- the application -------------------------------------------------------------------------------------------------


def make_app(hub: Hub) -> Litestar:
    """The hub as an ASGI application. The store must be open before the first request."""

    def provide_hub() -> Hub:
        return hub

    entrance = Router(
        wire.API,
        route_handlers=[*identity.OPEN, *keys.OPEN],
        guards=[_json_only],
        security=[],
        request_max_body_size=ENTRANCE_BYTES,
    )
    rooms = Router(
        wire.API,
        route_handlers=ROOMS,
        guards=[_json_only],
        security=[{"bearer": []}],
        request_max_body_size=ROOM_BYTES,
    )
    app = Litestar(
        [entrance, rooms, *itself.HANDLERS],
        request_class=AnyRequest,
        dependencies={"hub": Provide(provide_hub, sync_to_thread=False)},
        exception_handlers={Refusal: _refused, HTTPException: _framework_refused, Exception: _failed},
        request_max_body_size=ROOM_BYTES,
        openapi_config=OpenAPIConfig(
            title="Dragoman hub",
            version=__version__,
            description="Roles, contacts, messages and leases between owners' agents.",
            path="/schema",
            render_plugins=[JsonRenderPlugin()],
            components=Components(security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer")}),
            use_handler_docstrings=True,
        ),
        debug=False,
        logging_config=None,
    )
    _correct(app.openapi_schema)
    return app


def _correct(document: OpenAPI) -> None:
    """Make the document say what the hub does: bodies take no unknown field, and every error is an `ErrorBody`."""
    for name, schema in document.components.schemas.items():
        kind = getattr(wire, name, None)
        if isinstance(kind, type) and issubclass(kind, wire.Request):
            schema.additional_properties = False
    document.components.schemas["ErrorBody"] = Schema(
        type=OpenAPIType.OBJECT,
        required=["code", "message"],
        properties={
            "code": Schema(type=OpenAPIType.STRING, enum=sorted(wire.ERRORS)),
            "message": Schema(type=OpenAPIType.STRING),
            "retry_at": Schema(type=[OpenAPIType.INTEGER, OpenAPIType.NULL]),
        },
    )
    refused = OpenAPIResponse(
        description="Refused, with a stable code",
        content={"application/json": OpenAPIMediaType(schema=Reference(ref="#/components/schemas/ErrorBody"))},
    )
    for path in (document.paths or {}).values():
        for operation in (path.get, path.post):
            if operation is not None and operation.responses is not None:
                operation.responses = {"200": operation.responses["200"], "default": refused}
