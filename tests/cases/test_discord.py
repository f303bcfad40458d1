"""The reports about Discord: raw gateway events and interactions, through `dragoman gate check`."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import Report, case, policy_of, rows
from tests.cli.desk import told

DESK, APP, GUILD = "1174109840998400001", "1174109840998400000", "1216052880998400005"
GROUP, FREE, OURS, DM, ELSEWHERE = (f"12160528809984000{number}" for number in ("06", "07", "08", "09", "10"))
OWN_ROLE, STAFF, OTHER_GUILD = "1216052880998400011", "1216052880998400012", "1216052880998400099"
BUYER, JORDAN, OPER, B3, HOOK = (f"11741098409984000{number}" for number in ("03", "04", "05", "06", "07"))
ID = "1551597200998400061"
AGENT = {"user_id": DESK, "application_id": APP}
POLICY = f"""
version = 1
commands = ["find"]

[[operators]]
platform = "discord"
workspace = "{GUILD}"
id = "{OPER}"

[[targets]]
platform = "discord"
workspace = "{GUILD}"
channel = "{GROUP}"
audience = "external"

[[targets]]
platform = "discord"
workspace = "{GUILD}"
channel = "{FREE}"
audience = "external"
require_mention = false

[[targets]]
platform = "discord"
workspace = "{APP}"
channel = "{DM}"
audience = "external"

[[grants]]
id = "hook"
purpose = "bot"
given_by = "{OPER}"
targets = [{{ platform = "discord", workspace = "{GUILD}", channel = "{GROUP}" }}]
admits = "discord/{GUILD}/{HOOK}"
max_total = 3
expires_at = "2026-09-21T15:13:20Z"
"""
ROLES = [
    {"id": OWN_ROLE, "name": "Desk", "managed": True, "tags": {"bot_id": DESK}},
    {"id": STAFF, "name": "desk"},
]
US, PERSON, PEER = {"id": DESK, "bot": True}, {"id": BUYER, "username": "buyer_a"}, {"id": B3, "bot": True}
MARK = f"<@{DESK}> which dates are open?"
ASKED: dict[str, Any] = {"content": MARK, "mentions": [US]}
TO_JORDAN: dict[str, Any] = {"content": f"<@{JORDAN}> can you drive?", "mentions": [{"id": JORDAN}]}
REPLY: dict[str, Any] = {"type": 19, "message_reference": {"message_id": "1", "channel_id": GROUP}}
OF_US: dict[str, Any] = {**REPLY, "referenced_message": {"id": "1", "author": US}}
BY_HOOK: dict[str, Any] = {"webhook_id": HOOK, "author": {"id": HOOK, "username": "stock"}}
COMMAND: dict[str, Any] = {"type": 2, "data": {"type": 1, "name": "find"}, "user": PERSON}
NOTHING, BOT = ("silent", "not_requested"), ("silent", "bot_without_grant")
CLOSED = ("silent", "access_denied")


class Row(NamedTuple):
    """One event: its place, what it says beside the usual, and the decision."""

    case: str
    right: str
    channel: str
    said: dict[str, Any]
    outcome: str
    reason: str
    of: int = 0
    """The channel's type."""
    parent: str | None = None


TABLE = [
    Row("C06", "MUTE/addressed_to_other_human", GROUP, TO_JORDAN, "silent", "addressed_to_other"),
    Row("C10", "Discord mention_everyone", GROUP, {"content": "@everyone hello", "mention_everyone": True}, *NOTHING),
    Row("C16", "direct reply to agent", GROUP, {**OF_US, "mentions": [US]}, "respond", "reply_to_agent"),
    Row("C16", "audit reason names reply, not text mention", GROUP, OF_US, "respond", "reply_to_agent"),
    Row("C30", "MUTE/no_request", GROUP, {"content": f"<@&{STAFF}> hi", "mention_roles": [STAFF]}, *NOTHING),
    Row("C30", "managed role of A may count", GROUP, {"content": f"<@&{OWN_ROLE}> hi", "mention_roles": [OWN_ROLE]},
        "respond", "agent_mentioned"),
    Row("C36", "other-human rule still applies", "1551595103846400031", TO_JORDAN, "silent", "addressed_to_other",
        11, FREE),
    Row("C36", "MUTE/addressed_to_other_human", FREE, TO_JORDAN, "silent", "addressed_to_other"),
    Row("D09", "RESPOND/operator_requested for W1 only", GROUP, {**ASKED, **BY_HOOK}, "respond", "operator_requested"),
    Row("D09", "any other webhook MUTE", GROUP, {**ASKED, "webhook_id": B3, "author": {"id": B3}}, *BOT),
    Row("D10", "MUTE/bot_without_operator_request", GROUP, {**ASKED, "author": PEER}, *BOT),
    Row("D12", "MUTE/bot_without_operator_request", GROUP, {**ASKED, "flags": 2, "webhook_id": B3}, *BOT),
    Row("D12", "MUTE/bot_without_operator_request", GROUP, {**ASKED, "flags": 2}, *BOT),
    Row("E07", "plain message MUTE", DM, {"guild_id": None}, *NOTHING, 3),
    Row("E07", "not a 1:1", DM, {**COMMAND, "guild_id": None, "context": 2}, "respond", "agent_command", 3),
    Row("E07", "an interaction is an explicit command", GROUP, COMMAND, "respond", "agent_command"),
]  # fmt: skip


def event(channel: str, said: dict[str, Any]) -> dict[str, Any]:
    """One event of the gateway; without a `user` a message of the buyer's."""
    if "data" in said:
        return {"op": 0, "t": "INTERACTION_CREATE", "d": {"id": ID, "channel_id": channel, "guild_id": GUILD, **said}}
    plain = {"content": "which dates are open?", "mentions": [], "mention_roles": [], "attachments": [], "type": 0}
    message = {"id": ID, "channel_id": channel, "guild_id": GUILD, "author": PERSON, **plain, **said}
    return {"op": 0, "t": "MESSAGE_CREATE", "s": 1, "d": message}


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_event(desks: Desks, row: Row) -> None:
    """The raw event is decided as the report says, at an external audience."""
    channel = {"id": row.channel, "type": row.of, "parent_id": row.parent}
    lookup = {"channel": channel, "roles": ROLES, "features": []}

    answer = told(
        desks(POLICY, AGENT).check(event(row.channel, row.said), platform="discord", state={"lookup": lookup})
    )

    assert (row.outcome, row.reason, "external") == (answer["outcome"], answer["reason"], answer["audience"])


@pytest.mark.parametrize("owners", [{"1": BUYER}, {}], ids=["user install", "not said"])
@case("N14", "UNK external; explicit command only")
def test_n14_in_somebody_elses_server(desks: Desks, owners: dict[str, str]) -> None:
    """A server that the policy does not know is external and closed; where explicit requests are let in, the command is
    one and chatter is none."""
    command = event(ELSEWHERE, {**COMMAND, "guild_id": OTHER_GUILD, "authorizing_integration_owners": owners})
    chatter = event(ELSEWHERE, {"guild_id": OTHER_GUILD})
    opened = POLICY.replace("version = 1", 'version = 1\nunknown_targets = "explicit_requests"')

    closed, asked, unasked = (
        told(desks(policy, AGENT).check(raw, platform="discord"))
        for policy, raw in ((POLICY, command), (opened, command), (opened, chatter))
    )

    assert [*CLOSED, "external"] == [closed["outcome"], closed["reason"], closed["audience"]]
    assert ["respond", "agent_command", "external"] == [asked["outcome"], asked["reason"], asked["audience"]]
    assert "silent" == unasked["outcome"]


class Told(NamedTuple):
    """An event of a report's own, and the decision under the report's own policy and facts."""

    case: str
    right: str
    event: str
    outcome: str
    reason: str
    audience: str = "external"


OWN_WORDS = [
    Told("C008", "everyone -> silent", "event_everyone", *NOTHING),
    Told("C008", "everyone_plus -> consent=mention", "event_everyone_plus", "respond", "agent_mentioned"),
    Told("C008", "managed_role -> consent=mention only because managed is true and tags.bot_id equals the agent id",
         "event_managed_role", "respond", "agent_mentioned"),
    Told("C008", "shared_role -> silent even though its name equals the agent's", "event_shared_role", *NOTHING),
    Told("C019", "A thread inherits kind and policy from its parent guild channel", "event", *NOTHING),
    Told("C021", "bot_reply -> silent", "event_bot_reply", *BOT),
    Told("C021", "human_reply -> consent=direct_reply", "event_human_reply", "respond", "reply_to_agent"),
    Told("C021", "ref_missing -> reply author unknown -> silent", "event_ref_missing", "silent", "addressed_to_other"),
]  # fmt: skip


@pytest.mark.parametrize("row", rows(OWN_WORDS, name=lambda row: row.event))
def test_the_reports_own_event(desks: Desks, cases: dict[str, Report], row: Told) -> None:
    """The report's event under the report's policy, both as they are written there."""
    report = cases[row.case]
    known = report.input.get("adapter_facts", {})
    channel = {key: value for key, value in known.get("channel", {}).items() if key != "member_count"}
    lookup = {"channel": channel or None, "roles": known.get("roles")}
    desk = desks(policy_of(report.at("policy")), report.at("agent"))

    answer = told(desk.check(report.at(row.event), platform="discord", state={"lookup": lookup}))
    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])


@case("C019", "member counts, truncated lists or failed lookups never turn it into a DM")
def test_c019_without_a_look_up(desks: Desks, cases: dict[str, Report]) -> None:
    """Nothing known of the thread: it is a place of its own, which the policy does not know, and no one-to-one."""
    report = cases["C019"]
    answer = told(
        desks(policy_of(report.at("policy")), report.at("agent")).check(report.at("event"), platform="discord")
    )
    assert (*CLOSED, "external") == (answer["outcome"], answer["reason"], answer["audience"])


C031 = [
    ("Both senders are untrusted (operator=false)", "event_same_name", "1174109840998400004", "agent_mentioned"),
    ("Both senders are untrusted (operator=false)", "event_username_is_id", "1174109840998400004", "agent_mentioned"),
    ("only when author.id is exactly equal, as a string, to a listed id", "event_same_name", "1174109840998400003",
     "operator_command"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("right", "name", "author", "reason"),
    [pytest.param(*row, marks=case("C031", row[0]), id=f"C031-{row[1]}-{row[3]}") for row in C031],
)
def test_c031_who_is_trusted(
    desks: Desks, cases: dict[str, Report], right: str, name: str, author: str, reason: str
) -> None:
    """What only an operator may command shows who is one: with the same words and names, the listed id alone."""
    report = cases["C031"]
    raw = report.at(name)
    said = {**raw["d"], "author": {**raw["d"]["author"], "id": author}, "content": f"<@{DESK}> /status"}
    lookup = {"features": []}
    policy = policy_of(report.at("policy")).replace("version = 1\n", 'version = 1\ncommand_prefixes = ["/"]\n', 1)

    desk = desks(policy, report.at("agent"))
    answer = told(desk.check({**raw, "d": said}, platform="discord", state={"lookup": lookup}))
    assert ("respond", reason, "internal") == (answer["outcome"], answer["reason"], answer["audience"])
