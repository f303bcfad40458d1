"""What a verb costs as messages grow from 10,000 to 1,000,000: `python bench/growth.py [--quick]`.

Medians of send, poll, ack and of asking where a conversation stands, one after the other (c=1), on both engines, at
both sizes; the goal is 1.5 times. Old messages are acked, in 5,000 contacts. `--quick` grows to 100,000.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sqlite3
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.peers import place  # noqa: E402
from tests.hub.world import World  # noqa: E402
from tests.postgres import Cluster, binaries, running_cluster  # noqa: E402

from dragoman.hub.postgres import PostgresStore  # noqa: E402
from dragoman.hub.sqlite import SqliteStore  # noqa: E402
from dragoman.hub.wake import Bell  # noqa: E402

SMALL, LARGE, GOAL = 10_000, 1_000_000, 1.5
CONTACTS = 5_000
TEXT = "x" * 600
Medians = dict[int, dict[str, float]]
COLUMNS = "message_id, contact_id, seq, sender, recipient, reply_id, digest, text, complete, created_at, acked_at"
ROW_SQLITE = f"""WITH RECURSIVE n(i) AS (SELECT :low UNION ALL SELECT i + 1 FROM n WHERE i < :high)
INSERT INTO message ({COLUMNS}) SELECT 'msg_' || lower(hex(randomblob(16))), 'con_old_' || (i % {CONTACTS}),
i / {CONTACTS} + 1, 'role_old_' || (i % {CONTACTS}), 'role_older_' || (i % {CONTACTS}), lower(hex(randomblob(16))),
lower(hex(randomblob(32))), :text, 0, :now - 1000000000 + i, :now FROM n"""
ROW_POSTGRES = f"""INSERT INTO dragoman_hub.message ({COLUMNS}) SELECT 'msg_' || md5('m' || i),
'con_old_' || (i % {CONTACTS}), i / {CONTACTS} + 1, 'role_old_' || (i % {CONTACTS}), 'role_older_' || (i % {CONTACTS}),
md5('r' || i), md5('d' || i) || md5('e' || i), $3, 0, $4::bigint - 1000000000 + i, $4
FROM generate_series($1::bigint, $2) i"""


def grow_sqlite(path: Path, low: int, high: int, now: int) -> None:
    """Old messages into the file, as the hub's own tables hold them."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA synchronous = OFF")
        file.execute("PRAGMA cache_size = -400000")
        file.execute("PRAGMA foreign_keys = 0")
        with file:
            file.execute(ROW_SQLITE, {"low": low, "high": high - 1, "text": TEXT, "now": now})
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def grow_postgres(dsn: str, low: int, high: int, now: int) -> None:
    """The same in PostgreSQL, vacuumed and analysed as its own daemon would in a minute."""
    connection = await asyncpg.connect(dsn)
    await connection.execute("SET synchronous_commit = off")
    await connection.execute(ROW_POSTGRES, low, high - 1, TEXT, now, timeout=600)
    await connection.execute("VACUUM ANALYZE dragoman_hub.message", timeout=600)
    await connection.execute("CHECKPOINT", timeout=600)
    await connection.close()


async def turn(world: World, reply_id: str, number: int, spent: dict[str, list[float]]) -> None:
    """One message from the one to the other and its ack, each verb timed."""

    async def timed(name: str, asking: Any) -> Any:
        began = time.perf_counter()
        answer = await asking
        spent[name].append(time.perf_counter() - began)
        return answer

    world.clock.pass_ms(1)
    says, hears = (world.a1, world.b) if number % 2 else (world.b, world.a1)
    await timed("send", says.send(world.contact_id, reply_id, TEXT))
    leased = await timed("poll", hears.lease())
    await timed("ack", hears.ack(leased.lease.lease_token, *(each.message_id for each in leased.messages)))
    await timed("status", says.state(world.contact_id))


async def measure(engine: str, folder: Path, cluster: Cluster | None, large: int, turns: int) -> Medians:
    """Two hubs of one engine, one small and one large, turn by turn, so that both meet the same disk."""
    worlds: dict[int, World] = {}
    for size in (SMALL, large):
        bell, path = Bell(), folder / f"growth{size}" / "hub.db"
        dsn = cluster.database() if cluster is not None else ""
        worlds[size] = World(SqliteStore(path, bell) if engine == "sqlite" else PostgresStore(dsn, bell), bell)
        await worlds[size].furnish()
        now = worlds[size].clock.now()
        if engine == "sqlite":
            await asyncio.to_thread(grow_sqlite, path, 0, size, now)
        else:
            await grow_postgres(dsn, 0, size, now)
    await asyncio.to_thread(os.sync)
    spent: dict[int, dict[str, list[float]]] = {}
    for mark, count in (("warm", 60), ("turn", turns)):
        spent = {size: defaultdict(list) for size in worlds}
        for number in range(count):
            for size, world in worlds.items():
                await turn(world, f"{mark}_{number:08}", number, spent[size])
    for world in worlds.values():
        await world.store.close()
    return {size: {name: place.median(times) * 1000 for name, times in by.items()} for size, by in spent.items()}


def main() -> int:
    """Measure; 1 when the goal is missed by far."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="grow to 100,000 only")
    given = parser.parse_args()
    large, turns = (100_000, 150) if given.quick else (LARGE, 400)
    verdicts = place.Verdicts()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(place.folder())
        cluster = None
        if binaries() is not None:
            cluster = stack.enter_context(running_cluster(fsync="on", shared_buffers="256MB"))
        for engine in ("sqlite", "postgres") if cluster is not None else ("sqlite",):
            found = uvloop.run(measure(engine, folder, cluster, large, turns))
            for name in ("send", "poll", "ack", "status"):
                few, many = found[SMALL][name], found[large][name]
                said = f"{engine}: {name} p50 {few:.2f} ms at {SMALL:,}, {many:.2f} ms at {large:,}"
                verdicts.ratio("grow", [GOAL * few / many], 1.0, said)
    return int(verdicts.failed)


if __name__ == "__main__":
    sys.exit(main())
