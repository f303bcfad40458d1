"""Send, poll and ack, answered before the framework is asked: nearly all requests are one of these.

1. Only the exact address, method `POST` and a well-formed contact id are hot; whatever else comes is the framework's.
2. The order of its checks is the framework's: media type, announced size, size, body, then the verb looks at the token.
   The same structs decode, the same verbs answer, the same table makes errors: to the byte, headers included.
   `tests/hub/test_hot.py` holds both to one table of requests.
3. The framework keeps handlers of the same addresses. They make the OpenAPI document, and are what this is compared to.

It saves the framework's share of a request, about half of the CPU that a send costs.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from dragoman import wire
from dragoman.hub.refusal import Refusal
from dragoman.hub.routes.errors import headers_of, refusal_for
from dragoman.hub.routes.request import AUTHORIZATION, is_json, token_in
from dragoman.hub.routes.waiting import found
from dragoman.hub.service import Hub

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_SEND: Final = re.compile(rf"{wire.API}/contacts/(con_[0-9a-f]{{32}})/messages", re.ASCII)
_TYPE: Final = (b"content-type", b"application/json")
_encode: Final = msgspec.json.Encoder().encode


class _Asked(NamedTuple):
    """One hot request."""

    hub: Hub
    receive: Receive
    token: str | None
    contact_id: str
    body: Any


class _Route(NamedTuple):
    """How one address is answered: the most bytes of a body, its struct, its verb."""

    max_bytes: int
    decode: Callable[[bytes], Any]
    answer: Callable[[_Asked], Awaitable[wire.Answer]]


async def _send(asked: _Asked) -> wire.Answer:
    return await asked.hub.messages.send(asked.token, asked.contact_id, asked.body)


async def _lease(asked: _Asked) -> wire.Answer:
    hub, token, body = asked.hub, asked.token, asked.body
    if not await found(hub, asked, lambda: hub.leases.waiting(token, body), body.wait_ms):
        return wire.Leased(lease=None, messages=[], server_time=hub.desk.clock.now())
    return await hub.leases.take(token, body)


async def _ack(asked: _Asked) -> wire.Answer:
    return await asked.hub.leases.ack(asked.token, asked.body)


class HotRoutes:
    """The hot routes of one hub.

    Args:
        hub: whose verbs answer.
        room_bytes: the most bytes of a body that is not a message.
    """

    def __init__(self, hub: Hub, room_bytes: int) -> None:
        self._hub = hub
        self._send = _Route(wire.Limits().body_bytes, msgspec.json.Decoder(wire.SendMessage).decode, _send)
        self._fixed = {
            f"{wire.API}/leases": _Route(room_bytes, msgspec.json.Decoder(wire.TakeLease).decode, _lease),
            f"{wire.API}/leases/ack": _Route(room_bytes, msgspec.json.Decoder(wire.AckMessages).decode, _ack),
        }

    def of(self, scope: Scope) -> tuple[_Route, str] | None:
        """The hot route of a request and the contact that its address names, or None."""
        if scope["type"] != "http" or scope["method"] != "POST":
            return None
        path = scope["path"]
        route = self._fixed.get(path)
        if route is not None:
            return route, ""
        sending = _SEND.fullmatch(path)
        return None if sending is None else (self._send, sending[1])

    async def answer(self, route: _Route, contact_id: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a hot request."""
        status = 200
        headers: dict[str, str] = {}
        try:
            raw = await _body(scope, receive, route.max_bytes)
            if raw is None:
                return
            token = token_in(_header(scope, AUTHORIZATION))
            asked = _Asked(self._hub, receive, token, contact_id, _decoded(route, raw))
            body = _encode(await route.answer(asked))
        except Exception as error:  # noqa: BLE001  every error is answered by the one table
            refusal = refusal_for(error)
            status, headers, body = refusal.status, headers_of(refusal), _encode(refusal.body)
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [
                    *((name.encode(), value.encode()) for name, value in headers.items()),
                    _TYPE,
                    (b"content-length", str(len(body)).encode()),
                ],
            }
        )
        await send({"type": "http.response.body", "body": body, "more_body": False})


def _header(scope: Scope, name: bytes) -> str:
    """The first header of a name, or an empty string."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return ""


def _decoded(route: _Route, raw: bytes) -> Any:
    try:
        return route.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Refusal("bad_request") from None


async def _body(scope: Scope, receive: Receive, max_bytes: int) -> bytes | None:
    """The whole body; None when the caller has gone. Refuses what is not JSON by its header, and what is too large."""
    if not is_json(_header(scope, b"content-type")):
        raise Refusal("media_type_unsupported")
    announced = _header(scope, b"content-length")
    if announced.isdecimal() and int(announced) > max_bytes:
        raise Refusal("body_too_large")
    raw: bytes = b""
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        raw = raw + event["body"] if raw else event["body"]
        if len(raw) > max_bytes:
            raise Refusal("body_too_large")
        if not event["more_body"]:
            return raw
