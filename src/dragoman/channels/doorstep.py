"""One connection to the address that platforms call, before anybody is known: how much and how long it may send.

1. A request's line and headers end within `HEAD_BYTES`; nothing of an endless one is kept.
2. A request has arrived whole `ARRIVAL_SECONDS` after its first byte, or after the connection was made; else the
   connection is cut, so that callers who never finish cannot take every place for ever.
3. What stands behind a body is no header, and is not read.
4. What is not HTTP gets a status and an empty body, as everything else that nobody asked for.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES: Final = 32 * 1024
ARRIVAL_SECONDS: Final = 30.0
_NOT_HTTP: Final = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Doorstep(HttpToolsProtocol):
    """Uvicorn's connection with bounds on head and arrival."""

    arrival_seconds = ARRIVAL_SECONDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._in_head, self._head_bytes = True, 0
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting."""
        self._arrived()
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

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header; after the head it is a trailer."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Its head is whole."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """It has arrived."""
        self._arrived()
        self._in_head, self._head_bytes = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Say no, and nothing of why."""
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
