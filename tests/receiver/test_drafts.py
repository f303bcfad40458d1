"""Drafts in the running receiver: the owner is reminded daily, a late one is closed, an uncertain one confirmed."""

from __future__ import annotations

import pytest

from dragoman.clock import DAY, HOUR
from dragoman.ledger.turns import TurnState
from dragoman.receiver.books import Books
from dragoman.words import DraftState, SendState
from tests.receiver.test_obey import held, room, texts
from tests.receiver.world import World

pytestmark = pytest.mark.slow

__all__ = ["room"]


def heard(world: World) -> list[tuple[str, str]]:
    """What the owner was told: why, and the first line."""
    return [(each["milestone"], each["summary"].splitlines()[0]) for each in world.told()]


WAITS = "A draft still waits for your approval (`dragoman drafts list`)."
LAPSED = "A draft was not decided on in time; it is not sent."


def test_the_owner_is_reminded_once_a_day(room: World) -> None:
    """Not before the configured time, then once per draft and day, by its id and never by its words."""
    held(room)
    for hours in (1, 3):
        room.cycle(hours * HOUR)
    assert ["decision_needed"] == [why for why, _ in heard(room)]

    for hours in (4, 5, 9, 23):
        room.cycle(hours * HOUR + HOUR // 2)
    assert [("wait_reminder", WAITS)] == heard(room)[1:]
    (listed,) = room.stands()["drafts"]
    assert any(f"{listed['id']} (draft_only_topic, 4 h)" in each["summary"] for each in room.told())
    assert not any("40 EUR" in each["summary"] for each in room.told())


def test_the_time_of_the_first_reminder_is_the_owners(room: World) -> None:
    """`draft_reminder_hours`, from one hour on; the counterparty sees nothing of any of it."""
    channels = {"memory": {"folder": "chat", "workspace": "W1", "id": "AGENT"}}
    room.write(hub=None, autonomy=None, policy="policy.toml", channels=channels, draft_reminder_hours=1)
    held(room)
    room.cycle(HOUR)

    assert [("wait_reminder", WAITS)] == heard(room)[1:]
    assert [] == texts(room, "C1")


def test_a_late_draft_is_closed_and_written_down(room: World) -> None:
    """Expired in the journal, the owner told once, the counterparty never; no approval brings it back."""
    draft_id = held(room)
    room.cycle(DAY + HOUR)
    room.cycle(DAY + 2 * HOUR)

    books = room.books()
    records = [(r.outcome, r.reason) for r in books.journal.newest(50, "life") if r.outcome == "draft_expired"]
    draft = books.approvals.find(draft_id)
    books.close()
    assert draft is not None
    assert (DraftState.EXPIRED, [("draft_expired", "draft_only_topic")]) == (draft.state, records)
    assert [("decision_needed", LAPSED)] == [each for each in heard(room) if each[1] == LAPSED]
    assert room.command("drafts", "approve", draft_id).returncode == 2
    room.cycle(DAY + 3 * HOUR)
    assert [] == texts(room, "C1")


def uncertain(world: World) -> str:
    """A draft of which nobody knows what became, as another instance's takeover leaves it."""
    draft_id = held(world)
    books = world.books()
    draft = books.approvals.find(draft_id)
    assert draft is not None
    with books.ledger.write():
        books.approvals.approve(draft_id, sha256=draft.sha256, operator="o", nonce="n", now=draft.filed_at + 1)
        books.approvals.claim(draft_id, draft.sha256, draft.epoch, draft.filed_at + 2)
        books.approvals.settle(draft_id, DraftState.UNCERTAIN, draft.filed_at + 3)
        books.turns.mark(draft.reply_id, SendState.UNCERTAIN, now=draft.filed_at + 3)
    books.close()
    return draft_id


def stands(books: Books, draft_id: str) -> tuple[DraftState, SendState]:
    """Where draft and reply stand."""
    draft = books.approvals.find(draft_id)
    assert draft is not None
    decision = books.turns.by_reply(draft.reply_id)
    assert decision is not None
    books.close()
    return draft.state, decision.state


def test_what_arrived_is_confirmed_and_ends(room: World) -> None:
    """Draft and reply agree, and nothing is sent."""
    draft_id = uncertain(room)
    room.cycle()
    assert room.command("drafts", "confirm", draft_id, "--delivered").returncode == 0
    room.cycle()

    assert (DraftState.DELIVERED, SendState.SENT) == stands(room.books(), draft_id)
    assert [] == texts(room, "C1")


def test_what_did_not_arrive_goes_by_a_new_approval_only(room: World) -> None:
    """Not by itself, not by the old approval; approved anew it goes out once."""
    draft_id = uncertain(room)
    assert room.command("drafts", "confirm", draft_id, "--not-delivered").returncode == 0
    room.cycle()
    assert (DraftState.FILED, SendState.HELD) == stands(room.books(), draft_id)
    assert [] == texts(room, "C1")

    assert room.command("drafts", "approve", draft_id).returncode == 0
    room.cycle()
    room.cycle()
    assert (DraftState.DELIVERED, SendState.SENT) == stands(room.books(), draft_id)
    assert ["Our price is 40 EUR per unit."] == texts(room, "C1")
    books = room.books()
    assert {TurnState.SETTLED} == {
        turn.state for turn in [books.turns.find(each.turn_id) for each in books.turns.in_state(SendState.SENT)] if turn
    }
    books.close()
