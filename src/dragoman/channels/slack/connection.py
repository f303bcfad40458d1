"""The connection to one workspace: a private token, the SDK's client without its retries, and reading requests.

1. What is written goes by the SDK; its retries are off, it logs nothing, and it takes no proxy from the environment.
   Whether bytes of a request may have left is observed on the connection itself, because errors do not say it.
2. What is read is a POST with a form, bounded in size and time, and only of a method in `READS`.
3. `https`, or `http` on the loopback; that holds for the addresses that Slack gives us too (uploads, websockets).
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.address import is_private
from dragoman.channels.leaving import Unsent as Unsent
from dragoman.channels.leaving import Unsure as Unsure
from dragoman.channels.leaving import leaving, session
from dragoman.errors import DragomanError

try:
    import aiohttp
    from slack_sdk.errors import SlackApiError, SlackClientError
    from slack_sdk.web.async_client import AsyncWebClient
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="slack", fix="install it with `pip install 'dragoman[slack]'`"
    ) from missing

READS: Final = frozenset(
    {
        *("auth.test", "conversations.info", "conversations.members", "conversations.history"),
        *("conversations.replies", "users.info", "bots.info", "apps.connections.open"),
    }
)
"""The methods that `ask` may call: nobody in the workspace sees them."""
ANSWER_LIMIT: Final = 16 * 1024 * 1024
UPLOAD_SPEED: Final = 500_000
"""Bytes a second that an upload must make, besides the time of any request."""

_CODE: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}\Z")
_FAILURES: Final = (aiohttp.ClientError, OSError, ValueError, RecursionError, SlackClientError)


class Told(msgspec.Struct, frozen=True):
    """What Slack answered. `ok` only with status 200; `scopes` are those of the token and `date` is Slack's time, as
    the headers say."""

    status: int
    body: Mapping[str, Any]
    retry_after: str = ""
    scopes: str | None = None
    date: str = ""

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.status == 200 and self.body.get("ok") is True

    @property
    def error(self) -> str:
        """Slack's code of what is wrong; empty where it said none. It is shown to people: one word, or it is none."""
        found = self.body.get("error")
        return found if type(found) is str and _CODE.match(found) else ""

    @property
    def limited(self) -> bool:
        """Whether we are to come back later."""
        return self.status == 429 or self.error in ("ratelimited", "rate_limited")


class Connection:
    """One token's connection to `api_url`; `timeout` is in seconds and for one request.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    def __init__(self, api_url: str, token: str, timeout: float) -> None:
        if not is_private(api_url):
            raise DragomanError(
                "config_invalid", "the token would travel in the clear", where="slack api_url", fix="write https://"
            )
        self.timeout, self.api_url = timeout, api_url.rstrip("/") + "/"
        self._token = token
        self._session: aiohttp.ClientSession | None = None
        log = logging.getLogger("dragoman.slack")
        log.handlers, log.propagate = [logging.NullHandler()], False
        log.setLevel(logging.CRITICAL)
        self.log = log

    def client(self) -> AsyncWebClient:
        """The SDK's client, on a session that tells when a request begins to leave."""
        client = AsyncWebClient(
            token=self._token, base_url=self.api_url, session=self.session(), logger=self.log, retry_handlers=[]
        )
        client.proxy = None
        return client

    def session(self) -> aiohttp.ClientSession:
        """The one session."""
        if self._session is None:
            self._session = session()
        return self._session

    async def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def send(self, request: Awaitable[Any]) -> Told:
        """Await one of the SDK's writing requests, within the time-out: what Slack answered, good or bad.

        Raises:
            Unsent: it failed before any byte left. Unsure: it failed later.
        """
        with leaving() as watched:
            try:
                async with asyncio.timeout(self.timeout):
                    return _told(await request)
            except SlackApiError as refused:
                return _told(refused.response)
            except _FAILURES as failed:
                raise watched.failed(failed) from failed

    async def ask(self, method: str, **form: str) -> Told:
        """One reading request.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        if method not in READS:
            raise ValueError(f"`{method}` does not only read")
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            async with (
                asyncio.timeout(self.timeout),
                self.session().post(
                    self.api_url + method, data=form, headers=headers, allow_redirects=False
                ) as response,
            ):
                body = await _bounded(response)
                said = msgspec.json.decode(body) if response.status == 200 else {}
        except (*_FAILURES, msgspec.DecodeError) as failed:
            raise DragomanError("channel_unreachable", type(failed).__name__, where=f"slack {method}") from failed
        scopes, date = response.headers.get("x-oauth-scopes"), response.headers.get("Date", "")
        later = response.headers.get("Retry-After", "")
        return Told(response.status, said if isinstance(said, dict) else {}, later, scopes, date)

    async def put(self, address: str, content: bytes) -> int:
        """Put a file's bytes where Slack wants them, where nobody sees them yet: the status.

        Raises:
            DragomanError: `channel_unreachable`; also for an address that is not safe.
        """
        try:
            if not is_private(address):
                raise ValueError("an address in the clear")
            limit = self.timeout + len(content) / UPLOAD_SPEED
            async with (
                asyncio.timeout(limit),
                self.session().post(address, data=content, allow_redirects=False) as response,
            ):
                await _bounded(response)
                return response.status
        except _FAILURES as failed:
            raise DragomanError("channel_unreachable", type(failed).__name__, where="slack upload") from failed


def _told(response: Any) -> Told:
    """What an answer of the SDK says; one that it could not read has a status only."""
    status: Any = getattr(response, "status_code", None) or getattr(response, "status", 0)
    body = getattr(response, "data", None)
    headers = {str(name).lower(): str(value) for name, value in dict(getattr(response, "headers", {})).items()}
    return Told(int(status), body if isinstance(body, dict) else {}, headers.get("retry-after", ""))


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for piece in response.content.iter_chunked(65_536):
        body += piece
        if len(body) > ANSWER_LIMIT:
            response.close()
            raise ValueError("the answer is too large")
    return bytes(body)
