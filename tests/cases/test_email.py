"""The reports about mail: raw messages, as our own server delivers them, through `dragoman gate check`."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import Report, case, policy_of, rows
from tests.cli.desk import told

DESK, BUYER, JORDAN = "desk@acme.example", "buyer.a@shop.example", "jordan@acme.example"
AGENT: dict[str, Any] = {"mailbox": DESK, "authserv_id": "mx.acme.example", "domains": ["acme.example"]}
BOTH = f"{BUYER},{JORDAN}"
POLICY = f"""
version = 1
agent_names = ["Desk"]

[[targets]]
platform = "email"
workspace = "{DESK}"
channel = "{BUYER}"
audience = "external"

[[targets]]
platform = "email"
workspace = "{DESK}"
channel = "{BOTH}"
audience = "external"

[[targets]]
platform = "email"
workspace = "{DESK}"
channel = "{BOTH},rival@other.example"
audience = "internal"

[[targets]]
platform = "email"
workspace = "{DESK}"
channel = "ops@acme.example"
audience = "internal"
"""
OURS = "mx.acme.example; dmarc=pass header.from=shop.example"
FAILED = "mx.acme.example; spf=fail smtp.mailfrom=shop.example; dkim=none; dmarc=fail header.from=shop.example"


class Row(NamedTuple):
    """One mail: what its headers say beside the buyer's own, its text, and the decision."""

    case: str
    right: str
    headers: dict[str, str | list[str] | None]
    text: str
    outcome: str
    reason: str
    audience: str = "external"


ASKED = "which dates are open?"
TO_JORDAN: dict[str, str | list[str] | None] = {"To": JORDAN, "Cc": DESK}
TABLE = [
    Row(
        "I06",
        "only headers whose authserv-id is ours",
        {"Authentication-Results": ["mx.evil.example; dmarc=pass header.from=shop.example", FAILED]},
        ASKED,
        "rejected",
        "auth_failed",
    ),
    Row(
        "I06",
        "that our own server added (topmost)",
        {"Authentication-Results": [FAILED, OURS]},
        ASKED,
        "rejected",
        "auth_failed",
    ),
    Row("I06", "REJECT/auth_failed*", {"Authentication-Results": None}, ASKED, "rejected", "auth_failed"),
    Row(
        "I06",
        "only headers whose authserv-id is ours",
        {"Authentication-Results": [OURS, FAILED]},
        ASKED,
        "respond",
        "direct_message",
    ),
    Row("M02", "MUTE", {"Precedence": "bulk"}, ASKED, "silent", "bot_without_grant"),
    Row("M02", "MUTE", {"X-Autoreply": "yes"}, ASKED, "silent", "bot_without_grant"),
    Row("M02", "MUTE", {"Auto-Submitted": "auto-replied"}, ASKED, "silent", "bot_without_grant"),
    Row("M02", "MUTE", {"Return-Path": "<>"}, ASKED, "rejected", "not_a_message"),
    Row(
        "M07",
        "MUTE/addressed_to_other_human",
        TO_JORDAN,
        "Jordan, can you drive?\n\nOn Monday Desk wrote:\n> @desk which dates?\n",
        "silent",
        "addressed_to_other",
    ),
    Row(
        "M07",
        "quoted text removed before signals",
        {"To": "friends:;", "Cc": f"{DESK}, {JORDAN}"},
        "that is what I meant\n\nOn Monday Desk wrote:\n> @desk which dates are open?\n",
        "silent",
        "not_requested",
    ),
    Row(
        "M08",
        "audience = union, external",
        {"To": DESK, "Cc": f"{JORDAN}, rival@other.example"},
        ASKED,
        "respond",
        "agent_mentioned",
    ),
    Row("M09", "MUTE/no_request", {"To": "undisclosed-recipients:;"}, ASKED, "silent", "not_requested"),
    Row("C14", "MUTE/no_request", {}, "> @desk which dates are open?", "silent", "not_requested"),
]


def mail(text: str, headers: dict[str, str | list[str] | None]) -> dict[str, Any]:
    """A mail of the buyer to us, as it lies in our mailbox."""
    said: dict[str, str | list[str] | None] = {
        "Authentication-Results": OURS,
        "From": f"Buyer A <{BUYER}>",
        "To": DESK,
        "Message-ID": "<b1@shop.example>",
        **headers,
    }
    lines = [
        f"{name}: {each}"
        for name, value in said.items()
        if value is not None
        for each in (value if isinstance(value, list) else [value])
    ]
    return {"mail": "\r\n".join([*lines, "", text]), "arrived_at": 1_790_000_000_000}


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_mail(desks: Desks, row: Row) -> None:
    """The raw mail is decided as the report says."""
    answer = told(desks(POLICY, AGENT).check(mail(row.text, row.headers), platform="email"))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])


@pytest.mark.parametrize("number", range(9))
@case("C033", "even that is untrusted because the receiving server's authentication result fails")
def test_c033_nothing_is_proven(desks: Desks, cases: dict[str, Report], number: int) -> None:
    """Every `From` of the report, under the report's policy and its own server's result: rejected."""
    report = cases["C033"]
    sender = report.at(f"from_headers/{number}")
    result = report.at("auth_results").removeprefix("Authentication-Results: ")
    headers = {"Authentication-Results": result, "From": sender, "Reply-To": report.at("reply_to")}

    answer = told(desks(policy_of(report.at("policy")), AGENT).check(mail(ASKED, headers), platform="email"))
    assert ("rejected", "auth_failed", "external") == (answer["outcome"], answer["reason"], answer["audience"])


@pytest.mark.parametrize("number", range(9))
@case("C033", "Multiple From addresses, missing '@', display-name addresses and Cyrillic look-alikes -> external")
def test_c033_a_look_alike_is_nobody_of_ours(desks: Desks, cases: dict[str, Report], number: int) -> None:
    """Even if our own server proved each domain: none of them stands in the place of the operator's mailbox."""
    report = cases["C033"]
    sender = report.at(f"from_headers/{number}")
    domain = sender.rpartition("@")[2].rstrip(">").lower()
    result = f"mx.acme.example; dmarc=pass header.from={domain}"
    desk = desks(POLICY, AGENT)
    answer = told(desk.check(mail(ASKED, {"Authentication-Results": result, "From": sender}), platform="email"))
    ours = "mx.acme.example; dmarc=pass header.from=acme.example"
    exact = {"Authentication-Results": ours, "From": "Ops <ops@ACME.example>"}
    right = told(desk.check(mail(ASKED, exact), platform="email"))

    assert ("external", False) == (answer["audience"], answer["outcome"] == "respond")
    assert ("respond", "internal") == (right["outcome"], right["audience"])


@case("C033", "The answer never goes to Reply-To on trust of From")
@case("C051", "Cc, list and Reply-To addresses are other targets that each need their own resolution and grant")
def test_c051_more_people_are_another_target(desks: Desks, cases: dict[str, Report]) -> None:
    """The report's mail under the report's policy: everybody whom it names makes another target, which is not listed;
    without them it is the listed one."""
    report = cases["C051"]
    desk = desks(policy_of(report.at("policy")), {**AGENT, "mailbox": report.at("agent/addresses/0")})
    raw = {"mail": f"Authentication-Results: {OURS}\r\n{report.at('mail')}", "arrived_at": 1_790_000_000_000}
    lines = raw["mail"].split("\r\n")
    alone = {**raw, "mail": "\r\n".join(line for line in lines if not line.startswith(("Cc:", "Reply-To:", "To:")))}
    alone["mail"] = f"To: {DESK}\r\n{alone['mail']}"

    with_all, with_one = (told(desk.check(each, platform="email")) for each in (raw, alone))
    assert ("silent", "access_denied") == (with_all["outcome"], with_all["reason"])
    assert ("respond", "direct_message") == (with_one["outcome"], with_one["reason"])
