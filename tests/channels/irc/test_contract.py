"""IRC keeps the contract that every adapter is held to: its channel on a real InspIRCd, its facts on a server's lines.

The channel is seen by another member's client. A text of several lines is one output: the labels in the server's own
log say which lines belong together. Troubles happen on the way to the server, which loses bytes or is gone; a refusal
is the channel's own, where only voiced members may speak.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.irc.facts import facts
from dragoman.channels.irc.line import folded
from dragoman.channels.irc.state import IrcAgent, IrcPlace, Member
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.identity import Party, Target
from dragoman.testing import AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws
from dragoman.testing.payloads import variants
from dragoman.words import Fact
from tests.channels.irc.network import Client, Network, outputs
from tests.channels.irc.place import account
from tests.channels.tcp import Way

SERIAL = itertools.count(1)


class IrcChannel(AdapterWorld):
    """A channel of a buyer's, and our account in it behind a proxy."""

    def __init__(self, network: Network, folder: Path) -> None:
        self._network, self._folder = network, folder
        self.hall = f"#contract{next(SERIAL)}"
        self._way = Way(network.port)
        self._buyer = Client(network.port, "buyer", "buyer")

    async def open(self) -> None:
        """Both come in."""
        await self._way.open()
        self._account = account(self._folder, self._way.port, "desk", self.hall, timeout=1.5)
        self.channel = self._account
        await asyncio.gather(self._buyer.open(), self._account.open())
        await self._buyer.join(self.hall)
        self.message_id = await self._buyer.say(self.hall, "the list?")
        self.target = Target("irc", "desk@HomeTest", self.hall)
        self.somebody = Party("irc", "desk@HomeTest", "buyer")

    async def close(self) -> None:
        """Everybody goes."""
        await self._account.close()
        await self._buyer.close()
        await self._way.close()

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the buyer's client heard of us."""
        await self._buyer.say(self.hall, "tick")
        found = outputs(self._network, self._buyer, "desk", self.hall)
        return [Shown(each.id, each.text) for each in found] if operation is Operation.SEND else []

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None] | None:
        """The server refuses, or the way to it fails; this server slows clients down without a word."""
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
                await asyncio.sleep(0.05)
            case Trouble.REFUSED:
                await self._buyer.rule(f"SAMODE {self.hall} +m-o desk")
        yield
        self._way.to_server = self._way.to_client = True
        if kind in (Trouble.UNREACHABLE, Trouble.LOOK_UPS_FAIL):
            await self._way.open()
            async with asyncio.timeout(45):
                while (await self._account.presence(self.target)).parties is None:
                    await asyncio.sleep(0.05)
        if kind is Trouble.REFUSED:
            await self._buyer.rule(f"SAMODE {self.hall} -m")


@pytest.mark.platforms
@pytest.mark.slow
class TestIrcChannel(ChannelLaws):
    """The channel, on a real InspIRCd, each law in a channel of its own."""

    @pytest.fixture(autouse=True)
    def _network(self, network: Network, tmp_path: Path) -> None:
        self.network, self.folder = network, tmp_path

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh channel."""
        place = IrcChannel(self.network, self.folder)
        await place.open()
        try:
            yield place
        finally:
            await place.close()


PLACE = IrcPlace(
    nick="desk",
    members=(Member(nick="desk", account="desk"), Member(nick="Kim", account="kim"), Member(nick="jo", account="jo")),
)


class TestIrcFacts(FactsLaws):
    """The facts, on lines as a server sends them."""

    def payloads(self) -> Payloads:
        """Lines of a channel."""
        return Payloads(
            read=read,
            asking=line("Kim", "m1", "kim", f"desk: {TEXT}"),
            unasked=line("Kim", "m2", "kim", TEXT),
            target=Target("irc", "desk@HomeTest", "#shelves"),
            author=Party("irc", "desk@HomeTest", "kim"),
            echo=line("desk", "m3", "desk", TEXT),
            names=("desk", "desk:", "everyone"),
            text_may_ask=True,
        )

    def test_a_request_is_one_and_the_rest_is_none(self) -> None:
        """The law, for a platform whose mention is a word of the body."""
        asking = read(line("Kim", "m1", "kim", f"desk: {TEXT}"))
        assert (TEXT, f"desk: {TEXT}", Fact.YES) == (asking.text, asking.body, asking.mentions_agent)

    def test_identities_are_exact(self) -> None:
        """A channel's name is the network's, whose case mapping alone makes two spellings one; an account is exact."""
        told = line("Kim", "m1", "kim", TEXT)["line"]
        for other in variants("#shelves"):
            found = read({"line": told.replace("#shelves", other)}).target.channel
            assert found in ("", folded(other.strip(" "), "rfc1459")), "a space is no part of a name"
        for other in variants("kim"):
            author = read({"line": told.replace("account=kim", f"account={other}")}).author.id
            assert author in ("", other.strip(" "))


def line(nick: str, id: str, account: str, text: str) -> dict[str, Any]:
    """One message of the channel."""
    return {"line": f"@time=2026-09-21T12:00:00.000Z;msgid={id};account={account} :{nick}!u@h PRIVMSG #shelves :{text}"}


def read(raw: Any) -> Event:
    """The facts of one line, as our connection brought it."""
    agent = IrcAgent(network="HomeTest", account="desk")
    return facts(raw, agent, PLACE, received_at=START, authenticated=Fact.YES)
