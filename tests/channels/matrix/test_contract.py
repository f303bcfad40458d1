"""Matrix keeps the contract that every adapter is held to: its channel on a real homeserver, its facts on real events.

The homeserver is seen by another member's client and by its own access log. Troubles happen on the way to it: a proxy
cuts requests or answers, or is not there. A refusal is the homeserver's own, of an account that was put out.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from dragoman.channels.matrix.adapter import MatrixChannel
from dragoman.channels.matrix.facts import facts
from dragoman.channels.matrix.state import MatrixAgent, RoomState
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
from tests.e2e.counting import proxy
from tests.synapse import Synapse

WRITES = re.compile(r"PUT .*/(send|typing)/|POST .*/(receipt|read_markers)")
LOOKS = re.compile(r"GET .*/(joined_members|members|state)")
FILES = ("m.file", "m.image")
RECEIPT = re.compile(r"POST .*/(receipt|read_markers)")
NEVER = (403, json.dumps({"errcode": "M_FORBIDDEN", "error": "no"}).encode())
"""Synapse takes read receipts of whoever was put out of the room; for these alone the refusal is the proxy's."""
LATER = (429, json.dumps({"errcode": "M_LIMIT_EXCEEDED", "error": "later", "retry_after_ms": 2_000}).encode())


class MatrixPlace(AdapterWorld):
    """A room of a buyer's and ours, and our account in it, behind a proxy."""

    def __init__(self, synapse: Synapse, name: str) -> None:
        self._synapse, self._open = synapse, contextlib.ExitStack()
        self._way = self._open.enter_context(proxy(synapse.url))
        self._agent, self._buyer = synapse.user(f"agent-{name}"), synapse.user(f"buyer-{name}")
        self._room = synapse.room(self._buyer, self._agent)
        self.message_id = synapse.say(self._buyer, self._room, "the list?")
        self.somebody = Party("matrix", self._agent.user_id, self._buyer.user_id)
        self.target = Target("matrix", self._agent.user_id, self._room)
        self.channel = MatrixChannel(
            self._way.url, self._agent.token, MatrixAgent(user_id=self._agent.user_id), clock=SystemClock(), timeout=5.0
        )

    async def close(self) -> None:
        """Close the connections."""
        assert isinstance(self.channel, MatrixChannel)
        await self.channel.close()
        self._open.close()

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the buyer's client shows of us, or what the access log says of us."""
        logged = {Operation.TYPING: "typing", Operation.READ_RECEIPT: "receipt"}
        if operation in logged:
            return [
                Shown("") for request in self._synapse.requests(self._agent, logged[operation]) if request.status == 200
            ]
        found = (self._told(event) for event in self._ours())
        return [shown for kind, shown in found if kind is operation]

    def _ours(self) -> list[dict[str, Any]]:
        path = f"/_matrix/client/v3/rooms/{quote(self._room)}/messages?dir=b&limit=100"
        chunk = self._synapse.call(self._buyer, "GET", path)["chunk"]
        return [event for event in reversed(chunk) if event["sender"] == self._agent.user_id]

    def _told(self, event: dict[str, Any]) -> tuple[Operation | None, Shown]:
        """Which operation an event came from, and what it shows."""
        content, id = event["content"], event["event_id"]
        if event["type"] == "m.reaction":
            return Operation.REACT, Shown(id, content["m.relates_to"]["key"])
        if event["type"] != "m.room.message":
            return None, Shown(id)
        if content.get("m.relates_to", {}).get("rel_type") == "m.replace":
            return Operation.EDIT, Shown(id, content["m.new_content"]["body"])
        if content["msgtype"] in FILES:
            return Operation.UPLOAD, Shown(id, "", ((content["filename"], self._stored(content["url"])),))
        return Operation.SEND, Shown(id, content["body"])

    def _stored(self, uri: str) -> bytes:
        connection = http.client.HTTPConnection(self._synapse.url.removeprefix("http://"), timeout=30)
        path = f"/_matrix/client/v1/media/download/{uri.removeprefix('mxc://')}"
        connection.request("GET", path, headers={"Authorization": f"Bearer {self._buyer.token}"})
        body = connection.getresponse().read()
        connection.close()
        return body

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The homeserver, or the way to it, fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        way, port = self._way, self._way.server_port
        match kind:
            case Trouble.VANISHED:
                way.arrived = lambda request: WRITES.match(request) is not None
            case Trouble.ANSWER_LOST:
                way.answered = lambda request: WRITES.match(request) is not None
            case Trouble.RATE_LIMITED:
                way.instead = lambda request: LATER if WRITES.match(request) else None
            case Trouble.LOOK_UPS_FAIL:
                way.arrived = lambda request: LOOKS.match(request) is not None
            case Trouble.UNREACHABLE:
                self._open.close()
            case Trouble.REFUSED:
                self._put("kick")
                way.instead = lambda request: NEVER if RECEIPT.match(request) else None
        yield
        if kind is not Trouble.UNREACHABLE:
            self._open.close()
        self._way = self._open.enter_context(proxy(self._synapse.url, port))
        if kind is Trouble.REFUSED:
            self._put("invite")
            self._synapse.join(self._agent, self._room)

    def _put(self, how: str) -> None:
        path = f"/_matrix/client/v3/rooms/{quote(self._room)}/{how}"
        self._synapse.call(self._buyer, "POST", path, {"user_id": self._agent.user_id})


class _OnAServer(ChannelLaws):
    """The laws, each in a room of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, synapse: Synapse, request: pytest.FixtureRequest) -> None:
        self.synapse, self.name = synapse, f"{abs(hash(request.node.nodeid)) % 10**8}"

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh room."""
        place = MatrixPlace(self.synapse, self.name)
        try:
            yield place
        finally:
            await place.close()


@pytest.mark.synapse
@pytest.mark.slow
class TestMatrixChannel(_OnAServer):
    """The channel, on a real Synapse."""


ME = MatrixAgent(user_id="@desk:home.test")
ROOM = RoomState(
    joined_members=frozenset({"@desk:home.test", "@Kim:home.test", "@jordan:home.test"}),
    m_direct={},
    agent_member_event={"content": {"membership": "join"}},
    is_direct=False,
    federate=False,
    world_readable=False,
)


class TestMatrixFacts(FactsLaws):
    """The facts, on events as a homeserver sends them."""

    def payloads(self) -> Payloads:
        """Events of a room's timeline."""
        return Payloads(
            read=read,
            asking=event("$asking", "@Kim:home.test", {"user_ids": ["@desk:home.test"]}),
            unasked=event("$unasked", "@Kim:home.test", {}),
            target=Target("matrix", "@desk:home.test", "!Shelves:home.test"),
            author=Party("matrix", "@desk:home.test", "@Kim:home.test"),
            echo=event("$echo", "@desk:home.test", {}),
            names=("Desk", "desk", "@desk:home.test", "@room"),
        )


def event(id: str, sender: str, mentions: dict[str, Any]) -> dict[str, Any]:
    """One message of the timeline."""
    content = {"msgtype": "m.text", "body": TEXT, "format": "org.matrix.custom.html", "formatted_body": TEXT}
    return {
        "type": "m.room.message",
        "room_id": "!Shelves:home.test",
        "event_id": id,
        "sender": sender,
        "origin_server_ts": START,
        "content": {**content, "m.mentions": mentions},
        "unsigned": {"age": 12},
    }


def read(raw: Any) -> Event:
    """The facts of one event, as our sync stream brought it."""
    return facts(raw, ME, ROOM, received_at=START, authenticated=Fact.YES)
