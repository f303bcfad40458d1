"""Who signed a webhook: Meta's header over the raw bytes, and nothing else."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from dragoman.channels.whatsapp.state import WhatsAppAgent
from dragoman.channels.whatsapp.verify import verify
from dragoman.words import Fact

BODY = b'{"object":"whatsapp_business_account","entry":[]}'
SECRET = "fd09a4c5"
AGENT = WhatsAppAgent(phone_number_id="106540352242922", app_secret=SECRET)
GOOD = hmac.new(SECRET.encode(), BODY, hashlib.sha256).hexdigest()
OTHERS = hmac.new(b"another", BODY, hashlib.sha256).hexdigest()
OLD = hmac.new(SECRET.encode(), BODY, hashlib.sha1).hexdigest()

TABLE: list[tuple[str, dict[str, str], bytes, Fact]] = [
    ("right", {"x-hub-signature-256": f"sha256={GOOD}"}, BODY, Fact.YES),
    ("header in Meta's case", {"X-Hub-Signature-256": f"sha256={GOOD}"}, BODY, Fact.YES),
    ("no header", {}, BODY, Fact.NO),
    ("empty header", {"x-hub-signature-256": ""}, BODY, Fact.NO),
    ("only the scheme", {"x-hub-signature-256": "sha256="}, BODY, Fact.NO),
    ("without the scheme", {"x-hub-signature-256": GOOD}, BODY, Fact.NO),
    ("upper case", {"x-hub-signature-256": f"sha256={GOOD.upper()}"}, BODY, Fact.NO),
    ("another secret", {"x-hub-signature-256": f"sha256={OTHERS}"}, BODY, Fact.NO),
    ("the old SHA-1 header", {"x-hub-signature": f"sha1={OLD}"}, BODY, Fact.NO),
    ("another body", {"x-hub-signature-256": f"sha256={GOOD}"}, BODY + b" ", Fact.NO),
    ("the same JSON, written otherwise", {"x-hub-signature-256": f"sha256={GOOD}"}, BODY.replace(b":", b": "), Fact.NO),
    ("not ASCII", {"x-hub-signature-256": f"sha256=é{GOOD}"}, BODY, Fact.NO),
]


@pytest.mark.parametrize(("headers", "body", "right"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_who_signed(headers: dict[str, str], body: bytes, right: Fact) -> None:
    """Only the exact header over the exact bytes proves anything."""
    assert right is verify(headers, body, 0, 0, AGENT)


def test_without_a_secret_nothing_is_proven() -> None:
    """An empty secret is no secret, even when somebody signs with it."""
    empty = hmac.new(b"", BODY, hashlib.sha256).hexdigest()
    agent = WhatsAppAgent(phone_number_id="106540352242922")

    assert Fact.NO is verify({"x-hub-signature-256": f"sha256={empty}"}, BODY, 0, 0, agent)
