"""A machine at its worst: full, read-only, restored, with a wrong clock, stopped in the middle.

Whatever happens ends in a coded error with its fix, no handler is called that is not written down, and what was waiting
is answered afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.clock import HOUR, SystemClock
from dragoman.errors import DragomanError
from dragoman.ledger.highwater import HighWater
from tests.hub_process import HubProcess
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow


def _log_of_a_ledger_that_is_gone(world: World) -> None:
    state = world.folder / "state"
    books = world.books()
    books.seen.pause(None, SystemClock().now())
    shutil.copy(state / "ledger.db-wal", state / "kept")
    books.close()
    (state / "ledger.db").unlink()
    (state / "kept").rename(state / "ledger.db-wal")
    (world.folder / "dragoman.high-water.json").unlink()  # as in attended mode: nothing was ever spent


def _middle(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[:8192] + b"\xa5" * 8192 + raw[16384:])


STATES: list[tuple[str, Callable[[World], Any], str]] = [
    ("cut off", lambda w: os.truncate(w.folder / "state/ledger.db", 5_000), "ledger_broken"),
    ("emptied", lambda w: os.truncate(w.folder / "state/ledger.db", 0), "ledger_broken"),
    ("garbage", lambda w: (w.folder / "state/ledger.db").write_bytes(b"\xa5" * 20_000), "ledger_broken"),
    ("garbage in the middle", lambda w: _middle(w.folder / "state/ledger.db"), "ledger_broken"),
    ("another key", lambda w: os.truncate(w.folder / "state/journal.key", 5), "ledger_broken"),
    ("no key", lambda w: (w.folder / "state/journal.key").unlink(), "ledger_broken"),
    ("a broken side file", lambda w: (w.folder / "dragoman.high-water.json").write_text("{"), "ledger_broken"),
    ("deleted", lambda w: shutil.rmtree(w.folder / "state"), "ledger_missing"),
    ("a log without its ledger", _log_of_a_ledger_that_is_gone, "ledger_missing"),
]


@pytest.mark.parametrize(("spoil", "code"), [row[1:] for row in STATES], ids=[row[0] for row in STATES])
def test_a_spoilt_state(world: World, spoil: Callable[[World], Any], code: str) -> None:
    """A blocker with its fix, never a fresh start; the handler is not called."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    spoil(world)

    with pytest.raises(DragomanError) as found:
        world.cycle()
    assert (code, 1) == (found.value.code, len(world.calls()))
    assert found.value.fix


@pytest.mark.parametrize("blocks", [8, 24])
def test_no_room_for_the_ledger(world: World, blocks: int) -> None:
    """Where not a byte more can be written nobody is asked, and what to do is said; with room it goes on."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    words = [sys.executable, "-m", "dragoman.cli.main", "once", "--config", str(world.config), "--json"]
    done = subprocess.run(
        ["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "limited", *words], capture_output=True, text=True, check=False
    )
    error = json.loads(done.stdout)["error"]

    assert (3, "ledger_broken") == (done.returncode, error["code"])
    assert "room" in error["fix"]
    assert world.cycle() == []
    assert len(world.texts()) == len(world.calls()) == 2


def test_no_room_for_the_side_file(tmp_path: Path) -> None:
    """The marks that guard the budget cannot be written: an error with a code, before the handler is asked."""
    (tmp_path / "marks.json.new").mkdir()  # in the way of the replacement, for root as well
    with pytest.raises(DragomanError) as found:
        HighWater(tmp_path / "marks.json").raise_to("here", "grant-1", {"autonomy|day": 1})

    assert ("ledger_broken", True) == (found.value.code, bool(found.value.fix))


def test_a_failed_turn_does_not_wait_for_a_clock_that_was_set_back(world: World) -> None:
    """The turn failed while the clock was five hours ahead; with the right time it is tried again at once."""
    world.answers("", exit=1)
    world.peer_says("Can we meet?")
    world.cycle(shift=5 * HOUR)
    world.answers("Yes, we can meet.")
    world.cycle()
    world.cycle()

    assert world.texts() == ["Yes, we can meet."]


def test_a_pause_under_a_wrong_clock_does_not_hide_the_message(world: World) -> None:
    """Given back "for a minute" by a clock that is three hours ahead: the hub offers it after a minute of its own, and
    the next start answers it without waiting for that."""
    world.cycle()
    assert world.command("pause").returncode == 0
    world.peer_says("Can we meet?")
    world.cycle(shift=3 * HOUR)
    assert world.command("resume").returncode == 0
    (waits,) = _hub_rows(world, "SELECT not_before - created_at FROM message")
    world.cycle(shift=-HOUR)

    assert world.texts() == ["Yes, we can meet."]
    assert 0 < waits[0] <= 2 * 60_000


def _hub_rows(world: World, query: str) -> list[tuple[int, ...]]:
    with sqlite3.connect(f"file:{world.folder.parent / 'hub.db'}?mode=ro", uri=True) as hub:
        found = hub.execute(query).fetchall()
    hub.close()
    return found


def test_once_stops_when_it_is_told_to(world: World) -> None:
    """SIGTERM during a long turn of `once`: it ends within its grace, nothing is acked, the turn goes on later."""
    world.answers("Yes, we can meet.", sleep=40)
    world.peer_says("Can we meet?")
    process = world.start("once")
    assert until(lambda: len(world.calls()) == 1)
    began = time.monotonic()
    process.terminate()
    out, err = process.communicate(timeout=60)

    assert ({"stopped": "once"}, 0) == (json.loads(out), process.returncode), err
    assert time.monotonic() - began < 12
    assert world.unacked()
    world.answers("Yes, we can meet.")
    assert until(lambda: world.cycle(shift=6_000) == [] and world.texts() == ["Yes, we can meet."], 30)


def test_what_a_killed_run_left_in_the_work_folder_is_removed(world: World) -> None:
    """Old working folders go at the next start; a young one may belong to a probe and stays."""
    world.cycle()
    work = world.folder / "state" / "work"
    for name, age in (("run-old", 86_400), ("run-young", 0)):
        (work / name).mkdir()
        (work / name / "left").write_text("x")
        os.utime(work / name, (time.time() - age, time.time() - age))
    world.cycle()

    assert [path.name for path in work.iterdir()] == ["run-young"]


def test_a_stopped_receiver_wakes_after_another_took_over(world: World, hub: HubProcess) -> None:
    """SIGSTOP in the middle of a turn, longer than the lease; meanwhile another instance takes over and answers. What
    wakes changes nothing and says why it ends."""
    world.answers("The late answer.", sleep=3)
    world.peer_says("Can we meet?")
    process = world.running()
    assert until(lambda: len(world.calls()) == 1)
    process.send_signal(19)
    key = world.folder / "us.key"
    other = json.loads(key.read_text()) | {"instance_id": f"ins_{9:032x}"}
    (world.folder / "other.key").write_text(json.dumps(other))
    (world.folder / "other.key").chmod(0o600)
    subprocess.run(
        [
            *(sys.executable, "-m", "dragoman.cli.main", "hub", "login", "--url", world.url, "--takeover"),
            *("--key", str(world.folder / "other.key")),
        ],
        check=True,
        capture_output=True,
    )
    time.sleep(2.5)
    process.send_signal(18)
    out, err = process.communicate(timeout=60)

    assert (3, "generation_changed") == (process.returncode, json.loads(out.splitlines()[-1])["error"]["code"]), err
    assert world.texts() == []
    assert world.unacked()
