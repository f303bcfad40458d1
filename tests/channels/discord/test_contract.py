"""Discord keeps the contract of every adapter: its account on simcord's model over sockets, its facts on raw events.

What an onlooker sees is what the model keeps; typing and reactions are read from the server's own record. A refusal is
the model's own (the bot may not speak there); other troubles are the server's.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.discord.facts import EPOCH, facts
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.testing.payloads import texts_replaced
from dragoman.words import Fact
from tests.channels.discord.server import Server
from tests.channels.discord.test_facts import BOT, BUYER, CHANNEL, GROUP, GUILD, ME, payload
from tests.channels.discord.world import Scene

FAILURES = {
    Trouble.RATE_LIMITED: "later",
    Trouble.UNREACHABLE: "cut",
    Trouble.VANISHED: "vanish",
    Trouble.ANSWER_LOST: "lose",
}


class Channel(AdapterWorld):
    """A channel of a server with a buyer in it."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.scene = Scene(server)
        self.channel = self.account = self.scene.account(folder)
        self.target = self.scene.target("group")
        self.message_id = self.scene.says("buyer", "group", "the list?")
        self.somebody = Party("discord", self.target.workspace, str(self.scene.people["buyer"].id))

    async def shown(self, operation: Operation) -> list[Shown]:
        """What stands in the channel, or what the server was asked for."""
        ours = self.scene.ours("group")
        match operation:
            case Operation.SEND:
                plain = [each for each in ours if not each.attachments]
                return [Shown(str(each.id), each.content) for each in plain]
            case Operation.EDIT:
                told = [said for _, name, said in self.scene.town.backend.transcript if name == "MESSAGE_UPDATE"]
                changed = [Shown(said["id"], said["content"]) for said in told]
                return [each for each, _ in itertools.groupby(changed)]  # the same once more changes nothing
            case Operation.UPLOAD:
                return [Shown(str(each.id), "", self._files(each)) for each in ours if each.attachments]
            case Operation.REACT:
                marked = self.scene.town.backend.messages[int(self.target.channel)][int(self.message_id)]
                return [Shown("", each.emoji) for each in marked.reactions]
            case _:
                return [Shown("") for each in self.scene.town.written if each.path.endswith("/typing")]

    def _files(self, message: Any) -> tuple[tuple[str, bytes], ...]:
        stored = self.scene.town.backend.cdn
        return tuple((each["filename"], stored.get(each["url"])) for each in message.attachments)

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None]:
        """The server, or the bot's rights in it, fails."""
        return self._failing(kind)

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        town = self.scene.town
        if kind is Trouble.REFUSED:
            no = {"method": "*", "path": "/channels/*/*", "status": 403, "code": 50013, "message": "no", "times": None}
            town.backend.faults.append(no)
        elif kind is Trouble.LOOK_UPS_FAIL:
            town.fails = lambda method, path: "cut" if method == "GET" else ""
        elif kind is Trouble.UNREACHABLE:
            town.fails = lambda method, path: "cut"
        else:
            town.fails = lambda method, path: FAILURES[kind] if method != "GET" else ""
        try:
            yield
        finally:
            town.fails = lambda method, path: ""
            town.backend.faults.clear()


class TestDiscordChannel(ChannelLaws):
    """The channel, each law in a Discord of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, discord_server: Server, tmp_path: Path) -> None:
        self.server, self.folder = discord_server, tmp_path

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh bot, opened."""
        place = Channel(self.server, self.folder)
        await place.account.open()
        try:
            yield place
        finally:
            await place.account.close()


class TestDiscordFacts(FactsLaws):
    """The facts, on events as the gateway sends them."""

    def payloads(self) -> Payloads:
        """A mention, the same without one, and our own message."""
        asking = fresh(payload("mention"), 1)
        unasked = fresh(payload("chatter"), 2)
        unasked["d"]["content"] = TEXT
        return Payloads(
            read=read,
            asking=asking | {"d": asking["d"] | {"content": f"<@{BOT}> {TEXT}"}},
            unasked=unasked,
            target=Target("discord", GUILD, CHANNEL),
            author=Party("discord", GUILD, BUYER),
            echo=fresh(payload("echo"), 3),
            names=("desk", BOT, f"<@{BOT}>", "@here"),
        )


def fresh(raw: dict[str, Any], number: int) -> dict[str, Any]:
    """The payload as if it was said at `START`."""
    id = str(((START - EPOCH) << 22) + number)
    return dict(json.loads(json.dumps(texts_replaced(raw, raw["d"]["id"], id))))


def read(raw: Any) -> Event:
    """Its facts."""
    return facts(raw, ME, GROUP, received_at=START, authenticated=Fact.YES)
