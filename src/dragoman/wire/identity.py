"""Roles, nonces and log-ins; and what is signed for them (spec 2 §1)."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

from dragoman.wire.base import (
    Answer,
    Code,
    Generation,
    InstanceId,
    Moment,
    Nonce,
    Origin,
    PublicKey,
    Request,
    RoleId,
    Signature,
)
from dragoman.wire.hub import Limits


class RegisterRole(Request, frozen=True, kw_only=True):
    """`POST /roles`: make a role of a public key; `signature` over `register_input` proves the private half.

    `role_id` names a role that has this key by now without having been made of it. `invitation` is the code that a hub
    may ask for.
    """

    public_key: PublicKey
    origin: Origin
    signature: Signature
    role_id: RoleId | None = None
    invitation: Code | None = None


class Role(Answer, frozen=True, kw_only=True):
    """A role; its id is derived from its key, so registering twice is one role."""

    role_id: RoleId
    public_key: PublicKey
    created_at: Moment
    replayed: bool


class AskNonce(Request, frozen=True, kw_only=True):
    """`POST /nonces`."""

    role_id: RoleId


class GivenNonce(Answer, frozen=True, kw_only=True):
    """A nonce for one log-in of this role."""

    nonce: Nonce
    expires_at: Moment
    server_time: Moment


class LogIn(Request, frozen=True, kw_only=True):
    """`POST /sessions`, signed over `login_input`. `takeover`: this instance becomes primary, the generation grows."""

    role_id: RoleId
    instance_id: InstanceId
    nonce: Nonce
    origin: Origin
    signature: Signature
    takeover: bool = False


class Session(Answer, frozen=True, kw_only=True):
    """A bearer token bound to role, instance and generation. `primary` false: this instance may only read."""

    token: str
    expires_at: Moment
    role_id: RoleId
    instance_id: InstanceId
    generation: Generation
    primary: bool
    server_time: Moment


class Me(Answer, frozen=True, kw_only=True):
    """`GET /me`: what the hub holds of the caller now. `superseded`: the token's generation is no longer the role's.

    `limits` are those of the caller's tenant; an older hub tells none.
    """

    role_id: RoleId
    instance_id: InstanceId
    generation: Generation
    primary: bool
    superseded: bool
    server_time: Moment
    tenant: str | None = None
    limits: Limits | None = None


def role_id_of(public_key: str) -> str:
    """The role id of a public key (64 lower-case hex): `role_` and the first 32 hex of its SHA-256."""
    return "role_" + hashlib.sha256(bytes.fromhex(public_key)).hexdigest()[:32]


def register_input(origin: str, public_key: str) -> bytes:
    """The bytes that `RegisterRole.signature` signs."""
    return "\n".join(("dragoman-register-v1", origin, public_key)).encode()


def login_input(origin: str, role_id: str, instance_id: str, nonce: str, takeover: bool) -> bytes:
    """The bytes that `LogIn.signature` signs."""
    fields = ("dragoman-login-v1", origin, role_id, instance_id, nonce, "takeover" if takeover else "join")
    return "\n".join(fields).encode()


def origin_of(url: str) -> str:
    """The origin of an HTTP address as both ends write it: `scheme://host[:port]`, lower case, default port left out.

    Raises:
        ValueError: not an `http` or `https` address with a host, or one that carries a user name.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError("expected an address such as `https://hub.example`")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    default = {"http": 80, "https": 443}[parts.scheme]
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"
