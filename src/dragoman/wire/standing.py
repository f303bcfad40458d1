"""How things stand: conversations, what receivers report of themselves, high-water marks (spec 2 §1, §3.12-§3.14)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from dragoman.wire.base import Answer, ContactId, Generation, InstanceId, MintedId, Moment, Request
from dragoman.words import DeliveryState

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

# --- conversations ---------------------------------------------------------------------------------------------------


class Delivery(Answer, frozen=True, kw_only=True):
    """Where a conversation stands, the same in Chinese, and when a reply may be sent again (`reply_limited`)."""

    state: DeliveryState
    state_zh: str
    retry_at: Moment | None = None


class PeerReceiver(Answer, frozen=True, kw_only=True):
    """Whether the peer's present primary instance reported itself recently. It says nothing of a model, a refusal, or
    a human who has read."""

    reported_recently: bool = False


class Communication(Answer, frozen=True, kw_only=True):
    """`GET /contacts/{contact_id}/communication`; also one line of the status.

    `expired`: the caller's replies here that nobody fetched in time, the newest first, as long as the hub knows them.
    """

    contact_id: ContactId
    delivery: Delivery
    server_time: Moment
    peer_receiver: PeerReceiver = PeerReceiver()
    expired: list[MintedId] = msgspec.field(default_factory=list)


class Status(Answer, frozen=True, kw_only=True):
    """`GET /communication/status`: the newest conversations that are not closed; `truncated`: ask for others by id."""

    conversations: list[Communication]
    truncated: bool
    server_time: Moment


# --- receivers -------------------------------------------------------------------------------------------------------


class WaitsFor(StrEnum):
    """What a conversation waits for on the side that reports it."""

    OWNER = "owner"
    """The handler asked its owner something."""
    GATE = "gate"
    """Anything else that only the owner can end: a draft, a parked turn, an uncertain send."""
    LIMIT = "limit"
    """A saved reply waits for the reply limits."""


class Waiting(Request, frozen=True, kw_only=True):
    """One conversation that waits, since when by the reporter's clock."""

    contact_id: ContactId
    waits_for: WaitsFor
    since: Moment = 0


Hash = Annotated[str, Meta(min_length=1, max_length=128)]


class Probed(Request, frozen=True, kw_only=True):
    """The last probe that passed: when, with which command, and the command as it is now; both by hash."""

    at: Moment
    command: Hash
    command_now: Hash


class ReportReceiver(Request, frozen=True, kw_only=True):
    """`PUT /communication/receiver`: what a receiver says of itself; every moment is of the clock that says `sent_at`.

    `background_at`: start of the newer of two cycles that show work in the background. `scope_until`: the end of a
    valid grant. `may_reply`: the policy lets replies out now. What is left out is not claimed.
    """

    generation: Generation
    sent_at: Moment
    version: Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]*(?!\n)$", max_length=40)] = ""
    mode: Annotated[str, Meta(pattern=r"^(attended|autonomous)(?!\n)$", max_length=10)] = "attended"
    background_at: Moment | None = None
    handler: Probed | None = None
    notifier: Probed | None = None
    scope_until: Moment | None = None
    may_reply: bool = False
    waiting: Annotated[list[Waiting], Meta(max_length=1000)] = msgspec.field(default_factory=list)


class ReadinessLevel(StrEnum):
    """How far dated evidence reaches; each level is all of the one before it and more."""

    NONE = "none"
    CONFIGURED = "configured"
    REACHABLE = "reachable"
    ATTENDED = "attended"
    AUTONOMOUS_REPORTED = "autonomous_reported"


READINESS_ZH: Final[dict[ReadinessLevel, str]] = {
    ReadinessLevel.NONE: "未自报",
    ReadinessLevel.CONFIGURED: "已配置",
    ReadinessLevel.REACHABLE: "可联系",
    ReadinessLevel.ATTENDED: "有人值守",
    ReadinessLevel.AUTONOMOUS_REPORTED: "可自动办事（自报）",
}


class Readiness(Answer, frozen=True, kw_only=True):
    """What the hub concludes from dated evidence. `reported_by` is always the client: nothing of it was proven here.

    `blockers`: all that is missing for the highest level: `primary_instance`, `poll`, `notification`, `background`,
    `handler`, `scope`, `reply_authority`.
    """

    level: ReadinessLevel
    level_zh: str
    blockers: list[str]
    reported_by: str = "client"
    reported_at: Moment | None = None
    polled_at: Moment | None = None


class Receiver(Answer, frozen=True, kw_only=True):
    """`GET|PUT /communication/receiver`: the last self-report of this role's receiver; moments by the hub's clock."""

    readiness: Readiness
    server_time: Moment
    instance_id: InstanceId | None = None
    generation: int | None = None
    version: str = ""
    mode: str = ""
    waiting: list[Waiting] = msgspec.field(default_factory=list)


class MyReadiness(Answer, frozen=True, kw_only=True):
    """`GET /me/readiness`."""

    autonomy: Readiness
    server_time: Moment


# --- high-water marks ------------------------------------------------------------------------------------------------

GrantId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{3,127}(?!\n)$", min_length=4, max_length=128)]
LedgerId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}(?!\n)$", min_length=1, max_length=64)]
CountName = Annotated[str, Meta(pattern=r"^[a-z_]{1,32}(?!\n)$")]
Counts = Annotated[dict[CountName, Moment], Meta(min_length=1, max_length=8)]


class RaiseMarks(Request, frozen=True, kw_only=True):
    """`PUT /marks`: how far a ledger has used a grant. Marks only rise; the ledger of the first word is kept."""

    generation: Generation
    grant_id: GrantId
    ledger_id: LedgerId
    counts: Counts


class Marks(Answer, frozen=True, kw_only=True):
    """`GET|PUT /marks`: the highest counts that this role ever reported for the grant; `ledger_id` None: never used."""

    grant_id: str
    ledger_id: str | None
    counts: dict[str, int]
