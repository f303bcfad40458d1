"""What makes a machine run the receiver: the text that its scheduler wants, printed and never installed (spec 2 §2).

1. A plan is fixed words: the program, the mode, the configuration's absolute path. Each scheduler has its own way to
   quote them; what it cannot carry safely is refused (`input_invalid`), never left to luck.
2. `run` is one lasting process that is started again when it fails, but not when its configuration is wrong (exit 2) or
   when it was asked to stop (exit 0). `once` is one cycle every 30 seconds, every 60 where a scheduler knows no less.
3. Private from the start (umask 0077), no second copy beside a running one, no rights gained, no secret in any line.
4. A name is made of the configuration's path, so that `doctor` finds the unit again and two roles never share one.

Nothing here reads or writes a file.
"""

from __future__ import annotations

import hashlib
import plistlib
import re
import shlex
import subprocess
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import msgspec

from dragoman.errors import DragomanError, Exit

EVERY_SECONDS: Final = 30
_LEAST_STOP: Final = 90
_LEAST_ONCE: Final = 900


class Scheduler(StrEnum):
    """What can be printed for."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    CRON = "cron"
    WINDOWS = "windows"


class Mode(StrEnum):
    """Which of both commands is scheduled; one of them only."""

    RUN = "run"
    ONCE = "once"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run. `program` is the absolute command with its fixed words, `handler_seconds` its longest turn."""

    program: tuple[str, ...]
    config: Path
    mode: Mode
    handler_seconds: int = 120
    wsl: str = ""
    """The Linux distribution on a Windows machine; empty for its default one."""

    @property
    def words(self) -> tuple[str, ...]:
        """The whole command."""
        return (*self.program, str(self.mode), "--config", str(self.config))


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """One file's text, where it belongs, and how an owner installs and removes it. Commands keep the state folder."""

    place: str
    text: str
    install: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


def printed(scheduler: Scheduler, plan: Plan) -> tuple[Printed, ...]:
    """The files for one scheduler, in the order in which they are put in place.

    Raises:
        DragomanError: `input_invalid` when a path holds what this scheduler cannot carry.
    """
    for word in plan.words:
        if not word.isprintable():
            raise _cannot(word, "a control character")
    return _PRINTERS[scheduler](plan)


def name_of(config: Path, scheduler: Scheduler = Scheduler.SYSTEMD) -> str:
    """The name of this configuration's job: readable by its folder, unique by its path."""
    readable = re.sub(r"[^a-z0-9]+", "-", config.parent.name.lower()).strip("-")[:24] or "receiver"
    mark = hashlib.sha256(str(config).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{'dragoman.' if scheduler is Scheduler.LAUNCHD else 'dragoman-'}{readable}-{mark}"


# --- systemd ---------------------------------------------------------------------------------------------------------


def _systemd(plan: Plan) -> tuple[Printed, ...]:
    name, folder = name_of(plan.config), "~/.config/systemd/user"
    command, *words = plan.words
    for mark in "\"'\\":
        if mark in command:
            raise _cannot(command, f"`{mark}` in the path of a program")
    # of the program's own path systemd replaces `%` and nothing else; of the words behind it `$` too
    command = " ".join([f'"{_systemd_specifiers(command)}"', *map(_systemd_word, words)])
    lasting = plan.mode is Mode.RUN
    service = [
        *("[Unit]", f"Description=Dragoman receiver, {_systemd_specifiers(str(plan.config))}"),
        # `run` may fail for hours while the network is away; it must be tried again and never be given up
        *(("StartLimitIntervalSec=0",) if lasting else ()),
        *("", "[Service]", f"Type={'exec' if lasting else 'oneshot'}", f"ExecStart={command}"),
    ]
    if lasting:
        service += ["Restart=on-failure", "RestartSec=30", f"RestartPreventExitStatus={int(Exit.BAD_INPUT)}"]
    else:
        service += [f"TimeoutStartSec={max(_LEAST_ONCE, 4 * plan.handler_seconds)}"]
    # the receiver alone is asked to stop; its handler may finish, and is killed with it only after the grace
    service += [f"TimeoutStopSec={max(_LEAST_STOP, plan.handler_seconds + 30)}", "KillMode=mixed"]
    service += ["UMask=0077", "NoNewPrivileges=yes"]
    service += ["", "[Install]", "WantedBy=default.target"] if lasting else []
    files = [Printed(place=f"{folder}/{name}.service", text=_lines(service))]
    if not lasting:
        files.append(Printed(place=f"{folder}/{name}.timer", text=_lines(_timer(plan))))
    first = f"{name}.service" if lasting else f"{name}.timer"
    install = ("systemctl --user daemon-reload", f"systemctl --user enable --now {first}", "loginctl enable-linger")
    remove = (f"systemctl --user disable --now {first}", *(f"rm {each.place}" for each in files))
    files[-1] = msgspec.structs.replace(files[-1], install=install, remove=remove)
    return tuple(files)


def _timer(plan: Plan) -> list[str]:
    return [
        *("[Unit]", f"Description=Dragoman receiver every {EVERY_SECONDS} s, {_systemd_specifiers(str(plan.config))}"),
        # the first trigger; a lone OnUnitActiveSec never fires. AccuracySec is a minute unless said otherwise
        *("", "[Timer]", "OnActiveSec=1s", f"OnUnitActiveSec={EVERY_SECONDS}s", "AccuracySec=1s"),
        *("", "[Install]", "WantedBy=timers.target"),
    ]


def _systemd_word(word: str) -> str:
    """One word of ExecStart: in quotes, with what systemd itself would replace written twice."""
    quoted = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_systemd_specifiers(quoted)}"'


def _systemd_specifiers(text: str) -> str:
    return text.replace("%", "%%")


# --- launchd ---------------------------------------------------------------------------------------------------------


def _launchd(plan: Plan) -> tuple[Printed, ...]:
    name = name_of(plan.config, Scheduler.LAUNCHD)
    job: dict[str, object] = {
        "Label": name,
        "ProgramArguments": list(plan.words),
        "RunAtLoad": True,
        "Umask": 0o077,
        "ExitTimeOut": max(_LEAST_STOP, plan.handler_seconds + 30),
    }
    if plan.mode is Mode.RUN:
        # "not successful": an asked stop (exit 0) ends it; a wrong configuration is tried once a minute, not at once
        job |= {"KeepAlive": {"SuccessfulExit": False}, "ThrottleInterval": 60}
    else:
        job |= {"StartInterval": EVERY_SECONDS}
    place = f"~/Library/LaunchAgents/{name}.plist"
    return (
        Printed(
            place=place,
            text=plistlib.dumps(job).decode(),
            install=(f"launchctl bootstrap gui/$(id -u) {place}",),
            remove=(f"launchctl bootout gui/$(id -u)/{name}", f"rm {place}"),
        ),
    )


# --- cron ------------------------------------------------------------------------------------------------------------


def _cron(plan: Plan) -> tuple[Printed, ...]:
    for word in plan.words:
        if "\\" in word:
            raise _cannot(word, "a backslash")
    when = "@reboot" if plan.mode is Mode.RUN else "* * * * *"
    # standard error is mailed to the owner by cron; `%` would end the command there
    command = f"umask 077; exec {shlex.join(plan.words)} >/dev/null".replace("%", "\\%")
    return (Printed(place="crontab -e", text=f"{when} {command}\n", install=("crontab -e",), remove=("crontab -e",)),)


# --- windows ---------------------------------------------------------------------------------------------------------

_TASK: Final = """\
<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>{description}</Description></RegistrationInfo>
  <Triggers>
    <LogonTrigger>
{repetition}      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
    <ExecutionTimeLimit>{limit}</ExecutionTimeLimit>
{restart}  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>wsl.exe</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
_EVERY_MINUTE: Final = "      <Repetition>\n        <Interval>PT1M</Interval>\n      </Repetition>\n"
_RESTART: Final = (
    "    <RestartOnFailure>\n      <Interval>PT1M</Interval>\n      <Count>255</Count>\n    </RestartOnFailure>\n"
)


def _windows(plan: Plan) -> tuple[Printed, ...]:
    """The receiver is a Linux program there (WSL). ASCII only, so that no tool can read it in a wrong encoding."""
    where = ("-d", plan.wsl) if plan.wsl else ()
    arguments = subprocess.list2cmdline([*where, "--exec", *plan.words])
    if arguments.count("%") > 1:
        raise _cannot(str(plan.config), "two `%`, between which Windows would look for a variable")
    if "$(" in arguments:
        raise _cannot(str(plan.config), "`$(`, which Windows would replace")
    lasting = plan.mode is Mode.RUN
    text = _TASK.format(
        description=_xml(f"Dragoman receiver, {plan.config}"),
        repetition="" if lasting else _EVERY_MINUTE,
        limit="PT0S" if lasting else "PT1H",
        restart=_RESTART if lasting else "",
        arguments=_xml(arguments),
    )
    name = name_of(plan.config)
    register = f"Register-ScheduledTask -TaskName {name} -Xml (Get-Content -Raw {name}.xml)"
    return (
        Printed(
            place=f"{name}.xml",
            text=text,
            install=(register,),
            remove=(f"Unregister-ScheduledTask -TaskName {name} -Confirm:$false",),
        ),
    )


def _xml(text: str) -> str:
    return escape(text).encode("ascii", "xmlcharrefreplace").decode()


# ---------------------------------------------------------------------------------------------------------------------

_PRINTERS: Final[dict[Scheduler, Callable[[Plan], tuple[Printed, ...]]]] = {
    Scheduler.SYSTEMD: _systemd,
    Scheduler.LAUNCHD: _launchd,
    Scheduler.CRON: _cron,
    Scheduler.WINDOWS: _windows,
}


def _lines(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _cannot(path: str, what: str) -> DragomanError:
    return DragomanError(
        "input_invalid", f"this scheduler cannot carry {what}", where=path, fix="use a path without it"
    )
