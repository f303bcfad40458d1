"""`kill -9` at every arrow of a message's life, then a restart: nothing lost, nothing sent twice, no second model call
for a saved decision, at most the charged turn used (spec 2 §2)."""

from __future__ import annotations

import itertools

import pytest

from dragoman.clock import SECOND
from dragoman.words import LifePoint
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow

# What each kill costs: handler runs in all, and turns charged in all.
COST = {
    LifePoint.LEASED: (1, 1),
    LifePoint.DEDUPED: (1, 1),
    LifePoint.ADMITTED: (1, 1),
    LifePoint.CHARGED: (1, 2),
    LifePoint.HANDLED: (2, 2),
    LifePoint.SAVED: (1, 1),
    LifePoint.RECHECKED: (1, 1),
    LifePoint.RELEASED: (1, 1),
    LifePoint.SENDING: (1, 1),
    LifePoint.POSTED: (1, 1),
    LifePoint.SENT: (1, 1),
    LifePoint.ACKED: (1, 1),
}


def test_the_table_knows_every_arrow() -> None:
    """No arrow is left out."""
    assert set(COST) == set(LifePoint)


@pytest.mark.parametrize("point", list(LifePoint), ids=str)
def test_killed_at(world: World, point: LifePoint) -> None:
    """One message, one kill, restarts until it is settled."""
    world.peer_says("Can we meet this week?")
    killed = world.command(str(point), "once", entry="tests.crash.receiver_at")
    assert killed.returncode == -9, killed.stdout + killed.stderr

    def settled() -> bool:
        world.cycle(shift=6 * SECOND)  # the wait of a failed turn is over
        return world.texts() == ["Yes, we can meet."] and not world.unacked()

    world.once()
    assert until(settled, 30)

    runs, turns = COST[point]
    status = world.status()
    assert world.texts() == ["Yes, we can meet."]
    assert len(world.calls()) == runs
    assert status["autonomy"][0]["turns_used"] == turns
    assert status["messages"] == {"done": 1}
    assert status["replies"] == {"sent": 1}
    books = world.books()
    assert books.journal.verify().seq > 0
    books.close()


def test_three_crashes_in_the_handler_park_the_message(world: World) -> None:
    """Each attempt is charged; after the third the text is kept, the owner is told once, and nothing is lost."""
    world.peer_says("Can we meet this week?")
    ahead = itertools.count(0, 40)  # each start under a clock at which the last one's wait is over

    def killed_again() -> bool:
        return world.command(f"handled+{next(ahead)}", "once", entry="tests.crash.receiver_at").returncode == -9

    for _ in range(3):
        assert until(killed_again, 45), world.status()
    for _ in range(2):
        world.cycle(shift=next(ahead) * SECOND)

    status = world.status()
    assert len(world.calls()) == 3
    assert status["autonomy"][0]["turns_used"] == 3
    assert status["messages"] == {"kept": 1}
    assert [each["messages"][0]["text"] for each in status["waiting_owner"]] == ["Can we meet this week?"]
    assert [each["milestone"] for each in world.told()] == ["decision_needed"]
    assert not world.unacked()


def test_sigterm_while_sending_ends_well(world: World) -> None:
    """Asked to stop in the middle of a send: the send is finished or left provable, and the exit code is 0."""
    world.peer_says("Can we meet this week?")
    process = world.start("SIGTERM:sending", "run", entry="tests.crash.receiver_at")
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0, out + err
    world.once()
    assert world.texts() == ["Yes, we can meet."]
    assert len(world.calls()) == 1
