"""Will this machine keep it going? Reports R095 (user services end at log-out) and R096 (a log-in session only)."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from dragoman.clock import SECOND
from dragoman.ledger.cycles import Cycle
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.store import create
from dragoman.receiver.books import Books
from dragoman.receiver.findings import Check
from dragoman.receiver.host import Answer, Host, Unit, host
from dragoman.receiver.hub_checks import https, older
from dragoman.receiver.lasting import crowded, schedulers, seen
from dragoman.receiver.level import Evidence, Level, level
from dragoman.receiver.schedule import Scheduler, name_of

CONFIG = Path("/home/kim/desk/dragoman.toml")
ME = pwd.getpwuid(os.geteuid()).pw_name
NOW = 1_790_000_000_000


class Machine:
    """A made-up machine: a home, a folder of lingering users, a PATH with a `systemctl` that answers as told."""

    def __init__(self, folder: Path) -> None:
        self.home, self.linger, self.path = folder / "home", folder / "systemd" / "linger", folder / "bin"
        for each in (self.home, self.linger.parent, self.path):
            each.mkdir(parents=True)

    def systemctl(self, says: str, *, err: str = "", code: int = 0) -> None:
        """What the service manager answers."""
        tool = self.path / "systemctl"
        tool.write_text(f"#!/bin/sh\necho '{says}'\necho '{err}' >&2\nexit {code}\n")
        tool.chmod(0o755)

    def unit(self, ending: str = "service", *, wanted_by: str = "") -> None:
        """A unit of this configuration in the user's folder, enabled when something wants it."""
        units = self.home / ".config/systemd/user"
        units.mkdir(parents=True, exist_ok=True)
        file = units / f"{name_of(CONFIG)}.{ending}"
        file.write_text("[Unit]\n")
        if wanted_by:
            (units / f"{wanted_by}.wants").mkdir()
            (units / f"{wanted_by}.wants" / file.name).symlink_to(file)

    def look(self, system: str = "linux", **environment: str) -> Host:
        """What is found there."""
        variables = {"PATH": str(self.path), **environment}
        return host(CONFIG, system=system, environment=variables, home=self.home, linger=self.linger)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Nothing on it yet."""
    return Machine(tmp_path)


def test_lingering(machine: Machine, tmp_path: Path) -> None:
    """R095: one file per user; without systemd's own folder nothing is known."""
    assert Answer.NO is machine.look().linger
    machine.linger.mkdir()
    (machine.linger / ME).touch()
    assert Answer.YES is machine.look().linger
    nowhere = host(CONFIG, environment={"PATH": ""}, home=tmp_path, linger=tmp_path / "none" / "linger")
    assert Answer.UNKNOWN is nowhere.linger


@pytest.mark.parametrize(
    ("says", "err", "unit", "wanted_by", "expected"),
    [
        (None, "", "", "", Unit.UNKNOWN),
        (None, "", "service", "", Unit.DISABLED),
        (None, "", "service", "default.target", Unit.ENABLED),
        (None, "", "timer", "timers.target", Unit.ENABLED),
        ("enabled", "", "", "", Unit.ENABLED),
        ("disabled", "", "service", "", Unit.DISABLED),
        ("", "Failed to get unit file state: No such file or directory", "", "", Unit.ABSENT),
        ("", "Failed to connect to bus: No medium found", "", "", Unit.UNKNOWN),
        ("", "Failed to connect to bus: No medium found", "service", "default.target", Unit.ENABLED),
        ("gibberish", "", "", "", Unit.UNKNOWN),
    ],
)
def test_the_unit(machine: Machine, says: str | None, err: str, unit: str, wanted_by: str, expected: Unit) -> None:
    """Files first, then the manager; a missing or silent `systemctl` is unknown, never a no."""
    if says is not None:
        machine.systemctl(says, err=err, code=1 if err else 0)
    if unit:
        machine.unit(unit, wanted_by=wanted_by)

    assert expected is machine.look().unit


def test_a_manager_that_hangs_is_unknown(machine: Machine) -> None:
    """It is waited for three seconds."""
    tool = machine.path / "systemctl"
    tool.write_text("#!/bin/sh\nexec /bin/sleep 30\n")
    tool.chmod(0o755)

    assert Unit.UNKNOWN is machine.look().unit


def test_the_manager_is_left_alone_when_nobody_asks(machine: Machine) -> None:
    """`status` looks at files only; what these do not say is unknown."""
    machine.systemctl("enabled")
    found = host(CONFIG, environment={"PATH": str(machine.path)}, home=machine.home, linger=machine.linger, ask=False)

    assert (Unit.UNKNOWN, True) == (found.unit, found.systemd)


def told(checks: list[Check]) -> list[tuple[str, str]]:
    """State and finding of each check."""
    return [(check.state, check.finding) for check in checks]


def test_what_doctor_says_of_linux(machine: Machine) -> None:
    """R095: lingering off and no unit are notes with their fixes, never `ok`."""
    machine.systemctl("", err="No such file or directory", code=1)
    found = schedulers(machine.look())

    assert [("note", "host"), ("note", "linger_off"), ("note", "unit_absent")] == told(found)
    assert ["", "run `loginctl enable-linger` once", "see `dragoman schedule print systemd`"] == [
        each.fix for each in found
    ]


def test_what_doctor_says_of_a_mac(machine: Machine) -> None:
    """R096: a LaunchAgent is "login session only"; nothing is said of Linux's schedulers."""
    assert [] == schedulers(machine.look("darwin"))
    agents = machine.home / "Library/LaunchAgents"
    agents.mkdir(parents=True)
    (agents / f"{name_of(CONFIG, Scheduler.LAUNCHD)}.plist").touch()
    (found,) = schedulers(machine.look("darwin"))

    assert ("note", "login_session_only") == (found.state, found.finding)
    assert found.detail.startswith("login session only")


def cycles(books: Books, started_by: str, *starts: int) -> None:
    """Successful cycles so many seconds before now."""
    for ago in starts:
        seq = books.cycles.start(NOW - ago * SECOND, "boot-1", started_by)
        books.cycles.end(seq, NOW - ago * SECOND + 1, ok=True)


@pytest.fixture
def books(tmp_path: Path) -> Books:
    """An empty ledger."""
    tmp_path.chmod(0o700)
    return Books(create(tmp_path / "state"), HighWater(tmp_path / "marks.json"))


@pytest.mark.parametrize(
    ("started_by", "linger", "expected"),
    [
        ("once", False, ("ok", "background_seen")),
        ("once (systemd)", False, ("ok", "background_seen")),
        ("once (systemd user)", True, ("ok", "background_seen")),
        ("once (systemd user)", False, ("note", "background_ends")),
    ],
)
def test_background_that_ends_at_log_out_is_not_claimed(
    machine: Machine, books: Books, started_by: str, linger: bool, expected: tuple[str, str]
) -> None:
    """R095: cycles of a user's own service without lingering are told as what they are."""
    if linger:
        machine.linger.mkdir()
        (machine.linger / ME).touch()
    cycles(books, started_by, 60, 30)
    try:
        assert [expected] == told(seen(books, machine.look(), NOW))
    finally:
        books.close()


def cycle(seq: int, ago: int, by: str = "once") -> Cycle:
    """One cycle, so many seconds ago."""
    return Cycle(seq, NOW - ago * SECOND, NOW - ago * SECOND + 1, True, "boot-1", by)


@pytest.mark.parametrize(
    ("agos", "expected"),
    [((5, 15, 25, 35), True), ((5, 35, 65, 95), False), ((5, 15), False), ((200, 210, 220, 230), False)],
)
def test_two_schedulers_at_once(agos: tuple[int, ...], expected: bool) -> None:
    """Gaps that no one scheduler of ours makes; a receiver that lasts may take its own pace."""
    assert expected is crowded([cycle(100 - number, ago) for number, ago in enumerate(agos)], NOW)
    assert not crowded([cycle(100 - number, ago, "run") for number, ago in enumerate(agos)], NOW)


ALL = {"poll": True, "notification": True, "background": True, "handler": True, "scope": True, "reply_authority": True}


@pytest.mark.parametrize(
    ("lacks", "expected"),
    [
        ((), Level.AUTONOMOUS),
        (("background",), Level.ATTENDED),
        (("handler", "scope"), Level.ATTENDED),
        (("reply_authority",), Level.ATTENDED),
        (("notification",), Level.REACHABLE),
        (("poll",), Level.CONFIGURED),
        (tuple(ALL), Level.CONFIGURED),
    ],
)
def test_levels_need_everything_below(lacks: tuple[str, ...], expected: Level) -> None:
    """The first thing that lacks ends the climb; every lack is told."""
    reached, blockers = level(Evidence(**ALL | dict.fromkeys(lacks, False)))

    assert (expected, set(lacks)) == (reached, set(blockers))


@pytest.mark.parametrize(
    ("version", "minimum", "expected"),
    [("0.1.0", "0.1.0", False), ("0.1.0", "0.2", True), ("1.10.0", "1.9.0", False), ("0.1.0", "soon", True)],
)
def test_a_release_that_is_too_old(version: str, minimum: str, expected: bool) -> None:
    """By its numbers; a minimum that cannot be read is met by nobody."""
    assert expected is older(version, minimum)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://hub.example", ("ok", "hub_https")),
        ("http://127.0.0.1:8080", ("ok", "hub_loopback")),
        ("http://[::1]:8080", ("ok", "hub_loopback")),
        ("http://hub.example", ("blocker", "hub_plain")),
        ("http://127.0.0.1.evil.example", ("blocker", "hub_plain")),
    ],
)
def test_https(url: str, expected: tuple[str, str]) -> None:
    """Or this machine alone."""
    assert [expected] == told([https(url)])
