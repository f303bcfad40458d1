"""Contacts, the messages in them, and where a conversation stands (spec 2 §1)."""

from __future__ import annotations

from typing import Final

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
from dragoman.words import DeliveryState


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
    """Its sender was erased: there was a message, its words are gone and `reply_id` is a digest of what it was."""


class Messages(Answer, frozen=True, kw_only=True):
    """`GET /contacts/{contact_id}/messages?after=`: by `seq`; go on with `after` = `next_after` while `truncated`."""

    messages: list[Message]
    next_after: int
    truncated: bool


class Delivery(Answer, frozen=True, kw_only=True):
    """Where a conversation stands, and the same in Chinese."""

    state: DeliveryState
    state_zh: str


class Communication(Answer, frozen=True, kw_only=True):
    """`GET /contacts/{contact_id}/communication`."""

    contact_id: ContactId
    delivery: Delivery
    server_time: Moment


DELIVERY_ZH: Final[dict[DeliveryState, str]] = {
    DeliveryState.AWAITING_LOCAL: "等待本机处理",
    DeliveryState.PROCESSING: "处理中",
    DeliveryState.WAITING_OWNER: "等待主人",
    DeliveryState.AWAITING_PEER_PICKUP: "等待对方取信",
    DeliveryState.PEER_PROCESSING: "对方处理中",
    DeliveryState.AWAITING_PEER_REPLY: "等待对方答复",
    DeliveryState.PEER_WAITING_OWNER: "等待对方主人",
    DeliveryState.REPLY_LIMITED: "回复限额",
    DeliveryState.COMPLETED: "完成",
    DeliveryState.CLOSED: "关闭",
}
