# ruff: noqa: E501 - published test vectors stand in one line
"""Signatures: the published test vectors of Ed25519, our trust list, and what a signature never does."""

from __future__ import annotations

import pytest

from dragoman.errors import DragomanError
from dragoman.packets.canonical import sealed_bytes
from dragoman.packets.chain import validate_chain
from dragoman.packets.seal import keyed_of, seal
from dragoman.packets.signature import (
    Trust,
    TrustedKey,
    complaint,
    decoded,
    encoded,
    key_id_of,
    public_key_of,
    read_trust,
    signature_of,
)
from dragoman.packets.validate import validate
from tests.packets.material import NOW, vectors

RFC_8032 = (
    # RFC 8032 §7.1, tests 1 to 3: seed, public key, message, signature
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)
SEED = bytes(range(32))
EXAMPLE = next(each for each in vectors() if each.name == "example")


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_published_vectors(seed: str, public: str, message: str, signature: str) -> None:
    """Key and signature are those of RFC 8032."""
    made = signature_of(bytes.fromhex(message), bytes.fromhex(seed))

    assert public == public_key_of(bytes.fromhex(seed)).hex()
    assert (key_id_of(bytes.fromhex(public)), signature) == (made["key_id"], decoded(made["value"]).hex())


def trust(**changed: object) -> Trust:
    """A list with the key of `SEED`, speaking for the agent of the examples."""
    public = public_key_of(SEED)
    key = {"key_id": key_id_of(public), "public_key": encoded(public), "agents": ("agent:stock",), **changed}
    return Trust(keys=(TrustedKey(**key),))  # type: ignore[arg-type]


def test_sealing_signs_and_a_fresh_seal_drops_it() -> None:
    """`seal` with a key signs the bytes that are hashed; sealed again without one, nothing is signed."""
    signed = seal(EXAMPLE.raw, seed=SEED)
    verdict = validate(signed, now=NOW, trust=trust())

    assert ("pass", True) == (verdict.result, "signature" in verdict.checked)
    assert EXAMPLE.raw == seal(signed)


def test_every_bit_of_a_signature_counts() -> None:
    """Turning any one bit of the 64 bytes makes it invalid."""
    packet = keyed_of(seal(EXAMPLE.raw, seed=SEED))
    body, right = sealed_bytes(packet), decoded(packet["integrity"]["signature"]["value"])
    for bit in range(len(right) * 8):
        wrong = bytearray(right)
        wrong[bit // 8] ^= 1 << bit % 8
        packet["integrity"]["signature"]["value"] = encoded(bytes(wrong))
        found = complaint(packet, body, trust())
        assert found is not None
        assert found[0] == "signature_invalid"


def test_a_chain_is_judged_by_the_same_list() -> None:
    """A signed packet of a chain holds under the trust list, and fails under one that does not know its key."""
    signed = seal(EXAMPLE.raw, seed=SEED)
    known, unknown = (
        validate_chain([("a", signed)], trust=each) for each in (trust(), trust(key_id="key-of-somebody-else"))
    )

    assert ((), ("age",)) == (known.packets[0].verdict.rules, known.not_checked)
    assert ("signature_invalid",) == unknown.packets[0].verdict.rules


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b'{"version": 2}',
        b'{"version": 1, "more": 1}',
        b'{"keys": [{"key_id": "k", "public_key": "short", "agents": ["a-1"]}]}',
        b'{"keys": [{"key_id": "k", "public_key": "' + b"A" * 43 + b'", "agents": []}]}',
        b'{"keys": [{"key_id": "k", "public_key": "' + b"A" * 43 + b'", "agents": ["a"], "holds_until": "2026-02-30T00:00:00Z"}]}',
        b'{"keys": [' + b",".join([b'{"key_id": "k", "public_key": "' + b"A" * 43 + b'", "agents": ["a"]}'] * 2) + b"]}",
    ],
)  # fmt: skip
def test_a_trust_file_is_strict(raw: bytes) -> None:
    """What is no trust file is refused, never read as one that trusts nobody."""
    with pytest.raises(DragomanError) as caught:
        read_trust(raw)

    assert "input_invalid" == caught.value.code


@pytest.mark.parametrize("text", ["A" * 85, "A" * 87, "+" * 86, "=" * 86, "A" * 85 + "B", ""])
def test_what_is_no_base64url_is_nothing(text: str) -> None:
    """One text form per signature: padding, other letters and loose last bits are refused."""
    assert len(decoded(text)) != 64
