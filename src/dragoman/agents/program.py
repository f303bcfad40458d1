"""A fixed command that an operator authorised: what it is, whether it is still that, and what it may see.

Asked when it is authorised and again before every run, in this order: an absolute path → a regular file → owned by me
or root → not writable by group or others → not in a folder where everybody may replace it → the recorded SHA-256.
For an interpreter (`python`, `node`, `sh` ...) the same is asked of every absolute argument that names a file: the
interpreter is rarely what an attacker would change.

The environment is a short list of names, plus those that the configuration adds; names that change what code is loaded
(`LD_*`, `PYTHON*`, `NODE_OPTIONS` ...) or lend somebody's keys (`SSH_AUTH_SOCK`) cannot be added at all.
The working folder is fresh, private, and removed afterwards; a `Room` puts files into it and gives this one run
variables of its own, which the configuration cannot name. This file never reads what the command says.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from dragoman.agents import process
from dragoman.errors import DragomanError

PASSED: Final = re.compile(r"PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR", re.ASCII)
"""What every command sees, when it is set."""
NEVER: Final = re.compile(
    r"PYTHON.*|LD_.*|DYLD_.*|GLIBC_TUNABLES|NODE_OPTIONS|NODE_PATH|PERL5?(LIB|OPT)|RUBY(LIB|OPT)|BASH_ENV|ENV|IFS"
    r"|SSH_AUTH_SOCK|GPG_AGENT_INFO|DRAGOMAN_.*",
    re.ASCII,
)
"""What the configuration cannot add."""
_INTERPRETER: Final = re.compile(r"(python|node|nodejs|deno|bun|ruby|perl|sh|bash|dash|zsh|env)[0-9.]*", re.ASCII)


class Changed(Exception):
    """The command is not, or no longer, what was authorised."""


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What one run finds besides: private `files` in its working folder, `variables`, and the names of those variables
    (`homes`) that lead to the working folder itself instead of the owner's own files."""

    files: Mapping[str, bytes] = {}
    variables: Mapping[str, str] = {}
    homes: tuple[str, ...] = ()


NO_ROOM: Final = Room()


class Program:
    """One authorised command.

    Args:
        argv: the absolute path of the command and its fixed arguments.
        limits: bounds of every run.
        allowed: names of further variables that the operator lets it see.
        environment: where values are taken from, usually `os.environ`.
        workdir: an existing private folder under which each run gets its own.
        on_start: told run id and process group before the command begins; called on the loop's thread.

    Raises:
        DragomanError: `config_invalid`, when the command or a name is refused; nothing is run.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        limits: process.Limits | None = None,
        allowed: Iterable[str] = (),
        environment: Mapping[str, str],
        workdir: Path,
        on_start: Callable[[process.Started], None] | None = None,
    ) -> None:
        self.argv = tuple(argv)
        self.limits = limits or process.Limits()
        self._environment = chosen(environment, allowed)
        self._workdir = workdir
        self._on_start = on_start
        try:
            self._files = identify(self.argv)
        except Changed as error:
            raise DragomanError(
                "config_invalid",
                str(error),
                where=self.argv[0] if self.argv else "command",
                fix="chown, chmod, or name it by its full path",
            ) from error

    def fingerprint(self) -> str:
        """SHA-256 over the arguments and the hash of every file, for the scope digest (spec 2 §3.15)."""
        return hashlib.sha256(msgspec.json.encode([self.argv, sorted(self._files.items())])).hexdigest()

    async def run(self, stdin: bytes, *more: str, room: Room = NO_ROOM) -> process.Ran:
        """Check that it is still the same, then run it once; `more` are words of this one run, never a file's name.

        Raises:
            Changed: a file was replaced, or may now be replaced by others; nothing was run.
        """
        if await asyncio.to_thread(identify, self.argv) != self._files:
            raise Changed("a file of the command has another hash than when it was authorised")
        directory = Path(tempfile.mkdtemp(prefix="run-", dir=self._workdir))
        try:
            for name, content in room.files.items():
                _put(directory / name, content)
            homes = dict.fromkeys(room.homes, str(directory))
            return await process.run(
                (*self.argv, *more),
                stdin,
                limits=self.limits,
                environment={**self._environment, **room.variables, **homes},
                directory=directory,
                on_start=self._on_start,
            )
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True))


def identify(argv: Sequence[str]) -> dict[str, str]:
    """Path and SHA-256 of every file that decides what `argv` does.

    Raises:
        Changed: a file cannot be trusted, with the sentence why.
    """
    if not argv or not os.path.isabs(argv[0]):
        raise Changed("expected the absolute path of a command")
    files = {argv[0]: _trusted_hash(argv[0])}
    if _INTERPRETER.fullmatch(os.path.basename(os.path.realpath(argv[0]))):
        for argument in argv[1:]:
            if os.path.isabs(argument) and os.path.isfile(argument):
                files[argument] = _trusted_hash(argument)
    return files


def chosen(environment: Mapping[str, str], allowed: Iterable[str]) -> dict[str, str]:
    """The variables that a command may see.

    Raises:
        DragomanError: `config_invalid`, when `allowed` names one that is never passed.
    """
    names = frozenset(allowed)
    refused = sorted(name for name in names if NEVER.fullmatch(name) or not name.isidentifier())
    if refused:
        raise DragomanError("config_invalid", f"`{refused[0]}` is never passed to a command", where="environment")
    return {name: value for name, value in environment.items() if name in names or PASSED.fullmatch(name)}


def _put(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(content)


def _trusted_hash(path: str) -> str:
    try:
        real = os.path.realpath(path)
        number = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _check_trust(path, real, os.fstat(number))
            with open(number, "rb", closefd=False) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        finally:
            os.close(number)
    except (OSError, ValueError) as error:
        raise Changed(f"`{path}`: {getattr(error, 'strerror', None) or 'cannot be read'}") from error


def _check_trust(path: str, real: str, facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise Changed(f"`{path}` is not a regular file")
    if facts.st_uid not in (0, os.geteuid()):
        raise Changed(f"`{path}` belongs to another user")
    if facts.st_mode & 0o022:
        raise Changed(f"`{path}` may be written by others")
    for folder in Path(real).parents:
        if (mode := folder.stat().st_mode) & 0o002 and not mode & stat.S_ISVTX:
            raise Changed(f"`{path}` lies in a folder that everybody may write")
