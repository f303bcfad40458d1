"""A real session bus (Debian's dbus-daemon) with a notification service of our own on it, for the real `notify-send`.

    python -m tests.agents.desktop OUT ok|hang|refuse     the service: appends each `Notify` to the file OUT

Skipped where `notify-send`, `dbus-daemon` or jeepney is missing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NOTIFY_SEND = "/usr/bin/notify-send"


def serve(out: Path, answer: str) -> None:
    """Answer `org.freedesktop.Notifications` until killed."""
    from jeepney import MessageType, new_error, new_method_return
    from jeepney.bus_messages import message_bus
    from jeepney.io.blocking import Proxy, open_dbus_connection

    connection = open_dbus_connection(bus=os.environ["DBUS_SESSION_BUS_ADDRESS"])
    Proxy(message_bus, connection).RequestName("org.freedesktop.Notifications")
    print("ready", flush=True)
    number = 0
    while True:
        message = connection.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        member = message.header.fields.get(3)
        if member == "Notify":
            name, _, _, title, body, *_ = message.body
            with out.open("a") as file:
                file.write(json.dumps({"app": name, "title": title, "body": body}) + "\n")
            if answer == "hang":
                continue
            if answer == "refuse":
                connection.send(new_error(message, "org.example.No", "s", ("no",)))
                continue
            number += 1
            connection.send(new_method_return(message, "u", (number,)))
        elif member == "GetServerInformation":
            connection.send(new_method_return(message, "ssss", ("test", "test", "1", "1.2")))
        elif member == "GetCapabilities":
            connection.send(new_method_return(message, "as", (["body", "body-markup"],)))


class Desktop:
    """A session with a desktop; `environment` names its bus."""

    def __init__(self, address: str, out: Path) -> None:
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": address, "PATH": os.environ["PATH"]}
        self._out = out

    def shown(self) -> list[dict[str, Any]]:
        """What was shown, in order."""
        return [json.loads(line) for line in self._out.read_text().splitlines()] if self._out.exists() else []


@contextmanager
def session(folder: Path, answer: str = "ok") -> Iterator[Desktop]:
    """A bus, with the service unless `answer` is `nobody`."""
    if not os.access(NOTIFY_SEND, os.X_OK) or shutil.which("dbus-daemon") is None:
        pytest.skip("needs Debian's libnotify-bin and dbus-daemon")
    pytest.importorskip("jeepney")
    configuration = folder / "bus.conf"
    configuration.write_text(
        '<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" '
        '"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>'
        f"<listen>unix:path={folder}/bus</listen>"
        '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>'
        '<allow own="*"/></policy></busconfig>'
    )
    words = ["dbus-daemon", f"--config-file={configuration}", "--print-address", "--nofork", "--nopidfile"]
    bus = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    service = None
    try:
        assert bus.stdout is not None
        address = bus.stdout.readline().strip()
        desktop = Desktop(address, folder / "shown.jsonl")
        if answer != "nobody":
            command = [sys.executable, "-m", "tests.agents.desktop", str(folder / "shown.jsonl"), answer]
            service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | desktop.environment)
            assert service.stdout is not None
            assert service.stdout.readline() == "ready\n"
        yield desktop
    finally:
        for process in (service, bus):
            if process is not None:
                process.kill()
                process.communicate()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
