"""Which packets a commit leaves, by its changes alone."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.ledger.changes import Change, What
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import InboundState
from dragoman.ledger.turns import TurnState
from dragoman.receiver import packet_rows
from dragoman.receiver.chronicle import records
from dragoman.receiver.packet_rows import Blocked, Correction, Intake, Record, Report, Status
from dragoman.words import DraftState, SendState, StopReason

MESSAGE, TURN, REPLY, DRAFT = What.MESSAGE, What.TURN, What.REPLY, What.DRAFT
CONVERSATION, GRANT, REMINDER, PAUSE = What.CONVERSATION, What.GRANT, What.REMINDER, What.PAUSE
ASKED = "Handle admitted messages of this conversation: 2."

TABLE: dict[str, tuple[list[tuple[What, str, str, str]], list[str]]] = {
    "two messages are one turn": (
        [
            (MESSAGE, "", "in_turn", ""),
            (MESSAGE, "deferred", "in_turn", ""),
            (TURN, "", "running", ""),
            (CONVERSATION, "waiting_owner", "open", ""),
        ],
        [f"intake: {ASKED}", "working: the handler was asked"],
    ),
    "the first turn under another grant": (
        [(TURN, "", "running", ""), (GRANT, "grant-1", "grant-2", "")],
        [
            "intake: Handle admitted messages of this conversation: 0.",
            "working: the handler was asked, under another grant of the owner",
        ],
    ),
    "another attempt": ([(TURN, "waiting", "running", "")], ["working: the handler was asked again"]),
    "a failed attempt": (
        [(TURN, "running", "waiting", "timeout")],
        ["working: an attempt failed; the handler is asked again later"],
    ),
    "a refused text": (
        [(REPLY, "saved", "denied", ""), (TURN, "decided", "waiting", "denied")],
        ["working: the gate refused a reply; the handler is asked again later"],
    ),
    "given up": (
        [(TURN, "waiting", "parked", "exit"), (CONVERSATION, "open", "waiting_owner", "waiting_owner")],
        ["blocker dependency: the handler failed repeatedly"],
    ),
    "only courtesies": (
        [(TURN, "running", "parked", "courtesies"), (CONVERSATION, "open", "waiting_owner", "waiting_owner")],
        ["blocker other: only courtesies are exchanged"],
    ),
    "a question to the owner": (
        [
            (REPLY, "", "stopped", ""),
            (TURN, "running", "settled", ""),
            (MESSAGE, "in_turn", "kept", "waiting_owner"),
            (CONVERSATION, "open", "waiting_owner", "waiting_owner"),
        ],
        ["blocker other: the owner was asked"],
    ),
    "nothing to say": (
        [(REPLY, "", "stopped", ""), (TURN, "running", "settled", "")],
        ["waiting_input: a turn ended without a reply"],
    ),
    "a saved decision": ([(REPLY, "", "saved", ""), (TURN, "running", "decided", "")], []),
    "on its way": ([(REPLY, "saved", "sending", "")], []),
    "sent": (
        [(REPLY, "sending", "sent", ""), (TURN, "decided", "settled", "")],
        ["waiting_input: a reply was sent"],
    ),
    "sent, and that is all": (
        [(REPLY, "sending", "sent", ""), (CONVERSATION, "open", "completed", "completed")],
        ["report: completed"],
    ),
    "held": (
        [(REPLY, "saved", "held", ""), (CONVERSATION, "open", "waiting_owner", "waiting_owner")],
        ["blocker authorization: a reply waits for approval"],
    ),
    "approved": ([(DRAFT, "filed", "approved", "owner")], ["working: a held reply was approved"]),
    "rejected": ([(DRAFT, "filed", "rejected", "owner")], ["waiting_owner: a held reply was rejected"]),
    "its world changed": (
        [(DRAFT, "filed", "rejected", "epoch")],
        ["waiting_owner: an approval is no longer in force"],
    ),
    "too late": ([(DRAFT, "filed", "expired", "")], ["waiting_owner: nobody approved a held reply in time"]),
    "a dropped draft": (
        [(REPLY, "held", "stopped", ""), (TURN, "decided", "settled", "draft_dropped")],
        ["waiting_owner: a held reply is not sent"],
    ),
    "uncertain": (
        [(REPLY, "sending", "uncertain", ""), (CONVERSATION, "open", "waiting_owner", "uncertain_send")],
        [
            "waiting_owner: it is not known whether a reply left",
            "blocker validation: it is not known whether a reply left",
        ],
    ),
    "it had arrived": (
        [(REPLY, "uncertain", "sent", ""), (CONVERSATION, "waiting_owner", "open", "")],
        ["correction: the reply was delivered → waiting_input"],
    ),
    "it had arrived, and that is all": (
        [(REPLY, "uncertain", "sent", ""), (CONVERSATION, "waiting_owner", "completed", "completed")],
        ["correction: the reply was delivered → working", "report: completed"],
    ),
    "it had not arrived": (
        [(REPLY, "uncertain", "saved", ""), (CONVERSATION, "waiting_owner", "open", "")],
        ["correction: the reply was not delivered → working"],
    ),
    "it had not arrived, and its draft waits anew": (
        [(DRAFT, "uncertain", "filed", "o"), (REPLY, "uncertain", "held", "")],
        [
            "correction: the reply was not delivered → waiting_owner",
            "blocker authorization: a reply waits for approval",
        ],
    ),
    "the peer let it expire": (
        [(REPLY, "sent", "expired", "")],
        ["waiting_owner: the peer did not fetch a reply before it expired"],
    ),
    "the owner's own words": (
        [(DRAFT, "", "approved", "owner"), (TURN, "", "decided", ""), (REPLY, "", "held", "")],
        [
            "intake: Send a reply that the owner wrote.",
            "working: the owner's reply is on its way",
        ],
    ),
    "the owner lets it go on": (
        [(TURN, "decided", "settled", "resolved"), (CONVERSATION, "waiting_owner", "open", "")],
        ["submitted: the owner let the conversation go on"],
    ),
    "closed": ([(CONVERSATION, "waiting_owner", "closed", "contact_closed")], ["report: cancelled"]),
    "attended": (
        [(MESSAGE, "", "kept", "waiting_owner"), (CONVERSATION, "open", "waiting_owner", "waiting_owner")],
        ["blocker authorization: nobody may answer without the owner"],
    ),
    "one more for the owner": (
        [(MESSAGE, "", "kept", "waiting_owner")],
        ["waiting_owner: messages are kept for the owner"],
    ),
    "a limit": (
        [(MESSAGE, "", "deferred", "turn_limit"), (CONVERSATION, "open", "open", "turn_limit")],
        ["waiting_owner: the task stands still"],
    ),
    "a limit at the last moment": (
        [
            (REPLY, "saved", "stopped", ""),
            (TURN, "decided", "settled", "grant_expired"),
            (CONVERSATION, "open", "open", "grant_expired"),
        ],
        ["waiting_owner: the task stands still"],
    ),
    "the hub's limit": ([(CONVERSATION, "open", "open", "reply_limited")], ["waiting_input: the task stands still"]),
    "a pause here": ([(PAUSE, "", "paused", "")], ["waiting_owner: the operator paused the agent"]),
    "a pause that holds something": (
        [(MESSAGE, "", "deferred", "paused")],
        ["waiting_owner: messages wait for the end of a pause"],
    ),
    "the end of a pause": ([(PAUSE, "paused", "resumed", "")], ["submitted: the pause is over"]),
    "a reminder": ([(REMINDER, "", "rpl-1", "")], ["waiting_input: the owner is reminded of the wait"]),
    "out of the grant": (
        [(TURN, "decided", "settled", "not_in_scope"), (CONVERSATION, "open", "waiting_owner", "not_in_scope")],
        ["blocker scope: the owner's grant no longer covers this conversation"],
    ),
}


def changes(rows: list[tuple[What, str, str, str]]) -> list[Change]:
    """One change a row, each about a thing of its own."""
    return [
        Change(what=what, target="hub/us/con", id=f"{what}-{number}", before=before, after=after, why=why)
        for number, (what, before, after, why) in enumerate(rows)
    ]


def told(record: Record) -> str:
    """One record in a line."""
    match record:
        case Intake():
            return f"intake: {record.intent}"
        case Correction():
            return f"correction: {record.reason} → {record.state}"
        case Status():
            return f"{record.state}: {record.summary}"
        case Blocked():
            return f"blocker {record.kind}: {record.description}"
        case Report():
            return f"report: {record.outcome}"


@pytest.mark.parametrize(("rows", "expected"), TABLE.values(), ids=TABLE.keys())
def test_a_commit_leaves_these_records(rows: list[tuple[What, str, str, str]], expected: list[str]) -> None:
    """The records of one commit, in their order."""
    assert expected == [told(record) for record in records(changes(rows))]


def test_what_comes_back_within_a_commit_left_nothing() -> None:
    """A step and its way back in the same commit are no change."""
    there = Change(what=TURN, target="t", id="1", before="decided", after="waiting", why="denied")
    back = Change(what=TURN, target="t", id="1", before="waiting", after="decided")

    assert [] == records([there, back])


def test_a_record_cites_the_reply_or_draft_by_its_id() -> None:
    """The id of what it rests on, and nothing of its text."""
    sent = Change(what=REPLY, target="t", id="rpl-9", before="sending", after="sent")
    draft = Change(what=DRAFT, target="t", id="dft-9", before="filed", after="approved")

    assert ["reply:rpl-9", "draft:dft-9"] == [_ref(records([sent])), _ref(records([draft]))]


def _ref(found: list[Record]) -> str:
    (record,) = found
    assert isinstance(record, Status)
    return record.ref


_STATES: dict[What, list[str]] = {
    MESSAGE: list(InboundState),
    TURN: list(TurnState),
    REPLY: list(SendState),
    DRAFT: list(DraftState),
    CONVERSATION: list(Standing),
}


@settings(deadline=None)
@given(st.data())
def test_any_commit_leaves_at_most_one_of_each_and_ends_with_the_state(data: st.DataObject) -> None:
    """Whatever changes together: one intake, one state, one blocker, one report; a report is the last word."""
    rows: list[tuple[What, str, str, str]] = []
    for what, states in _STATES.items():
        for _ in range(data.draw(st.integers(0, 2))):
            before, after = data.draw(st.sampled_from(["", *states])), data.draw(st.sampled_from(states))
            rows.append((what, before, after, data.draw(st.sampled_from(["", "paused", *StopReason]))))
    found = records(changes(rows))
    kinds = [type(record) for record in found if not isinstance(record, Correction)]

    assert len(kinds) == len(set(kinds))
    order: list[Any] = [Intake, Correction, Status, Blocked, Report]
    assert [type(record) for record in found] == sorted((type(r) for r in found), key=order.index)


def test_every_stop_leaves_a_record() -> None:
    """No reason to stand still is forgotten, whatever the conversation's state is then."""
    stands = itertools.product(Standing, StopReason)
    silent = [
        (state, stop)
        for state, stop in stands
        if not records(changes([(CONVERSATION, "open", state, stop)]))
        and (state, stop) not in {(Standing.OPEN, StopReason.COMPLETED), (Standing.OPEN, StopReason.CONTACT_CLOSED)}
        and (state, stop) != (Standing.OPEN, StopReason.UNCERTAIN_SEND)
    ]

    assert [] == silent


def test_every_sentence_stands_on_its_page() -> None:
    """The reference page holds every sentence that a packet of a conversation may hold."""
    page = (Path(__file__).parents[2] / "docs/reference/packets-of-a-conversation.md").read_text()
    tables = (
        packet_rows.INTAKES,
        packet_rows.CORRECTIONS,
        packet_rows.STATUSES,
        packet_rows.BLOCKERS,
        packet_rows.WAITS,
    )
    rows = [said for table in tables for _, said in table]
    sentences = {value for row in [*rows, packet_rows.SUPERSEDED] for value in _values(row) if " " in value}

    assert [] == sorted(each for each in sentences if each.replace("{n}", "N") not in page)


def _values(row: Any) -> list[str]:
    found = [getattr(row, name) for name in row.__struct_fields__]
    return [str(each) for value in found for each in (value if isinstance(value, tuple) else (value,))]
