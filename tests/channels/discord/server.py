"""Discord on a loopback port: the model of simcord, served over real sockets by a small server of our own.

simcord (by others) is an in-process model of Discord's REST API and gateway events: accounts, servers, channels,
permissions, messages, errors with Discord's own codes, what each intent lets through. It opens no socket. What is ours,
written from Discord's documentation, is this file only: HTTP around simcord's routes, the gateway's frames (hello,
identify, heartbeat, dispatch, close codes), the nonce that Discord enforces for a few minutes, `Retry-After`, and the
ways in which a test makes the server fail.

One `Town` is one bot with its own Discord, found by its token; every town is served at the same port.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar

from aiohttp import WSMsgType, web

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="'audioop' is deprecated", category=DeprecationWarning)
    import discord
    from simcord import intents as rules
    from simcord._clock import Clock
    from simcord.backend import Backend, serializers
    from simcord.backend.errors import BackendError
    from simcord.http import routes  # noqa: F401  importing it registers the routes
    from simcord.http.router import dispatch

API: Final = "/api/v10"
BAD_TOKEN, NO_INTENT = 4004, 4014
_Result = TypeVar("_Result")


class RealClock(Clock):
    """The wall's time."""

    def now(self) -> datetime:
        """The time."""
        return datetime.now(UTC)


class Written(NamedTuple):
    """One writing request of the bot that was carried out: method, path, body, and the id of what it made."""

    method: str
    path: str
    body: Any
    id: str


class _File:
    """An upload, as simcord's routes read it."""

    def __init__(self, filename: str, content: bytes, description: str | None) -> None:
        self.filename, self.description, self._content = filename, description, content
        self.fp = self

    def read(self) -> bytes:
        """The content."""
        return self._content


class Town:
    """One bot and its own Discord. Its methods are called on the server's loop (`Server.do`)."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.backend = Backend(clock=RealClock())
        self.written: list[Written] = []
        self.features: dict[int, list[str]] = {}
        self.approved_content = True
        self.application: dict[str, Any] = {}
        """What the developer portal is set to, beside the model's."""
        self.sessions = 0
        self.asked = discord.Intents.none()
        self.fails: Callable[[str, str], str] = lambda method, path: ""
        """Method and path of a request → "vanish", "lose", "later", "cut", "broken", or nothing."""
        self._nonces: dict[tuple[str, str], Any] = {}
        self._sockets: set[web.WebSocketResponse] = set()

    @property
    def bot_id(self) -> str:
        """The bot's user id."""
        return str(self.backend.bot_user.id)

    @property
    def application_id(self) -> str:
        """The application's id, another one than the bot's."""
        return str(self.backend.application_id)

    def answer(self, method: str, path: str, body: Any, params: Mapping[str, str], files: list[_File]) -> Any:
        """What Discord answers to one request of the bot.

        Raises:
            BackendError: a refusal, with Discord's status and code.
        """
        key = (path, str(body.get("nonce"))) if isinstance(body, dict) and body.get("enforce_nonce") else None
        if key and method == "POST" and key in self._nonces:
            return self._nonces[key]
        if path.endswith("/messages") and isinstance(body, dict):
            body = self._without_a_missing_reference(path, body)
        said = copy.deepcopy(dispatch(self.backend, method, path, json=body, params=dict(params), files=list(files)))
        if isinstance(said, dict) and path.startswith("/guilds/") and "features" in said:
            said["features"] = self.features.get(int(said["id"]), [])
        if path == "/oauth2/applications/@me":
            said |= self.application
        if key:
            self._nonces[key] = said
            said["nonce"] = key[1]
        if method != "GET":
            made = str(said.get("id", "")) if isinstance(said, dict) else ""
            self.written.append(Written(method, path, body, made))
        return said

    def _without_a_missing_reference(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """A reply to what is gone is a message of its own, where the sender lets it be."""
        reference = body.get("message_reference") or {}
        channel = int(path.split("/")[2])
        known = self.backend.messages.get(channel, {})
        if not reference or reference.get("fail_if_not_exists", True) or int(reference["message_id"]) in known:
            return body
        return {key: value for key, value in body.items() if key != "message_reference"}

    async def tell(self, socket: web.WebSocketResponse, asked: discord.Intents, *, again: bool) -> None:
        """Greet one gateway connection, and tell it everything that its intents let through, until it is cancelled."""
        events: asyncio.Queue[tuple[str, Mapping[str, Any]]] = asyncio.Queue()

        def hear(name: str, said: Mapping[str, Any]) -> None:
            events.put_nowait((name, copy.deepcopy(dict(said))))

        self.asked = asked
        for name, said in [("RESUMED", {})] if again else self._greeting():
            hear(name, said)
        self.backend.subscribers.append(hear)
        self._sockets.add(socket)
        self.sessions += 1
        try:
            await self._send(socket, events, asked)
        finally:
            self.sessions -= 1
            self._sockets.discard(socket)
            self.backend.subscribers.remove(hear)

    async def hang_up(self, code: int = 1001) -> None:
        """End every gateway connection."""
        for socket in list(self._sockets):
            await socket.close(code=code)

    def _greeting(self) -> Iterator[tuple[str, dict[str, Any]]]:
        guilds = list(self.backend.guilds.values())
        yield (
            "READY",
            {
                "v": 10,
                "user": dict(serializers.user_payload(self.backend.bot_user)),
                "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
                "session_id": "session",
                "resume_gateway_url": "wss://gateway.invalid",
                "shard": [0, 1],
                "application": {"id": self.application_id, "flags": 0},
            },
        )
        for guild in guilds:
            yield "GUILD_CREATE", dict(serializers.guild_create_payload(self.backend, guild))

    async def _send(
        self,
        socket: web.WebSocketResponse,
        events: asyncio.Queue[tuple[str, Mapping[str, Any]]],
        asked: discord.Intents,
    ) -> None:
        serial = 0
        while True:
            name, given = await events.get()
            said = dict(given)
            needed = rules.required_intent(name, said)
            if needed is not None and not getattr(asked, needed):
                continue
            bot = self.backend.bot_user.id
            if name in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and not asked.message_content:
                rules.censor_message(said, bot, backend=self.backend)
            if name in ("GUILD_CREATE", "GUILD_UPDATE"):
                said["features"] = self.features.get(int(said["id"]), [])
            if name == "GUILD_CREATE":
                rules.prune_guild_create(said, asked, bot)
            serial += 1
            with contextlib.suppress(ConnectionError):
                await socket.send_json({"op": 0, "t": name, "s": serial, "d": said})


class Server:
    """Every town at one port, on a thread of its own."""

    def __init__(self) -> None:
        self.towns: dict[str, Town] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.port = self._run(self._start())

    @property
    def url(self) -> str:
        """Where the API is."""
        return f"http://127.0.0.1:{self.port}{API}"

    def town(self, token: str) -> Town:
        """A new bot with its own Discord."""
        self.towns[token] = self.do(lambda: Town(token))
        return self.towns[token]

    def do(self, act: Callable[[], _Result]) -> _Result:
        """Something done to a town, on the server's loop."""

        async def done() -> _Result:
            return act()

        return self._run(done())

    def hang_up(self, town: Town, code: int = 1001) -> None:
        """End every gateway connection of a town."""
        self._run(town.hang_up(code))

    def close(self) -> None:
        """Stop; once is enough."""
        if self._loop.is_closed():
            return
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _start(self) -> int:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/gateway", self._gateway)
        app.router.add_route("*", API + "/{path:.*}", self._api)
        self._runner = web.AppRunner(app, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return int(self._runner.addresses[0][1])

    async def _stop(self) -> None:
        for town in self.towns.values():
            await town.hang_up()
        await self._runner.cleanup()

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        """One gateway connection, from hello to its end; its town is found by the token of the identify frame."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41_250}})
        telling: asyncio.Task[None] | None = None
        try:
            async for frame in socket:
                said = json.loads(frame.data) if frame.type is WSMsgType.TEXT else {"op": 0}
                if said["op"] == 1:
                    await socket.send_json({"op": 11})
                elif said["op"] in (2, 6) and telling is None:
                    town = self.towns.get(said["d"]["token"])
                    again = said["op"] == 6  # a session that goes on; what was said meanwhile is not told here
                    asked = town.asked if town and again else discord.Intents._from_value(said["d"]["intents"])
                    if town is None:
                        await socket.close(code=BAD_TOKEN)
                    elif asked.message_content and not town.approved_content:
                        await socket.close(code=NO_INTENT)
                    else:
                        telling = asyncio.ensure_future(town.tell(socket, asked, again=again))
        finally:
            if telling is not None:
                telling.cancel()
        return socket

    async def _api(self, request: web.Request) -> web.StreamResponse:
        body, files = await _read(request)
        town = self.towns.get(request.headers.get("Authorization", "").removeprefix("Bot "))
        if town is None:
            return _json({"message": "401: Unauthorized", "code": 0}, status=401)
        path = "/" + request.match_info["path"]
        failure = town.fails(request.method, path)
        if failure in ("vanish", "cut"):
            return _cut(request)
        if failure == "broken":
            return web.Response(text="<html>bad gateway</html>", status=502, content_type="text/html")
        if failure == "later":
            told = {"message": "You are being rate limited.", "retry_after": 2.5, "global": False}
            headers = {"Retry-After": "2.5", "X-RateLimit-Remaining": "0", "X-RateLimit-Scope": "user", "Via": "1.1"}
            return _json(told, status=429, headers=headers)
        try:
            said = town.answer(request.method, path, body, request.query, files)
        except BackendError as refused:
            return _json(refused.to_json(), status=refused.status)
        if failure == "lose":
            return _cut(request)
        return web.Response(status=204) if said is None else _json(said)


async def _read(request: web.Request) -> tuple[Any, list[_File]]:
    """The body of a request, and the files that came with it."""
    if not request.content_type.startswith("multipart/"):
        raw = await request.read()
        return (json.loads(raw) if raw else None), []
    body, files = None, []
    async for part in await request.multipart():
        content = bytes(await part.read())  # type: ignore[union-attr]
        if part.name == "payload_json":  # type: ignore[union-attr]
            body = json.loads(content)
        else:
            files.append((part.filename or "", content))  # type: ignore[union-attr]
    described = {int(each["id"]): each.get("description") for each in (body or {}).get("attachments", ())}
    return body, [_File(name, content, described.get(at)) for at, (name, content) in enumerate(files)]


def _json(said: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """An answer in the one content type that discord.py takes for JSON."""
    named = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(said).encode(), status=status, headers=named)


def _cut(request: web.Request) -> web.StreamResponse:
    """Cut the connection without an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)
