"""The ledger file: opened strictly, written in immediate transactions, never made anew under a known grant.

1. One SQLite file, `ledger.db`, in a private folder. WAL, `synchronous=FULL` and `BEGIN IMMEDIATE`, always: a counter
   that was committed is on the disk.
2. It is made only by `create`, under another name, and renamed when complete; `open_ledger` opens what exists
   (`mode=rw`) and checks application id, version and integrity. A broken or foreign file is an error, never anew.
   A file of an older version is brought to this one in one transaction, all of it or nothing; a newer one is refused.
3. `write()` is one transaction; parts called inside it join it, so one commit can hold what belongs together, and the
   recorder's records of what changed in it (`changes.py`).
4. A full disk, a locked or a corrupt file is `ledger_broken`: what could not be written down must not happen.

It knows no table but `meta`; each part brings its own queries.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dragoman.errors import DragomanError
from dragoman.ledger.changes import Change, Recorder
from dragoman.ledger.checkpoint import make_key
from dragoman.ledger.files import NotPrivate, create_private, private_folder, read_private, sync_folder
from dragoman.ledger.queries import migrations, queries, schema

FILE: Final = "ledger.db"
KEY_FILE: Final = "journal.key"
KEY_BYTES: Final = 32
APPLICATION_ID: Final = 0x44524147
VERSION: Final = 2
"""What this release reads and writes: `schema.sql` is version 1, each of `migrations/` makes the next."""
BUSY_SECONDS: Final = 10.0

Value = str | int | bytes | None
Row = sqlite3.Row


class Ledger:
    """One open ledger. Use it on the thread that opened it."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, key: bytes) -> None:
        self.folder = folder
        self.pseudonym_key = key
        self._connection = connection
        self._depth = 0
        self._noted: list[Change] = []
        self.recorder: Recorder | None = None
        """Told of the changes of every transaction before it is committed; None leaves them unnoted."""
        self._queries = queries("meta")

    def close(self) -> None:
        """Close the file; committed work stays."""
        self._connection.close()

    @contextmanager
    def write(self) -> Iterator[None]:
        """One immediate transaction, or a part of the one already open that is undone alone. No await inside.

        Raises:
            DragomanError: `ledger_broken` when it cannot be begun or committed; nothing of it was written then.
        """
        undo: tuple[str, ...]
        if self._depth:
            begin, commit, undo = "SAVEPOINT part", "RELEASE part", ("ROLLBACK TO part", "RELEASE part")
        else:
            begin, commit, undo = "BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",)
        self._execute(begin, {})
        noted = len(self._noted)
        self._depth += 1
        try:
            yield
            if self._depth == 1 and self._noted and self.recorder is not None:
                self.recorder(list(self._noted))
            self._execute(commit, {})
        except BaseException:
            del self._noted[noted:]
            if self._connection.in_transaction:  # a full disk may have undone all of it already
                for statement in undo:
                    with contextlib.suppress(sqlite3.Error):  # what went wrong first is what is told
                        self._connection.execute(statement)
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self._noted.clear()

    @property
    def watched(self) -> bool:
        """Whether somebody records changes."""
        return self.recorder is not None

    def note(self, change: Change) -> None:
        """Note a change of the open transaction; one that changed nothing is none."""
        if self.watched and self._depth:
            self._noted.append(change)

    def rows(self, query: str, **values: Value) -> list[Row]:
        """All rows of one statement; a changing statement belongs inside `write()`."""
        return self._execute(query, values).fetchall()

    def row(self, query: str, **values: Value) -> Row | None:
        """The first row of one statement, or None."""
        found = self.rows(query, **values)
        return found[0] if found else None

    def change(self, query: str, **values: Value) -> int:
        """How many rows one changing statement changed; in a transaction of its own if none is open."""
        with self.write():
            return self._execute(query, values).rowcount

    def get(self, key: str) -> str | None:
        """One value of `meta`."""
        found = self.row(self._queries["get"], key=key)
        return None if found is None else str(found["value"])

    def put(self, key: str, value: str) -> None:
        """Set one value of `meta`."""
        self.change(self._queries["put"], key=key, value=value)

    @property
    def install_id(self) -> str:
        """The id this file was born with."""
        return self.get("install_id") or ""

    def backup(self, path: Path) -> None:
        """Write a complete copy to a new private file. Copying the main file alone would lose what is in the WAL."""
        create_private(path, b"")
        copy = sqlite3.connect(path, isolation_level=None)
        try:
            self._connection.backup(copy)
        finally:
            copy.close()

    def limit_pages(self, pages: int) -> None:
        """Let the file grow to `pages` pages only; a full disk in small, for tests and quotas."""
        self._connection.execute(f"PRAGMA max_page_count = {int(pages)}")

    def page_count(self) -> int:
        """The present size in pages."""
        return int(self._connection.execute("PRAGMA page_count").fetchone()[0])

    def _execute(self, query: str, values: dict[str, Value]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(query, values)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise broken(error, self.folder / FILE) from error


def exists(folder: Path) -> bool:
    """Whether there is a ledger file in `folder`."""
    return os.path.lexists(folder / FILE)


def create(folder: Path) -> Ledger:
    """Make an empty ledger in `folder` and open it. The caller holds the state lock.

    Raises:
        DragomanError: `ledger_broken` when there is one already or the folder is not private.
    """
    if exists(folder):
        raise DragomanError("ledger_broken", "there is one already", where=str(folder / FILE), fix="open it instead")
    try:
        private_folder(folder)
        _no_remains(folder)
        beside = folder / f"{FILE}.new"
        for leftover in (beside, folder / f"{FILE}.new-journal"):
            leftover.unlink(missing_ok=True)
        create_private(beside, b"")
        connection = sqlite3.connect(beside, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            for statement in schema():
                connection.execute(statement)
            _migrate(connection, 1)
            connection.execute(queries("meta")["put"], {"key": "install_id", "value": secrets.token_hex(16)})
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("COMMIT")
        finally:
            connection.close()
        if not os.path.lexists(folder / KEY_FILE):
            create_private(folder / KEY_FILE, secrets.token_bytes(KEY_BYTES))
        make_key(folder)
        os.rename(beside, folder / FILE)
        sync_folder(folder)
    except (OSError, sqlite3.Error) as error:
        raise broken(error, folder / FILE) from error
    return open_ledger(folder)


def _no_remains(folder: Path) -> None:
    """SQLite would read the log of a ledger that is gone into the new one.

    Raises:
        DragomanError: `ledger_missing`.
    """
    for ending in ("-wal", "-journal"):
        if os.path.lexists(folder / f"{FILE}{ending}"):
            where, fix = str(folder / f"{FILE}{ending}"), "restore the ledger beside it, or use a new folder"
            raise DragomanError("ledger_missing", "the log of a ledger that is gone", where=where, fix=fix)


def open_ledger(folder: Path) -> Ledger:
    """Open the ledger that is in `folder`.

    Raises:
        DragomanError: `ledger_missing` when there is none; `ledger_broken` when it cannot be trusted.
    """
    path = folder / FILE
    if not exists(folder):
        fix = "check the path; if it is right, restore the state folder"
        raise DragomanError("ledger_missing", "no such file", where=str(path), fix=fix)
    try:
        private_folder(folder)
        read_private_mode(path)
        key = read_private(folder / KEY_FILE, KEY_BYTES)
        if len(key) != KEY_BYTES:
            raise ValueError(f"`{KEY_FILE}` is not the key that was made with this ledger")
        uri = path.absolute().as_uri() + "?mode=rw"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    except (OSError, ValueError, sqlite3.Error) as error:
        raise broken(error, path) from error
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return Ledger(folder, connection, key)


def read_private_mode(path: Path) -> None:
    """See that an existing file is private without reading it whole.

    Raises:
        NotPrivate: it is not a regular file of ours, closed to others.
    """
    try:
        read_private(path, 0)
    except ValueError:
        return


def broken(error: Exception, path: Path) -> DragomanError:
    """The error that a failing file or statement means; sqlite's code name is its detail."""
    detail = getattr(error, "sqlite_errorname", "") or str(error)
    fix = "restore the state folder from a backup; do not delete it"
    if isinstance(error, NotPrivate):
        fix = "chmod 700 the folder and 600 its files, owned by you"
    elif detail == "SQLITE_FULL" or detail.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN")):
        fix = "see that the disk has room and can be written; nothing was done that is not written down"
    elif detail.startswith("SQLITE_BUSY"):
        fix = "another process keeps the ledger busy; try again"
    return DragomanError("ledger_broken", detail, where=str(path), fix=fix)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.row_factory = sqlite3.Row
    try:
        application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
        if application != APPLICATION_ID or not 1 <= version <= VERSION:
            raise DragomanError(
                "ledger_broken",
                f"application id {application:#x}, version {version}; expected {APPLICATION_ID:#x}, 1 to {VERSION}",
                where=str(path),
                fix="restore the state folder, or use the release that wrote it",
            )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten, not only unlinked
        verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if verdict != "ok":
            raise DragomanError("ledger_broken", verdict, where=str(path), fix="restore the state folder")
        if version < VERSION:
            connection.execute("BEGIN IMMEDIATE")
            _migrate(connection, _pragma(connection, "user_version"))  # another process may have been first
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise broken(error, path) from error


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the file from `version` to `VERSION` inside the open transaction; the number is part of it."""
    for made, statements in migrations().items():
        if made > version:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {made}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
