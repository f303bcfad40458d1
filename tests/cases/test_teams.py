"""The reports about Microsoft Teams: raw activities, and their tokens, through `dragoman gate check`."""

from __future__ import annotations

import base64
import json
from typing import Any, Final, NamedTuple

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.cases.doors import Desks
from tests.cases.reports import case, reports, rows
from tests.cli.desk import told

TENANT, OTHER, APP = "tenant-3f1c", "tenant-9d0a", "1b6f3c2e"
BOT, BUYER, GROUP, DM = f"28:{APP}", "29:buyer-a", "19:shelf@thread.v2", "a:buyer-a"
OPER, STAMP = "00000000-0000-4000-8000-0000000000cc", "2026-09-21T14:13:20.001Z"
URL: Final = "https://smba.trafficmanager.net/emea/"
AGENT = {"recipient_id": BOT, "app_id": APP, "tenant_id": TENANT}
POLICY = f"""
version = 1
agent_names = ["Desk"]

[[operators]]
platform = "teams"
workspace = "{TENANT}"
id = "{OPER}"

[[targets]]
platform = "teams"
workspace = "{TENANT}"
channel = "{GROUP}"
audience = "internal"
operator_messages_are_requests = true

[[targets]]
platform = "teams"
workspace = "{TENANT}"
channel = "{DM}"
audience = "external"
"""
MENTION = {"type": "mention", "mentioned": {"id": BOT, "name": "Desk"}, "text": "<at>Desk</at>"}


def activity(kind: str = "groupChat", **more: Any) -> dict[str, Any]:
    """A message as the connector posts it."""
    group = {} if kind == "personal" else {"isGroup": True}
    return {
        "type": "message",
        "id": "1790000000001",
        "timestamp": STAMP,
        "channelId": "msteams",
        "serviceUrl": URL,
        "from": {"id": BUYER, "name": "Buyer A", "aadObjectId": "00000000-0000-4000-8000-0000000000aa"},
        "conversation": {
            "conversationType": kind,
            "tenantId": TENANT,
            "id": DM if kind == "personal" else GROUP,
            **group,
        },
        "recipient": {"id": BOT, "name": "Desk"},
        "text": "which dates are open?",
        "channelData": {"tenant": {"id": TENANT}},
        **more,
    }


def member(id: str = BUYER, **more: str) -> dict[str, str]:
    """One person of the roster, by default of our own organisation."""
    return {"id": id, "tenant_id": TENANT, "user_role": "user", "user_principal_name": f"{id[3:]}@desk.example", **more}


class Row(NamedTuple):
    """One activity, who is there, and the decision."""

    case: str
    right: str
    event: dict[str, Any]
    members: list[dict[str, str]]
    outcome: str
    reason: str
    audience: str


FROM_OPER = {"id": "29:oper", "name": "Oper", "aadObjectId": OPER}
TABLE = [
    Row("E10", "direct_message=False", activity(), [member()], "silent", "not_requested", "internal"),
    Row("E10", "direct_message=False", activity("personal"), [member()], "respond", "direct_message", "external"),
    Row("N07", "audience external", activity(entities=[MENTION]), [member()], "respond", "agent_mentioned", "internal"),
    Row(
        "N07",
        "audience external",
        activity(entities=[MENTION]),
        [member(), member("29:o", tenant_id=OTHER)],
        "respond",
        "agent_mentioned",
        "external",
    ),
    Row(
        "N08",
        "sender external",
        activity(entities=[MENTION]),
        [member(user_role="guest", user_principal_name="buyer_shop.example#EXT#@desk.example")],
        "respond",
        "agent_mentioned",
        "external",
    ),
    Row(
        "N08",
        "operator=False unless listed by aadObjectId + tenant",
        activity(**{"from": FROM_OPER}),
        [member("29:oper")],
        "respond",
        "operator_message",
        "internal",
    ),
    Row(
        "N08",
        "operator=False unless listed by aadObjectId + tenant",
        activity(**{"from": FROM_OPER}),
        [member("29:oper", tenant_id=OTHER)],
        "silent",
        "not_requested",
        "external",
    ),
    Row(
        "N08",
        "operator=False unless listed by aadObjectId + tenant",
        activity(**{"from": {"id": OPER, "name": "Oper"}}),
        [member()],
        "silent",
        "invalid_facts",
        "internal",
    ),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}-{row.audience}"))
def test_raw_activity(desks: Desks, row: Row) -> None:
    """The raw activity is decided as the report says; without a roster nobody is among us."""
    desk = desks(POLICY, AGENT)

    answer = told(desk.check(row.event, platform="teams", state={"lookup": {"members": row.members}}))
    alone = told(desk.check(row.event, platform="teams"))

    assert (row.outcome, row.reason, row.audience) == (answer["outcome"], answer["reason"], answer["audience"])
    assert "external" == alone["audience"]


@case("C011", "outcome=silent because mentioned.id differs from recipient.id", "with control_entity -> consent=mention")
def test_c011_a_tag_with_our_name(desks: Desks) -> None:
    """The report's own activity: a tag that carries the bot's name asks nobody; the bot's own id does."""
    report = reports("events.jsonl")["C011"]
    entry = report.at("policy/0")
    lines = [f"{name} = {json.dumps(value)}" for name, value in entry["target"].items()]
    lines += [
        f"audience = {json.dumps(entry['audience'])}",
        f"require_mention = {json.dumps(entry['require_mention'])}",
    ]
    policy = "\n".join(["version = 1", "[[targets]]", *lines])
    desk, event = desks(policy, report.at("agent")), report.at("event")

    silent = told(desk.check(event, platform="teams"))
    asked = told(desk.check({**event, "entities": [report.at("control_entity")]}, platform="teams"))

    assert ("silent", "addressed_to_other") == (silent["outcome"], silent["reason"])
    assert ("respond", "agent_mentioned") == (asked["outcome"], asked["reason"])


KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
PUBLISHED = {
    **json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())),
    "kid": "key-1",
    "endorsements": ["msteams"],
}
NOW = 1_790_000_000_000
BODY = json.dumps(activity("personal")).encode()


@case("I13", "REJECT/auth_failed*", "replies never posted to an unverified serviceUrl")
@pytest.mark.parametrize(
    ("claims", "url", "outcome"),
    [
        ({}, URL, "respond"),
        ({"aud": "another-bot"}, URL, "rejected"),
        ({"serviceurl": "https://smba.trafficmanager.net/amer/"}, URL, "rejected"),
        ({"serviceurl": "https://evil.example/"}, "https://evil.example/", "rejected"),
    ],
    ids=["right", "another bot", "another serviceUrl", "a signed serviceUrl that is not Microsoft's"],
)
def test_i13_the_token(desks: Desks, claims: dict[str, str], url: str, outcome: str) -> None:
    """Audience and address must be ours; an address that is not the connector's is not even taken when it is signed."""
    body = BODY.replace(URL.encode(), url.encode())
    right = {"iss": "https://api.botframework.com", "aud": APP, "exp": NOW // 1_000 + 3_600, "serviceurl": URL}
    token = jwt.encode({**right, **claims}, KEY, algorithm="RS256", headers={"kid": "key-1"})
    event = {
        "headers": {"Authorization": f"Bearer {token}"},
        "body_base64": base64.b64encode(body).decode(),
        "received_at": NOW,
    }

    answer = told(desks(POLICY, {**AGENT, "keys": [PUBLISHED]}).check(event, platform="teams"))

    assert outcome == answer["outcome"]
    assert ("auth_failed" == answer["reason"]) == (outcome == "rejected")
