"""The life of a role's keys, and the end of a role; and what is signed for them (spec 2 §1).

Each request carries a nonce of `POST /nonces`, good once, and a signature over `key_input` of its verb and every field
that matters: a request seen once is worth nothing afterwards, and a changed one fits no signature.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from dragoman.wire.base import Answer, Code, Moment, Nonce, Origin, PublicKey, Request, RoleId, Signature

GRACE_MS: Final = 7 * 24 * 3_600_000
"""The longest that an old key is good beside a new one."""


class RotateKey(Request, frozen=True, kw_only=True):
    """`POST /keys/rotate`: a new key for the role. `signature` by the present key, `new_signature` by the new one.

    With `grace_ms` the old key still lets instances in for that long, but takes nothing over.
    """

    role_id: RoleId
    public_key: PublicKey
    nonce: Nonce
    origin: Origin
    signature: Signature
    new_signature: Signature
    grace_ms: Annotated[int, Meta(ge=0, le=GRACE_MS)] = 0


class RevokeKey(Request, frozen=True, kw_only=True):
    """`POST /keys/revoke`: no key is good for the role any more, until it is recovered."""

    role_id: RoleId
    nonce: Nonce
    origin: Origin
    signature: Signature


class NameRecoveryKey(Request, frozen=True, kw_only=True):
    """`POST /keys/recovery`: the key that may put a new one in place. `former_signature`: by the one it replaces."""

    role_id: RoleId
    recovery_key: PublicKey
    nonce: Nonce
    origin: Origin
    signature: Signature
    former_signature: Signature | None = None


class RecoverKey(Request, frozen=True, kw_only=True):
    """`POST /keys/recover`: a new key in the place of all others, by the recovery key's `signature` or a `code`."""

    role_id: RoleId
    public_key: PublicKey
    nonce: Nonce
    origin: Origin
    new_signature: Signature
    signature: Signature | None = None
    code: Code | None = None


class EraseRole(Request, frozen=True, kw_only=True):
    """`POST /keys/erase`: the end of the role, of its words and of all it had here. Nothing undoes it."""

    role_id: RoleId
    nonce: Nonce
    origin: Origin
    signature: Signature


class KeyState(Answer, frozen=True, kw_only=True):
    """A role's key now; `public_key` is null when none is good. `replayed`: it was so before."""

    role_id: RoleId
    public_key: PublicKey | None
    generation: int
    recovery: bool
    replayed: bool
    server_time: Moment


class Erased(Answer, frozen=True, kw_only=True):
    """What an erasure took away."""

    role_id: RoleId
    erased_at: Moment
    messages: int
    contacts: int


def key_input(verb: str, origin: str, role_id: str, nonce: str, *fields: str) -> bytes:
    """The bytes that a request of `/keys/<verb>` signs: the verb, its hub, its role, its nonce, and its own fields."""
    return "\n".join((f"dragoman-key-{verb}-v1", origin, role_id, nonce, *fields)).encode()


def rotate_input(body: RotateKey) -> bytes:
    """What `RotateKey` signs, with both keys."""
    return key_input("rotate", body.origin, body.role_id, body.nonce, body.public_key, str(body.grace_ms))


def recovery_input(body: NameRecoveryKey) -> bytes:
    """What `NameRecoveryKey` signs."""
    return key_input("recovery", body.origin, body.role_id, body.nonce, body.recovery_key)


def recover_input(body: RecoverKey) -> bytes:
    """What `RecoverKey` signs, with the new key and with the recovery key."""
    return key_input("recover", body.origin, body.role_id, body.nonce, body.public_key)


def plain_input(verb: str, body: RevokeKey | EraseRole) -> bytes:
    """What `RevokeKey` (`revoke`) and `EraseRole` (`erase`) sign."""
    return key_input(verb, body.origin, body.role_id, body.nonce)
