"""The file under the SQLite store: made whole, marked as ours, migrated step by step, private.

1. It is made beside its place with mode 0600, filled, and moved there whole; an empty, foreign or open-to-others file
   is refused and never taken for a new store.
2. A migration and the version that it leads to are one transaction: killed midway, the file is as it was before it.
3. A file of a newer version is served when its `oldest_reader` allows it, so that two versions can serve side by side
   while hubs are replaced one by one; else it is refused.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dragoman.errors import DragomanError
from dragoman.hub.store import migrations

APPLICATION_ID: Final = 0x44524748  # "DRGH"
BUSY_MS: Final = 5_000
_PRAGMAS: Final = (
    *("synchronous = FULL", "fullfsync = 1", "foreign_keys = 1", "trusted_schema = 0"),
    "secure_delete = ON",  # what is erased or expired is overwritten, not only unlinked
)

Passed = Callable[[int, str], None]
"""Told as a migration passes `begun`, `written` (not committed yet) and `committed`; for tests that kill there."""


def _nothing(version: int, point: str) -> None:
    """Nobody listens."""


def opened(path: Path, upto: int | None = None, passed: Passed = _nothing) -> sqlite3.Connection:
    """A connection to the store at `path`, made and migrated as far as `upto` (all, when left out).

    Raises:
        DragomanError: `store_broken`.
    """
    _create_if_missing(path, upto, passed)
    connection = connected(path)
    try:
        _migrate(connection, path, upto, passed)
    except sqlite3.Error as error:
        connection.close()
        raise DragomanError("store_broken", str(error), where=str(path)) from error
    return connection


def connected(path: Path) -> sqlite3.Connection:
    """A connection to an existing store of ours, of any version.

    Raises:
        DragomanError: `store_broken`.
    """
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise DragomanError("store_broken", "not a private file of ours", where=str(path), fix="chmod 600")
        if found.st_size == 0:
            raise DragomanError("store_broken", "the file is empty", where=str(path), fix="restore it or move it away")
        connection = _raw(path)
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise DragomanError("store_broken", "not a store of a hub", where=str(path))
        connection.execute("PRAGMA journal_mode = WAL")
    except (sqlite3.Error, OSError) as error:
        raise DragomanError("store_broken", str(error), where=str(path)) from error
    connection.row_factory = sqlite3.Row
    return connection


def wiped(connection: sqlite3.Connection) -> bool:
    """Whether the write-ahead log is empty now; it is not while somebody reads a moment that is only in there."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.Error:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return busy == 0


def version_of(connection: sqlite3.Connection) -> int:
    """The version of an open store."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _migrate(connection: sqlite3.Connection, path: Path, upto: int | None, passed: Passed) -> None:
    known = [each for each in migrations("sqlite") if upto is None or each[0] <= upto]
    newest = known[-1][0]
    if version_of(connection) > newest:
        row = connection.execute("SELECT value FROM meta WHERE key = 'oldest_reader'").fetchone()
        if row is None or int(row["value"]) > newest:
            raise DragomanError(
                "store_broken", "the store is of a newer version", where=str(path), fix="run a newer dragoman"
            )
    for version, script in known:
        if version_of(connection) < version:
            # Another process may have migrated meanwhile: asked again under the write lock.
            connection.execute("BEGIN IMMEDIATE")
            if version_of(connection) < version:
                passed(version, "begun")
                for statement in _split(script):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version}")
                passed(version, "written")
            connection.execute("COMMIT")
            passed(version, "committed")


def _split(script: str) -> list[str]:
    """The statements of a script; `executescript` would commit the transaction that it is to run in."""
    found: list[str] = []
    begun = ""
    for piece in script.split(";"):
        begun += piece + ";"
        if sqlite3.complete_statement(begun):
            found.append(begun)
            begun = ""
    return found


def _raw(path: Path) -> sqlite3.Connection:
    # `mode=rw` in place of the default: SQLite must never create a file on its own.
    uri = f"file:{_quoted(path)}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_MS / 1000, check_same_thread=False)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _quoted(path: Path) -> str:
    return "".join(f"%{ord(each):02x}" if each in "%?#" else each for each in str(path.absolute()))


def _create_if_missing(path: Path, upto: int | None, passed: Passed) -> None:
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
            _fill(making, path, upto, passed)
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


def _fill(making: Path, path: Path, upto: int | None, passed: Passed) -> None:
    connection = _raw(making)
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.row_factory = sqlite3.Row
        _migrate(connection, path, upto, passed)
        connection.execute("INSERT INTO meta (key, value) VALUES ('nonce_secret', ?)", (os.urandom(32),))
    finally:
        connection.close()
