"""The hub's migration with one difference: the process kills itself (SIGKILL) at a chosen point of one of them.

Usage: `python -m tests.hub.migrate_at sqlite|postgres PATH|DSN VERSION:POINT`; points are `begun`, `written`,
`committed`. A point that is never passed, such as `0:never`, lets it finish.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import asyncpg

from dragoman.hub import postgres_schema, sqlite_file


def main() -> None:
    """Migrate, or die on the way."""
    engine, place, wanted = sys.argv[1:4]

    def passed(version: int, point: str) -> None:
        if f"{version}:{point}" == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    async def on_postgres() -> None:
        connection = await asyncpg.connect(place, server_settings={"search_path": postgres_schema.SCHEMA})
        await postgres_schema.migrate(connection, passed=passed)
        await connection.close()

    if engine == "sqlite":
        sqlite_file.opened(Path(place), passed=passed).close()
    else:
        asyncio.run(on_postgres())


if __name__ == "__main__":
    main()
