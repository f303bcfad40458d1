"""The reports about WhatsApp, and those about signatures of webhooks: raw bodies through `dragoman gate check`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cases.doors import Desks
from tests.cases.reports import case, rows
from tests.cli.desk import refused, told

NUMBER, OURS, BUYER, SECRET = "106540352242922", "15550783881", "16505551234", "9f2b77c1"
AGENT = {"phone_number_id": NUMBER, "app_secret": SECRET}
POLICY = f"""
version = 1

[[targets]]
platform = "whatsapp"
workspace = "{NUMBER}"
channel = "{BUYER}"
audience = "external"
"""
MESSAGE = {"from": BUYER, "id": "wamid.1", "timestamp": "1790000000", "type": "text", "text": {"body": "which dates?"}}
STATUS = {"id": "wamid.2", "status": "delivered", "timestamp": "1790000000", "recipient_id": BUYER}
ECHO = {**MESSAGE, "from": OURS, "to": BUYER}


def webhook(field: str = "messages", **value: Any) -> dict[str, Any]:
    """A body as Meta posts it."""
    metadata = {"display_phone_number": OURS, "phone_number_id": NUMBER}
    change = {"field": field, "value": {"messaging_product": "whatsapp", "metadata": metadata, **value}}
    return {"object": "whatsapp_business_account", "entry": [{"id": "102290129340398", "changes": [change]}]}


class Row(NamedTuple):
    """One raw body, and the decision."""

    case: str
    right: str
    body: dict[str, Any]
    outcome: str
    reason: str


TABLE = [
    Row("D08", "REJECT/self_echo*", webhook("smb_message_echoes", message_echoes=[ECHO]), "rejected", "self_echo"),
    Row("D08", "REJECT/self_echo*", webhook(messages=[{**MESSAGE, "from": OURS}]), "rejected", "self_echo"),
    Row("L12", "REJECT/not_a_message*", webhook(statuses=[STATUS]), "rejected", "not_a_message"),
    Row(
        "O05",
        "REJECT/not_a_message*",
        webhook(messages=[{**MESSAGE, "from": "status@broadcast"}]),
        "rejected",
        "not_a_message",
    ),
]


@pytest.mark.parametrize("row", rows(TABLE, name=lambda row: f"{row.outcome}-{row.reason}"))
def test_raw_body(desks: Desks, row: Row) -> None:
    """The raw body is decided as the report says."""
    answer = told(desks(POLICY, AGENT).check(row.body, platform="whatsapp"))

    assert (row.outcome, row.reason) == (answer["outcome"], answer["reason"])


def enveloped(body: bytes, secret: str | None) -> dict[str, Any]:
    """A body with its transport, signed or not."""
    signature = "" if secret is None else hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {} if secret is None else {"X-Hub-Signature-256": f"sha256={signature}"}
    return {"headers": headers, "body_base64": base64.b64encode(body).decode(), "received_at": 1_790_000_000_000}


RAW = json.dumps(webhook(messages=[MESSAGE])).encode()


@case("I09", "REJECT/auth_failed*")
@pytest.mark.parametrize(
    ("secret", "known", "outcome"),
    [(SECRET, SECRET, "respond"), (None, SECRET, "rejected"), ("guess", SECRET, "rejected"), ("", "", "rejected")],
    ids=["signed", "header missing", "another secret", "secret not configured"],
)
def test_i09_the_signature(desks: Desks, secret: str | None, known: str, outcome: str) -> None:
    """The signed body is a request; without a header, with another secret, and with none configured it is nobody's."""
    desk = desks(POLICY, {**AGENT, "app_secret": known})

    answer = told(desk.check(enveloped(RAW, secret), platform="whatsapp"))

    assert outcome == answer["outcome"]
    assert ("auth_failed" == answer["reason"]) == (outcome == "rejected")


@case("I11", "HMAC over raw bytes only")
def test_i11_the_raw_bytes(desks: Desks) -> None:
    """The signature of the same JSON, written with other blanks, proves nothing."""
    rewritten = json.dumps(json.loads(RAW), separators=(",", ":")).encode()
    event = {**enveloped(RAW, SECRET), "body_base64": base64.b64encode(rewritten).decode()}

    answer = told(desks(POLICY, AGENT).check(event, platform="whatsapp"))

    assert ("rejected", "auth_failed") == (answer["outcome"], answer["reason"])


@case("I09", "adapter refuses to start without a secret")
@case("I10", "start-up error")
@pytest.mark.parametrize("secret", ["", "\n"], ids=["nothing", "a blank line"])
def test_i10_an_empty_secret(desks: Desks, secret: str) -> None:
    """A receiver whose app secret is empty does not start."""
    desk = desks(POLICY, AGENT)
    files = {"token_file": "token", "app_secret_file": "secret", "verify_token_file": "word"}
    for name, content in (("token", "EAAtoken"), ("secret", secret), ("word", "word"), ("handler.py", "")):
        Path(desk.write(name, content)).chmod(0o600)
    account = {"phone_number_id": NUMBER, "api_url": "http://127.0.0.1:9", **files}
    handler = {"command": [sys.executable, str(desk.folder / "handler.py")]}
    config = {"state_dir": "state", "policy": "policy.toml", "handler": handler, "channels": {"whatsapp": account}}
    path = Path(desk.write("dragoman.json", json.dumps(config)))
    path.chmod(0o600)
    desk.folder.chmod(0o700)

    done = desk.command("once", "--config", str(path), "--json")

    assert refused(done, "config_invalid")["where"].endswith("secret")
