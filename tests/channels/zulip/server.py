"""A loopback server of our own, built from Zulip's documented API. It is not Zulip, and proves nothing of it.

Sources: github.com/zulip/zulip, `zerver/openapi/zulip.yaml` (the API that zulip.com/api shows), event types of
`zerver/lib/event_types.py`, `zerver/tornado/event_queue.py`, and `api_docs/message-formatting.md` (how mentions are
rendered). What it does as they say: messages, edits, reactions, typing, uploads, users, streams, and event queues with
numbered events, own messages under their `local_id`, and a queue that the server has forgotten.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import html
import itertools
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final

from aiohttp import web

WRITES: Final = re.compile(
    r"POST /api/v1/(messages|messages/\d+/reactions|typing|user_uploads)$|PATCH /api/v1/messages/\d+$"
)
SEEN: Final = re.compile(rf"(?!.*/user_uploads$)({WRITES.pattern})")
"""Writes that somebody sees; a file that no message links to is seen by nobody."""
LOOKS: Final = re.compile(r"GET /api/v1/(users|streams/\d+(/members)?)$")
_WILDCARDS: Final = ("all", "everyone", "channel", "stream")


class Queue:
    """One event queue of one user."""

    def __init__(self, id: str, user: int) -> None:
        self.id, self.user = id, user
        self.events: list[dict[str, Any]] = []
        self.dropped = -1
        """The last event that its reader said to have."""
        self.grown = asyncio.Event()

    def put(self, event: dict[str, Any]) -> None:
        """Number an event, and keep it."""
        self.events.append({**event, "id": len(self.events)})
        self.grown.set()


class ZulipServer:
    """A realm in memory; `async with server.running()` serves it."""

    def __init__(self) -> None:
        self.port = 0
        self.users: dict[int, dict[str, Any]] = {}
        self.streams: dict[int, dict[str, Any]] = {}
        self.subscribers: dict[int, list[int]] = {}
        self.messages: dict[int, dict[str, Any]] = {}
        self.first: dict[int, str] = {}
        """Message id → what it said at first."""
        self.edits: list[tuple[int, str]] = []
        self.marks: list[tuple[int, int, str]] = []
        self.typing: list[int] = []
        self.files: dict[str, tuple[str, bytes]] = {}
        self.written: dict[int, int] = {}
        """User id → writing requests that were read."""
        self.queues: dict[str, Queue] = {}
        self.before: Callable[[str], web.Response | None] = lambda request: None
        """An answer instead of doing what was asked."""
        self.vanish: Callable[[str], bool] = lambda request: False
        self.lose: Callable[[str], bool] = lambda request: False
        self._serial = itertools.count(100)
        self._runner: web.AppRunner | None = None

    # --- people and places -------------------------------------------------------------------------------------------

    def user(self, name: str, *, bot: bool = False, guest: bool = False) -> int:
        """A new account; its id. Its key is `key-` and its name."""
        id = next(self._serial)
        told = {"user_id": id, "full_name": name, "email": f"{name}@zulip.test", "is_bot": bot, "is_active": True}
        self.users[id] = told | {"is_guest": guest, "role": 600 if guest else 400}
        return id

    def stream(self, *subscribers: int, public: bool = False) -> int:
        """A new stream; its id."""
        id = next(self._serial)
        self.streams[id] = {"stream_id": id, "name": f"shelves {id}", "is_web_public": public, "invite_only": True}
        self.subscribers[id] = list(subscribers)
        return id

    def renders(self, content: str) -> tuple[str, set[int], bool]:
        """The rendered content, who is mentioned in it by himself, and whether everybody is."""
        named: set[int] = set()
        everybody = False

        def mention(found: re.Match[str]) -> str:
            nonlocal everybody
            silent, name = bool(found[1]), html.unescape(found[2])
            if name in _WILDCARDS and not silent:
                everybody = True
                return f'<span class="user-mention channel-wildcard-mention" data-user-id="*">@{name}</span>'
            ids = [id for id, user in self.users.items() if user["full_name"] == name]
            if not ids:
                return found[0]
            if silent:
                return f'<span class="user-mention silent" data-user-id="{ids[0]}">{name}</span>'
            named.add(ids[0])
            return f'<span class="user-mention" data-user-id="{ids[0]}">@{name}</span>'

        def inline(text: str) -> str:
            text = html.escape(text, quote=False)
            text = re.sub(r"\[([^\]\n]*)\]\((/user_uploads/[^)\s]+)\)", r'<a href="\2">\1</a>', text)
            return re.sub(r"@(_?)\*\*([^*]+)\*\*", mention, text)

        pieces = re.split(r"(```quote\n.*?\n```|```\n.*?\n```)", content, flags=re.DOTALL)
        told = []
        for piece in pieces:
            if piece.startswith("```quote\n"):
                quoted = re.sub(r"@\*\*", "@_**", piece[9:-4])
                told.append(f"<blockquote>\n<p>{inline(quoted)}</p>\n</blockquote>")
            elif piece.startswith("```\n"):
                told.append(
                    f'<div class="codehilite"><pre><span></span><code>{html.escape(piece[4:-4])}</code></pre></div>'
                )
            elif piece.strip():
                told.append("<p>" + inline(piece.strip("\n")).replace("\n", "<br>\n") + "</p>")
        return "\n".join(told), named, everybody

    def say(
        self,
        user: int,
        content: str,
        *,
        stream: int = 0,
        people: list[int] | None = None,
        topic: str = "",
        local: tuple[Any, Any] = ("", ""),
    ) -> dict[str, Any]:
        """A new message, told to everybody who is there; in the queue that `local` names, under its second part."""
        id = next(self._serial)
        sender = self.users[user]
        direct = sorted({user, *(people or [])})
        message: dict[str, Any] = {
            "id": id,
            "sender_id": user,
            "sender_full_name": sender["full_name"],
            "sender_email": sender["email"],
            "sender_realm_str": "zulip",
            "content_type": "text/html",
            "raw": content,
            "timestamp": int(time.time()),
            "subject": topic,
            "is_me_message": False,
            "reactions": [],
            "type": "stream" if stream else "private",
            "display_recipient": [{"id": each, "full_name": self.users[each]["full_name"]} for each in direct],
        }
        if stream:
            message |= {"stream_id": stream, "display_recipient": self.streams[stream]["name"]}
        self.messages[id], self.first[id] = message, content
        for queue in self.queues.values():
            if queue.user in self._audience(message):
                named = {"local_message_id": local[1]} if local[0] == queue.id else {}
                queue.put({"type": "message", **self._told(message, queue.user), **named})
        return message

    def edit(self, id: int, content: str) -> None:
        """Another content of a message, told to everybody who is there."""
        message = self.messages[id]
        message["raw"] = content
        self.edits.append((id, content))
        rendered = self.renders(content)[0]
        told = {"message_id": id, "message_ids": [id], "user_id": message["sender_id"], "rendering_only": False}
        told |= {"edit_timestamp": int(time.time()), "content": content, "rendered_content": rendered}
        told |= {"stream_id": message["stream_id"]} if message["type"] == "stream" else {}
        for queue in self.queues.values():
            if queue.user in self._audience(message):
                queue.put({"type": "update_message", "flags": self._told(message, queue.user)["flags"], **told})

    def changed(self, type: str) -> None:
        """Tell everybody that something of people or streams changed."""
        for queue in self.queues.values():
            queue.put({"type": type, "op": "update"})

    def of(self, user: int, channel: str) -> list[dict[str, Any]]:
        """The messages of a user in a channel (`stream:ID` or `direct:ID,ID`), oldest first."""
        return [m for m in self.messages.values() if m["sender_id"] == user and self.channel(m) == channel]

    def channel(self, message: dict[str, Any]) -> str:
        """Where a message is."""
        if message["type"] == "stream":
            return f"stream:{message['stream_id']}"
        return "direct:" + ",".join(str(each["id"]) for each in message["display_recipient"])

    def _audience(self, message: dict[str, Any]) -> list[int]:
        if message["type"] == "stream":
            return self.subscribers[message["stream_id"]]
        return [each["id"] for each in message["display_recipient"]]

    def _told(self, message: dict[str, Any], user: int) -> dict[str, Any]:
        rendered, named, everybody = self.renders(message["raw"])
        flags = ["mentioned"] if user in named else []
        flags += ["stream_wildcard_mentioned"] if everybody else []
        return {"message": {k: v for k, v in message.items() if k != "raw"} | {"content": rendered}, "flags": flags}

    # --- serving -----------------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[ZulipServer]:
        """Serve on the loopback."""
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    async def start(self) -> None:
        """Listen, on the port from before if there was one."""
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/api/v1/{path:.*}", self._served)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening, and cut every connection."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    async def _served(self, request: web.Request) -> web.StreamResponse:
        line = f"{request.method} {request.path}"
        user = self._user(request)
        if WRITES.match(line):
            self.written[user] = self.written.get(user, 0) + 1
        instead = self.before(line)
        if instead is not None:
            return instead
        if self.vanish(line):
            await request.read()
            return _cut(request)
        if not user:
            return _error(401, "UNAUTHORIZED")
        answer = await self._route(request, user)
        return _cut(request) if self.lose(line) else answer

    def _user(self, request: web.Request) -> int:
        scheme, _, word = request.headers.get("Authorization", "").partition(" ")
        with contextlib.suppress(ValueError):
            email, _, key = base64.b64decode(word).decode().partition(":")
            for id, user in self.users.items():
                if scheme == "Basic" and user["email"] == email and key == f"key-{user['full_name']}":
                    return id
        return 0

    async def _route(self, request: web.Request, user: int) -> web.Response:
        path = request.match_info["path"].split("/")
        match request.method, *path:
            case "GET", "users", "me":
                return _ok(**self.users[user])
            case "GET", "users":
                return _ok(members=list(self.users.values()))
            case "GET", "streams", id, "members" if int(id) in self.streams:
                return _ok(subscribers=self.subscribers[int(id)])
            case "GET", "streams", id if int(id) in self.streams:
                return _ok(stream=self.streams[int(id)])
            case "GET", "users", "me", "subscriptions":
                return _ok(subscriptions=[self.streams[s] for s, who in self.subscribers.items() if user in who])
            case "POST", "register":
                queue = Queue(f"queue-{next(self._serial)}", user)
                self.queues[queue.id] = queue
                return _ok(queue_id=queue.id, last_event_id=-1, max_message_id=max(self.messages, default=0))
            case "GET", "events":
                return await self._events(request, user)
            case "GET", "messages":
                return self._listed(request, user)
            case "POST", "messages":
                return self._send(user, dict(await request.post()))
            case "PATCH", "messages", id:
                return self._edit(user, int(id), str((await request.post())["content"]))
            case "POST", "messages", id, "reactions":
                return self._react(user, int(id), str((await request.post())["emoji_name"]))
            case "POST", "typing":
                self.typing.append(user)
                return _ok()
            case "POST", "user_uploads":
                return self._upload(dict(await request.post()))
        return _error(404, "BAD_REQUEST")

    async def _events(self, request: web.Request, user: int) -> web.Response:
        queue = self.queues.get(request.query["queue_id"])
        if queue is None or queue.user != user:
            return _error(400, "BAD_EVENT_QUEUE_ID")
        after = int(request.query["last_event_id"])
        if after < queue.dropped:
            return _error(400, "BAD_REQUEST")
        queue.dropped = after
        deadline = time.monotonic() + 5
        while not queue.events[after + 1 :] and time.monotonic() < deadline and queue.id in self.queues:
            queue.grown.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(queue.grown.wait(), 0.2)
        if queue.id not in self.queues:
            return _error(400, "BAD_EVENT_QUEUE_ID")
        if not queue.events[after + 1 :]:
            queue.put({"type": "heartbeat"})
        return _ok(events=queue.events[after + 1 :], queue_id=queue.id)

    def _listed(self, request: web.Request, user: int) -> web.Response:
        mine = [m for m in self.messages.values() if user in self._audience(m)]
        for term in json.loads(request.query.get("narrow", "[]")):
            operand = term["operand"]
            if term["operator"] == "sender":
                mine = [m for m in mine if m["sender_id"] == operand]
            elif term["operator"] == "stream":
                mine = [m for m in mine if m.get("stream_id") == operand]
            else:
                people = sorted({user, *operand})
                mine = [m for m in mine if m["type"] == "private" and self._audience(m) == people]
        anchor, after = request.query["anchor"], int(request.query["num_after"])
        if anchor == "newest":
            found = mine[-int(request.query["num_before"]) :]
        else:
            found = [m for m in mine if m["id"] > int(anchor)][:after]
        told = [{**t["message"], "flags": t["flags"]} for t in (self._told(m, user) for m in found)]
        return _ok(messages=told, found_newest=len(found) < after or anchor == "newest")

    def _send(self, user: int, told: dict[str, Any]) -> web.Response:
        content = str(told["content"])
        if len(content) > 10_000 or not content.strip():
            return _error(400, "BAD_REQUEST")
        local = told.get("queue_id"), told.get("local_id")
        if told["type"] == "stream":
            stream = int(told["to"])
            if stream not in self.streams or user not in self.subscribers[stream]:
                return _error(400, "STREAM_DOES_NOT_EXIST")
            message = self.say(user, content.rstrip(), stream=stream, topic=str(told["topic"]), local=local)
        else:
            people = json.loads(told["to"])
            if not all(id in self.users for id in people):
                return _error(400, "BAD_REQUEST")
            message = self.say(user, content.rstrip(), people=people, local=local)
        return _ok(id=message["id"])

    def _edit(self, user: int, id: int, content: str) -> web.Response:
        if id not in self.messages or self.messages[id]["sender_id"] != user or len(content) > 10_000:
            return _error(400, "BAD_REQUEST")
        self.edit(id, content)
        return _ok()

    def _react(self, user: int, id: int, name: str) -> web.Response:
        if id not in self.messages:
            return _error(400, "BAD_REQUEST")
        if (user, id, name) in self.marks:
            return _error(400, "REACTION_ALREADY_EXISTS")
        self.marks.append((user, id, name))
        return _ok()

    def _upload(self, form: dict[str, Any]) -> web.Response:
        file = next((each for each in form.values() if isinstance(each, web.FileField)), None)
        if file is None:
            return _error(400, "BAD_REQUEST")
        url = f"/user_uploads/2/{next(self._serial)}/{file.filename}"
        self.files[url] = file.filename, file.file.read()
        return _ok(url=url, uri=url, filename=file.filename)


class InAThread:
    """The same server for tests of other processes: in a thread of its own."""

    def __init__(self, server: ZulipServer) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def do(self, doing: Any) -> Any:
        """Do something of the server in its loop."""
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(20)

    def say(self, user: int, content: str, **where: Any) -> dict[str, Any]:
        """A new message."""

        async def said() -> dict[str, Any]:
            return self.server.say(user, content, **where)

        message: dict[str, Any] = self.do(said())
        return message

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


def _ok(**told: Any) -> web.Response:
    return web.json_response({"result": "success", "msg": "", **told})


def _error(status: int, code: str) -> web.Response:
    return web.json_response({"result": "error", "msg": "no", "code": code}, status=status)


def _cut(request: web.Request) -> web.Response:
    """The connection is gone; what is answered goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
