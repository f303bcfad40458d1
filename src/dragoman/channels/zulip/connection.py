"""The connection to one Zulip realm: requests with a bounded answer, by the bot's key. Retries and logs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.address import private
from dragoman.channels.leaving import Unsent as Unsent
from dragoman.channels.leaving import Unsure as Unsure
from dragoman.errors import DragomanError

try:
    import httpx2
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="zulip", fix="install it with `pip install 'dragoman[zulip]'`"
    ) from missing

ANSWER_LIMIT: Final = 32 * 1024 * 1024
UPLOAD_SPEED: Final = 500_000
"""Bytes a second that an upload must make, besides the time of any request."""
_UNSENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_FAILURES: Final = (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RecursionError)


class Answered(msgspec.Struct, frozen=True):
    """A whole answer; `value` is its JSON object, empty when it has none. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    value: dict[str, Any]

    @property
    def code(self) -> str:
        """The error code of a refusal."""
        found = self.value.get("code")
        return found if type(found) is str else ""

    def whole(self, key: str) -> int:
        """A whole number, or 0."""
        found = self.value.get(key)
        return found if type(found) is int else 0

    def items(self, key: str) -> list[Any]:
        """A list, or an empty one."""
        found = self.value.get(key)
        return found if isinstance(found, list) else []


class Connection:
    """Requests to `realm` as the bot `email`; `timeout` is in seconds, for each.

    Raises:
        DragomanError: `config_invalid` for an address that is none, or in the clear and not on the loopback.
    """

    def __init__(self, realm: str, email: str, key: str, timeout: float) -> None:
        self._realm, self._timeout = private(realm, "zulip realm"), timeout
        self._http = httpx2.AsyncClient(
            auth=(email, key),
            timeout=timeout,
            trust_env=False,
            follow_redirects=False,
            headers={"User-Agent": "ZulipDragoman"},
        )

    async def ask(
        self, method: str, path: str, form: Mapping[str, str] | None = None, *, timeout: float | None = None
    ) -> Answered:
        """One request whose failure harms nothing.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        try:
            return await self.send(method, path, form, timeout=timeout)
        except (Unsent, Unsure) as failed:
            raise DragomanError("channel_unreachable", str(failed), where="zulip") from failed

    async def send(
        self, method: str, path: str, form: Mapping[str, str] | None = None, *, timeout: float | None = None
    ) -> Answered:
        """One request; its form is the query of a GET.

        Raises:
            Unsent: it failed before any byte left. Unsure: it failed later.
        """
        told: dict[str, Any] = {"params": form} if method == "GET" else {"data": form}
        return await self._exchange(method, path, timeout or self._timeout, told if form else {})

    async def put_file(self, name: str, media_type: str, content: bytes) -> Answered:
        """Put a file into the realm, where nobody sees it before a message links to it.

        Raises:
            Unsent, Unsure: as `send`.
        """
        limit = self._timeout + len(content) / UPLOAD_SPEED
        return await self._exchange("POST", "user_uploads", limit, {"files": {"file": (name, content, media_type)}})

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def _exchange(self, method: str, path: str, limit: float, told: dict[str, Any]) -> Answered:
        try:
            async with self._http.stream(method, f"{self._realm}/api/v1/{path}", timeout=limit, **told) as response:
                whole = bytearray()
                async for piece in response.aiter_bytes():
                    whole += piece
                    if len(whole) > ANSWER_LIMIT:
                        raise ValueError("the answer is too large")
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answered(response.status_code, headers, _decoded(bytes(whole)))
        except _UNSENT as failed:
            raise Unsent(type(failed).__name__) from failed
        except _FAILURES as failed:
            raise Unsure(type(failed).__name__) from failed


def refused(status: int) -> bool:
    """Whether a status means that the server read the request and will not do it: 4xx, but not "later"."""
    return 400 <= status < 500 and status not in (408, 429)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
