"""Messages, turns, notifications, pauses, packets, cycles: what each part promises."""

from __future__ import annotations

import sqlite3

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.gate.ports import SeenState
from dragoman.identity import Target
from dragoman.ledger.conversations import Conversation, Conversations, Standing
from dragoman.ledger.cycles import Cycles
from dragoman.ledger.inbox import Inbound, InboundState, Inbox
from dragoman.ledger.notifications import Notification, Notifications
from dragoman.ledger.packets import KeptPacket, PacketLog
from dragoman.ledger.seen import LedgerSeen
from dragoman.ledger.store import Ledger, create
from dragoman.ledger.turns import Decided, TurnRow, Turns, TurnState
from dragoman.words import Action, Milestone, NotificationState, Outcome, Reason, SendState, StopReason

NOW = 1_700_000_000_000
ROOM = Target("hub", "role_a", "con_1")


def inbound(id: str = "msg_1", **changed: object) -> Inbound:
    """One fetched message."""
    right = Inbound(
        id=id,
        target=ROOM,
        position=1,
        raw=b"words",
        state=InboundState.DEFERRED,
        reason="",
        turn_id=None,
        lease="lse_1",
        acked=False,
        received_at=NOW,
    )
    return msgspec.structs.replace(right, **changed)


def turn(id: str = "trn-1") -> TurnRow:
    """One running turn."""
    return TurnRow(
        id=id,
        target=ROOM,
        grant_id="g-1",
        generation=1,
        correlation_id="cor-1",
        admission=b"{}",
        attempts=1,
        state=TurnState.RUNNING,
        next_at=0,
        failure="",
        note="",
        created_at=NOW,
    )


def decided(reply_id: str = "rpl-1") -> Decided:
    """One saved decision."""
    return Decided(turn_id="trn-1", reply_id=reply_id, target=ROOM, action=Action.REPLY, text="Yes.")


# --- messages --------------------------------------------------------------------------------------------------------


def test_a_handled_message_stays_handled_and_drops_its_words(ledger: Ledger) -> None:
    """`done` is final: a late offer of the same message begins nothing and brings no words back."""
    inbox = Inbox(ledger)
    inbox.take(inbound(), state=InboundState.IN_TURN, turn_id="trn-1", now=NOW)
    inbox.move("msg_1", InboundState.DONE, turn_id="trn-1", now=NOW)
    inbox.take(inbound(lease="lse_2"), state=InboundState.IN_TURN, turn_id="trn-2", now=NOW)
    found = inbox.find("msg_1")

    assert found is not None
    assert (found.state, found.turn_id) == (InboundState.DONE, "trn-1")


def test_words_are_kept_as_long_as_somebody_needs_them(ledger: Ledger) -> None:
    """Deferred, in a turn and kept messages have their words; silent and handled ones do not."""
    inbox = Inbox(ledger)
    for state in InboundState:
        inbox.take(inbound(f"msg_{state}"), state=InboundState.DEFERRED, now=NOW)
        inbox.move(f"msg_{state}", state, now=NOW)
    has_words = {state for state in InboundState if (inbox.find(f"msg_{state}") or inbound(raw=None)).raw}

    assert has_words == {InboundState.IN_TURN, InboundState.DEFERRED, InboundState.KEPT}


def test_only_settled_messages_are_to_be_acked(ledger: Ledger) -> None:
    """Nothing in a turn, and nothing given back, is ever in the list for acks."""
    inbox = Inbox(ledger)
    for state in InboundState:
        inbox.take(inbound(f"msg_{state}"), state=state, now=NOW)
    due = [message.id for message in inbox.unacked()]
    inbox.acked(due, NOW)

    assert sorted(due) == ["msg_done", "msg_kept", "msg_silent"]
    assert inbox.unacked() == []


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 4), st.sampled_from(InboundState)), max_size=25))
def test_count_in_is_count_out(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, InboundState]]) -> None:
    """Whatever happens to messages, each stands in exactly one state, and none is lost."""
    ledger = create(tmp_path_factory.mktemp("p") / "state")
    inbox = Inbox(ledger)
    for number, state in steps:
        inbox.take(inbound(f"msg_{number}"), state=state, now=NOW)
    assert sum(inbox.counts().values()) == len({number for number, _ in steps})
    ledger.close()


# --- turns and decisions ---------------------------------------------------------------------------------------------


def test_a_saved_decision_does_not_change(ledger: Ledger) -> None:
    """Its text, its reply id and its end cannot be rewritten; `sent` is final."""
    turns = Turns(ledger)
    turns.open(turn())
    turns.decide(decided(), NOW)
    with pytest.raises(sqlite3.IntegrityError):
        ledger.change("UPDATE decision SET text = 'No.'")
    turns.mark("rpl-1", SendState.SENT, evidence="msg_9", now=NOW + 1)
    turns.mark("rpl-1", SendState.SAVED, now=NOW + 2)
    found = turns.decision("trn-1")

    assert found is not None
    assert (found.text, found.state, found.evidence, found.sent_at) == ("Yes.", SendState.SENT, "msg_9", NOW + 1)


def test_one_decision_per_turn_unless_it_was_denied(ledger: Ledger) -> None:
    """A second decision needs the first to be denied."""
    turns = Turns(ledger)
    turns.open(turn())
    turns.decide(decided(), NOW)
    with pytest.raises(sqlite3.IntegrityError):
        turns.decide(decided("rpl-2"), NOW)
    turns.mark("rpl-1", SendState.DENIED, now=NOW)
    turns.decide(decided("rpl-2"), NOW)
    found = turns.decision("trn-1")

    assert found is not None
    assert found.reply_id == "rpl-2"


def test_an_attempt_begins_only_from_waiting(ledger: Ledger) -> None:
    """A running or settled turn is not begun again."""
    turns = Turns(ledger)
    turns.open(turn())
    running = turns.attempt("trn-1", generation=1, grant_id="g-1", now=NOW)
    turns.move("trn-1", TurnState.WAITING, next_at=NOW + 5, failure="timeout", now=NOW)
    waiting = turns.attempt("trn-1", generation=2, grant_id="g-2", now=NOW)
    turns.move("trn-1", TurnState.SETTLED, now=NOW)
    turns.move("trn-1", TurnState.RUNNING, now=NOW)
    found = turns.find("trn-1")

    assert (running, waiting) == (False, True)
    assert found is not None
    assert (found.attempts, found.generation, found.state) == (2, 2, TurnState.SETTLED)
    assert turns.unsettled() == []


# --- notifications ---------------------------------------------------------------------------------------------------


def notification(**changed: object) -> Notification:
    """One queued notification."""
    right = Notification(
        id="ntf-1",
        key="waiting|trn-1",
        target="con_1",
        milestone=Milestone.DECISION_NEEDED,
        summary="Offer the 6th?",
        state=NotificationState.QUEUED,
    )
    return msgspec.structs.replace(right, **changed)


def test_one_event_is_one_notification(ledger: Ledger) -> None:
    """A hundred looks at the same event queue it once."""
    notifications = Notifications(ledger)
    queued = [notifications.queue(notification(id=f"ntf-{number}"), NOW) for number in range(100)]

    assert queued == [True] + [False] * 99


def test_the_states_of_a_notification_only_move_forward(ledger: Ledger) -> None:
    """Delivered drops the words and stays; a later, lower word changes nothing."""
    notifications = Notifications(ledger)
    notifications.queue(notification(), NOW)
    assert [notifications.send("ntf-1", NOW), notifications.send("ntf-1", NOW)] == [True, False]
    notifications.settle("ntf-1", NotificationState.DELIVERED, NOW)
    notifications.settle("ntf-1", NotificationState.FAILED, NOW)
    found = notifications.find("ntf-1")

    assert found is not None
    assert (found.state, found.summary) == (NotificationState.DELIVERED, "")
    assert notifications.resolve("ntf-1", delivered=True, now=NOW).state is NotificationState.DELIVERED
    with pytest.raises(DragomanError):
        notifications.resolve("ntf-1", delivered=False, now=NOW)


def test_what_was_being_told_at_a_crash_is_uncertain(ledger: Ledger) -> None:
    """It is left by the owner's word, and tried once more under the same id."""
    notifications = Notifications(ledger)
    notifications.queue(notification(), NOW)
    notifications.send("ntf-1", NOW)
    assert notifications.interrupted(NOW) == 1
    assert notifications.send("ntf-1", NOW) is False
    again = [notifications.resolve("ntf-1", delivered=False, now=NOW).state for _ in range(2)]

    assert again == [NotificationState.QUEUED, NotificationState.QUEUED]
    assert notifications.send("ntf-1", NOW) is True


# --- the small ones --------------------------------------------------------------------------------------------------


def test_a_silent_twin_may_be_decided_once_more(ledger: Ledger) -> None:
    """Not requested or addressed to another: once more; anything else, or a third look: a duplicate."""
    seen = LedgerSeen(ledger)
    seen.decided("a", Outcome.SILENT, Reason.NOT_REQUESTED, NOW)
    seen.decided("b", Outcome.RESPOND, Reason.AGENT_MENTIONED, NOW)

    assert [seen.seen(key) for key in ("a", "b", "c")] == [SeenState.TWIN, SeenState.DUPLICATE, SeenState.NEW]
    seen.decided("a", Outcome.SILENT, Reason.NOT_REQUESTED, NOW)
    assert seen.seen("a") is SeenState.DUPLICATE


def test_a_pause_holds_everywhere_or_here(ledger: Ledger) -> None:
    """Each is ended by its own name."""
    seen = LedgerSeen(ledger)
    other = Target("hub", "role_a", "con_2")
    seen.pause(ROOM, NOW)
    assert [seen.paused(ROOM), seen.paused(other)] == [True, False]
    seen.pause(None, NOW)
    assert [seen.paused(ROOM), seen.paused(other)] == [True, True]
    assert [seen.resume(ROOM), seen.resume(ROOM)] == [True, False]
    assert seen.paused(ROOM) is True


def test_an_unknown_conversation_is_open(ledger: Ledger) -> None:
    """And a known one is as it was put."""
    conversations = Conversations(ledger)
    put = Conversation(
        target=ROOM, state=Standing.WAITING_OWNER, stop_reason=StopReason.WAITING_OWNER, summary="?", updated_at=NOW
    )
    assert conversations.at(ROOM).state is Standing.OPEN
    conversations.put(put, NOW)

    assert conversations.at(ROOM) == put
    assert conversations.all() == [put]


def test_packets_come_back_as_they_went_in(ledger: Ledger) -> None:
    """Bytes and order stay; the newest is known, as a whole and of each source."""
    packets = PacketLog(ledger)
    for number, source in enumerate(("intake:a", "agent:a", "agent:a", "intake:a")):
        kept = KeptPacket(
            number=number, source=source, message_id=f"msg-{number}", profile="p", raw=b"{ }", created_at=NOW + number
        )
        packets.keep(ROOM, kept)
    newest = [packets.last(ROOM), packets.last_of(ROOM, "agent:a"), packets.last_of(ROOM, "owner:a")]

    assert [3, 2, None] == [None if each is None else each.number for each in newest]
    assert ([b"{ }"] * 4, [ROOM]) == ([packet.raw for packet in packets.of(ROOM)], packets.targets())


def test_a_killed_cycle_is_not_a_successful_one(ledger: Ledger) -> None:
    """Without an end it stays not ok; positions move with it."""
    cycles = Cycles(ledger)
    cycles.end(cycles.start(NOW, "boot-1", "run"), NOW + 5, True)
    cycles.start(NOW + 30_000, "boot-1", "run")
    cycles.move("memory:W1", "17")

    assert [(cycle.ok, cycle.ended_at) for cycle in cycles.newest()] == [(False, 0), (True, NOW + 5)]
    assert [cycles.position("memory:W1"), cycles.position("other")] == ["17", None]
