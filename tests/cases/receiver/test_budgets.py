"""3G: budgets and time. What was spent is what the handler wrote down, and what the status says afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.cases.receiver.stage import YES, Stage
from tests.cases.reports import case

pytestmark = pytest.mark.slow
DAY = 86_400


def left_today() -> int:
    """Seconds until the next UTC day, with the receiver's clock."""
    return DAY - int(subprocess.check_output(["date", "+%s"])) % DAY


@case("R070", "`BEGIN IMMEDIATE` conditional UPDATE; 16 processes, 1 slot left → exactly 1")
def test_r070_sixteen_for_one(stage: Stage) -> None:
    """Sixteen processes that wait for the same moment charge one ledger with one slot left."""
    stage.write_grant("grant-7f3a", max_turns_per_contact=2)
    stage.peer_says("Can we meet?")
    stage.on()
    go = stage.folder / "go"
    words = [sys.executable, "-m", "tests.cases.receiver.charge", str(stage.config), str(go)]
    racing = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) for _ in range(16)]
    for each in racing:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    go.touch()
    paid = [each.communicate(timeout=60)[0].strip() for each in racing]

    assert sorted(paid) == ["False"] * 15 + ["True"]
    assert stage.task()["turns_used"] == 2
    stage.peer_says("And where?")
    stage.on()
    assert (len(stage.calls()), stage.task()["stop_reason"]) == (1, "turn_limit")


@case("R073", 'counter row keyed by UTC day, not "reset job"')
def test_r073_the_day_turns_by_itself(stage: Stage) -> None:
    """At the cap a message rests; the first cycle of the next UTC day takes it up, and nothing ran in between."""
    stage.write_grant("grant-7f3a", max_dispatches_per_day=1)
    stage.peer_says("Can we meet?")
    stage.on()
    stage.peer_says("And where?")
    stage.on()
    assert (len(stage.calls()), stage.task()["stop_reason"]) == (1, "daily_limit")
    stage.on(left_today() + 5)

    assert (len(stage.calls()), len(stage.texts())) == (2, 2)
    (task,) = stage.at(f"ahead={left_today() + 5}", "status").answer["autonomy"]
    assert (task["dispatches_today"], task["turns_used"]) == (1, 2)


@case("R074", "use max(day seen, now); going back does not reopen yesterday or zero today")
def test_r074_back_over_midnight(stage: Stage) -> None:
    """Tomorrow is used up under a clock that is ahead; back today, and forth again, nothing is left of either."""
    stage.write_grant("grant-7f3a", max_dispatches_per_day=1)
    stage.peer_says("Can we meet?")
    stage.on()
    tomorrow = left_today() + 5
    stage.peer_says("And where?")
    stage.on(tomorrow)
    assert len(stage.calls()) == 2
    stage.peer_says("And when?")
    for ahead in (0, -DAY, tomorrow + 60, 0):
        stage.on(ahead)

    assert (len(stage.calls()), len(stage.texts())) == (2, 2)
    assert stage.at("-", "status").answer["autonomy"][0]["dispatches_today"] == 1


def _ledger_gone(stage: Stage) -> None:
    for path in (stage.folder / "state").glob("ledger.db*"):
        path.unlink()


def _state_gone(stage: Stage) -> None:
    shutil.rmtree(stage.folder / "state")


def _older_copy(stage: Stage) -> None:
    shutil.rmtree(stage.folder / "state")
    shutil.copytree(stage.folder / "older", stage.folder / "state")


@case("R076", "missing DB while config/side file says a grant was used → stop, blocker, no new counts")
@pytest.mark.parametrize("wipe", [_ledger_gone, _state_gone, _older_copy])
def test_r076_a_wiped_ledger_refunds_nothing(stage: Stage, wipe: Callable[[Stage], None]) -> None:
    """`once` stops, `doctor` has a blocker with its fix, and no new ledger has been begun."""
    stage.on()
    shutil.copytree(stage.folder / "state", stage.folder / "older")
    stage.peer_says("Can we meet?")
    stage.on()
    marks = (stage.folder / "dragoman.high-water.json").read_text()
    wipe(stage)
    stage.peer_says("And where?")
    done = stage.ran("once")
    found = stage.doctor()["ledger"]

    assert (done.code, done.error) == (3, "ledger_missing")
    assert (found["state"], found["code"], bool(found["fix"])) == ("blocker", "ledger_missing", True)
    assert (stage.folder / "dragoman.high-water.json").read_text() == marks
    assert len(stage.calls()) == 1
    assert (stage.folder / "state" / "ledger.db").exists() is (wipe is _older_copy)


@case("R077", "50 waiting messages: capped per cycle, caps still hold")
def test_r077_after_an_outage(own_stage: Callable[..., Stage]) -> None:
    """Of 60 messages in 12 contacts one cycle takes what one fetch gives, at most four handlers at once, and no more
    turns than the day has."""
    stage = own_stage("--lease-seconds", "60")
    peers = [stage.another(f"peer{number}") for number in range(12)]
    contacts = [stage.opens(peer) for peer in peers]
    stage.write_grant("grant-7f3a", contact_ids=contacts, max_dispatches_per_day=7)
    for number in range(5):
        for peer, contact in zip(peers, contacts, strict=True):
            stage.says(peer, contact, f"Question {number}?")
    stage.answers(YES, sleep=0.3)
    first = stage.ran("once")
    stage.on()
    stage.on()

    assert (first.code, first.answer.get("fetched")) == (0, 50), first.printed
    assert first.answer["sent"] <= 7
    assert len(stage.calls()) == 7
    spans = [(call["at"], end["at"]) for call, end in zip(stage.calls(), stage.ends(), strict=True)]
    assert max(sum(began <= moment < ended for began, ended in spans) for moment, _ in spans) <= 4
    found = stage.status()
    assert sum(found["messages"].values()) == 60
    assert "daily_limit" in {task["stop_reason"] for task in found["autonomy"]}
    assert [told["milestone"] for told in stage.told()] == ["limit_hit"]
