"""The reports about Telegram: raw updates, as the Bot API brings them, through `dragoman gate check`."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import Report, case, policy_of, rows
from tests.cli.desk import refused, told

OWN, BUYER, OPER, JORDAN, STOCK = 7000000001, 5100000001, 5100000090, 5100000002, 7000000009
GROUP, PRIVATE, NEWS = -1002000000001, BUYER, -1003000000001
AGENT = {"id": OWN, "is_bot": True, "first_name": "A", "username": "A_bot"}
POLICY = f"""
version = 1
commands = ["order", "start", "reset"]

[[operators]]
platform = "telegram"
workspace = "{OWN}"
id = "{OPER}"

[[targets]]
platform = "telegram"
workspace = "{OWN}"
channel = "{GROUP}"
audience = "external"

[[targets]]
platform = "telegram"
workspace = "{OWN}"
channel = "{PRIVATE}"
audience = "external"
"""
CHAT = {"id": GROUP, "type": "supergroup", "title": "Shelf planning"}
DIRECT = {"id": PRIVATE, "type": "private", "first_name": "Buyer A"}
PERSON = {"id": BUYER, "is_bot": False, "first_name": "Buyer A"}
SERVICE = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
AS_CHANNEL = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}


def entity(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    """One entity."""
    return {"type": kind, "offset": offset, "length": length, **more}


def said(text: str, *entities: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A message of the buyer's in the group."""
    message = {"message_id": 301, "from": PERSON, "chat": CHAT, "date": 1790000000, "text": text}
    return {"update_id": 800000001, "message": {**message, "entities": list(entities), **more}}


def business(sender: int) -> dict[str, Any]:
    """A message in a business's chat with the buyer."""
    message = said("are you open?", chat=DIRECT, business_connection_id="Bc1", **{"from": {**PERSON, "id": sender}})
    return {"update_id": 800000001, "business_message": message["message"]}


MENTION = entity("mention", 0, 6)
TOPIC: dict[str, Any] = {"message_id": 7, "date": 1789990000, "chat": CHAT, "from": {**AGENT}}
TOPIC |= {"message_thread_id": 7, "is_topic_message": True, "forum_topic_created": {"name": "List", "icon_color": 1}}


class Row(NamedTuple):
    """One raw update, and the decision."""

    case: str
    right: str
    update: dict[str, Any]
    outcome: str
    reason: str
    username: str = "A_bot"


NOTHING, MENTIONED = ("silent", "not_requested"), ("respond", "agent_mentioned")
AWAY, BOT = ("silent", "addressed_to_other"), ("silent", "bot_without_grant")
TABLE = [
    Row("C11", "MUTE/no_request", said("write to foo@a_bot.example", entity("email", 9, 17)), *NOTHING),
    Row("C11", "MUTE/no_request", said("write to foo@a_bot.example"), *NOTHING),
    Row(
        "C12",
        "RESPOND/explicit_agent_request",
        said("/order@A_bot", entity("bot_command", 0, 12)),
        "respond",
        "agent_command",
    ),
    Row("C12", "RESPOND/explicit_agent_request", said("/status@A_bot", entity("bot_command", 0, 13)), *NOTHING),
    Row(
        "C19",
        "reply_to_agent=False; MUTE/no_request",
        said("hello", message_thread_id=7, is_topic_message=True, reply_to_message=TOPIC),
        *NOTHING,
    ),
    Row("C26", "RESPOND/explicit_agent_request", said("🛠️🙂 @A_bot which?", entity("mention", 6, 6)), *MENTIONED),
    Row("C35", "compare by current getMe name", said("@A_bot hi", MENTION), *MENTIONED),
    Row("C35", "old-name text alone MUTE", said("@A_bot hi"), *NOTHING, "new_bot"),
    Row("C35", "old-name text alone MUTE", said("@A_bot hi", MENTION), *AWAY, "new_bot"),
    Row("C35", "compare by current getMe name", said("@new_bot hi", entity("mention", 0, 8)), *MENTIONED, "new_bot"),
    Row(
        "C35",
        "by text_mention id",
        said("A hi", entity("text_mention", 0, 1, user=AGENT)),
        *MENTIONED,
        "new_bot",
    ),
    Row(
        "D17",
        "MUTE (not a human request)",
        said("@A_bot hi", MENTION, is_automatic_forward=True, sender_chat={"id": NEWS}, **{"from": SERVICE}),
        *BOT,
    ),
    Row("D18", "MUTE/no_request", said("hi", via_bot={"id": STOCK, "is_bot": True}), *NOTHING),
    Row(
        "D18",
        "with mention RESPOND (sender is human)",
        said("@A_bot hi", MENTION, via_bot={"id": STOCK, "is_bot": True}),
        *MENTIONED,
    ),
    Row("E12", "never equals the bot's DM with the same user id; external", business(BUYER), "silent", "access_denied"),
    Row(
        "E12",
        "never equals the bot's DM with the same user id",
        said("are you open?", chat=DIRECT),
        "respond",
        "direct_message",
    ),
    Row("P05", "not a request; MUTE", business(OPER), "silent", "access_denied"),
    Row("I19", "same as I18", said("@A_bot hi", MENTION, sender_chat={"id": NEWS}, **{"from": AS_CHANNEL}), *BOT),
    Row("K01", "MUTE/no_request", said("/stop@B2_bot", entity("bot_command", 0, 12)), *NOTHING),
    Row(
        "K01",
        "`/stop@A_bot` (any letter case) RESPOND/explicit_agent_request",
        said("/Stop@a_BOT", entity("bot_command", 0, 11)),
        "respond",
        "agent_command",
    ),
    Row("K02", "MUTE/no_request by default", said("/start", entity("bot_command", 0, 6)), *NOTHING),
    Row(
        "K02",
        "DM1 RESPOND",
        said("/start", entity("bot_command", 0, 6), chat=DIRECT),
        "respond",
        "agent_command",
    ),
    Row("K03b", "both MUTE/no_request", said("/reset@B2_bot", entity("bot_command", 0, 13)), *NOTHING),
    Row("K03b", "both MUTE/no_request", said("/reset", entity("bot_command", 0, 6)), *NOTHING),
    Row(
        "K03b",
        "suffix compared case-insensitively with our own current username",
        said("/reset@a_BOT", entity("bot_command", 0, 12)),
        "respond",
        "agent_command",
    ),
    Row(
        "K03b",
        "suffix compared case-insensitively with our own current username",
        said("/reset@A_bot", entity("bot_command", 0, 12)),
        *NOTHING,
        "new_bot",
    ),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_update(desks: Desks, row: Row) -> None:
    """The raw update is decided as the report says, at an external audience."""
    answer = told(desks(POLICY, {**AGENT, "username": row.username}).check(row.update, platform="telegram"))

    assert (row.outcome, row.reason, "external") == (answer["outcome"], answer["reason"], answer["audience"])


class Told(NamedTuple):
    """An update of a report's own, and the decision under the report's own policy."""

    case: str
    right: str
    event: str
    outcome: str
    reason: str


OWN_WORDS = [
    Told("C004", "event_emoji_first and event_caption -> consent=mention, outcome=respond", "event_emoji_first",
         *MENTIONED),
    Told("C004", "event_emoji_first and event_caption -> consent=mention, outcome=respond", "event_caption",
         *MENTIONED),
    Told("C004", "event_bad_range -> entity ignored, outcome=silent, no exception leaves the gate", "event_bad_range",
         "silent", "invalid_facts"),
    Told("C020", "third_person and document -> consent=dm, audience=external, respond", "event_third_person",
         "respond", "direct_message"),
    Told("C020", "third_person and document -> consent=dm, audience=external, respond", "event_document",
         "respond", "direct_message"),
    Told("C020", "blank -> silent (no substance)", "event_blank", *NOTHING),
    Told("C020", "from_bot -> silent (not a human DM, needs a scoped operator request)", "event_from_bot",
         "silent", "access_denied"),
    Told("C022", "Without operator_request: outcome=silent although the mention is exact", "event", *BOT),
]  # fmt: skip


@pytest.mark.parametrize("row", rows(OWN_WORDS, name=lambda row: row.event))
def test_the_reports_own_update(desks: Desks, cases: dict[str, Report], row: Told) -> None:
    """The report's update under the report's policy, both as they are written there."""
    report = cases[row.case]
    desk = desks(policy_of(report.at("policy")), report.at("agent"))

    answer = told(desk.check(report.at(row.event), platform="telegram"))
    assert (row.outcome, row.reason, "external") == (answer["outcome"], answer["reason"], answer["audience"])


GRANT = f"""
[[grants]]
id = "opreq-17"
purpose = "bot"
given_by = "{OPER}"
targets = [{{ platform = "telegram", workspace = "{OWN}", channel = "{GROUP}" }}]
admits = "telegram/{OWN}/{STOCK}"
max_total = 3
expires_at = "2026-09-21T15:13:20Z"
"""


@case("C022", "With it: at most 3 responses to that peer in that chat before expiry, then silent")
@case("C022", "a second bot id or another chat is still silent")
def test_c022_a_bot_that_was_let_in(desks: Desks, cases: dict[str, Report]) -> None:
    """The grant admits that bot, there, while it lasts; another bot is still nobody."""
    report = cases["C022"]
    desk = desks(policy_of(report.at("policy")) + GRANT, report.at("agent"))
    event = report.at("event")
    other = {**event, "message": {**event["message"], "from": {**event["message"]["from"], "id": STOCK + 1}}}
    late = {**event, "message": {**event["message"], "date": event["message"]["date"] + 3_600}}
    spent = {"spent": {"opreq-17": {"total": 3, "today": 3}}}

    answers = [
        told(desk.check(event, platform="telegram")),
        told(desk.check(other, platform="telegram")),
        told(desk.check(event, platform="telegram", state=spent)),
        told(desk.check(late, platform="telegram", now="2026-09-21T15:13:21Z")),
    ]
    assert [("respond", "operator_requested")] + [BOT] * 3 == [(each["outcome"], each["reason"]) for each in answers]


@case("C037", "Shared pseudo-ids (1087968824, 777000, 136817688) are refused in trusted_operators at load")
def test_c037_nobody_trusts_an_account_of_many(desks: Desks, cases: dict[str, Report]) -> None:
    """A policy that names an account which stands for many people as an operator does not load."""
    report = cases["C037"]
    policy = policy_of(report.at("policy"), workspace=str(OWN))
    for shared in ("1087968824", "777000", "136817688"):
        desk = desks(policy.replace("1087968824", shared), report.at("agent"))
        refused(desk.check(report.at("event_anon_admin"), platform="telegram"), "policy_invalid")


@pytest.mark.parametrize("event", ["event_anon_admin", "event_auto_forward", "event_channel_post"])
@case("C037", "no operator identity", "auto_forward and channel_post are synthetic -> silent")
def test_c037_whoever_it_was(desks: Desks, cases: dict[str, Report], event: str) -> None:
    """Nobody knows who spoke: silence, whatever the entity marks."""
    report = cases["C037"]
    policy = policy_of(report.at("policy"), workspace=str(OWN)).replace("1087968824", "5100000091")

    answer = told(desks(policy, report.at("agent")).check(report.at(event), platform="telegram"))
    assert "silent" == answer["outcome"]


@case(
    "C012", "outcome=silent with zero setMessageReaction, zero sendChatAction, zero sends, zero model and media calls"
)
def test_c012_chatter(desks: Desks, cases: dict[str, Report]) -> None:
    """Chatter of a group is silence; that silence makes no request is shown on a server by the platform's story."""
    report = cases["C012"]

    answer = told(desks(POLICY, report.at("agent")).check(report.at("event"), platform="telegram"))
    assert NOTHING == (answer["outcome"], answer["reason"])
