"""Teams keeps the contract of every adapter: its channel on Microsoft's emulator, its facts on activities.

What is shown is what the emulator shows a client of its own. Troubles happen on the way to it, in a proxy.
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

from dragoman.channels.teams.account import account
from dragoman.channels.teams.facts import facts
from dragoman.channels.teams.section import TeamsSection
from dragoman.channels.teams.state import TeamsAgent
from dragoman.clock import rfc3339
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.words import Fact
from tests.channels.teams.emulator import Emulator
from tests.channels.teams.world import listening, written

WRITES, LOOKS = re.compile(r"(POST|PUT) .*/activities"), re.compile(r"GET .*/pagedMembers")
NEVER = (403, json.dumps({"error": {"code": "BotNotInConversationRoster"}}).encode())
LATER = (429, json.dumps({"error": {"code": "TooManyRequests"}}).encode())


class GroupChat(AdapterWorld):
    """The emulator's group chat, and our bot in it, behind a proxy."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator, config = emulator, emulator.config
        self.target = Target("teams", config["tenantId"], config["groupChats"][0]["id"])
        self.somebody = Party("teams", config["tenantId"], config["currentUser"]["aadObjectId"])
        self.message_id = "1790000000000"
        self._typed_before = len(emulator.typed)

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the emulator's client shows; every change of a message is kept, for it shows the last one only."""
        await asyncio.sleep(0.04)  # what was accepted is shown by another connection
        if operation is Operation.TYPING:
            return [Shown("") for _ in self._emulator.typed[self._typed_before :]]
        wanted = {Operation.SEND: "new", Operation.EDIT: "changed"}.get(operation)
        changes = self._emulator.changes[:]
        return [Shown(id, text) for kind, at, id, text in changes if (kind, at) == (wanted, self.target.channel)]

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The way to the emulator fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        way = self._emulator.way
        match kind:
            case Trouble.REFUSED:
                way.instead = lambda request: NEVER if WRITES.match(request) else None
            case Trouble.RATE_LIMITED:
                way.instead = lambda request: LATER if WRITES.match(request) else None
            case Trouble.VANISHED:
                way.arrived = lambda request: WRITES.match(request) is not None
            case Trouble.ANSWER_LOST:
                way.answered = lambda request: WRITES.match(request) is not None
            case Trouble.LOOK_UPS_FAIL:
                way.arrived = lambda request: LOOKS.match(request) is not None
            case Trouble.UNREACHABLE:
                self._emulator.unreachable()
        yield
        if kind is Trouble.UNREACHABLE:
            self._emulator.reachable()
        way = self._emulator.way
        way.instead, way.arrived, way.answered = (
            (lambda request: None),
            (lambda request: False),
            (lambda request: False),
        )


@pytest.mark.slow
@pytest.mark.platforms
class TestTeamsChannel(ChannelLaws):
    """The channel, on Microsoft's emulator."""

    @pytest.fixture(autouse=True)
    def _server(self, emulator: Emulator, tmp_path: Path) -> None:
        self.emulator, self.folder = emulator, tmp_path

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """The group chat, with nothing shown yet."""
        self.emulator.changes.clear()
        chat = GroupChat(self.emulator)
        async with listening(self.folder) as place:
            made = account(TeamsSection(**written(self.folder, self.emulator)), place)
            await made.open()
            chat.channel = made
            try:
                yield chat
            finally:
                await made.close()


TENANT, BOT, CHAT = "72f988bf-0000-4000-8000-2d7cd011db47", "28:1b6f3c2e", "19:Shelves@thread.v2"
ME = TeamsAgent(recipient_id=BOT, tenant_id=TENANT)
PERSON = "11111111-0000-4000-8000-0000000000Aa"


class TestTeamsFacts(FactsLaws):
    """The facts, on activities of a group chat."""

    def payloads(self) -> Payloads:
        """Messages of the group chat."""
        mention = {"type": "mention", "mentioned": {"id": BOT, "name": "Desk"}, "text": "<at>Desk</at>"}
        return Payloads(
            read=read,
            asking=activity("1790000000001", PERSON, entities=[mention]),
            unasked=activity("1790000000002", PERSON, entities=[]),
            target=Target("teams", TENANT, CHAT),
            author=Party("teams", TENANT, PERSON),
            echo={**activity("1790000000003", PERSON), "from": {"id": BOT, "name": "Desk"}},
            names=("Desk", "<at>Desk</at>", BOT, "Team"),
        )


def activity(id: str, person: str, **more: Any) -> dict[str, Any]:
    """One message of the group chat."""
    return {
        "type": "message",
        "id": id,
        "timestamp": rfc3339(START),
        "channelId": "msteams",
        "serviceUrl": "https://smba.trafficmanager.net/amer/",
        "from": {"id": "29:1Kim", "name": "Kim", "aadObjectId": person},
        "recipient": {"id": BOT, "name": "Desk"},
        "conversation": {"id": CHAT, "conversationType": "groupChat", "isGroup": True, "tenantId": TENANT},
        "text": TEXT,
        "textFormat": "plain",
        "channelData": {"tenant": {"id": TENANT}},
        **more,
    }


def read(raw: Any) -> Event:
    """The facts of one activity whose token was right."""
    return facts(raw, ME, None, received_at=START, authenticated=Fact.YES)
