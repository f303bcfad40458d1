"""Starts receivers and hubs as real processes within milliseconds: one process has imported everything and forks.

Each child is a process of its own session that can be killed like any other; it serves exactly as the command does,
with one difference: it kills itself (SIGKILL) when it has passed a named arrow a given number of times.

Requests are JSON lines on standard input, answers JSON lines on standard output:
`{"start": "hub"|"receiver", "arguments": {...}, "die": "point" or "verb:point" or null, "times": 1, "log": path}` →
`{"pid": N}`; `{"wait": pid}` → `{"status": N}` (negative: the signal that ended it).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from dragoman import wire
from dragoman.clock import SECOND, SystemClock
from dragoman.hub import postgres, serve  # noqa: F401  imported before the fork, on purpose
from dragoman.hub.store import StorePoint
from dragoman.receiver import cycle, wiring  # noqa: F401  as above
from dragoman.words import LifePoint
from tests.crash.planted import receiver


def main() -> None:
    """Serve requests until standard input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {"pid": _born(asked)} if "start" in asked else {"status": _ended(asked["wait"])}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _born(asked: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        dies = _Dies(asked["die"], asked.get("times", 1))
        {"hub": _hub, "receiver": receiver}[asked["start"]](dies, **asked["arguments"])
        code = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(code)


def _ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class _Dies:
    """A checkpoint of either kind."""

    def __init__(self, point: str | None, times: int) -> None:
        self._point = point
        self._left = times

    def life(self, point: LifePoint) -> None:
        """An arrow of a message's life."""
        self._pass(str(point))

    def store(self, point: StorePoint, name: str) -> None:
        """An arrow of a transaction."""
        verb = next((verb for verb, ending in VERBS.items() if ending in name), "other")
        self._pass(f"{verb}:{point}")

    def _pass(self, point: str) -> None:
        if point == self._point:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


VERBS = {"send": "_send_all", "take": "_take_all", "ack": "_ack_all", "renew": "Leases.renew", "enter": "log_in"}


def _hub(dies: _Dies, db: str, port: int, lease_seconds: int, ready: str) -> None:
    def told(address: str) -> None:
        Path(ready).write_text(address)

    limits = wire.Limits(lease_ms=lease_seconds * SECOND, replies_per_contact_hour=None, replies_per_role_day=None)
    serve.serve(
        db,
        serve.Listen(port=port),
        SystemClock(),
        limits,
        checkpoint=dies.store,
        ready=told,
    )


if __name__ == "__main__":
    main()
