"""What a hub says of itself: its limits, its health."""

from __future__ import annotations

import msgspec

from dragoman.wire.base import Answer, Moment


class Limits(Answer, frozen=True, kw_only=True):
    """The bounds a hub works with; published, and given to its service."""

    text_bytes: int = 16 * 1024
    packet_bytes: int = 64 * 1024
    body_bytes: int = 512 * 1024
    nonce_ms: int = 5 * 60_000
    token_ms: int = 15 * 60_000
    lease_ms: int = 120_000
    lease_cap_ms: int = 30 * 60_000
    wait_ms: int = 30_000
    release_ms: int = 7 * 24 * 3_600_000
    """How far ahead a release may put `not_before`."""
    page: int = 100
    replies_per_contact_hour: int | None = 6
    replies_per_role_day: int | None = 60
    """The rolling windows "6/60"; None counts nothing."""
    contacts_per_role: int | None = 10_000
    """How many contacts a role may have open that it opened itself; None counts nothing."""
    roles_per_tenant: int | None = None
    """How many roles a tenant may have that are neither revoked nor erased; None counts nothing."""
    retention_ms: int = 7 * 24 * 3_600_000
    """How long a message can be fetched; then its text is removed, and what nobody took has expired."""
    proof_ms: int = 30 * 24 * 3_600_000
    """How long the hub can prove whether a reply id was accepted."""


class ClientRelease(Answer, frozen=True, kw_only=True):
    """A published release of the client; `sha256` is over its files, see `channels.hub.release`."""

    version: str
    sha256: str


class WellKnown(Answer, frozen=True, kw_only=True):
    """`GET /.well-known/dragoman`. `limits` are the hub's own; a tenant's may be tighter (`GET /me`)."""

    protocol_version: int
    limits: Limits
    server_time: Moment
    registration: str = "open"
    """`open`, or `invited`: a new role needs an invitation."""
    minimum_client_version: str = ""
    """The oldest client that this hub still serves; empty when it names none."""
    client_releases: list[ClientRelease] = msgspec.field(default_factory=list)


class Health(Answer, frozen=True, kw_only=True):
    """`GET /healthz`: the store took a write, and the hub is not going down."""

    status: str
