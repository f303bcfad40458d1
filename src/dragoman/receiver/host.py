"""Will this machine keep the receiver going without anybody logged in? What its files and its service manager say.

1. Nothing is started, installed or changed; `systemctl` is asked one question that only reads, for three seconds.
2. An answer is yes, no or unknown. A missing tool, another user's manager or a time-out is unknown, never a no, and
   never a yes.
3. Only the unit that `dragoman schedule print` names for this configuration is looked for; one of another name is not
   seen, and `absent` says no more than that.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from dragoman.receiver.schedule import Scheduler, name_of

LINGER: Final = Path("/var/lib/systemd/linger")
_ASK_SECONDS: Final = 3


class Answer(StrEnum):
    """A plain answer about the host."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Unit(StrEnum):
    """What is known of this configuration's unit."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    ABSENT = "absent"
    UNKNOWN = "unknown"


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the schedulers of this machine. `agent` is a LaunchAgent of this user, on macOS only."""

    system: str
    systemd: bool
    cron: bool
    started_by_systemd: bool
    linger: Answer
    unit: Unit
    unit_name: str
    agent: bool = False


def host(
    config: Path,
    *,
    system: str = sys.platform,
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
    linger: Path = LINGER,
    ask: bool = True,
) -> Host:
    """Look at this machine; the arguments say where, for machines that are not this one. Without `ask` the service
    manager is left alone: what its files do not say is unknown."""
    environment = os.environ if environment is None else environment
    home = Path.home() if home is None else home
    systemctl = shutil.which("systemctl", path=environment.get("PATH"))
    found = [f"{name_of(config)}{ending}" for ending in (".timer", ".service")]
    name = next((each for each in found if (_units(home) / each).exists()), found[-1])
    return Host(
        system=system,
        systemd=systemctl is not None,
        cron=shutil.which("crontab", path=environment.get("PATH")) is not None,
        started_by_systemd="INVOCATION_ID" in environment,
        linger=_linger(linger),
        unit=_unit(home, name, systemctl if ask else None, environment),
        unit_name=name,
        agent=(home / "Library/LaunchAgents" / f"{name_of(config, Scheduler.LAUNCHD)}.plist").exists(),
    )


def _linger(folder: Path) -> Answer:
    """Whether this user's services run without a log-in, as systemd keeps it: one file per user."""
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
        if not folder.parent.is_dir():
            return Answer.UNKNOWN
        return Answer.YES if (folder / user).exists() else Answer.NO
    except (KeyError, OSError):
        return Answer.UNKNOWN


def _units(home: Path) -> Path:
    return home / ".config/systemd/user"


def _unit(home: Path, name: str, systemctl: str | None, environment: Mapping[str, str]) -> Unit:
    """The files first: they hold whatever the manager says when nobody is logged in. Then the manager."""
    folder = _units(home)
    if any(os.path.lexists(folder / f"{wants}.wants" / name) for wants in ("default.target", "timers.target")):
        return Unit.ENABLED if (folder / name).exists() else Unit.UNKNOWN
    if systemctl is None:
        return Unit.DISABLED if (folder / name).exists() else Unit.UNKNOWN
    words = _asked(systemctl, name, environment)
    if words in ("enabled", "disabled"):
        return Unit(words)
    if (folder / name).exists():
        return Unit.DISABLED
    return Unit.ABSENT if words == "not-found" else Unit.UNKNOWN


def _asked(systemctl: str, name: str, environment: Mapping[str, str]) -> str:
    """What `is-enabled` says; empty when it does not answer."""
    try:
        done = subprocess.run(
            [systemctl, "--user", "is-enabled", name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ASK_SECONDS,
            check=False,
            env={**environment, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return "not-found" if "No such file" in done.stderr else done.stdout.strip()
