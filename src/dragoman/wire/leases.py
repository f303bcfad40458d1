"""Leases: taking what waits, holding it, settling it, giving it back (spec 2 §1)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from dragoman.wire.base import Answer, ContactIds, Generation, LeaseToken, MessageId, MessageIds, Moment, Request
from dragoman.wire.contacts import Message


class TakeLease(Request, frozen=True, kw_only=True):
    """`POST /leases`: waits up to `wait_ms` for messages; only those of `contact_ids` or `message_ids` when given."""

    generation: Generation
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    wait_ms: Annotated[int, Meta(ge=0, le=30_000)] = 0
    contact_ids: ContactIds | None = None
    message_ids: MessageIds | None = None


class RenewLease(Request, frozen=True, kw_only=True):
    """`POST /leases/renew`."""

    lease_token: LeaseToken
    generation: Generation


class AckMessages(Request, frozen=True, kw_only=True):
    """`POST /leases/ack`: the named messages were handled and are never delivered again. All or none."""

    lease_token: LeaseToken
    generation: Generation
    message_ids: MessageIds


class ReleaseMessages(Request, frozen=True, kw_only=True):
    """`POST /leases/release`: give the named messages back, to be leased again from `not_before` on. All or none."""

    lease_token: LeaseToken
    generation: Generation
    message_ids: MessageIds
    not_before: Moment = 0


class Lease(Answer, frozen=True, kw_only=True):
    """A live lease. It ends at `expires_at`, which renewal moves, but never past `cap_at`."""

    lease_token: LeaseToken
    generation: Generation
    expires_at: Moment
    cap_at: Moment


class Leased(Answer, frozen=True, kw_only=True):
    """What a poll brought; no messages, no lease."""

    lease: Lease | None
    messages: list[Message]
    server_time: Moment


class Settled(Answer, frozen=True, kw_only=True):
    """The messages that an ack or release settled; `replayed` when it had settled all of them before."""

    message_ids: list[MessageId]
    replayed: bool
