"""The platform-shaped failure reports: may the event come in? Through the real command line.

Matrix reports go in raw. Of platforms whose facts are not built, the report's own words go in and its facts are
restated as an event of the memory platform, because the rule under test is the gate's.
"""

from __future__ import annotations

import tomllib
from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desk, Desks
from tests.cases.reports import WEEKLY, Report, case, policy_of, rows
from tests.cli.desk import refused, said, told

# --- may it come in? -------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """`text` is the path of the report's own words; `facts` restates what its platform says beside them."""

    case: str
    right: str
    text: str
    facts: dict[str, Any]
    outcome: str
    reason: str
    audience: str = "external"
    state: dict[str, Any] | None = None
    policy: str = ""


PEER = """
[[grants]]
id = "opreq-17"
purpose = "bot"
given_by = "5100000090"
targets = [{ platform = "memory", workspace = "7000000001", channel = "-1002000000001" }]
admits = "memory/7000000001/7000000009"
max_total = 3
expires_at = "2026-09-21T15:13:20Z"
"""
PEER_BOT = {"author": "7000000009", "bot": True, "mentions": ["desk"]}
STOP = {"name": "stop", "directed": True}
MARGIN = "event_same_name/d/content"

ADMISSION = [
    # a thread's root is not who is replied to: Slack has no fact for a reply, so there is none
    Row("C002", "outcome=silent, consent=none", "event/event/text", {"thread": "t"}, "silent", "not_requested"),
    Row("C008", "everyone -> silent", "event_everyone/d/content", {}, "silent", "not_requested"),
    Row(
        "C008",
        "everyone_plus -> consent=mention",
        "event_everyone_plus/d/content",
        {"mentions": ["desk"]},
        "respond",
        "agent_mentioned",
    ),
    Row(
        "C010",
        "to_human and by_name -> outcome=silent",
        "event_to_human/event/text",
        {"mentions": ["U0BUYERBB2"], "thread": "t"},
        "silent",
        "addressed_to_other",
    ),
    Row(
        "C010",
        "to_human and by_name -> outcome=silent",
        "event_by_name/event/text",
        {"thread": "t"},
        "silent",
        "not_requested",
    ),
    Row(
        "C010",
        "both -> consent=mention regardless of order",
        "event_both/event/text",
        {"mentions": ["U0BUYERBB2", "desk"]},
        "respond",
        "agent_mentioned",
    ),
    Row(
        "C010",
        "both -> consent=mention regardless of order",
        "event_both/event/text",
        {"mentions": ["desk", "U0BUYERBB2"]},
        "respond",
        "agent_mentioned",
    ),
    Row("C012", "outcome=silent with zero", "event/message/text", {}, "silent", "not_requested"),
    Row(
        "C014",
        "consent=mention; conversation kind = group DM",
        "event/event/text",
        {"mentions": ["desk"]},
        "respond",
        "agent_mentioned",
    ),
    Row(
        "C014",
        "if that call fails: kind=unknown -> group rules, external",
        "event/event/text",
        {"direct": None, "shared": None},
        "silent",
        "not_requested",
    ),
    Row(
        "C016",
        "audience=external for both variants although the sender is a trusted operator",
        "event/event/text",
        {"author": "U0OPERATR1", "mentions": ["desk"], "shared": True},
        "respond",
        "agent_mentioned",
    ),
    Row(
        "C016",
        "external-share fact, or failure to establish it, overrides",
        "event/event/text",
        {"author": "U0OPERATR1", "mentions": ["desk"], "shared": None},
        "respond",
        "agent_mentioned",
    ),
    Row("C019", "outcome=silent", "event/d/content", {"direct": None}, "silent", "not_requested"),
    Row(
        "C020",
        "third_person and document -> consent=dm, audience=external, respond",
        "event_third_person/message/text",
        {"direct": True, "mentions": ["robin"]},
        "respond",
        "direct_message",
    ),
    Row(
        "C020",
        "third_person and document -> consent=dm, audience=external, respond",
        "",
        {"direct": True, "attachments": 1},
        "respond",
        "direct_message",
    ),
    Row(
        "C020",
        "blank -> silent (no substance)",
        "event_blank/message/text",
        {"direct": True},
        "silent",
        "not_requested",
    ),
    Row(
        "C020",
        "from_bot -> silent",
        "event_from_bot/message/text",
        {"direct": True, "author": "7000000009", "bot": True},
        "silent",
        "bot_without_grant",
    ),
    Row(
        "C021",
        "bot_reply -> silent",
        "event_bot_reply/d/content",
        {"author": "stock", "bot": True, "mentions": ["desk"], "reply_to": "desk"},
        "silent",
        "bot_without_grant",
    ),
    Row(
        "C021",
        "human_reply -> consent=direct_reply",
        "event_human_reply/d/content",
        {"reply_to": "desk"},
        "respond",
        "reply_to_agent",
    ),
    Row(
        "C021",
        "ref_missing -> reply author unknown -> silent",
        "event_ref_missing/d/content",
        {"reply_to": None},
        "silent",
        "addressed_to_other",
    ),
    Row(
        "C022",
        "Without operator_request: outcome=silent although the mention is exact",
        "event/message/text",
        PEER_BOT,
        "silent",
        "bot_without_grant",
    ),
    *(
        Row(
            "C022",
            "at most 3 responses to that peer in that chat before expiry, then silent",
            "event/message/text",
            PEER_BOT,
            "respond" if spent < 3 else "silent",
            "operator_requested" if spent < 3 else "bot_without_grant",
            state={"spent": {"opreq-17": {"total": spent}}},
            policy=PEER,
        )
        for spent in range(5)
    ),
    Row(
        "C022",
        "a second bot id or another chat is still silent",
        "event/message/text",
        {**PEER_BOT, "author": "7000000010"},
        "silent",
        "bot_without_grant",
        policy=PEER,
    ),
    Row(
        "C022",
        "a second bot id or another chat is still silent",
        "event/message/text",
        {**PEER_BOT, "channel": "-1002000000002"},
        "silent",
        "access_denied",
        policy=PEER,
    ),
    Row("C027", "Both -> outcome=silent, consent=none", "", {"attachments": 1}, "silent", "not_requested"),
    Row(
        "C027",
        "Both -> outcome=silent, consent=none",
        "event_slack_thread/event/text",
        {"attachments": 1, "thread": "t"},
        "silent",
        "not_requested",
    ),
    # who is trusted shows in who may command: names that a person chose are no facts at all
    Row(
        "C031",
        "Both senders are untrusted (operator=false)",
        MARGIN,
        {"author": "1174109840998400004", "command": STOP, "name": "ops.lead", "nick": "Ops Lead"},
        "respond",
        "agent_command",
        "internal",
    ),
    Row(
        "C031",
        "Both senders are untrusted (operator=false)",
        MARGIN,
        {"author": "1174109840998400004", "command": STOP, "name": "1174109840998400003"},
        "respond",
        "agent_command",
        "internal",
    ),
    Row(
        "C031",
        "only when author.id is exactly equal, as a string, to a listed id",
        MARGIN,
        {"author": "1174109840998400003", "command": STOP, "name": "ops.lead2"},
        "respond",
        "operator_command",
        "internal",
    ),
    Row(
        "C038",
        "audience=external, operator=false, unchanged by topic or name",
        "event/event/text",
        {"mentions": ["desk"], "topic": "This channel is internal.", "name": "Ops Lead (trusted operator)"},
        "respond",
        "agent_mentioned",
    ),
    # a decision that is silent before any stream exists
    Row("C042", "For a target whose decision is silent there is no stream at all", "", {}, "silent", "not_requested"),
    *(
        Row(
            "C057",
            "First firing: outcome=respond without any mention, audience=external",
            "",
            {"kind": "synthetic", "grant_id": "g-55", "shared": shared},
            "respond",
            "operator_requested",
            policy=WEEKLY,
        )
        for shared in (False, True)
    ),
    Row(
        "C057",
        "a fifth delivery silent",
        "",
        {"kind": "synthetic", "grant_id": "g-55"},
        "silent",
        "synthetic_without_grant",
        state={"spent": {"g-55": {"total": 4}}},
        policy=WEEKLY,
    ),
]


def memory_desk(desks: Desks, case: Report, extra: str = "") -> tuple[Desk, str]:
    """A desk with the report's policy, on the memory platform; and the channel of its first target."""
    rows = case.input["policy"]
    place = next(row["target"] for row in rows if "target" in row)
    policy = policy_of(rows, platform="memory") + extra
    return desks(policy, {"workspace": place["workspace"], "id": "desk"}), place["channel"]


@pytest.mark.parametrize("row", rows(ADMISSION, name=lambda row: row.reason))
def test_admission(desks: Desks, cases: dict[str, Report], row: Row) -> None:
    """Each restated event is decided as its report says; a silent decision allows no output of any class."""
    report = cases[row.case]
    desk, channel = memory_desk(desks, report, row.policy)
    event = said(report.at(row.text) if row.text else "", **{"channel": channel, **row.facts})

    answer = told(desk.check(event, state=row.state, now="2026-09-21T14:13:20Z"))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])
    assert (row.outcome == "respond") == bool(answer["allowed_classes"])


@case("C020", "access_closed -> silent because access control runs first")
def test_c020_access_comes_first(desks: Desks, cases: dict[str, Report]) -> None:
    """A one-to-one of a denied target is silent, whatever it asks."""
    report = cases["C020"]
    denied = [{**report.input["policy"][0], "access": "deny"}]
    desk = desks(policy_of(denied, platform="memory"), {"workspace": "7000000001", "id": "desk"})
    event = said(report.at("event_third_person/message/text"), channel="5100000001", direct=True)

    assert "access_denied" == told(desk.check(event))["reason"]


@case("C057", "second firing (expired) silent")
@pytest.mark.parametrize("fires", [0, 1])
def test_c057_each_firing_is_decided_anew(desks: Desks, cases: dict[str, Report], fires: int) -> None:
    """The grant is asked at the firing: within its time it answers, after it nothing does."""
    report = cases["C057"]
    desk, channel = memory_desk(desks, report, WEEKLY)
    event = {"kind": "synthetic", "id": "s", "channel": channel, "grant_id": "g-55", "shared": False}

    answer = told(desk.check(event, now=report.at(f"fire_at/{fires}")))

    assert ["respond", "silent"][fires] == answer["outcome"]


# --- Matrix, raw -----------------------------------------------------------------------------------------------------

DESK = "@desk:desk.example"
OPEN = 'unknown_targets = "explicit_requests"\n'


def matrix_desk(desks: Desks, case: Report) -> Desk:
    """A desk with the report's policy; the workspace of a Matrix target is our own user id (spec 1 §2)."""
    return desks(OPEN + policy_of(case.input["policy"], workspace=DESK), {"user_id": DESK})


@case("C015", "event_room -> outcome=silent", "event_dm -> consent=dm, external")
@case("C015", "after the third join the same room is a group")
@pytest.mark.parametrize(
    ("event", "members", "outcome", "reason"),
    [
        ("event_room", (), "silent", "not_requested"),
        ("event_dm", (), "respond", "direct_message"),
        ("event_dm", ("@third:x.example",), "silent", "not_requested"),
    ],
)
def test_c015_two_members_are_no_one_to_one(
    desks: Desks, cases: dict[str, Report], event: str, members: tuple[str, ...], outcome: str, reason: str
) -> None:
    """Raw Matrix events: a direct marker and exactly two members, now, or it is a group."""
    report = cases["C015"]
    lookup = {
        "joined_members": [*report.at("adapter_facts/joined_members"), *members],
        "m_direct": report.at("adapter_facts/m.direct"),
        "agent_member_event": report.at("adapter_facts/agent_member_event") if event == "event_room" else None,
    }

    answer = told(
        matrix_desk(desks, report).check(
            report.at(event), platform="matrix", state={"lookup": lookup}, now="2026-09-21T14:13:21Z"
        )
    )

    assert (outcome, reason, "external") == (answer["outcome"], answer["reason"], answer["audience"])


@case("C034", "Exact, case-sensitive comparison of opaque ids on both load and lookup, with no folding")
@pytest.mark.parametrize("index", range(6))
def test_c034_ids_are_exact(desks: Desks, cases: dict[str, Report], index: int) -> None:
    """Only the byte for byte same room id finds its row; case, aliases, ports and missing servers find nothing."""
    report = cases["C034"]
    wanted = report.at(f"events/{index}")
    event = {
        "type": "m.room.message",
        "event_id": "$1",
        "sender": "@kim:desk.example",
        "room_id": wanted["room_id"],
        "content": {"msgtype": "m.text", "body": "hi", "m.mentions": {"user_ids": [DESK]}},
    }
    lookup = {"joined_members": [DESK, "@kim:desk.example"], "federate": False, "world_readable": False}

    answer = told(matrix_desk(desks, report).check(event, platform="matrix", state={"lookup": lookup}))

    assert wanted["expect"] == answer["audience"]


# --- the policy file -------------------------------------------------------------------------------------------------


@case("C035", "Variant 1 is valid and trusts nobody.")
def test_c035_the_empty_list_is_nobody(desks: Desks, cases: dict[str, Report]) -> None:
    """The first variant loads, and nobody is an operator."""
    policy = policy_of([cases["C035"].at("policy_variants/0")], platform="memory")
    desk = desks(policy, {"workspace": "T0HOMEORG1", "id": "desk"})

    answer = told(desk.check(said(channel="C0OPSROOM1", author="U0OPERATR1", command=STOP)))

    assert ("internal", "agent_command") == (answer["audience"], answer["reason"])


@case("C035", "Variants 2-6 are load errors naming the exact path and the accepted keys")
@pytest.mark.parametrize(
    ("variant", "place", "key"),
    [
        (1, "$.targets[0]", "requireMention"),
        (2, "$.targets[0].audience", "Internal"),
        (3, "$.targets[0].require_mention", "str"),
        (4, "$.targets[0]", "workspace"),
        (5, "$.targets[0]", "obsrve_unmentioned_group_messages"),
    ],
)
def test_c035_what_is_misspelt_is_refused(
    desks: Desks, cases: dict[str, Report], variant: int, place: str, key: str
) -> None:
    """The other five are refused: the exact place, the offending key or value, and every accepted key."""
    row = cases["C035"].at(f"policy_variants/{variant}")
    flat = {**row["target"], **{name: value for name, value in row.items() if name != "target"}}
    policy = "version = 1\n[[targets]]\n" + "".join(
        f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n" for name, value in flat.items()
    )
    assert flat == tomllib.loads(policy)["targets"][0]

    error = refused(desks(policy).check(said()), "policy_invalid")

    assert place in error["detail"]
    assert key in error["detail"]
    assert all(name in error["fix"] for name in ("access", "audience", "require_mention", "workspace", "channel"))
