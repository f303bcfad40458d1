"""The vectors: what every validator of these profiles must say (spec 3 §3)."""

from __future__ import annotations

from collections import Counter

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.packets.profiles import BUILT
from dragoman.packets.rules import RULES, STAGE_RULES, Rule
from dragoman.packets.validate import validate
from tests.packets.material import Vector, vectors

ALL = tuple(vectors())
UNREACHABLE = {"too_large", "rule_failed", "findings_cut_off"}


@pytest.mark.parametrize("vector", ALL, ids=lambda vector: f"{vector.profile}-{vector.name}")
def test_vector(vector: Vector) -> None:
    """The result and the rule ids are exactly those of the vector."""
    verdict = validate(vector.raw, now=vector.now, trust=vector.trusted)
    assert (verdict.result, sorted(verdict.rules)) == (vector.expect["result"], vector.expect["rules"])


@pytest.mark.parametrize("profile", BUILT)
def test_every_profile_has_enough_vectors(profile: str) -> None:
    """At least three that pass and twelve that fail, with names that do not repeat."""
    mine = [vector for vector in ALL if vector.profile == profile]
    results = Counter(vector.expect["result"] for vector in mine)
    assert (results["pass"] >= 3, results["fail"] >= 12) == (True, True)
    assert len({vector.name for vector in mine}) == len(mine)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_without_a_rule_a_vector_turns_red(rule: Rule) -> None:
    """Every rule is needed: leaving it out changes the verdict on a vector that expects only this rule."""
    others = tuple(kept for kept in RULES if kept is not rule)
    mine = [vector for vector in ALL if vector.expect["rules"] == [rule.id]]
    assert mine
    for vector in mine:
        assert rule.id not in validate(vector.raw, now=vector.now, rules=others, trust=vector.trusted).rules


def test_every_stage_rule_has_a_vector() -> None:
    """What stages decide is covered too, but for those that no small packet can reach."""
    spoken = {rule for vector in ALL for rule in vector.expect["rules"]}
    assert {rule.id for rule in STAGE_RULES} - spoken == UNREACHABLE


@pytest.mark.parametrize("vector", ALL[::7], ids=lambda vector: f"{vector.profile}-{vector.name}")
def test_white_space_changes_nothing(vector: Vector) -> None:
    """Minified and indented forms have one verdict; only the bytes of the reader's vectors matter."""
    if vector.packet is None:
        return
    indented = orjson.dumps(vector.packet, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    assert validate(indented, now=vector.now, trust=vector.trusted) == validate(
        vector.raw, now=vector.now, trust=vector.trusted
    )


@settings(max_examples=300)
@given(st.data())
def test_no_change_of_a_packet_raises_or_breaks_a_rule(data: st.DataObject) -> None:
    """Any JSON value at any place gives a verdict, the same one twice, and no rule breaks on it."""
    vector = data.draw(st.sampled_from([vector for vector in ALL if vector.name == "example"]))
    packet = msgspec.json.decode(vector.raw)
    box = packet
    for _ in range(data.draw(st.integers(0, 3))):
        inner = [value for value in (box.values() if isinstance(box, dict) else box) if isinstance(value, (dict, list))]
        if not inner:
            break
        box = data.draw(st.sampled_from(inner))
    if box:
        key = data.draw(st.sampled_from(list(box) if isinstance(box, dict) else list(range(len(box)))))
        box[key] = data.draw(
            st.recursive(
                st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text(max_size=5),
                lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
                max_leaves=4,
            )
        )
    raw = orjson.dumps(packet)
    first, second = (
        validate(raw, now=vector.now, trust=vector.trusted),
        validate(raw, now=vector.now, trust=vector.trusted),
    )
    assert first == second
    assert "rule_failed" not in first.rules


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_raise_and_never_pass(raw: bytes) -> None:
    """Noise is a failed verdict."""
    assert validate(raw, now=0).result == "fail"
