"""Socket Mode: we call Slack, and what happens comes down a websocket. The SDK's own client carries each connection.

1. `take` keeps an envelope's payload; only then is the envelope acknowledged, without words. What is not acknowledged
   Slack offers again.
2. A connection that ends is followed by another, with an address of its own: after a growing wait when there was none,
   or when it ended at once. Where Slack asks for it (`disconnect`), the SDK makes the next one.
3. Slack's no to our token ends it. An address in the clear is refused.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from dragoman.channels.address import is_private, pause
from dragoman.channels.slack.connection import Connection
from dragoman.errors import DragomanError

REFUSED: Final = frozenset(
    {
        *("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope"),
        *("not_allowed_token_type", "no_permission", "org_login_required"),
    }
)
"""Errors that no waiting mends."""
SHORT: Final = 5.0
"""Seconds below which a connection counts as none."""
LOOK: Final = 0.5
"""Seconds between two looks at a connection."""
PING: Final = 10.0
"""Seconds between two pings; a connection without answers to them is given up by the SDK's own count."""

Take = Callable[[str, Mapping[str, Any]], Awaitable[None]]
Report = Callable[[DragomanError], None]


async def listen(connection: Connection, app_token: str, take: Take, report: Report) -> None:
    """Hand every payload to `take`, with the envelope's type, without end.

    Args:
        connection: on the app's token.
        app_token: the same token, for the SDK.
        take: returns when the payload is kept; its error leaves the envelope unconfirmed.
        report: is told of outages, and of what could not be kept.

    Raises:
        DragomanError: `channel_refused` when Slack does not accept the token.
    """
    failures = 0
    while True:
        try:
            address = await _address(connection)
            began = time.monotonic()
            await _one(connection, app_token, address, take, report)
            if time.monotonic() - began > SHORT:
                failures = 0
                continue
        except DragomanError as failed:
            if failed.code == "channel_refused":
                raise
            if failures == 0:
                report(failed)
        failures += 1
        await asyncio.sleep(pause(failures))


async def _address(connection: Connection) -> str:
    told = await connection.ask("apps.connections.open")
    url = told.body.get("url")
    if told.error in REFUSED:
        raise DragomanError(
            "channel_refused",
            f"apps.connections.open: {told.error}",
            where="slack",
            fix="make an app-level token with the scope `connections:write`",
        )
    if not told.ok or type(url) is not str or not is_private(url):
        raise DragomanError("channel_unreachable", f"apps.connections.open: {told.error or told.status}", where="slack")
    return url


async def _one(connection: Connection, app_token: str, address: str, take: Take, report: Report) -> None:
    """One connection, until it ends.

    Raises:
        DragomanError: `channel_unreachable` when there was none.
    """
    client: Any = SocketModeClient(
        app_token,
        logger=connection.log,
        web_client=connection.client(),
        auto_reconnect_enabled=False,
        ping_interval=PING,
    )
    client.proxy = None

    async def asked(of: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        try:
            await take(request.type, request.payload)
        except DragomanError as failed:
            report(failed)
            return
        await of.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

    client.socket_mode_request_listeners.append(asked)
    client.wss_uri = address
    try:
        try:
            async with asyncio.timeout(connection.timeout):
                await client.connect()
        except TimeoutError as late:
            raise DragomanError("channel_unreachable", "no websocket", where="slack") from late
        while await client.is_connected():  # noqa: ASYNC110  the SDK tells of no end
            await asyncio.sleep(LOOK)
    finally:
        await client.close()
