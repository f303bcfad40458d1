"""3I: storage and host. Disks, modes, owners, schedulers and exit codes of real processes on a real file system."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cases.receiver.stage import YES, Stage, seconds
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow


@contextlib.contextmanager
def busy(stage: Stage, for_seconds: float) -> Iterator[None]:
    """Another process' transaction on the ledger, ended after some seconds."""
    held = sqlite3.connect(stage.folder / "state" / "ledger.db", isolation_level=None, check_same_thread=False)
    held.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(for_seconds, lambda: held.execute("ROLLBACK"))
    timer.start()
    try:
        yield
    finally:
        timer.join()
        held.close()


@case("R089", "busy_timeout set; write txns start IMMEDIATE")
def test_r089_a_busy_ledger_is_waited_for(stage: Stage) -> None:
    """A foreign transaction of some seconds delays the cycle and ends nothing."""
    stage.on()
    stage.peer_says("Can we meet?")
    with busy(stage, 2.5):
        began = time.monotonic()
        stage.on()
        assert seconds(began) > 2

    assert (stage.texts(), len(stage.calls())) == ([YES], 1)


@case("R089", "SQLITE_BUSY_SNAPSHOT fails at once [run] → restart txn")
def test_r089_many_at_once(stage: Stage) -> None:
    """While a receiver works, owners' commands write beside it and old readers stand: none fails, the file is whole."""
    stage.on()
    reader = sqlite3.connect(stage.folder / "state" / "ledger.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM cycle").fetchone()
    with stage.serving():
        stage.peer_says("Can we meet?")
        words = [("pause", "memory/desk/EXT"), ("resume", "memory/desk/EXT")] * 3
        beside = [stage.start(*each) for each in words]
        ends = [each.communicate(timeout=60) for each in beside]
        assert until(lambda: stage.texts() == [YES])
    assert [each.returncode for each in beside] == [0] * 6, ends
    reader.execute("ROLLBACK")
    assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    reader.close()


@case("R090", "SQLITE_FULL (use `PRAGMA max_page_count`) before spend → no model call")
def test_r090_no_room_before_the_spend(stage: Stage) -> None:
    """Not a byte more can be written when the message comes: nobody is asked, the fix is said, it goes on with room."""
    stage.on()
    stage.peer_says("Can we meet?")
    done = stage.at("full=leased")

    assert (done.code, done.error) == (3, "ledger_broken"), done.printed
    assert "room" in done.answer["error"]["fix"]
    assert (stage.calls(), stage.texts()) == ([], [])
    assert until(lambda: bool(stage.once()) and stage.texts() == [YES])


@case("R090", "after the reply → `uncertain`, stop")
def test_r090_no_room_after_the_reply(stage: Stage) -> None:
    """The reply left and cannot be noted: the receiver stops with `sending`, and asks the hub when there is room."""
    stage.on()
    stage.peer_says("Can we meet?")
    done = stage.at("full=posted")

    assert (done.code, done.error) == (3, "ledger_broken"), done.printed
    assert stage.status()["replies"] == {"sending": 1}
    assert until(lambda: bool(stage.once()) and not stage.unacked())
    assert (stage.texts(), len(stage.calls())) == ([YES], 1)


def _middle(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[:8192] + b"\xa5" * 8192 + raw[16384:])


@case("R091", "`quick_check` at start; NOTADB/CORRUPT → blocker, never recreate")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"not a database" * 1_000),
        _middle,
        lambda path: os.truncate(path, 5_000),
    ],
    ids=["no database", "garbage in the middle", "cut off"],
)
def test_r091_a_spoilt_ledger(stage: Stage, spoil: Callable[[Path], object]) -> None:
    """Neither `once` nor `doctor` takes it for good, and its bytes stay as they are."""
    stage.on()
    ledger = stage.folder / "state" / "ledger.db"
    assert not ledger.with_name("ledger.db-wal").exists()
    spoil(ledger)
    left = ledger.read_bytes()
    stage.peer_says("Can we meet?")
    done = stage.ran("once")

    assert (done.code, done.error, stage.calls()) == (3, "ledger_broken", [])
    assert done.answer["error"]["fix"]
    assert stage.doctor()["ledger"]["state"] == "blocker"
    assert ledger.read_bytes() == left


@case("R092", "created 0600 under umask 077; 0644 config → doctor blocker")
def test_r092_private_from_the_first_byte(stage: Stage) -> None:
    """Under a careless umask a watcher never sees a file or folder of the state that others may open."""
    seen: set[tuple[str, int]] = set()
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            with contextlib.suppress(OSError):  # what is looked into may be gone
                for path in [
                    *stage.folder.glob("state"),
                    *stage.folder.glob("state/**/*"),
                    *stage.folder.glob("*water*"),
                ]:
                    seen.add((path.name, stat.S_IMODE(path.lstat().st_mode)))

    watching = threading.Thread(target=watch)
    watching.start()
    before = os.umask(0)
    try:
        stage.peer_says("Can we meet?")
        stage.on()
        stage.ran("probe")
    finally:
        os.umask(before)
        over.set()
        watching.join()

    assert {name for name, _ in seen} >= {"state", "ledger.db", "journal.key", "dragoman.high-water.json"}
    assert {(name, oct(mode)) for name, mode in seen if mode & 0o077} == set()
    stage.config.chmod(0o644)
    done = stage.ran("doctor")
    assert (done.code, [each["code"] for each in done.answer["blockers"]]) == (3, ["config_not_private"])


def _symlinked(stage: Stage) -> None:
    real = stage.folder / "real.json"
    stage.config.rename(real)
    stage.config.symlink_to(real)


def _state_symlinked(stage: Stage) -> None:
    (stage.folder / "state").rename(stage.folder / "real")
    (stage.folder / "state").symlink_to("real")


def _of_another(path: str) -> Callable[[Stage], None]:
    def give(stage: Stage) -> None:
        if os.geteuid():
            pytest.skip("only root can give a file away")
        os.chown(stage.folder / path, 65534, 65534)

    return give


OPEN: dict[str, Callable[[Stage], object]] = {
    "config for the group": lambda s: s.config.chmod(0o620),
    "config for all": lambda s: s.config.chmod(0o602),
    "folder for all": lambda s: s.folder.chmod(0o707),
    "state for the group": lambda s: (s.folder / "state").chmod(0o770),
    "ledger for all": lambda s: (s.folder / "state" / "ledger.db").chmod(0o606),
    "key for the group": lambda s: (s.folder / "us.key").chmod(0o640),
    "config a symlink": _symlinked,
    "state a symlink": _state_symlinked,
    "config of another": _of_another("dragoman.json"),
    "ledger of another": _of_another("state/ledger.db"),
    "state of another": _of_another("state"),
}


@case("R093", "refuse to run; check each parent; O_NOFOLLOW + fstat same fd")
@pytest.mark.parametrize("how", OPEN)
def test_r093_what_others_may_write(stage: Stage, how: str) -> None:
    """It is refused with a code and a fix, nobody is asked, nothing is sent."""
    stage.on()
    stage.peer_says("Can we meet?")
    OPEN[how](stage)
    done = stage.ran("once")

    assert done.code in (2, 3), done.printed
    assert done.error in ("config_not_private", "config_unreadable", "ledger_broken", "key_invalid")
    assert done.answer["error"]["fix"]
    assert (stage.calls(), stage.road.of(r"messages$")) == ([], [])


@case("R093", "refuse to run; check each parent")
def test_r093_a_parent_that_all_may_write(stage: Stage) -> None:
    """Whoever may rename a folder above the configuration may put another one there."""
    above = stage.folder.parent / "above"
    above.mkdir(mode=0o700)
    stage.folder.rename(above / "stage")
    stage.folder = above / "stage"
    stage.config = stage.folder / "dragoman.json"
    stage.write(handler={"command": ["/bin/true"]}, notifier=None)
    stage.on()
    above.chmod(0o777)
    done = stage.ran("once")

    assert (done.code, done.error) == (3, "config_not_private"), done.printed
    assert str(above) in done.answer["error"]["where"]
    above.chmod(0o1777)
    stage.on()


@case("R095", "doctor: linger state, `WantedBy=default.target`; readiness not claimed")
def test_r095_a_user_service(stage: Stage) -> None:
    """`doctor` says what it knows of lingering and of the unit; the printed unit hangs on the user's default target;
    nothing claims a receiver in the background that was not seen."""
    stage.on()
    checks = stage.ran("doctor").answer["checks"]
    found = {check.get("finding", "") for check in checks}
    unit = stage.command("schedule", "print", "systemd", json=False)
    level = stage.status()["readiness"]["level"]

    assert found & {"linger_on", "linger_off", "linger_unknown"}
    assert found & {"unit_enabled", "unit_disabled", "unit_absent", "unit_unknown"}
    assert "background_unseen" in found
    assert "WantedBy=default.target" in unit.stdout.splitlines()
    assert "linger" in unit.stderr
    assert level not in ("attended", "autonomous_reported")


@case("R096", 'report "login session only"')
def test_r096_a_launch_agent(stage: Stage) -> None:
    """What launchd would do is said with its bound, beside the text that is printed."""
    done = stage.command("schedule", "print", "launchd", json=False)

    assert done.returncode == 0
    assert "login session only" in (done.stdout + done.stderr).lower()


@case("R097", "`run` exit codes: 0 only on asked stop; config error uses a code that should not restart")
def test_r097_exit_codes(stage: Stage) -> None:
    """Asked to stop: 0. A configuration that cannot be used: 2, which the printed unit does not restart."""
    codes = {}
    for name, number in (("SIGTERM", signal.SIGTERM), ("SIGINT", signal.SIGINT), ("SIGKILL", signal.SIGKILL)):
        process = stage.running()
        process.send_signal(number)
        process.communicate(timeout=60)
        codes[name] = process.returncode
    unit = stage.command("schedule", "print", "systemd", json=False).stdout
    agent = stage.command("schedule", "print", "launchd", json=False).stdout
    stage.config.write_text("{")
    codes["config"] = stage.ran("run").code

    assert codes == {"SIGTERM": 0, "SIGINT": 0, "SIGKILL": -9, "config": 2}
    (never,) = (line for line in unit.splitlines() if line.startswith("RestartPreventExitStatus="))
    assert "2" in never.partition("=")[2].split()
    assert "<key>SuccessfulExit</key>\n<false/>" in agent.replace("\t", "").replace("  ", "").replace(" <", "<")


@case("R100", "cycle counter must advance")
def test_r100_a_frozen_receiver_is_seen(stage: Stage) -> None:
    """The counter moves while it works and stands when it is frozen; after minutes nothing is claimed of it."""
    with stage.serving() as process:
        first = stage.status()["background"]["last_cycle"]["seq"]
        stage.peer_says("Can we meet?")
        assert until(lambda: stage.status()["background"]["last_cycle"]["seq"] > first)
        process.send_signal(signal.SIGSTOP)
        stands = stage.status()["background"]["last_cycle"]["seq"]
        time.sleep(1)
        later = stage.at("ahead=400", "status").answer
        process.send_signal(signal.SIGCONT)

    assert later["background"]["last_cycle"]["seq"] == stands
    assert later["background"]["observed"] is False
    assert later["readiness"]["level"] in ("none", "configured")
