"""The one byte form of a value, and the checksum of a packet (RFC 8785; spec 3 §1).

1. Keys are sorted by UTF-16 code units, numbers are written as ECMAScript writes them, text is never normalised.
2. The checksum covers the whole packet but `integrity.checksum` and `integrity.signature`.
3. `orjson` with sorted keys gives the same bytes if every key is ASCII and no number is a float; only then is it used.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import orjson
import rfc8785

from dragoman.errors import DragomanError
from dragoman.packets.read import Seen, survey
from dragoman.packets.strict import Limits

_UNSEALED: Final = ("checksum", "signature")
_UNSIGNED: Final = 3
"""How many fields the integrity of an unsigned packet has."""
_CHECKSUM: Final = b',"checksum":"'
_CHECKSUM_LENGTH: Final = len(_CHECKSUM) + len("sha256:") + 64 + len('"')
_ANY_SIZE: Final = Limits(max_bytes=2**62, max_depth=200, max_values=2**62)


def canonical(value: Any, *, plain: bool | None = None) -> bytes:
    """The RFC 8785 bytes of a JSON value.

    Args:
        value: dicts, lists, strings, numbers, booleans and None.
        plain: what `read` said of this very value, if it was read; None means look again.

    Raises:
        DragomanError: `input_invalid`, the value has no such form (NaN, an integer beyond 2^53-1, a lone surrogate,
            nested too deep, a type that is not JSON).
    """
    try:
        if plain is None:
            found = survey(value, _ANY_SIZE, Seen())
            if not isinstance(found, bool):
                raise DragomanError("input_invalid", found.message, where=found.path)
            plain = found
        if plain:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS)
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, TypeError, ValueError, RecursionError) as error:
        raise DragomanError("input_invalid", "the value has no canonical form") from error


def sealed_bytes(packet: dict[str, Any], *, plain: bool | None = None) -> bytes:
    """The bytes that are hashed and signed: canonical, without `integrity.checksum` and `integrity.signature`.

    Raises:
        DragomanError: `input_invalid`, as `canonical`.
    """
    integrity = packet.get("integrity")
    if isinstance(integrity, dict):
        packet = {**packet, "integrity": {k: v for k, v in integrity.items() if k not in _UNSEALED}}
    return canonical(packet, plain=plain)


def sealed_from(whole: bytes, integrity: dict[str, Any]) -> bytes:
    """What `sealed_bytes` gives, cut out of the canonical bytes of a packet that fits its schema and has no extensions:
    no other object of it may have a `checksum` (a test holds the schemas to that), and in a text the quotes around
    such a name are escaped."""
    start = whole.rfind(_CHECKSUM)
    end = start + _CHECKSUM_LENGTH
    if len(integrity) > _UNSIGNED:
        end += len(b',"signature":') + len(orjson.dumps(integrity["signature"]))
    return whole[:start] + whole[end:]


def digest(body: bytes) -> str:
    """`sha256:` and the hash of sealed bytes."""
    return "sha256:" + hashlib.sha256(body).hexdigest()


def checksum(packet: dict[str, Any], *, plain: bool | None = None) -> str:
    """The digest of a packet's sealed bytes.

    Raises:
        DragomanError: `input_invalid`, as `canonical`.
    """
    return digest(sealed_bytes(packet, plain=plain))
