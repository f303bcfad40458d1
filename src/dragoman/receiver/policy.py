"""Reading an operator's policy from disk: the file, and the term files that it names beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from dragoman.errors import DragomanError
from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy, terms_files_named

if TYPE_CHECKING:
    from dragoman.receiver.config import Config

CLOSED: Final = b"version = 1\n"
"""Without a policy file: nobody is trusted, everything is external, every topic stays a draft."""
FILE_LIMIT: Final = 128 * 1024 * 1024
"""The most bytes of one term file: 1,000,000 terms fit."""


def load_policy(path: Path) -> Policy:
    """Compile the policy at `path`; a `terms_file` is looked for beside it, and nowhere else.

    Raises:
        DragomanError: `policy_invalid` with the offending key and its fix.
    """
    raw = _read(path)
    names = terms_files_named(raw)
    for name in names:
        if Path(name).name != name:
            fix = "put the file beside the policy and name it without a folder"
            raise DragomanError("policy_invalid", "a terms_file lies beside the policy", where=name, fix=fix)
    try:
        return parse_policy(raw, {name: _read(path.parent / name) for name in names})
    except DragomanError as error:
        where = f"{path}: {error.where}" if error.where and error.where != str(path) else str(path)
        raise DragomanError(error.code, error.detail, where=where, fix=error.fix) from None


def policy_of(config: Config) -> Policy:
    """The operator's policy of a receiver, or the closed one when none is named.

    Raises:
        DragomanError: `policy_invalid`.
    """
    name = config.file.policy
    return closed() if name is None else load_policy(config.at(name))


def closed() -> Policy:
    """The policy that trusts nobody."""
    return parse_policy(CLOSED, {})


def files_of(config: Config) -> tuple[Path, ...]:
    """The files that a receiver's policy is made of; a change of any of them is a change of the policy."""
    if config.file.policy is None:
        return ()
    path = config.at(config.file.policy)
    try:
        names = terms_files_named(_read(path))
    except DragomanError:
        names = ()
    return (path, *(path.parent / Path(name).name for name in names))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_LIMIT + 1)
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or "cannot be read"
        raise DragomanError("policy_invalid", detail, where=str(path), fix="check the path and its mode") from None
    if len(raw) > FILE_LIMIT:
        raise DragomanError("policy_invalid", f"larger than {FILE_LIMIT} bytes", where=str(path), fix="split the terms")
    return raw
