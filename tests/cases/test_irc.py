"""The reports about IRC: lines as a server sends them, through `dragoman gate check`."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import rows
from tests.cli.desk import told

POLICY = """
version = 1

[[targets]]
platform = "irc"
workspace = "desk@Net"
channel = "#hall"
audience = "external"
"""
TEXT = "A: which dates are open?"


class Row(NamedTuple):
    """One line: its tags, and the decision."""

    case: str
    right: str
    tags: str
    outcome: str
    reason: str


TABLE = [
    Row("D16", "MUTE/bot_without_operator_request", "msgid=1;account=b;bot", "silent", "bot_without_grant"),
    Row("D16", "MUTE/bot_without_operator_request", "msgid=1;account=b;draft/bot=x", "silent", "bot_without_grant"),
    Row("D16", "MUTE/bot_without_operator_request", "msgid=1;account=listed", "silent", "bot_without_grant"),
    Row("L11", "REJECT/stale", "msgid=1;account=kim;batch=p;time=2026-09-21T05:13:20.000Z", "rejected", "stale"),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_line(desks: Desks, row: Row) -> None:
    """The line is decided as the report says; the same words of a person who is logged in are a request."""
    desk = desks(POLICY, {"network": "Net", "account": "desk", "bots": ["listed"]})
    members = [{"nick": nick, "account": nick} for nick in ("A", "kim", "b")]
    state = {"lookup": {"nick": "A", "members": members}}

    def decided(tags: str) -> tuple[str, str]:
        line = f"@{tags} :kim!u@h PRIVMSG #hall :{TEXT}"
        answer = told(desk.check({"line": line}, platform="irc", state=state))
        return answer["outcome"], answer["reason"]

    assert (row.outcome, row.reason) == decided(row.tags)
    assert ("respond", "agent_mentioned") == decided("msgid=1;account=kim")
