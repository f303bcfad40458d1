"""Where Slack's SDK and Bolt let something leave, and by which name each call is judged (`wall.py`, `calls.py`).

    WebClient, AsyncWebClient, the legacy one      every method, `say`, streams, pagination: by the method's name
    upload URLs, `respond`, incoming webhooks      `files.upload_url`, `webhook`
    `ack(...)` or a response with words            `ack`; without words it only confirms
    what Socket Mode answers                       `socket_mode.response`, likewise
    RTM, SCIM                                      `rtm.message`; `scim.change` for what is no GET
    a session of the bot's own, towards Slack      by the method's name

1. A call is the guarded account's when its client is, or when it carries its token: Bolt makes a client per request.
2. What names no account (a webhook, an answer to Slack's request) is judged whenever any Slack client is guarded.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final
from urllib.parse import urlsplit

from dragoman.channels.wall import Wall, Walls, fence, passing
from dragoman.errors import DragomanError

try:
    import aiohttp
    from slack_sdk.rtm_v2 import RTMClient
    from slack_sdk.scim.v1.async_client import AsyncSCIMClient
    from slack_sdk.scim.v1.client import SCIMClient
    from slack_sdk.socket_mode.aiohttp import SocketModeClient as SocketOnAiohttp
    from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
    from slack_sdk.socket_mode.builtin import SocketModeClient as SocketOnThreads
    from slack_sdk.socket_mode.client import BaseSocketModeClient
    from slack_sdk.web.async_base_client import AsyncBaseClient
    from slack_sdk.web.base_client import BaseClient
    from slack_sdk.web.legacy_base_client import LegacyBaseClient
    from slack_sdk.webhook.async_client import AsyncWebhookClient
    from slack_sdk.webhook.client import WebhookClient
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="slack", fix="install it with `pip install 'dragoman[slack]'`"
    ) from missing

WALLS: Final = Walls()
HOST: Final = "slack.com"

Crossing = AbstractContextManager[None]


def raise_fences() -> None:
    """Put every fence up; once per process, and without effect for clients that no gate guards.

    Raises:
        DragomanError: `not_ready` for a version of the SDK that sends by another way.
    """
    for owner, name, crossing in _TRANSPORTS:
        fence(owner, name, crossing)
    _fence_bolt()


def watch_session(session: aiohttp.ClientSession | None, base_url: str, wall: Wall) -> None:
    """A session that the bot handed to its client is watched too, on its way to Slack: every call of the API, and what
    else is no GET."""
    if session is None:
        return

    async def starting(_: object, __: object, params: aiohttp.TraceRequestStartParams) -> None:
        url, host = str(params.url), params.url.host or ""
        slacks = host == HOST or host.endswith(f".{HOST}")
        if url.startswith(base_url) or (slacks and (params.method != "GET" or params.url.path.startswith("/api/"))):
            wall.judge(_method(url))

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(starting)
    trace.freeze()
    session.trace_configs.append(trace)


# --- the SDK ---------------------------------------------------------------------------------------------------------


def _form(client: Any, *, url: str, args: Mapping[str, Any]) -> Crossing:
    return _crossing(client, _method(url), args)


def _request(client: Any, *, http_verb: str, api_url: str, req_args: Mapping[str, Any]) -> Crossing:
    return _crossing(client, _method(api_url), req_args)


def _upload(client: Any, **_: Any) -> Crossing:
    return _crossing(client, "files.upload_url", {})


def _webhook(_: Any, **__: Any) -> Crossing:
    return _nameless("webhook")


def _scim(client: Any, *, http_verb: str = "GET", **_: Any) -> Crossing:
    return _crossing(client, "scim.read" if http_verb == "GET" else "scim.change", {})


def _socket_answer(_: Any, response: Any) -> Crossing:
    said = response if isinstance(response, Mapping) else response.to_dict()
    return _nameless("socket_mode.response" if said.get("payload") else "socket_mode.ack")


def _socket_message(_: Any, message: str) -> Crossing:
    try:
        said = json.loads(message)
    except ValueError:
        said = None
    only_confirms = isinstance(said, dict) and not said.get("payload") and set(said) <= {"envelope_id", "payload"}
    return _nameless("socket_mode.ack" if only_confirms else "socket_mode.response")


def _rtm(_: Any, payload: Any) -> Crossing:
    pings = isinstance(payload, Mapping) and payload.get("type") == "ping"
    return _nameless("rtm.ping" if pings else "rtm.message")


_TRANSPORTS: Final[tuple[tuple[type, str, Callable[..., Crossing]], ...]] = (
    (BaseClient, "_perform_urllib_http_request", _form),
    (AsyncBaseClient, "_request", _request),
    (LegacyBaseClient, "_perform_urllib_http_request", _form),
    (LegacyBaseClient, "_request", _request),
    *((client, "_upload_file", _upload) for client in (BaseClient, AsyncBaseClient, LegacyBaseClient)),
    *((client, "_perform_http_request", _webhook) for client in (WebhookClient, AsyncWebhookClient)),
    *((client, "_perform_http_request", _scim) for client in (SCIMClient, AsyncSCIMClient)),
    (BaseSocketModeClient, "send_socket_mode_response", _socket_answer),
    (AsyncBaseSocketModeClient, "send_socket_mode_response", _socket_answer),
    (SocketOnThreads, "send_message", _socket_message),
    (SocketOnAiohttp, "send_message", _socket_message),
    (RTMClient, "send", _rtm),
)


# --- Bolt ------------------------------------------------------------------------------------------------------------


def _fence_bolt() -> None:
    try:
        from slack_bolt import App
        from slack_bolt.app.async_app import AsyncApp
        from slack_bolt.context.ack import Ack
        from slack_bolt.context.ack.async_ack import AsyncAck
    except ImportError:  # a bot on the SDK alone
        return
    for ack in (Ack, AsyncAck):
        fence(ack, "__call__", _ack, _judged)
    fence(App, "dispatch", passing, _answered)
    fence(AsyncApp, "async_dispatch", passing, _answered)


def _ack(_: Any, *said: Any, **named: Any) -> Crossing:
    return _nameless("ack" if any(said) or any(named.values()) else "ack.empty")


def _judged(response: Any) -> None:
    response._dragoman_judged = True


def _answered(response: Any) -> None:
    """What Slack's request is answered with, if a listener made it without `ack`. Slack shows it only with status 200;
    the echo of a challenge is shown to nobody."""
    said = None if response is None or getattr(response, "_dragoman_judged", False) else response.body
    if not said or response.status != 200:
        return
    with contextlib.suppress(ValueError, TypeError):
        if set(json.loads(said)) == {"challenge"}:
            return
    with _nameless("ack"):
        pass


# --- whose call it is ------------------------------------------------------------------------------------------------


def _crossing(client: Any, call: str, args: Mapping[str, Any]) -> Crossing:
    for secret in (getattr(client, "token", None), *_secrets(args)):
        if wall := WALLS.around(client, secret=secret):
            return wall.crossing(call)
    return passing()


def _nameless(call: str) -> Crossing:
    wall = WALLS.any()
    return wall.crossing(call) if wall else passing()


def _secrets(args: Mapping[str, Any]) -> list[str]:
    """Every token that a request carries: in its header, or among its fields."""
    headers = args.get("headers") or {}
    found = [str(value).removeprefix("Bearer ") for name, value in headers.items() if name.lower() == "authorization"]
    fields = [args.get(part) for part in ("params", "data", "json")]
    return found + [str(field["token"]) for field in fields if isinstance(field, Mapping) and field.get("token")]


def _method(url: str) -> str:
    """The API method that a URL calls; exactly its last segment, so that nothing odd matches a row of the table."""
    path = urlsplit(url).path
    return path.rpartition("/")[2] or path
