"""What hub and receiver say to each other, typed once for both ends (spec 2 §1).

1. Requests refuse unknown fields; answers may grow fields that an older client skips.
2. Every id has one grammar, stated here as a type; a malformed id is a bad request and never reaches a query.
3. Times are integer milliseconds UTC; durations end in `_ms`, sizes in `_bytes` and count UTF-8 bytes.
4. An error is a code of `ERRORS`, its one safe sentence, and at most the time to try again; nothing else leaves.
5. Both signing inputs stand here, so that the two ends cannot differ. They name their purpose and the hub's origin:
   a signature made for one hub, or for one purpose, is worth nothing at another.

Nothing here reads a clock, opens a socket or decides whether something may happen; that is `hub.rules`.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from dragoman.words import DeliveryState

PROTOCOL_VERSION: Final = 1
API: Final = "/api/v1"
WELL_KNOWN: Final = "/.well-known/dragoman"
BATCH_BYTES: Final = 1024 * 1024
"""Text and packet bytes after which one answer stops taking further messages; at least one always fits."""

RoleId = Annotated[str, Meta(pattern=r"^role_[0-9a-f]{32}$", min_length=37, max_length=37)]
ContactId = Annotated[str, Meta(pattern=r"^con_[0-9a-f]{32}$", min_length=36, max_length=36)]
MessageId = Annotated[str, Meta(pattern=r"^msg_[0-9a-f]{32}$", min_length=36, max_length=36)]
LeaseToken = Annotated[str, Meta(pattern=r"^lse_[0-9a-f]{32}$", min_length=36, max_length=36)]
InstanceId = Annotated[str, Meta(pattern=r"^ins_[0-9a-f]{32}$", min_length=36, max_length=36)]
MintedId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{8,128}$", min_length=8, max_length=128)]
"""An id minted by the caller: `reply_id`, `open_id`."""
PublicKey = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$", min_length=64, max_length=64)]
Signature = Annotated[str, Meta(pattern=r"^[0-9a-f]{128}$", min_length=128, max_length=128)]
Nonce = Annotated[str, Meta(pattern=r"^[0-9a-f]{32,160}$", min_length=32, max_length=160)]
Origin = Annotated[str, Meta(min_length=8, max_length=300)]
Generation = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Moment = Annotated[int, Meta(ge=0, le=2**53 - 1)]
MessageIds = Annotated[list[MessageId], Meta(min_length=1, max_length=100)]
ContactIds = Annotated[list[ContactId], Meta(min_length=1, max_length=200)]


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every request body has in common: unknown fields are refused."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What every answer has in common: fields may be added by a newer hub."""


# --- identity --------------------------------------------------------------------------------------------------------


class RegisterRole(Request, frozen=True, kw_only=True):
    """`POST /roles`: make a role of a public key; `signature` over `register_input` proves the private half."""

    public_key: PublicKey
    origin: Origin
    signature: Signature


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
    """`GET /me`: what the hub holds of the caller now. `superseded`: the token's generation is no longer the role's."""

    role_id: RoleId
    instance_id: InstanceId
    generation: Generation
    primary: bool
    superseded: bool
    server_time: Moment


# --- contacts and messages -------------------------------------------------------------------------------------------


class OpenContact(Request, frozen=True, kw_only=True):
    """`POST /contacts`: `open_id` is minted by the caller and makes a repeated request one contact."""

    open_id: MintedId
    peer_role_id: RoleId
    generation: Generation


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
    replayed: bool = False


class Contacts(Answer, frozen=True, kw_only=True):
    """`GET /contacts?after=`: oldest first; go on with `after` = `next_after` while `truncated`."""

    contacts: list[Contact]
    next_after: int
    truncated: bool


class SendMessage(Request, frozen=True, kw_only=True):
    """`POST /contacts/{contact_id}/messages`.

    `reply_id` is minted once by the sender and kept over every retry. With `lease_token` the send needs that lease to
    be live; with `ack_message_ids` it settles those messages of that lease in the same commit. `packet` is the JSON text
    of one packet.
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


# --- leases ----------------------------------------------------------------------------------------------------------


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


# --- the hub itself --------------------------------------------------------------------------------------------------


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
    retention_ms: int = 7 * 24 * 3_600_000


class WellKnown(Answer, frozen=True, kw_only=True):
    """`GET /.well-known/dragoman`."""

    protocol_version: int
    limits: Limits
    server_time: Moment


class Health(Answer, frozen=True, kw_only=True):
    """`GET /healthz`: the store answered a read."""

    status: str


# --- errors ----------------------------------------------------------------------------------------------------------


class ErrorBody(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The body of every answer that is not a success."""

    code: str
    message: str
    retry_at: Moment | None = None


ERRORS: Final[dict[str, tuple[int, str]]] = {
    "bad_request": (400, "the request is not valid"),
    "packet_invalid": (400, "the packet is not one object of strict JSON"),
    "text_empty": (400, "a message needs text"),
    "text_invalid": (400, "a text may not hold the character U+0000"),
    "token_missing": (401, "a bearer token is needed"),
    "token_invalid": (401, "the bearer token is not known"),
    "token_expired": (401, "the bearer token has expired"),
    "nonce_invalid": (401, "the nonce is not valid, or has expired"),
    "nonce_used": (401, "the nonce has been used"),
    "signature_invalid": (401, "the signature does not fit"),
    "origin_mismatch": (401, "the signature was made for another hub"),
    "instance_read_only": (403, "this instance is not the primary one and may only read"),
    "route_unknown": (404, "there is no such address"),
    "role_unknown": (404, "there is no such role"),
    "contact_unknown": (404, "there is no such contact"),
    "reply_unknown": (404, "no message was accepted under this reply id"),
    "method_not_allowed": (405, "this address does not take that method"),
    "instance_superseded": (409, "another instance has taken over"),
    "reply_id_conflict": (409, "this reply id was used for another message"),
    "open_id_conflict": (409, "this open id was used for another contact"),
    "contact_closed": (409, "the contact is closed"),
    "lease_lost": (409, "the lease is no longer held"),
    "body_too_large": (413, "the request body is too large"),
    "text_too_large": (413, "the text is too large"),
    "packet_too_large": (413, "the packet is too large"),
    "reply_limited": (429, "the reply limit is reached for now"),
    "media_type_unsupported": (415, "the body must be `application/json`"),
    "internal": (500, "internal error"),
    "overloaded": (503, "the hub has too much to do"),
    "store_unavailable": (503, "the hub cannot reach its store"),
    "shutting_down": (503, "the hub is going down"),
}
"""Every code that the hub answers, with its HTTP status and its one sentence. Codes are stable.

A code of 4xx, `overloaded` and `shutting_down` promise that nothing was written; after `internal` only a look tells.
"""

NOTHING_WRITTEN: Final = frozenset(code for code, (status, _) in ERRORS.items() if status != 500)
"""The codes after which a write certainly did not happen."""


# --- what is derived and what is signed ------------------------------------------------------------------------------


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
