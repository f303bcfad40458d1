"""A real hub process on loopback for the tests: started, killed and started again over the same file."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests import born

START_SECONDS = 45
UNLIMITED = ("--replies-per-contact-hour", "0", "--replies-per-role-day", "0")
"""Most tests say more than six things an hour."""
COMMAND = [sys.executable, "-m", "dragoman.cli.main", "hub", "serve"]


class HubProcess:
    """One hub over `folder`/hub.db, or over `db`; keeps its port over restarts."""

    def __init__(self, folder: Path, *options: str, db: str = "") -> None:
        self.db = folder / "hub.db"
        self.address = db or f"sqlite://{self.db}"
        self.options = (*UNLIMITED, *options)
        self.port = 0
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and wait for the line that says where it listens."""
        command = [*COMMAND, "--db", self.address, "--listen", f"127.0.0.1:{self.port}", "--json"]
        self._process = born.Popen([*command, *self.options], stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], START_SECONDS)
        assert ready, "the hub did not start in time"
        self.url = json.loads(self._process.stdout.readline())["listening"]
        self.port = int(self.url.rpartition(":")[2])

    @property
    def pid(self) -> int:
        """The running process."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """`kill -9`, now."""
        self._end(signal.SIGKILL)

    def terminate(self, *, every_seconds: float = START_SECONDS) -> int:
        """Ask it to go, again and again when `every_seconds` is short, and its exit code."""
        return self._end(signal.SIGTERM, every_seconds)

    def signal(self, number: int) -> None:
        """Send a signal and do not wait."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    def _end(self, number: int, every_seconds: float = START_SECONDS) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        try:
            return end_of(process, number, every_seconds)
        finally:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def end_of(process: subprocess.Popen[Any], number: int, every_seconds: float = START_SECONDS) -> int:
    """Send a signal, again after every `every_seconds`, until the process has ended; its exit code."""
    end = time.monotonic() + START_SECONDS
    while True:
        process.send_signal(number)
        try:
            return process.wait(every_seconds)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise


@contextlib.contextmanager
def running_hub(folder: Path, *options: str) -> Iterator[HubProcess]:
    """A started hub, killed at the end."""
    hub = HubProcess(folder, *options)
    hub.start()
    try:
        yield hub
    finally:
        hub.kill()
