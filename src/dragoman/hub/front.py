"""The front of a hub: what happens to every request before the application has it, and after.

1. Before: the porter says whether the caller may ask again already; `/metrics` is shown to this machine.
2. After: it is counted, timed and, if wished, written down: the route's template, the status, the code of a refusal,
   the time, the role that the porter found. Header values, queries and bodies are not looked at, but for the code that
   an error's own body names.
3. Each answer carries `x-request-id`, by which a caller can name it to the operator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from typing import Any, Final

import msgspec

from dragoman import wire
from dragoman.clock import Clock
from dragoman.hub.desk import NewId
from dragoman.hub.logs import RequestLog, role_hash
from dragoman.hub.metrics import CONTENT_TYPE, Metrics
from dragoman.hub.porter import Porter
from dragoman.hub.refusal import Refusal
from dragoman.hub.routes.errors import headers_of
from dragoman.hub.routes.request import AUTHORIZATION, token_in

Scope = MutableMapping[str, Any]
METRICS: Final = "/metrics"
_ENTRANCE: Final = tuple(f"{wire.API}/{name}" for name in ("roles", "nonces", "sessions", "keys/"))
_UNKNOWN: Final = "unknown"
_CONTACT: Final = re.compile(r"con_[0-9a-f]{32}")
_SLASHES: Final = re.compile(r"/{2,}")


class Front:
    """An ASGI application around the hub's.

    Args:
        hot: whether the hub answers a request ahead of its framework, which else names the route.
        seconds: a clock for durations.
        log: where requests are written, or None.
    """

    def __init__(
        self,
        app: Any,
        hot: Callable[[Scope], bool],
        porter: Porter,
        metrics: Metrics,
        clock: Clock,
        new_id: NewId,
        seconds: Callable[[], float],
        log: RequestLog | None = None,
    ) -> None:
        self._app = app
        self._hot = hot
        self._porter = porter
        self._metrics = metrics
        self._clock = clock
        self._new_id = new_id
        self._seconds = seconds
        self._log = log

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Pass one connection on, and note how it ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._seconds()
        answer = _Answer(send, self._new_id("req_"))
        role_id = None
        try:
            role_id = await self._admitted(scope)
            if scope["path"] == METRICS and self._porter.sees_metrics(_peer(scope), _forwarded(scope)):
                await show_metrics(self._metrics, answer.send)
            else:
                await self._app(scope, receive, answer.send)
        except Refusal as refusal:
            await _refuse(refusal, answer.send)
        finally:
            self._note(scope, answer, role_id, self._seconds() - began)

    async def _admitted(self, scope: Scope) -> str | None:
        """The role that asks, when that is wanted; refuses who asks too often."""
        if self._porter.idle_for(_peer(scope)):
            return None
        path = scope["path"]
        if _SLASHES.sub("/", path).startswith(_ENTRANCE):
            self._porter.at_entrance(_peer(scope), _forwarded(scope))
            return None
        token = next((value for name, value in scope["headers"] if name == AUTHORIZATION), b"")
        return await self._porter.in_room(_peer(scope), _forwarded(scope), token_in(str(token, "latin-1")))

    def _note(self, scope: Scope, answer: _Answer, role_id: str | None, seconds: float) -> None:
        route = scope.get("path_template") or (
            _CONTACT.sub("{contact_id}", scope["path"]) if self._hot(scope) else _UNKNOWN
        )
        self._metrics.count(route, scope["method"], answer.status, answer.code, seconds)
        if self._log is not None:
            self._log.write(
                self._clock.now(),
                request_id=answer.request_id,
                method=scope["method"][:10],
                route=route,
                status=answer.status,
                code=answer.code or None,
                duration_ms=round(seconds * 1000, 1),
                role=role_hash(role_id),
            )


class _Answer:
    """What goes out for one request, its status and code seen on the way. Status 0: nothing went out."""

    def __init__(self, send: Any, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status = 0
        self.code = ""

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """One message of the application."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (b"x-request-id", self.request_id.encode())]
        elif self.status >= 400 and not self.code:
            self.code = _code_of(message.get("body", b""))
        await self._send(message)


async def show_metrics(metrics: Metrics, send: Any) -> None:
    """Answer with everything that was counted."""
    body = metrics.text()
    await _answer(send, 200, [(b"content-type", CONTENT_TYPE.encode())], body)


async def _refuse(refusal: Refusal, send: Any) -> None:
    headers = [(name.encode(), value.encode()) for name, value in headers_of(refusal).items()]
    headers.append((b"content-type", b"application/json"))
    await _answer(send, refusal.status, headers, msgspec.json.encode(refusal.body))


async def _answer(send: Any, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _code_of(body: bytes) -> str:
    """The code that an error's body names; ours only."""
    try:
        code = msgspec.json.decode(body, type=wire.ErrorBody).code
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""
    return code if code in wire.ERRORS else ""


def _peer(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "?"


def _forwarded(scope: Scope) -> list[str]:
    return [str(value, "latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
