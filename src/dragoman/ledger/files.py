"""Private files: made closed from their first byte, judged by the opened descriptor, replaced whole and durably.

1. A folder is 0700, a file 0600, made with an explicit mode; the umask can only take rights away.
2. What is opened is judged by `fstat` on the descriptor that is read: regular, ours, closed to group and others.
3. A replacement is written beside, flushed, renamed, and the folder flushed: after a crash it is the old or the new.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path


class NotPrivate(OSError):
    """A file or folder is open to others, owned by somebody else, or no regular file."""


def private_folder(folder: Path) -> None:
    """Make `folder` with mode 0700 if it is missing, and see that nobody else can get in.

    Raises:
        NotPrivate: it is a symlink, owned by somebody else, or open to group or others.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise NotPrivate(f"`{folder}` is not a folder")
    _judge(found, folder, "0700")


def read_private(path: Path, limit: int) -> bytes:
    """The bytes of a private file, at most `limit`.

    Raises:
        FileNotFoundError: there is none.
        NotPrivate: it is not a regular file of ours, closed to others.
        ValueError: it is larger than `limit`.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise NotPrivate(f"`{path}` is not a regular file")
        _judge(found, path, "0600")
        body = file.read(limit + 1)
    if len(body) > limit:
        raise ValueError(f"larger than {limit} bytes")
    return body


def create_private(path: Path, body: bytes) -> None:
    """Make a new file with mode 0600, durable before this returns; an existing one is an error."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def replace_private(path: Path, body: bytes) -> None:
    """Put `body` at `path`, whole or not at all, durable before this returns."""
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a new or renamed entry of `folder` durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _judge(found: os.stat_result, path: Path, wanted: str) -> None:
    if found.st_uid != os.geteuid():
        raise NotPrivate(f"`{path}` is owned by somebody else")
    if found.st_mode & 0o077:
        raise NotPrivate(f"`{path}` has mode {stat.S_IMODE(found.st_mode):04o}, expected {wanted}")
