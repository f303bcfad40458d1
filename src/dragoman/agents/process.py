"""Runs one foreign command, bounded on every side, and comes back in time whatever it does.

The order of one run: spawn the launcher in a session of its own → tell the caller the `Started` facts, so that they can
be written down durably → let it become the command → feed stdin and hear both outputs at the same time → the first of
exit, time limit, or too much output decides → TERM to the group, grace, KILL → reap → sweep → close.

What holds:
- Nothing waits for end of file: a grandchild that keeps a pipe delays nobody. After the exit, only what already lies
  in the pipe is taken.
- Output is counted as it arrives; memory is bounded by the caps. EPIPE on stdin is no error: the exit decides.
- The group is killed after *every* run, a good one too. The leader is not reaped before, so its number cannot have
  been given to somebody else.
- On Linux every process that still carries the run's mark (`DRAGOMAN_RUN`) in its environment is killed as well:
  that finds those that left the group by `setsid`. One that left the group *and* wiped its environment survives;
  only a cgroup would hold it.
- When the daemon itself is killed, Linux kills the command (not its children); `end_leftovers` with the run id that
  was written down ends the rest at the next start.

This file never looks at what a command says.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from dragoman.agents.leftovers import MARK, end_leftovers

_LAUNCHER: Final = str(Path(__file__).with_name("launch.py"))
_CHUNK: Final = 64 * 1024
_START_S: Final = 10.0
_REAP_S: Final = 5.0


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds of one run. `time_ms` is wall time until TERM, `grace_ms` from TERM to KILL."""

    time_ms: int = 120_000
    grace_ms: int = 1_000
    stdout_bytes: int = 256 * 1024
    stderr_bytes: int = 16 * 1024
    """More than this is drained and dropped, not refused."""
    file_bytes: int = 64 * 1024 * 1024
    open_files: int = 1_024
    cpu_s: int = 600
    core_bytes: int = 0


class Ended(StrEnum):
    """How a run ended."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    OUTPUT_TOO_LARGE = "output_too_large"
    CANNOT_START = "cannot_start"


class Started(msgspec.Struct, frozen=True):
    """What a daemon writes down before a command begins, to be able to end it after a crash."""

    run_id: str
    pgid: int


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run. `exit_code` is negative for a signal, None if it was not seen; `stderr` is evidence only."""

    ended: Ended
    exit_code: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    duration_ms: int = 0
    detail: str = ""


async def run(
    argv: Sequence[str],
    stdin: bytes,
    *,
    limits: Limits,
    environment: Mapping[str, str],
    directory: Path,
    on_start: Callable[[Started], None] | None = None,
) -> Ran:
    """Run `argv` once in `directory` with exactly `environment` plus the mark.

    `on_start` is called before the command begins; if it raises, the command never begins and the error comes out.
    Cancelling ends the whole group before the cancellation goes on.
    """
    began = time.monotonic()
    started_id = secrets.token_hex(16)
    try:
        child, control = _spawn(argv, {**environment, MARK: started_id}, limits, directory)
    except OSError as error:
        return Ran(ended=Ended.CANNOT_START, detail=error.strerror or str(error))
    pipes = _Pipes(child, stdin, limits)
    ended, failure = Ended.CANNOT_START, ""
    try:
        if on_start is not None:
            on_start(Started(started_id, child.pid))
        failure = await _go(control)
        if not failure:
            ended = await pipes.first(limits.time_ms / 1000)
            if ended is not Ended.EXITED:
                await _term(child.pid, pipes, limits.grace_ms / 1000)
    finally:
        control.close()
        _signal_group(child.pid, signal.SIGKILL)
        code = await asyncio.shield(_reap(child))
        await asyncio.shield(asyncio.to_thread(end_leftovers, started_id))
        pipes.close()
    return Ran(
        ended=pipes.verdict(ended),
        exit_code=code,
        stdout=bytes(pipes.stdout),
        stderr=bytes(pipes.stderr),
        duration_ms=round((time.monotonic() - began) * 1000),
        detail=failure,
    )


class _Pipes:
    """Feeds and hears one child on the running loop; `first` tells which end came first."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: bytes, limits: Limits) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._loop = asyncio.get_running_loop()
        self._child = child
        self._in, self._out, self._err = child.stdin.fileno(), child.stdout.fileno(), child.stderr.fileno()
        self._rest = memoryview(stdin)
        self._limits = limits
        self._first: asyncio.Future[Ended] = self._loop.create_future()
        self._exited = asyncio.Event()
        self._overflow = False
        self.stdout = bytearray()
        self.stderr = bytearray()
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        self._loop.add_writer(self._in, self._feed)
        self._loop.add_reader(self._out, self._hear, self._out, self._take)
        self._loop.add_reader(self._err, self._hear, self._err, self._note)
        self._watch = asyncio.ensure_future(self._await_exit())

    async def first(self, seconds: float) -> Ended:
        """Exit, overflow or time limit, whichever comes first."""
        done, _ = await asyncio.wait([self._first], timeout=seconds)
        return self._first.result() if done else Ended.TIMEOUT

    async def exited(self, seconds: float) -> None:
        """Wait until the child has exited, at most `seconds`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._exited.wait(), seconds)

    def verdict(self, ended: Ended) -> Ended:
        """What came first, unless the last bytes after a good exit went over the cap."""
        return Ended.OUTPUT_TOO_LARGE if ended is Ended.EXITED and self._overflow else ended

    def close(self) -> None:
        """Take what already lies in the pipes and let go of them, end of file or not."""
        self._watch.cancel()
        for number, sink in ((self._out, self._take), (self._err, self._note)):
            self._drain(number, sink)
        self._stop_feeding()
        for stream in (self._child.stdout, self._child.stderr):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    async def _await_exit(self) -> None:
        while not _gone(self._child.pid):
            await _exit_hint(self._child.pid)
        self._exited.set()
        self._settle(Ended.EXITED)

    def _settle(self, ended: Ended) -> None:
        if not self._first.done():
            self._first.set_result(ended)

    def _feed(self) -> None:
        try:
            if self._rest:
                self._rest = self._rest[os.write(self._in, self._rest[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self._rest = self._rest[:0]  # it does not want to hear it; its exit decides
        if not self._rest:
            self._stop_feeding()

    def _stop_feeding(self) -> None:
        """Close stdin once; its number may belong to something else afterwards."""
        if not self._child.stdin or self._child.stdin.closed:
            return
        self._loop.remove_writer(self._in)
        with contextlib.suppress(OSError):
            self._child.stdin.close()

    def _hear(self, number: int, sink: Callable[[bytes], None]) -> bool:
        """Read once; whether more may lie there."""
        try:
            chunk = os.read(number, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self._loop.remove_reader(number)
            return False
        sink(chunk)
        return True

    def _drain(self, number: int, sink: Callable[[bytes], None]) -> None:
        # Bounded: a writer that escaped must not keep us here.
        for _ in range(2 + (self._limits.stdout_bytes + self._limits.stderr_bytes) // 4096):
            if self._overflow or not self._hear(number, sink):
                break
        self._loop.remove_reader(number)

    def _take(self, chunk: bytes) -> None:
        room = self._limits.stdout_bytes - len(self.stdout)
        self.stdout += chunk[:room]
        if len(chunk) > room:
            self._overflow = True
            self._settle(Ended.OUTPUT_TOO_LARGE)

    def _note(self, chunk: bytes) -> None:
        self.stderr += chunk[: self._limits.stderr_bytes - len(self.stderr)]


def _spawn(
    argv: Sequence[str], environment: Mapping[str, str], limits: Limits, directory: Path
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair()
    spec = {
        "control": theirs.fileno(),
        "argv": list(argv),
        "names": sorted(environment),  # names only: values would be readable by every user of the machine
        "limits": {name: getattr(limits, name) for name in ("file_bytes", "core_bytes", "open_files", "cpu_s")},
    }
    try:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", _LAUNCHER, json.dumps(spec)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=dict(environment),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            bufsize=0,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    ours.setblocking(False)
    return child, ours


async def _go(control: socket.socket) -> str:
    """Let the launcher go on; empty when it became the command, else why not."""
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_sendall(control, b"g")
        answer = await asyncio.wait_for(loop.sock_recv(control, 16), _START_S)
    except (OSError, TimeoutError):
        return "the launcher did not answer"
    return os.strerror(int(answer)) if answer else ""


async def _term(pgid: int, pipes: _Pipes, grace: float) -> None:
    _signal_group(pgid, signal.SIGTERM)
    await pipes.exited(grace)


async def _reap(child: subprocess.Popen[bytes]) -> int | None:
    """The exit code. KILL was sent, so this takes no time; a process stuck in the kernel is left after `_REAP_S`."""
    until = time.monotonic() + _REAP_S
    while child.poll() is None and time.monotonic() < until:  # noqa: ASYNC110 - no event tells it
        await asyncio.sleep(0.005)
    return child.returncode


def _signal_group(pgid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pgid, number)


def _gone(pid: int) -> bool:
    """Whether the child has exited; it is not reaped, so its number stays taken."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


async def _exit_hint(pid: int) -> None:
    """Come back when the child exits (Linux), or after a short while."""
    if not hasattr(os, "pidfd_open"):
        await asyncio.sleep(0.02)
        return
    loop, hint = asyncio.get_running_loop(), asyncio.Event()
    number = os.pidfd_open(pid)
    loop.add_reader(number, hint.set)
    try:
        await hint.wait()
    finally:
        loop.remove_reader(number)
        os.close(number)


__all__ = ["MARK", "Ended", "Limits", "Ran", "Started", "end_leftovers", "run"]
