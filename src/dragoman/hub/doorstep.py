"""One connection to the hub, before anybody is known: how much it may send, how long it may take, how it is told no.

1. A request's line and headers end within `HEAD_BYTES`; nothing of an endless one is kept.
2. A request has arrived whole `ARRIVAL_SECONDS` after its first byte, or after the connection was made.
3. A caller that does not read its answer for `READING_SECONDS` is let go, and its answer with it.
4. What is not HTTP gets the one body that every error has; what it was is not repeated.

Who asks and what for is not looked at here: limits of a role stand in `service` and `entrance`.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from dragoman.hub.refusal import Refusal

HEAD_BYTES: Final = 32 * 1024
ARRIVAL_SECONDS: Final = 20.0
READING_SECONDS: Final = 30.0


def _answer(status: str, code: str) -> bytes:
    body = msgspec.json.encode(Refusal(code).body)
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close"
    return head.encode() + b"\r\n\r\n" + body


_NOT_HTTP: Final = _answer("400 Bad Request", "bad_request")


class Doorstep(HttpToolsProtocol):
    """Uvicorn's connection with bounds on head, arrival and reading."""

    arrival_seconds = ARRIVAL_SECONDS
    reading_seconds = READING_SECONDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._in_head = True
        self._head_bytes = 0
        self._late: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting."""
        self._arrived()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes while their head has an end in sight."""
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._in_head = True
        self._expect()

    def on_headers_complete(self) -> None:
        """Its head is whole."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """It has arrived."""
        self._arrived()
        self._in_head, self._head_bytes = True, 0
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The caller does not read as fast as it is answered."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The caller has read on."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def send_400_response(self, msg: str) -> None:
        """Say no in the words of every error."""
        self._arrived()
        self.transport.write(_NOT_HTTP)
        self.transport.close()

    def _expect(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.arrival_seconds, self.transport.abort)

    def _arrived(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


__all__ = ["ARRIVAL_SECONDS", "HEAD_BYTES", "READING_SECONDS", "Doorstep"]
