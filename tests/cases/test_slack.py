"""The reports about Slack: raw envelopes of the Events API and slash commands, through `dragoman gate check`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import Report, case, policy_of, rows
from tests.cli.desk import told

TEAM, OTHER_TEAM = "T0HOMEORG1", "T0OTHERORG"
DESK, BUYER, JORDAN, OPER = "U0DESKBT01", "U0BUYERAA1", "U0BUYERBB2", "U0OPERATR1"
EXT, INT, DM, TRIO = "C0SHELVES1", "C0OPSROOM1", "D0BUYERAA1", "G0TRIOROOM"
AGENT = {"user_id": DESK, "bot_id": "B0DESKBT01", "app_id": "A0DESKAP01"}
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
POLICY = f"""
version = 1
commands = ["dates"]

[[operators]]
platform = "slack"
workspace = "{TEAM}"
id = "{OPER}"
""" + "".join(
    f'\n[[targets]]\nplatform = "slack"\nworkspace = "{TEAM}"\nchannel = "{channel}"\naudience = "{audience}"\n'
    for channel, audience in ((EXT, "external"), (INT, "internal"), (DM, "external"), (TRIO, "external"))
)
ROOT = "1789999100.000100"
MENTION = {"type": "user", "user_id": DESK}
OURS = {"team_id": TEAM, "is_bot": False, "is_restricted": False, "is_ultra_restricted": False}
NOTHING, ASKED, BOT = ("silent", "not_requested"), ("respond", "agent_mentioned"), ("silent", "bot_without_grant")


def section(*elements: dict[str, Any] | str, kind: str = "rich_text_section") -> dict[str, Any]:
    """A part of a rich-text block; a text is an element too."""
    return {"type": kind, "elements": [{"type": "text", "text": e} if isinstance(e, str) else e for e in elements]}


def blocks(*parts: dict[str, Any]) -> dict[str, Any]:
    """The blocks of a message."""
    return {"blocks": [{"type": "rich_text", "block_id": "bN8", "elements": list(parts)}]}


def envelope(said: dict[str, Any], **about: Any) -> dict[str, Any]:
    """One message of the buyer's in the external channel, but for what is said of it."""
    event = {"type": "message", "channel": EXT, "user": BUYER, "text": "which dates?", "ts": "1790000000.000100"}
    event |= {"event_ts": "1790000000.000100", "channel_type": "channel", "team": TEAM, **said}
    installed = {
        "enterprise_id": None,
        "team_id": TEAM,
        "user_id": DESK,
        "is_bot": True,
        "is_enterprise_install": False,
    }
    whole = {"team_id": TEAM, "api_app_id": "A0DESKAP01", "event": event, "type": "event_callback"}
    whole |= {"event_id": "Ev0CASE0001", "event_time": 1790000000, "authorizations": [installed]}
    return whole | {"is_ext_shared_channel": False} | about


class Row(NamedTuple):
    """One message: what it says beside the usual, and the decision."""

    case: str
    right: str
    said: dict[str, Any]
    outcome: str
    reason: str
    user: dict[str, Any] | None = None
    """What `users.info` says of the author."""
    audience: str = "external"


TO_US = {"text": f"<@{DESK}> which dates?", **blocks(section(MENTION, " which dates?"))}
TO_JORDAN = {"text": f"<@{JORDAN}> can you?", **blocks(section({"type": "user", "user_id": JORDAN}, " can you?"))}
OUR_THREAD = {"thread_ts": ROOT, "parent_user_id": DESK}
INSIDE = {**TO_US, "channel": INT, "user": OPER}
PAUSE = {"channel": INT, "user": OPER, "text": f"<@{DESK}> /pause", **blocks(section(MENTION, " /pause"))}
TABLE = [
    Row("C01", "MUTE/no_request", OUR_THREAD, *NOTHING),
    Row("C04", "root author is not the reply author", OUR_THREAD, *NOTHING),
    Row("C06", "MUTE/addressed_to_other_human", TO_JORDAN, "silent", "addressed_to_other"),
    Row("C10", "Slack `<!here>`", {"text": "<!here> all", **blocks(section({"type": "broadcast", "range": "here"}))},
        *NOTHING),
    Row("C14", "MUTE/no_request", {"text": f"&gt; <@{DESK}> which?\nthat",
        **blocks(section(MENTION, " which?", kind="rich_text_quote"), section("that"))}, *NOTHING),
    Row("C14", "MUTE/no_request", {"text": f"&gt; <@{DESK}> which?\nthat"}, *NOTHING),
    Row("D05", "MUTE for bot-authored", {**TO_US, "channel": TRIO, "channel_type": "mpim", "bot_id": "B0PEER0001"},
        *BOT),
    Row("D13", "sender_is_bot; operator=False; MUTE", {**TO_US, "subtype": "bot_message", "user": None,
        "bot_id": "B0CLASSIC1", "username": "oper"}, *BOT),
    Row("D14", "treat as bot-authored", {**TO_US, "user": OPER, "bot_id": "B0PEERBT01", "app_id": "A0PEERAP01"}, *BOT),
    Row("N01", "operator=False even if ids look alike", {**PAUSE, "user_team": OTHER_TEAM}, *ASKED),
    Row("N01", "sender external", PAUSE, "respond", "operator_command", {"id": OPER, **OURS}, "internal"),
    Row("N02", "external sender", INSIDE, *ASKED, {"id": OPER, **OURS, "is_stranger": True}),
    Row("N02", "external sender", INSIDE, *ASKED, {"id": OPER, **OURS}, "internal"),
    Row("N03b", "sender = raw user id, unknown, external", INSIDE, *ASKED, {"ok": False, "error": "user_not_found"}),
    Row("N03b", "never attributed to the previous speaker", INSIDE, *ASKED, {"id": BUYER, **OURS}),
]  # fmt: skip


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_event(desks: Desks, row: Row) -> None:
    """The raw event is decided as the report says, at the audience that can be proven."""
    lookup = {"users.info": row.user}

    answer = told(desks(POLICY, AGENT).check(envelope(row.said), platform="slack", state={"lookup": lookup}))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])


@case("I24", "policy lookup by full triple; T2 external")
def test_i24_one_channel_id_in_two_workspaces(desks: Desks) -> None:
    """The same id in another workspace, by its own installation, is another place."""
    there = [{"enterprise_id": None, "team_id": OTHER_TEAM, "user_id": DESK}]
    known = {"users.info": {"id": OPER, **OURS}}
    desk = desks(POLICY, AGENT)

    ours, theirs = (
        told(desk.check(envelope(INSIDE, **about), platform="slack", state={"lookup": known}))
        for about in ({}, {"authorizations": there})
    )

    assert [f"slack/{TEAM}/{INT}", "internal"] == [ours["target"], ours["audience"]]
    assert [f"slack/{OTHER_TEAM}/{INT}", "external"] == [theirs["target"], theirs["audience"]]
    assert "access_denied" == theirs["reason"]


@case("K05", "explicit command: RESPOND/explicit_agent_request ext")
def test_k05_a_slash_command(desks: Desks) -> None:
    """The form that our app's command sends is a command to us; another app's is none of ours."""
    form = {"team_id": TEAM, "channel_id": EXT, "channel_name": "shelves", "user_id": BUYER, "command": "/dates"}
    form |= {"text": "October", "api_app_id": "A0DESKAP01", "trigger_id": "111.111.abc"}
    desk = desks(POLICY, AGENT)

    answer = told(desk.check(form, platform="slack"))
    other = told(desk.check(form | {"api_app_id": "A0PEERAP01"}, platform="slack"))

    assert ["respond", "agent_command", "external"] == [answer["outcome"], answer["reason"], answer["audience"]]
    assert ["silent", "invalid_facts"] == [other["outcome"], other["reason"]]


@case("L08", "each app decides for itself")
def test_l08_two_apps_and_one_post(desks: Desks) -> None:
    """One post and one event id reach two of our apps: each answers its own copy, and nothing of the other's."""
    second = {"user_id": "U0DESKBT02", "bot_id": "B0DESKBT02", "app_id": "A0DESKAP02"}
    both = blocks(section(MENTION, {"type": "user", "user_id": "U0DESKBT02"}, " compare"))
    first, other = envelope(both), envelope(both, api_app_id="A0DESKAP02")

    reasons = [
        told(desks(POLICY, agent).check(raw, platform="slack"))["reason"]
        for agent, raw in ((AGENT, first), (second, other), (AGENT, other), (second, first))
    ]

    assert ["agent_mentioned", "agent_mentioned", "invalid_facts", "invalid_facts"] == reasons


def signed(at: int, secret: str = SECRET) -> dict[str, Any]:
    """A mention, as Slack posts it, signed at a moment (epoch seconds)."""
    body = json.dumps(envelope(TO_US)).encode()
    signature = hmac.new(secret.encode(), f"v0:{at}:".encode() + body, hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": str(at), "X-Slack-Signature": f"v0={signature}"}
    return {"headers": headers, "body_base64": base64.b64encode(body).decode(), "received_at": 1790000000000}


@pytest.mark.parametrize(
    ("secret", "raw", "decided"),
    [
        pytest.param(SECRET, signed(1790000000), ("respond", "agent_mentioned"), id="fresh"),
        pytest.param(SECRET, signed(1790000000 - 300), ("respond", "agent_mentioned"), id="five minutes"),
        pytest.param(
            SECRET,
            signed(1790000000 - 301),
            ("rejected", "auth_failed"),
            id="301 s",
            marks=case("I12", "REJECT/stale*"),
        ),
        pytest.param(
            SECRET,
            {**signed(1790000000), "headers": {}},
            ("rejected", "auth_failed"),
            id="no header",
            marks=case("I09", "REJECT/auth_failed*"),
        ),
        pytest.param(
            "",
            signed(1790000000, ""),
            ("rejected", "auth_failed"),
            id="no secret",
            marks=case("I09", "REJECT/auth_failed*"),
        ),
    ],
)
def test_whose_request(desks: Desks, secret: str, raw: dict[str, Any], decided: tuple[str, str]) -> None:
    """Only a request that our secret signed within five minutes is decided at all."""
    answer = told(desks(POLICY, {**AGENT, "signing_secret": secret}).check(raw, platform="slack"))

    assert decided == (answer["outcome"], answer["reason"])


class Told(NamedTuple):
    """An event of a report's own, and the decision under the report's own policy and facts."""

    case: str
    right: str
    event: str
    outcome: str
    reason: str
    facts: bool = True
    """Whether the look-ups of the report succeed."""


OWN_WORDS = [
    Told("C002", "outcome=silent, consent=none", "event", *NOTHING),
    Told("C010", "to_human and by_name -> outcome=silent", "event_to_human", "silent", "addressed_to_other"),
    Told("C010", "to_human and by_name -> outcome=silent", "event_by_name", *NOTHING),
    Told("C010", "both -> consent=mention regardless of order", "event_both", *ASKED),
    Told("C014", "consent=mention; conversation kind = group DM", "event", *ASKED),
    Told("C014", "if that call fails: kind=unknown -> group rules, external", "event", *ASKED, False),
    Told("C016", "audience=external for both variants although the sender is a trusted operator", "event", *ASKED),
    Told("C027", "Both -> outcome=silent, consent=none", "event_slack_thread", *NOTHING),
    Told("C038", "audience=external, operator=false, unchanged by topic or name", "event", *ASKED),
]


@pytest.mark.parametrize("row", rows(OWN_WORDS, name=lambda row: f"{row.event}-{row.facts}"))
def test_the_reports_own_event(desks: Desks, cases: dict[str, Report], row: Told) -> None:
    """The report's event under the report's policy, both as they are written there, at an external audience."""
    report = cases[row.case]
    lookup = report.input.get("adapter_facts", {}) if row.facts else {}
    desk = desks(policy_of(report.at("policy")), report.at("agent"))

    answer = told(desk.check(report.at(row.event), platform="slack", state={"lookup": lookup}))

    assert (row.outcome, row.reason, "external") == (answer["outcome"], answer["reason"], answer["audience"])


@case("C016", "external-share fact, or failure to establish it, overrides")
def test_c016_the_look_up_fails(desks: Desks, cases: dict[str, Report]) -> None:
    """The report's variant: neither the envelope nor the look-up says whether the channel is shared. The same post is
    internal where both the channel and the operator are known to be ours."""
    report = cases["C016"]
    variant = report.at("variant_lookup_fails")
    raw = {**report.at("event"), "is_ext_shared_channel": variant["is_ext_shared_channel"]}
    desk = desks(policy_of(report.at("policy")), report.at("agent"))
    person = {"id": OPER, **OURS}
    proven = {"id": "C0PARTNRS1", "is_ext_shared": False}

    failed, known = (
        told(desk.check(raw, platform="slack", state={"lookup": {"conversations.info": place, "users.info": person}}))
        for place in (variant["conversations.info"], proven)
    )

    assert ["external", "internal"] == [failed["audience"], known["audience"]]
