"""Where discord.py lets something leave, and by which name each call is judged (`wall.py`, `calls.py`).

    HTTPClient.request                       every method of the models and of the client: by method and route
    the webhook adapters, async and sync     webhooks, followups and answers to interactions: by method and route
    DiscordWebSocket                         presence and voice, by the gateway's opcode
    the client's aiohttp session             what is sent by it past `HTTPClient`: by method and address

1. A call is the guarded account's when its client is, or when it carries its token.
2. A webhook names no account: it is judged whenever any Discord client is guarded.
"""

from __future__ import annotations

import json
import re
from contextlib import AbstractContextManager
from typing import Any, Final

from dragoman.channels.discord.connection import discord  # first: it says what is missing, and quiets what warns
from dragoman.channels.wall import Wall, Walls, fence, passing

import aiohttp  # isort: skip
from discord.gateway import DiscordWebSocket  # isort: skip
from discord.http import HTTPClient, Route  # isort: skip
from discord.webhook.async_ import AsyncWebhookAdapter  # isort: skip
from discord.webhook.sync import WebhookAdapter  # isort: skip

WALLS: Final = Walls()
_ID: Final = re.compile(r"/[0-9]+(?=/|\Z)")

Crossing = AbstractContextManager[None]


def raise_fences() -> None:
    """Put every fence up; once per process, and without effect for clients that no gate guards.

    Raises:
        DragomanError: `not_ready` for a version of the SDK that sends by another way.
    """
    fence(HTTPClient, "request", _request)
    for adapter in (AsyncWebhookAdapter, WebhookAdapter):
        fence(adapter, "request", _webhook)
    for way in ("send", "debug_send"):
        fence(DiscordWebSocket, way, _gateway)


def watch_session(client: discord.Client, wall: Wall) -> None:
    """The client's session is watched too, be it made already or at the login: whatever is no GET."""

    async def starting(_: object, __: object, params: aiohttp.TraceRequestStartParams) -> None:
        if params.method != "GET":
            wall.judge(f"{params.method} {_ID.sub('/{id}', str(params.url).removeprefix(Route.BASE))}")

    trace = client.http.http_trace or aiohttp.TraceConfig()
    made = getattr(client.http, "_HTTPClient__session", None)
    if made:
        trace = aiohttp.TraceConfig()
        trace.on_request_start.append(starting)
        trace.freeze()
        made.trace_configs.append(trace)
    else:
        trace.on_request_start.append(starting)
        client.http.http_trace = trace


def _request(http: Any, route: Route, **_: Any) -> Crossing:
    wall = WALLS.around(http, secret=http.token)
    return wall.crossing(_name(route)) if wall else passing()


def _webhook(_: Any, route: Route, *__: Any, **___: Any) -> Crossing:
    wall = WALLS.any()
    return wall.crossing(_name(route)) if wall else passing()


def _gateway(socket: Any, data: str) -> Crossing:
    wall = WALLS.around(secret=socket.token)
    if wall is None:
        return passing()
    try:
        opcode = json.loads(data)["op"]
    except (ValueError, TypeError, KeyError):
        opcode = "unknown"
    return wall.crossing(f"gateway {opcode}")


def _name(route: Route) -> str:
    return f"{route.method} {_ID.sub('/{id}', route.path)}"
