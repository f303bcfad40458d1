"""Counters that stand outside of Dragoman: what it did is counted by whom it would have done it to.

    server     the homeserver's own access log, request by request of one account
    model      a loopback proxy in front of the model's port
    processes  a line that the handler's executable writes when it starts

Nothing here is told by the gate, its journal or its adapter.
"""

from __future__ import annotations

import http.client
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.synapse import KINDS, Synapse, User

COUNTED: Final[dict[str, str]] = {
    "send": "messages, edits and reactions put into a room",
    "redact": "messages taken back",
    "typing": "typing notices",
    "receipt": "read receipts and read markers",
    "state": "changes of a room's state: topics, names, pins",
    "media": "uploads, downloads and previews",
    "profile": "profile look-ups and changes",
    "presence": "presence look-ups and changes",
    "members": "look-ups of who is in a room",
    "event": "look-ups of single messages",
    "history": "look-ups of earlier messages",
    "elsewhere": "every other request to the homeserver, but the long poll for news",
    "model": "requests that reached the model's port",
    "processes": "starts of the handler's executable",
}
"""What is counted. The first eleven are kinds of requests in the homeserver's access log."""

NOTHING: Final = dict.fromkeys(COUNTED, 0)
"""The count of a silent turn."""

_IN_THE_LOG: Final = [kind for kind in COUNTED if kind in KINDS]


class Proxy(ThreadingHTTPServer):
    """A loopback proxy that counts: `requests` holds method and path of each request that came in.

    `arrived` is called before a request is passed on, `answered` when the other side has answered it. Where one returns
    True, the client's connection is cut at that moment. Where `instead` gives a status and a body, they are the answer.
    """

    daemon_threads = False
    block_on_close = True

    def __init__(self, upstream: str, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Forward)
        self.upstream = urlsplit(upstream).netloc
        self.requests: list[str] = []
        self.arrived: Callable[[str], bool] = lambda request: False
        self.answered: Callable[[str], bool] = lambda request: False
        self.instead: Callable[[str], tuple[int, bytes] | None] = lambda request: None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or a server that was killed, is part of the tests."""


class _Forward(BaseHTTPRequestHandler):
    server: Proxy

    def _forward(self) -> None:
        request = f"{self.command} {self.path}"
        self.server.requests.append(request)
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length) if length else None
        if self.server.arrived(request):
            self.close_connection = True
            return
        if (said := self.server.instead(request)) is not None:
            self._answer(said[0], "application/json", said[1])
            return
        kept = {name: self.headers[name] for name in ("authorization", "content-type") if name in self.headers}
        connection = http.client.HTTPConnection(self.server.upstream, timeout=100)
        try:
            connection.request(self.command, self.path, body, kept)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            return
        finally:
            connection.close()
        if self.server.answered(request):
            self.close_connection = True
            return
        self._answer(response.status, response.headers.get("content-type", "application/json"), answer)

    def _answer(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = _forward

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def proxy(upstream: str, port: int = 0) -> Iterator[Proxy]:
    """A running proxy in front of `upstream`."""
    server = Proxy(upstream, port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def executable(folder: Path, starts: Path, *arguments: str) -> Path:
    """A private executable that appends a line to `starts`, then becomes Python with `arguments`."""
    command = " ".join(shlex.quote(word) for word in (sys.executable, *arguments))
    path = folder / "handler"
    path.write_text(f"#!/bin/sh\necho started >> {shlex.quote(str(starts))}\nexec {command}\n")
    path.chmod(0o700)
    return path


class Counters:
    """All counters of one account; `take` gives what was added since the last `take`."""

    def __init__(self, synapse: Synapse, user: User, model: Proxy | None = None, starts: Path | None = None) -> None:
        self._synapse, self._user, self._model, self._starts = synapse, user, model, starts
        self._before = self._now()

    def take(self) -> dict[str, int]:
        """What was counted since the last time, a number for every kind in `COUNTED`."""
        before, self._before = self._before, self._now()
        return {kind: self._before[kind] - before[kind] for kind in COUNTED}

    def _now(self) -> dict[str, int]:
        counts = dict(NOTHING)
        for request in self._synapse.requests(self._user):
            line = f"{request.method} {request.path}"
            kind = next((kind for kind in _IN_THE_LOG if KINDS[kind].match(line)), "elsewhere")
            if not KINDS["sync"].match(line):
                counts[kind] += 1
        if self._model is not None:
            counts["model"] = len(self._model.requests)
        if self._starts is not None and self._starts.exists():
            counts["processes"] = len(self._starts.read_text().splitlines())
        return counts
