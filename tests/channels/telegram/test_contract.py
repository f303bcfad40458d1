"""Telegram keeps the contract that every adapter is held to: its channel on a server by others, its facts on updates.

The server is telegram-test-api with our additions (`server.py`). Troubles happen on the way to it: a proxy cuts
requests or answers, or is not there; a refusal is the server's own, of a bot that was put out of the group.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.telegram.adapter import TelegramAccount
from dragoman.channels.telegram.facts import facts
from dragoman.channels.telegram.section import TelegramSection
from dragoman.channels.telegram.state import TelegramAgent
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
from tests.channels.telegram.server import WRITES, BotApi
from tests.e2e.counting import proxy

WRITING = re.compile(f"POST .*/({'|'.join(WRITES)})$")
LOOKING = re.compile("POST .*/getChat")
LATER = (429, json.dumps({"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 3",
                          "parameters": {"retry_after": 3}}).encode())  # fmt: skip
MARKS = {Operation.EDIT: "editMessageText", Operation.REACT: "setMessageReaction", Operation.TYPING: "sendChatAction"}


def place() -> Place:
    """What an account is given that needs nothing of it."""
    nothing: Any = None
    return Place(
        clock=SystemClock(),
        at=nothing,
        spool=nothing,
        inlet=Inlet("127.0.0.1", 0, SystemClock(), print),
        report=print,
    )


class TelegramPlace(AdapterWorld):
    """A group with a buyer and our bot in it, which speaks by a proxy."""

    def __init__(self, api: BotApi) -> None:
        self._api, self._open = api, contextlib.ExitStack()
        self._way = self._open.enter_context(proxy(api.url))
        self._bot, self._token = api.bot("desk_bot")
        buyer, colleague = api.user(), api.user()
        self._group = api.group([buyer, self._bot])
        chat = {"id": self._group, "type": "supergroup", "title": "Shelf planning"}
        person = {"id": buyer, "is_bot": False, "first_name": "Kim"}
        self.message_id = str(api.say(self._token, {"chat": chat, "from": person, "text": "the list?"}))
        self.somebody = Party("telegram", str(self._bot), str(buyer))
        self.target = Target("telegram", str(self._bot), str(self._group))
        section = TelegramSection(bot_id=self._bot, token_file="token", api_url=self._way.url, colleagues=(colleague,))
        self.channel = TelegramAccount(section, self._token, "", place(), timeout=5.0, spacing=0)

    async def close(self) -> None:
        """Close the connections."""
        assert isinstance(self.channel, TelegramAccount)
        await self.channel.close()
        self._open.close()

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the server holds of us in the group."""
        if operation in MARKS:
            typing = operation is Operation.TYPING
            marks = self._api.marks(self._group, MARKS[operation])
            return [Shown("" if typing else str(each["id"]), each["text"]) for each in marks]
        said = self._api.said(self._token, self._group)
        files = operation is Operation.UPLOAD
        return [self._told(each) for each in said if ("document" in each["message"]) is files]

    @staticmethod
    def _told(each: dict[str, Any]) -> Shown:
        held, id = each["message"], str(each["messageId"])
        if "document" not in held:
            return Shown(id, held["text"])
        document = held["document"]
        return Shown(id, "", ((document["file_name"], base64.b64decode(document["content"])),))

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The server, or the way to it, fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        way, port = self._way, self._way.server_port
        match kind:
            case Trouble.VANISHED:
                way.arrived = lambda request: WRITING.match(request) is not None
            case Trouble.ANSWER_LOST:
                way.answered = lambda request: WRITING.match(request) is not None
            case Trouble.RATE_LIMITED:
                way.instead = lambda request: LATER if WRITING.match(request) else None
            case Trouble.LOOK_UPS_FAIL:
                way.arrived = lambda request: LOOKING.match(request) is not None
            case Trouble.UNREACHABLE:
                self._open.close()
            case Trouble.REFUSED:
                self._api.chat(self._group, kicked=True)
        yield
        if kind is not Trouble.UNREACHABLE:
            self._open.close()
        self._way = self._open.enter_context(proxy(self._api.url, port))
        if kind is Trouble.REFUSED:
            self._api.chat(self._group, kicked=False)


@pytest.mark.platforms
@pytest.mark.slow
class TestTelegramChannel(ChannelLaws):
    """The channel, on telegram-test-api."""

    @pytest.fixture(autouse=True)
    def _server(self, api: BotApi) -> None:
        self.api = api

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh bot in a fresh group."""
        there = TelegramPlace(self.api)
        try:
            yield there
        finally:
            await there.close()


OWN, KIM, GROUP = 7000000001, 5100000001, -1002000000001
ME = TelegramAgent(id=OWN, username="desk_bot")


class TestTelegramFacts(FactsLaws):
    """The facts, on updates as the Bot API sends them."""

    def payloads(self) -> Payloads:
        """Messages in a group."""
        return Payloads(
            read=read,
            asking=update(1, KIM, [{"type": "text_mention", "offset": 0, "length": 7, "user": {"id": OWN}}]),
            unasked=update(2, KIM, []),
            target=Target("telegram", str(OWN), str(GROUP)),
            author=Party("telegram", str(OWN), str(KIM)),
            echo=update(3, OWN, []),
            names=("Desk", "desk_bot", str(OWN), "all"),
        )


def update(number: int, sender: int, entities: list[dict[str, Any]]) -> dict[str, Any]:
    """One message in the group."""
    return {
        "update_id": 800_000_000 + number,
        "message": {
            "message_id": 300 + number,
            "from": {"id": sender, "is_bot": sender == OWN, "first_name": "Kim"},
            "chat": {"id": GROUP, "type": "supergroup", "title": "Shelf planning"},
            "date": START // SECOND,
            "text": TEXT,
            "entities": entities,
        },
    }


def read(raw: Any) -> Event:
    """The facts of one update."""
    return facts(raw, ME, None, received_at=START, authenticated=Fact.YES)
