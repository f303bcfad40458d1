"""Beyond the reports: a full disk at every arrow of a message's life, and two agents that only thank each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from dragoman.words import LifePoint
from tests.cases.receiver.stage import YES, Stage
from tests.receiver.world import until

pytestmark = pytest.mark.slow
LAST = (LifePoint.SENT, LifePoint.ACKED)
"""What is written after these only changes rows that are there: it may need no room."""


@pytest.mark.parametrize("point", list(LifePoint), ids=str)
def test_a_full_disk_at(stage: Stage, point: LifePoint) -> None:
    """From that arrow on nothing can be written: the receiver stops with its code or has nothing left to write, the
    handler has not been called more often than was charged, and with room the message is answered once."""
    stage.peer_says("Can we meet?")
    done = stage.at(f"full={point}")
    stopped = (done.code, done.error) == (3, "ledger_broken")
    assert stopped or (point in LAST and done.code == 0), done.printed
    assert len(stage.texts()) <= 1
    ahead = itertools.count(6, 6)  # the wait of an interrupted turn is over each time
    assert until(lambda: stage.at(f"ahead={next(ahead)}").code == 0 and not stage.unacked(), 30)

    found = stage.status()
    assert stage.texts() == [YES]
    assert found["messages"] == {"done": 1}
    assert found["replies"] == {"sent": 1}
    assert len(stage.calls()) <= found["autonomy"][0]["turns_used"] <= 2
    assert stage.ran("journal", "verify").code == 0


def test_two_polite_agents_end(stages: Callable[..., Stage]) -> None:
    """Two that thank for every thanks: soon one of the owners is asked, and no more is said; far under every budget."""
    one = stages()
    two = stages(peer=one.key)
    for each, words in ((one, "Thank you very much!"), (two, "Thanks a lot!")):
        each.answers(words)
        each.write_grant("grant-polite", contact_ids=[two.contact], max_turns_per_contact=90)
    two.says(two.key, two.contact, "Thank you!")
    with one.serving(), two.serving():
        assert until(lambda: bool(one.told() or two.told()), 40)

    told = one.told() + two.told()
    assert [each["milestone"] for each in told] == ["decision_needed"]
    assert sum(len(each.calls()) for each in (one, two)) <= 8
