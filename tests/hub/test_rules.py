"""The hub's decisions as tables that can be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.hub import rules
from dragoman.hub.rules import Caller, Fence, Held, LeaseRow, Settling

ROLE = wire.role_id_of("ab" * 32)

FENCE = Fence(generation=2, primary_instance="A")
WRITES = [
    ("the primary under the present generation", "A", 2, 2, None),
    ("another instance under the present generation", "B", 2, 2, "instance_read_only"),
    ("the primary with an older token", "A", 1, 2, "instance_superseded"),
    ("the primary with a decision of an older generation", "A", 2, 1, "instance_superseded"),
    ("a superseded instance", "B", 1, 1, "instance_superseded"),
    ("a generation that is not there yet", "A", 2, 3, "instance_superseded"),
]


@pytest.mark.parametrize(
    ("instance", "token_generation", "asked", "refusal"), [row[1:] for row in WRITES], ids=[row[0] for row in WRITES]
)
def test_may_write(instance: str, token_generation: int, asked: int, refusal: str | None) -> None:
    """Only the primary instance writes, and only under the present generation."""
    caller = Caller(role_id=ROLE, instance_id=instance, generation=token_generation)

    assert refusal == rules.may_write(caller, asked, FENCE)


ENTRIES = [
    ("the first", Fence(generation=0, primary_instance=None), "A", False, 1, "A", True),
    ("the primary again", FENCE, "A", False, 2, "A", True),
    ("a second", FENCE, "B", False, 2, "A", False),
    ("a takeover", FENCE, "B", True, 3, "B", True),
    ("a takeover from a copy of itself", FENCE, "A", True, 3, "A", True),
]


@pytest.mark.parametrize(
    ("fence", "instance", "takeover", "generation", "primary", "writes"),
    [row[1:] for row in ENTRIES],
    ids=[row[0] for row in ENTRIES],
)
def test_log_in(fence: Fence, instance: str, takeover: bool, generation: int, primary: str, writes: bool) -> None:
    """Who is primary after a log-in; the generation only grows."""
    entry = rules.log_in(fence, instance, takeover)

    assert Fence(generation=generation, primary_instance=primary) == entry.fence
    assert writes == entry.primary


LEASE = LeaseRow(lease_token="t", generation=2, expires_at=100, cap_at=300)


def test_a_lease_ends_on_time_and_with_its_generation() -> None:
    """Live is before the end and of the present generation; at the very end it is over."""
    assert rules.lease_live(LEASE, FENCE, 99)
    assert not rules.lease_live(LEASE, FENCE, 100)
    assert not rules.lease_live(LEASE, Fence(generation=3, primary_instance="A"), 50)
    assert not rules.lease_live(None, FENCE, 50)


@given(st.integers(0, 100), st.integers(1, 500))
def test_renewal_never_passes_the_cap_nor_goes_back(now: int, lease_ms: int) -> None:
    """A hung task cannot renew for ever, and renewing early takes nothing away."""
    assert LEASE.expires_at <= rules.renewed(LEASE, now, lease_ms) <= LEASE.cap_at


MINE, ACKED, OTHERS, FREE = (
    Held(message_id="m", lease_token="t", acked=False),
    Held(message_id="m", lease_token="t", acked=True),
    Held(message_id="m", lease_token="u", acked=False),
    Held(message_id="m", lease_token=None, acked=False),
)
LOST = Settling(refusal="lease_lost")
ACKS = [
    ("held and live", MINE, True, Settling(), Settling()),
    ("held, but the lease is over", MINE, False, LOST, LOST),
    ("acked before", ACKED, True, Settling(replayed=True), LOST),
    ("acked before, and the lease is over", ACKED, False, Settling(replayed=True), LOST),
    ("held by another lease", OTHERS, True, LOST, LOST),
    ("held by none", FREE, True, LOST, LOST),
    ("no such message", None, True, LOST, LOST),
]


@pytest.mark.parametrize(("held", "live", "ack", "release"), [row[1:] for row in ACKS], ids=[row[0] for row in ACKS])
def test_settling(held: Held | None, live: bool, ack: Settling, release: Settling) -> None:
    """Ack and release need the live lease that holds the message; only a finished ack may be repeated."""
    found = {"m": held} if held else {}

    assert ack == rules.may_ack(["m"], found, "t", live)
    assert release == rules.may_release(["m"], found, "t", live)


TEXTS = [
    ("hello", None, None),
    (" \n", None, "text_empty"),
    ("x" * 16, None, None),
    ("x" * 17, None, "text_too_large"),
    ("你" * 6, None, "text_too_large"),
    ("x", '{"a":1}', None),
    ("x", "[1]", "packet_invalid"),
    ("x", '{"a":1} {}', "packet_invalid"),
    ("x", '{"a":1,"a":2}', "packet_invalid"),
    ("x", '{"a":NaN}', "packet_invalid"),
    ("x", '{"a":' + "[" * 30_000 + "]" * 30_000 + "}", "packet_invalid"),
    ("x", '{"a":"' + "y" * 70_000 + '"}', "packet_too_large"),
]


@pytest.mark.parametrize(("text", "packet", "complaint"), TEXTS, ids=range(len(TEXTS)))
def test_message_complaint(text: str, packet: str | None, complaint: str | None) -> None:
    """Sizes count UTF-8 bytes; a packet is one JSON object of bounded size and depth."""
    message = wire.SendMessage(reply_id="rep_12345", generation=1, text=text, packet=packet)

    assert complaint == rules.message_complaint(message, wire.Limits(text_bytes=16))


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=16, max_size=16), st.integers(0, 2**50))
def test_a_nonce_is_ours_or_nothing(secret: bytes, salt: bytes, now: int) -> None:
    """A nonce tells its own end; another secret, another role or one changed digit makes it nothing."""
    nonce = rules.nonce_of(secret, ROLE, now, salt)
    changed = nonce[:-1] + ("0" if nonce[-1] != "0" else "1")

    assert now + 5 == rules.nonce_ends(secret, ROLE, nonce, 5)
    assert rules.nonce_ends(secret[::-1] + b"x", ROLE, nonce, 5) is None
    assert rules.nonce_ends(secret, ROLE + "x", nonce, 5) is None
    assert rules.nonce_ends(secret, ROLE, changed, 5) is None


@pytest.mark.parametrize("nonce", ["", "00", "0" * 111, "0" * 112])
def test_a_nonce_that_was_never_given(nonce: str) -> None:
    """Made-up nonces of any length are nothing, not errors."""
    assert rules.nonce_ends(b"s" * 32, ROLE, nonce, 5) is None


def test_signature() -> None:
    """A signature fits its key and its bytes alone."""
    key = SigningKey(b"k" * 32)
    public, signature = key.verify_key.encode().hex(), key.sign(b"data").signature.hex()

    assert rules.signature_fits(public, b"data", signature)
    assert not rules.signature_fits(public, b"date", signature)
    assert not rules.signature_fits("00" * 32, b"data", signature)
    assert not rules.signature_fits(public, b"data", "00" * 64)
