"""A loopback server of our own, built from Mattermost's documented API. It is not Mattermost, and proves nothing of it.

Sources: the OpenAPI description (github.com/mattermost/mattermost, `api/v4/source`), the types that it sends
(`server/public/model`), and what its sources say of websockets (`server/channels/app/web_broadcast_hooks.go`,
`platform/web_conn.go`) and of `pending_post_id` (`server/channels/app/post.go`). What it does as they say: posts,
patches, reactions, typing, files, members, users, a websocket with numbered events that can be taken up again, mentions
that each one is told of himself alone, and a pending id that is forgotten.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final

from aiohttp import WSMsgType, web

PENDING_SECONDS: Final = 30.0
WRITES: Final = re.compile(r"POST /api/v4/(posts|reactions|files|users/[^/]+/typing)$|PUT /api/v4/posts/[^/]+/patch$")
SEEN: Final = re.compile(rf"(?!.*/files$)({WRITES.pattern})")
"""Writes that somebody sees; a file that no post names is seen by nobody."""
LOOKS: Final = re.compile(r"GET /api/v4/(channels|users)|POST /api/v4/users/ids$")
_EVERYBODY: Final = ("all", "channel", "here")


class Socket:
    """One websocket of one user: what was sent to it, by number."""

    def __init__(self, id: str, user: str) -> None:
        self.id, self.user = id, user
        self.sent: list[dict[str, Any]] = []
        self.open: web.WebSocketResponse | None = None

    async def send(self, event: dict[str, Any]) -> None:
        """Number an event, keep it, and send it if anybody is there."""
        self.sent.append({**event, "seq": len(self.sent)})
        if self.open is not None and not self.open.closed:
            with contextlib.suppress(ConnectionError):
                await self.open.send_json(self.sent[-1])


class MattermostServer:
    """Teams, channels, people and posts in memory; `async with server.running()` serves them."""

    def __init__(self) -> None:
        self.port = 0
        self.users: dict[str, dict[str, Any]] = {}
        self.tokens: dict[str, str] = {}
        self.channels: dict[str, dict[str, Any]] = {}
        self.members: dict[str, list[str]] = {}
        self.posts: dict[str, dict[str, Any]] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self.marks: list[tuple[str, str, str]] = []
        self.typing: list[tuple[str, str]] = []
        self.written: dict[str, int] = {}
        """User id → writing requests that were read."""
        self.sockets: list[Socket] = []
        self.remembers = True
        """Whether a cut websocket can be taken up again."""
        self.before: Callable[[str], web.Response | None] = lambda request: None
        """An answer instead of doing what was asked."""
        self.vanish: Callable[[str], bool] = lambda request: False
        self.lose: Callable[[str], bool] = lambda request: False
        self._pending: dict[str, tuple[float, str]] = {}
        self._serial = itertools.count(1)
        self._runner: web.AppRunner | None = None

    # --- people and places -------------------------------------------------------------------------------------------

    def id(self, kind: str) -> str:
        """A new id of 26 characters, as Mattermost's are."""
        return f"{kind}{next(self._serial)}".ljust(26, "z")[:26]

    def user(self, username: str, *, bot: bool = False, guest: bool = False, remote: str = "") -> str:
        """A new account; its id. Its token is `token-` and its username."""
        id = self.id(f"u{re.sub('[^a-z]', '', username)}")
        roles = "system_guest" if guest else "system_user"
        user: dict[str, Any] = {"id": id, "username": username, "roles": roles, "nickname": "", "delete_at": 0}
        user |= {"is_bot": True} if bot else {}
        user |= {"remote_id": remote} if remote else {}
        self.users[id] = user
        self.tokens[f"token-{username}"] = id
        return id

    def channel(self, type: str, team: str, *members: str, shared: bool = False) -> str:
        """A new channel; its id."""
        id = self.id("c")
        name = "__".join(sorted(members)) if type == "D" else id
        told = {"id": id, "type": type, "team_id": team if type in "OP" else "", "name": name, "last_post_at": 0}
        self.channels[id] = told | ({"shared": True} if shared else {})
        self.members[id] = list(members)
        return id

    def named(self, message: str) -> set[str]:
        """The usernames that a text names outside of code, as the server reads it."""
        plain = re.sub(r"```.*?```|`[^`]*`", " ", message, flags=re.DOTALL)
        return {found.lower().rstrip("._-") for found in re.findall(r"(?<![\w@.])@([\w.-]+)", plain)}

    async def post(self, user: str, channel: str, message: str, **more: Any) -> dict[str, Any]:
        """A new post, told to every member."""
        now = int(time.time() * 1000)
        post: dict[str, Any] = {
            "id": self.id("p"),
            "create_at": now,
            "update_at": now,
            "edit_at": 0,
            "delete_at": 0,
            "is_pinned": False,
            "user_id": user,
            "channel_id": channel,
            "root_id": "",
            "original_id": "",
            "message": message,
            "type": "",
            "props": {},
            "hashtags": "",
            "file_ids": [],
            "pending_post_id": "",
            "reply_count": 0,
            "last_reply_at": 0,
            "participants": None,
            "metadata": {},
            **more,
        }
        if self.users[user].get("is_bot"):
            post["props"] = {**post["props"], "from_bot": "true"}
        self.posts[post["id"]] = post
        self.channels[channel]["last_post_at"] = now
        await self._tell("posted", post)
        return post

    async def edit(self, id: str, message: str) -> dict[str, Any]:
        """Another text of a post, told to every member."""
        now = int(time.time() * 1000)
        self.posts[id] |= {"message": message, "update_at": now, "edit_at": now}
        await self._tell("post_edited", self.posts[id])
        return self.posts[id]

    async def changed(self, event: str, channel: str) -> None:
        """Tell everybody that something of a channel or of people changed."""
        for socket in self.sockets:
            await socket.send({"event": event, "data": {}, "broadcast": {"channel_id": channel}})

    async def _tell(self, event: str, post: dict[str, Any]) -> None:
        channel = self.channels[post["channel_id"]]
        names, members = self.named(post["message"]), self.members[post["channel_id"]]
        everybody = any(name in names for name in _EVERYBODY)
        broadcast = {"omit_users": None, "user_id": "", "channel_id": channel["id"], "team_id": ""}
        for socket in [each for each in self.sockets if each.user in members]:
            data: dict[str, Any] = {"post": json.dumps(post)}
            if event == "posted":
                data |= {"channel_type": channel["type"], "channel_name": channel["name"], "set_online": True}
                data |= {
                    "channel_display_name": "Shelves",
                    "sender_name": "@" + self.users[post["user_id"]]["username"],
                }
                data |= {"team_id": channel["team_id"]}
                direct = channel["type"] == "D" and socket.user != post["user_id"]
                if direct or everybody or self.users[socket.user]["username"] in names:
                    data["mentions"] = json.dumps([socket.user])
            await socket.send({"event": event, "data": data, "broadcast": broadcast})

    def of(self, channel: str, user: str) -> list[dict[str, Any]]:
        """The posts of a user in a channel, oldest first."""
        return [post for post in self.posts.values() if (post["channel_id"], post["user_id"]) == (channel, user)]

    # --- serving -----------------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[MattermostServer]:
        """Serve on the loopback."""
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    async def start(self) -> None:
        """Listen, on the port from before if there was one."""
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/api/v4/{path:.*}", self._served)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening, and cut every connection."""
        for socket in self.sockets:
            if socket.open is not None:
                await socket.open.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    async def _served(self, request: web.Request) -> web.StreamResponse:
        line = f"{request.method} {request.path}"
        if WRITES.match(line):
            user = self._user(request)
            self.written[user] = self.written.get(user, 0) + 1
        instead = self.before(line)
        if instead is not None:
            return instead
        if self.vanish(line):
            await request.read()
            return _cut(request)
        answer = await self._route(request)
        return _cut(request) if self.lose(line) else answer

    def _user(self, request: web.Request) -> str:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return self.tokens.get(token, "") if scheme == "Bearer" else ""

    async def _route(self, request: web.Request) -> web.StreamResponse:
        user = self._user(request)
        if not user:
            return _error(401, "api.context.session_expired.app_error")
        path = request.match_info["path"].split("/")
        match request.method, *path:
            case "GET", "websocket":
                return await self._websocket(request, user)
            case "GET", "users", "me":
                return web.json_response(self.users[user])
            case "GET", "users", "me", "teams":
                mine = {channel["team_id"] for id, channel in self.channels.items() if user in self.members[id]}
                return web.json_response([{"id": team} for team in sorted(mine | {"team0".ljust(26, "z")}) if team])
            case "GET", "users", "me", "teams", team, "channels":
                mine_ = [c for id, c in self.channels.items() if user in self.members[id]]
                return web.json_response([c for c in mine_ if c["team_id"] in ("", team)])
            case "GET", "users", other if other in self.users:
                return web.json_response(self.users[other])
            case "POST", "users", "ids":
                return web.json_response([self.users[id] for id in await request.json() if id in self.users])
            case "POST", "users", _, "typing":
                told = await request.json()
                self.typing.append((user, told["channel_id"]))
                return web.json_response({"status": "OK"})
            case "POST", "posts":
                return await self._create(user, await request.json())
            case "PUT", "posts", id, "patch" if id in self.posts:
                return await self._patch(user, id, await request.json())
            case "POST", "reactions":
                return self._react(user, await request.json())
            case "POST", "files":
                return await self._upload(user, request)
            case "GET", "channels", id, *rest if id in self.channels and user in self.members[id]:
                return self._of_channel(id, rest, request)
        return _error(403 if path[0] == "channels" else 404, "api.context.permissions.app_error")

    def _of_channel(self, id: str, rest: list[str], request: web.Request) -> web.Response:
        if rest == ["members"]:
            page, each = int(request.query.get("page", 0)), min(200, int(request.query.get("per_page", 60)))
            found = self.members[id][page * each : (page + 1) * each]
            return web.json_response([{"channel_id": id, "user_id": user} for user in found])
        if rest == ["posts"]:
            since = int(request.query.get("since", 0))
            posts = {p["id"]: p for p in self.posts.values() if p["channel_id"] == id and p["update_at"] >= since}
            return web.json_response({"order": list(posts)[::-1], "posts": posts})
        return web.json_response(self.channels[id])

    async def _create(self, user: str, told: dict[str, Any]) -> web.Response:
        channel, message = told.get("channel_id"), told.get("message", "")
        if channel not in self.channels or user not in self.members[channel]:
            return _error(403, "api.context.permissions.app_error")
        if len(message) > 16_383:
            return _error(400, "model.post.is_valid.message_length.app_error")
        pending = told.get("pending_post_id", "")
        kept = self._pending.get(pending)
        if pending and kept is not None and time.monotonic() - kept[0] < PENDING_SECONDS:
            return web.json_response(self.posts[kept[1]], status=201)
        more = {key: told[key] for key in ("root_id", "props", "file_ids", "pending_post_id") if key in told}
        post = await self.post(user, channel, message, **more)
        self._pending[pending] = time.monotonic(), post["id"]
        return web.json_response(post, status=201)

    async def _patch(self, user: str, id: str, told: dict[str, Any]) -> web.Response:
        if self.posts[id]["user_id"] != user:
            return _error(403, "api.context.permissions.app_error")
        if len(told["message"]) > 16_383:
            return _error(400, "model.post.is_valid.message_length.app_error")
        return web.json_response(await self.edit(id, told["message"]))

    def _react(self, user: str, told: dict[str, Any]) -> web.Response:
        if told["post_id"] not in self.posts or not re.fullmatch(r"[a-z0-9_+-]{1,64}", told["emoji_name"]):
            return _error(400, "api.reaction.save_reaction.invalid.app_error")
        mark = (user, told["post_id"], told["emoji_name"])
        self.marks += [mark] if mark not in self.marks else []
        return web.json_response({**told, "create_at": int(time.time() * 1000)}, status=201)

    async def _upload(self, user: str, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["files"]
        if str(form["channel_id"]) not in self.channels or not isinstance(file, web.FileField):
            return _error(400, "api.file.upload_file.app_error")
        id = self.id("f")
        self.files[id] = file.filename, file.file.read()
        return web.json_response({"file_infos": [{"id": id, "name": file.filename}], "client_ids": []}, status=201)

    async def _websocket(self, request: web.Request, user: str) -> web.StreamResponse:
        response = web.WebSocketResponse()
        await response.prepare(request)
        asked, number = request.query.get("connection_id", ""), int(request.query.get("sequence_number", 0))
        kept = [each for each in self.sockets if (each.id, each.user) == (asked, user)] if self.remembers else []
        if kept:
            socket = kept[0]
            for event in socket.sent[number:]:
                await response.send_json(event)
            socket.open = response
        else:
            self.sockets = [each for each in self.sockets if each.id != asked]
            socket = Socket(self.id("w"), user)
            socket.open = response
            self.sockets.append(socket)
            hello = {"server_version": "11.0.0", "connection_id": socket.id}
            await socket.send({"event": "hello", "data": hello, "broadcast": {"user_id": user}})
        async for message in response:
            if message.type is WSMsgType.ERROR:
                break
        return response


class InAThread:
    """The same server for tests of other processes: in a thread of its own, spoken to over the network."""

    def __init__(self, server: MattermostServer) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def do(self, doing: Any) -> Any:
        """Do something of the server in its loop."""
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(20)

    @contextlib.contextmanager
    def running(self) -> Iterator[InAThread]:
        """Serve."""
        self._thread.start()
        try:
            self.do(self.server.start())
            yield self
        finally:
            self.do(self.server.stop())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop.close()


def _error(status: int, id: str) -> web.Response:
    return web.json_response({"id": id, "message": "no", "status_code": status, "request_id": ""}, status=status)


def _cut(request: web.Request) -> web.Response:
    """The connection is gone; what is answered goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
