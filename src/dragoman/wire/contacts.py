"""Contacts and the messages in them (spec 2 §1)."""

from __future__ import annotations

from dragoman.wire.base import (
    Answer,
    ContactId,
    Generation,
    LeaseToken,
    MessageId,
    MessageIds,
    MintedId,
    Moment,
    Request,
    RoleId,
)
from dragoman.wire.finding import DelegationId


class OpenContact(Request, frozen=True, kw_only=True):
    """`POST /contacts`: `open_id` is minted by the caller and makes a repeated request one contact.

    `delegation_id` names the peer's delegation that this answers.
    """

    open_id: MintedId
    peer_role_id: RoleId
    generation: Generation
    delegation_id: DelegationId | None = None


class CloseContact(Request, frozen=True, kw_only=True):
    """`POST /contacts/{contact_id}/close`; closing a closed contact changes nothing."""

    generation: Generation


class Contact(Answer, frozen=True, kw_only=True):
    """One conversation between two roles, as the caller sees it."""

    contact_id: ContactId
    peer_role_id: RoleId
    opened_by_me: bool
    created_at: Moment
    closed_at: Moment | None
    delegation_id: DelegationId | None = None
    erased: bool = False
    """One of its two roles was erased."""
    replayed: bool = False


class Contacts(Answer, frozen=True, kw_only=True):
    """`GET /contacts?after=`: oldest first; go on with `after` = `next_after` while `truncated`."""

    contacts: list[Contact]
    next_after: int
    truncated: bool


class SendMessage(Request, frozen=True, kw_only=True):
    """`POST /contacts/{contact_id}/messages`.

    `reply_id` is minted once by the sender and kept over every retry. With `lease_token` the send needs that lease to
    be live; with `ack_message_ids` it settles those messages of that lease in the same commit. `packet` is the JSON
    text of one packet.
    """

    reply_id: MintedId
    generation: Generation
    text: str
    packet: str | None = None
    complete: bool = False
    lease_token: LeaseToken | None = None
    ack_message_ids: MessageIds | None = None


class Sent(Answer, frozen=True, kw_only=True):
    """A message that the hub holds durably; also the answer of `GET /replies/{reply_id}`."""

    message_id: MessageId
    contact_id: ContactId
    reply_id: MintedId
    seq: int
    created_at: Moment
    replayed: bool


class Message(Answer, frozen=True, kw_only=True):
    """One message; `seq` counts from 1 within its contact."""

    message_id: MessageId
    contact_id: ContactId
    seq: int
    sender_role_id: RoleId
    reply_id: MintedId
    text: str
    packet: str | None
    complete: bool
    created_at: Moment
    erased: bool = False
    """Its sender was erased: there was a message, its words are gone and `reply_id` is another one."""


class Messages(Answer, frozen=True, kw_only=True):
    """`GET /contacts/{contact_id}/messages?after=`: by `seq`; go on with `after` = `next_after` while `truncated`."""

    messages: list[Message]
    next_after: int
    truncated: bool
