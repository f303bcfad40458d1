"""Exactly one process owns a state folder: a kernel lock held for life (spec 2 §2, `run` or `once`).

A role key is held in the same way: two states with one role's key would each spend the whole budget.

The lock file is never removed, and no process number is believed: what is written in it is only for the sentence that
the refused one is told. The kernel frees the lock however the holder ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from dragoman.errors import DragomanError
from dragoman.ledger.files import NotPrivate, private_folder

FILE: Final = "owner.lock"


class StateLock:
    """The lock of one state folder; a context manager.

    Args:
        folder: the state folder; made private if it is missing.
        words: what the holder calls itself, such as `run`.
    """

    def __init__(self, folder: Path, words: str) -> None:
        self._folder = folder
        self._words = words
        self._fd = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            DragomanError: `state_locked` when another process holds it; `ledger_broken` when the folder is not private.
        """
        path = self._folder / FILE
        try:
            private_folder(self._folder)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except (OSError, NotPrivate) as error:
            raise DragomanError(
                "ledger_broken",
                str(error),
                where=str(path),
                fix="chmod 700, owned by you, on a disk that can be written",
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(fd, 200, 0).decode("utf-8", "replace").strip()
            os.close(fd)
            raise DragomanError(
                "state_locked",
                f"held by {holder or 'another process'}",
                where=str(path),
                fix="use `run` or `once`, not both",
            ) from error
        with contextlib.suppress(OSError):  # the words are a courtesy; on a full disk the lock holds without them
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"`{self._words}`, process {os.getpid()}".encode(), 0)
        self._fd = fd
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._fd)
        self._fd = -1


@contextlib.contextmanager
def held_key(path: Path) -> Iterator[None]:
    """Hold a role key: one receiver on this machine acts with it, whatever its state folder. Reading stays free.

    Raises:
        DragomanError: `state_locked` when another receiver holds it, `key_invalid` when it cannot be opened.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise DragomanError(
            "key_invalid", error.strerror or "", where=str(path), fix="chmod 600, owned by you"
        ) from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            fix = "one receiver per role: stop the other one, or use its state"
            raise DragomanError("state_locked", "another receiver acts with it", where=str(path), fix=fix) from error
        yield
    finally:
        os.close(fd)
