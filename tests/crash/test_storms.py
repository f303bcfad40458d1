"""Kills at moments that nobody chose, and outages in the middle of a life."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from tests.hub_process import HubProcess
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow

THINGS = ("lamps", "chairs", "carpets", "a stove", "the window", "paper", "bread", "umbrellas", "a violin", "sand")
ROUNDS = len(THINGS)


@pytest.mark.timeout(400)
def test_random_kills(world: World) -> None:
    """Every round a message, a receiver, and `kill -9` after a random moment; in the end each message was answered
    once, no reply twice, and the counters are those of the handler calls or higher, never lower."""
    chance = random.Random(20261130)  # the seed is fixed: a failure can be repeated
    world.write(autonomy__max_turns_per_contact=1000, autonomy__max_dispatches_per_day=1000)
    world.answers("We call that UNIQUE.")
    for number in range(ROUNDS):
        world.peer_says(f"And what about {THINGS[number]}?")
        process = world.running()
        time.sleep(chance.uniform(0, 0.5))
        process.kill()
        process.communicate()

    process = world.running()
    quiet = until(lambda: not world.unacked() and world.stands()["messages"].keys() <= {"done"}, 60)
    process.terminate()
    out, err = process.communicate(timeout=60)

    assert quiet, json.dumps(world.stands(), indent=1)
    assert process.returncode == 0, out + err
    stands = world.stands()
    asked = {message["text"] for call in world.calls() for message in call["messages"] if message["from"] == "peer"}
    ids = [reply_id for reply_id, _ in world.sent()]
    assert asked == {f"And what about {thing}?" for thing in THINGS}
    assert stands["messages"] == {"done": ROUNDS}
    assert len(ids) == len(set(ids)) == stands["replies"]["sent"]
    assert len(set(world.texts())) == len(world.texts()), "a text was sent twice"
    assert stands["autonomy"][0]["turns_used"] >= len(world.calls())
    books = world.books()
    assert books.journal.verify().seq > 0
    books.close()


def test_the_hub_dies_while_the_handler_thinks(world: World, hub: HubProcess) -> None:
    """The answer is made once and sent when the hub is back, under one id, without asking again."""
    world.answers("Yes, we can meet.", sleep=2)
    world.peer_says("Can we meet?")
    process = world.running()
    assert until(lambda: len(world.calls()) == 1)
    hub.kill()
    time.sleep(3)
    hub.start()
    assert until(lambda: world.texts() == ["Yes, we can meet."], 60)
    assert until(lambda: not world.unacked())
    process.terminate()
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0, out + err
    assert len(world.calls()) == 1
    assert world.stands()["autonomy"][0]["turns_used"] == 1


def test_a_long_turn_keeps_its_lease(world: World) -> None:
    """The handler takes three leases long: it runs once, its lease is renewed, one reply goes out."""
    world.answers("Yes, we can meet.", sleep=6)
    world.peer_says("Can we meet?")
    world.once()

    assert world.texts() == ["Yes, we can meet."]
    assert len(world.calls()) == 1
    assert not world.unacked()


def test_what_a_killed_receiver_left_running_is_ended(world: World) -> None:
    """Even a grandchild that left the process group is dead before the next receiver begins its work."""
    escape = "import os, subprocess\nchild = subprocess.Popen(['/bin/sleep', '120'], start_new_session=True)\n"
    note = "(pathlib.Path(__file__).parent / 'child').write_text(str(child.pid))\n"
    script = world.handler.read_text()
    world.handler.write_text(script.replace("asked =", escape + note + "asked ="))
    world.answers("Yes, we can meet.", sleep=60)
    world.peer_says("Can we meet?")
    process = world.running()
    assert until(lambda: len(world.calls()) == 1)
    process.kill()
    process.communicate()
    child = int((world.folder / "child").read_text())
    assert _alive(child)

    world.answers("Yes, we can meet.")
    world.once()
    assert not _alive(child)
    assert until(lambda: bool(world.once()) and world.texts() == ["Yes, we can meet."], 40)
    assert len(world.calls()) == 2


def test_what_was_sent_is_known_though_the_grant_has_ended_since(world: World) -> None:
    """Killed after the POST, then the owner changes the task: the reply is found at the hub, nothing is done twice."""
    world.peer_says("Can we meet?")
    assert world.command("posted", "once", entry="tests.crash.receiver_at").returncode == -9
    world.write(owner_instruction="Another task.", autonomy__grant_id="grant-2")
    assert until(lambda: world.cycle() == [] and not world.unacked())

    assert world.texts() == ["Yes, we can meet."]
    assert len(world.calls()) == 1
    assert world.stands()["replies"] == {"sent": 1}


@pytest.mark.parametrize("point", ["released", "sending", "posted", "sent"])
def test_an_approved_draft_survives_a_kill(world: World, point: str) -> None:
    """Killed while an approved draft goes out: it is sent once, under its saved id, and never again."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()
    (draft,) = world.stands()["drafts"]
    assert world.command("drafts", "approve", draft["id"]).returncode == 0
    assert world.command(point, "once", entry="tests.crash.receiver_at").returncode == -9

    assert until(lambda: world.cycle() == [] and world.texts() == ["Our price is 40 EUR per unit."])
    world.cycle()
    books = world.books()
    filed = books.approvals.find(draft["id"])
    books.close()
    assert world.texts() == ["Our price is 40 EUR per unit."]
    assert filed is not None
    assert filed.state == "delivered"
    assert world.stands()["messages"] == {"done": 1}


def _alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_notification_is_uncertain(world: World) -> None:
    """A receiver killed while the notifier runs: nobody knows, so nothing is resent; answering goes on."""
    world.notifier.write_text(
        world.notifier.read_text().replace("import json", "import time, json") + "time.sleep(60)\n"
    )
    world.answers(action="waiting_owner", owner_summary="Which day suits you?")
    world.peer_says("Which day?")
    process = world.running()
    assert until(lambda: len(world.told()) == 1)
    process.kill()
    process.communicate()
    world.cycle()
    world.cycle()

    assert len(world.told()) == 1
    assert [each["state"] for each in world.stands()["notifications"]] == ["uncertain"]
