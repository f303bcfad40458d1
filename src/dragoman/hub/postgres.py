"""The hub's store on PostgreSQL: many hub processes over one database, on one machine or many.

1. `write` is one transaction on a connection of the pool; deadlocks and serialization failures, which change nothing,
   are tried again. What must not change under a work is locked by its statements (`FOR UPDATE`, `FOR KEY SHARE`).
2. `together`: each verb has a lane of its own, `WRITERS` connections, each of which takes all that waits in one
   transaction. Between seeing its queue empty and parking nothing is awaited, so no wake-up is lost.
3. A connection lost before `COMMIT` was sent is `store_unavailable`; from then on only a look tells: `internal`.
4. `ring` is one `NOTIFY` with the commit, heard by every process after it. Correctness never depends on it: whoever
   waits looks again by itself.
5. Passwords come from the password file or a private file, never from an argument.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Collection
from functools import partial
from typing import Any, Final, TypeVar

import asyncpg

from dragoman.errors import DragomanError
from dragoman.hub import postgres_schema
from dragoman.hub.postgres_lane import AGAIN, LOST, TRIES, Lane
from dragoman.hub.postgres_statements import PostgresTransaction, Text
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import (
    Checkpoint,
    Item,
    StorePoint,
    Verb,
    Work,
    caused,
    named,
    no_checkpoint,
    statements,
)
from dragoman.hub.wake import Bell

T = TypeVar("T")

CHANNEL: Final = "dragoman_hub"
COMMAND_SECONDS: Final = 20.0
RECONNECT_SECONDS: Final = 0.5
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

RINGS: Final = 200
"""How many roles one `NOTIFY` names; its text may have 8,000 bytes."""
_PLANS: Final = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}
"""Every statement here is a look-up by an index, planned once for each connection."""


class PostgresStore:
    """One PostgreSQL database, shared by as many hub processes as wished.

    Args:
        dsn: `postgresql://user@host[,host2]/database`; several hosts are tried for the one that takes writes.
        bell: rung for each role that any process named in a committed transaction.
        password: read from a private file by the caller; else the password file of PostgreSQL is used.
        connections: how many at most this process opens for works, beside one per verb and one that listens.
        upto: the newest migration to know, all when left out; for tests of hubs of two versions side by side.
        checkpoint: told of every arrow of a transaction.
    """

    def __init__(
        self,
        dsn: str,
        bell: Bell | None = None,
        *,
        password: str | None = None,
        connections: int = 8,
        upto: int | None = None,
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        self.bell = bell or Bell()
        self.commits = 0
        self._dsn = dsn
        self._options: dict[str, Any] = {
            "dsn": dsn,
            "password": password,
            "command_timeout": COMMAND_SECONDS,
            "timeout": 5,
            "statement_cache_size": 512,
            "target_session_attrs": "read-write",
            "server_settings": {
                "search_path": postgres_schema.SCHEMA,
                "application_name": "dragoman-hub",
                "jit": "off",
                **_PLANS,
                "synchronous_commit": "on",
                "idle_in_transaction_session_timeout": "60000",
            },
        }
        self._connections = connections
        self._upto = upto
        self._checkpoint = checkpoint
        self._texts = {name: Text(text) for name, text in statements("postgres").items()}
        self._uses: Counter[int] = Counter()
        self._pool: Any = None
        self._lanes: dict[Any, Lane] = {}
        self._listener: asyncio.Task[None] | None = None
        self._closing = True

    async def open(self) -> None:
        """Migrate the database and begin to work.

        Raises:
            DragomanError: `store_broken`.
        """
        try:
            connection = await asyncpg.connect(**self._options)
            try:
                await postgres_schema.migrate(connection, self._upto)
            finally:
                await connection.close()
            self._pool = await asyncpg.create_pool(
                **self._options, min_size=1, max_size=self._connections, reset=_as_it_is
            )
        except (*LOST, asyncpg.PostgresError, ValueError) as error:
            raise DragomanError(
                "store_broken", f"{type(error).__name__}: {error}"[:300], where="--db", fix="see that it runs"
            ) from error
        self._closing = False
        heard = asyncio.Event()
        self._listener = asyncio.create_task(self._listen(heard))
        await heard.wait()

    async def close(self) -> None:
        """Finish what waits; later work is told `shutting_down`."""
        if self._closing:
            return
        self._closing = True
        for lane in self._lanes.values():
            await lane.close()
        if self._listener is not None:
            self._listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listener
        try:
            await asyncio.wait_for(self._pool.close(), 5)
        except TimeoutError:
            self._pool.terminate()

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction; returns after its commit."""
        for attempt in range(TRIES):
            async with self._held() as connection:
                try:
                    return await self.commit(connection, work, named(work))
                except AGAIN as error:
                    if attempt == TRIES - 1:
                        raise caused("overloaded", error) from error
            await asyncio.sleep(0.005 * 2**attempt)
        raise Refusal("overloaded")

    async def commit(self, connection: Any, work: Work[T], name: str) -> T:
        """Run `work` in a transaction of `connection`; `name` is for the checkpoint.

        Raises:
            Refusal: as `write`.
            asyncpg.PostgresError: one of those after which a second try is due.
        """
        try:
            await self._planned(connection)
            await connection.execute("BEGIN")
            self._checkpoint(StorePoint.BEGUN, name)
            transaction = PostgresTransaction(connection, self._texts)
            result = await work(transaction)
        except BaseException as error:
            await _undo(connection)
            if isinstance(error, (*AGAIN, Refusal)) or not isinstance(error, Exception):
                raise
            raise caused("store_unavailable" if isinstance(error, LOST) else "internal", error) from error
        self._checkpoint(StorePoint.WRITTEN, name)
        try:
            await connection.execute(_commit(transaction.rung))
        except AGAIN:
            raise
        except Exception as error:
            connection.terminate()
            raise caused("internal", error) from error
        self.commits += 1
        self._checkpoint(StorePoint.COMMITTED, name)
        return result

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one moment of what is committed."""
        async with self._held() as connection:
            try:
                await self._planned(connection)
                await connection.execute(_READ)
                return await work(PostgresTransaction(connection, self._texts))
            except LOST as error:
                raise caused("store_unavailable", error) from error
            except asyncpg.PostgresError as error:
                raise caused("internal", error) from error
            finally:
                await _undo(connection)

    async def glance(self, work: Work[T]) -> T:
        """Run a `work` of one statement on what is committed."""
        async with self._held() as connection:
            try:
                await self._planned(connection)
                return await work(PostgresTransaction(connection, self._texts))
            except LOST as error:
                raise caused("store_unavailable", error) from error
            except asyncpg.PostgresError as error:
                raise caused("internal", error) from error

    async def together(self, verb: Verb[Item, T], item: Item) -> T:
        """Have `verb` do `item` with the others that wait for it; returns after the commit."""
        if self._closing:
            raise Refusal("shutting_down")
        lane = self._lanes.get(verb)
        if lane is None:
            lane = self._lanes[verb] = Lane(partial(asyncpg.connect, **self._options), self.commit, verb)
        done: T = await lane.put(item)
        return done

    async def _planned(self, connection: Any) -> None:
        """Count a use of a connection, and have its plans made anew when that is due."""
        pid = connection.get_server_pid()
        self._uses[pid] += 1
        if is_replan(self._uses[pid]):
            await connection.execute("DISCARD PLANS")

    @contextlib.asynccontextmanager
    async def _held(self) -> AsyncIterator[Any]:
        """A connection of the pool; a pool that cannot give one has written nothing."""
        if self._closing:
            raise Refusal("shutting_down")
        try:
            connection = await self._pool.acquire(timeout=COMMAND_SECONDS)
        except (*LOST, asyncpg.PostgresError) as error:
            raise caused("store_unavailable", error) from error
        try:
            yield connection
        finally:
            await self._pool.release(connection)

    async def _listen(self, heard: asyncio.Event) -> None:
        """Hear every process's rings; after a lost connection everyone looks once, for what was missed."""
        while True:
            lost = asyncio.Event()
            with contextlib.suppress(*LOST, asyncpg.PostgresError):
                connection = await asyncpg.connect(**self._options)
                try:
                    connection.add_termination_listener(lambda _, lost=lost: lost.set())
                    await connection.add_listener(CHANNEL, lambda *said: self.bell.ring_each(said[3].split()))
                    heard.set()
                    self.bell.ring_all()
                    await lost.wait()
                finally:
                    connection.terminate()
            heard.set()
            await asyncio.sleep(RECONNECT_SECONDS)


def is_replan(uses: int) -> bool:
    """Whether a connection that was used so often makes its plans anew: each time that the number has doubled.

    A plan that was made while a table was nearly empty may have taken the wrong one of two indexes, and nobody tells it
    that the table has grown before PostgreSQL's own daemon has looked.
    """
    return uses >= 4 and uses & (uses - 1) == 0


def _commit(rung: Collection[str]) -> str:
    """The last words of a transaction: whom to ring, and `COMMIT`, in one round trip."""
    roles = sorted(rung)
    told = [" ".join(roles[at : at + RINGS]) for at in range(0, len(roles), RINGS)]
    quoted = [each.replace("'", "''") for each in told]
    return "".join(f"NOTIFY {CHANNEL}, '{each}'; " for each in quoted) + "COMMIT"


async def _as_it_is(connection: Any) -> None:
    """Nothing of the hub leaves a setting on a connection, so giving one back needs no round trip."""


async def _undo(connection: Any) -> None:
    """Roll back; a connection that cannot is thrown away."""
    try:
        if not connection.is_closed() and connection.is_in_transaction():
            await connection.execute("ROLLBACK")
    except Exception:  # noqa: BLE001  what cannot be rolled back is not used again
        connection.terminate()


async def has_hub(dsn: str, password: str | None = None) -> bool:
    """Whether a database holds a hub's schema already, of whatever version.

    Raises:
        DragomanError: `store_broken` when it cannot be asked.
    """
    try:
        connection = await asyncpg.connect(dsn, password=password, timeout=5)
        try:
            found = await connection.fetchval("SELECT to_regnamespace($1)", postgres_schema.SCHEMA)
        finally:
            await connection.close()
    except (*LOST, asyncpg.PostgresError, ValueError) as error:
        detail = f"{type(error).__name__}: {error}"[:300]
        raise DragomanError("store_broken", detail, where="--db", fix="see that it runs") from error
    return found is not None
