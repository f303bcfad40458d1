"""Where a benchmark happens: servers on CPU 0, the load on CPU 1, the disk's own speed beside every figure.

1. A contender is a process of its own; its CPU time is read from the system, per request.
2. `flushes` is the control of every durable figure: how often this disk can flush 8 KB now. It differs up to eighteen
   fold between a quiet and a busy minute, so it is taken in every round.
3. What is compared is a ratio within one round; what is reported is the median of the rounds' ratios.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / ".venv-peers" / "bin" / "python"
HERE = Path(__file__).resolve().parent
SERVER_CPU, LOAD_CPU = 0, 1
BLOCK = 8192
TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """One contender's process."""

    def __init__(self, name: str, command: Sequence[str], port: int, *, ready: str = "", **environment: str) -> None:
        self.name = name
        self.port = port
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  closed by `stop`
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if ready else self._log,
            stderr=self._log,
            env={**os.environ, **environment},
            cwd=ROOT,
        )
        pin(self._process.pid, SERVER_CPU)
        if ready:
            assert self._process.stdout is not None
            if not select.select([self._process.stdout], [], [], 30)[0]:
                raise RuntimeError(f"{name} did not start: {self.said()}")
            line = self._process.stdout.readline() or b"{}"
            self.port = int(json.loads(line).get(ready, "0").rpartition(":")[2])
        self._wait()

    def said(self) -> str:
        """The end of what the process wrote."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-2000:]

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def cpu_seconds(self) -> float:
        """CPU time of the process so far, its threads included."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()

    def _wait(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.name} ended: {self.said()}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        raise RuntimeError(f"{self.name} does not listen: {self.said()}")


def pin(pid: int, cpu: int) -> None:
    """Keep a process on one CPU where there are two."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(pid, {cpu})


def play(server: Server, plan: Mapping[str, Any], connections: int, seconds: float) -> dict[str, float]:
    """Play a plan against a server: units per second, p50, p99 (ms), CPU of the server per unit (µs).

    Raises:
        RuntimeError: an answer was not the expected one.
    """
    whole = {
        "address": "127.0.0.1",
        "port": server.port,
        "host": f"127.0.0.1:{server.port}",
        "cpu": LOAD_CPU if (os.cpu_count() or 1) > 1 else 0,
        "connections": connections,
        "seconds": seconds,
        **plan,
    }
    with subprocess.Popen(
        [sys.executable, str(HERE / "load.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as load:
        assert load.stdin is not None
        assert load.stdout is not None
        load.stdin.write(json.dumps(whole) + "\n")
        load.stdin.flush()
        load.stdout.readline()
        before = server.cpu_seconds()
        line = load.stdout.readline()
        spent = server.cpu_seconds() - before
    if not line:
        raise RuntimeError(f"{server.name}: the load generator ended")
    found = json.loads(line)
    if found["failed"]:
        raise RuntimeError(f"{server.name}: {found['failed']} failed, first {found['first_failure']}; {server.said()}")
    return {
        "per_second": found["units"] / found["seconds"],
        "p50_ms": found["p50_ms"],
        "p99_ms": found["p99_ms"],
        "cpu_us": spent / max(1, found["units"]) * 1e6,
    }


def flushes(folder: Path, seconds: float = 0.4, *, append: bool = False) -> float:
    """How many times a second this disk writes 8 KB durably now: over the same place, or appended."""
    path, block, count = folder / "flushes", os.urandom(BLOCK), 0
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        os.pwrite(file, block * 64, 0)
        os.fsync(file)
        began = time.perf_counter()
        while (spent := time.perf_counter() - began) < seconds:
            os.pwrite(file, block, (64 + count) * BLOCK if append else (count % 64) * BLOCK)
            os.fdatasync(file)
            count += 1
    finally:
        os.close(file)
        path.unlink()
    return count / spent


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder on the disk that is measured."""
    made = Path(tempfile.mkdtemp(prefix="dragoman-bench-"))
    made.chmod(0o711)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def median(values: Sequence[float]) -> float:
    """The median; NaN of nothing."""
    return statistics.median(values) if values else float("nan")


class Verdicts:
    """Targets, what was found, and whether it holds; a target fails below `SLACK` of its figure."""

    SLACK = 0.7

    def __init__(self) -> None:
        self.failed = False

    def ratio(self, name: str, found: Sequence[float], target: float, said: str) -> None:
        """Say a ratio (median of the rounds) beside its target."""
        middle = median(found)
        holds = "met" if middle >= target else ("near" if middle >= target * self.SLACK else "MISSED")
        self.failed |= holds == "MISSED"
        spread = f"{min(found):.2f}–{max(found):.2f}" if found else "nothing"
        print(f"{name:4} {said:66} {middle:8.2f}x  target {target:5.2f}x  {holds:6} ({spread})", flush=True)
