"""A room of its own for Microsoft's emulator: a network namespace with a loopback only, and two sockets to look in by.

`python -m tests.channels.teams.bridge FOLDER EMULATOR_PORT BOT_PORT -- COMMAND...`, run by `unshare -n`: brings the
loopback up, starts the emulator, and carries `FOLDER/emulator.sock` to it and `127.0.0.1:BOT_PORT` to
`FOLDER/bot.sock`. The emulator listens on every address there is, which in here is nobody else's, and reaches nothing
but us.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Callable


def relay(listener: socket.socket, connect: Callable[[], socket.socket]) -> threading.Thread:
    """Carry every connection of `listener` to a new one of `connect`, until the listener is closed."""

    def accept() -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = connect()
            except OSError:
                near.close()
                continue
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=_carry, args=(source, sink), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    return thread


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
    for side in (source, sink):
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
    sink.close()


def shut(listener: socket.socket) -> None:
    """End a relay: its thread wakes and goes."""
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def to_port(port: int) -> Callable[[], socket.socket]:
    """Connects to a port of this machine."""
    return lambda: socket.create_connection(("127.0.0.1", port))


def to_socket(path: str) -> Callable[[], socket.socket]:
    """Connects to a socket in the file system."""

    def connect() -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        try:
            made.connect(path)
        except OSError:
            made.close()
            raise
        return made

    return connect


def at_socket(path: str) -> socket.socket:
    """Listens at a socket in the file system."""
    made = socket.socket(socket.AF_UNIX)
    made.bind(path)
    made.listen()
    return made


def main() -> None:
    """See the top of this file."""
    folder, emulator, bot = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    relay(at_socket(f"{folder}/emulator.sock"), to_port(emulator))
    relay(socket.create_server(("127.0.0.1", bot)), to_socket(f"{folder}/bot.sock"))
    child = subprocess.Popen(sys.argv[sys.argv.index("--") + 1 :], stdin=subprocess.DEVNULL)
    try:
        sys.stdin.read()  # until whoever started us is gone, or says so
    finally:
        child.kill()
        child.wait()


if __name__ == "__main__":
    main()
