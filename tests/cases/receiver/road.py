"""The road between a receiver and its hub: a real loopback proxy that writes down what passes, and can be a bad road.

`asked` holds every request that came in. `faults` are taken in their order by the first request whose method and path
they fit; each says what becomes of it:

    Cut         the connection is cut, nothing reaches the hub
    Lost        the hub gets it and answers; the answer is lost
    Said        this answer instead; the hub hears nothing          `raw`: these very bytes, then the end
    Slow        first so many seconds later
    Back        passed on, then a function is told, then the answer goes back
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import msgspec


class Asked(NamedTuple):
    """One request that came in."""

    method: str
    path: str
    raw: bytes
    at: float

    @property
    def body(self) -> dict[str, Any]:
        """Its JSON body."""
        return msgspec.json.decode(self.raw, type=dict[str, Any]) if self.raw else {}


class Fault(NamedTuple):
    """What becomes of a request that fits. `times` counts down; None is for ever."""

    cut: bool = False
    lost: bool = False
    status: int = 0
    said: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    raw: bytes | None = None
    slow: float = 0.0
    back: Callable[[], object] | None = None


Cut, Lost = Fault(cut=True), Fault(lost=True)


def no(status: int, code: str, **more: Any) -> Fault:
    """A hub's no."""
    return Fault(status=status, said=msgspec.json.encode({"code": code, "message": "no", **more}))


class Road:
    """One road; keeps its port when it is closed and opened again."""

    def __init__(self) -> None:
        self.upstream = ""
        self.asked: list[Asked] = []
        self.port = 0
        self._faults: list[tuple[re.Pattern[str], Fault, int | None]] = []
        self._room = threading.Lock()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.open()

    @property
    def url(self) -> str:
        """Where it begins."""
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Let connections in."""
        self._server = _Server(self)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Refuse connections and cut those that stand."""
        server, self._server = self._server, None
        if server is None or self._thread is None:
            return
        server.shutdown()
        self._thread.join()
        server.cut()
        server.server_close()

    def clear(self) -> None:
        """Forget what passed and every fault."""
        with self._room:
            self.asked.clear()
            self._faults.clear()

    def bad(self, pattern: str, fault: Fault, times: int | None = 1) -> None:
        """From now on, `times` requests whose `METHOD path` fits meet this fault."""
        with self._room:
            self._faults.append((re.compile(pattern), fault, times))

    def of(self, pattern: str) -> list[Asked]:
        """The requests whose `METHOD path` fits, in their order."""
        return [each for each in list(self.asked) if re.search(pattern, f"{each.method} {each.path}")]

    def take(self, asked: Asked) -> Fault:
        """Note a request, and what becomes of it."""
        with self._room:
            self.asked.append(asked)
            for number, (pattern, fault, times) in enumerate(self._faults):
                if pattern.search(f"{asked.method} {asked.path}"):
                    if times is not None and times <= 1:
                        del self._faults[number]
                    elif times is not None:
                        self._faults[number] = (pattern, fault, times - 1)
                    return fault
        return Fault()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, road: Road) -> None:
        self.road = road
        self._standing: set[socket.socket] = set()
        super().__init__(("127.0.0.1", road.port), _Passing)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._standing.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._standing.discard(request)
        super().shutdown_request(request)

    def cut(self) -> None:
        """Cut every connection that stands."""
        for each in list(self._standing):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Who hangs up, and who is cut off, is part of the tests."""


class _Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _pass(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length) if length else b""
        fault = self.server.road.take(Asked(self.command, self.path, raw, time.monotonic()))
        time.sleep(fault.slow)
        if fault.cut:
            self._end()
            return
        if fault.raw is not None:
            self.wfile.write(fault.raw)
            self._end()
            return
        if fault.status:
            self._answer(fault.status, fault.headers, fault.said)
            return
        found = self._ask(raw)
        if fault.back is not None:
            fault.back()
        if found is None or fault.lost:
            self._end()
            return
        status, kind, body = found
        self._answer(status, (("content-type", kind),), body)

    def _ask(self, raw: bytes) -> tuple[int, str, bytes] | None:
        kept = {name: self.headers[name] for name in ("authorization", "content-type") if name in self.headers}
        connection = http.client.HTTPConnection(self.server.road.upstream, timeout=60)
        try:
            connection.request(self.command, self.path, raw or None, kept)
            response = connection.getresponse()
            return response.status, response.headers.get("content-type", "application/json"), response.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def _answer(self, status: int, headers: tuple[tuple[str, str], ...], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _end(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST = do_PUT = do_DELETE = _pass

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextlib.contextmanager
def road() -> Iterator[Road]:
    """An open road that leads nowhere yet."""
    found = Road()
    try:
        yield found
    finally:
        found.close()
