"""Nothing of an erased role is left in the store: every table, and on SQLite every byte of the files, is looked at."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from typing import Any

import asyncpg
import pytest
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.clock import HOUR
from dragoman.hub import erasure, postgres_schema, rules
from dragoman.hub.admin import Admin
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.store import Store, statements
from tests.hub.world import World

pytestmark = pytest.mark.anyio
WORDS = ("stallword", "taskword", "searchword", "talkword", "packetword", "unreadword", "replyidword")
STAY = {"audit", "contact", "message", "role"}
"""Where the id of an erased role may stand: that it was, with whom it spoke and when."""


async def dump(store: Store) -> dict[str, str]:
    """Every table as text."""
    if isinstance(store, SqliteStore):
        with contextlib.closing(sqlite3.connect(store.path)) as file:
            names = [row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: repr(file.execute(f"SELECT * FROM {name}").fetchall()) for name in names}
    assert isinstance(store, PostgresStore)
    connection = await asyncpg.connect(store._dsn)
    try:
        found = await connection.fetch(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = $1", postgres_schema.SCHEMA
        )
        names = [row[0] for row in found]
        return {
            name: repr([tuple(row) for row in await connection.fetch(f"SELECT * FROM {postgres_schema.SCHEMA}.{name}")])
            for name in names
        }
    finally:
        await connection.close()


async def furnished(world: World) -> str:
    """Role A uses everything that the hub has; its long text, too, which spans pages."""
    a, hub = world.a1, world.hub
    common = {"generation": a.generation}
    await hub.directory.put(
        a.token, wire.PutStall(title="stallword", text="stallword " * 50, tags=["stallword"], **common)
    )
    await hub.delegations.publish(
        a.token,
        wire.PublishDelegation(
            publish_id="pub_00000001", title="taskword", text="taskword", expires_at=world.clock.now() + HOUR, **common
        ),
    )
    await hub.subscriptions.add(a.token, wire.Subscribe(query="searchword", **common))
    await hub.reports.put(a.token, wire.ReportReceiver(sent_at=world.clock.now(), **common))
    await a.send(world.contact_id, "rep_replyidword_1", "talkword " * 1500, packet='{"k":"packetword"}')
    got = await world.b.lease(limit=1)
    assert got.lease is not None
    await world.b.ack(got.lease.lease_token, got.messages[0].message_id)
    await a.send(world.contact_id, "rep_replyidword_2", "unreadword")
    await world.b.send(world.contact_id, "rep_of_the_peer", "the words of the peer")
    await a.lease()
    await hub.pulse.flush()
    return repr(await dump(world.store))


async def test_no_word_and_no_trace_stays(world: World) -> None:
    """Stall, delegation, subscription, report, messages, leases, tokens and key are gone from every table."""
    before = await furnished(world)
    await Admin(world.hub.desk).erase(world.a1.role_id)
    tables = await dump(world.store)
    left = repr(tables)

    assert [] == [word for word in WORDS if word not in before], "all of it was there"
    assert [] == [word for word in WORDS if word in left]
    assert world.a1.public not in left
    assert STAY == {name for name, text in tables.items() if world.a1.role_id in text}
    assert "the words of the peer" in left


async def test_no_byte_stays_in_the_file(tmp_path: Any) -> None:
    """SQLite overwrites what it frees: once the hub has been closed no word is in the file, and no log is left."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    await furnished(world)
    await Admin(world.hub.desk).erase(world.a1.role_id)
    await world.store.close()
    raw = (tmp_path / "hub.db").read_bytes()

    assert [] == [word for word in WORDS if word.encode() in raw]
    assert ["hub.db"] == [each.name for each in tmp_path.iterdir()]
    assert b"the words of the peer" in raw


async def test_the_peer_is_woken(world: World) -> None:
    """Who waits for the erased role's words looks again at once."""
    with world.hub.desk.bell.listening(world.b.role_id) as bell:
        await Admin(world.hub.desk).erase(world.a1.role_id)
        await asyncio.wait_for(bell.wait(), 5)


def test_an_older_hub_lets_no_dead_role_in() -> None:
    """It sees an empty key, and no signature fits that."""
    key = SigningKey(b"k" * 32)

    assert not rules.signature_fits("", b"data", key.sign(b"data").signature.hex())
    assert not rules.signature_fits("", b"", "00" * 64)


def test_each_room_says_what_an_erasure_takes() -> None:
    """Every statement named for it takes a role and a moment at most, on both engines, and both engines have it."""
    names = {
        engine: {name for name in statements(engine) if name.endswith("_erase")} for engine in ("sqlite", "postgres")
    }

    assert names["sqlite"] == names["postgres"] == {*erasure._FIRST, *erasure._OTHERS}
