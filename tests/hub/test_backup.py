"""A backup while the hub serves, and a restore that lets nothing from before it speak."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from dragoman.errors import DragomanError
from dragoman.hub import backup, sqlite_file
from dragoman.hub.desk import Desk
from dragoman.hub.postgres import PostgresStore, has_hub
from dragoman.hub.postgres_schema import SCHEMA
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.store import Store
from dragoman.hub.wake import Bell
from tests.hub.test_migrations import FIXTURE
from tests.hub.world import ORIGIN, UNLIMITED, Instance, World
from tests.postgres import Cluster

pytestmark = pytest.mark.anyio


async def saved(world: World, out: Path) -> None:
    """A backup of an open store."""
    if isinstance(world.store, SqliteStore):
        backup.save_sqlite(world.store.path, out)
    else:
        assert isinstance(world.store, PostgresStore)
        await asyncio.to_thread(backup.save_postgres, world.store._dsn, out, SCHEMA)


async def restored(out: Path, folder: Path, cluster: Cluster | None, *, unchanged: bool = False) -> Store:
    """The same backup as a store of its own, open."""
    store: Store
    if cluster is None:
        place = folder / "restored" / "hub.db"
        with backup.placing(place) as making:
            backup.place_sqlite(out, making)
            if not unchanged:
                fenced = SqliteStore(making)
                await fenced.open()
                await backup.fence(fenced)
                await fenced.close()
        assert [place.name] == [each.name for each in place.parent.iterdir()]
        store = SqliteStore(place)
        await store.open()
        return store
    dsn = cluster.database()
    await asyncio.to_thread(backup.place_postgres, dsn, out)
    store = PostgresStore(dsn)
    await store.open()
    if not unchanged:
        await backup.fence(store)
    return store


def cluster_of(engine: str, request: pytest.FixtureRequest) -> Cluster | None:
    found: Cluster | None = request.getfixturevalue("postgres") if engine == "postgres" else None
    return found


async def test_what_was_answered_before_the_backup_is_in_it(
    world: World, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Taken under writes; restored elsewhere: messages are there; no token, lease or generation from before is good."""
    await world.a1.send(world.contact_id, "rep_before_it", "before")
    leased = await world.b.lease()
    writing = [asyncio.ensure_future(world.a1.send(world.contact_id, f"rep_under_{n:04}")) for n in range(50)]
    await asyncio.sleep(0)
    out = tmp_path / "hub.backup"
    await saved(world, out)
    await asyncio.gather(*writing)
    store = await restored(out, tmp_path, cluster_of(engine, request))
    bell = Bell()
    hub = Hub(Desk(store, world.clock, world.hub.desk.new_id, UNLIMITED, frozenset({ORIGIN}), bell))
    codes = []
    for each in (world.a1, world.b):
        try:
            await hub.entrance.me(each.token)
        except Refusal as refusal:
            codes.append(refusal.code)
    b = Instance(hub, world.b.key, world.b.instance_id)
    session = await b.log_in()
    again = await b.lease(limit=1)
    await store.close()

    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert ["token_invalid", "token_invalid"] == codes
    assert (world.b.generation + backup.AHEAD + 1, True) == (session.generation, session.primary)
    assert ["before"] == [each.text for each in again.messages]
    assert leased.lease is not None
    assert again.lease is not None
    assert leased.lease.lease_token != again.lease.lease_token


async def test_a_move_that_changes_nothing(
    world: World, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """With every hub stopped before the backup, `unchanged` keeps tokens and generations."""
    out = tmp_path / "hub.backup"
    await saved(world, out)
    store = await restored(out, tmp_path, cluster_of(engine, request), unchanged=True)
    hub = Hub(Desk(store, world.clock, world.hub.desk.new_id, UNLIMITED, frozenset({ORIGIN}), Bell()))
    me = await hub.entrance.me(world.a1.token)
    await store.close()

    assert (world.a1.generation, True) == (me.generation, me.primary)


async def test_nothing_is_overwritten(world: World, tmp_path: Path) -> None:
    """A file where the backup goes, and a store where a restore goes, are left as they are."""
    out = tmp_path / "there"
    out.write_text("mine")
    with pytest.raises(DragomanError) as there:
        await saved(world, out)

    assert ("conflict", "mine") == (there.value.code, out.read_text())
    assert ["there"] == [each.name for each in tmp_path.iterdir() if each.is_file()]


async def test_a_store_in_place_stays(tmp_path: Path) -> None:
    """A restore over a store is refused, before anything is written."""
    place = tmp_path / "hub" / "hub.db"
    sqlite_file.opened(place).close()
    before = place.read_bytes()
    with pytest.raises(DragomanError, match="conflict"), backup.placing(place):
        raise AssertionError("never here")

    assert before == place.read_bytes()


async def test_a_broken_backup_is_refused(tmp_path: Path) -> None:
    """A page in the middle overwritten: told by the integrity check, and no store is left."""
    source, broken = tmp_path / "hub" / "hub.db", tmp_path / "broken"
    store = SqliteStore(source)
    await store.open()
    await store.close()
    raw = bytearray(source.read_bytes())
    raw[4096 * 3 : 4096 * 4] = os.urandom(4096)
    broken.touch(0o600)
    broken.write_bytes(raw)
    place = tmp_path / "new" / "hub.db"
    with pytest.raises(DragomanError, match="store_broken"), backup.placing(place) as making:
        backup.place_sqlite(broken, making)

    assert [] == list(place.parent.iterdir())


async def test_a_backup_of_version_1_is_restored_as_the_newest(tmp_path: Path) -> None:
    """What an older release saved is migrated on its way, and its messages are there."""
    old = tmp_path / "old"
    old.touch(0o600)
    old.write_bytes(FIXTURE.read_bytes())
    place = tmp_path / "new" / "hub.db"
    with backup.placing(place) as making:
        backup.place_sqlite(old, making)
    with sqlite3.connect(place) as file:
        found = file.execute("SELECT count(*) FROM message").fetchone()[0]
        version = file.execute("PRAGMA user_version").fetchone()[0]
    file.close()

    assert (8, True) == (found, version > 1)


async def test_a_password_reaches_pg_dump_in_a_file_only(tmp_path: Path, anyio_backend: str) -> None:
    """The program sees a path in its environment, the file is private; neither argv nor environment has the word."""
    seen = tmp_path / "seen"
    program = tmp_path / "pg_dump"
    script = ["#!/bin/sh", f"env > {seen}", f'echo "$@" >> {seen}']
    script += [f'stat -c %a "$PGPASSFILE" > {seen}.mode', f'cat "$PGPASSFILE" > {seen}.file', ""]
    program.write_text("\n".join(script))
    program.chmod(0o700)
    backup._run("pg_dump", ["--dbname", "postgresql://hub@db/hub"], "pass:word\\x", str(tmp_path))

    assert "word" not in seen.read_text()
    assert ("600\n", "*:*:*:*:pass\\:word\\\\x\n") == (
        seen.with_name("seen.mode").read_text(),
        seen.with_name("seen.file").read_text(),
    )


@pytest.mark.postgres
async def test_a_database_that_has_a_hub(postgres: Cluster, anyio_backend: str) -> None:
    """It is seen before a restore, and an empty one too; one that cannot be asked is an error."""
    dsn = postgres.database()
    empty = await has_hub(dsn)
    store = PostgresStore(dsn)
    await store.open()
    await store.close()

    assert (False, True) == (empty, await has_hub(dsn))
    with pytest.raises(DragomanError, match="store_broken"):
        await has_hub(dsn.replace("/hub", "/nosuchhub"))
