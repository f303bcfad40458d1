"""Where platforms call us: one HTTP address for every account with a webhook. Reads whole requests, decides nothing.

1. Each account asks for its own path and method, once; every other request is 404 or 405, with an empty body.
2. A body is at most `BODY_BYTES`, whole within `BODY_SECONDS`: else 413 or 408. `doorstep` bounds head and connection.
3. The account verifies, keeps what it will need (`Spool`), and only then answers. Its failure is 500, which every
   platform takes as "offer it again"; nothing of it is told outside.
4. An answer is a status and a fixed or echoed body. What an agent says never leaves here: it goes by the gate's door.
5. It listens from the first account on that reads its events by it; without one it opens no port.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError

BODY_BYTES: Final = 1024 * 1024
BODY_SECONDS: Final = 20.0
MOST_REQUESTS: Final = 256
"""Requests under way at once; further ones are 503."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One whole request. Header names are lower case; of a header that stands twice the first counts."""

    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    received_at: int


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the platform is told."""

    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"


Handler = Callable[[Request], Awaitable[Answer]]


class Inlet:
    """The address `host`:`port`; port 0 takes a free one. `async with` serves meanwhile."""

    def __init__(self, host: str, port: int, clock: Clock, report: Callable[[Exception], None]) -> None:
        self.host, self.port = host, port
        self._clock, self._report = clock, report
        self._handlers: dict[tuple[str, str], Handler] = {}
        self._served: tuple[Any, asyncio.Task[None]] | None = None

    def on(self, method: str, path: str, handler: Handler) -> None:
        """Take requests of one method and path.

        Raises:
            DragomanError: `config_invalid` when another account has taken them.
        """
        if (method, path) in self._handlers:
            raise DragomanError(
                "config_invalid", f"two accounts want {method} {path}", where="channels", fix="give one another path"
            )
        self._handlers[method, path] = handler

    async def start(self) -> None:
        """Listen, if anybody asked for a path; `port` is then the real one. Accounts call this in `events`,
        so that a probe beside a running receiver never does.

        Raises:
            DragomanError: `extra_missing`; `config_invalid` when the address cannot be listened on.
        """
        if not self._handlers:
            return
        if self._served is None:
            self._served = self._begun()
        server, task = self._served
        while not server.started:
            if task.done():
                self._served = None
                detail = f"cannot listen on {self.host}:{self.port}"
                raise DragomanError(
                    "config_invalid", detail, where="channels.listen", fix="name a free address of this machine"
                )
            await asyncio.sleep(0.01)
        self.port = server.servers[0].sockets[0].getsockname()[1]

    def _begun(self) -> tuple[Any, asyncio.Task[None]]:
        """A server that begins to listen; `close` ends it, however far it has come."""
        try:
            import uvicorn

            from dragoman.channels.doorstep import Doorstep
        except ImportError as missing:
            raise DragomanError(
                "extra_missing", str(missing), where="webhooks", fix="install the platform's extra of `dragoman`"
            ) from missing

        class Quiet(uvicorn.Server):
            """Uvicorn that leaves signals to whoever runs it."""

            @contextlib.contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield

        server = Quiet(
            uvicorn.Config(
                self._app,
                host=self.host,
                port=self.port,
                interface="asgi3",
                lifespan="off",
                http=Doorstep,
                log_config=None,
                log_level="critical",  # whoever knocks cannot write into our log
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                ws="none",
                limit_concurrency=MOST_REQUESTS,
                timeout_graceful_shutdown=5,
            )
        )
        return server, asyncio.ensure_future(self._serve(server))

    async def close(self) -> None:
        """Finish what is under way, and stop listening."""
        if self._served is not None:
            (server, task), self._served = self._served, None
            server.should_exit = True
            await task

    @staticmethod
    async def _serve(server: Any) -> None:
        with contextlib.suppress(SystemExit):  # how uvicorn says that it cannot listen
            await server.serve()

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        answer = await self._answer(scope, receive)
        headers = [(b"content-type", answer.content_type.encode()), (b"content-length", str(len(answer.body)).encode())]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})

    async def _answer(self, scope: Any, receive: Any) -> Answer:
        handler = self._handlers.get((scope["method"], scope["path"]))
        if handler is None:
            known = any(path == scope["path"] for _, path in self._handlers)
            return Answer(status=405 if known else 404)
        try:
            body = await asyncio.wait_for(_body(receive), BODY_SECONDS)
        except TimeoutError:
            return Answer(status=408)
        if body is None:
            return Answer(status=413)
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
        try:
            query = dict(parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=32))
        except ValueError:  # more fields than any platform sends
            return Answer(status=400)
        try:
            return await handler(Request(query=query, headers=headers, body=body, received_at=self._clock.now()))
        except Exception as failed:  # noqa: BLE001  the outside sees a status; what happened is reported inside
            self._report(failed)
            return Answer(status=500)


async def _body(receive: Any) -> bytes | None:
    """The whole body, or None when it is too large."""
    whole = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        whole += message.get("body", b"")
        if len(whole) > BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(whole)
