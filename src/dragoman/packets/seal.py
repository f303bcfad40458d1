"""Set the integrity of a packet: algorithm, canonical form and checksum (spec 3 §1).

A seal shows later change by accident or by somebody without the means to seal again; who sealed it, only a signature
would show. Sealing changes nothing but `integrity`, and drops a signature, which would no longer fit.
"""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.errors import DragomanError
from dragoman.packets.canonical import checksum
from dragoman.packets.envelope import arranged
from dragoman.packets.profiles import profile
from dragoman.packets.read import DEFAULT_LIMITS, Document, Limits, read


def sealed(packet: dict[str, Any]) -> dict[str, Any]:
    """`packet` in the published field order with a fresh `integrity`.

    Raises:
        DragomanError: `input_invalid`, the packet has no canonical form.
    """
    integrity = {"algorithm": "sha-256", "canonicalization": "rfc8785"}
    chosen = profile(packet.get("profile"))
    made = arranged({**packet, "integrity": integrity}, chosen.body_order if chosen else ())
    return {**made, "integrity": {**integrity, "checksum": checksum(made)}}


def seal(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The packet of `raw`, sealed, as compact UTF-8 JSON in the published field order.

    Raises:
        DragomanError: `input_invalid`, the bytes are not one strict JSON object.
    """
    document = read(raw, limits)
    if not isinstance(document, Document):
        first = document[0]
        raise DragomanError("input_invalid", first.message, where=first.path, fix="see `dragoman packet validate`")
    if not isinstance(document.value, dict):
        raise DragomanError("input_invalid", "expected one object with named fields")
    return written(sealed(document.value))


def written(packet: dict[str, Any]) -> bytes:
    """`packet` as compact UTF-8 JSON, fields in the order in which they stand."""
    return orjson.dumps(packet)
