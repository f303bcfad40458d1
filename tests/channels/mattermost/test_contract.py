"""Mattermost keeps the contract of every adapter, on a loopback server of our own (`server.py`)."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from dragoman.channels.mattermost.adapter import MattermostChannel
from dragoman.channels.mattermost.facts import facts
from dragoman.channels.mattermost.outgoing import MARKS
from dragoman.channels.mattermost.state import AuthorState, ChannelState, MattermostAgent, MattermostPlace
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.words import Fact
from tests.channels.mattermost.server import LOOKS, SEEN, WRITES, MattermostServer, Socket

TEAM = "team0".ljust(26, "z")


class Place(AdapterWorld):
    """A channel of a buyer's and ours, and our account in it."""

    def __init__(self, server: MattermostServer, folder: Path) -> None:
        self.server = server
        self.desk, self.buyer = server.user("desk", bot=True), server.user("kim")
        self.room = server.channel("O", TEAM, self.desk, self.buyer)
        host = f"127.0.0.1:{server.port}"
        self.somebody = Party("mattermost", host, self.buyer)
        self.target = Target("mattermost", f"{TEAM}@{host}", self.room)
        clock = SystemClock()
        self.channel: MattermostChannel = MattermostChannel(
            server.url,
            host,
            "token-desk",
            self.desk,
            clock=clock,
            spool=lambda: Spool(folder / "inbox", clock),
            timeout=2.0,
        )

    async def open(self) -> None:
        """Connect; somebody says something."""
        await self.channel.open()
        self.message_id = (await self.server.post(self.buyer, self.room, "the list?"))["id"]

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the server holds of us."""
        posts = self.server.of(self.room, self.desk)
        match operation:
            case Operation.TYPING:
                return [Shown("") for user, _ in self.server.typing if user == self.desk]
            case Operation.REACT:
                names = {name: mark for mark, name in MARKS.items()}
                return [Shown(f"{post}/{name}", names[name]) for _, post, name in self.server.marks]
            case Operation.EDIT:
                return [Shown(post["id"], post["message"]) for post in self.edits()]
            case Operation.UPLOAD:
                return [
                    Shown(p["id"], "", tuple(self.server.files[id] for id in p["file_ids"]))
                    for p in posts
                    if p["file_ids"]
                ]
        return [Shown(p["id"], self.first(p["id"])) for p in posts if not p["file_ids"]]

    def edits(self) -> list[dict[str, Any]]:
        """Every state that a post of ours was edited to, as a member was told."""
        told = [event for event in self.watched() if event["event"] == "post_edited"]
        posts = [json.loads(event["data"]["post"]) for event in told]
        return [post for post in posts if post["user_id"] == self.desk]

    def first(self, id: str) -> str:
        """What a post said at first, as a member was told."""
        told = [json.loads(event["data"]["post"]) for event in self.watched() if event["event"] == "posted"]
        return next((post["message"] for post in told if post["id"] == id), "?")

    def watched(self) -> list[dict[str, Any]]:
        """What the buyer's client was told."""
        return next(socket.sent for socket in self.server.sockets if socket.user == self.buyer)

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The server fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        server = self.server
        answers: dict[Trouble, tuple[re.Pattern[str], Callable[[], web.Response]]] = {
            Trouble.REFUSED: (
                WRITES,
                lambda: web.json_response({"id": "api.context.permissions.app_error"}, status=403),
            ),
            Trouble.RATE_LIMITED: (
                WRITES,
                lambda: web.Response(text="limit exceeded", status=429, headers={"X-Ratelimit-Reset": "2"}),
            ),
            Trouble.LOOK_UPS_FAIL: (LOOKS, lambda: web.Response(status=500)),
        }
        if kind in answers:
            pattern, made = answers[kind]
            server.before = lambda line: made() if _fits(pattern, line) else None
        elif kind is Trouble.VANISHED:
            server.vanish = lambda line: _fits(SEEN, line)
        elif kind is Trouble.ANSWER_LOST:
            server.lose = lambda line: _fits(SEEN, line)
        else:
            await server.stop()
        yield
        server.before, server.vanish, server.lose = (lambda line: None), (lambda line: False), (lambda line: False)
        if kind is Trouble.UNREACHABLE:
            await server.start()


def _fits(pattern: re.Pattern[str], line: str) -> bool:
    return pattern.match(line) is not None


@pytest.mark.platforms
class TestMattermostChannel(ChannelLaws):
    """The channel, on the loopback server."""

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh server and channel; a member looks on by a websocket of his own."""
        with tempfile.TemporaryDirectory() as folder:
            async with MattermostServer().running() as server:
                place = Place(server, Path(folder))
                server.sockets.append(Socket("onlooker", place.buyer))
                await place.open()
                try:
                    yield place
                finally:
                    await place.channel.close()


ME = MattermostAgent(server="chat.example.org", user_id="u" * 26, username="desk")
PLACE = MattermostPlace(
    channel=ChannelState(type="O", team_id="t" * 26, shared=False, bots=False),
    author=AuthorState(is_bot=False, guest=False),
)


class TestMattermostFacts(FactsLaws):
    """The facts, on events as the websocket brings them; what is packed as text there is packed by `read`."""

    def payloads(self) -> Payloads:
        """Posts of an open channel."""
        return Payloads(
            read=read,
            asking=event("p" * 26, "k" * 26, mentions=["u" * 26], message=f"@desk {TEXT}"),
            unasked=event("q" * 26, "k" * 26),
            target=Target("mattermost", f"{'t' * 26}@chat.example.org", "C" * 26),
            author=Party("mattermost", "chat.example.org", "k" * 26),
            echo=event("r" * 26, "u" * 26),
            names=("desk", "@desk", "@all", "@channel", "@here", "Desk"),
        )

    def test_a_request_is_one_and_the_rest_is_none(self) -> None:
        """As the law says, but that the name of the agent, which the mention needs, stands in its body."""
        given = self.payloads()
        asking, unasked = read(given.asking), read(given.unasked)

        assert (Fact.YES, Fact.NO) == (asking.mentions_agent, unasked.mentions_agent)
        assert (f"@desk {TEXT}", TEXT, TEXT) == (asking.body, asking.text, unasked.body)
        assert (asking.target, asking.author) == (given.target, given.author)


def event(id: str, user: str, mentions: list[str] | None = None, message: str = TEXT) -> dict[str, Any]:
    """One event, unpacked."""
    post = {
        "id": id,
        "create_at": START,
        "update_at": START,
        "edit_at": 0,
        "delete_at": 0,
        "user_id": user,
        "channel_id": "C" * 26,
        "root_id": "",
        "message": message,
        "type": "",
        "props": {"disable_group_highlight": True},
        "file_ids": ["f" * 26],
        "remote_id": "",
    }
    data = {"channel_type": "O", "team_id": "t" * 26, "sender_name": "@kim", "post": post}
    data |= {"mentions": mentions} if mentions else {}
    return {"event": "posted", "data": data, "broadcast": {"channel_id": "C" * 26}, "seq": 4}


def read(raw: Any) -> Event:
    """The facts of one event, as our websocket brought it."""
    data = raw.get("data") if isinstance(raw, dict) else None
    if isinstance(data, dict):
        packed = {key: json.dumps(data[key]) for key in ("post", "mentions") if isinstance(data.get(key), dict | list)}
        raw = {**raw, "data": {**data, **packed}}
    return facts(raw, ME, PLACE, received_at=START, authenticated=Fact.YES)
