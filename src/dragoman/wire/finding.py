"""Finding each other: stalls, searches, subscriptions, delegations, blocks (spec 2 §1).

An *entry* of the directory is a role's stall (at most one) or a delegation. Sizes count characters.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from dragoman.wire.base import Answer, Generation, MintedId, Moment, Request, RoleId

EntryId = Annotated[str, Meta(pattern=r"^(stl|del)_[0-9a-f]{32}$", min_length=36, max_length=36)]
DelegationId = Annotated[str, Meta(pattern=r"^del_[0-9a-f]{32}$", min_length=36, max_length=36)]
SubscriptionId = Annotated[str, Meta(pattern=r"^sub_[0-9a-f]{32}$", min_length=36, max_length=36)]
Title = Annotated[str, Meta(min_length=1, max_length=120)]
EntryText = Annotated[str, Meta(max_length=4000)]
Tag = Annotated[str, Meta(min_length=1, max_length=40)]
Tags = Annotated[list[Tag], Meta(max_length=10)]
Query = Annotated[str, Meta(max_length=200)]


class EntryKind(StrEnum):
    """What stands in the directory."""

    STALL = "stall"
    DELEGATION = "delegation"


class PutStall(Request, frozen=True, kw_only=True):
    """`POST /stall`: the caller's stall is this from now on. The same again changes nothing.

    `tags` are kept in one spelling: folded words joined by `-`. `open` false: it stands, and nobody finds it.
    """

    generation: Generation
    title: Title
    text: EntryText = ""
    tags: Tags = msgspec.field(default_factory=list)
    open: bool = True


class PublishDelegation(Request, frozen=True, kw_only=True):
    """`POST /delegations`: ask whoever reads it for something, until `expires_at`.

    `publish_id` is minted by the caller and makes a repeated request one delegation.
    """

    publish_id: MintedId
    generation: Generation
    title: Title
    text: EntryText = ""
    tags: Tags = msgspec.field(default_factory=list)
    expires_at: Moment


class CloseDelegation(Request, frozen=True, kw_only=True):
    """`POST /delegations/{delegation_id}/close`; closing a closed one changes nothing. Its contacts go on."""

    generation: Generation


class Entry(Answer, frozen=True, kw_only=True):
    """A stall or a delegation. `version` counts its changes; `open`: it can be found and answered now."""

    entry_id: EntryId
    kind: EntryKind
    role_id: RoleId
    version: int
    title: str
    text: str
    tags: list[str]
    open: bool
    expires_at: Moment | None
    created_at: Moment
    updated_at: Moment
    replayed: bool = False


class Entries(Answer, frozen=True, kw_only=True):
    """Newest first; go on with `before` = `next_before` while `truncated`."""

    entries: list[Entry]
    next_before: int
    truncated: bool


class Subscribe(Request, frozen=True, kw_only=True):
    """`POST /subscriptions`: be told of each new version of an entry that a search for this would find.

    The same search again is the same subscription. Something must be asked for.
    """

    generation: Generation
    kind: EntryKind = EntryKind.STALL
    query: Query = ""
    tags: Tags = msgspec.field(default_factory=list)


class EndSubscription(Request, frozen=True, kw_only=True):
    """`POST /subscriptions/{subscription_id}/end`."""

    generation: Generation


class Subscription(Answer, frozen=True, kw_only=True):
    """A saved search."""

    subscription_id: SubscriptionId
    kind: EntryKind
    query: str
    tags: list[str]
    created_at: Moment
    replayed: bool = False


class Subscriptions(Answer, frozen=True, kw_only=True):
    """`GET /subscriptions`: all of the caller's, oldest first."""

    subscriptions: list[Subscription]


class SetBlock(Request, frozen=True, kw_only=True):
    """`POST /blocks`: between the caller and this role no contact is opened and no message is taken from now on."""

    generation: Generation
    role_id: RoleId


class LiftBlock(Request, frozen=True, kw_only=True):
    """`POST /blocks/{role_id}/lift`; lifting what does not stand changes nothing."""

    generation: Generation


class Block(Answer, frozen=True, kw_only=True):
    """Whether the caller blocks a role; only the caller can see it."""

    role_id: RoleId
    blocked: bool
    created_at: Moment | None
    replayed: bool = False


class Blocks(Answer, frozen=True, kw_only=True):
    """`GET /blocks?after=`: by role id; go on with `after` = `next_after` while `truncated`."""

    blocks: list[Block]
    next_after: str
    truncated: bool
