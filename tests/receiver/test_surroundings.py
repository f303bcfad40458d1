"""What happens when the owner's file, the disk or the clock changes under a receiver; evidence and courtesies."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

from dragoman.errors import DragomanError
from dragoman.ledger.cycles import Cycle
from dragoman.receiver.background import background
from dragoman.receiver.config import load_config
from dragoman.receiver.courtesy import only_courtesies
from dragoman.receiver.wiring import opened
from tests.receiver.world import Shifted, World, until


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [
        {"owner_instruction": "You may also agree on prices."},
        {"autonomy__max_turns_per_contact": 99},
        {"colour": "blue"},
    ],
    ids=["instruction", "wider", "unusable file"],
)
def test_a_change_while_the_handler_thinks_stops_the_send(world: World, changed: dict[str, object]) -> None:
    """The scope is read again before the send: a reply made under the old text does not leave."""
    world.answers("Yes, we can meet.", sleep=2)
    world.peer_says("Can we meet?")
    process = world.running()
    assert until(lambda: len(world.calls()) == 1)
    world.write(**changed)
    if "colour" not in changed:
        assert until(lambda: world.stands()["autonomy"][0]["stop_reason"] == "grant_changed")
    else:
        assert not until(lambda: bool(world.texts()), 4)
    process.terminate()
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0, out + err
    assert world.texts() == []


@pytest.mark.slow
def test_a_full_disk_before_the_charge_calls_no_model(world: World) -> None:
    """What cannot be written down does not happen: no handler call, no word, the message stays."""
    world.peer_says("Can we meet?")

    async def work() -> None:
        async with opened(
            load_config(world.config), clock=Shifted(0), started_by="once", stop=asyncio.Event()
        ) as receiver:
            ledger = receiver.books.ledger
            ledger.limit_pages(ledger.page_count())
            await receiver.cycles[0].once(0)

    with pytest.raises(DragomanError) as error:
        asyncio.run(work())

    assert (error.value.code, error.value.detail) == ("ledger_broken", "SQLITE_FULL")
    assert world.calls() == []
    assert world.texts() == []
    assert until(lambda: world.cycle() == [] and world.texts() == ["Yes, we can meet."])


@pytest.mark.slow
def test_a_clock_set_back_opens_no_second_budget(world: World) -> None:
    """The day never goes back: yesterday is not reopened, today is not zero."""
    world.write(autonomy__max_dispatches_per_day=1)
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    world.cycle(shift=-24 * 3_600_000)

    assert len(world.calls()) == 1


@pytest.mark.slow
def test_the_daily_cap_counts_over_all_contacts(world: World) -> None:
    """A ring of agents that passes every pairwise cap stops at the daily one."""
    world.write(autonomy__max_dispatches_per_day=2, autonomy__accept_inbound=True)
    for text in ("Can we meet?", "Shall we walk?", "Do you sing?"):
        world.peer_says(text, world.peer_opens())
    world.cycle()

    assert len(world.calls()) == 2
    assert world.stands()["messages"] == {"deferred": 1, "done": 2}
    assert [told["milestone"] for told in world.told()] == ["limit_hit"]


def cycle(seq: int, at: int, *, ok: bool = True, boot: str = "b1") -> Cycle:
    """One cycle that began at second `at`."""
    return Cycle(seq, at * 1000, at * 1000 + 500, ok, boot, "once")


@pytest.mark.parametrize(
    ("cycles", "observed"),
    [
        ([], False),
        ([cycle(1, 0)], False),
        ([cycle(2, 30), cycle(1, 0)], True),
        ([cycle(2, 24), cycle(1, 0)], False),
        ([cycle(2, 25), cycle(1, 0)], True),
        ([cycle(2, 120), cycle(1, 0)], True),
        ([cycle(2, 121), cycle(1, 0)], False),
        ([cycle(2, 30, ok=False), cycle(1, 0)], False),
        ([cycle(2, 30, boot="b2"), cycle(1, 0)], False),
        ([cycle(3, 60, boot="b2"), cycle(2, 30), cycle(1, 0)], False),
        ([cycle(3, 90, boot="b2"), cycle(2, 60, boot="b2"), cycle(1, 0)], True),
    ],
)
def test_background_evidence(cycles: list[Cycle], observed: bool) -> None:
    """Two successive successful cycles of this boot, 25 to 120 seconds apart, start to start."""
    assert background(cycles, 130_000)["observed"] is observed


def test_background_evidence_ages() -> None:
    """What was seen more than five minutes ago is no evidence."""
    assert background([cycle(2, 30), cycle(1, 0)], 331_000)["observed"] is False


def talk(*texts: str) -> list[tuple[str, str]]:
    """An alternating talk that the peer began."""
    return [("peer" if number % 2 == 0 else "agent", text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (talk("Thanks!", "Thank you!", "Great!", "Thanks!", "OK", "Thank you!"), True),
        (talk("谢谢", "收到", "好的", "谢谢", "收到", "好的"), True),
        (talk(*["We look forward to the meeting.", "So do we, very much."] * 3), True),
        (talk("Thanks!", "Thank you!", "Which day?", "Tuesday.", "OK", "Thank you!"), False),
        (talk("Thanks!", "Thank you!"), False),
        ([("peer", "Thanks!")] * 6, False),
        (talk("Which day?", "Tuesday.", "Which room?", "The red one.", "Which floor?", "The second."), False),
    ],
)
def test_courtesies(texts: list[tuple[str, str]], found: bool) -> None:
    """Three alternating exchanges in which nothing is said; one thanks, or one side's repetition, is none."""
    assert only_courtesies(texts) is found


def test_a_probe_says_nothing_of_a_handler_changed_since(world: World) -> None:
    """`doctor` takes a passed probe for the commands that it ran; after a change it asks for a new one."""

    def probed() -> tuple[str, str]:
        checks = json.loads(world.command("doctor").stdout)["checks"]
        return next((check["state"], check.get("fix", "")) for check in checks if check["name"] == "probe")

    world.answers(action="completed", owner_summary="Ready.")
    done = world.command("probe")
    assert done.returncode == 0, done.stdout
    assert probed()[0] == "ok"
    for part, path in (("handler", world.handler), ("notifier", world.notifier)):
        path.write_text(path.read_text() + "\n# edited\n")
        assert probed() == ("not_checked", "run `dragoman probe`"), part
        world.command("probe")
        assert probed()[0] == "ok"


def test_a_probe_says_in_words_that_the_notifier_worked(world: World) -> None:
    """What was tried is named, the notifier too."""
    world.answers(action="completed", owner_summary="Ready.")
    words = [sys.executable, "-m", "dragoman.cli.main", "probe", "--config", str(world.config)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)

    assert "notifier: it confirmed a notification" in done.stdout.splitlines()
