"""The road to a submission server, with troubles on it: a loopback proxy that knows just enough SMTP."""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress
from typing import Final

ANSWERS: Final = {"refused": b"550 5.7.1 no\r\n", "later": b"451 4.7.1 later\r\n"}
"""What is answered instead to every recipient."""


class Road(socketserver.ThreadingTCPServer):
    """Passes one command and its answer at a time. `trouble` is empty, or one of `refused` and `later` (at RCPT),
    `lost` (the mail is swallowed, nobody answers) and `deaf` (the mail is passed on, its answer is not)."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, upstream: int, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Trip)
        self.upstream, self.trouble = upstream, ""
        self.port = int(self.server_address[1])
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Nobody is there any more."""
        self.shutdown()
        self.server_close()
        self._thread.join()


class _Trip(socketserver.StreamRequestHandler):
    server: Road

    def handle(self) -> None:
        """One connection."""
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", self.server.upstream), 20) as there,
            there.makefile("rb") as answers,
        ):
            self.wfile.write(_answer(answers))
            while line := self.rfile.readline():
                if line.upper().startswith(b"RCPT") and self.server.trouble in ANSWERS:
                    self.wfile.write(ANSWERS[self.server.trouble])
                    continue
                there.sendall(line)
                answer = _answer(answers)
                self.wfile.write(answer)
                if answer.startswith(b"354") and not self._content(there, answers):
                    return

    def _content(self, there: socket.socket, answers: object) -> bool:
        """Pass the mail itself on; whether the connection goes on."""
        content = bytearray()
        while not content.endswith(b"\r\n.\r\n") and (line := self.rfile.readline()):
            content += line
        if self.server.trouble == "lost":
            self.rfile.readline()
            return False
        there.sendall(content)
        answer = _answer(answers)
        if self.server.trouble == "deaf":
            self.rfile.readline()
            return False
        self.wfile.write(answer)
        return True


def _answer(answers: object) -> bytes:
    """One answer, of however many lines."""
    found = b""
    while True:
        line = answers.readline()  # type: ignore[attr-defined]
        found += line
        if not line or line[3:4] != b"-":
            return found
