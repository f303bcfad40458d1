"""Profiles and schemas: one source of truth, closed, and really enforced (spec 3 §1, §2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from dragoman.errors import DragomanError
from dragoman.packets.envelope import FIELDS, SUBFIELDS
from dragoman.packets.examples import example
from dragoman.packets.profiles import (
    BUILT,
    PATTERNS,
    envelope_schema,
    profile,
    profiles,
    refuse_lax_formats,
    shape_findings,
)
from tests.packets.material import NOW


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema document."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def test_envelope_tables_and_schema_agree() -> None:
    """The twelve fields and their sub-fields stand in the same order in the table and in the schema."""
    schema = envelope_schema()
    assert tuple(schema["properties"]) == tuple(schema["required"]) == FIELDS
    for name, (required, optional) in SUBFIELDS.items():
        part = schema["properties"][name]
        part = schema["$defs"]["party"] if name in ("source", "target") else part
        assert (tuple(part["required"]), tuple(part["properties"])) == (required, required + optional)
        assert part["x-origin"] == "dragoman"


@pytest.mark.parametrize("profile_id", BUILT)
def test_schemas_are_valid_closed_and_described(profile_id: str) -> None:
    """Every object that lists fields refuses others, and every field says what it is."""
    found = profile(profile_id)
    assert found is not None
    jsonschema_rs.meta.validate(found.schema)
    for node in nodes(found.schema):
        if node.get("type") == "object" and "properties" in node:
            assert node["additionalProperties"] is False, node
        for name, field in node.get("properties", {}).items():
            if isinstance(field, dict) and ("type" in field or "enum" in field or "const" in field) and len(field) > 1:
                assert field.get("description") or "description" in field, name


def test_every_number_in_a_schema_is_a_bounded_integer() -> None:
    """No float is ever wanted, so that the checksum has one byte form."""
    for found in profiles():
        for node in nodes(found.schema):
            kinds = node.get("type")
            kinds = kinds if isinstance(kinds, list) else [kinds]
            assert "number" not in kinds
            if "integer" in kinds:
                assert -(2**53) < node["minimum"] <= node["maximum"] < 2**53


def test_a_build_without_format_checks_is_refused() -> None:
    """`date-time` that is only an annotation would let impossible dates pass; the table does not load then."""
    lax = jsonschema_rs.Draft202012Validator({"type": "string", "format": "date-time"}, validate_formats=False)
    with pytest.raises(DragomanError) as caught:
        refuse_lax_formats(lax)
    assert caught.value.code == "internal"


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("message_id", "MSG 1", PATTERNS["^[a-z]+[-_:.][A-Za-z0-9._:-]{1,120}$"]),
        ("body.exact_next_action", " ", "is blank"),
        ("body.required_reads", "README.md", "has the wrong JSON type: array belongs here"),
        ("delegated", "hunter2", f"a field is not declared here: 1 of its 13 fields; declared are {', '.join(FIELDS)}"),
        ("provenance.agent", "a" * 300, None),
    ],
)
def test_a_person_reads_what_belongs_there(place: str, value: str, message: str | None) -> None:
    """The form that is wanted is said, the place of an undeclared field is told, and the value is never repeated."""
    packet = json.loads(example("uai.agent.handoff.v1", now=NOW, new_id=lambda kind: f"{kind}-1"))
    *boxes, last = place.split(".")
    box = packet
    for each in boxes:
        box = box[each]
    box[last] = value
    chosen = profile("uai.agent.handoff.v1")
    assert chosen is not None
    (found,) = shape_findings(chosen, packet)

    assert message in (found.message, None)
    assert value == " " or value not in found.message + found.path


def test_every_pattern_of_words_is_in_use() -> None:
    """The sentences stand for patterns that the schemas have."""
    used = {node["pattern"] for found in profiles() for node in nodes(found.schema) if "pattern" in node}

    assert PATTERNS.keys() <= used


def test_only_exact_ids_are_known() -> None:
    """Underscores, other versions and other types are no profile."""
    for wrong in ("uai.agent.final_report.v1", "uai.agent.ack.v2", "", None, 1, ["uai.agent.ack.v1"]):
        assert profile(wrong) is None
