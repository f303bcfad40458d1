"""The connection to the Bot API: python-telegram-bot's requests, on a transport that tells what became of each.

1. Whether a request was refused, never left, or may have left is read from the transport and the answer's status, not
   from words: 4xx is a refusal, a failed connect left nothing, anything else is not known.
2. Answers are bounded in size and time. Nothing is repeated here.
3. The token is part of every address, so nothing of the SDK, nor of its HTTP client, is logged.
4. What is only asked (`ask`) is read here rather than by the SDK's types, so that no participant's odd update can stop
   the stream.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from dragoman.channels.address import private
from dragoman.errors import DragomanError

try:
    import httpx
    import telegram
    from telegram.error import TelegramError
    from telegram.request import BaseRequest, RequestData
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="telegram", fix="install it with `pip install 'dragoman[telegram]'`"
    ) from missing

ANSWER_LIMIT: Final = 32 * 1024 * 1024
UPLOAD_SPEED: Final = 200_000
"""Bytes a second that an upload must make, besides the time of any request."""
LATER: Final = frozenset({408, 429})
_TOKEN: Final = re.compile(r"([1-9][0-9]{0,17}):[A-Za-z0-9_-]{8,256}\Z")
_UNSENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_T = TypeVar("_T")


class Parameters(msgspec.Struct, frozen=True):
    """What a refusal may say besides words."""

    retry_after: int | None = None
    migrate_to_chat_id: int | None = None


class Answer(msgspec.Struct, frozen=True):
    """What the Bot API answers; `status` is the HTTP one."""

    ok: bool = False
    result: msgspec.Raw = msgspec.Raw(b"null")
    description: str = ""
    parameters: Parameters = Parameters()
    status: int = 0

    def holds(self, type: type[_T]) -> _T | None:
        """The result as `type`, or None when it is something else."""
        try:
            return msgspec.json.decode(self.result, type=type) if self.ok else None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


class Unsent(TelegramError):
    """The request failed, and provably no byte of it left."""


class Unsure(TelegramError):
    """The request failed after bytes of it may have left."""


class Denied(TelegramError):
    """The Bot API read the request and did not do it: 4xx."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.description or f"status {answer.status}")
        self.answer = answer


class Wire(BaseRequest):
    """The transport below the SDK's methods."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self.date = ""
        """What the last answer said of the time there (the header `Date`)."""
        self._http = httpx.AsyncHTTPTransport(trust_env=False)

    @property
    def read_timeout(self) -> float | None:
        """Seconds that an answer may take."""
        return self._timeout

    async def initialize(self) -> None:
        """Nothing to prepare."""

    async def shutdown(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *args: Any, **limits: Any
    ) -> tuple[int, bytes]:
        """One request of the SDK.

        Raises:
            Unsent: no byte left. Unsure: it may have. Denied: 4xx.
        """
        form = request_data.json_parameters if request_data else {}
        files = dict(request_data.multipart_data or {}) if request_data else {}
        status, body = await self.exchange(url, form, self._timeout, files)
        if 400 <= status < 500 and status != 408:
            raise Denied(_answer(status, body))
        if status != 200:
            raise Unsure(f"status {status}")
        return status, body

    async def exchange(
        self, url: str, form: Mapping[str, str], limit: float, files: Mapping[str, Any] | None = None
    ) -> tuple[int, bytes]:
        """One request, whatever the status of its answer; `files` are tuples of name, content and type.

        Raises:
            Unsent: no byte left. Unsure: it may have.
        """
        limit += sum(len(content) for _, content, _ in (files or {}).values()) / UPLOAD_SPEED
        request = httpx.Request("POST", url, data=dict(form), files=dict(files) if files else None)
        request.extensions["timeout"] = httpx.Timeout(limit).as_dict()
        try:
            async with asyncio.timeout(limit):
                response = await self._http.handle_async_request(request)
                self.date = response.headers.get("date", "")
                try:
                    return response.status_code, await _whole(response)
                finally:
                    await response.aclose()
        except _UNSENT as failed:
            raise Unsent(type(failed).__name__) from failed
        except (httpx.HTTPError, TimeoutError, OSError, ValueError) as failed:
            raise Unsure(type(failed).__name__) from failed


class Connection:
    """One bot at one Bot API. `sdk` is for what leaves; what is only asked goes by `ask`.

    Raises:
        DragomanError: `config_invalid` for an address in the clear, or a token that is not this bot's.
    """

    def __init__(self, api_url: str, token: str, bot_id: int, timeout: float) -> None:
        api_url = private(api_url, "telegram api_url")
        found = _TOKEN.match(token)
        if found is None or int(found[1]) != bot_id:
            fix = "write the token that BotFather gave for the bot with this id"
            raise DragomanError("config_invalid", "the token is not that of `bot_id`", where="telegram token", fix=fix)
        for name in ("telegram", "httpcore", "httpx"):
            _quiet(name)
        self.timeout = timeout
        self._wire = Wire(timeout)
        base = api_url.rstrip("/") + "/bot"
        self._base = base + token
        self.sdk = telegram.Bot(token, base_url=base, request=self._wire, get_updates_request=self._wire)

    @property
    def date(self) -> str:
        """The time at the Bot API when it last answered, as its header says; empty when it did not."""
        return self._wire.date

    async def close(self) -> None:
        """Close every connection."""
        await self._wire.shutdown()

    async def ask(self, method: str, *, limit: float = 0.0, **parameters: object) -> Answer:
        """One request that shows nothing to anybody; `limit` is how much longer it may take than others.

        Raises:
            DragomanError: `channel_unreachable` when no whole answer came in time.
        """
        form = {
            name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
            for name, value in parameters.items()
        }
        try:
            status, body = await self._wire.exchange(f"{self._base}/{method}", form, self.timeout + limit)
        except TelegramError as failed:
            raise DragomanError("channel_unreachable", f"{method}: {failed.message}", where="telegram") from failed
        return _answer(status, body)


def refused(answer: Answer) -> bool:
    """Whether the Bot API does not know our token: 401, or the 404 that a malformed one gets."""
    return answer.status in (401, 404)


def _answer(status: int, body: bytes) -> Answer:
    try:
        try:
            answer = msgspec.json.decode(body, type=Answer)
        except msgspec.DecodeError:
            answer = msgspec.json.decode(_mended(body), type=Answer)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return Answer(status=status)
    return msgspec.structs.replace(answer, status=status, ok=answer.ok and status == 200)


def _mended(body: bytes) -> bytes:
    """Halves of characters, which JSON can write and UTF-8 cannot, as `?`: one update must not hide the others."""
    return json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "replace")


async def _whole(response: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > ANSWER_LIMIT:
            raise ValueError("the answer is too large")
    return bytes(body)


def _quiet(name: str) -> None:
    log = logging.getLogger(name)
    log.handlers, log.propagate = [logging.NullHandler()], False
