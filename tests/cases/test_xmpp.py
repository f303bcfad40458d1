"""The reports about XMPP: stanzas as a server hands them over, through `dragoman gate check`."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import rows
from tests.cli.desk import told

DESK, BUYER, ROOM = "desk@desk.example", "buyer@shop.example", "hall@rooms.desk.example"
POLICY = f"""
version = 1
unknown_targets = "explicit_requests"

[[targets]]
platform = "xmpp"
workspace = "{DESK}"
channel = "{BUYER}"
audience = "external"

[[targets]]
platform = "xmpp"
workspace = "{DESK}"
channel = "{ROOM}"
audience = "external"

[[targets]]
platform = "xmpp"
workspace = "{DESK}"
channel = "{ROOM}/mapped"
audience = "external"
require_mention = false
"""
OCCUPANT = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='{}'/>"
MENTION = f"<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:{DESK}'/>"
REPLACE = "<replace xmlns='urn:xmpp:message-correct:0' id='m0'/>"
INNER = (
    f"<message xmlns='jabber:client' from='{BUYER}/x' to='{DESK}/y' type='chat' id='c1'><body>dates?</body></message>"
)
CARBON = f"<received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>{INNER}</forwarded></received>"
LATE = "<delay xmlns='urn:xmpp:delay' from='{}' stamp='2026-09-21T05:13:20Z'/>"


class Row(NamedTuple):
    """One stanza: its sender, its type, what it holds beside the text, what is known of its place, and the decision."""

    case: str
    right: str
    sender: str
    kind: str
    inner: str
    outcome: str
    reason: str
    corrects: bool | None = None


TABLE = [
    Row("E11", "MUTE/no_request", f"{ROOM}/sam", "chat", OCCUPANT.format("o-sam"), "silent", "not_requested"),
    Row(
        *("E11", "unless policy maps the occupant", f"{ROOM}/mapped", "chat", OCCUPANT.format("o-mapped")),
        *("respond", "mention_not_required"),
    ),
    Row("I21", "REJECT/auth_failed", "eve@shop.example/x", "chat", CARBON, "rejected", "auth_failed"),
    Row("I21", "auth_failed", f"{DESK}/other", "chat", CARBON, "rejected", "auth_failed"),
    Row(
        *("I22", "REJECT/not_a_message", f"{ROOM}/sam", "groupchat", REPLACE + MENTION + OCCUPANT.format("o-sam")),
        *("rejected", "not_a_message", False),
    ),
    Row(
        *("I22", "not_a_message", f"{ROOM}/sam", "groupchat", REPLACE + MENTION + OCCUPANT.format("o-sam")),
        *("rejected", "not_a_message"),
    ),
    Row(
        *("L11", "REJECT/stale", f"{ROOM}/sam", "groupchat", MENTION + OCCUPANT.format("o-sam") + LATE.format(ROOM)),
        *("rejected", "stale"),
    ),
    Row("L11", "stale", f"{BUYER}/x", "chat", LATE.format("desk.example"), "rejected", "stale"),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_stanza(desks: Desks, row: Row) -> None:
    """The stanza is decided as the report says."""
    xml = (
        f"<message xmlns='jabber:client' from='{row.sender}' to='{DESK}/here' type='{row.kind}' id='m1'>"
        + ("" if row.inner == CARBON else "<body>which dates are open?</body>")
        + f"{row.inner}</message>"
    )
    occupants = [{"nick": nick, "occupant_id": f"o-{nick}"} for nick in ("desk", "sam", "mapped")]
    lookup: dict[str, Any] = {
        "occupant_ids": True,
        "nick": "desk",
        "occupants": occupants,
        "corrects": row.corrects,
    }
    desk = desks(POLICY, {"jid": DESK, "rooms": {ROOM: "desk"}})

    answer = told(desk.check({"xml": xml}, platform="xmpp", state={"lookup": lookup}))

    assert (row.outcome, row.reason) == (answer["outcome"], answer["reason"])
