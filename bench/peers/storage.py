"""Targets H5 and H6: what the hub asks of PostgreSQL beside the usual ways of a queue, without HTTP.

1. `poll(1)+ack+reply` of eight roles beside lease(1)+ack of eight workers by `SKIP LOCKED`: two commits, no reply.
2. `poll(10)` and one reply that acks all ten beside a drain of pgqueuer, batch 10.
3. An idle poll beside one that also renews the caller's lease.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import uvloop
from bench.peers import place
from nacl.signing import SigningKey
from tests.hub.world import ORIGIN, UNLIMITED, Instance
from tests.postgres import Cluster

from dragoman import wire
from dragoman.clock import SystemClock
from dragoman.hub import rows
from dragoman.hub.desk import Desk
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.serve import random_id
from dragoman.hub.service import Hub
from dragoman.hub.store import Transaction
from dragoman.hub.wake import Bell

WORKERS = 8
TEXT = "x" * 1000
MAKE = """CREATE TABLE IF NOT EXISTS job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL,
leased_until bigint NOT NULL DEFAULT 0, done boolean NOT NULL DEFAULT false);
CREATE INDEX IF NOT EXISTS job_open ON job (id) WHERE NOT done"""
LEASE = """UPDATE job SET leased_until = $1 + 120000 WHERE id = (SELECT id FROM job WHERE NOT done AND leased_until < $1
ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, body"""
Step = Callable[[int], Awaitable[int]]


async def timed(step: Step, seconds: float) -> float:
    """Units per second of eight workers that repeat a step."""
    done, began = 0, time.perf_counter()

    async def work(number: int) -> None:
        nonlocal done
        while time.perf_counter() - began < seconds:
            units = await step(number)  # not `done += await …`: that would read `done` before it waits
            done += units

    await asyncio.gather(*(work(number) for number in range(WORKERS)))
    return done / (time.perf_counter() - began)


class Mailboxes:
    """Eight pairs of roles at a hub over PostgreSQL."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.pairs: list[tuple[Instance, Instance, str]] = []
        self.idle: list[Instance] = []
        self._said = 0

    async def furnish(self) -> None:
        """Make the pairs."""
        for number in range(WORKERS):
            a = Instance(self.hub, SigningKey(bytes([number]) * 32), f"ins_{number:032x}")
            b = Instance(self.hub, SigningKey(bytes([number + 100]) * 32), f"ins_{number + 100:032x}")
            c = Instance(self.hub, SigningKey(bytes([number + 200]) * 32), f"ins_{number + 200:032x}")
            self.idle.append(c)
            for each in (a, b, c):
                await each.register()
                await each.log_in()
            body = wire.OpenContact(open_id=f"open_{number:06}", peer_role_id=b.role_id, generation=a.generation)
            self.pairs.append((a, b, (await self.hub.contacts.open(a.token, body)).contact_id))

    async def fill(self, each: int) -> None:
        """So many messages more in every mailbox."""
        for _ in range(each):
            self._said += 1
            await asyncio.gather(*(a.send(contact, f"fill_{self._said:09}", TEXT) for a, _, contact in self.pairs))

    async def take(self, number: int, limit: int) -> int:
        """Poll, and reply with the ack of all that came."""
        _, b, contact = self.pairs[number]
        got = await b.lease(limit=limit)
        if got.lease is None:
            await asyncio.sleep(0.01)
            return 0
        self._said += 1
        ids = [each.message_id for each in got.messages]
        held = {"lease_token": got.lease.lease_token, "ack_message_ids": ids}
        await b.send(contact, f"answer_{self._said:09}", TEXT, **held)
        return len(ids)

    async def look(self, number: int) -> int:
        """An idle poll: one statement that reads."""
        idle = self.idle[number]
        await self.hub.leases.waiting(idle.token, wire.TakeLease(generation=idle.generation))
        return 1

    async def renew(self, number: int, lease_token: str) -> int:
        """An idle poll that also moves the end of its lease."""
        token_hash = rows.token_hash(self.idle[number].token)

        async def work(tx: Transaction) -> int:
            now = self.hub.desk.clock.now()
            values = {"now": now, "oldest": 0, "contact_ids": None, "message_ids": None}
            await tx.one("message_waiting", token_hash=token_hash, **values)
            return await tx.run("lease_move", lease_token=lease_token, expires_at=now + 120_000)

        return await self.hub.desk.store.write(work)


async def skip_locked(dsn: str, seconds: float) -> float:
    """Jobs per second of the usual queue on PostgreSQL."""
    pool = await asyncpg.create_pool(dsn, min_size=WORKERS, max_size=WORKERS)
    await pool.execute(MAKE)
    await pool.execute("INSERT INTO job (body) SELECT $1 FROM generate_series(1, 8000)", TEXT)

    async def step(_: int) -> int:
        async with pool.acquire() as connection:
            row = await connection.fetchrow(LEASE, int(time.time() * 1000))
            await connection.execute("UPDATE job SET done = true WHERE id = $1", row["id"])
        return 1

    rate = await timed(step, seconds)
    await pool.close()
    return rate


def pgqueuer(dsn: str, seconds: float) -> float:
    """Jobs per second of a drain in its own process."""
    command = [str(place.PEERS), str(place.HERE / "queues.py"), "pgqueuer", str(seconds), dsn]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


async def one_round(cluster: Cluster, mailboxes: Mailboxes, seconds: float) -> dict[str, float]:
    """Everything once, one after the other."""
    await mailboxes.fill(int(300 * seconds))
    found = {"take 1": await timed(lambda number: mailboxes.take(number, 1), seconds)}
    found["skip locked"] = await skip_locked(cluster.database(), seconds)
    await mailboxes.fill(int(800 * seconds))
    found["take 10"] = await timed(lambda number: mailboxes.take(number, 10), seconds)
    if place.PEERS.exists():
        found["pgqueuer"] = await asyncio.to_thread(pgqueuer, cluster.database(), seconds)
    tokens = []
    for a, _, _ in mailboxes.pairs:
        lease = (await a.lease(limit=1)).lease
        assert lease is not None
        tokens.append(lease.lease_token)
    found["look"] = await timed(mailboxes.look, seconds)
    found["renew"] = await timed(lambda number: mailboxes.renew(number, tokens[number]), seconds)
    return found


async def rounds_of(cluster: Cluster, rounds: int, seconds: float) -> dict[str, list[float]]:
    """All rounds, over one hub."""
    bell = Bell()
    store = PostgresStore(cluster.database(), bell)
    await store.open()
    mailboxes = Mailboxes(Hub(Desk(store, SystemClock(), random_id, UNLIMITED, frozenset({ORIGIN}), bell)))
    await mailboxes.furnish()
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, rate in (await one_round(cluster, mailboxes, seconds)).items():
            found[name].append(rate)
    await store.close()
    return found


def measure(folder: Path, cluster: Cluster, rounds: int, seconds: float, verdicts: place.Verdicts) -> None:
    """H5 and H6."""
    found = uvloop.run(rounds_of(cluster, rounds, seconds / 2))
    for name, rates in found.items():
        print(f"{name:22}{WORKERS:4}{place.median(rates):9.0f}")

    def over(one: str, other: str) -> list[float]:
        return [a / b for a, b in zip(found[one], found[other], strict=True)]

    verdicts.ratio("H5", over("take 1", "skip locked"), 1.5, "poll(1)+ack+reply against SKIP LOCKED lease(1)+ack, c=8")
    if "pgqueuer" in found:
        verdicts.ratio("H5", over("take 10", "pgqueuer"), 1.5, "poll(10)+ack+reply against pgqueuer, batch 10, c=8")
    verdicts.ratio("H6", over("look", "renew"), 1.5, "idle poll against one that renews, c=8")
