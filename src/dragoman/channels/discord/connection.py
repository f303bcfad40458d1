"""The connection to Discord: discord.py's client, with a door that tells when a request begins to leave.

1. The library's REST client sends again by itself (429, 5xx); under `once` it does not: the first answer counts, and
   429 is `Limited`. Reads keep the library's waiting, within a time-out.
2. Whether bytes of a request may have left is observed on the connection itself, because errors do not say it.
3. What the gateway says is heard as text, before the library reads it; the library keeps servers, channels and roles,
   and when it knows all servers of a new session, that is heard too, as None.
4. `api_url` replaces Discord's address, gateway included, on the loopback only: the token goes nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from dragoman.channels.leaving import Unsent as Unsent
from dragoman.channels.leaving import Unsure as Unsure
from dragoman.clock import HOUR, SECOND
from dragoman.errors import DragomanError

try:
    import aiohttp

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="'audioop' is deprecated", category=DeprecationWarning)
        import discord as discord
        from discord.http import HTTPClient, Route
        from discord.http import MultipartParameters as MultipartParameters
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="discord", fix="install it with `pip install 'dragoman[discord]'`"
    ) from missing

FAILURES: Final = (
    *(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError),
    *(ValueError, TypeError, LookupError, AttributeError),
)
"""How the library fails: the last four when an answer is not what it expects."""
_Answer = TypeVar("_Answer")
_LIMIT_WAIT: Final = 5 * SECOND


class Refused(Exception):
    """Discord read the request and will not do it; the status and Discord's own code."""


class Limited(Exception):
    """Discord said: not now. `wait` is in milliseconds."""

    def __init__(self, wait: int) -> None:
        super().__init__("rate limited")
        self.wait = wait


class _Attempt:
    """What became of one request under `once`."""

    started = False
    left = False


_attempt: ContextVar[_Attempt | None] = ContextVar("dragoman_discord_attempt", default=None)


class _Rest(HTTPClient):
    """The library's REST client, at another address if there is one."""

    here: str | None = None

    async def request(self, route: Route, **more: Any) -> Any:
        """One request of the library."""
        if self.here:
            route.url = self.here + route.url.removeprefix(Route.BASE)
        return await super().request(route, **more)

    async def ws_connect(self, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        """The gateway's socket."""
        if self.here:
            here = urlsplit(self.here)
            url = f"ws://{here.netloc}/gateway?{urlsplit(url).query}"
        return await super().ws_connect(url, compress=compress)


class Client(discord.Client):
    """discord.py's client that hands on what the gateway says, as text, and dispatches nothing else of it."""

    def __init__(self, hear: Callable[[str | None], None], *, api_url: str | None, intents: discord.Intents) -> None:
        super().__init__(
            intents=intents,
            max_messages=None,
            enable_debug_events=True,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self._hear = hear
        log = logging.getLogger("discord")
        if not log.hasHandlers():
            log.addHandler(logging.NullHandler())  # else Python writes its warnings to standard error by itself
        self.answered_at: str | None = None
        """`Date` of Discord's last answer."""
        rest = _Rest(self.http.loop, http_trace=_tracing(self))
        rest.here = None if api_url is None else checked(api_url)
        self.http = rest
        self._connection.http = rest

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Called by the library with everything that happens."""
        if event == "socket_raw_receive" and isinstance(args[0], str):
            self._hear(args[0])
        elif event == "ready":
            self._hear(None)


def intents(*, message_content: bool) -> discord.Intents:
    """What is asked of the gateway: servers, messages, direct messages, and what messages say."""
    asked = discord.Intents.none()
    asked.guilds = asked.guild_messages = asked.dm_messages = True
    asked.message_content = message_content
    return asked


def checked(api_url: str) -> str:
    """The address without its last slash.

    Raises:
        DragomanError: `config_invalid` when it is not on the loopback: it would be given the token.
    """
    address = urlsplit(api_url)
    if address.scheme != "http" or address.hostname not in ("127.0.0.1", "::1", "localhost"):
        raise DragomanError(
            "config_invalid", "the token would be given to another server", where="discord api_url", fix="leave it out"
        )
    return api_url.rstrip("/")


async def once(request: Awaitable[_Answer], timeout: float) -> _Answer:
    """Await one writing request of the library: one attempt, within `timeout` seconds.

    Raises:
        Unsent, Unsure, Refused, Limited: see there.
    """
    attempt = _Attempt()
    token = _attempt.set(attempt)
    try:
        async with asyncio.timeout(timeout):
            return await request
    except (Unsure, Limited):
        raise
    except discord.HTTPException as failed:
        if 400 <= failed.status < 500 and failed.status not in (408, 429):
            raise Refused(f"status {failed.status} code {failed.code}") from failed
        raise Unsure(f"status {failed.status}") from failed
    except FAILURES as failed:
        raise (Unsure if attempt.left else Unsent)(type(failed).__name__) from failed
    finally:
        _attempt.reset(token)


def _tracing(client: Client) -> aiohttp.TraceConfig:
    async def on_answer(session: object, context: object, params: Any) -> None:
        client.answered_at = params.response.headers.get("Date")

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(on_answer)
    trace.on_request_start.append(_on_start)
    trace.on_request_headers_sent.append(_on_headers)
    trace.on_request_end.append(_on_end)
    return trace


async def _on_start(session: object, context: object, params: object) -> None:
    attempt = _attempt.get()
    if attempt is None:
        return
    if attempt.started:
        raise Unsure("a second attempt")
    attempt.started = True


async def _on_headers(session: object, context: object, params: object) -> None:
    attempt = _attempt.get()
    if attempt is not None:
        attempt.left = True


async def _on_end(session: object, context: object, params: Any) -> None:
    if _attempt.get() is None:
        return
    response = params.response
    if response.status == 429:
        response.close()
        raise Limited(wait_of(response.headers.get("Retry-After")))
    if response.status >= 500:
        response.close()
        raise Unsure(f"status {response.status}")


def wait_of(header: str | None) -> int:
    """Milliseconds that `Retry-After` asks for (seconds, possibly broken), or a default."""
    try:
        asked = float(header or "")
    except ValueError:
        return _LIMIT_WAIT
    return min(int(asked * SECOND) + 1, HOUR) if 0 <= asked < float("inf") else _LIMIT_WAIT


def told(failed: Exception) -> DragomanError:
    """What a failure of the library means to the owner."""
    if isinstance(failed, DragomanError):
        return failed
    if isinstance(failed, discord.LoginFailure):
        return DragomanError(
            "channel_refused", "the token is not accepted", where="discord", fix="reset it in the developer portal"
        )
    if isinstance(failed, discord.HTTPException) and 400 <= failed.status < 500 and failed.status not in (408, 429):
        return DragomanError("channel_refused", f"status {failed.status}", where="discord")
    return DragomanError("channel_unreachable", type(failed).__name__, where="discord")
