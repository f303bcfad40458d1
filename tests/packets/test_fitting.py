"""The way for packets that fit a closed schema says what the way from stage to stage says, to the byte.

A lower bound on depth than the usual one sends every packet the long way; so both ways are asked here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import msgspec
import orjson
import pytest

from dragoman.leaks import Guard, Terms
from dragoman.packets.claims.claimed import claims
from dragoman.packets.profiles import BUILT, envelope_schema, profile, profiles
from dragoman.packets.read import DEFAULT_LIMITS, Limits, glance
from dragoman.packets.rules import RULES, Subject
from dragoman.packets.texts import free_texts
from dragoman.packets.validate import validate
from tests.packets.material import NOW, vectors

THE_LONG_WAY = Limits(max_depth=DEFAULT_LIMITS.max_depth - 1)
ROUNDS = 6_000
VALUES: tuple[Any, ...] = (
    *(
        "",
        " ",
        "\x1c",
        "\x85",
        "\ufeff",
        "x <b",
        "%70assword=hunter2! >",
        "\t",
        "a\nb",
        "x\x00y",
        "é",
        "text",
        "msg-1",
        "agent:x",
        "uai.agent.message.v1",
        "uai.none.v1",
    ),
    *("2026-10-06T09:00:00Z", "2026-10-06T09:00:00.5Z", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "2026-10-06"),
    *("2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "sha256:" + "0" * 64, "key-" + "0" * 32, "A" * 86),
    *("AKIAIOSFODNN7EXAMPLF", "password=hunter2!", "UAIX synchronizes your repos automatically", "stock/dates.py"),
    *("never", "same_key", "accepted", "completed", "working", "cold_memory", "approved", "supersede", "retract"),
    *(0, 1, -1, 2.0, 1.5, 2**53, 2**53 - 1, 1e300, True, False, None, [], {}, [1], ["text"], {"a": 1}, {"x": 2.0}),
)
PACKETS = [each.packet for each in vectors() if isinstance(each.packet, dict)]


def boxes(value: Any) -> Iterator[Any]:
    """Every object and every list that holds something."""
    if isinstance(value, (dict, list)) and value:
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from boxes(item)


def changed(chance: random.Random) -> dict[str, Any]:
    """A packet of the vectors with a few values put in, taken away, doubled or added."""
    made: dict[str, Any] = deepcopy(chance.choice(PACKETS))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        box = chance.choice(list(boxes(made)))
        key = chance.choice(list(box) if isinstance(box, dict) else range(len(box)))
        match chance.randrange(8):
            case 0:
                del box[key]
            case 1 if isinstance(box, list):
                box.append(deepcopy(box[key]))
            case 1:
                box[chance.choice(("note", "extra", "priority", "signature", "sha256"))] = chance.choice(VALUES)
            case _:
                box[key] = deepcopy(chance.choice(VALUES))
    return made


def both_ways(raw: bytes, now: int) -> tuple[bytes, bytes]:
    """The verdict as it is given, and the one of the long way."""
    encode = msgspec.json.encode
    return encode(validate(raw, now=now)), encode(validate(raw, now=now, limits=THE_LONG_WAY))


def test_both_ways_say_the_same_of_every_vector() -> None:
    """Each vector has one verdict, whichever way it is read; but one is of the bound itself that the ways differ in."""
    for vector in (each for each in vectors() if each.name != "too_deep"):
        quick, slow = both_ways(vector.raw, NOW)
        assert quick == slow, vector.name


def test_both_ways_say_the_same_of_changed_packets() -> None:
    """So has a packet with random changes: types, floats, control characters, secrets, claims, times, fields."""
    chance = random.Random(6)
    fit = 0
    for _ in range(ROUNDS):
        packet = changed(chance)
        raw = orjson.dumps(packet)
        quick, slow = both_ways(raw, NOW)
        assert quick == slow, raw
        chosen = profile(packet.get("profile"))
        fit += glance(raw, DEFAULT_LIMITS) is not None and chosen is not None and chosen.validator.is_valid(packet)
    assert ROUNDS // 10 < fit < ROUNDS


def test_a_proven_rule_is_silent_about_what_fits() -> None:
    """Rules marked as proven find nothing in packets that fit their schema and hold no control characters."""
    chance = random.Random(7)
    proven = [rule for rule in RULES if rule.proven]
    asked = dict.fromkeys((rule.id for rule in proven), 0)
    for packet in (changed(chance) for _ in range(ROUNDS)):
        chosen = profile(packet.get("profile"))
        if chosen is None or glance(orjson.dumps(packet), DEFAULT_LIMITS) is None:
            continue
        if not chosen.validator.is_valid(packet):
            continue
        subject = Subject.of(packet, chosen.id, NOW, plain=True, prose="")
        for rule in proven:
            if rule.check is not None and (rule.profiles is None or chosen.id in rule.profiles):
                asked[rule.id] += 1
                assert list(rule.check(subject)) == [], (rule.id, packet)
    assert min(asked.values()) > 10, asked


def fixed_words(node: Any) -> Iterator[str]:
    """Every text that a schema fixes."""
    if isinstance(node, dict):
        yield from (each for each in (*node.get("enum", ()), node.get("const")) if isinstance(each, str))
        for each in node.values():
            yield from fixed_words(each)
    elif isinstance(node, list):
        for each in node:
            yield from fixed_words(each)


def test_what_a_schema_fixes_is_harmless() -> None:
    """No word that a schema fixes, alone or beside its field's name, is a secret or a claim, so none must be read."""
    guard = Guard(Terms({}))
    words = {word for each in profiles() for word in fixed_words(each.schema)}
    assert len(words) > len(BUILT)
    assert [word for word in words if guard.holds_secret(word) or claims(word)] == []


@pytest.mark.parametrize("profile_id", BUILT)
def test_every_free_text_is_given(profile_id: str) -> None:
    """Whatever text of a packet is changed so that it still fits, the new one stands among the free texts."""
    chosen = profile(profile_id)
    assert chosen is not None
    tried = 0
    for vector in vectors():
        if vector.profile != profile_id or vector.expect["result"] != "pass" or not isinstance(vector.packet, dict):
            continue
        for box in boxes(packet := deepcopy(vector.packet)):
            for key in list(box) if isinstance(box, dict) else range(len(box)):
                before = box[key]
                for word in ("agent:mark", "some words"):
                    if type(before) is str:
                        box[key] = word
                        if chosen.validator.is_valid(packet) and (found := chosen.free_texts(packet)) is not None:
                            assert word in (*found[0], *found[1])
                            tried += 1
                box[key] = before
    assert tried > 10


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object"}, {"a": "words"}),
        ({"type": ["object", "null"]}, {"a": "words"}),
        ({"type": "object", "properties": {}}, {"a": "words"}),
        ({"type": "array"}, ["words"]),
        ({"type": ["array", "null"], "items": {"type": "string"}}, ["words"]),
        ({"type": ["string", "integer"]}, "words"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 0}, 1),
        ({"type": "integer", "minimum": 0, "maximum": 2**53}, 1),
        ({"type": "number"}, 0.0),
        ({}, "words"),
    ],
)
def test_what_is_open_is_not_passed_over(schema: dict[str, Any], value: Any) -> None:
    """Where a schema does not close or bound a value there is no quick answer."""
    envelope = {"type": "object", "additionalProperties": False, "properties": {}, "required": ["it"], "$defs": {}}
    assert free_texts({"properties": {"it": schema}}, envelope)({"it": value}) is None


def test_the_envelope_is_closed() -> None:
    """A packet of every profile has free texts, so the quick way is taken at all."""
    assert envelope_schema()["additionalProperties"] is False
    for vector in vectors():
        chosen = profile(vector.profile)
        if chosen is not None and vector.name == "example" and isinstance(vector.packet, dict):
            assert chosen.free_texts(vector.packet) is not None
