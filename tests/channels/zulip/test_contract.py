"""Zulip keeps the contract of every adapter, on a loopback server of our own (`server.py`)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from dragoman.channels.zulip.adapter import ZulipChannel
from dragoman.channels.zulip.facts import facts
from dragoman.channels.zulip.outgoing import MARKS
from dragoman.channels.zulip.state import ZulipAgent, ZulipPlace
from dragoman.clock import SECOND, SystemClock
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.words import Fact
from tests.channels.zulip.server import LOOKS, SEEN, WRITES, ZulipServer


class Place(AdapterWorld):
    """A stream of a buyer's and ours, and our account in it."""

    def __init__(self, server: ZulipServer) -> None:
        self.server = server
        self.desk, self.kim = server.user("desk", bot=True), server.user("kim")
        self.stream = server.stream(self.desk, self.kim)
        host = f"127.0.0.1:{server.port}"
        self.somebody = Party("zulip", host, str(self.kim))
        self.target = Target("zulip", host, f"stream:{self.stream}")
        self.message_id = str(server.say(self.kim, "the list?", stream=self.stream, topic="returns")["id"])
        self.channel: ZulipChannel = ZulipChannel(
            server.url, host, "desk@zulip.test", "key-desk", self.desk, clock=SystemClock(), timeout=2.0
        )

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the server holds of us."""
        server = self.server
        ours = server.of(self.desk, self.target.channel)
        linked = re.compile(r"\[[^\]]*\]\((/user_uploads/[^)]+)\)")
        match operation:
            case Operation.TYPING:
                return [Shown("") for user in server.typing if user == self.desk]
            case Operation.REACT:
                names = {name: mark for mark, name in MARKS.items()}
                return [Shown(f"{id}/{name}", names[name]) for _, id, name in server.marks]
            case Operation.EDIT:
                return [Shown(str(id), text) for id, text in server.edits]
            case Operation.UPLOAD:
                found = [(m, linked.findall(server.first[m["id"]])) for m in ours]
                return [Shown(str(m["id"]), "", tuple(server.files[url] for url in urls)) for m, urls in found if urls]
        return [Shown(str(m["id"]), text) for m in ours if not linked.search(text := server.first[m["id"]])]

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The server fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        server = self.server
        later = {"result": "error", "code": "RATE_LIMIT_HIT", "msg": "later", "retry-after": 2.5}
        answers: dict[Trouble, tuple[re.Pattern[str], Callable[[], web.Response]]] = {
            Trouble.REFUSED: (
                WRITES,
                lambda: web.json_response({"result": "error", "code": "BAD_REQUEST"}, status=400),
            ),
            Trouble.RATE_LIMITED: (WRITES, lambda: web.json_response(later, status=429)),
            Trouble.LOOK_UPS_FAIL: (LOOKS, lambda: web.Response(status=500)),
        }
        if kind in answers:
            pattern, made = answers[kind]
            server.before = lambda line: made() if pattern.match(line) else None
        elif kind is Trouble.VANISHED:
            server.vanish = lambda line: SEEN.match(line) is not None
        elif kind is Trouble.ANSWER_LOST:
            server.lose = lambda line: SEEN.match(line) is not None
        else:
            await server.stop()
        yield
        server.before, server.vanish, server.lose = (lambda line: None), (lambda line: False), (lambda line: False)
        if kind is Trouble.UNREACHABLE:
            await server.start()


@pytest.mark.platforms
class TestZulipChannel(ChannelLaws):
    """The channel, on the loopback server."""

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh realm and stream."""
        async with ZulipServer().running() as server:
            place = Place(server)
            try:
                await place.channel.open()
                yield place
            finally:
                await place.channel.close()


ME = ZulipAgent(realm="chat.example.org", user_id=12, realm_str="example")
PLACE = ZulipPlace(shared=False, bots=False, author_is_bot=False, author_is_guest=False)


class TestZulipFacts(FactsLaws):
    """The facts, on events as the queue brings them."""

    def payloads(self) -> Payloads:
        """Messages of a stream; the text stands in what the server rendered."""
        mention = '<p><span class="user-mention" data-user-id="12">@Desk</span> '
        return Payloads(
            read=read,
            asking=event(31, 10, f"{mention}{TEXT}</p>", flags=["mentioned"]),
            unasked=event(32, 10, f"<p>{TEXT}</p>"),
            target=Target("zulip", "chat.example.org", "stream:7"),
            author=Party("zulip", "chat.example.org", "10"),
            echo=event(33, 12, f"<p>{TEXT}</p>"),
            names=("Desk", "desk", "**Desk**", "@**Desk**", "**all**"),
        )

    def test_a_request_is_one_and_the_rest_is_none(self) -> None:
        """As the law says, but that the name of the agent, which the mention needs, stands in its body."""
        given = self.payloads()
        asking, unasked = read(given.asking), read(given.unasked)

        assert (Fact.YES, Fact.NO) == (asking.mentions_agent, unasked.mentions_agent)
        assert (f"@Desk {TEXT}", TEXT, TEXT) == (asking.body, asking.text, unasked.body)
        assert (asking.target, asking.author) == (given.target, given.author)


def event(id: int, sender: int, content: str, flags: list[str] | None = None) -> dict[str, Any]:
    """One message of a stream."""
    message = {
        "id": id,
        "sender_id": sender,
        "content": content,
        "recipient_id": 23,
        "timestamp": START // SECOND,
        "client": "website",
        "subject": "returns",
        "topic_links": [],
        "is_me_message": False,
        "reactions": [],
        "submessages": [],
        "sender_full_name": "Kim",
        "sender_email": "kim@chat.example.org",
        "sender_realm_str": "example",
        "display_recipient": "shelves",
        "type": "stream",
        "stream_id": 7,
        "avatar_url": None,
        "content_type": "text/html",
    }
    return {"type": "message", "message": message, "flags": flags or [], "id": 1}


def read(raw: Any) -> Event:
    """The facts of one event, as our queue brought it."""
    return facts(raw, ME, PLACE, received_at=START, authenticated=Fact.YES)
