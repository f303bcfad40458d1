"""The hub's SQLite store: one writer thread, commits in groups, and nothing answered before its commit.

1. `write(work)`: requests that arrive while a commit is under way share the next transaction (`BEGIN IMMEDIATE`).
   Each runs in a savepoint of its own, so one refusal undoes that one alone; all are answered after the commit.
2. `read(work)`: another thread with a query-only connection; it sees only what is committed.
3. WAL with `synchronous=FULL`, set explicitly: what was answered survives power loss, not only `kill -9`.
4. A failed commit answers `internal` to all of its group. `overloaded` and `shutting_down` are said only of work that
   was never begun.
5. The file is made beside its place with mode 0600, filled, and moved there whole; an empty, foreign or open-to-others
   file is refused and never taken for a new store.

It knows no rule of the hub: `work` is a plain function of a `Transaction`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import re
import sqlite3
import stat
import threading
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from dragoman.errors import DragomanError
from dragoman.hub.refusal import Refusal

T = TypeVar("T")

APPLICATION_ID: Final = 0x44524748  # "DRGH"
VERSION: Final = 1
GROUP: Final = 256
"""The most requests that share one commit."""
BACKLOG: Final = 4096
"""The most requests that wait for a thread; more are told `overloaded`."""
BUSY_MS: Final = 5_000


def _statements() -> dict[str, str]:
    text = files("dragoman.hub").joinpath("sql/statements.sql").read_text("utf-8")
    return dict(re.findall(r"^-- name: (\w+)\n(.*?;)\s*(?=^-- name:|\Z)", text, re.S | re.M))


class Transaction:
    """The named statements, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, statements: dict[str, str]) -> None:
        self._connection = connection
        self._statements = statements

    def one(self, name: str, **values: object) -> sqlite3.Row | None:
        """The first row of a statement, or None."""
        rows = self.all(name, **values)
        return rows[0] if rows else None

    def all(self, name: str, **values: object) -> list[sqlite3.Row]:
        """Every row of a statement."""
        return self._connection.execute(self._statements[name], values).fetchall()

    def run(self, name: str, **values: object) -> int:
        """How many rows a statement changed."""
        return self._connection.execute(self._statements[name], values).rowcount


class _Job(NamedTuple):
    work: Callable[[Transaction], Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]


class _Done(NamedTuple):
    job: _Job
    value: Any
    error: BaseException | None


class SqliteStore:
    """One database file. `open` before use, `close` after; both may block for a moment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._statements = _statements()
        self._writes: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closing = True
        self.commits = 0
        """How many write transactions were committed; fewer than requests when they came together."""

    def open(self) -> None:
        """Make the file if it is missing, check it, start both threads.

        Raises:
            DragomanError: `store_broken`.
        """
        _create_if_missing(self.path)
        writer, reader = _connect(self.path), _connect(self.path)
        reader.execute("PRAGMA query_only = 1")
        self._closing = False
        self._threads = [
            threading.Thread(target=self._write_loop, args=(writer,), name="hub-writer", daemon=True),
            threading.Thread(target=self._read_loop, args=(reader,), name="hub-reader", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Finish what waits, then close the file. Later work is told `shutting_down`."""
        if self._closing:
            return
        self._closing = True
        self._writes.put(None)
        self._reads.put(None)
        for thread in self._threads:
            thread.join()

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction; returns after its commit.

        Raises:
            Refusal: whatever `work` refused (its changes are undone), or `internal`, `overloaded`, `shutting_down`.
        """
        return await self._put(self._writes, work)

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` on what is committed now.

        Raises:
            Refusal: as `write`.
        """
        return await self._put(self._reads, work)

    async def _put(self, jobs: queue.SimpleQueue[_Job | None], work: Callable[[Transaction], T]) -> T:
        if self._closing:
            raise Refusal("shutting_down")
        if jobs.qsize() >= BACKLOG:
            raise Refusal("overloaded")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        jobs.put(_Job(work, loop, answer))
        return await answer

    def _write_loop(self, connection: sqlite3.Connection) -> None:
        transaction = Transaction(connection, self._statements)
        more = True
        while more:
            group, more = _next_group(self._writes)
            if group:
                done = _commit(connection, transaction, group)
                self.commits += 1
                _answer(done)
        connection.close()

    def _read_loop(self, connection: sqlite3.Connection) -> None:
        transaction = Transaction(connection, self._statements)
        while (job := self._reads.get()) is not None:
            # One snapshot per work: several statements of it must not see different moments.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("BEGIN")
            done = _run(job, transaction)
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            _answer([done])
        connection.close()


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


def _commit(connection: sqlite3.Connection, transaction: Transaction, group: list[_Job]) -> list[_Done]:
    """Run a group in one transaction and say what became of each."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return [_Done(job, None, _caused("overloaded", error)) for job in group]
    try:
        done = [_in_savepoint(connection, transaction, job) for job in group]
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return [_Done(job, None, _caused("internal", error)) for job in group]
    return done


def _in_savepoint(connection: sqlite3.Connection, transaction: Transaction, job: _Job) -> _Done:
    connection.execute("SAVEPOINT job")
    done = _run(job, transaction)
    if not connection.in_transaction:
        # A full disk or an I/O error rolls the whole transaction back: the rest must not run outside of one.
        raise sqlite3.OperationalError("the transaction was rolled back")
    if done.error is not None:
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")
    return done


def _run(job: _Job, transaction: Transaction) -> _Done:
    try:
        return _Done(job, job.work(transaction), None)
    except Refusal as refusal:
        return _Done(job, None, refusal)
    except Exception as error:  # noqa: BLE001  the thread outlives any fault of one request
        return _Done(job, None, _caused("internal", error))


def _caused(code: str, error: Exception) -> Refusal:
    refusal = Refusal(code)
    refusal.__cause__ = error
    return refusal


def _answer(done: list[_Done]) -> None:
    """Hand a group back to the loops that wait for it, one call per loop."""
    for loop in {each.job.loop for each in done}:
        # A loop that has gone has nobody waiting in it.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, [each for each in done if each.job.loop is loop])


def _settle(done: list[_Done]) -> None:
    for job, value, error in done:
        if job.answer.done():
            continue
        if error is None:
            job.answer.set_result(value)
        else:
            job.answer.set_exception(error)


# --- the file --------------------------------------------------------------------------------------------------------


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing store of ours."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise DragomanError("store_broken", "not a private file of ours", where=str(path), fix="chmod 600")
        if found.st_size == 0:
            raise DragomanError("store_broken", "the file is empty", where=str(path), fix="restore it or move it away")
        connection = _raw(path)
        marks = (
            connection.execute("PRAGMA application_id").fetchone()[0],
            connection.execute("PRAGMA user_version").fetchone()[0],
        )
        if marks != (APPLICATION_ID, VERSION):
            raise DragomanError("store_broken", f"not a store of version {VERSION}", where=str(path))
        connection.execute("PRAGMA journal_mode = WAL")
    except (sqlite3.Error, OSError) as error:
        raise DragomanError("store_broken", str(error), where=str(path)) from error
    connection.row_factory = sqlite3.Row
    return connection


def _raw(path: Path) -> sqlite3.Connection:
    # `mode=rw` in place of the default: SQLite must never create a file on its own.
    uri = f"file:{_quoted(path)}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_MS / 1000, check_same_thread=False)
    for pragma in ("synchronous = FULL", "fullfsync = 1", "foreign_keys = 1", "trusted_schema = 0"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _quoted(path: Path) -> str:
    return "".join(f"%{ord(each):02x}" if each in "%?#" else each for each in str(path.absolute()))


def _create_if_missing(path: Path) -> None:
    """Make the store whole under another name and move it to its place, so that no half store can be opened."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stat.S_IMODE(path.parent.stat().st_mode) & 0o022 and not path.parent.stat().st_mode & stat.S_ISVTX:
            raise DragomanError("store_broken", "the folder is writable by others", where=str(path.parent))
        if os.path.lexists(path):
            return
        making = path.with_name(f"{path.name}.making-{os.getpid()}")
        os.close(os.open(making, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
        try:
            _fill(making)
            # A link, not a rename: two hubs that start together must not replace each other's store.
            with contextlib.suppress(FileExistsError):
                os.link(making, path)
        finally:
            making.unlink()
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(folder)
        os.close(folder)
    except (sqlite3.Error, OSError) as error:
        raise DragomanError("store_broken", str(error), where=str(path)) from error


def _fill(making: Path) -> None:
    schema = files("dragoman.hub").joinpath("sql/schema.sql").read_text("utf-8")
    connection = _raw(making)
    try:
        connection.executescript(f"BEGIN; {schema} COMMIT;")
        connection.execute("INSERT INTO meta (key, value) VALUES ('nonce_secret', ?)", (os.urandom(32),))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    finally:
        connection.close()
