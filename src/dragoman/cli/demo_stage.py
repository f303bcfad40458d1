"""The stage of the demo: the processes, the commands it gives them, and the `kill -9`.

Everything is done with the commands that a user has, on loopback, in one private folder. What happened is read from the
hub, the ledger and the packets, never from the script.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from dragoman.errors import DragomanError

COMMAND: Final = (sys.executable, "-m", "dragoman.cli")
WAIT_SECONDS: Final = 170


class Stage:
    """The folder and the processes of one run. Close it: nothing it started outlives it."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        os.umask(0o077)
        folder.mkdir(mode=0o700, parents=True)
        self.folder = folder.absolute()
        self.say = say
        self._running: list[subprocess.Popen[str]] = []

    def start(self, name: str, *words: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
        """Start a process and wait for its first JSON line.

        Raises:
            DragomanError: `not_ready` with the end of its log.
        """
        process = self.spawn(name, *words)
        return process, self.line(process, name)

    def spawn(self, name: str, *words: str) -> subprocess.Popen[str]:
        """Start a process whose errors go to `NAME.log`."""
        log = (self.folder / f"{name}.log").open("a")
        with log:
            process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True, cwd=self.folder
            )
        self._running.append(process)
        return process

    def line(self, process: subprocess.Popen[str], name: str) -> dict[str, Any]:
        """The next JSON line that a process says, within the demo's patience."""
        assert process.stdout is not None
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            if not ready.select(WAIT_SECONDS):
                raise DragomanError("not_ready", f"{name} said nothing for {WAIT_SECONDS} s", where=str(self.folder))
        text = process.stdout.readline()
        if not text:
            log = (self.folder / f"{name}.log").read_text()[-800:]
            raise DragomanError("not_ready", f"{name} ended with {process.wait()}: {log}", where=str(self.folder))
        found = json.loads(text)
        assert isinstance(found, dict)
        return found

    def ask(self, *words: str, given: str | None = None) -> dict[str, Any]:
        """Run one `dragoman` command and return its JSON answer.

        Raises:
            DragomanError: `not_ready` with the command's own error.
        """
        done = subprocess.run(
            [*COMMAND, *words, "--json"],
            input=given or "",
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
        )
        if done.returncode not in (0, 1) or not done.stdout.strip():
            command = " ".join(words[:2])
            raise DragomanError("not_ready", (done.stdout + done.stderr).strip()[-800:], where=f"dragoman {command}")
        found = json.loads(done.stdout)
        return found if isinstance(found, dict) else {"answer": found}

    def kill(self, process: subprocess.Popen[str]) -> None:
        """`kill -9`, from outside."""
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self._running.remove(process)

    def until(self, what: str, done: Callable[[], bool]) -> None:
        """Wait for something to have happened.

        Raises:
            DragomanError: `not_ready` when it does not within the demo's patience.
        """
        end = time.monotonic() + WAIT_SECONDS
        while not done():
            if time.monotonic() > end:
                raise DragomanError("not_ready", f"waited {WAIT_SECONDS} s for {what}", where=str(self.folder))
            time.sleep(0.3)

    def close(self) -> None:
        """Ask every process to end, and make sure that it does."""
        for process in reversed(self._running):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self._running):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
        self._running.clear()
