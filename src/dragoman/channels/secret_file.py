"""One secret in one private file: a token, a signing secret, a password. Read once, when an account is made."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from dragoman.errors import DragomanError

SECRET_LIMIT: Final = 4096


def read_secret(path: Path, what: str = "the secret") -> str:
    """The one word in a private file; `what` names it in errors, such as "the access token".

    Raises:
        DragomanError: `config_missing`, `config_unreadable`, `config_not_private` (not a regular file of mode 0600 or
            stricter that belongs to us), `config_invalid` (empty, too long, or more than one word).
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError as gone:
        raise DragomanError("config_missing", where=str(path), fix=f"write {what} there") from gone
    except OSError as failed:
        raise DragomanError("config_unreadable", failed.strerror or "", where=str(path)) from failed
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077 or found.st_uid != os.geteuid():
            raise DragomanError("config_not_private", where=str(path), fix=f"run `chmod 600 {path}` as its owner")
        words = file.read(SECRET_LIMIT + 1).split()
    if len(words) != 1 or len(words[0]) > SECRET_LIMIT or not words[0].isascii():
        raise DragomanError(
            "config_invalid", f"expected {what} and nothing else", where=str(path), fix="write one word there"
        )
    return words[0].decode("ascii")
