"""The reports about Zulip: raw events of the queue through `dragoman gate check`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import rows
from tests.cli.desk import told

DESK, BUYER = 12, 10
AGENT = {"realm": "chat.example.org", "user_id": DESK, "realm_str": "example"}
PLACE = {"shared": False, "bots": False, "author_is_bot": False, "author_is_guest": False}
POLICY = """
version = 1

[[targets]]
platform = "zulip"
workspace = "chat.example.org"
channel = "stream:7"
audience = "internal"
"""
ASKED = f'<span class="user-mention" data-user-id="{DESK}">@Desk</span> which dates?'
WILDCARD = '<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> which dates?'


class Row(NamedTuple):
    """One message: what the server rendered and flagged, what differs in it, and the decision."""

    case: str
    right: str
    content: str
    flags: tuple[str, ...]
    outcome: str
    reason: str
    audience: str = "internal"
    place: Mapping[str, Any] = MappingProxyType({})
    message: Mapping[str, Any] = MappingProxyType({})


TABLE = [
    Row("C10", "MUTE/no_request", WILDCARD, ("wildcard_mentioned",), "silent", "not_requested"),
    Row("C14", "MUTE/no_request", f"<blockquote>{ASKED}</blockquote>that", ("mentioned",), "silent", "not_requested"),
    Row("C23", "MUTE/no_request", "Desk: hello", (), "silent", "not_requested"),
    Row(
        "N13",
        "external",
        ASKED,
        ("mentioned",),
        "respond",
        "agent_mentioned",
        "external",
        {"author_is_guest": True},
    ),
    Row(
        "N13",
        "bot",
        ASKED,
        ("mentioned",),
        "silent",
        "bot_without_grant",
        "external",
        {},
        {"sender_realm_str": "zulipinternal"},
    ),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_event(desks: Desks, row: Row) -> None:
    """The raw event is decided as the report says."""
    message: dict[str, Any] = {
        "id": 31,
        "sender_id": BUYER,
        "sender_realm_str": "example",
        "content": f"<p>{row.content}</p>",
        "content_type": "text/html",
        "timestamp": 1_790_000_000,
        "subject": "returns",
        "type": "stream",
        "stream_id": 7,
        **row.message,
    }
    raw = {"type": "message", "message": message, "flags": list(row.flags), "id": 1}
    desk = desks(POLICY, AGENT)
    answer = told(desk.check(raw, platform="zulip", state={"lookup": {**PLACE, **row.place}}))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])
