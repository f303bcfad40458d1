"""XMPP keeps the contract that every adapter is held to: its channel on a real Prosody, its facts on stanzas.

The room is seen by another occupant's client. Troubles happen on the way to the server, which loses bytes or is gone; a
refusal is the room's own, of an occupant without voice.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.xmpp.facts import facts
from dragoman.channels.xmpp.state import Occupant, XmppAgent, XmppPlace
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.words import Fact
from tests.channels.tcp import Way
from tests.channels.xmpp.place import account
from tests.channels.xmpp.prosody import ROOMS, Client, Prosody

SERIAL = itertools.count(1)


class XmppRoom(AdapterWorld):
    """A room of a buyer's, with his client in it, and our account behind a proxy."""

    def __init__(self, server: Prosody, folder: Path) -> None:
        self._server, self._folder = server, folder
        self.room = f"contract{next(SERIAL)}@{ROOMS}"
        self._way = Way(server.port)
        self._desk, self._buyer = server.user("desk"), Client(server.user("buyer"), "buyer", server.port)

    async def open(self) -> None:
        """Both come in."""
        await self._way.open()
        await self._buyer.open()
        await self._buyer.enter(self.room)
        await self._buyer.configure(self.room)
        self._account = account(self._folder, self._way.port, self._desk, {self.room: "desk"}, timeout=1.5)
        self.channel = self._account
        await self._account.open()
        self.message_id = await self._buyer.say(self.room, "the list?", id="m-1")
        self.target = Target("xmpp", self._desk, self.room)
        self.somebody = Party("xmpp", self._desk, self._buyer.jid)

    async def close(self) -> None:
        """Everybody goes."""
        await self._account.close()
        await self._buyer.close()
        await self._way.close()

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the buyer's client heard of us; a correction is one of its own."""
        await self._buyer.say(self.room, "tick", id=f"tick-{next(SERIAL)}")
        wanted = operation is Operation.EDIT
        found = []
        for message in self._buyer.heard:
            corrects = message.find("{urn:xmpp:message-correct:0}replace") is not None
            body = message.findtext("{jabber:client}body")
            if message.get("from") == f"{self.room}/desk" and body and corrects == wanted:
                stamp = message.find("{urn:xmpp:sid:0}stanza-id")
                found.append(Shown("" if stamp is None else stamp.get("id", ""), body))
        return found if operation in (Operation.SEND, Operation.EDIT) else []

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None] | None:
        """The server refuses, or the way to it fails; XMPP has no rate limit to speak of."""
        return None if kind is Trouble.RATE_LIMITED else self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        match kind:
            case Trouble.VANISHED:
                self._way.to_server = False
            case Trouble.ANSWER_LOST:
                self._way.to_client = False
            case Trouble.UNREACHABLE | Trouble.LOOK_UPS_FAIL:
                await self._way.close()
            case Trouble.REFUSED:
                await self._buyer.role(self.room, "desk", "visitor")
        yield
        self._way.to_server = self._way.to_client = True
        if kind in (Trouble.UNREACHABLE, Trouble.LOOK_UPS_FAIL):
            await self._way.open()
            async with asyncio.timeout(45):
                while (await self._account.presence(self.target)).parties is None:
                    await asyncio.sleep(0.05)
        if kind is Trouble.REFUSED:
            await self._buyer.role(self.room, "desk", "participant")


@pytest.mark.platforms
@pytest.mark.slow
class TestXmppChannel(ChannelLaws):
    """The channel, on a real Prosody, each law in a room of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, server: Prosody, tmp_path: Path) -> None:
        self.server, self.folder = server, tmp_path

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh room."""
        place = XmppRoom(self.server, self.folder)
        await place.open()
        try:
            yield place
        finally:
            await place.close()


DESK, ROOM = "desk@home.test", "shelves@rooms.home.test"
PLACE = XmppPlace(
    stamps=frozenset({DESK, ROOM}),
    occupant_ids=True,
    nick="desk",
    occupants=(Occupant(nick="desk", occupant_id="o-desk"), Occupant(nick="Kim", occupant_id="o-kim")),
)
MENTION = f"<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:{DESK}'/>"


class TestXmppFacts(FactsLaws):
    """The facts, on stanzas as a server hands them over."""

    def payloads(self) -> Payloads:
        """Messages of a room."""
        return Payloads(
            read=read,
            asking=stanza("Kim", "o-kim", "r-1", MENTION),
            unasked=stanza("Kim", "o-kim", "r-2"),
            target=Target("xmpp", DESK, ROOM),
            author=Party("xmpp", DESK, f"{ROOM}:o-kim"),
            echo=stanza("desk", "o-desk", "r-3"),
            names=("desk", "desk:", "Desk,", DESK, f"xmpp:{DESK}", f"{ROOM}/desk"),
        )


def stanza(nick: str, occupant: str, stamp: str, payload: str = "") -> dict[str, Any]:
    """One message of the room."""
    return {
        "xml": f"<message xmlns='jabber:client' from='{ROOM}/{nick}' to='{DESK}/here' type='groupchat' id='of-{stamp}'>"
        f"<body>{TEXT}</body>{payload}<occupant-id xmlns='urn:xmpp:occupant-id:0' id='{occupant}'/>"
        f"<stanza-id xmlns='urn:xmpp:sid:0' by='{ROOM}' id='{stamp}'/></message>"
    }


def read(raw: Any) -> Event:
    """The facts of one stanza, as our stream brought it."""
    return facts(raw, XmppAgent(jid=DESK, rooms={ROOM: "desk"}), PLACE, received_at=START, authenticated=Fact.YES)
