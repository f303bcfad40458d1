"""The event stream of a role: what the hub tells it beside messages (spec 2 §1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from dragoman.wire.base import Answer, ContactId, MessageId, MintedId, Moment, RoleId


class EventKind(StrEnum):
    """What an event tells of. A newer hub may know more kinds."""

    SUBSCRIPTION_MATCH = "subscription_match"
    DELEGATION_ANSWERED = "delegation_answered"
    MESSAGE_EXPIRED = "message_expired"
    TRADE = "trade"


TradeKind = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}(?!\n)$", max_length=40)]
"""What happened to a trade, in the words of the hub's operator: `order_placed`, `paid`."""


class EventFacts(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """What happened: the ids that it is about, and what only an event of its kind has.

    `subscription_match`: `subscription_id`, `entry_id`, `version`, `role_id`. `delegation_answered`:
    `delegation_id`, `contact_id`, `role_id` (who answers). `message_expired`: `message_id`, `contact_id`, `reply_id`.
    `trade`: `trade_kind`, `reference`, `text`.
    """

    role_id: RoleId | None = None
    contact_id: ContactId | None = None
    message_id: MessageId | None = None
    reply_id: MintedId | None = None
    subscription_id: str | None = None
    delegation_id: str | None = None
    entry_id: str | None = None
    version: int | None = None
    trade_kind: str | None = None
    reference: str | None = None
    text: str | None = None


class Event(Answer, frozen=True, kw_only=True):
    """One event; `seq` grows within its role's stream and may leave numbers out. `kind`: one of `EventKind`."""

    seq: int
    kind: str
    created_at: Moment
    facts: EventFacts


class Events(Answer, frozen=True, kw_only=True):
    """`GET /events?after=&kind=&wait_ms=`: oldest first; go on with `after` = `next_after` while `truncated`."""

    events: list[Event]
    next_after: int
    truncated: bool
    server_time: Moment
