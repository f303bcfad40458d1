"""The envelope: twelve fields, their sub-fields, and how to reach them in a packet that may be anything (spec 3 §1).

1. The builder keeps this order; the validator accepts any.
2. The tables here and `schemas/envelope.json` say the same; a test holds them together.
3. `at` never raises and never guesses: what is not there is `MISSING`, which is not null.
"""

from __future__ import annotations

import re
from typing import Any, Final

FIELDS: Final = (
    "uai_version",
    "profile",
    "message_id",
    "source",
    "target",
    "conversation",
    "delivery",
    "trust",
    "body",
    "provenance",
    "integrity",
    "extensions",
)
"""The top-level fields, in the published order."""

VERSION: Final = "1.0"

_PARTY: Final = (("agent_id", "role_lane", "project", "contact_hint", "authority_boundary"), ())

SUBFIELDS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "source": _PARTY,
    "target": _PARTY,
    "conversation": (
        ("correlation_id", "parent_message_id", "sequence", "lifecycle_state"),
        ("traceparent", "causation_id"),
    ),
    "delivery": (
        (
            "mode",
            "ack_required",
            "idempotency_key",
            "expires_at",
            "timeout_ms",
            "retry_count",
            "retry_policy",
            "fallback_directive",
            "expected_output_schema",
        ),
        ("priority", "reply_to"),
    ),
    "trust": (("channel", "principal"), ("scheme", "credential_ref", "signature_ref", "replay_window_ms")),
    "provenance": (("issued_at", "agent", "evidence_refs"), ("model", "confidence", "log_ref")),
    "integrity": (("algorithm", "canonicalization", "checksum"), ("signature",)),
}
"""Required and optional sub-fields of every envelope object, in order."""


class Missing:
    """What is not there; false, and equal to nothing but itself."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


def at(packet: Any, *path: str) -> Any:
    """The value at `path`, or `MISSING` where a step is no object or has no such field."""
    for part in path:
        if type(packet) is not dict or part not in packet:
            return MISSING
        packet = packet[part]
    return packet


def text_at(packet: Any, *path: str) -> str:
    """The text at `path`, or the empty text where there is none."""
    found = at(packet, *path)
    return found if isinstance(found, str) else ""


def list_at(packet: Any, *path: str) -> list[Any]:
    """The list at `path`, or an empty one where there is none."""
    found = at(packet, *path)
    return found if isinstance(found, list) else []


_INK: Final = re.compile("[^\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")


def says(value: Any) -> bool:
    """Whether a value is a text that is not blank, as `\\S` in the schemas has it (white space of ECMA-262)."""
    return type(value) is str and _INK.search(value) is not None


def arranged(packet: dict[str, Any], body_order: tuple[str, ...]) -> dict[str, Any]:
    """`packet` with its fields in the published order; fields that no table knows keep their order at the end."""
    made = _first(packet, FIELDS)
    for name, (required, optional) in SUBFIELDS.items():
        if isinstance(made.get(name), dict):
            made[name] = _first(made[name], required + optional)
    if isinstance(made.get("body"), dict):
        made["body"] = _first(made["body"], body_order)
    return made


def _first(box: dict[str, Any], order: tuple[str, ...]) -> dict[str, Any]:
    return {name: box[name] for name in order if name in box} | box
