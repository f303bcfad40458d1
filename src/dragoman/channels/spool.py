"""The private inbox of an account whose platform pushes and keeps nothing: durable before the platform is told so.

1. `put` returns when the arrival is on the disk; only then is it confirmed to the platform. A crash in between brings a
   second copy, which the gate knows by its dedupe key; nothing is lost.
2. Positions only grow. `read` goes on after the position that its caller stored; what lies before it is dropped, and
   while reading what lies `KEPT` behind: further than any caller stores late. A position that this file never gave (it
   was lost, or an older one came back) is none: everything that is here is read, and copies are known by their keys.
3. One file of mode 0600, written by one process. Arrivals beyond `MOST` that nobody reads are refused: the platform is
   told that we cannot take more, and offers them again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError

MOST: Final = 100_000
PAGE: Final = 100
KEPT: Final = 10_000
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS arrivals (
    position INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL, raw BLOB NOT NULL
) STRICT
"""


class Arrival(msgspec.Struct, frozen=True):
    """One thing that came in, as bytes from which its event can be made again. `received_at` is in epoch ms."""

    raw: bytes
    received_at: int


class Batch(msgspec.Struct, frozen=True):
    """What came in together, and where reading goes on once it is stored."""

    arrivals: tuple[Arrival, ...]
    position: str


class Spool:
    """The inbox in the file `path`, which is made when it is missing; its folder must be private.

    Raises:
        DragomanError: `inbox_broken` when the file cannot be used.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._grown = asyncio.Event()
        self._order = asyncio.Lock()
        self._used = threading.Lock()
        """A cancelled reader leaves its thread at work: the file is never closed under one."""
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {_TABLE}")
        except (OSError, sqlite3.Error) as failed:
            raise DragomanError(
                "inbox_broken", str(failed), where=str(path), fix="free the disk, or mend the file's rights"
            ) from failed

    async def put(self, raw: bytes) -> int:
        """Keep one arrival; its position, when it is on the disk.

        Raises:
            DragomanError: `inbox_broken`; it was not kept.
        """
        async with self._order:
            position = await asyncio.to_thread(self._put, raw)
        self._grown.set()
        return position

    async def read(self, since: str | None) -> AsyncIterator[Batch]:
        """What came after `since`, page by page, without end.

        Raises:
            DragomanError: `inbox_broken`.
        """
        async with self._order:
            after = await asyncio.to_thread(self._known, int(since or 0))
            await asyncio.to_thread(self._drop, after)
        while True:
            self._grown.clear()
            async with self._order:
                rows = await asyncio.to_thread(self._after, after)
            if not rows:
                await self._grown.wait()
                continue
            after = rows[-1][0]
            async with self._order:
                await asyncio.to_thread(self._drop, after - KEPT)
            yield Batch(tuple(Arrival(raw, received_at) for _, received_at, raw in rows), str(after))

    def close(self) -> None:
        """Close the file."""
        with self._used:
            self._file.close()

    def _put(self, raw: bytes) -> int:
        with self._file_used():
            (waiting,) = self._file.execute("SELECT count(*) FROM arrivals").fetchone()
            if waiting >= MOST:
                raise DragomanError(
                    "inbox_broken", f"{waiting} arrivals wait unread", fix="start the receiver, or free it"
                )
            row = (self._clock.now(), raw)
            made = self._file.execute("INSERT INTO arrivals (received_at, raw) VALUES (?, ?)", row)
            return int(made.lastrowid or 0)

    def _known(self, position: int) -> int:
        """The position, or 0 if this file has not come so far."""
        with self._file_used():
            row = self._file.execute("SELECT seq FROM sqlite_sequence WHERE name = 'arrivals'").fetchone()
        return position if row is not None and position <= row[0] else 0

    def _after(self, position: int) -> list[tuple[int, int, bytes]]:
        with self._file_used():
            return self._file.execute(
                "SELECT position, received_at, raw FROM arrivals WHERE position > ? ORDER BY position LIMIT ?",
                (position, PAGE),
            ).fetchall()

    def _drop(self, until: int) -> None:
        with self._file_used():
            self._file.execute("DELETE FROM arrivals WHERE position <= ?", (until,))

    @contextlib.contextmanager
    def _file_used(self) -> Iterator[None]:
        """One use of the file at a time; what it cannot do is said."""
        try:
            with self._used:
                yield
        except sqlite3.Error as failed:
            raise DragomanError(
                "inbox_broken", str(failed), where="the account's inbox", fix="free the disk"
            ) from failed
