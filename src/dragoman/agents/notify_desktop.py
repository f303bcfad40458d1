"""Tells the owner on this machine's desktop, through `notify-send` (spec 2 §2).

Order of one notification: is there a session bus that answers? → run `notify-send --print-id` → judge.

1. No bus to connect to, or the bus says that no notification service is there → `failed`.
2. Exit 0 and the number that the service gave the notification, alone on standard output → `delivered`: the desktop
   has taken it. Whether anybody looked is not known.
3. Anything else → `uncertain`.

Arguments of a process can be read by every user of the machine: the title and the fixed sentence of the event are all
that is shown, unless the operator set `details`. The body is markup for the desktop, so it is escaped twice: for the
program, which reads backslashes, and for the service.
"""

from __future__ import annotations

import asyncio
import hashlib
import html
import os
import re
import socket
from collections.abc import Mapping
from typing import Final

import msgspec

from dragoman.agents.notifier import Notification, Told, once
from dragoman.agents.notify_words import body, cut, first_line, title
from dragoman.agents.process import Ended
from dragoman.agents.program import Program
from dragoman.errors import DragomanError
from dragoman.words import Milestone, NotificationState

SESSION: Final = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY")
"""What the program may see besides the usual, to find the desktop."""
LENGTH: Final = 1_000
"""Characters of one body."""
_NUMBER: Final = re.compile(rb"[1-9][0-9]{0,9}\n?")
_NOBODY: Final = b"org.freedesktop.DBus.Error.ServiceUnknown"
"""The bus's own answer when no notification service is there; D-Bus names are not translated."""
_URGENCY: Final = {Milestone.DECISION_NEEDED: "critical", Milestone.LIMIT_HIT: "critical"}
"""What stays on the screen until it is closed; the rest is `normal`."""


class DesktopNotifier:
    """One desktop of this user.

    Args:
        program: `notify-send`, authorised, which may see what `SESSION` names.
        details: whether the handler's words are shown too.
        language: of title and hints.
        environment: where the session bus is named.
    """

    kind = "desktop"

    def __init__(
        self, program: Program, *, details: bool = False, language: str = "en", environment: Mapping[str, str]
    ) -> None:
        self._program = program
        self._details = details
        self._language = language
        self._bus = bus_of(environment)

    def fingerprint(self) -> str:
        """The program and whether details are shown."""
        facts = [self.kind, self._program.fingerprint(), self._details]
        return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()

    def ready(self) -> bool:
        """A desktop may always be told."""
        return True

    async def check(self) -> dict[str, str]:
        """Whether the session bus answers; nothing is shown.

        Raises:
            DragomanError: `not_ready`.
        """
        if (wrong := await asyncio.to_thread(silent, self._bus)) is not None:
            raise DragomanError(
                "not_ready",
                f"no session bus: {wrong}",
                where="notifier.desktop",
                fix="run it inside the desktop session, or as its user's service (`systemctl --user`)",
            )
        return {}

    async def notify(self, notification: Notification) -> Told:
        """Show it once."""
        if (wrong := await asyncio.to_thread(silent, self._bus)) is not None:
            return Told(NotificationState.FAILED, f"no_bus: {wrong}")
        ran = await once(self._program, b"", *self._arguments(notification))
        if isinstance(ran, Told):
            return ran
        words = ran.stderr.decode("utf-8", "replace")
        if ran.ended is not Ended.EXITED:
            return Told(NotificationState.UNCERTAIN, str(ran.ended), words, slow=ran.ended is Ended.TIMEOUT)
        if ran.exit_code != 0 and _NOBODY in ran.stderr:
            return Told(NotificationState.FAILED, "no_service", words)
        if ran.exit_code != 0:
            return Told(NotificationState.UNCERTAIN, f"exit_code: {ran.exit_code}", words)
        if not _NUMBER.fullmatch(ran.stdout):
            return Told(NotificationState.UNCERTAIN, "no_number", words)
        return Told(NotificationState.DELIVERED, evidence=f"desktop {ran.stdout.decode().strip()}")

    def _arguments(self, notification: Notification) -> tuple[str, ...]:
        text = body(notification, self._language) if self._details else first_line(notification)
        return (
            "--print-id",
            "--app-name=dragoman",
            f"--urgency={_URGENCY.get(notification.milestone, 'normal')}",
            "--",
            title(notification.milestone, self._language),
            as_markup(cut(text, LENGTH, self._language)),
        )


def as_markup(text: str) -> str:
    """`text` as a body that shows exactly itself."""
    return html.escape(text, quote=False).replace("\\", "\\\\")


def bus_of(environment: Mapping[str, str]) -> str:
    """The path of the session bus's socket (an abstract one begins with NUL), or empty when none is named."""
    for address in environment.get("DBUS_SESSION_BUS_ADDRESS", "").split(";"):
        kind, _, rest = address.partition(":")
        named = dict(each.partition("=")[::2] for each in rest.split(","))
        if kind == "unix" and "path" in named:
            return named["path"]
        if kind == "unix" and "abstract" in named:
            return "\0" + named["abstract"]
    folder = environment.get("XDG_RUNTIME_DIR", "")
    return os.path.join(folder, "bus") if folder else ""


def silent(bus: str) -> str | None:
    """Why nothing answers at the socket `bus`, or None when something does."""
    if not bus:
        return "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR names one"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(1)
            line.connect(bus)
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or type(error).__name__
    return None
