"""Peers of storage, each in its documented way: `queues.py NAME SECONDS DSN|FOLDER` prints units per second.

pgqueuer     drain of enqueued jobs, batch 10 (PostgreSQL)
dbos         one workflow with one step, one after the other (PostgreSQL)
huey         SqliteHuey with fsync: enqueue, run, store the result
persist      persist-queue's SQLite ack queue: put, get, ack
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

TEXT = "x" * 1000
JOBS = 6000


def pgqueuer(seconds: float, dsn: str) -> float:
    """Drain a full queue."""
    import asyncpg
    from pgqueuer import PgQueuer
    from pgqueuer.db import AsyncpgDriver
    from pgqueuer.models import Job
    from pgqueuer.queries import Queries
    from pgqueuer.types import QueueExecutionMode

    async def run() -> float:
        connection = await asyncpg.connect(dsn)
        queries = Queries(AsyncpgDriver(connection))
        await queries.install()
        for _ in range(JOBS // 500):
            await queries.enqueue(["work"] * 500, [TEXT.encode()] * 500, [0] * 500)
        queuer = PgQueuer(AsyncpgDriver(await asyncpg.connect(dsn)))
        done, began = 0, time.perf_counter()

        @queuer.entrypoint("work")
        async def work(job: Job) -> None:
            nonlocal done
            done += 1
            if time.perf_counter() - began > seconds:
                queuer.shutdown.set()

        await queuer.run(batch_size=10, mode=QueueExecutionMode.drain)
        return done / (time.perf_counter() - began)

    return asyncio.run(run())


def dbos(seconds: float, dsn: str) -> float:
    """Durable workflows of one step."""
    from dbos import DBOS, DBOSConfig

    config: DBOSConfig = {"name": "bench", "system_database_url": dsn, "log_level": "ERROR", "run_admin_server": False}
    DBOS(config=config)

    @DBOS.step()
    def step(text: str) -> int:
        return len(text)

    @DBOS.workflow()
    def workflow(text: str) -> int:
        return step(text)

    DBOS.launch()
    workflow(TEXT)
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        workflow(TEXT)
        done += 1
    DBOS.destroy()
    return done / spent


def huey(seconds: float, folder: str) -> float:
    """Enqueue, take, run, keep the result; every step flushed."""
    from huey import SqliteHuey

    queue = SqliteHuey(filename=str(Path(folder) / "huey.db"), fsync=True)

    @queue.task()
    def work(text: str) -> int:
        return len(text)

    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        work(TEXT)
        task = queue.dequeue()
        assert task is not None
        queue.execute(task)
        done += 1
    return done / spent


def persist(seconds: float, folder: str) -> float:
    """Put, get, ack."""
    from persistqueue import SQLiteAckQueue

    queue = SQLiteAckQueue(str(Path(folder) / "persist"), auto_commit=True)
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        queue.put(TEXT)
        queue.ack(queue.get())
        done += 1
    return done / spent


if __name__ == "__main__":
    name, seconds, where = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    print({"pgqueuer": pgqueuer, "dbos": dbos, "huey": huey, "persist": persist}[name](seconds, where))
