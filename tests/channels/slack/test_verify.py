"""Whose request it is: the vendor's own signer signs, and every way to forge or to replay is a no."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.signature import SignatureVerifier

from dragoman.channels.slack.state import SlackAgent
from dragoman.channels.slack.verify import verify
from dragoman.words import Fact

NOW = 1_790_000_000_000
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
ME = SlackAgent(user_id="U0DESKBT01", app_id="A0DESKAP01", signing_secret=SECRET)
BODY = '{"type":"event_callback","event":{"text":"早上好"}}'.encode()


def signed(body: bytes = BODY, at: int = NOW // 1000, secret: str = SECRET) -> dict[str, str]:
    """The headers that the vendor's signer makes."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=str(at), body=body)
    return {"X-Slack-Request-Timestamp": str(at), "X-Slack-Signature": signature or ""}


@pytest.mark.parametrize(
    ("headers", "body", "fact"),
    [
        (signed(), BODY, "yes"),
        ({name.lower(): value for name, value in signed().items()}, BODY, "yes"),
        (signed(at=NOW // 1000 - 300), BODY, "yes"),
        (signed(at=NOW // 1000 - 301), BODY, "no"),
        (signed(at=NOW // 1000 + 301), BODY, "no"),
        (signed(), BODY + b" ", "no"),
        (signed(), b'{"event": {}}', "no"),
        (signed(secret="another"), BODY, "no"),
        (signed() | {"X-Slack-Request-Timestamp": str(NOW // 1000 - 1)}, BODY, "no"),
        (signed() | {"X-Slack-Request-Timestamp": "١٧٩٠٠٠٠٠٠٠"}, BODY, "no"),
        (signed() | {"X-Slack-Request-Timestamp": "-5"}, BODY, "no"),
        (signed() | {"X-Slack-Request-Timestamp": "9" * 400}, BODY, "no"),
        (signed() | {"X-Slack-Signature": ""}, BODY, "no"),
        (signed() | {"X-Slack-Signature": "v0=\ud800"}, BODY, "no"),
        (signed() | {"X-Slack-Signature": signed()["X-Slack-Signature"].upper()}, BODY, "no"),
        (signed() | {"X-Slack-Signature": signed()["X-Slack-Signature"].removeprefix("v0=")}, BODY, "no"),
        ({}, BODY, "no"),
    ],
)
def test_a_request(headers: dict[str, str], body: bytes, fact: str) -> None:
    """Only the right signature over exactly these bytes, not older than five minutes, is a yes."""
    assert fact == verify(headers, body, NOW, NOW, ME)


@pytest.mark.parametrize("secret", ["", " ", "\n"])
def test_without_a_secret_nothing_is_proven(secret: str) -> None:
    """Not even what is signed with the empty secret."""
    import hashlib
    import hmac

    stamp = str(NOW // 1000)
    forged = "v0=" + hmac.new(secret.encode(), f"v0:{stamp}:".encode() + BODY, hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": forged}

    assert Fact.NO is verify(headers, BODY, NOW, NOW, msgspec.structs.replace(ME, signing_secret=secret))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(signed())), st.text(max_size=80)), st.binary(max_size=80))
def test_no_forgery_is_a_yes(headers: dict[str, str], body: bytes) -> None:
    """Whatever is sent without the secret: no error, and no yes."""
    assert Fact.NO is verify(headers, body, NOW, NOW, ME)
