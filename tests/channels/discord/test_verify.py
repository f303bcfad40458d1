"""Whether an interaction is Discord's: Ed25519 over the timestamp and the raw body, fresh, by the application's key."""

from __future__ import annotations

from typing import Any

import pytest
from nacl.signing import SigningKey

from dragoman.channels.discord.state import DiscordAgent
from dragoman.channels.discord.verify import verify
from dragoman.clock import MINUTE, SECOND
from dragoman.words import Fact

KEY, OTHER = SigningKey(bytes(range(32))), SigningKey(bytes(32))
AGENT = DiscordAgent(user_id="1310200000000000001", public_key=KEY.verify_key.encode().hex())
NOW = 1_790_000_000_000
BODY = b'{"type": 2, "id": "1310200000000000303"}'


def signed(body: bytes = BODY, stamp: str = str(NOW // SECOND), key: SigningKey = KEY) -> dict[str, str]:
    """The headers of a signed request."""
    signature = key.sign(stamp.encode() + body).signature.hex()
    return {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": stamp}


def test_what_discord_signed_is_proven() -> None:
    """The right signature, whatever the case of the headers' names."""
    assert Fact.YES == verify(signed(), BODY, NOW, NOW, AGENT)
    assert Fact.YES == verify({name.lower(): value for name, value in signed().items()}, BODY, NOW, NOW, AGENT)


FORGED: list[tuple[str, dict[str, str], bytes, dict[str, Any]]] = [
    ("no headers", {}, BODY, {}),
    ("no signature", {"X-Signature-Timestamp": str(NOW // SECOND)}, BODY, {}),
    ("no timestamp", {"X-Signature-Ed25519": signed()["X-Signature-Ed25519"]}, BODY, {}),
    ("an empty signature", signed() | {"X-Signature-Ed25519": ""}, BODY, {}),
    ("a signature that is none", signed() | {"X-Signature-Ed25519": "zz" * 64}, BODY, {}),
    ("a signature of zeros", signed() | {"X-Signature-Ed25519": "00" * 64}, BODY, {}),
    ("another body", signed(), BODY + b" ", {}),
    ("another timestamp", signed() | {"X-Signature-Timestamp": str(NOW // SECOND + 1)}, BODY, {}),
    ("a timestamp with more in it", signed() | {"X-Signature-Timestamp": f" {NOW // SECOND}"}, BODY, {}),
    ("somebody else's key", signed(key=OTHER), BODY, {}),
    ("an old one, said again", signed(stamp=str((NOW - 6 * MINUTE) // SECOND)), BODY, {}),
    ("one of the future", signed(stamp=str((NOW + 6 * MINUTE) // SECOND)), BODY, {}),
    ("no key of ours", signed(), BODY, {"public_key": ""}),
    ("a key of ours that is another", signed(), BODY, {"public_key": OTHER.verify_key.encode().hex()}),
    ("a key of ours that is no point", signed(), BODY, {"public_key": "ff" * 32}),
]


@pytest.mark.parametrize(("what", "headers", "body", "ours"), FORGED, ids=[row[0] for row in FORGED])
def test_what_is_not_proven_is_not(what: str, headers: dict[str, str], body: bytes, ours: dict[str, Any]) -> None:
    """Missing, wrong, forged, old: no, and no error."""
    agent = DiscordAgent(user_id="1310200000000000001", **({"public_key": AGENT.public_key} | ours))
    assert Fact.NO == verify(headers, body, NOW, NOW, agent)


def test_what_waited_too_long_is_not_fresh() -> None:
    """A request that is judged long after it came in proves nothing."""
    assert Fact.NO == verify(signed(), BODY, NOW, NOW + 6 * MINUTE, AGENT)
