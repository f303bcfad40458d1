"""The connection to one homeserver: a private token, a nio client that keeps and logs nothing, and reading requests.

Answers are bounded in size and time, and read here rather than by nio, so that no participant's odd event can stop the
stream. Whether bytes of a request may have left is observed on the connection itself, because errors do not say it:
aiohttp repeats a cut request by itself, and "connection refused" can be the answer to its second try.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

from dragoman.channels.address import private
from dragoman.channels.leaving import Unsent as Unsent
from dragoman.channels.leaving import Unsure as Unsure
from dragoman.channels.leaving import leaving, session
from dragoman.channels.secret_file import read_secret
from dragoman.errors import DragomanError

try:
    import aiohttp
    import nio
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="matrix", fix="install it with `pip install 'dragoman[matrix]'`"
    ) from missing

ANSWER_LIMIT: Final = 64 * 1024 * 1024
UPLOAD_SPEED: Final = 500_000
"""Bytes a second that an upload must make, besides the time of any request."""

_Answer = TypeVar("_Answer")
_FAILURES: Final = (aiohttp.ClientError, OSError, ValueError, RecursionError)


class Connection:
    """One account's connection to `homeserver`; see `MatrixChannel` for the arguments and what is refused."""

    def __init__(self, homeserver: str, token: str, user_id: str, timeout: float) -> None:
        homeserver = private(homeserver, "matrix homeserver")
        log = logging.getLogger("nio")
        log.handlers, log.propagate = [logging.NullHandler()], False
        settings = nio.AsyncClientConfig(
            max_limit_exceeded=0, max_timeouts=0, request_timeout=timeout, encryption_enabled=False
        )
        self.timeout = timeout
        self._client = nio.AsyncClient(homeserver.rstrip("/"), user_id, store_path="", config=settings)
        self._client.access_token = token
        self._client.user_id = user_id

    def client(self) -> nio.AsyncClient:
        """The nio client, with a session that tells when a request begins to leave."""
        if self._client.client_session is None:
            self._client.client_session = session()
        return self._client

    async def close(self) -> None:
        """Close the session."""
        await self._client.close()

    async def send(self, request: Awaitable[_Answer]) -> _Answer:
        """Await one of nio's writing requests, within the time-out.

        Raises:
            Unsent: it failed before any byte left. Unsure: it failed later.
        """
        with leaving() as watched:
            try:
                async with asyncio.timeout(self.timeout):
                    return await request
            except _FAILURES as failed:
                raise watched.failed(failed) from failed

    async def ask(
        self, *path: str, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> tuple[int, dict[str, Any]]:
        """One reading request: its status and JSON object.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        address = "/_matrix/client/v3/" + "/".join(quote(part, safe="") for part in path)
        address += "?" + urlencode(query) if query else ""
        return await self._exchange("GET", address, timeout or self.timeout)

    async def join(self, room_id: str) -> int:
        """Go into a room that we were invited to; the status.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        address = f"/_matrix/client/v3/rooms/{quote(room_id, safe='')}/join"
        status, _ = await self._exchange("POST", address, self.timeout, b"{}", {"Content-Type": "application/json"})
        return status

    async def upload(self, name: str, media_type: str, content: bytes) -> tuple[int, dict[str, Any]]:
        """Put a file into the media repository, where nobody sees it yet: the status and the JSON object with its URI.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        address = "/_matrix/media/v3/upload?" + urlencode({"filename": name})
        limit = self.timeout + len(content) / UPLOAD_SPEED
        return await self._exchange("POST", address, limit, content, {"Content-Type": media_type})

    async def _exchange(
        self,
        method: str,
        address: str,
        limit: float,
        content: bytes | None = None,
        more: Mapping[str, str] | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """One request whose answer is read whole; the token travels in a header."""
        client = self.client()
        headers = {"Authorization": f"Bearer {client.access_token}", **(more or {})}
        try:
            async with asyncio.timeout(limit):
                sent = None if content is None else io.BytesIO(content)
                response = await client.send(method, address, sent, headers, None, limit)
                body = bytearray()
                async for piece in response.content.iter_chunked(65_536):
                    body += piece
                    if len(body) > ANSWER_LIMIT:
                        response.close()
                        raise ValueError("the answer is too large")
            answer = json.loads(body, parse_int=_bounded)
        except _FAILURES as failed:
            raise DragomanError("channel_unreachable", type(failed).__name__, where="matrix") from failed
        return response.status, answer if isinstance(answer, dict) else {}


def refused(status: int) -> bool:
    """Whether a status means that the homeserver read the request and will not do it: 4xx, but not "later"."""
    return 400 <= status < 500 and status not in (408, 429)


def read_token(path: Path) -> str:
    """The access token in a private file.

    Raises:
        DragomanError: as `secret_file.read_secret`.
    """
    return read_secret(path, "the access token")


def _bounded(digits: str) -> int | float:
    """An integer of JSON; one that no Matrix event may hold becomes infinity instead of an error."""
    return int(digits) if len(digits) < 20 else float("inf")
