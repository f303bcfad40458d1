"""A bare HTTP server on the loopback that counts: whatever reaches it has left the bot."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = Callable[[str, str, bytes], Any]
"""What a request is answered with, as JSON: method, path, body."""


class Counter:
    """What arrived: `requests` holds a method and a path each, without queries."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[tuple[str, str]] = []
        self.bodies: list[bytes] = []
        counter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65_537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.partition("?")[0]
                counter.requests.append((self.command, path))
                counter.bodies.append(body)
                said = json.dumps(answer(self.command, path, body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def clear(self) -> Self:
        """Forget what arrived."""
        self.requests.clear()
        self.bodies.clear()
        return self

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def counting(answer: Answer) -> Iterator[Counter]:
    """A counter for the time of a block."""
    counter = Counter(answer)
    try:
        yield counter
    finally:
        counter.close()
