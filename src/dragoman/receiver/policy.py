"""Reading an operator's policy from disk: the file, and the term files that it names beside it.

1. What does not load is an error at the start; later it is not in force: the last good policy holds, and `refused` says
   why until the file is mended.
2. A file counts as changed when its inode, size or time of change did. Files that change while they are read are read
   again at the next look: write beside and rename, and nobody ever sees half of one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dragoman.errors import DragomanError
from dragoman.gate.policy import BROKEN, Policy
from dragoman.gate.policy_file import parse_policy, terms_files_named

if TYPE_CHECKING:
    from dragoman.receiver.config import Config

CLOSED: Final = b"version = 1\n"
"""Without a policy file: nobody is trusted, everything is external, every topic stays a draft."""
FILE_LIMIT: Final = 128 * 1024 * 1024
"""The most bytes of one term file: 1,000,000 terms fit."""


Stamp = tuple[tuple[int, int, int], ...]


def load_policy(path: str | os.PathLike[str], before: Policy = BROKEN) -> Policy:
    """Compile the policy at `path`; a `terms_file` is looked for beside it, and nowhere else. Of the terms only what
    differs from the policy `before` is compiled.

    Raises:
        DragomanError: `policy_invalid` with the offending key and its fix.
    """
    path = Path(path)
    raw = _read(path)
    names = terms_files_named(raw)
    for name in names:
        if Path(name).name != name:
            fix = "put the file beside the policy and name it without a folder"
            raise DragomanError("policy_invalid", "a terms_file lies beside the policy", where=name, fix=fix)
    try:
        return parse_policy(raw, {name: _read(path.parent / name) for name in names}, before)
    except DragomanError as error:
        where = f"{path}: {error.where}" if error.where and error.where != str(path) else str(path)
        raise DragomanError(error.code, error.detail, where=where, fix=error.fix) from None


def policy_of(config: Config, before: Policy = BROKEN) -> Policy:
    """The operator's policy of a receiver, or the closed one when none is named.

    Raises:
        DragomanError: `policy_invalid`.
    """
    name = config.file.policy
    return closed() if name is None else load_policy(config.at(name), before)


def closed() -> Policy:
    """The policy that trusts nobody."""
    return parse_policy(CLOSED, {})


def files_of(config: Config) -> tuple[Path, ...]:
    """The files that a receiver's policy is made of; a change of any of them is a change of the policy."""
    return () if config.file.policy is None else files_at(config.at(config.file.policy))


def files_at(path: Path) -> tuple[Path, ...]:
    """The policy file at `path` and the term files that it names."""
    try:
        names = terms_files_named(_read(path))
    except DragomanError:
        names = ()
    return (path, *(path.parent / Path(name).name for name in names))


def stamp(paths: Iterable[Path]) -> Stamp:
    """What changes when one of these files does; a file that cannot be looked at is nothing."""
    return tuple(map(_stamp, paths))


class PolicyWatch:
    """A policy file that is read again when it changed. A `PolicySource` for a gate: `Gate(policy=PolicyWatch(path))`.

    Args:
        path: the policy file.
        refused: called once with the error of each new state of the files that does not load; the terminal or the log
            of the operator, never an outsider's.

    Raises:
        DragomanError: `policy_invalid`; there is no last good policy yet.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, refused: Callable[[DragomanError], None] = lambda error: None
    ) -> None:
        self._path = Path(path)
        self._tell = refused
        self.refused: DragomanError | None = None
        """Why the files as they stand are not in force, or None."""
        self._watched = files_at(self._path)
        self._stamp = stamp(self._watched)
        self._policy = load_policy(self._path)

    def current(self) -> Policy:
        """The policy that holds now: the files' own if they changed and load, else the last good one."""
        if stamp(self._watched) != self._stamp:
            self._read_again()
        return self._policy

    def _read_again(self) -> None:
        self._watched = files_at(self._path)
        self._stamp = stamp(self._watched)
        try:
            found = load_policy(self._path, self._policy)
        except DragomanError as error:
            self.refused = error
            self._tell(error)
            return
        if stamp(self._watched) == self._stamp:  # else it changed under our hands: the next look reads it whole
            self._policy, self.refused = found, None


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            raw = file.read(FILE_LIMIT + 1)
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or "cannot be read"
        raise DragomanError("policy_invalid", detail, where=str(path), fix="check the path and its mode") from None
    if stat.S_ISREG(facts.st_mode) and (facts.st_mode & stat.S_IWOTH or facts.st_uid not in (0, os.geteuid())):
        why = "others may write it: whoever does names the operators"
        raise DragomanError("policy_invalid", why, where=str(path), fix=f"chown it to you and run `chmod o-w {path}`")
    if len(raw) > FILE_LIMIT:
        raise DragomanError("policy_invalid", f"larger than {FILE_LIMIT} bytes", where=str(path), fix="split the terms")
    return raw
