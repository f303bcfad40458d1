"""The handler's and notifier's processes: authorised under the state folder, and ended when their receiver was killed.

A run has one empty file named by its id while it may last; what an earlier receiver left is ended before new work.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dragoman.agents import process
from dragoman.agents.program import Program
from dragoman.errors import DragomanError
from dragoman.ledger.files import private_folder
from dragoman.receiver.config import Config

_RUNS: Final = 64


class Runs:
    """The handler processes under way, so that a killed receiver's children are ended before new work.

    One empty file per run, named by its run id; not flushed: this is for a killed process, not a power cut.
    """

    def __init__(self, state_dir: Path, longest_seconds: int) -> None:
        self._longest = longest_seconds + 60
        self._folder = _private(state_dir / "runs")
        self._work = _private(state_dir / "work")

    def note(self, started: process.Started) -> None:
        """A process is about to begin."""
        for old in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_RUNS]:
            old.unlink(missing_ok=True)
        os.close(os.open(self._folder / started.run_id, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))

    def end_leftovers(self, now_s: float) -> None:
        """End what an earlier receiver left running, and remove the working folders it left behind.

        A folder younger than any run may last could belong to a `probe` beside us.
        """
        for path in list(self._folder.iterdir()):
            process.end_leftovers(path.name)
            path.unlink(missing_ok=True)
        for path in list(self._work.iterdir()):
            with contextlib.suppress(OSError):
                if now_s - path.lstat().st_mtime > self._longest:
                    shutil.rmtree(path, ignore_errors=True)


def _private(folder: Path) -> Path:
    try:
        private_folder(folder)
    except OSError as error:
        fix = "chmod 700, owned by you, on a disk with room"
        raise DragomanError("ledger_broken", str(error), where=str(folder), fix=fix) from error
    return folder


def program_of(
    config: Config,
    argv: tuple[str, ...],
    limits: process.Limits,
    environment: tuple[str, ...],
    on_start: Callable[[process.Started], None] | None,
) -> Program:
    """Authorise one command of the configuration.

    Raises:
        DragomanError: `config_invalid`, or `ledger_broken` when the state folder cannot be used.
    """
    _private(config.state_dir)
    workdir = _private(config.state_dir / "work")
    return Program(argv, limits=limits, allowed=environment, environment=os.environ, workdir=workdir, on_start=on_start)
