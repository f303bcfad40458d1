"""The reports about Matrix: raw client events, as `/sync` brings them, through `dragoman gate check`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import case, rows
from tests.cli.desk import told

DESK, BUYER, OPER, OTHER = "@desk:desk.example", "@buyer:shop.example", "@oper:desk.example", "@jordan:desk.example"
ROOM, DM = "!room:desk.example", "!dm:desk.example"
POLICY = f"""
version = 1
agent_names = ["Desk"]

[[operators]]
platform = "matrix"
workspace = "{DESK}"
id = "{OPER}"

[[targets]]
platform = "matrix"
workspace = "{DESK}"
channel = "{ROOM}"
audience = "external"

[[targets]]
platform = "matrix"
workspace = "{DESK}"
channel = "!edits:desk.example"
audience = "external"
edits_may_request = true

[[targets]]
platform = "matrix"
workspace = "{DESK}"
channel = "!ours:desk.example"
audience = "internal"
operator_messages_are_requests = true

[[targets]]
platform = "matrix"
workspace = "{DESK}"
channel = "{DM}"
audience = "external"
"""
ASKED: dict[str, Any] = {"m.mentions": {"user_ids": [DESK]}}


class Row(NamedTuple):
    """One raw event: its room, its author, what its `content` says beside the text, and the decision."""

    case: str
    right: str
    room: str
    sender: str
    content: dict[str, Any]
    outcome: str
    reason: str
    lookup: Mapping[str, Any] = MappingProxyType({})
    audience: str = "external"


def thread(**more: Any) -> dict[str, Any]:
    """A relation to a thread whose root is ours."""
    return {"m.relates_to": {"rel_type": "m.thread", "event_id": "$root", "m.in_reply_to": {"event_id": "$a"}, **more}}


def edit(mentions: dict[str, Any], **new: Any) -> dict[str, Any]:
    """A replacement of `$a`; `mentions` is at the top level."""
    content = {"msgtype": "m.text", "body": "desk, which dates?", **new}
    relation = {"rel_type": "m.replace", "event_id": "$a"}
    return {"body": "* desk, which dates?", "m.new_content": content, "m.relates_to": relation, **mentions}


OF_OURS = {"senders": {"$a": DESK, "$root": DESK}}
OF_BUYER = {"senders": {"$a": BUYER}}
DIRECT = {"joined_members": [DESK, BUYER], "m_direct": {BUYER: [DM]}, "is_direct": True}
TABLE = [
    Row(
        "C04",
        "root author is not the reply author",
        ROOM,
        BUYER,
        thread(is_falling_back=True),
        "silent",
        "not_requested",
        OF_OURS,
    ),
    Row("C10", "MUTE/no_request", ROOM, BUYER, {"m.mentions": {"room": True}}, "silent", "not_requested"),
    Row(
        "C14",
        "MUTE/no_request",
        ROOM,
        BUYER,
        {"body": "> <@desk:desk.example> 6 October\n\nthat is what I meant", "m.mentions": {}},
        "silent",
        "not_requested",
    ),
    Row("C21", "reply_to_agent=False", ROOM, BUYER, thread(is_falling_back=True), "silent", "not_requested", OF_OURS),
    Row(
        "C22",
        "RESPOND/explicit_agent_request",
        ROOM,
        BUYER,
        thread(is_falling_back=False),
        "respond",
        "reply_to_agent",
        OF_OURS,
    ),
    Row("C23", "MUTE/no_request", ROOM, BUYER, {"body": "Desk: hello", "m.mentions": {}}, "silent", "not_requested"),
    Row("C32", "edit_not_a_request", ROOM, BUYER, edit(ASKED), "rejected", "edit_not_a_request", OF_BUYER),
    Row(
        "C32",
        "with opt-in RESPOND",
        "!edits:desk.example",
        BUYER,
        edit(ASKED, **ASKED),
        "respond",
        "agent_mentioned",
        OF_BUYER,
    ),
    Row(
        "C32",
        "only top level means",
        "!edits:desk.example",
        BUYER,
        edit({"m.mentions": {}}, **ASKED),
        "rejected",
        "edit_not_a_request",
        OF_BUYER,
    ),
    Row(
        "C33",
        "REJECT/not_a_message*",
        "!edits:desk.example",
        OTHER,
        edit(ASKED, **ASKED),
        "rejected",
        "not_a_message",
        OF_BUYER,
    ),
    Row(
        "D03",
        "sender_is_bot=True for policy; MUTE",
        ROOM,
        "@ci:shop.example",
        {"msgtype": "m.notice", **ASKED},
        "silent",
        "bot_without_grant",
    ),
    Row("D04", "MUTE/bot_without_operator_request", ROOM, "@b3:shop.example", ASKED, "silent", "bot_without_grant"),
    Row("D06", "REJECT/self_echo*", ROOM, DESK, ASKED, "rejected", "self_echo"),
    Row(
        "E03",
        "direct_message=False; MUTE/no_request",
        DM,
        BUYER,
        {},
        "silent",
        "not_requested",
        {"joined_members": [DESK, BUYER]},
    ),
    Row("E04", "RESPOND/one_to_one_request", DM, BUYER, {}, "respond", "direct_message", DIRECT),
    Row("C43", "never a request", ROOM, BUYER, {"type": "m.reaction", **ASKED}, "rejected", "not_a_message"),
    Row(
        "N01",
        "operator=False even if ids look alike",
        "!ours:desk.example",
        "@oper:desk.example.evil.example",
        {},
        "silent",
        "not_requested",
    ),
    Row(
        "N01",
        "sender external",
        "!ours:desk.example",
        "@oper:desk.example.evil.example",
        ASKED,
        "respond",
        "agent_mentioned",
        {"joined_members": [DESK, OPER, "@oper:desk.example.evil.example"]},
    ),
    Row("N11", "a bridged room is external", "!bridged:desk.example", OPER, {}, "silent", "access_denied"),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_event(desks: Desks, row: Row) -> None:
    """The raw event is decided as the report says; whoever is of another server makes the room external."""
    kind = row.content.get("type", "m.room.message")
    content = {"msgtype": "m.text", "body": "which dates are open?", **row.content}
    event: dict[str, Any] = {
        "type": kind,
        "event_id": "$1",
        "room_id": row.room,
        "sender": row.sender,
        "content": content,
    }
    event["origin_server_ts"] = 1790000000000
    lookup = {"joined_members": [DESK, BUYER, OTHER], "federate": False, "world_readable": False, **row.lookup}
    desk = desks(POLICY, {"user_id": DESK, "bots": ["@b3:shop.example"], "notice_is_bot": True})

    answer = told(desk.check(event, platform="matrix", state={"lookup": lookup}))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])


@case("N01", "sender external; operator=False even if ids look alike")
def test_n01_the_real_operator(desks: Desks) -> None:
    """The same words by the exact id, among ourselves, are a request: what differs is who says them."""
    event = {
        "type": "m.room.message",
        "event_id": "$1",
        "room_id": "!ours:desk.example",
        "sender": OPER,
        "origin_server_ts": 1790000000000,
        "content": {"msgtype": "m.text", "body": "please prepare the dates"},
    }
    lookup = {"joined_members": [DESK, OPER], "federate": False, "world_readable": False}

    answer = told(desks(POLICY, {"user_id": DESK}).check(event, platform="matrix", state={"lookup": lookup}))

    assert ("respond", "operator_message", "internal") == (answer["outcome"], answer["reason"], answer["audience"])
