"""Socket Mode's other end, made by us from its documentation: no server by others that speaks it runs here.

It speaks `auth.test`, `apps.connections.open`, the envelopes `hello`, `events_api`, `slash_commands` and `disconnect`,
and keeps every acknowledgement. https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any, Final

from aiohttp import WSMsgType, web

from tests.channels.slack.server import APP, DESK, DESK_BOT, TEAM

APP_TOKEN: Final = "xapp-1-desk"


class SocketServer:
    """On the loopback; `async with` serves."""

    def __init__(self) -> None:
        self.acknowledged: list[dict[str, Any]] = []
        self.opened: list[str] = []
        self.calls: list[tuple[str, str]] = []
        self.refuse = ""
        self.insecure = False
        self.answers: dict[str, dict[str, Any]] = {}
        self.headers: dict[str, str] = {}
        self.status = 200
        self.hanging: frozenset[str] = frozenset()
        self.bodies: list[dict[str, Any]] = []
        self._serial = itertools.count(1)
        self._sockets: list[web.WebSocketResponse] = []
        self._connected = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        """The Web API."""
        return f"http://127.0.0.1:{self.port}/api/"

    async def __aenter__(self) -> SocketServer:
        app = web.Application()
        app.router.add_post("/api/{method}", self._api)
        app.router.add_get("/link", self._link)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *ended: object) -> None:
        for socket in self._sockets:
            await socket.close()
        await self._runner.cleanup()

    async def connected(self, times: int = 1) -> None:
        """Wait for so many connections since the beginning."""
        async with asyncio.timeout(45):
            while len(self.opened) < times:
                self._connected.clear()
                await self._connected.wait()

    async def send(self, payload: dict[str, Any], kind: str = "events_api") -> str:
        """One envelope on the newest connection; its id."""
        envelope_id = f"envelope-{next(self._serial)}"
        body = {"envelope_id": envelope_id, "type": kind, "payload": payload, "accepts_response_payload": False}
        await self._sockets[-1].send_str(json.dumps(body))
        return envelope_id

    async def ask_to_go(self) -> None:
        """The server is about to close the connection."""
        await self._sockets[-1].send_str(json.dumps({"type": "disconnect", "reason": "refresh_requested"}))

    async def cut(self) -> None:
        """The connection is gone."""
        await self._sockets[-1].close()

    async def _api(self, request: web.Request) -> web.Response:
        method, token = request.match_info["method"], request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.calls.append((method, token))
        if method in self.hanging:
            await asyncio.sleep(60)
        if request.content_type == "application/json":
            self.bodies.append(await request.json())
        if method in self.answers:
            return web.json_response(self.answers[method], headers=self.headers, status=self.status)
        if method == "auth.test":
            return web.json_response({"ok": True, "team_id": TEAM, "user_id": DESK, "bot_id": DESK_BOT, "app_id": APP})
        if method != "apps.connections.open":
            return web.json_response({"ok": False, "error": "missing_scope"})
        if token != APP_TOKEN or self.refuse:
            return web.json_response({"ok": False, "error": self.refuse or "invalid_auth"})
        ticket = f"ticket-{next(self._serial)}"
        host = "ws://example.test" if self.insecure else f"ws://127.0.0.1:{self.port}"
        return web.json_response({"ok": True, "url": f"{host}/link?ticket={ticket}"})

    async def _link(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._sockets.append(socket)
        self.opened.append(request.query["ticket"])
        await socket.send_str(json.dumps({"type": "hello", "num_connections": 1, "connection_info": {"app_id": APP}}))
        self._connected.set()
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                self.acknowledged.append(json.loads(message.data))
        return socket
