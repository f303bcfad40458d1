"""The wire: ids have one grammar, requests are strict, errors are a closed table, signatures name hub and purpose."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import wire
from dragoman.words import DeliveryState

HEX = "0123456789abcdef" * 2
REQUESTS = sorted(wire.Request.__subclasses__(), key=lambda kind: kind.__name__)

BAD_IDS = [
    ("", "empty"),
    (HEX, "no prefix"),
    (f"con_{HEX}", "another prefix"),
    (f"role_{HEX}\n", "a newline at the end"),
    (f"role_{HEX.upper()}", "upper case"),
    (f"role_{HEX}0", "too long"),
    (f"role_{HEX[:-1]}", "too short"),
    (f"role_{HEX[:-1]}٣", "a digit that is not ASCII"),
]


@pytest.mark.parametrize(("text", "why"), BAD_IDS, ids=[why for _, why in BAD_IDS])
def test_malformed_ids(text: str, why: str) -> None:
    """A malformed role id is refused at the decoder and never reaches a query."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode({"role_id": text}), type=wire.AskNonce)


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
def test_requests_refuse_unknown_fields(kind: type[wire.Request]) -> None:
    """No request body takes a field that it does not name, whatever else it holds."""
    with pytest.raises(msgspec.ValidationError, match=r"unknown field `x_unknown`|missing required"):
        msgspec.json.decode(b'{"x_unknown":1}', type=kind)

    assert kind.__struct_config__.forbid_unknown_fields


def test_answers_may_grow() -> None:
    """An older client skips a field that a newer hub added."""
    body = b'{"status":"ok","since":12}'

    assert wire.Health(status="ok") == msgspec.json.decode(body, type=wire.Health)


def test_errors_are_safe_sentences() -> None:
    """Every code has an HTTP error status and one fixed sentence: lower case, no full stop, nothing to fill in."""
    for code, (status, sentence) in wire.ERRORS.items():
        assert re.fullmatch(r"[a-z_]+", code)
        assert 400 <= status <= 599
        assert re.fullmatch(r"[a-z][^{}%]*[^.]", sentence), sentence


def test_only_internal_leaves_a_write_open() -> None:
    """After every code but `internal` the write certainly did not happen."""
    assert set(wire.ERRORS) - {"internal"} == wire.NOTHING_WRITTEN


def test_every_delivery_state_is_rendered_in_chinese() -> None:
    """The ten states of the spec, each with its Chinese words."""
    expected = [
        "等待本机处理", "处理中", "等待主人", "等待对方取信", "对方处理中",
        "等待对方答复", "等待对方主人", "回复限额", "完成", "关闭",
    ]  # fmt: skip

    assert expected == [wire.DELIVERY_ZH[state] for state in DeliveryState]


ORIGINS = [
    ("https://hub.example", "https://hub.example"),
    ("https://Hub.Example:443/", "https://hub.example"),
    ("http://127.0.0.1:8080/api", "http://127.0.0.1:8080"),
    ("http://[::1]:80", "http://[::1]"),
]


@pytest.mark.parametrize(("url", "origin"), ORIGINS)
def test_origin(url: str, origin: str) -> None:
    """Both ends write an origin alike, whatever way the address was typed."""
    assert origin == wire.origin_of(url)


@pytest.mark.parametrize(
    "url", ["hub.example", "ftp://hub.example", "https://", "https://u:p@hub.example", "http://h:x"]
)
def test_not_an_origin(url: str) -> None:
    """What is not an HTTP address, or carries a user name, has no origin."""
    with pytest.raises(ValueError):
        wire.origin_of(url)


def test_a_role_is_its_key() -> None:
    """The role id follows from the public key, so nobody can register a key under another's id."""
    assert re.fullmatch(r"role_[0-9a-f]{32}", wire.role_id_of("ab" * 32))
    assert wire.role_id_of("ab" * 32) != wire.role_id_of("ac" * 32)


FIELD = st.sampled_from(["a", "b", "https://x", "role_1", "join", "takeover"])


@given(st.lists(FIELD, min_size=4, max_size=4), st.lists(FIELD, min_size=4, max_size=4), st.booleans(), st.booleans())
def test_signing_inputs_differ_when_anything_differs(one: list[str], two: list[str], t1: bool, t2: bool) -> None:
    """A signature for one hub, role, instance, nonce or purpose fits no other."""
    first, second = wire.login_input(*one, t1), wire.login_input(*two, t2)

    assert ((one, t1) == (two, t2)) == (first == second)
    assert first != wire.register_input(one[0], one[1])
