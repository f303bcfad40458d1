"""WhatsApp keeps the contract of every adapter, on the loopback server that we built from Meta's pages.

What the customer's phone shows is what that server kept. Troubles happen on the way to it, in a proxy.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.whatsapp.account import account
from dragoman.channels.whatsapp.facts import facts
from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.channels.whatsapp.state import WhatsAppAgent
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.testing.judged import judged
from dragoman.testing.payloads import changed, places
from dragoman.words import Fact, Outcome
from tests.channels.whatsapp.graph_server import GraphServer, fault
from tests.channels.whatsapp.world import GROUPS, PEOPLE, listening, written
from tests.e2e.counting import proxy

MESSAGES = re.compile(r"POST .*/messages")
BUYER = PEOPLE["buyer"]
REFUSED, LATER = fault(131030, "not in allowed list"), fault(130429, "Rate limit hit", 429)
INSTEAD = {Trouble.REFUSED: REFUSED, Trouble.RATE_LIMITED: LATER}


class Chat(AdapterWorld):
    """A buyer's chat with a number of ours, whose account reads its webhooks."""

    def __init__(self, server: GraphServer, folder: Path, stack: contextlib.ExitStack) -> None:
        self._server, self._folder, self._open = server, folder, stack
        self._way = stack.enter_context(proxy(server.url))
        self._number = server.number()
        self._number.statuses = ("sent",)
        self.target = Target("whatsapp", self._number.phone_number_id, BUYER)
        self.somebody = Party("whatsapp", self._number.phone_number_id, BUYER)

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Chat]:
        """The account, listening; the buyer has written."""
        async with listening(self._folder) as place:
            number = self._number
            self.channel = made = account(WhatsAppSection(**written(self._folder, number, self._way.url)), place)
            number.callback = lambda: f"http://127.0.0.1:{place.inlet.port}/whatsapp" if place.inlet.port else ""
            await made.open()
            batches = made.events(None)
            reading = asyncio.ensure_future(anext(batches))
            self.message_id = number.say(BUYER, "the list?")
            await asyncio.wait_for(reading, 10)
            try:
                yield self
            finally:
                await asyncio.to_thread(number.close)
                await made.close()

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the buyer's phone shows."""
        kinds = {Operation.SEND: ("text",), Operation.UPLOAD: ("image", "document")}.get(operation, ())
        found = [sent for sent in self._number.sent if sent.body["type"] in kinds and sent.body["to"] == BUYER]
        return [
            Shown(each.wamid, each.text if operation is Operation.SEND else "", self._files(each.body))
            for each in found
        ]

    def _files(self, body: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
        if body["type"] == "text":
            return ()
        name, content = self._number.media[body[body["type"]]["id"]]
        return ((body[body["type"]].get("filename", name), content),)

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None] | None:
        """The way to the server fails; nobody is ever asked who is there."""
        return None if kind is Trouble.LOOK_UPS_FAIL else self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        way, port = self._way, self._way.server_port
        if kind in INSTEAD:
            status, body = INSTEAD[kind]
            way.instead = lambda request: (status, json.dumps(body).encode()) if MESSAGES.match(request) else None
        elif kind is Trouble.VANISHED:
            way.arrived = lambda request: MESSAGES.match(request) is not None
        elif kind is Trouble.ANSWER_LOST:
            way.answered = lambda request: MESSAGES.match(request) is not None
        else:
            self._open.close()
        yield
        self._open.close()
        self._way = self._open.enter_context(proxy(self._server.url, port))


@pytest.mark.slow
class TestWhatsAppChannel(ChannelLaws):
    """The channel, each law with a number of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, graph: GraphServer, tmp_path: Path) -> None:
        self.graph, self.folder = graph, tmp_path

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh chat."""
        with contextlib.ExitStack() as stack:
            async with Chat(self.graph, self.folder, stack).opened() as chat:
                yield chat


NUMBER, OURS = "106540352242922", "15550783881"
ME = WhatsAppAgent(phone_number_id=NUMBER)
ANSWERS = {"context": {"from": OURS, "id": "wamid.ours"}}


class TestWhatsAppFacts(FactsLaws):
    """The facts: in a group somebody asks by answering us, for WhatsApp marks no mention."""

    def payloads(self) -> Payloads:
        """Messages of a group."""
        return Payloads(
            read=read,
            asking=webhook("wamid.asking", BUYER, ANSWERS),
            unasked=webhook("wamid.unasked", BUYER, {}),
            target=Target("whatsapp", NUMBER, GROUPS["group"]),
            author=Party("whatsapp", NUMBER, BUYER),
            echo=webhook("wamid.echo", OURS, {}),
            names=("Desk", "desk", f"@{OURS}", OURS),
        )

    def test_nothing_that_is_missing_is_a_yes(self) -> None:
        """As for every platform, but for the one key whose absence is the platform's own word for one-to-one."""
        unasked = self.payloads().unasked
        group = next(place for place in places(unasked) if place[-1] == "group_id")

        for place in places(unasked):
            bent = [changed(unasked, place, None)] + ([changed(unasked, place)] if place != group else [])
            assert all(judged(read(raw)).outcome is not Outcome.RESPOND for raw in bent), place
        assert read(changed(unasked, group)).target.channel == BUYER


def webhook(id: str, sender: str, more: dict[str, Any]) -> dict[str, Any]:
    """One message in the group."""
    message = {"from": sender, "id": id, "timestamp": str(START // 1000), "type": "text", "text": {"body": TEXT}}
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": OURS, "phone_number_id": NUMBER},
        "contacts": [{"profile": {"name": "Kim"}, "wa_id": sender}],
        "messages": [{**message, "group_id": GROUPS["group"], **more}],
    }
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": [{"value": value, "field": "messages"}]}],
    }


def read(raw: Any) -> Event:
    """The facts of one webhook whose signature was right."""
    return facts(raw, ME, None, received_at=START, authenticated=Fact.YES)
