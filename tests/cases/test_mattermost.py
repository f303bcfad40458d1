"""The reports about Mattermost: raw websocket events through `dragoman gate check`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import rows
from tests.cli.desk import told

TEAM, CHANNEL, DESK, BUYER = "teamteamteamteamteamtea004", "shelvesshelvesshelvessh003", "U_A", "U_B"
AGENT = {"server": "chat.example.org", "user_id": DESK, "username": "a"}
PLACE = {
    "channel": {"type": "O", "team_id": TEAM, "shared": False, "bots": False},
    "author": {"is_bot": False, "guest": False},
}
POLICY = f"""
version = 1

[[targets]]
platform = "mattermost"
workspace = "{TEAM}@chat.example.org"
channel = "{CHANNEL}"
audience = "external"
"""


class Row(NamedTuple):
    """One post: its text, whom the server lists as mentioned, and the decision."""

    case: str
    right: str
    message: str
    mentions: tuple[str, ...] | None
    outcome: str
    reason: str


TABLE = [
    Row("C45", "use the server-made mentions array", "@a which dates?", (DESK,), "respond", "agent_mentioned"),
    Row("C45", "without it (webhook) MUTE", "@a which dates?", None, "silent", "not_requested"),
    Row("C10", "MUTE/no_request", "@all which dates?", (DESK,), "silent", "not_requested"),
    Row("C14", "MUTE/no_request", "> @a which dates?\n\nthat is what I meant", (DESK,), "silent", "not_requested"),
    Row("C23", "MUTE/no_request", "a: hello", None, "silent", "not_requested"),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_event(desks: Desks, row: Row) -> None:
    """The raw event is decided as the report says."""
    now = 1_790_000_000_000
    post: dict[str, Any] = {"id": "p1", "create_at": now, "update_at": now, "user_id": BUYER, "channel_id": CHANNEL}
    post |= {"message": row.message, "type": "", "root_id": "", "props": {}}
    data = {"channel_type": "O", "team_id": TEAM, "post": json.dumps(post)}
    data |= {} if row.mentions is None else {"mentions": json.dumps(row.mentions)}
    raw = {"event": "posted", "data": data, "broadcast": {"channel_id": CHANNEL}, "seq": 4}
    answer = told(desks(POLICY, AGENT).check(raw, platform="mattermost", state={"lookup": PLACE}))

    assert (row.outcome, row.reason) == (answer["outcome"], answer["reason"])
