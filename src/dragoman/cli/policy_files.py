"""Reading a policy with what lies around it, and writing a new one: the file system's side of `dragoman policy`.

A policy is written once, with mode 0600 from its creation, and never over anything that is there already.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy, terms_files_named
from dragoman.gate.workbench.lint.rule import FileMode

FILE_LIMIT: Final = 128 * 1024 * 1024
"""The most bytes of one file: a term file of 1,000,000 terms fits."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A policy as it lies on disk."""

    path: Path
    raw: bytes
    terms_files: dict[str, bytes]
    """The term files that could be read; what is missing is told when the policy is compiled."""
    modes: tuple[FileMode, ...]


def found(path: Path) -> Found:
    """The policy at `path` with its term files and their modes.

    Raises:
        DragomanError: `policy_invalid` when the policy itself cannot be read.
    """
    raw, mode = _read(path, "")
    files, modes = {}, [mode]
    for name in terms_files_named(raw):
        if Path(name).name != name:
            continue
        try:
            files[name], seen = _read(path.parent / name, name)
        except DragomanError:
            continue
        modes.append(seen)
    modes += _folder(path)
    return Found(path=path, raw=raw, terms_files=files, modes=tuple(modes))


def compiled_policy(seen: Found) -> Policy:
    """The compiled policy of what lies on disk.

    Raises:
        DragomanError: `policy_invalid`, with the file before the key.
    """
    try:
        return parse_policy(seen.raw, seen.terms_files)
    except DragomanError as error:
        where = f"{seen.path}: {error.where}" if error.where else str(seen.path)
        raise DragomanError(error.code, error.detail, where=where, fix=error.fix) from None


def write_new(path: Path, text: str) -> None:
    """Write a private file that is not there yet.

    Raises:
        DragomanError: `conflict` when something is there, `input_invalid` when it cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        fix = "name another file, or move this one away first"
        raise DragomanError(
            "conflict", "is there already, and is never overwritten", where=str(path), fix=fix
        ) from None
    except OSError as error:
        raise DragomanError("input_invalid", error.strerror or "cannot be written", where=str(path)) from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _folder(path: Path) -> list[FileMode]:
    """The mode of the folder around a policy; where only owners replace files (sticky), others may write beside it."""
    try:
        status = path.parent.stat()
    except OSError:
        return []
    mode = 0o700 if status.st_mode & stat.S_ISVTX else stat.S_IMODE(status.st_mode)
    return [FileMode(where="", mode=mode, folder=True, ours=status.st_uid in (os.getuid(), 0))]


def _read(path: Path, where: str) -> tuple[bytes, FileMode]:
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_LIMIT + 1)
            status = os.fstat(file.fileno())
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or "cannot be read"
        raise DragomanError("policy_invalid", detail, where=str(path), fix="check the path and its mode") from None
    if len(raw) > FILE_LIMIT:
        raise DragomanError("policy_invalid", f"larger than {FILE_LIMIT} bytes", where=str(path), fix="split the terms")
    ours = status.st_uid in (os.getuid(), 0)
    return raw, FileMode(where=where, mode=stat.S_IMODE(status.st_mode), ours=ours)
