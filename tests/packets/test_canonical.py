"""Canonical bytes and checksum (RFC 8785; spec 3 §1)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.packets.canonical import canonical, checksum, sealed_bytes, sealed_from
from dragoman.packets.profiles import Profile, profiles
from dragoman.packets.read import Document, read
from dragoman.packets.seal import sealed, signed
from tests.packets.material import Vector, shared, vectors
from tests.packets.test_read import JSON_VALUES


def value_of(raw: bytes) -> Any:
    """The value of strict JSON bytes."""
    document = read(raw)
    assert isinstance(document, Document)
    return document.value


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_published_examples(name: str) -> None:
    """The examples published with the scheme come out byte for byte."""
    folder = shared("data", "rfc8785")
    expected = bytes.fromhex("".join((folder / "outhex" / f"{name}.txt").read_text().split()))
    assert canonical(value_of((folder / "input" / f"{name}.json").read_bytes())) == expected


@given(JSON_VALUES)
def test_the_fast_way_writes_the_same_bytes(value: Any) -> None:
    """Where orjson is used, its bytes are those of the reference library; keys beyond ASCII and floats included."""
    assert canonical(value) == rfc8785.dumps(value)


@given(JSON_VALUES)
def test_canonical_bytes_are_stable(value: Any) -> None:
    """Reading canonical bytes and writing them again changes nothing."""
    once = canonical(value)
    assert canonical(value_of(once)) == once


def test_keys_sort_by_utf16_and_nothing_is_normalised() -> None:
    """Two programs in different languages get one hash (case C077)."""
    cases = [json.loads(line) for line in (shared("cases") / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    case = next(case for case in cases if case["id"] == "C077")["input"]
    order = list(value_of(canonical(dict.fromkeys(case["key_order"], 1))))
    assert order == case["key_order_utf16_expected"]
    assert hashlib.sha256(canonical(case["nfc"])).hexdigest() == case["sha256_canonical_nfc"]
    assert hashlib.sha256(canonical(case["nfd"])).hexdigest() == case["sha256_canonical_nfd"]
    for name in ("raw_lone_high", "raw_lone_in_key", "raw_swapped_pair"):
        assert {problem.rule for problem in read(case[name].encode())} == {"lone_surrogate"}  # type: ignore[union-attr]
    assert value_of(case["raw_valid_pair"].encode()) == {"name": "\U0001f600"}


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, "\ud800", {"\udc00": 1}, {1: 2}, object(), {"a": {1, 2}}]
)
def test_what_has_no_canonical_form_is_an_error(value: Any) -> None:
    """A value without RFC 8785 bytes is refused with a stable code, not hashed somehow."""
    with pytest.raises(DragomanError) as caught:
        canonical(value)
    assert caught.value.code == "input_invalid"


def test_the_checksum_leaves_out_only_itself_and_the_signature() -> None:
    """Anything else that changes, changes the checksum."""
    packet = {"a": 1, "integrity": {"algorithm": "sha-256"}}
    plain = checksum(packet)
    assert plain == "sha256:" + hashlib.sha256(b'{"a":1,"integrity":{"algorithm":"sha-256"}}').hexdigest()
    assert checksum({"a": 1, "integrity": {"algorithm": "sha-256", "checksum": "x", "signature": {}}}) == plain
    assert checksum({"a": 2, "integrity": {"algorithm": "sha-256"}}) != plain
    assert checksum({"a": 1, "integrity": {"algorithm": "sha-256", "note": "x"}}) != plain


@given(st.dictionaries(st.text(), st.integers(-1000, 1000)))
def test_order_of_fields_does_not_matter(value: dict[str, int]) -> None:
    """The validator accepts any order, so the checksum must."""
    assert checksum(dict(reversed(value.items()))) == checksum(value)


@pytest.mark.parametrize(
    "vector", [each for each in vectors() if each.name == "example"], ids=lambda each: each.profile
)
def test_sealed_bytes_are_cut_out_of_the_whole(vector: Vector) -> None:
    """Signed or not, and whatever its texts say of checksums, they are those that are hashed."""
    packet: Any = json.loads(vector.raw)
    packet["source"]["project"] = 'x","checksum":"' + packet["integrity"]["checksum"] + '"'
    for made in (sealed(packet), signed(packet, bytes(32))):
        assert sealed_bytes(made) == sealed_from(canonical(made), made["integrity"])


@pytest.mark.parametrize("chosen", profiles(), ids=lambda each: each.id)
def test_one_object_alone_has_a_checksum(chosen: Profile) -> None:
    """In no packet without extensions can another `checksum` stand, which the cut would take for it."""
    assert 1 == json.dumps(chosen.schema["$defs"]["envelope"]).count('"checksum":')
    assert '"checksum"' not in json.dumps(chosen.schema["properties"])
