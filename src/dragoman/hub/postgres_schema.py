"""The hub's schema on PostgreSQL: a schema of its own, migrated step by step under one lock.

1. Many processes may start at once: one migrates, under an advisory lock; the others wait and find it done.
2. A migration and the version that it leads to are one transaction: killed midway, the database is as it was before it.
3. A step waits for a table at most `LOCK_MS` at a time, so that the hubs that serve meanwhile do not queue up behind
   it; then it is tried again.
4. A database of a newer version is served when its `oldest_reader` allows it, so that two versions can serve side by
   side while hubs are replaced one by one; else it is refused.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any, Final

import asyncpg

from dragoman.errors import DragomanError
from dragoman.hub.store import migrations

SCHEMA: Final = "dragoman_hub"
LOCK_MS: Final = 500
TRIES: Final = 40
_LOCK: Final = 0x44524748
_BUSY: Final = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)

Passed = Callable[[int, str], None]
"""Told as a migration passes `begun`, `written` (not committed yet) and `committed`; for tests that kill there."""


def _nothing(version: int, point: str) -> None:
    """Nobody listens."""


async def version_of(connection: Any) -> int:
    """The version of the database; 0 when there is nothing of ours."""
    if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.meta") is None:
        return 0
    return int(await connection.fetchval(f"SELECT value FROM {SCHEMA}.meta WHERE key = 'version'"))  # noqa: S608


async def migrate(connection: Any, upto: int | None = None, passed: Passed = _nothing) -> int:
    """Bring the database to the newest version, or as far as `upto`; returns the version.

    Raises:
        DragomanError: `store_broken` when the database is of a version that this hub may not serve.
    """
    await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
    try:
        known = [each for each in migrations("postgres") if upto is None or each[0] <= upto]
        version = await version_of(connection)
        if version > known[-1][0]:
            oldest = await connection.fetchval(f"SELECT value FROM {SCHEMA}.meta WHERE key = 'oldest_reader'")  # noqa: S608
            if oldest is None or int(oldest) > known[-1][0]:
                raise DragomanError(
                    "store_broken", "the database is of a newer version", where="--db", fix="run a newer dragoman"
                )
        for number, script in known:
            if number > version:
                version = await _tried(connection, number, script, passed)
        return version
    finally:
        await connection.execute("SELECT pg_advisory_unlock($1)", _LOCK)


async def _tried(connection: Any, number: int, script: str, passed: Passed) -> int:
    """One migration, again while others hold its tables.

    Raises:
        DragomanError: `store_broken` when they hold them for too long.
    """
    for attempt in range(TRIES):
        try:
            return await _step(connection, number, script, passed)
        except _BUSY:
            await asyncio.sleep(0.05 * (1 + attempt % 8))
    raise DragomanError("store_broken", f"migration {number} cannot have its tables", where="--db", fix="try again")


async def _step(connection: Any, number: int, script: str, passed: Passed) -> int:
    async with connection.transaction():
        passed(number, "begun")
        await connection.execute(f"SET LOCAL lock_timeout = {LOCK_MS}")
        if number == 1:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        await connection.execute(script)
        if number == 1:
            add = f"INSERT INTO {SCHEMA}.meta (key, value) VALUES ('nonce_secret', $1), ('version', '1')"  # noqa: S608
            await connection.execute(add, os.urandom(32))
        await connection.execute(
            f"UPDATE {SCHEMA}.meta SET value = $1 WHERE key = 'version'",  # noqa: S608
            str(number).encode(),
        )
        passed(number, "written")
    passed(number, "committed")
    return number
