"""The connection to one Mattermost server: requests with a bounded answer, and the websocket. Retries and logs nothing.

Whether bytes of a request may have left is observed on the connection itself, because errors do not say it: aiohttp
repeats a cut request by itself, and "connection refused" can be the answer to its second try.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec

from dragoman.channels.address import private
from dragoman.channels.leaving import Unsent as Unsent
from dragoman.channels.leaving import Unsure as Unsure
from dragoman.channels.leaving import leaving, session
from dragoman.errors import DragomanError

try:
    import aiohttp
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="mattermost", fix="install it with `pip install 'dragoman[mattermost]'`"
    ) from missing

ANSWER_LIMIT: Final = 16 * 1024 * 1024
FRAME_LIMIT: Final = 4 * 1024 * 1024
UPLOAD_SPEED: Final = 500_000
"""Bytes a second that an upload must make, besides the time of any request."""
HEARTBEAT: Final = 30.0
_FAILURES: Final = (aiohttp.ClientError, OSError, ValueError, RecursionError, TimeoutError)


class Answered(msgspec.Struct, frozen=True):
    """A whole answer; `value` is its JSON, None when it has none. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    value: Any

    def text(self, key: str) -> str:
        """A text of an object."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if type(found) is str else ""


class Connection:
    """Requests to `server` as whoever has `token`; `timeout` is in seconds, for each.

    Raises:
        DragomanError: `config_invalid` for an address that is none, or in the clear and not on the loopback.
    """

    def __init__(self, server: str, token: str, timeout: float) -> None:
        self._server, self._timeout = private(server, "mattermost server"), timeout
        self._headers = {"Authorization": f"Bearer {token}"}
        self._session: aiohttp.ClientSession | None = None

    async def ask(
        self, method: str, *path: str, query: Mapping[str, str] | None = None, body: object = None
    ) -> Answered:
        """One request whose failure harms nothing.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        try:
            return await self.send(method, *path, query=query, body=body)
        except (Unsent, Unsure) as failed:
            raise DragomanError("channel_unreachable", str(failed), where="mattermost") from failed

    async def send(
        self, method: str, *path: str, query: Mapping[str, str] | None = None, body: object = None
    ) -> Answered:
        """One request.

        Raises:
            Unsent: it failed before any byte left. Unsure: it failed later.
        """
        sent = None if body is None else msgspec.json.encode(body)
        headers = {} if sent is None else {"Content-Type": "application/json"}
        return await self._exchange(method, path, query, sent, headers, self._timeout)

    async def put_file(self, channel_id: str, name: str, media_type: str, content: bytes) -> Answered:
        """Put a file beside the channel, where nobody sees it before a post names it.

        Raises:
            Unsent, Unsure: as `send`.
        """
        form = aiohttp.FormData({"channel_id": channel_id})
        form.add_field("files", content, filename=name, content_type=media_type)
        return await self._exchange("POST", ("files",), None, form, {}, self._timeout + len(content) / UPLOAD_SPEED)

    async def websocket(self, query: Mapping[str, str]) -> aiohttp.ClientWebSocketResponse:
        """The websocket, with our token on its way in.

        Raises:
            DragomanError: `channel_refused`, `channel_unreachable`.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._client().ws_connect(
                    f"{self._server}/api/v4/websocket",
                    params=dict(query),
                    headers=self._headers,
                    heartbeat=HEARTBEAT,
                    max_msg_size=FRAME_LIMIT,
                )
        except aiohttp.WSServerHandshakeError as failed:
            code = "channel_refused" if failed.status in (401, 403) else "channel_unreachable"
            raise DragomanError(code, f"websocket: {failed.status}", where="mattermost") from failed
        except _FAILURES as failed:
            raise DragomanError("channel_unreachable", type(failed).__name__, where="mattermost") from failed

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = session()
        return self._session

    async def _exchange(
        self,
        method: str,
        path: tuple[str, ...],
        query: Mapping[str, str] | None,
        sent: Any,
        headers: Mapping[str, str],
        limit: float,
    ) -> Answered:
        address = f"{self._server}/api/v4/" + "/".join(quote(part, safe="") for part in path)
        with leaving() as watched:
            try:
                async with (
                    asyncio.timeout(limit),
                    self._client().request(
                        method,
                        address,
                        params=dict(query or {}),
                        data=sent,
                        headers={**self._headers, **headers},
                        allow_redirects=False,
                    ) as response,
                ):
                    whole = bytearray()
                    async for piece in response.content.iter_chunked(65_536):
                        whole += piece
                        if len(whole) > ANSWER_LIMIT:
                            raise ValueError("the answer is too large")
                    told = {name.lower(): value for name, value in response.headers.items()}
                    return Answered(response.status, told, _decoded(bytes(whole)))
            except _FAILURES as failed:
                raise watched.failed(failed) from failed


def refused(status: int) -> bool:
    """Whether a status means that the server read the request and will not do it: 4xx, but not "later"."""
    return 400 <= status < 500 and status not in (408, 429)


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
