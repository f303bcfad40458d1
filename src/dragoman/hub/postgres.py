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
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import asyncpg
import msgspec

from dragoman.errors import DragomanError
from dragoman.hub import postgres_schema
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import (
    BACKLOG,
    GROUP,
    Checkpoint,
    Item,
    Row,
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
TRIES: Final = 4
COMMAND_SECONDS: Final = 20.0
RECONNECT_SECONDS: Final = 0.5
_VALUE: Final = re.compile(r"(?<![:\w]):([a-z_]+)")
_NUMBER: Final = re.compile(r"\$(\d+)")
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

WRITERS: Final = 2
"""How many connections a verb has: while one batch waits for the disk or for its turn on a busy machine, the next goes
on. More make smaller batches, and each batch costs as much as five requests."""
RINGS: Final = 200
"""How many roles one `NOTIFY` names; its text may have 8,000 bytes."""
_PLANS: Final = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}
"""Every statement here is a look-up by an index, planned once for each connection."""

_AGAIN: Final = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,  # a newer hub has just migrated the table
)
_LOST: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,  # shutting down, starting up
    asyncpg.ReadOnlySQLTransactionError,  # the server has become a standby
    asyncpg.TooManyConnectionsError,
    TimeoutError,
)


class _Text:
    """One statement as PostgreSQL takes it: numbered values, and the names in their order."""

    def __init__(self, text: str) -> None:
        self.names: list[str] = list(dict.fromkeys(_VALUE.findall(text)))
        self.text = _VALUE.sub(lambda found: f"${self.names.index(found[1]) + 1}", text)

    def values(self, given: Mapping[str, object]) -> list[object]:
        """The values in the order of the numbers."""
        return [given[name] for name in self.names]


@lru_cache(maxsize=64)
def _as_one(names: tuple[str, ...], texts: tuple[_Text, ...]) -> str:
    """Several statements as one, whose rows are a statement's name and the row as JSON."""
    parts: list[str] = []
    before = 0
    for name, text in zip(names, texts, strict=True):
        numbered = _NUMBER.sub(lambda found, before=before: f"${int(found[1]) + before}", text.text)  # type: ignore[misc]
        parts.append(f"SELECT '{name}' AS name, row_to_json(f)::text AS row FROM (\n{numbered.rstrip(' ;')}\n) f")  # noqa: S608
        before += len(text.names)
    return "\nUNION ALL\n".join(parts)


class PostgresTransaction:
    """The named statements on one connection."""

    def __init__(self, connection: Any, texts: Mapping[str, _Text]) -> None:
        self._connection = connection
        self._texts = texts
        self.rung: set[str] = set()

    async def one(self, name: str, /, **values: object) -> Row | None:
        """The first row of a statement, or None."""
        statement = self._texts[name]
        found: Row | None = await self._connection.fetchrow(statement.text, *statement.values(values))
        return found

    async def all(self, name: str, /, **values: object) -> Sequence[Row]:
        """Every row of a statement."""
        statement = self._texts[name]
        found: Sequence[Row] = await self._connection.fetch(statement.text, *statement.values(values))
        return found

    async def run(self, name: str, /, **values: object) -> int:
        """How many rows a statement changed."""
        statement = self._texts[name]
        tag: str = await self._connection.execute(statement.text, *statement.values(values))
        return int(tag.rpartition(" ")[2])

    async def many(self, name: str, rows: Sequence[Mapping[str, object]], /) -> None:
        """One statement once per row of values, in one round trip."""
        if rows:
            statement = self._texts[name]
            await self._connection.executemany(statement.text, [statement.values(row) for row in rows])

    async def gather(self, name: str, rows: Sequence[Mapping[str, object]], /) -> Sequence[Row]:
        """Every row that one statement finds, once per row of values, in one round trip."""
        if not rows:
            return []
        statement = self._texts[name]
        found: Sequence[Row] = await self._connection.fetchmany(statement.text, [statement.values(row) for row in rows])
        return found

    async def facts(self, asked: Mapping[str, Mapping[str, object]], /) -> Mapping[str, Sequence[Row]]:
        """Every row of several statements by their names, in one round trip."""
        texts = [self._texts[name] for name in asked]
        values = [value for text, given in zip(texts, asked.values(), strict=True) for value in text.values(given)]
        found: dict[str, list[Row]] = {name: [] for name in asked}
        for name, row in await self._connection.fetch(_as_one(tuple(asked), tuple(texts)), *values):
            found[name].append(msgspec.json.decode(row))
        return found

    async def ring(self, role_id: str, /) -> None:
        """Wake this role's polls, in every process, after the commit."""
        self.rung.add(role_id)

    async def wipe(self) -> None:
        """PostgreSQL clears its own log and frees what was taken away, in its time."""


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
        self._texts = {name: _Text(text) for name, text in statements("postgres").items()}
        self._uses: Counter[int] = Counter()
        self._pool: Any = None
        self._lanes: dict[Any, _Lane] = {}
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
        except (*_LOST, asyncpg.PostgresError, ValueError) as error:
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
                except _AGAIN as error:
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
            if isinstance(error, (*_AGAIN, Refusal)) or not isinstance(error, Exception):
                raise
            raise caused("store_unavailable" if isinstance(error, _LOST) else "internal", error) from error
        self._checkpoint(StorePoint.WRITTEN, name)
        try:
            await connection.execute(_commit(transaction.rung))
        except _AGAIN:
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
            except _LOST as error:
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
            except _LOST as error:
                raise caused("store_unavailable", error) from error
            except asyncpg.PostgresError as error:
                raise caused("internal", error) from error

    async def together(self, verb: Verb[Item, T], item: Item) -> T:
        """Have `verb` do `item` with the others that wait for it; returns after the commit."""
        if self._closing:
            raise Refusal("shutting_down")
        lane = self._lanes.get(verb)
        if lane is None:
            lane = self._lanes[verb] = _Lane(self, verb, self._options)
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
        except (*_LOST, asyncpg.PostgresError) as error:
            raise caused("store_unavailable", error) from error
        try:
            yield connection
        finally:
            await self._pool.release(connection)

    async def _listen(self, heard: asyncio.Event) -> None:
        """Hear every process's rings; after a lost connection everyone looks once, for what was missed."""
        while True:
            lost = asyncio.Event()
            with contextlib.suppress(*_LOST, asyncpg.PostgresError):
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


class _Lane:
    """One verb's own connections, and the items that wait for them."""

    def __init__(self, store: PostgresStore, verb: Any, options: dict[str, Any]) -> None:
        self._store = store
        self._verb = verb
        self._options = options
        self._waiting: deque[tuple[Any, asyncio.Future[Any]]] = deque()
        self._any = asyncio.Event()
        self._closing = False
        self._tasks = [asyncio.create_task(self._run()) for _ in range(WRITERS)]

    async def put(self, item: Any) -> Any:
        """Wait for the verb to do `item`."""
        if len(self._waiting) >= BACKLOG:
            raise Refusal("overloaded")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        self._any.set()
        return await answer

    async def close(self) -> None:
        """Do what waits, then end."""
        self._closing = True
        self._any.set()
        await asyncio.gather(*self._tasks)

    async def _run(self) -> None:
        connection: Any = None
        while not self._closing or self._waiting:
            if not self._waiting:
                # Nothing is awaited between looking and parking: `put` sets the event after it has added.
                self._any.clear()
                await self._any.wait()
                continue
            group = [self._waiting.popleft() for _ in range(min(GROUP, len(self._waiting)))]
            connection, answers = await self._done(connection, [item for item, _ in group])
            _settle(group, answers)
        if connection is not None:
            connection.terminate()

    async def _done(self, connection: Any, items: list[Any]) -> tuple[Any, list[Any]]:
        """The connection to go on with, and what the verb answers; after a fault the same refusal for every item."""
        for attempt in range(TRIES):
            try:
                if connection is None or connection.is_closed():
                    connection = await asyncpg.connect(**self._options)
                answers: list[Any] = await self._store.commit(
                    connection, lambda tx: self._verb(tx, items), named(self._verb)
                )
            except _AGAIN as error:
                refusal = caused("overloaded", error)
                await asyncio.sleep(0.005 * 2**attempt)
            except Refusal as refused:
                return connection, [refused] * len(items)
            except (*_LOST, asyncpg.PostgresError) as error:
                return connection, [caused("store_unavailable", error)] * len(items)
            else:
                return connection, answers
        return connection, [refusal] * len(items)


def _settle(group: Sequence[tuple[Any, asyncio.Future[Any]]], answers: Sequence[Any]) -> None:
    for (_, answer), said in zip(group, answers, strict=True):
        if answer.done():
            continue
        if isinstance(said, Refusal):
            answer.set_exception(said)
        else:
            answer.set_result(said)


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
    except (*_LOST, asyncpg.PostgresError, ValueError) as error:
        detail = f"{type(error).__name__}: {error}"[:300]
        raise DragomanError("store_broken", detail, where="--db", fix="see that it runs") from error
    return found is not None
