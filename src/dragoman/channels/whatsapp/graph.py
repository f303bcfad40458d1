"""The way to Meta's Graph API for one number: bounded requests that tell whether a byte may have left.

Nothing is repeated here, and nothing is logged.
"""

from __future__ import annotations

import asyncio
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
        "extra_missing", str(missing), where="whatsapp", fix="install it with `pip install 'dragoman[whatsapp]'`"
    ) from missing

ANSWER_BYTES: Final = 1024 * 1024
SECONDS: Final = 20.0
UPLOAD_SPEED: Final = 500_000
"""Bytes a second that an upload must make, besides the time of any request."""
_NOT_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer. `code` is the Graph API's own error code, 0 without one; `wait` the seconds of `Retry-After`."""

    status: int
    body: Mapping[str, Any]
    code: int = 0
    wait: int | None = None


class Graph:
    """The API at `url` for one number.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    def __init__(self, url: str, version: str, phone_number_id: str, token: str) -> None:
        self._root = f"{private(url, 'whatsapp api_url')}/{version}"
        self._number = f"{self._root}/{phone_number_id}"
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=5.0, pool=5.0),
            follow_redirects=False,
            trust_env=False,
            headers={"authorization": f"Bearer {token}", "accept": "application/json", "user-agent": "dragoman"},
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def number(self, fields: str) -> Told:
        """What the API says of our number.

        Raises:
            DragomanError: `channel_unreachable`.
        """
        return await self._ask(f"{self._number}?fields={fields}")

    async def apps(self, business_id: str) -> Told:
        """Which apps get the webhooks of a business account.

        Raises:
            DragomanError: `channel_unreachable`.
        """
        return await self._ask(f"{self._root}/{business_id}/subscribed_apps")

    async def _ask(self, address: str) -> Told:
        try:
            return await self._exchange("GET", address, SECONDS)
        except (Unsent, Unsure) as failed:
            raise DragomanError("channel_unreachable", str(failed), where="whatsapp") from failed

    async def post_message(self, body: Mapping[str, Any]) -> Told:
        """`POST /messages`, once.

        Raises:
            Unsent: nothing left. Unsure: no whole answer came.
        """
        return await self._exchange("POST", f"{self._number}/messages", SECONDS, json=dict(body))

    async def post_media(self, name: str, media_type: str, content: bytes) -> Told:
        """`POST /media`: put a file where nobody sees it yet.

        Raises:
            Unsent: nothing left. Unsure: no whole answer came.
        """
        limit = SECONDS + len(content) / UPLOAD_SPEED
        fields, files = {"messaging_product": "whatsapp", "type": media_type}, {"file": (name, content, media_type)}
        return await self._exchange("POST", f"{self._number}/media", limit, data=fields, files=files)

    async def _exchange(self, method: str, address: str, limit: float, **content: Any) -> Told:
        raw = bytearray()
        try:
            async with asyncio.timeout(limit), self._client.stream(method, address, **content) as answer:
                async for piece in answer.aiter_raw():
                    raw += piece
                    if len(raw) > ANSWER_BYTES:
                        raise Unsure("the answer is too large")
            found = msgspec.json.decode(bytes(raw))
        except _NOT_SENT as failed:
            raise Unsent(type(failed).__name__) from failed
        except (httpx2.HTTPError, httpx2.StreamError, OSError, msgspec.DecodeError, RecursionError) as failed:
            raise Unsure(type(failed).__name__) from failed
        body = found if isinstance(found, dict) else {}
        error = body.get("error")
        code = error.get("code") if isinstance(error, dict) else 0
        after = answer.headers.get("retry-after", "")
        wait = int(after) if after.isascii() and after.isdigit() and len(after) < 7 else None
        return Told(status=answer.status_code, body=body, code=code if type(code) is int else 0, wait=wait)
