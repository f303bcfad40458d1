"""The hub over HTTP: routes to verbs, refusals to bodies, and the waiting of a poll. It decides nothing.

1. Bodies and answers are the structs of `wire`, bodies decoded strictly; every success is 200. The OpenAPI document is
   made from the same types and says `additionalProperties: false` where a body refuses unknown fields.
2. One table makes errors: a `Refusal` shows its code; what the framework refuses gets a code by its status; the rest is
   `internal`, and only the log knows the cause.
3. While the hub goes down polls return empty at once, and later requests are told `shutting_down`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from litestar import Litestar, MediaType, Request, Response
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.router import Router
from litestar.types import LifeSpanReceive, LifeSpanScope, LifeSpanSend, Receive, Scope, Send

from dragoman import __version__, wire
from dragoman.hub.refusal import Refusal
from dragoman.hub.routes import contacts, events, finding, identity, itself, keys, leases, packets, standing
from dragoman.hub.routes.document import correct
from dragoman.hub.routes.errors import allowed_at, headers_of, refusal_for
from dragoman.hub.routes.hot import HotRoutes
from dragoman.hub.routes.request import AnyRequest, whole_numbers
from dragoman.hub.service import Hub

ENTRANCE_BYTES: Final = 4 * 1024
ROOM_BYTES: Final = 32 * 1024
"""The most of a body that is not a message; a message has the limits' `body_bytes`."""

ROOMS: Final = [
    *identity.HANDLERS,
    *contacts.HANDLERS,
    *leases.HANDLERS,
    *events.HANDLERS,
    *finding.HANDLERS,
    *standing.HANDLERS,
    *packets.HANDLERS,
]
"""Every route that needs a token."""


def _json_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A body must say that it is JSON."""
    if connection.scope.get("method") in ("POST", "PUT"):
        kind = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal("media_type_unsupported")


# --- errors ----------------------------------------------------------------------------------------------------------


def _refused(request: Request[Any, Any, Any], error: Exception) -> Response[wire.ErrorBody]:
    refusal = refusal_for(error)
    headers = headers_of(refusal)
    if refusal.code == "method_not_allowed":
        headers["allow"] = allowed_at(request.scope["path"], request.app.routes)
    return Response(refusal.body, status_code=refusal.status, media_type=MediaType.JSON, headers=headers or None)


# --- the application -------------------------------------------------------------------------------------------------


class HubApp(Litestar):
    """The framework's application, with the hot routes of `hot` answered ahead of it."""

    hot: HotRoutes | None = None

    def is_hot(self, scope: Mapping[str, Any]) -> bool:
        """Whether a request is answered ahead of the framework."""
        return self.hot is not None and self.hot.of(scope) is not None

    async def __call__(
        self,
        scope: Scope | LifeSpanScope,
        receive: Receive | LifeSpanReceive,
        send: Send | LifeSpanSend,
    ) -> None:
        """One request, or the application's life."""
        found = self.hot.of(scope) if self.hot is not None else None
        if self.hot is None or found is None:
            await super().__call__(scope, receive, send)
        else:
            await self.hot.answer(*found, scope, receive, send)  # type: ignore[arg-type]  # of one framework each


def make_app(hub: Hub, *, hot: bool = True) -> HubApp:
    """The hub as an ASGI application. The store must be open before the first request.

    Without `hot` the framework answers everything, in the same way and more slowly.
    """

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
        guards=[_json_only, whole_numbers],
        security=[{"bearer": []}],
        request_max_body_size=ROOM_BYTES,
    )
    app = HubApp(
        [entrance, rooms, *itself.HANDLERS],
        request_class=AnyRequest,
        dependencies={"hub": Provide(provide_hub, sync_to_thread=False)},
        exception_handlers={HTTPException: _refused, Exception: _refused},
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
    app.hot = HotRoutes(hub, ROOM_BYTES) if hot else None
    correct(app.openapi_schema)
    return app
