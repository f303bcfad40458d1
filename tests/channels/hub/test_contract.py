"""The hub's channel keeps the contract that every adapter is held to, on a real hub process, seen by the peer.

Its facts are not tried here: they are read from a typed message of another owner's agent, which no mention can open.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dragoman.channels.hub.adapter import HubChannel
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.facts import contact_target
from dragoman.channels.hub.keys import create_key
from dragoman.clock import SystemClock
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output
from dragoman.identity import Party
from dragoman.testing import AdapterWorld, Shown, Trouble
from dragoman.testing.channel_laws import ChannelLaws
from dragoman.words import Fact
from tests.e2e.counting import Proxy, proxy
from tests.hub_process import HubProcess, running_hub

SENDS = re.compile(r"POST .*/messages|POST .*/send")


class HubPlace(AdapterWorld):
    """Two roles with a contact; the way to the hub leads through a proxy, which is the address that it goes by."""

    def __init__(self, hub: HubProcess, folder: Path, ways: contextlib.ExitStack, way: Proxy) -> None:
        self._hub, self._ways, self._way = hub, ways, way
        ours, peers = (create_key(folder / name) for name in ("us.key", "peer.key"))
        self._us = HubClient(self._way.url, ours, SystemClock())
        self._peer = HubClient(self._way.url, peers, SystemClock())
        self.channel = HubChannel(self._us, {})

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[AdapterWorld]:
        """Connected, with a contact that the peer has said something in."""
        async with self._us, self._peer:
            await self._us.register()
            await self._peer.register()
            contact = (await self._us.open_contact("opn_12345678", self._peer.role_id)).contact_id
            self._contact, self.target = contact, contact_target(self._us.role_id, contact)
            self.somebody = Party("hub", self._us.role_id, self._peer.role_id)
            self.message_id = (await self._peer.send(contact, reply_id="rpl-of-the-peer", text="Hello")).message_id
            yield self

    async def shown(self, operation: Operation) -> list[Shown]:
        """What the peer reads of us."""
        found = (await self._peer.messages(self._contact)).messages
        return [Shown(each.message_id, each.text) for each in found if each.sender_role_id == self._us.role_id]

    def output(self, operation: Operation, key: str, text: str, own_id: str) -> Output:
        """A key of the hub is a `reply_id`."""
        return super().output(operation, f"rpl-contract-{key}", text, own_id)

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None] | None:
        """The way to the hub fails, or the hub is gone; it is asked nothing about who is there."""
        known = (Trouble.VANISHED, Trouble.ANSWER_LOST, Trouble.UNREACHABLE, Trouble.REFUSED)
        return self._failing(kind) if kind in known else None

    @contextlib.asynccontextmanager
    async def _failing(self, kind: Trouble) -> AsyncIterator[None]:
        way, port = self._way, self._way.server_port
        match kind:
            case Trouble.VANISHED:
                way.arrived = lambda request: SENDS.match(request) is not None
            case Trouble.ANSWER_LOST:
                way.answered = lambda request: SENDS.match(request) is not None
            case Trouble.REFUSED:
                await self._peer.close_contact(self._contact)  # for good: nothing is sent after this law
            case _:
                self._ways.close()
        yield
        if kind is not Trouble.UNREACHABLE:
            self._ways.close()
        self._way = self._ways.enter_context(proxy(self._hub.url, port))


@pytest.mark.slow
class TestHubChannel(ChannelLaws):
    """Each law at a hub of its own."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def test_the_longest_text_arrives_whole(self) -> None:
        """The hub counts bytes, the table characters: what is too long only in another script is an honest NO."""

        async def law(world: AdapterWorld) -> None:
            longest = world.channel.operations[Operation.SEND].max_length
            texts = {"ascii": "x" * longest, "wide": "汉" * longest}
            sent = {
                name: await self._perform(world, world.output(Operation.SEND, name, text, ""))
                for name, text in texts.items()
            }
            assert (Fact.YES, Fact.NO) == (sent["ascii"].delivered, sent["wide"].delivered)
            assert [texts["ascii"]] == [each.text for each in await world.shown(Operation.SEND)]

        self._hold(law)

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh hub."""
        with contextlib.ExitStack() as ways:
            way = ways.enter_context(proxy(""))
            with running_hub(self.folder, "--origin", way.url) as hub:
                way.upstream = hub.url.removeprefix("http://")
                async with HubPlace(hub, self.folder, ways, way).opened() as place:
                    yield place
