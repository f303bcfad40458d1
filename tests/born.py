"""Our commands as real processes that begin at once: one process has imported everything, and forks.

`Popen` and `run` are `subprocess`'s own; only how the child comes to be differs, and only for `[sys.executable, "-m",
module, *words]`: a process of its own with its own pid, environment, folder, umask and descriptors, killed, waited for
and read from like any other. It is spared the reading of libraries, which takes half a second each time.

Not for tests of what a fresh interpreter does (import times, `-W`, `-c`), or of what stands in `/proc/PID/cmdline`.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
import time
from typing import Any

_ASK = threading.Lock()
_STEP = 0.002
_LIMIT = 1024 * 1024


class _Midwife:
    """The process that forks, one for each process of tests; it ends with us."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, theirs):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                end.setsockopt(socket.SOL_SOCKET, option, _LIMIT)
        command = [sys.executable, "-m", "tests.born_here", str(theirs.fileno())]
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        self._end = ours
        atexit.register(self.end)

    def end(self) -> None:
        """Let it go; what it has begun goes on."""
        self._end.close()
        self.process.wait()

    def ask(self, question: dict[str, Any], descriptors: list[int] | None = None) -> int:
        """One question, one number."""
        with _ASK:
            socket.send_fds(self._end, [json.dumps(question).encode()], descriptors or [])
            return int(json.loads(self._end.recv(_LIMIT))["answer"])


_midwives: dict[int, _Midwife] = {}


def _midwife() -> _Midwife:
    """Ours; a forked process of tests gets one of its own."""
    found = _midwives.get(os.getpid())
    if found is None or found.process.poll() is not None:
        found = _midwives[os.getpid()] = _Midwife()
    return found


class Popen(subprocess.Popen[Any]):
    """`subprocess.Popen`, whose child of ours is forked."""

    _of: _Midwife | None = None

    def _execute_child(self, args: Any, *rest: Any) -> None:  # CPython's own hook; the same arguments since 3.9
        _, _, close_fds, pass_fds, cwd, env, _, _, shell = rest[:9]
        ours = list(args)[:2] == [sys.executable, "-m"] and close_fds and not pass_fds and not shell
        if not ours:
            super()._execute_child(args, *rest)  # type: ignore[misc]
            return
        p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite = rest[9:15]
        given = {number: each for number, each in enumerate((p2cread, c2pwrite, errwrite)) if each != -1}
        question = {
            "module": args[2],
            "words": [os.fsdecode(word) for word in args[3:]],
            "cwd": os.getcwd() if cwd is None else os.fsdecode(cwd),
            "environment": dict(os.environ if env is None else env),
            "umask": _umask(),
            "session": bool(rest[20] if len(rest) > 20 else False),
            "streams": list(given),
        }
        self._of = _midwife()
        self.pid = self._of.ask(question, list(given.values()))
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """As `os.waitpid`, which only the parent may call."""
        if self._of is None:
            found: tuple[int, int] = super()._try_wait(wait_flags)  # type: ignore[misc]
            return found
        while True:
            status = self._of.ask({"wait": self.pid})
            if status >= 0:
                return self.pid, status
            if wait_flags & os.WNOHANG:
                return 0, 0
            time.sleep(_STEP)

    def _internal_poll(self, _deadstate: int | None = None, *_: Any) -> int | None:
        if self._of is None:
            known: int | None = super()._internal_poll(_deadstate)  # type: ignore[misc]
            return known
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid == self.pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def run(
    args: list[str],
    *,
    input: Any = None,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool,
    **more: Any,
) -> subprocess.CompletedProcess[Any]:
    """`subprocess.run`, whose child of ours is forked."""
    if input is not None:
        more["stdin"] = subprocess.PIPE
    if capture_output:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Popen(args, **more) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def _umask() -> int:
    before = os.umask(0o022)
    os.umask(before)
    return before
