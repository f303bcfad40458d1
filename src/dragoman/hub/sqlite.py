"""The hub's store on SQLite: one writer thread, commits in groups, and nothing answered before its commit.

1. Requests that arrive while a commit is under way share the next transaction (`BEGIN IMMEDIATE`). Each runs in a
   savepoint of its own, so one refusal undoes that one alone; all are answered after the commit.
2. Reads run in another thread with a query-only connection; they see only what is committed.
3. WAL with `synchronous=FULL`, set explicitly: what was answered survives power loss, not only `kill -9`.
4. A failed commit answers `internal` to all of its group.
5. After a transaction that wipes, the write-ahead log is brought into the file and emptied before the answer; while
   somebody else reads an older moment, after a later group.

The file itself, its marks and migrations are `sqlite_file`. No rule of the hub is known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from dragoman.hub import sqlite_file
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import (
    BACKLOG,
    GROUP,
    Checkpoint,
    Item,
    Row,
    StorePoint,
    Transaction,
    Verb,
    Work,
    caused,
    named,
    no_checkpoint,
    statements,
)
from dragoman.hub.wake import Bell

T = TypeVar("T")


class SqliteTransaction:
    """The named statements on one connection. Its coroutines never wait."""

    def __init__(self, connection: sqlite3.Connection, texts: Mapping[str, str]) -> None:
        self._connection = connection
        self._texts = texts
        self.rung: set[str] = set()
        self.wiping = False

    async def one(self, name: str, /, **values: object) -> Row | None:
        """The first row of a statement, or None."""
        found: Row | None = self._connection.execute(self._texts[name], _bound(values)).fetchone()
        return found

    async def all(self, name: str, /, **values: object) -> Sequence[Row]:
        """Every row of a statement."""
        return self._connection.execute(self._texts[name], _bound(values)).fetchall()

    async def run(self, name: str, /, **values: object) -> int:
        """How many rows a statement changed."""
        return self._connection.execute(self._texts[name], _bound(values)).rowcount

    async def many(self, name: str, rows: Sequence[Mapping[str, object]], /) -> None:
        """One statement once per row of values."""
        self._connection.executemany(self._texts[name], [_bound(row) for row in rows])

    async def gather(self, name: str, rows: Sequence[Mapping[str, object]], /) -> Sequence[Row]:
        """Every row that one statement finds, once per row of values."""
        execute, text = self._connection.execute, self._texts[name]
        return [found for row in rows for found in execute(text, _bound(row))]

    async def facts(self, asked: Mapping[str, Mapping[str, object]], /) -> Mapping[str, Sequence[Row]]:
        """Every row of several statements by their names."""
        return {name: await self.all(name, **values) for name, values in asked.items()}

    async def ring(self, role_id: str, /) -> None:
        """Wake this role's polls after the commit."""
        self.rung.add(role_id)

    async def wipe(self) -> None:
        """What this transaction takes away is to leave the write-ahead log too, after the commit."""
        self.wiping = True


class _Job(NamedTuple):
    verb: Any
    """What jobs of one kind share; None for a work that stands alone."""
    item: Any
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]


class _Done(NamedTuple):
    job: _Job
    value: Any
    error: BaseException | None


class SqliteStore:
    """One database file.

    Args:
        path: the file; made when it is missing.
        bell: rung after each commit for the roles that its works named.
        upto: the newest migration to know, all when left out; for tests of hubs of two versions side by side.
        checkpoint: told of every arrow of a transaction.
    """

    def __init__(
        self,
        path: Path,
        bell: Bell | None = None,
        *,
        upto: int | None = None,
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        self.path = path
        self.bell = bell or Bell()
        self.commits = 0
        self._upto = upto
        self._checkpoint = checkpoint
        self._texts = statements("sqlite")
        self._writes: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closing = True

    async def open(self) -> None:
        """Make the file if it is missing, check and migrate it, start both threads.

        Raises:
            DragomanError: `store_broken`.
        """
        writer = await asyncio.to_thread(sqlite_file.opened, self.path, self._upto)
        reader = sqlite_file.connected(self.path)
        reader.execute("PRAGMA query_only = 1")
        self._closing = False
        self._threads = [
            threading.Thread(target=self._write_loop, args=(writer,), name="hub-writer", daemon=True),
            threading.Thread(target=self._read_loop, args=(reader,), name="hub-reader", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    async def close(self) -> None:
        """Finish what waits, then close the file. Later work is told `shutting_down`."""
        if self._closing:
            return
        self._closing = True
        self._writes.put(None)
        self._reads.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction; returns after its commit."""
        done: T = await self._put(self._writes, None, work)
        return done

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one moment of what is committed."""
        found: T = await self._put(self._reads, None, work)
        return found

    async def glance(self, work: Work[T]) -> T:
        """Run a `work` of one statement on what is committed."""
        return await self.read(work)

    async def together(self, verb: Verb[Item, T], item: Item) -> T:
        """Have `verb` do `item` with the others that wait for it; returns after the commit."""
        done: T = await self._put(self._writes, verb, item)
        return done

    async def _put(self, jobs: queue.SimpleQueue[_Job | None], verb: Any, item: Any) -> Any:
        if self._closing:
            raise Refusal("shutting_down")
        if jobs.qsize() >= BACKLOG:
            raise Refusal("overloaded")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        jobs.put(_Job(verb, item, loop, answer))
        return await answer

    def _write_loop(self, connection: sqlite3.Connection) -> None:
        more, wiping = True, False
        while more:
            group, more = _next_group(self._writes)
            if group:
                transaction = SqliteTransaction(connection, self._texts)
                done = _commit(connection, transaction, group, self._checkpoint)
                self.commits += 1
                wiping = wiping or transaction.wiping
                wiping = wiping and not sqlite_file.wiped(connection)
                _answer(done, partial(self.bell.ring_each, transaction.rung))
        connection.close()

    def _read_loop(self, connection: sqlite3.Connection) -> None:
        transaction = SqliteTransaction(connection, self._texts)
        while (job := self._reads.get()) is not None:
            # One snapshot per work: several statements of it must not see different moments.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("BEGIN")
            done, _ = _alone(job, transaction)
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            _answer(done, lambda: None)
        connection.close()


def _bound(values: Mapping[str, object]) -> dict[str, object]:
    """Values as SQLite takes them; a list is the JSON that `each` unfolds."""
    return {
        name: msgspec.json.encode(value).decode() if isinstance(value, list) else value
        for name, value in values.items()
    }


def _driven(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits to its end."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    work.close()
    raise RuntimeError("a work of the store waited for something else than its transaction")


def _next_group(jobs: queue.SimpleQueue[_Job | None]) -> tuple[list[_Job], bool]:
    """What waits now, at least one; and whether the thread goes on after it."""
    group: list[_Job] = []
    job = jobs.get()
    while job is not None:
        group.append(job)
        if len(group) == GROUP:
            return group, True
        try:
            job = jobs.get_nowait()
        except queue.Empty:
            return group, True
    return group, False


def _commit(
    connection: sqlite3.Connection, transaction: SqliteTransaction, group: list[_Job], checkpoint: Checkpoint
) -> list[_Done]:
    """Run a group in one transaction and say what became of each."""
    names = [named(job.verb or job.item) for job in group]
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return [_Done(job, None, caused("overloaded", error)) for job in group]
    _pass(checkpoint, StorePoint.BEGUN, names)
    done: list[_Done] = []
    try:
        for verb, jobs in groupby(group, key=lambda job: job.verb):
            for together in [list(jobs)] if verb is not None else [[job] for job in jobs]:
                done += _in_savepoint(connection, transaction, together)
        _pass(checkpoint, StorePoint.WRITTEN, names)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return [_Done(job, None, caused("internal", error)) for job in group]
    _pass(checkpoint, StorePoint.COMMITTED, names)
    return done


def _pass(checkpoint: Checkpoint, point: StorePoint, names: list[str]) -> None:
    if checkpoint is not no_checkpoint:
        for name in names:
            checkpoint(point, name)


def _in_savepoint(connection: sqlite3.Connection, transaction: SqliteTransaction, jobs: list[_Job]) -> list[_Done]:
    connection.execute("SAVEPOINT job")
    done, whole = _alone(jobs[0], transaction) if jobs[0].verb is None else _together(jobs, transaction)
    if not connection.in_transaction:
        # A full disk or an I/O error rolls the whole transaction back: the rest must not run outside of one.
        raise sqlite3.OperationalError("the transaction was rolled back")
    if not whole:
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")
    return done


def _alone(job: _Job, transaction: Transaction) -> tuple[list[_Done], bool]:
    """One work, and whether what it changed stands."""
    try:
        return [_Done(job, _driven(job.item(transaction)), None)], True
    except Refusal as refusal:
        return [_Done(job, None, refusal)], False
    except Exception as error:  # noqa: BLE001  the thread outlives any fault of one request
        return [_Done(job, None, caused("internal", error))], False


def _together(jobs: list[_Job], transaction: Transaction) -> tuple[list[_Done], bool]:
    """One call of a verb for all its items, and whether what it changed stands; a fault is the same no for all."""
    try:
        answers = _driven(jobs[0].verb(transaction, [job.item for job in jobs]))
        pairs = list(zip(jobs, answers, strict=True))
    except Refusal as refusal:
        return [_Done(job, None, refusal) for job in jobs], False
    except Exception as error:  # noqa: BLE001  as above
        return [_Done(job, None, caused("internal", error)) for job in jobs], False
    return [
        _Done(job, None, answer) if isinstance(answer, Refusal) else _Done(job, answer, None) for job, answer in pairs
    ], True


def _answer(done: list[_Done], after: Callable[[], None]) -> None:
    """Hand a group back to the loops that wait for it, one call per loop."""
    for loop in {each.job.loop for each in done}:
        # A loop that has gone has nobody waiting in it.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, [each for each in done if each.job.loop is loop], after)


def _settle(done: list[_Done], after: Callable[[], None]) -> None:
    for job, value, error in done:
        if job.answer.done():
            continue
        if error is None:
            job.answer.set_result(value)
        else:
            job.answer.set_exception(error)
    after()
