"""What the attacks on the hub share: further roles, a second hub over the same database, refusals as words."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterable
from pathlib import Path
from typing import Any

import msgspec
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.hub.desk import Desk
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub
from dragoman.hub.wake import Bell
from tests.hub.world import ORIGIN, Instance, World, store_for
from tests.postgres import Cluster


@contextlib.asynccontextmanager
async def world_with(engine: str, folder: Path, postgres: Cluster | None, limits: wire.Limits) -> AsyncIterator[World]:
    """A furnished world under these limits."""
    bell = Bell()
    made = World(store_for(engine, folder / "hub", postgres, bell), bell, limits)
    await made.furnish()
    try:
        yield made
    finally:
        await made.store.close()


@contextlib.asynccontextmanager
async def second_hub(world: World) -> AsyncIterator[Hub]:
    """Another hub process's hub over the world's PostgreSQL."""
    assert isinstance(world.store, PostgresStore)
    store = PostgresStore(world.store._dsn, Bell())
    await store.open()
    numbers = itertools.count(1)
    desk = Desk(
        store,
        world.clock,
        lambda prefix: f"{prefix}f{next(numbers):031x}",
        world.hub.desk.limits,
        world.hub.desk.origins,
        store.bell,
    )
    try:
        yield Hub(desk)
    finally:
        await store.close()


def beside(instance: Instance, hub: Hub) -> Instance:
    """The same instance with the same token, speaking to another hub."""
    made = Instance(hub, instance.key, instance.instance_id)
    made.token, made.generation = instance.token, instance.generation
    return made


async def newcomer(world: World, seed: int) -> Instance:
    """One more role, logged in."""
    made = Instance(world.hub, SigningKey(seed.to_bytes(32, "big")), f"ins_{seed:032x}")
    await made.register()
    await made.log_in()
    return made


async def contact_of(opener: Instance, peer: Instance, open_id: str) -> str:
    """A contact that `opener` opens."""
    body = wire.OpenContact(open_id=open_id, peer_role_id=peer.role_id, generation=opener.generation)
    return (await opener.hub.contacts.open(opener.token, body)).contact_id


async def code_of(asked: Awaitable[Any]) -> str:
    """How it ended: `ok`, or the refusal's code."""
    try:
        await asked
    except Refusal as refusal:
        return refusal.code
    return "ok"


def ended(answers: Iterable[Any]) -> Counter[str]:
    """How many ended in which way; an error that is no refusal is raised."""
    counted: Counter[str] = Counter()
    for each in answers:
        if isinstance(each, BaseException) and not isinstance(each, Refusal):
            raise each
        counted[each.code if isinstance(each, Refusal) else "ok"] += 1
    return counted


def tight(**limits: int | None) -> wire.Limits:
    """The published limits with these instead."""
    return msgspec.structs.replace(wire.Limits(replies_per_contact_hour=None, replies_per_role_day=None), **limits)


__all__ = ["ORIGIN", "beside", "code_of", "contact_of", "ended", "newcomer", "second_hub", "tight", "world_with"]
