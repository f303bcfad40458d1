"""The hub over HTTP: routes to verbs, refusals to bodies, and the waiting of a poll. It decides nothing.

1. Bodies and answers are the structs of `wire`, bodies decoded strictly; every success is 200. The OpenAPI document is
   made from the same types and says `additionalProperties: false` where a body refuses unknown fields.
2. One table makes errors: a `Refusal` shows its code; what the framework refuses gets a code by its status; the rest is
   `internal`, and only the log knows the cause.
3. A poll looks, waits for the bell or a second, and looks again; when the caller has gone nothing is leased to it.
4. While the hub goes down polls return empty at once, and later requests are told `shutting_down`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.connection import ASGIConnection
from litestar.datastructures import State
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
from litestar.params import Parameter
from litestar.router import Router

from dragoman import __version__, wire
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub

ENTRANCE_BYTES: Final = 4 * 1024
ROOM_BYTES: Final = 32 * 1024
"""The most of a body that is not a message; a message has the limits' `body_bytes`."""

POLLS: Final = 32
"""How many polls of one role may wait at a time; more are told `overloaded`, so that no role takes every place."""

LOOK_AGAIN_SECONDS: Final = 1.0
"""The longest that a waiting poll goes without looking: a lease may have ended, another process may have written."""

_BY_STATUS: Final[Mapping[int, str]] = {
    400: "bad_request",
    401: "token_missing",
    404: "route_unknown",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "media_type_unsupported",
}
_log: Final = logging.getLogger("dragoman.hub")

After = Annotated[int, Parameter(ge=0, le=2**53 - 1)]


class AnyRequest(Request[Any, Any, State]):
    """A request whose body is decoded strictly and at once into the struct that its handler takes.

    The framework's own way is an untyped value first, then a lenient conversion that takes `"10"` for `10`.
    """

    async def json(self) -> Any:
        """The body as the handler's struct; refuses `bad_request`."""
        field = self.route_handler.parsed_data_field
        if field is None:
            raise Refusal("bad_request")
        try:
            return msgspec.json.decode(await self.body(), type=field.annotation)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise Refusal("bad_request") from None


def _token(request: AnyRequest) -> str | None:
    """The bearer token of a request; a malformed header is no token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" and 0 < len(token) <= 200 and token.isascii() else None


def _json_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A body must say that it is JSON."""
    if connection.scope.get("method") == "POST":
        kind = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal("media_type_unsupported")


# --- identity --------------------------------------------------------------------------------------------------------


@post("/roles", status_code=200)
async def register(hub: Hub, data: wire.RegisterRole) -> wire.Role:
    """Make a role of a public key; registering twice is one role."""
    return await hub.entrance.register(data)


@post("/nonces", status_code=200)
async def nonce(hub: Hub, data: wire.AskNonce) -> wire.GivenNonce:
    """A nonce for one log-in."""
    return await hub.entrance.nonce(data)


@post("/sessions", status_code=200)
async def log_in(hub: Hub, data: wire.LogIn) -> wire.Session:
    """Exchange a signed nonce for a bearer token."""
    return await hub.entrance.log_in(data)


@get("/me")
async def me(hub: Hub, request: AnyRequest) -> wire.Me:
    """What the hub holds of the caller now."""
    return await hub.entrance.me(_token(request))


# --- contacts and messages -------------------------------------------------------------------------------------------


@post("/contacts", status_code=200)
async def open_contact(hub: Hub, request: AnyRequest, data: wire.OpenContact) -> wire.Contact:
    """Open a contact with another role."""
    return await hub.contacts.open(_token(request), data)


@get("/contacts")
async def contacts(hub: Hub, request: AnyRequest, after: After = 0) -> wire.Contacts:
    """The caller's contacts, oldest first."""
    return await hub.contacts.page(_token(request), after)


@get("/contacts/{contact_id:str}")
async def contact(hub: Hub, request: AnyRequest, contact_id: str) -> wire.Contact:
    """One contact."""
    return await hub.contacts.one(_token(request), contact_id)


@post("/contacts/{contact_id:str}/close", status_code=200)
async def close_contact(hub: Hub, request: AnyRequest, contact_id: str, data: wire.CloseContact) -> wire.Contact:
    """Close a contact for both sides."""
    return await hub.contacts.close(_token(request), contact_id, data)


@post("/contacts/{contact_id:str}/messages", status_code=200, request_max_body_size=wire.Limits().body_bytes)
async def send(hub: Hub, request: AnyRequest, contact_id: str, data: wire.SendMessage) -> wire.Sent:
    """Send a message; the answer means that it is durable."""
    return await hub.messages.send(_token(request), contact_id, data)


@get("/contacts/{contact_id:str}/messages")
async def messages(hub: Hub, request: AnyRequest, contact_id: str, after: After = 0) -> wire.Messages:
    """A contact's messages after a sequence number, both sides'."""
    return await hub.messages.page(_token(request), contact_id, after)


@get("/contacts/{contact_id:str}/communication")
async def communication(hub: Hub, request: AnyRequest, contact_id: str) -> wire.Communication:
    """Where a conversation stands."""
    return await hub.contacts.communication(_token(request), contact_id)


@get("/replies/{reply_id:str}")
async def reply(hub: Hub, request: AnyRequest, reply_id: str) -> wire.Sent:
    """What was accepted under the caller's reply id."""
    return await hub.messages.reply(_token(request), reply_id)


# --- leases ----------------------------------------------------------------------------------------------------------


@post("/leases", status_code=200)
async def lease(hub: Hub, request: AnyRequest, data: wire.TakeLease) -> wire.Leased:
    """Lease waiting messages; waits up to `wait_ms` for the first."""
    token = _token(request)
    role_id = await hub.leases.waiting(token, data)
    if role_id is not None and data.wait_ms and hub.desk.bell.waiting(role_id) >= POLLS:
        raise Refusal("overloaded")
    if role_id is not None and not (data.wait_ms and await _wait(hub, request, token, data, role_id)):
        return wire.Leased(lease=None, messages=[], server_time=hub.desk.clock.now())
    return await hub.leases.take(token, data)


@post("/leases/renew", status_code=200)
async def renew(hub: Hub, request: AnyRequest, data: wire.RenewLease) -> wire.Lease:
    """Move a live lease's end, never past its cap."""
    return await hub.leases.renew(_token(request), data)


@post("/leases/ack", status_code=200)
async def ack(hub: Hub, request: AnyRequest, data: wire.AckMessages) -> wire.Settled:
    """Settle messages for good; all or none."""
    return await hub.leases.ack(_token(request), data)


@post("/leases/release", status_code=200)
async def release(hub: Hub, request: AnyRequest, data: wire.ReleaseMessages) -> wire.Settled:
    """Give messages back; all or none."""
    return await hub.leases.release(_token(request), data)


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


# --- the hub itself --------------------------------------------------------------------------------------------------


@get(wire.WELL_KNOWN, sync_to_thread=False, security=[])
def well_known(hub: Hub) -> wire.WellKnown:
    """The hub's protocol version and limits."""
    return hub.well_known()


@get("/healthz", security=[])
async def healthz(hub: Hub) -> wire.Health:
    """Whether the store answers."""
    return await hub.health()


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
        route_handlers=[register, nonce, log_in],
        guards=[_json_only],
        security=[],
        request_max_body_size=ENTRANCE_BYTES,
    )
    rooms = Router(
        wire.API,
        route_handlers=[
            me, open_contact, contacts, contact, close_contact, send, messages, communication, reply,
            lease, renew, ack, release,
        ],
        guards=[_json_only],
        security=[{"bearer": []}],
        request_max_body_size=ROOM_BYTES,
    )  # fmt: skip
    app = Litestar(
        [entrance, rooms, well_known, healthz],
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
