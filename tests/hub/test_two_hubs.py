"""Two hubs over one PostgreSQL: what one has leased the other does not lease again."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from dragoman.hub.desk import Desk
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.service import Hub
from dragoman.hub.wake import Bell
from tests.hub.world import ORIGIN, UNLIMITED, Instance, World
from tests.postgres import Cluster

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]


async def test_no_message_is_leased_twice(postgres: Cluster, anyio_backend: str) -> None:
    """Four pollers of one role on each of two hubs take 400 messages: each message is in one lease only."""
    place = postgres.database()
    stores = [PostgresStore(place, Bell()) for _ in range(2)]
    world = World(stores[0], stores[0].bell)
    await world.furnish()
    await stores[1].open()
    ids = iter(range(10**9))
    new_id = lambda prefix: f"{prefix}f{next(ids):031x}"  # noqa: E731
    desk = Desk(stores[1], world.clock, new_id, UNLIMITED, frozenset({ORIGIN}), stores[1].bell)
    other = Instance(Hub(desk), world.b.key, world.b.instance_id)
    other.token, other.generation = world.b.token, world.b.generation
    leased: Counter[str] = Counter()

    async def poll(instance: Instance) -> None:
        while sum(leased.values()) < 400:
            got = await instance.lease(limit=3)
            leased.update(each.message_id for each in got.messages)
            if got.lease is not None and len(leased) % 2:
                await instance.ack(got.lease.lease_token, *(each.message_id for each in got.messages))

    async with asyncio.timeout(60):
        polls = [asyncio.ensure_future(poll(each)) for each in (world.b, other) for _ in range(4)]
        await asyncio.gather(*(world.a1.send(world.contact_id, f"rep_{number:08}") for number in range(400)))
        await asyncio.gather(*polls)
    for store in stores:
        await store.close()

    assert (400, {1}) == (len(leased), set(leased.values()))
