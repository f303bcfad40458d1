"""The hub channel against a real hub: what is delivered, what is refused, what stays unknown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dragoman.channels.hub.adapter import HubChannel
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.facts import contact_target
from dragoman.channels.hub.keys import create_key
from dragoman.clock import SystemClock
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact, SendKey
from tests.hub_process import HubProcess, running_hub

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


class Place:
    """Two roles at a real hub with a contact between them."""

    def __init__(self, hub: HubProcess, us: HubClient, peer: HubClient, contact: str) -> None:
        self.hub, self.us, self.peer, self.contact = hub, us, peer, contact
        self.leases: dict[str, str] = {}
        self.channel = HubChannel(us, self.leases, text_bytes=100)

    async def send(self, key: str, text: str = "Hello", **fields: object) -> Receipt:
        """One send through the channel."""
        target = fields.pop("target", contact_target(self.us.role_id, self.contact))
        assert isinstance(target, Target)
        operation = fields.pop("operation", Operation.SEND)
        assert isinstance(operation, Operation)
        return await self.channel.perform(Output(operation=operation, target=target, key=key, text=text))

    async def texts(self) -> list[str]:
        """What the peer sees."""
        return [each.text for each in (await self.peer.messages(self.contact)).messages]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """A hub, two roles, a contact."""
    with running_hub(tmp_path, "--lease-seconds", "1") as hub:
        keys = [create_key(tmp_path / name) for name in ("us.key", "peer.key")]
        async with HubClient(hub.url, keys[0], SystemClock()) as us, HubClient(hub.url, keys[1], SystemClock()) as peer:
            await us.register()
            await peer.register()
            contact = await us.open_contact("opn_12345678", peer.role_id)
            yield Place(hub, us, peer, contact.contact_id)


async def test_one_operation_with_a_native_key(place: Place) -> None:
    """The table declares `send` only; the audience is always outside."""
    presence = await place.channel.presence(contact_target(place.us.role_id, place.contact))

    assert {op: spec.send_key for op, spec in place.channel.operations.items()} == {Operation.SEND: SendKey.NATIVE}
    assert presence.shared is Fact.YES


async def test_the_same_key_is_one_message(place: Place) -> None:
    """Delivered with the hub's message id; a repetition is the same message."""
    first, again = await place.send("rpl-12345678"), await place.send("rpl-12345678")

    assert (first.delivered, first.evidence) == (Fact.YES, again.evidence)
    assert await place.texts() == ["Hello"]


async def test_what_certainly_did_not_leave(place: Place) -> None:
    """Another body under the same key, a text over the limit, another role's target, a lost lease, a closed contact."""
    await place.send("rpl-12345678")
    place.leases[place.contact] = "lse_" + "0" * 32
    lost = await place.send("rpl-lease-lost")
    place.leases.clear()
    conflict = await place.send("rpl-12345678", "Another text")
    long = await place.send("rpl-too-long-", "x" * 101)
    other = await place.send("rpl-other-role", target=contact_target(place.peer.role_id, place.contact))
    typing = await place.send("rpl-typing---", operation=Operation.TYPING)
    await place.peer.close_contact(place.contact)
    closed = await place.send("rpl-closed---")

    assert {each.delivered for each in (lost, conflict, long, other, typing, closed)} == {Fact.NO}
    assert [
        place.channel.refusal(key) for key in ("rpl-lease-lost", "rpl-12345678", "rpl-too-long-", "rpl-closed---")
    ] == [
        "lease_lost",
        "reply_id_conflict",
        "text_too_large",
        "contact_closed",
    ]
    assert place.channel.refusal("rpl-closed---") == ""
    assert await place.texts() == ["Hello"]


async def test_a_dead_hub_proves_that_nothing_was_written(place: Place) -> None:
    """A connection that never stood is a no; the same key later is delivered."""
    await place.us.generation()
    place.hub.kill()
    dead = await place.send("rpl-12345678")
    place.hub.start()
    alive = await place.send("rpl-12345678")

    assert (dead.delivered, alive.delivered) in ((Fact.NO, Fact.YES), (Fact.UNKNOWN, Fact.YES))
    assert await place.texts() == ["Hello"]
