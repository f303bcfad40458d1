"""The process behind `born.py`: it has imported what our commands need, and forks one child for each question.

Questions are packets on the socket whose number is the argument: `{"module", "words", "cwd", "environment", "umask",
"session", "streams"}` with the descriptors of those streams → the child's pid; `{"wait": pid}` → its wait status, or -1
while it runs.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import random
import runpy
import signal
import socket
import sys
import threading
import traceback
from typing import Any

PREPARED = (
    "dragoman.cli.main",
    "dragoman.cli.receiver",
    "dragoman.cli.hub",
    "dragoman.cli.owner",
    "dragoman.cli.checks",
    "dragoman.cli.standing",
    "dragoman.receiver.wiring",
    "dragoman.receiver.doctor",
    "dragoman.receiver.chat_source",
    "dragoman.receiver.resolve",
    "dragoman.hub.serve",
    "dragoman.hub.sqlite",
    "dragoman.hub.postgres",
    "dragoman.channels.hub.client",
)
"""What is imported before the first child."""
_LIMIT = 1024 * 1024


def main() -> None:
    """Answer until the other end is closed."""
    for name in PREPARED:
        importlib.import_module(name)
    gc.freeze()
    end = socket.socket(fileno=int(sys.argv[1]))
    while True:
        raw, descriptors, _, _ = socket.recv_fds(end, _LIMIT, 3)
        if not raw:
            return
        asked = json.loads(raw)
        answer = _status(asked["wait"]) if "wait" in asked else _born(asked, descriptors, end)
        end.send(json.dumps({"answer": answer}).encode())


def _status(pid: int) -> int:
    found, status = os.waitpid(pid, os.WNOHANG)
    return status if found == pid else -1


def _born(asked: dict[str, Any], descriptors: list[int], end: socket.socket) -> int:
    pid = os.fork()
    if pid:
        for each in descriptors:
            os.close(each)
        return pid
    end.close()
    code = 1
    try:
        _settle(asked, descriptors)
        code = _run(asked["module"])
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _settle(asked: dict[str, Any], descriptors: list[int]) -> None:
    """Become the process that was asked for."""
    if asked["session"]:
        os.setsid()
    moved = [os.dup(each) for each in descriptors]
    for number, each in zip(asked["streams"], moved, strict=True):
        os.dup2(each, number)
    for each in (*descriptors, *moved):
        os.close(each)
    os.umask(asked["umask"])
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.argv = [asked["module"], *asked["words"]]
    random.seed()


def _run(module: str) -> int:
    sys.modules.pop(module, None)  # its file is run, as by an interpreter of its own
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        if ended.code is not None and not isinstance(ended.code, int):
            sys.stderr.write(f"{ended.code}\n")
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        code = 130
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    return code


if __name__ == "__main__":
    main()
