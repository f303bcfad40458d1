"""A webhook's other side on the loopback: keeps what it was sent, and answers in a chosen way.

`answer` is the name of one: ok, no, wrong_id, other_type, not_json, empty, slow, error, refuse, redirect, cut,
half, flood, drip, gzip.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hook:
    """One server; `requests` holds headers (lower case) and body of each request, in order."""

    def __init__(self, answer: str = "ok") -> None:
        self.answer = answer
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.paths: list[str] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                hook.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
                hook.paths.append(self.path)
                hook._give(self, json.loads(body)["notification_id"])

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?token=hidden"
        self.stop = threading.Event()
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self.stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _give(self, request: BaseHTTPRequestHandler, id: str) -> None:
        said: dict[str, Any] = {"schema_version": 1, "delivered": True, "notification_id": id}
        status, body, headers = 200, json.dumps(said).encode(), {}
        match self.answer:
            case "no":
                body = json.dumps(said | {"delivered": False}).encode()
            case "wrong_id":
                body = json.dumps(said | {"notification_id": "ntf-2"}).encode()
            case "other_type":
                body = json.dumps(said | {"delivered": "true"}).encode()
            case "not_json":
                body = b"thank you"
            case "empty":
                status, body = 204, b""
            case "error":
                status = 500
            case "refuse":
                status = 404
            case "redirect":
                status, headers = 307, {"location": "/elsewhere"}
            case "slow":
                self.stop.wait(30)
            case "cut":
                request.close_connection = True
                request.connection.close()
                return
            case "half":
                headers = {"content-length": str(len(body) + 10)}
            case "flood":
                body += b" " * 100_000
            case "gzip":
                headers = {"content-encoding": "gzip"}
            case "drip":
                self._drip(request, body)
                return
        request.send_response(status)
        for name, value in ({"content-length": str(len(body))} | headers).items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)
        request.close_connection = True

    def _drip(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        request.send_response(200)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        for byte in body:
            if self.stop.is_set():
                return
            try:
                request.wfile.write(bytes([byte]))
            except OSError:
                return
            time.sleep(0.2)


@contextmanager
def hooked(answer: str = "ok") -> Iterator[Hook]:
    """A server for one test."""
    hook = Hook(answer)
    try:
        yield hook
    finally:
        hook.close()
