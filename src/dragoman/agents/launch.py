"""The first program of every handler process: puts the limits on itself, then becomes the command.

Started by `agents.process` as `python -I -S launch.py SPEC` with a control socket inherited; imports only the standard
library and nothing of the house, so that a start costs some twenty milliseconds.

1. Asks the kernel to be killed when the daemon dies (Linux; the command keeps the wish across `exec`).
2. Waits for one byte: the daemon has written down which process group this is. End of file instead means that the
   daemon is gone: nothing is started.
3. Sets the limits (file size, core, open files, CPU seconds), never above what is allowed already. Memory is not
   bounded (many runtimes reserve far more than they use); instead the kernel is asked to end it first when memory is
   short (Linux), so that a greedy command does not cost the daemon its life.
4. Replaces itself by the command with exactly the environment that it was given. A failure goes back as an errno.

`preexec_fn` could do the same but is unsafe in a process that has threads.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys

_LIMITS = {
    "file_bytes": resource.RLIMIT_FSIZE,
    "core_bytes": resource.RLIMIT_CORE,
    "open_files": resource.RLIMIT_NOFILE,
    "cpu_s": resource.RLIMIT_CPU,
}


def main() -> None:
    """Read the spec, wait for the word to go, limit, exec."""
    spec = json.loads(sys.argv[1])
    control = socket.socket(fileno=spec["control"])
    control.set_inheritable(False)
    _die_with_parent()
    if control.recv(1) != b"g":
        os._exit(70)
    try:
        for name, number in _LIMITS.items():
            _limit(number, spec["limits"][name])
        _first_to_go()
        environment = {name: value for name, value in os.environ.items() if name in spec["names"]}
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execve(spec["argv"][0], spec["argv"], environment)  # noqa: S606 - no shell is the point
    except OSError as error:
        control.sendall(str(error.errno or 1).encode())
        os._exit(71)


def _limit(number: int, wanted: int) -> None:
    _, hard = resource.getrlimit(number)
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(number, (value, value))


def _first_to_go() -> None:
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass  # another system, or a closed /proc


def _die_with_parent() -> None:
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        pass  # the recorded run id is the second net


if __name__ == "__main__":
    main()
