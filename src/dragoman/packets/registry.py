"""What is published beside the schemas: profiles, field orders, vectors, error codes, compatibility (spec 3 §3).

`registry.json` is this value as package data; `make_registry` writes it, a test compares. Profile registration and
field order change together, in one release: both are read out of the schemas here, never written a second time.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
from typing import Any, Final

from dragoman.packets.envelope import FIELDS, SUBFIELDS, VERSION
from dragoman.packets.profiles import Profile, envelope_schema, profiles
from dragoman.packets.rules.base import ERROR_CODES

REGISTRY_VERSION: Final = "1"
VECTORS_VERSION: Final = "1"

COMPATIBILITY: Final = (
    "Version 1 of a profile only ever gains optional fields, at the end of its body's order; whatever passes today, "
    "passes then. A field that is renamed, removed, required anew or given another meaning makes version 2, "
    "beside version 1."
)
"""The note of every profile that is at its first version."""

_SUBFIELDS_OF_PARTY: Final = ("source", "target")


def registry() -> dict[str, Any]:
    """The whole registry as a JSON value; equal for equal package data."""
    return {
        "title": "Packet profiles of Dragoman",
        "version": REGISTRY_VERSION,
        "uai_version": VERSION,
        "note": "Profile ids, envelope fields and the names that the schemas do not mark `x-origin: dragoman` are "
        "published by UAIX; what is marked is Dragoman's own where nothing is published.",
        "schema_of_the_envelope": "schemas/envelope.json",
        "canonicalization": "rfc8785",
        "compact_field_order_maps": {"envelope": _envelope_order()},
        "profiles": [_row(chosen) for chosen in profiles()],
        "error_codes": [{"code": code, "meaning": meaning} for code, meaning in ERROR_CODES.items()],
    }


def published() -> dict[str, Any]:
    """The registry as it was written into the package."""
    text = (importlib.resources.files("dragoman.packets") / "registry.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def vectors_of(profile_id: str) -> bytes:
    """The vectors of one profile, a JSON line each."""
    return (importlib.resources.files("dragoman.packets") / "vectors" / f"{profile_id}.jsonl").read_bytes()


def _row(chosen: Profile) -> dict[str, Any]:
    body = chosen.schema["properties"]["body"]
    return {
        "id": chosen.id,
        "title": chosen.title,
        "kind": "agent" if chosen.id.startswith("uai.agent.") else "base",
        "terminal": chosen.terminal,
        "schema": f"schemas/{chosen.id}.json",
        "vectors": f"vectors/{chosen.id}.jsonl",
        "vectors_version": VECTORS_VERSION,
        "vectors_sha256": "sha256:" + hashlib.sha256(vectors_of(chosen.id)).hexdigest(),
        "compatibility": COMPATIBILITY,
        "field_order": _order(chosen.id, body["properties"], body["required"]),
    }


def _envelope_order() -> dict[str, Any]:
    schema = envelope_schema()
    inner = {}
    for name in SUBFIELDS:
        part = schema["$defs"]["party"] if name in _SUBFIELDS_OF_PARTY else schema["properties"][name]
        inner[name] = _order(name, part["properties"], part["required"])
    return _order("envelope", {name: schema["properties"][name] for name in FIELDS}, list(FIELDS)) | {"objects": inner}


def _order(name: str, fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    ordered = list(fields)
    return {
        "profile_identifier": name,
        "version": REGISTRY_VERSION,
        "ordered_fields": ordered,
        "required_indexes": [at for at, field in enumerate(ordered) if field in required],
        "nullable_indexes": [at for at, field in enumerate(ordered) if "null" in _types(fields[field])],
    }


def _types(field: dict[str, Any]) -> list[str]:
    kinds = field.get("type", [])
    found = [kinds] if isinstance(kinds, str) else list(kinds)
    return found + (["null"] if None in field.get("enum", []) else [])
