"""The platform-shaped failure reports, through the real command line.

`ADMISSION`: what the gate makes of one event. Matrix reports go in raw; of platforms whose facts are not built, the
report's own words go in and its facts are restated as an event of the memory platform, because the rule under test is
the gate's. `RELEASE`: what the gate makes of one text. `test_c…`: what needs several steps, or the door itself.
Every report of the file stands in one of these or in `LATER`, with the reason.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.policy_file import TargetEntry
from dragoman.gate.ports import Draft, Presence, Turn
from dragoman.gate.prompt import STRICT_PROMPT, envelope
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.words import Fact, OutputClass, Reason, ReleaseOutcome
from tests.cases.reports import Report, policy_of, reports
from tests.cli.desk import Desk, refused, said, told, visible
from tests.gate.world import DM1, EXT, World, asked

FILE = "events.jsonl"


@pytest.fixture(scope="module")
def cases() -> dict[str, Report]:
    """All reports."""
    return reports(FILE)


@pytest.fixture
def channel(world: World) -> MemoryChannel:
    """A platform that counts what it is asked to do."""
    return MemoryChannel(MemoryAgent(workspace="desk", id="desk"), clock=world.clock, presence=Presence(Fact.NO))


@pytest.fixture
def world() -> World:
    """A fresh gate."""
    return World()


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
WEEKLY = """
[[grants]]
id = "g-55"
purpose = "schedule"
given_by = "U0OPERATR1"
targets = [{ platform = "memory", workspace = "T0HOMEORG1", channel = "C0SHELVES1" }]
not_before = "2026-09-21T14:13:20Z"
expires_at = "2026-10-21T14:13:20Z"
max_total = 4
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


def memory_desk(folder: Path, case: Report, extra: str = "") -> tuple[Desk, str]:
    """A desk with the report's policy, on the memory platform; and the channel of its first target."""
    rows = case.input["policy"]
    place = next(row["target"] for row in rows if "target" in row)
    policy = policy_of(rows, platform="memory") + extra
    return Desk(folder, policy, {"workspace": place["workspace"], "id": "desk"}), place["channel"]


@pytest.mark.parametrize("row", ADMISSION, ids=lambda row: f"{row.case}-{row.reason}")
def test_admission(tmp_path: Path, cases: dict[str, Report], row: Row) -> None:
    """Each restated event is decided as its report says; a silent decision allows no output of any class."""
    case = cases[row.case]
    case.quoted(row.right)
    desk, channel = memory_desk(tmp_path, case, row.policy)
    event = said(case.at(row.text) if row.text else "", **{"channel": channel, **row.facts})

    answer = told(desk.check(event, state=row.state, now="2026-09-21T14:13:20Z"))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])
    assert (row.outcome == "respond") == bool(answer["allowed_classes"])


def test_c020_access_comes_first(tmp_path: Path, cases: dict[str, Report]) -> None:
    """A one-to-one of a denied target is silent, whatever it asks."""
    case = cases["C020"]
    case.quoted("access_closed -> silent because access control runs first")
    rows = [{**case.input["policy"][0], "access": "deny"}]
    desk = Desk(tmp_path, policy_of(rows, platform="memory"), {"workspace": "7000000001", "id": "desk"})
    event = said(case.at("event_third_person/message/text"), channel="5100000001", direct=True)

    assert "access_denied" == told(desk.check(event))["reason"]


@pytest.mark.parametrize("fires", [0, 1])
def test_c057_each_firing_is_decided_anew(tmp_path: Path, cases: dict[str, Report], fires: int) -> None:
    """The grant is asked at the firing: within its time it answers, after it nothing does."""
    case = cases["C057"]
    case.quoted("second firing (expired) silent")
    desk, channel = memory_desk(tmp_path, case, WEEKLY)
    event = {"kind": "synthetic", "id": "s", "channel": channel, "grant_id": "g-55", "shared": False}

    answer = told(desk.check(event, now=case.at(f"fire_at/{fires}")))

    assert ["respond", "silent"][fires] == answer["outcome"]


# --- Matrix, raw -----------------------------------------------------------------------------------------------------

DESK = "@desk:desk.example"
OPEN = 'unknown_targets = "explicit_requests"\n'


def matrix_desk(folder: Path, case: Report) -> Desk:
    """A desk with the report's policy; the workspace of a Matrix target is our own user id (spec 1 §2)."""
    return Desk(folder, OPEN + policy_of(case.input["policy"], workspace=DESK), {"user_id": DESK})


@pytest.mark.parametrize(
    ("event", "members", "right", "outcome", "reason"),
    [
        ("event_room", (), "event_room -> outcome=silent", "silent", "not_requested"),
        ("event_dm", (), "event_dm -> consent=dm, external", "respond", "direct_message"),
        ("event_dm", ("@third:x.example",), "after the third join the same room is a group", "silent", "not_requested"),
    ],
)
def test_c015_two_members_are_no_one_to_one(
    tmp_path: Path,
    cases: dict[str, Report],
    event: str,
    members: tuple[str, ...],
    right: str,
    outcome: str,
    reason: str,
) -> None:
    """Raw Matrix events: a direct marker and exactly two members, now, or it is a group."""
    case = cases["C015"]
    case.quoted(right)
    lookup = {
        "joined_members": [*case.at("adapter_facts/joined_members"), *members],
        "m_direct": case.at("adapter_facts/m.direct"),
        "agent_member_event": case.at("adapter_facts/agent_member_event") if event == "event_room" else None,
    }

    answer = told(
        matrix_desk(tmp_path, case).check(
            case.at(event), platform="matrix", state={"lookup": lookup}, now="2026-09-21T14:13:21Z"
        )
    )

    assert (outcome, reason, "external") == (answer["outcome"], answer["reason"], answer["audience"])


@pytest.mark.parametrize("index", range(6))
def test_c034_ids_are_exact(tmp_path: Path, cases: dict[str, Report], index: int) -> None:
    """Only the byte for byte same room id finds its row; case, aliases, ports and missing servers find nothing."""
    case = cases["C034"]
    case.quoted("Exact, case-sensitive comparison of opaque ids on both load and lookup, with no folding")
    wanted = case.at(f"events/{index}")
    event = {
        "type": "m.room.message",
        "event_id": "$1",
        "sender": "@kim:desk.example",
        "room_id": wanted["room_id"],
        "content": {"msgtype": "m.text", "body": "hi", "m.mentions": {"user_ids": [DESK]}},
    }
    lookup = {"joined_members": [DESK, "@kim:desk.example"], "federate": False, "world_readable": False}

    answer = told(matrix_desk(tmp_path, case).check(event, platform="matrix", state={"lookup": lookup}))

    assert wanted["expect"] == answer["audience"]


# --- the policy file -------------------------------------------------------------------------------------------------


def test_c035_the_empty_list_is_nobody(tmp_path: Path, cases: dict[str, Report]) -> None:
    """The first variant loads, and nobody is an operator."""
    case = cases["C035"]
    case.quoted("Variant 1 is valid and trusts nobody.")
    desk = Desk(
        tmp_path,
        policy_of([case.at("policy_variants/0")], platform="memory"),
        {"workspace": "T0HOMEORG1", "id": "desk"},
    )

    answer = told(desk.check(said(channel="C0OPSROOM1", author="U0OPERATR1", command=STOP)))

    assert ("internal", "agent_command") == (answer["audience"], answer["reason"])


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
    tmp_path: Path, cases: dict[str, Report], variant: int, place: str, key: str
) -> None:
    """The other five are refused: the exact place, the offending key or value, and every accepted key."""
    case = cases["C035"]
    case.quoted("Variants 2-6 are load errors naming the exact path and the accepted keys")
    row = case.at(f"policy_variants/{variant}")
    flat = {**row["target"], **{name: value for name, value in row.items() if name != "target"}}
    policy = "version = 1\n[[targets]]\n" + "".join(
        f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n" for name, value in flat.items()
    )
    assert flat == tomllib.loads(policy)["targets"][0]

    error = refused(Desk(tmp_path, policy).check(said()), "policy_invalid")

    assert place in error["detail"]
    assert key in error["detail"]
    assert all(name in error["fix"] for name in TargetEntry.__struct_fields__)


# --- may it go out? --------------------------------------------------------------------------------------------------


class Text(NamedTuple):
    """`text` is the path of the report's own words, or the words that a handler would have made of it."""

    case: str
    right: str
    text: str | list[str]
    release: str
    reason: str
    output_class: str = "final"
    words: tuple[str, ...] = ("--admitted",)
    target: str = ""
    shown: str | None = None


GUARDED = """
[[counterparties]]
id = "halden"
terms = ["Northwind", "floor=12", "sk-test-EXAMPLE0000000000000000"]
"""
"""What is guarded in these reports: it belongs to a counterparty of none of their targets."""
RECORDED = ("6 October is free.", "Dates: 6 and 13.", "The 13th is free.", "6 and 13 October are free.", "open 9 to 5")
ANSWER = "6 October is free."
THINKING = "User wants a discount. Internal floor is 12. Do not say."
G52 = """
[[grants]]
id = "g-52"
purpose = "schedule"
given_by = "operator"
targets = [{ platform = "memory", workspace = "1216052880998400005", channel = "1551595103846400031" }]
expires_at = "2026-10-21T14:13:20Z"
"""
G54 = """
[[grants]]
id = "g-54"
purpose = "schedule"
given_by = "operator"
targets = [{ platform = "memory", workspace = "T0HOMEORG1", channel = "C0SHELVES1" }]
expires_at = "2026-10-21T14:13:20Z"
[[grants]]
id = "ops-notice"
purpose = "schedule"
given_by = "operator"
targets = [{ platform = "memory", workspace = "T0HOMEORG1", channel = "C0OPSROOM1" }]
expires_at = "2026-10-21T14:13:20Z"
"""
GRANTS = {"C053": G52, "C055": G54, "C057": WEEKLY}
THREAD = "memory/1216052880998400005/1551595103846400031"
OPSROOM = "memory/T0HOMEORG1/C0OPSROOM1"

RELEASE = [
    Text(
        "C014",
        "a send to D0BUYERAA1 must raise a target-mismatch block",
        "Free dates follow.",
        "deny",
        "no_delivery_authority",
        words=(),
        target="memory/T0HOMEORG1/D0BUYERAA1",
    ),
    *(
        Text(
            "C016",
            "no progress, no internal facts",
            "Looking into it.",
            "deny",
            "class_not_allowed",
            each,
            ("--admitted", "--shared", shared),
        )
        for each in ("progress", "operational")
        for shared in ("yes", "unknown")
    ),
    *(
        Text("C039", "no part of str(exception)", f"@exceptions/{index}", "hold", "leak_suspected")
        for index in range(3)
    ),
    *(
        Text(
            "C039",
            "exceptions, secrets and paths are never",
            f"@exceptions/{index}",
            "deny",
            "class_not_allowed",
            "internals",
        )
        for index in range(3)
    ),
    *(
        Text("C040", "The four disguised forms", f"@disguised/{index}", "hold", "leak_suspected", shown="")
        for index in range(4)
    ),
    Text(
        "C041",
        "reasoning is never counterparty content",
        "@model_stream/0/text",
        "deny",
        "class_not_allowed",
        "reasoning",
    ),
    Text("C041", "exactly one visible text, '6 October is free.'", "@model_stream/4/text", "send", "released"),
    Text(
        "C041",
        "Internal: final plus concise allowed progress; still no reasoning",
        "@model_stream/0/text",
        "deny",
        "class_not_allowed",
        "reasoning",
        target=OPSROOM,
    ),
    Text(
        "C041",
        "Internal: final plus concise allowed progress",
        "Checking.",
        "send",
        "released",
        "progress",
        target=OPSROOM,
    ),
    Text("C042", "intended silence is valid", "@final_markers/0", "deny", "empty_text"),
    Text("C043", "C0GRPDM001 (external): one message, the final text", "@run_events/3/text", "send", "released"),
    Text("C043", "C0GRPDM001 (external): one message", "@run_events/2/text", "deny", "class_not_allowed", "internals"),
    Text("C043", "C0GRPDM001 (external): one message", "checking records", "deny", "class_not_allowed", "progress"),
    Text(
        "C043",
        "final plus concise progress such as 'checking records'",
        "checking records",
        "send",
        "released",
        "progress",
        target=OPSROOM,
    ),
    Text(
        "C043",
        "with no path, URL, argument or trace",
        "@run_events/0/args/path",
        "hold",
        "leak_suspected",
        "progress",
        target=OPSROOM,
    ),
    Text(
        "C043",
        "paths, config and test state",
        "@run_events/2/text",
        "deny",
        "class_not_allowed",
        "internals",
        target=OPSROOM,
    ),
    *(
        Text(
            "C044",
            "all three candidates are withheld from the customer",
            f"@agent_candidates/{index}",
            "deny",
            "class_not_allowed",
            "internals",
        )
        for index in range(3)
    ),
    *(
        Text(
            "C044",
            "all three candidates are withheld from the customer",
            f"@agent_candidates/{index}",
            "hold",
            "unverified_claim",
        )
        for index in (0, 2)
    ),
    Text("C045", "never the first answer", "@timeline/3/backend_bytes", "hold", "leak_suspected"),
    Text("C045", "receives 'open 9 to 5'", "@timeline/4/backend_bytes", "send", "released"),
    *(
        Text(
            "C047",
            "Outputs 1-3 are blocked before any request",
            f"@candidate_outputs/{index}",
            "hold",
            "leak_suspected",
        )
        for index in range(3)
    ),
    Text("C047", "output 4 passes", "@candidate_outputs/3", "send", "released"),
    Text("C048", "the visible text equals '6 October is free.'", "@prepared_text", "send", "released"),
    Text("C050", "Dates -> answered from the record", "6 and 13 October are free.", "send", "released"),
    Text("C050", "contract wording", "We agree to everything, and this is binding.", "hold", "draft_only_topic"),
    Text("C050", "Price", "Yes, it is a deal for 1 unit of currency.", "hold", "draft_only_topic"),
    Text("C050", "refund/legal rule", "We refund late pallets within 14 days.", "hold", "draft_only_topic"),
    Text("C050", "Signing, paying -> hard stop", "I signed the order and paid the deposit.", "deny", "hard_stop"),
    Text(
        "C051",
        "the quoted margin line blocks the send",
        "The 13th is free.\n\n> margin note for Northwind: 12\n",
        "hold",
        "leak_suspected",
    ),
    Text(
        "C053",
        "the grant names one full target",
        "@run_output",
        "hold",
        "draft_only_topic",
        words=("--grant", "g-52"),
        target=THREAD,
    ),
    *(
        Text(
            "C053",
            "No send to either candidate: the grant names one full target",
            "Please remember the meeting.",
            "deny",
            "grant_other_target",
            words=("--grant", "g-52"),
            target=target,
        )
        for target in ("memory/1216052880998400005/1216052880998400006", "memory/7000000001/5100000090")
    ),
    Text(
        "C053",
        "the grant names one full target",
        "Please remember the meeting.",
        "send",
        "released",
        words=("--grant", "g-52"),
        target=THREAD,
    ),
    Text(
        "C055",
        "C0SHELVES1: silent for both the failed and the empty run",
        "@run/error",
        "deny",
        "class_not_allowed",
        "internals",
        ("--grant", "g-54"),
    ),
    Text(
        "C055",
        "C0SHELVES1: silent for both the failed and the empty run",
        "@also/run2/output",
        "deny",
        "empty_text",
        words=("--grant", "g-54"),
    ),
    Text(
        "C055",
        "C0OPSROOM1: one concise notice with opaque id, no URL or trace, if a grant for it exists",
        "A scheduled run failed: cor-1f2e.",
        "send",
        "released",
        "operational",
        ("--grant", "ops-notice"),
        OPSROOM,
    ),
    Text("C057", "first output sent once", "@outputs/0", "send", "released", words=("--grant", "g-55")),
    Text("C057", "second output refused", "@outputs/1", "hold", "leak_suspected", words=("--grant", "g-55")),
    Text(
        "C057",
        "still external, so the safe output may go",
        "@outputs/0",
        "send",
        "released",
        words=("--grant", "g-55", "--shared", "yes"),
    ),
    # streams
    Text(
        "C040", "Any hit stops the stream, nothing more is sent", ["@stream_chunks"], "hold", "leak_suspected", shown=""
    ),
    Text(
        "C040",
        "nor the concatenation of all of them in order",
        list("Here it is: sk-test-EXAMPLE0000000000000000 - enjoy"),
        "hold",
        "leak_suspected",
        shown="",
    ),
    Text(
        "C040",
        "check before splitting by length",
        "x " * 1990 + "sk-test-EXAMPLE0000000000000000",
        "deny",
        "too_long",
        shown="",
    ),
    Text(
        "C040",
        "check before splitting by length",
        ["x " * 1900, "sk-test-EXAMPLE0000000000000000"],
        "hold",
        "leak_suspected",
        shown="",
    ),
    Text("C042", "no fragment may have been shown", ["NO", "_REP", "LY"], "deny", "empty_text", shown=""),
    Text(
        "C049",
        "the run is closed by the block; no further chunk or edit goes out",
        ["Checking. ", "The 6th costs us 12, so", " The 6th and 13th are free. "],
        "hold",
        "unverified_claim",
        shown="Checking.",
    ),
]
"""A text that starts with `@` is a path into the report."""

KNOWN_WRONG = [
    pytest.param(
        Text(
            "C042",
            "if a marker occurs anywhere in text destined outward the send is withheld",
            "@final_markers/2",
            "deny",
            "-",
        ),
        marks=pytest.mark.xfail(strict=True, reason="spec 1 §3: the silence token must match the whole text"),
        id="C042-marker in bold",
    ),
    pytest.param(
        Text("C044", "all three candidates are withheld from the customer", "@agent_candidates/1", "hold", "-"),
        marks=pytest.mark.xfail(strict=True, reason="spec 1 §4: nothing guesses a class from finished text"),
        id="C044-filing notice typed final",
    ),
    pytest.param(
        Text(
            "C048",
            "a message that still holds an addition is withheld",
            ["@prepared_text", "@late_additions/2"],
            "hold",
            "-",
        ),
        marks=pytest.mark.xfail(strict=True, reason="spec 1 §5 guards no mail address and no name of ours"),
        id="C048-signature",
    ),
]
"""What the report wants and Dragoman does not do, with the sentence of the specification that it follows."""


def words_of(case: Report, text: str | list[str]) -> str | list[str]:
    """The words of a row: its own, or the report's."""
    if isinstance(text, str):
        found: str = case.at(text[1:]) if text.startswith("@") else text
        return found
    pieces = [words_of(case, piece) for piece in text]
    return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], list) else pieces  # type: ignore[return-value]


def recorded(case: Report) -> str:
    """The report's policy with what is guarded, and the facts that its targets may state."""
    rows = case.input.get("policy", [])
    named = {(row["target"]["workspace"], row["target"]["channel"]) for row in rows if "target" in row}
    if case.id == "C053":
        named.add(("1216052880998400005", "1551595103846400031"))
    facts = "".join(
        f'\n[[records]]\nfacts = {list(RECORDED)!r}\ntarget = {{ platform = "memory", workspace = "{workspace}", '
        f'channel = "{channel}" }}\n'
        for workspace, channel in sorted(named)
    )
    return policy_of(rows, platform="memory") + GUARDED + facts + GRANTS.get(case.id, "")


@pytest.mark.parametrize("row", [*RELEASE, *KNOWN_WRONG], ids=lambda row: f"{row.case}-{row.reason}-{row.output_class}")
def test_release(tmp_path: Path, cases: dict[str, Report], row: Text) -> None:
    """Each text is released as its report says; what is not released does not stand in `sent`."""
    case = cases[row.case]
    case.quoted(row.right)
    desk = Desk(tmp_path, recorded(case))
    first = next((each["target"] for each in case.input.get("policy", []) if "target" in each), None)
    target = row.target or f"memory/{first['workspace']}/{first['channel']}"  # type: ignore[index]
    text = words_of(case, row.text)

    answer = told(desk.release(text, *row.words, target=target, output_class=row.output_class))

    whole = text if isinstance(text, str) else "".join(text)
    shown = row.shown if row.shown is not None else (whole if row.release == "send" else "")
    assert row.release == answer["release"], answer
    assert row.reason in (answer["reason"], "-")
    assert shown == visible(answer["sent"])


def test_c040_however_it_is_cut(tmp_path: Path, cases: dict[str, Report]) -> None:
    """Two pieces, cut at every place: no visible text ever holds a recognisable part of the key."""
    case = cases["C040"]
    case.quoted("ever contains the protected value or a prefix of it long enough to be recognisable")
    desk = Desk(tmp_path, recorded(case))
    text = "".join(case.at("stream_chunks"))
    target = "memory/7000000001/5100000001"

    shown = {
        visible(told(desk.release([text[:place], text[place:]], "--admitted", target=target))["sent"])
        for place in range(len(text))
    }

    assert [] == [each for each in shown if "sk-" in each]


@pytest.mark.parametrize("addition", [0, 1])
def test_c048_the_assembled_text_is_what_counts(tmp_path: Path, cases: dict[str, Report], addition: int) -> None:
    """A prefix or a footer that came late is judged with the text it was added to."""
    case = cases["C048"]
    case.quoted("a message that still holds an addition is withheld, not patched by luck")
    late, text = case.at(f"late_additions/{addition}"), case.at("prepared_text")
    desk = Desk(tmp_path, recorded(case))

    answer = told(
        desk.release(late + text if addition == 0 else text + late, "--admitted", target="memory/7000000001/5100000001")
    )

    assert ("hold", []) == (answer["release"], answer["sent"])


@pytest.mark.parametrize("output_class", ["unlabelled", "answer"])
def test_c041_what_has_no_class_is_refused(tmp_path: Path, cases: dict[str, Report], output_class: str) -> None:
    """A class that is none of the eight is no class: the command refuses it, and nothing is decided."""
    case = cases["C041"]
    case.quoted("Unlabelled and interim text is not final -> not sent")

    refused(Desk(tmp_path).release("6 October is free.", "--admitted", output_class=output_class), "usage")


def test_c038_the_prompt_is_a_constant(cases: dict[str, Report]) -> None:
    """No label stands in the strict prompt; one that is needed travels as JSON data beside it."""
    case = cases["C038"]
    case.quoted("the strict prompt is a constant (byte-identical across targets) and contains neither string")
    topic = case.at("adapter_facts/conversations.info/topic/value")
    name = case.at("adapter_facts/users.info/profile/display_name")

    assert [] == [label for label in (topic, name) if label in STRICT_PROMPT]
    assert 3 == len(envelope([], language="en", labels={"topic": topic, "name": name}).splitlines())


# --- the door itself -------------------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize("index", range(3))
async def test_c039_a_failure_is_one_constant_sentence(
    world: World, channel: MemoryChannel, cases: dict[str, Report], index: int
) -> None:
    """Whatever the agent raised, the counterparty reads the safe sentence, and the journal holds no word of it."""
    case = cases["C039"]
    case.quoted("External text is one constant safe sentence")
    words = case.at(f"exceptions/{index}")

    async def agent(turn: Turn) -> None:
        raise RuntimeError(words)

    await world.gate.handle(asked(), channel, agent)

    assert [safe_sentence(Sentence.FAILED, "en")] == [output.text for output in channel.performed]
    assert [] == [entry for entry in world.journal.entries if words[:20] in repr(entry)]


@pytest.mark.anyio
@pytest.mark.parametrize("case_id", ["C018", "C045"])
async def test_a_result_goes_to_its_own_target(
    world: World, channel: MemoryChannel, cases: dict[str, Report], case_id: str
) -> None:
    """A late result cannot be handed to whoever wrote last: the admission it answers names one target."""
    case = cases[case_id]
    case.quoted({"C018": "Zero sends of it to 5100000002", "C045": "at send time a mismatch blocks"}[case_id])
    first = world.gate.admit(asked(target=DM1, dedupe_key=f"{case_id}-1"))
    world.gate.admit(asked(target=EXT, dedupe_key=f"{case_id}-2"))

    wrong = await world.gate.deliver(Draft(text="It is on its way."), first, channel, key="k1", target=EXT)
    right = await world.gate.deliver(Draft(text="It is on its way."), first, channel, key="k2")

    assert (ReleaseOutcome.DENY, Reason.OTHER_TARGET) == (wrong.outcome, wrong.reason)
    assert ([DM1], Fact.YES) == ([output.target for output in channel.performed], right.delivered)


@pytest.mark.anyio
async def test_c018_an_outlived_decision_delivers_nothing(
    world: World, channel: MemoryChannel, cases: dict[str, Report]
) -> None:
    """A background result that comes after its admission ended needs a grant, and is not sent."""
    cases["C018"].quoted("if that decision or target is no longer valid the result is held for the owner")
    admission = world.gate.admit(asked(target=DM1))
    world.clock.time = admission.expires_at

    late = await world.gate.deliver(Draft(text="It is on its way."), admission, channel, key="k1")

    assert (Reason.ADMISSION_EXPIRED, []) == (late.reason, channel.performed)


@pytest.mark.anyio
async def test_c053_a_failed_send_is_not_rerouted(
    world: World, channel: MemoryChannel, cases: dict[str, Report]
) -> None:
    """Refused or unanswered, one call was made, to the one target, and nothing else follows."""
    cases["C053"].quoted("An uncertain failure (timeout) is likewise not rerouted")
    for fault, delivered in ((Fault.REFUSED, Fact.NO), (Fault.VANISHED, Fact.UNKNOWN)):
        channel.plan(fault)
        grant = world.policy.grants["weekly"]
        delivery = await world.gate.deliver(Draft(text="Good morning."), grant, channel, key=fault, target=EXT)
        assert delivered is delivery.delivered

    assert (2, []) == (channel.counts.total(), channel.performed)


@pytest.mark.anyio
async def test_c056_only_evidence_is_delivery(world: World, channel: MemoryChannel, cases: dict[str, Report]) -> None:
    """Suppressed, delivered, unknown and nothing to send are four different records."""
    cases["C056"].quoted("d1 suppressed, d2 delivered (platform message id kept)")
    cases["C056"].quoted("d5 nothing_to_send")
    channel.plan(None, Fault.VANISHED)
    admission = world.gate.admit(asked())
    drafts = {
        "d1": Draft(text="Thinking.", output_class=OutputClass.REASONING),
        "d2": Draft(text="Good morning."),
        "d4": Draft(text="Good evening."),
        "d5": Draft(text=""),
    }

    found = {name: await world.gate.deliver(draft, admission, channel, key=name) for name, draft in drafts.items()}

    assert {"d1": Fact.NO, "d2": Fact.YES, "d4": Fact.UNKNOWN, "d5": Fact.NO} == {
        name: delivery.delivered for name, delivery in found.items()
    }
    assert ["deny", "delivered", "uncertain", "deny"] == [entry.outcome for entry in world.journal.entries[1:]]
    assert "memory-1" == found["d2"].evidence


@pytest.mark.anyio
async def test_c042_silence_after_a_preview_shows_nothing(
    world: World, channel: MemoryChannel, cases: dict[str, Report]
) -> None:
    """A stream that turns out to be the silence token leaves no fragment: zero sends, zero edits."""
    cases["C042"].quoted("no fragment may have been shown before the class of the output was known")

    async def pieces() -> AsyncIterator[str]:
        for piece in ("NO", "_RE", "PLY"):
            yield piece

    async def agent(turn: Turn) -> None:
        await turn.stream(pieces())

    await world.gate.handle(asked(), channel, agent)

    assert (0, []) == (channel.counts.total(), channel.performed)


# --- what is covered -------------------------------------------------------------------------------------------------

FACTS_LATER = "needs the platform's own facts"
RECEIVER = "the receiver's part"
PACKETS = "tests/packets"
LATER = {
    "C004": f"Telegram entities: {FACTS_LATER}",
    "C011": f"Teams mention entities: {FACTS_LATER}",
    "C033": f"mail headers: {FACTS_LATER}",
    "C037": f"Telegram pseudo-accounts: {FACTS_LATER}",
    **{f"C0{number}": RECEIVER for number in (58, 59, 60, 61, 62, 64, 65, 66, 67, 68, 69, 71, 72)},
    "C077": PACKETS,
    "C081": PACKETS,
    "C083": PACKETS,
}
"""Reports that are no test here, and why. Of C008 (managed role), C016 (notice to the operators) and C044 (the staff
note as an event) a part is missing as well: it needs the facts of Discord, notices, and Chatwoot."""


def test_every_report_is_accounted_for(cases: dict[str, Report]) -> None:
    """Each report is a test or is listed as later with its reason; nothing is skipped in silence."""
    here = {row.case for row in (*ADMISSION, *RELEASE)} | {"C018"}
    here |= {name.upper() for name in re.findall(r"def test_(c\d{3})", Path(__file__).read_text())}

    print(f"{FILE}: {len(here)} of {len(cases)} reports are tests, {len(LATER)} later")
    for name, reason in LATER.items():
        print(f"  later {name}: {reason}")
    assert set(cases) == here | set(LATER)
    assert set() == here & set(LATER)
