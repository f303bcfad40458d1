"""3D: loops and limits of a conversation. Real receivers talk to one another; the peers count what arrived."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

import pytest

from tests.cases.receiver.road import no
from tests.cases.receiver.stage import YES, Stage
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
POST = r"^POST .*/contacts/\w+/messages$"


@case("R048", "two receivers, always-reply handlers: stops at `max_turns_per_contact` on both, one owner notice each")
def test_r048_two_that_always_answer(stages: Callable[..., Stage]) -> None:
    """Each has as many turns as its owner gave, then both are still and each owner has been told once.

    The one that spoke last hears of its limit with the next message, which its peer's owner writes by hand.
    """
    one = stages()
    two = stages(peer=one.key)
    for each in (one, two):
        each.answers("UNIQUE UNIQUE UNIQUE UNIQUE?")
        each.write_grant("grant-loop", contact_ids=[two.contact], max_turns_per_contact=3)
    two.says(two.key, two.contact, "Shall we talk about lamps?")
    with one.serving(), two.serving():
        assert until(lambda: len(one.calls()) == len(two.calls()) == 3, 40)
        one.says(one.key, two.contact, "Are you still there?")
        assert until(lambda: bool(one.told()) and bool(two.told()))

    found = [each.task(two.contact) for each in (one, two)]
    assert found == [{"state": "open", "stop_reason": "turn_limit", "turns_used": 3}] * 2
    assert [len(each.calls()) for each in (one, two)] == [3, 3]
    assert [[told["milestone"] for told in each.told()] for each in (one, two)] == [["limit_hit"]] * 2


@case("R049", "the daily cap is global over contacts; ring of three stops at it")
def test_r049_a_ring_of_three(stages: Callable[..., Stage]) -> None:
    """Three that each talk with both others, every pair far under its own bound: the day's number ends it."""
    ring = [stages(), stages(), stages()]
    contacts = [[ring[0].opens(ring[1].key)], [], []]
    contacts[1] = [contacts[0][0], ring[1].opens(ring[2].key)]
    contacts[2] = [contacts[1][1], ring[2].opens(ring[0].key)]
    contacts[0].append(contacts[2][1])
    for each, own in zip(ring, contacts, strict=True):
        each.answers("UNIQUE UNIQUE UNIQUE UNIQUE?")
        each.write_grant("grant-ring", contact_ids=own, max_turns_per_contact=90, max_dispatches_per_day=4)
        each.says(each.key, own[0], "Shall we talk about lamps?")
        each.says(each.key, own[1], "Shall we talk about chairs?")
    with contextlib.ExitStack() as running:
        for each in ring:
            running.enter_context(each.serving())
        assert until(lambda: any(each.told() for each in ring), 40)
        for _ in range(6):  # who is not at the limit yet, because the others fell silent, is spoken to
            if until(lambda: all(each.told() for each in ring), 4):
                break
            for each, own in zip(ring, contacts, strict=True):
                for contact in own:
                    each.says(each.key, contact, f"Are you still there? {os.urandom(8).hex()}")

    assert [len(each.calls()) for each in ring] == [4, 4, 4]
    assert [[told["milestone"] for told in each.told()] for each in ring] == [["limit_hit"]] * 3
    assert all("daily_limit" in [task["stop_reason"] for task in each.status()["autonomy"]] for each in ring)


@case("R050", 'stop leaves peer-visible nothing false: own summary says "limit", delivery state ≠ completed')
def test_r050_a_limit_is_not_an_end(stage: Stage) -> None:
    """The owner reads that the turns are used up; the peer sees a message that waits, and no word of ours more."""
    stage.write_grant("grant-7f3a", max_turns_per_contact=1)
    stage.peer_says("Can we meet?")
    stage.on()
    stage.peer_says("And where?")
    stage.on()

    (task,) = stage.status()["autonomy"]
    (told,) = stage.told()
    assert (task["state"], task["stop_reason"]) == ("open", "turn_limit")
    assert "used up" in task["summary"]
    assert (told["milestone"], "used up" in told["summary"]) == ("limit_hit", True)
    assert (stage.delivery(), stage.delivery(stage.peer)) == ("awaiting_local", "awaiting_local")
    assert stage.texts() == [YES]


@case("R051", "inbound after completed: stored, no handler call, state stays `completed`")
def test_r051_completed_is_completed(stage: Stage) -> None:
    """What the peer writes after the end is kept and starts nothing."""
    stage.answers("All clear then. Goodbye.", complete=True, owner_summary="Agreed.")
    stage.peer_says("Which day?")
    stage.on()
    stage.peer_says("Thank you!")
    stage.peer_says("Are you there?")
    stage.on()
    stage.on()

    assert len(stage.calls()) == 1
    assert stage.task() == {"state": "completed", "stop_reason": "completed", "turns_used": 1}
    assert stage.status()["messages"] == {"done": 1, "kept": 2}
    assert (stage.texts(), stage.unacked()) == (["All clear then. Goodbye."], False)


@case("R053", "not-authorised → explicit state; decision kept")
def test_r053_the_hub_does_not_let_it_through(stage: Stage) -> None:
    """The hub says no to the send: the reply stays saved and shown, and goes, the same, when it may."""
    stage.road.bad(POST, no(404, "contact_unknown"))
    stage.peer_says("Can we meet?")
    stage.on()
    (unsent,) = stage.status()["unsent"]
    assert (unsent["contact_id"], unsent["state"]) == (stage.contact, "saved")
    assert stage.texts() == []
    stage.on(5)

    assert stage.sent() == [(unsent["reply_id"], YES)]
    assert len(stage.calls()) == 1


@case("R053", "not-authorised → explicit state")
def test_r053_no_longer_authorised(stage: Stage) -> None:
    """The owner took the contact out while the handler thought: the reply does not leave, and why is in the status."""
    other = stage.another("other")
    stage.answers(YES, sleep=2)
    stage.peer_says("Can we meet?")
    with stage.serving():
        assert until(lambda: len(stage.calls()) == 1)
        stage.write_grant("grant-2", contact_ids=[stage.opens(other)])
        assert until(lambda: bool(stage.ends()))
        assert until(lambda: bool(stage.told()))

    (told,) = stage.told()
    assert (told["contact_id"], told["milestone"]) == (stage.contact, "decision_needed")
    assert "outside the task" in told["summary"]
    assert stage.status()["replies"] == {"stopped": 1}
    assert stage.texts() == []


@case("R055", "no handler call, no spend, visible as not-in-scope")
def test_r055_nobody_whom_the_owner_named(stage: Stage) -> None:
    """A contact that its peer opened, `accept_inbound` false: silent, unpaid, told to the owner, acked."""
    stranger = stage.peer_opens()
    stage.peer_says("Hello, who are you?", stranger)
    stage.on()

    assert (stage.calls(), stage.texts(stranger)) == ([], [])
    assert stage.status()["messages"] == {"silent": 1}
    assert stage.task()["turns_used"] == 0
    assert [(told["contact_id"], told["milestone"]) for told in stage.told()] == [(stranger, "decision_needed")]
    assert "outside the task" in stage.told()[0]["summary"]
