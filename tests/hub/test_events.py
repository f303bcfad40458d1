"""The event stream of a role: written in a transaction, once per happening, in order, seen by its role alone."""

from __future__ import annotations

import asyncio

import pytest

from dragoman import wire
from dragoman.hub import events
from dragoman.hub.events import Told
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Transaction
from tests.hub.world import World

pytestmark = pytest.mark.anyio
TRADE, EXPIRED = wire.EventKind.TRADE, wire.EventKind.MESSAGE_EXPIRED


async def tell(world: World, role_id: str, kind: wire.EventKind, key: str, text: str = "") -> bool:
    """Write one event as the hub does."""

    async def work(tx: Transaction) -> bool:
        facts = wire.EventFacts(text=text or None)
        return await events.put(tx, role_id, kind, key, facts, world.clock.now())

    return await world.store.write(work)


async def told(world: World, after: int = 0, kinds: list[str] | None = None) -> list[tuple[str, str | None]]:
    """What role A reads."""
    page = await world.hub.events.page(world.a2.token, after, kinds)
    return [(each.kind, each.facts.text) for each in page.events]


async def test_events_come_in_order_and_once(world: World) -> None:
    """The same happening twice is one event; `after` goes on where one left off; another kind is another happening."""
    assert await tell(world, world.a1.role_id, TRADE, "t1", "paid")
    assert not await tell(world, world.a1.role_id, TRADE, "t1", "paid again")
    assert await tell(world, world.a1.role_id, EXPIRED, "t1", "lost")

    assert [("trade", "paid"), ("message_expired", "lost")] == await told(world)
    assert [("message_expired", "lost")] == await told(world, after=1)
    assert [("message_expired", "lost")] == await told(world, kinds=["message_expired"])
    assert [] == await told(world, kinds=["subscription_match"])


async def test_a_stream_is_its_roles_alone(world: World) -> None:
    """Another role sees nothing of it, and numbers its own from one."""
    await tell(world, world.a1.role_id, TRADE, "t1")
    await tell(world, world.b.role_id, TRADE, "t1")

    page = await world.hub.events.page(world.b.token, 0, None)
    assert [1] == [each.seq for each in page.events]
    with pytest.raises(Refusal, match="token_missing"):
        await world.hub.events.page(None, 0, None)


async def test_a_work_that_is_refused_tells_nobody(world: World) -> None:
    """The event belongs to the transaction of what it tells of."""

    async def work(tx: Transaction) -> None:
        await events.put(tx, world.a1.role_id, TRADE, "t1", wire.EventFacts(), 1)
        raise Refusal("contact_unknown")

    with pytest.raises(Refusal):
        await world.store.write(work)
    assert [] == await told(world)


async def test_many_writers_leave_no_hole_behind_a_reader(world: World) -> None:
    """A reader that always goes on after the newest number it saw misses nothing that concurrent writers add."""
    seen: list[str] = []
    writing = asyncio.gather(*(tell(world, world.a1.role_id, TRADE, f"t{number}", f"{number}") for number in range(60)))
    after = 0
    while not writing.done() or (await world.hub.events.waiting(world.a1.token, after, None)) is None:
        page = await world.hub.events.page(world.a1.token, after, None)
        seen += [each.facts.text or "" for each in page.events]
        after = page.next_after
        await asyncio.sleep(0)
    await writing

    assert sorted(map(str, range(60))) == sorted(seen)


async def test_a_flood_of_one_kind_pushes_out_none_of_another(world: World) -> None:
    """Of each kind the newest are kept; old ones of all roles are swept by their age."""

    async def flood(tx: Transaction) -> int:
        many = [Told(world.a1.role_id, EXPIRED, f"m{number}", wire.EventFacts()) for number in range(events.KEPT + 5)]
        return await events.put_all(tx, many, world.clock.now())

    await tell(world, world.a1.role_id, TRADE, "t1", "paid")
    assert events.KEPT + 5 == await world.store.write(flood)

    assert [("trade", "paid")] == await told(world, kinds=["trade"])
    page = await world.hub.events.page(world.a1.token, 0, ["message_expired"])
    assert (7, True) == (page.events[0].seq, page.truncated)
    world.clock.pass_ms(1)
    await world.store.write(lambda tx: events.sweep(tx, world.clock.now()))
    assert [] == await told(world)
