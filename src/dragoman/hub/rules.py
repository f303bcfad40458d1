"""What may happen on the hub? Every decision of it, from facts alone (spec 2 §1).

1. **Writing.** Only the role's primary instance writes, and only under the role's present generation: the token's
   and the one the request names. An older generation is told so first, whoever asks.
2. **Logging in.** The first instance becomes primary with generation 1. `takeover` makes the asking instance primary
   and the generation one more, also when it was primary before: so it fences off a copy of itself. Otherwise nothing
   changes.
3. **Leases.** Live means: before its end and of the role's present generation. A lease that is not live can do nothing;
   its messages are free again. Renewal moves the end, never past the cap, never backwards.
4. **Settling** (ack, release) is by explicit ids under a live lease, all or none. Repeating a finished ack is harmless.
5. **Sending.** The same `reply_id` with the same body is the first message again; with another body, a conflict.

No clock, no store, no randomness: `now`, rows and secrets are arguments. A refusal is a code of `wire.ERRORS`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec
from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

from dragoman import wire
from dragoman.packets.read import Document, read

_CONTACT: Final = re.compile(r"con_[0-9a-f]{32}", re.ASCII)
_MINTED: Final = re.compile(r"[A-Za-z0-9_-]{8,128}", re.ASCII)
_SALT: Final = 16
_STAMP: Final = 8


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, as the bearer token says."""

    role_id: str
    instance_id: str
    generation: int


class Fence(msgspec.Struct, frozen=True, kw_only=True):
    """Who may write for a role: its primary instance, under this generation. Generation 0: nobody has logged in yet."""

    generation: int
    primary_instance: str | None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What a log-in comes to: the fence to keep, and whether the asking instance may write."""

    fence: Fence
    primary: bool


class LeaseRow(msgspec.Struct, frozen=True, kw_only=True):
    """A lease as stored; times in milliseconds since the epoch."""

    lease_token: str
    generation: int
    expires_at: int
    cap_at: int


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """One message as an ack or release sees it."""

    message_id: str
    lease_token: str | None
    acked: bool


class Settling(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a settling may go ahead: `refusal` is a code; `replayed` means that there is nothing left to do."""

    refusal: str | None = None
    replayed: bool = False


def may_write(caller: Caller, generation: int, fence: Fence) -> str | None:
    """Why this instance may not write under `generation`, or None if it may."""
    if caller.generation != fence.generation or generation != fence.generation:
        return "instance_superseded"
    if caller.instance_id != fence.primary_instance:
        return "instance_read_only"
    return None


def log_in(fence: Fence, instance_id: str, takeover: bool) -> Entry:
    """Who is primary after this log-in, under which generation."""
    if takeover or fence.primary_instance is None:
        return Entry(fence=Fence(generation=fence.generation + 1, primary_instance=instance_id), primary=True)
    return Entry(fence=fence, primary=instance_id == fence.primary_instance)


def lease_live(lease: LeaseRow | None, fence: Fence, now: int) -> bool:
    """Whether a lease can still do anything."""
    return lease is not None and now < lease.expires_at and lease.generation == fence.generation


def renewed(lease: LeaseRow, now: int, lease_ms: int) -> int:
    """The new end of a live lease."""
    return max(lease.expires_at, min(now + lease_ms, lease.cap_at))


def may_ack(asked: Collection[str], found: Mapping[str, Held], token: str, live: bool) -> Settling:
    """Whether `token` may ack `asked`. A message that it acked before counts as done, even when the lease has ended."""
    if not _all_under(asked, found, token):
        return Settling(refusal="lease_lost")
    if all(found[each].acked for each in asked):
        return Settling(replayed=True)
    return Settling() if live else Settling(refusal="lease_lost")


def may_release(asked: Collection[str], found: Mapping[str, Held], token: str, live: bool) -> Settling:
    """Whether `token` may give `asked` back; what is acked, or is held by another lease, may not be."""
    if not live or not _all_under(asked, found, token) or any(found[each].acked for each in asked):
        return Settling(refusal="lease_lost")
    return Settling()


def limited_until(times: Sequence[int | None], windows: Sequence[int], now: int) -> int | None:
    """When a role may reply again, or None if it may now.

    `times`: when the reply was sent that would have to leave each window first, None when the window has room;
    `windows`: their lengths in milliseconds.
    """
    ends = [sent + window for sent, window in zip(times, windows, strict=True) if sent is not None]
    latest = max(ends, default=now)
    return latest if latest > now else None


def body_digest(contact_id: str, message: wire.SendMessage) -> str:
    """The SHA-256 by which two sends under one `reply_id` are the same message."""
    fields = (contact_id, message.text, message.packet, message.complete)
    return hashlib.sha256(msgspec.json.encode(fields)).hexdigest()


def message_complaint(message: wire.SendMessage, limits: wire.Limits) -> str | None:
    """Why a message's text or packet cannot be taken, or None if it can."""
    if not message.text.strip():
        return "text_empty"
    if "\x00" in message.text:
        return "text_invalid"
    if len(message.text.encode()) > limits.text_bytes:
        return "text_too_large"
    if message.packet is None:
        return None
    if len(message.packet.encode()) > limits.packet_bytes:
        return "packet_too_large"
    # Strict JSON only, no profile: what is in a packet is between the two roles.
    found = read(message.packet.encode())
    return None if isinstance(found, Document) and isinstance(found.value, dict) else "packet_invalid"


def is_contact_id(text: str) -> bool:
    """Whether `text` is a contact id: `con_` and 32 lower-case hex."""
    return _CONTACT.fullmatch(text) is not None


def is_minted_id(text: str) -> bool:
    """Whether `text` is an id that a sender may mint."""
    return _MINTED.fullmatch(text) is not None


def nonce_of(secret: bytes, role_id: str, now: int, salt: bytes) -> str:
    """A nonce for `role_id`: salt (16 bytes), time and their keyed hash. Nothing is stored until it is used."""
    head = salt + now.to_bytes(_STAMP, "big")
    return (head + hmac.digest(secret, head + role_id.encode(), "sha256")).hex()


def nonce_ends(secret: bytes, role_id: str, nonce: str, nonce_ms: int) -> int | None:
    """When a nonce of ours for `role_id` ends, or None when it is not ours."""
    raw = bytes.fromhex(nonce) if len(nonce) % 2 == 0 else b""
    head = raw[: _SALT + _STAMP]
    mac = hmac.digest(secret, head + role_id.encode(), "sha256")
    if len(head) < _SALT + _STAMP or not hmac.compare_digest(mac, raw[_SALT + _STAMP :]):
        return None
    return int.from_bytes(head[_SALT:], "big") + nonce_ms


def signature_fits(public_key: str, data: bytes, signature: str) -> bool:
    """Whether `signature` (hex) over `data` was made by the private half of `public_key` (hex)."""
    try:
        VerifyKey(bytes.fromhex(public_key)).verify(data, bytes.fromhex(signature))
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def _all_under(asked: Collection[str], found: Mapping[str, Held], token: str) -> bool:
    return all(each in found and found[each].lease_token == token for each in asked)
