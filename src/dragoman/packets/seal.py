"""Set the integrity of a packet: algorithm, canonical form and checksum (spec 3 §1).

A seal shows later change by accident or by somebody without the means to seal again; who sealed it, only a signature
would show. Sealing changes nothing but `integrity`, and drops a signature, which would no longer fit.
"""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.errors import DragomanError
from dragoman.packets.canonical import checksum, sealed_bytes
from dragoman.packets.envelope import arranged
from dragoman.packets.forms import keyed
from dragoman.packets.profiles import profile, shown_pointer
from dragoman.packets.read import DEFAULT_LIMITS, Document, Limits, read
from dragoman.packets.signature import signature_of


def sealed(packet: dict[str, Any]) -> dict[str, Any]:
    """`packet` in the published field order with a fresh `integrity`.

    Raises:
        DragomanError: `input_invalid`, the packet has no canonical form.
    """
    integrity = {"algorithm": "sha-256", "canonicalization": "rfc8785"}
    chosen = profile(packet.get("profile"))
    made = arranged({**packet, "integrity": integrity}, chosen.body_order if chosen else ())
    return {**made, "integrity": {**integrity, "checksum": checksum(made)}}


def signed(packet: dict[str, Any], seed: bytes) -> dict[str, Any]:
    """`packet` sealed, with a signature under the private key of the 32-byte `seed` (`signature.py`).

    Raises:
        DragomanError: `input_invalid`, the packet has no canonical form.
    """
    made = sealed(packet)
    return {**made, "integrity": {**made["integrity"], "signature": signature_of(sealed_bytes(made), seed)}}


def seal(raw: bytes, limits: Limits = DEFAULT_LIMITS, *, seed: bytes | None = None) -> bytes:
    """The packet of `raw`, sealed (and signed, with a `seed`), as compact UTF-8 JSON in the published field order.

    Raises:
        DragomanError: `input_invalid`, the bytes are not one strict JSON packet, keyed or keyless.
    """
    packet = keyed_of(raw, limits)
    return written(sealed(packet) if seed is None else signed(packet, seed))


def keyed_of(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> dict[str, Any]:
    """The packet of `raw` with named fields, whichever of the three forms it has.

    Raises:
        DragomanError: `input_invalid`, as `seal`.
    """
    fix = "see `dragoman packet validate`"
    document = read(raw, limits)
    if not isinstance(document, Document):
        raise DragomanError("input_invalid", document[0].message, where=shown_pointer(document[0].path), fix=fix)
    value = document.value
    if isinstance(value, list):
        value, misfits = keyed(value)
        if misfits:
            raise DragomanError("input_invalid", misfits[0][2], where=misfits[0][1], fix=fix)
    if not isinstance(value, dict):
        raise DragomanError("input_invalid", "expected one object with named fields, or an array in field order")
    return value


def written(packet: dict[str, Any]) -> bytes:
    """`packet` as compact UTF-8 JSON, fields in the order in which they stand."""
    return orjson.dumps(packet)
