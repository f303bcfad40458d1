"""What is left of a run after it ended, and how it is ended too (Linux).

Every process of a run carries its mark in the environment, also one that left the process group. The mark proves whose
a process is, and it is asked through a pidfd: a number that was given to somebody else is never hit. One that wiped its
environment is not found. Elsewhere than on Linux nothing is found.
"""

from __future__ import annotations

import os
import select
import signal
from typing import Final

MARK: Final = "DRAGOMAN_RUN"
_DEATH_S: Final = 1.0


def end_leftovers(run_id: str) -> int:
    """Kill every process of ours that carries the mark of `run_id` (Linux) and see it die; how many were found.

    The mark proves whose they are, so a process number that was given to somebody else is never hit.
    """
    mark = f"{MARK}={run_id}".encode()
    found: set[int] = set()
    for _ in range(5):  # one that forks while we look is found in the next round
        again = {pid for pid in _own_processes() if _kill_marked(pid, mark)}
        if again <= found:
            break
        found |= again
    return len(found)


def _own_processes() -> list[int]:
    try:
        names = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    return [pid for pid in names if pid != os.getpid()]


def _kill_marked(pid: int, mark: bytes) -> bool:
    """KILL `pid` if its environment holds the mark; asked through a pidfd, so that the number cannot change hands."""
    try:
        number = os.pidfd_open(pid)
    except (OSError, AttributeError):
        return False
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            if mark not in file.read(1024 * 1024).split(b"\0"):
                return False
        if select.select([number], [], [], 0)[0]:
            return False
        signal.pidfd_send_signal(number, signal.SIGKILL)
        select.select([number], [], [], _DEATH_S)
    except OSError:
        return False
    finally:
        os.close(number)
    return True
