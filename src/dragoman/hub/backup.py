"""A hub's store into one private file, while hubs serve it, and back.

1. The file is made beside its place with mode 0600, checked (`integrity_check`, or the list of the dump), made durable,
   and moved there whole. Nothing is overwritten, neither by a backup nor by a restore.
2. A restored store is behind what hubs have answered since. So it is fenced before it is in place: every token, lease,
   invitation and code is ended, nobody is primary, and each generation goes `AHEAD` on, past any that was given since.
   Receivers stop with `generation_changed` and ask their owners, instead of two of them working under one generation.
3. `unchanged` leaves the fence out: for whoever knows that nothing was answered after the backup, as in a move to
   another machine with every hub stopped.
4. PostgreSQL's own programs do the work there. A password reaches them in a private file, never in an argument or the
   environment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dragoman.errors import DragomanError
from dragoman.hub import sqlite_file
from dragoman.hub.store import Store, Transaction

AHEAD: Final = 1000
MINUTES: Final = 60
_FENCE: Final = ("restored_sessions", "restored_leases", "restored_invitations", "restored_codes")


async def fence(store: Store) -> None:
    """End what a restored store says that it has given, so that nothing older than the restore is good."""

    async def work(tx: Transaction) -> None:
        await tx.run("restored_roles", ahead=AHEAD)
        for name in _FENCE:
            await tx.run(name)

    await store.write(work)


# --- SQLite ----------------------------------------------------------------------------------------------------------


def save_sqlite(source: Path, out: Path) -> int:
    """Write a backup of the store at `source`; its version.

    Raises:
        DragomanError: `store_broken`, or `conflict` when there is a file at `out`.
    """
    with contextlib.closing(sqlite_file.connected(source)) as connection, _making(out) as making:
        _copied(connection, making)
        return sqlite_file.version_of(connection)


def place_sqlite(saved: Path, making: Path) -> None:
    """Copy a backup to `making`, which is not there yet, and bring it to the newest version.

    Raises:
        DragomanError: `store_broken` when it is no whole store of a hub of ours.
    """
    os.close(os.open(making, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
    with contextlib.closing(sqlite_file.connected(saved)) as connection:
        _copied(connection, making)
    sqlite_file.opened(making).close()


@contextlib.contextmanager
def placing(place: Path) -> Iterator[Path]:
    """A path beside `place`; what stands there at the end becomes the store.

    Raises:
        DragomanError: `conflict` when there is one already.
    """
    if os.path.lexists(place):
        raise DragomanError("conflict", "there is a store", where=str(place), fix="move it away first")
    making = place.with_name(f"{place.name}.making-{os.getpid()}")
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield making
        _in_one_file(making)
        _moved(making, place)
    finally:
        for rest in ("", "-wal", "-shm"):
            making.with_name(making.name + rest).unlink(missing_ok=True)


def _in_one_file(making: Path) -> None:
    """Bring what still stands in the log beside a store into its file: the file alone is moved.

    Two connections that close at the same moment may each leave the log to the other.
    """
    with contextlib.closing(sqlite_file.connected(making)) as connection:
        mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    if mode != "delete":
        raise DragomanError("store_broken", "it is still in use", where=str(making))


def _copied(source: sqlite3.Connection, making: Path) -> None:
    try:
        with contextlib.closing(sqlite3.connect(making)) as target:
            source.backup(target, pages=1024)
            target.execute("PRAGMA journal_mode = DELETE")
            found = target.execute("PRAGMA integrity_check").fetchone()[0]
            if found != "ok":
                raise DragomanError("store_broken", str(found)[:200], where="integrity check")
    except sqlite3.Error as error:
        raise DragomanError("store_broken", str(error), where=str(making)) from error


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def save_postgres(dsn: str, out: Path, schema: str, password: str | None = None) -> None:
    """Write a dump of the hub's schema with `pg_dump`.

    Raises:
        DragomanError: `extra_missing` without the program, `store_broken` when it fails, `conflict`.
    """
    with _making(out) as making:
        options = ["--format=custom", f"--schema={schema}", "--no-password", f"--file={making}"]
        _run("pg_dump", [*options, "--dbname", dsn], password)
        _run("pg_restore", ["--list", str(making)], None)


def place_postgres(dsn: str, saved: Path, password: str | None = None) -> None:
    """Put a dump into a database that has no hub yet; all of it or nothing.

    Raises:
        DragomanError: `extra_missing`, `store_broken`.
    """
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-password"]
    _run("pg_restore", [*options, "--dbname", dsn, str(saved)], password)


def _run(program: str, arguments: list[str], password: str | None, folder: str | None = None) -> None:
    """Run one of PostgreSQL's programs, from `folder` or where programs are."""
    found = shutil.which(program, path=folder) or next(
        (str(each) for each in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), reverse=True)), None
    )
    if found is None:
        raise DragomanError(
            "extra_missing", f"`{program}` is not installed", fix="install PostgreSQL's client programs"
        )
    with _password_file(password) as extra:
        done = subprocess.run(
            [found, *arguments],
            env={"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8", **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=MINUTES * 60,
            check=False,
        )
    if done.returncode:
        raise DragomanError("store_broken", done.stderr.strip()[:300], where=program)


@contextlib.contextmanager
def _password_file(password: str | None) -> Iterator[dict[str, str]]:
    """What the environment of PostgreSQL's programs says: the path of a private file that holds the password."""
    if password is None:
        yield {}
        return
    with tempfile.NamedTemporaryFile("w", prefix="dragoman-", suffix=".pgpass") as file:
        file.write("*:*:*:*:" + password.replace("\\", "\\\\").replace(":", "\\:") + "\n")
        file.flush()
        yield {"PGPASSFILE": file.name}


# --- files -----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _making(out: Path) -> Iterator[Path]:
    """A private file beside `out` that takes its place once it is whole."""
    if os.path.lexists(out):
        raise DragomanError("conflict", "there is a file", where=str(out), fix="choose another path")
    making = out.with_name(f"{out.name}.making-{os.getpid()}")
    try:
        os.close(os.open(making, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
        yield making
        _moved(making, out)
    except OSError as error:
        raise DragomanError("store_broken", error.strerror or "", where=str(out)) from error
    finally:
        making.unlink(missing_ok=True)


def _moved(making: Path, place: Path) -> None:
    """Make a file durable and give it its name, which nobody may have taken meanwhile."""
    _synced(making, os.O_RDONLY)
    os.link(making, place)
    _synced(place.parent, os.O_RDONLY | os.O_DIRECTORY)


def _synced(path: Path, flags: int) -> None:
    fd = os.open(path, flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
