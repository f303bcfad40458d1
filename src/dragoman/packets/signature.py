"""Who sealed this packet? Ed25519 (RFC 8032) over the very bytes that the checksum covers (spec 3 §1).

1. A signature proves that whoever held the key sealed these bytes; it grants nothing and proves no truth.
2. Trust is a small list of ours, never in the packet: which key speaks for which agent, from when until when. A key
   that is not listed, is listed for another agent, was withdrawn, or did not hold when the packet was issued, proves
   nothing: `signature_invalid`, with the reason.
3. An agent that is listed as signing must sign: else `signature_missing`.
4. Without a trust list, or for a packet without signature of an agent that need not sign, the stage is not checked.
5. Times are the packet's own `provenance.issued_at`: an archive stays verifiable after a key has run out. Whoever can
   steal an old key can date a packet back; withdraw such a key (`withdrawn`), and nothing of it holds any more.
6. One public key stands in the list once: a key id is not signed, so under a second id a withdrawn key would live on.
"""

from __future__ import annotations

import binascii
import functools
import hashlib
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from dragoman.clock import parse_rfc3339
from dragoman.errors import DragomanError
from dragoman.packets.envelope import at, text_at
from dragoman.packets.moment import moment
from dragoman.packets.read import read
from dragoman.packets.strict import Limits

ALGORITHM: Final = "ed25519"
SIGNED: Final = "/integrity/signature"
MOST_KEYS: Final = 10_000
KEY_BYTES: Final = 32

_TO_URL: Final = bytes.maketrans(b"+/", b"-_")
_FROM_URL: Final = bytes.maketrans(b"-_", b"+/")
_FILE: Final = Limits(max_bytes=8 * 1024 * 1024, max_depth=8, max_values=200_000)

_Time = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z$")]
_Label = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
_Public = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{43}$")]


class TrustedKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One public key (base64url without padding), the agents it speaks for, and when it holds."""

    key_id: _Label
    public_key: _Public
    agents: Annotated[tuple[_Label, ...], Meta(min_length=1)]
    holds_from: _Time | None = None
    holds_until: _Time | None = None
    withdrawn: bool = False
    note: str = ""


class Trust(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The trust file: whose signatures count. `must_sign` names the agents whose packets need one."""

    version: Literal[1] = 1
    keys: Annotated[tuple[TrustedKey, ...], Meta(max_length=MOST_KEYS)] = ()
    must_sign: tuple[_Label, ...] = ()

    def __post_init__(self) -> None:
        if len({key.key_id for key in self.keys}) != len(self.keys):
            raise ValueError("two keys have one key id")
        if len({key.public_key for key in self.keys}) != len(self.keys):
            raise ValueError("one public key stands under two key ids")
        for key in self.keys:
            if len(decoded(key.public_key)) != KEY_BYTES:
                raise ValueError(f"the public key of `{key.key_id}` is none")
            begins, ends = (time and parse_rfc3339(time) for time in (key.holds_from, key.holds_until))
            if begins and ends and begins > ends:
                raise ValueError(f"`{key.key_id}` ends before it begins")

    @functools.cached_property
    def by_id(self) -> dict[str, TrustedKey]:
        """The keys by their key id."""
        return {key.key_id: key for key in self.keys}

    @functools.cached_property
    def signers(self) -> frozenset[str]:
        """The agents of `must_sign`."""
        return frozenset(self.must_sign)


def read_trust(raw: bytes) -> Trust:
    """A trust file, strictly: strict JSON, each name once (of two `withdrawn` nobody knows which counts).

    Raises:
        DragomanError: `input_invalid`, and where.
    """
    try:
        found = read(raw, _FILE)
        if isinstance(found, tuple):
            raise ValueError(f"{found[0].message} - at `{found[0].path}`")
        return msgspec.convert(found.value, Trust)
    except (msgspec.ValidationError, ValueError) as error:
        fix = "a trust file is made by `dragoman packet keys trust FILE`; mend it there or by hand"
        raise DragomanError("input_invalid", f"no trust file: {error}", where="trust file", fix=fix) from None


def key_id_of(public_key: bytes) -> str:
    """The key id that we give a public key: `key-` and the first 32 hex digits of its SHA-256."""
    return "key-" + hashlib.sha256(public_key).hexdigest()[:32]


def signature_of(body: bytes, seed: bytes) -> dict[str, str]:
    """The `integrity.signature` of sealed bytes (`canonical.sealed_bytes`) under a private key's 32-byte seed."""
    from nacl.signing import SigningKey

    key = SigningKey(seed)
    value = key.sign(body).signature
    return {"algorithm": ALGORITHM, "key_id": key_id_of(bytes(key.verify_key)), "value": encoded(value)}


def public_key_of(seed: bytes) -> bytes:
    """The public key of a private key's seed."""
    from nacl.signing import SigningKey

    return bytes(SigningKey(seed).verify_key)


def complaint(packet: dict[str, Any], body: bytes, trust: Trust) -> tuple[str, str, str] | None:
    """Rule id, place and sentence of what is wrong with the signature; None when it holds. Ask only if `asked`."""
    found = at(packet, "integrity", "signature")
    agent = text_at(packet, "source", "agent_id")
    if type(found) is not dict:
        return "signature_missing", "/integrity", "its source must sign, and has not"
    named = found.get("key_id")
    key = trust.by_id.get(named) if type(named) is str else None
    if key is None:
        return _no("names a key that the trust file does not hold")
    if found.get("algorithm") != ALGORITHM:
        return _no("is of another algorithm than ed25519")
    if agent not in key.agents:
        return _no("is by a key that does not speak for its source")
    if key.withdrawn:
        return _no("is by a key that was withdrawn")
    issued = moment(text_at(packet, "provenance", "issued_at"))
    if issued is None or not _holds(key, issued):
        return _no("is by a key that did not hold when the packet was issued")
    value = found.get("value")
    fits = type(value) is str and _verifier(key.public_key)(body, decoded(value))
    return None if fits else _no("does not fit the packet")


def asked(packet: dict[str, Any], trust: Trust | None) -> bool:
    """Whether there is anything to check (law 4)."""
    if trust is None:
        return False
    return bool(at(packet, "integrity", "signature")) or text_at(packet, "source", "agent_id") in trust.signers


def encoded(raw: bytes) -> str:
    """Base64url without padding."""
    return binascii.b2a_base64(raw, newline=False).translate(_TO_URL).rstrip(b"=").decode("ascii")


def decoded(text: str) -> bytes:
    """The bytes of base64url without padding; empty for anything else, also for a second spelling of the same bytes."""
    try:
        raw = binascii.a2b_base64(text.encode("ascii").translate(_FROM_URL) + b"=" * (-len(text) % 4))
    except ValueError:
        return b""
    return raw if encoded(raw) == text else b""


@functools.lru_cache(maxsize=1_024)
def _verifier(public_key: str) -> Callable[[bytes, bytes], bool]:
    """Whether a signature of some bytes is by this key."""
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    verify = VerifyKey(decoded(public_key)).verify

    def holds(body: bytes, signature: bytes) -> bool:
        try:
            verify(body, signature)
        except (BadSignatureError, ValueError, TypeError):
            return False
        return True

    return holds


def _no(sentence: str) -> tuple[str, str, str]:
    return "signature_invalid", SIGNED, sentence


def _holds(key: TrustedKey, issued: int) -> bool:
    begins = parse_rfc3339(key.holds_from) if key.holds_from else issued
    ends = parse_rfc3339(key.holds_until) if key.holds_until else issued
    return begins <= issued <= ends
