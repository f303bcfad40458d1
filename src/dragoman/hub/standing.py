"""Where does a conversation stand, and how far does a receiver's evidence reach? Two tables, asked afresh each time.

1. `DELIVERY`: the first row that holds is the state, in the order of spec 2 §3.12. The same facts seen from the other
   side give that side's state. `completed`: the newest message of either side carries `complete`.
2. A side's own wait for its owner shows to the peer only when its handler asked; every other wait is `peer_processing`.
   A wait stands until it is resolved or another generation takes over: an owner who is away does not answer by time.
3. The reply limits are a state only while there is something to say.
4. `READINESS`: every row is one piece of dated evidence; a level needs its own rows and those before it. What is not
   dated, is older than its row allows, or is dated ahead of now, is no evidence. Nothing else is asked: not a brand,
   not a registration, not an open stall, not ordinary traffic.
5. A report of an instance that is not the present primary one counts for nothing; an old client is never more than
   `configured`.

All of it is what the client reported; the caller says so. No clock, no store: facts and `now` are arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from dragoman.clock import DAY, MINUTE, SECOND
from dragoman.wire import ReadinessLevel, WaitsFor
from dragoman.words import DeliveryState

POLL_MS: Final = 120 * SECOND
BACKGROUND_MS: Final = 5 * MINUTE
REPORT_MS: Final = 5 * MINUTE
"""How long a report speaks for the grant's scope and the policy."""
PROBE_MS: Final = 7 * DAY
RECENT_MS: Final = 3 * MINUTE
"""How long a self-report is recent to the peer; a receiver reports at least every minute."""


# --- delivery --------------------------------------------------------------------------------------------------------


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one contact, from the side of the role that asks.

    `inbound`, `outbound`: messages that their receiver has not settled; `_leased`: those of them under a live lease.
    `waits`, `peer_waits`: what either side reported. `limited`: the reply limits are used up now. `mine_to_open`: I
    opened the contact and nobody has written yet.
    """

    closed: bool = False
    completed: bool = False
    waits: WaitsFor | None = None
    limited: bool = False
    inbound: int = 0
    inbound_leased: int = 0
    mine_to_open: bool = False
    peer_waits: WaitsFor | None = None
    outbound: int = 0
    outbound_leased: int = 0


class State(NamedTuple):
    """One row: the state, when it holds, and that in words."""

    state: DeliveryState
    holds: Callable[[Facts], bool]
    when: str


def _to_say(facts: Facts) -> bool:
    return facts.inbound > 0 or facts.mine_to_open or facts.waits is WaitsFor.LIMIT


DELIVERY: Final[tuple[State, ...]] = (
    State(DeliveryState.CLOSED, lambda f: f.closed, "either side closed the contact"),
    State(DeliveryState.COMPLETED, lambda f: f.completed, "the newest message of either side carries `complete`"),
    State(
        DeliveryState.WAITING_OWNER,
        lambda f: f.waits in (WaitsFor.OWNER, WaitsFor.GATE),
        "our receiver reported that it waits for its owner, whatever for",
    ),
    State(
        DeliveryState.REPLY_LIMITED,
        lambda f: f.limited and _to_say(f),
        "the reply limits are used up and there is something for us to say; `retry_at` says when",
    ),
    State(
        DeliveryState.PROCESSING,
        lambda f: f.inbound_leased > 0 or f.waits is WaitsFor.LIMIT,
        "a message to us is under a live lease, or a saved reply of ours is about to leave",
    ),
    State(
        DeliveryState.AWAITING_LOCAL,
        lambda f: f.inbound > 0 or f.mine_to_open,
        "a message to us is not settled, or we opened the contact and nobody has written",
    ),
    State(
        DeliveryState.PEER_WAITING_OWNER,
        lambda f: f.peer_waits is WaitsFor.OWNER,
        "the peer's receiver reported that its handler asked its owner",
    ),
    State(
        DeliveryState.PEER_PROCESSING,
        lambda f: f.outbound_leased > 0 or f.peer_waits is not None,
        "our message is under the peer's live lease, or the peer's receiver reported any other wait",
    ),
    State(DeliveryState.AWAITING_PEER_PICKUP, lambda f: f.outbound > 0, "the peer has not settled our message"),
    State(DeliveryState.AWAITING_PEER_REPLY, lambda f: True, "otherwise"),
)
"""The delivery states in their precedence; the last one always holds."""


def delivery_state(facts: Facts) -> DeliveryState:
    """Where the conversation stands (spec 2 §3.12)."""
    return next(row.state for row in DELIVERY if row.holds(facts))


def reported_recently(reported_at: int | None, now: int) -> bool:
    """Whether a report of the peer's present primary instance is recent; all that its peer may know of it."""
    return _fresh(reported_at, now, RECENT_MS)


# --- readiness -------------------------------------------------------------------------------------------------------


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that passed: when, and whether the command is still the one that passed."""

    at: int
    same: bool


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a role's receiver; moments by the hub's clock, None for never.

    `named`: the report names its client's version; one that does not is of an old client. `present`: it is of the
    role's present primary instance and generation. `busy`: a message is under a live lease now.
    """

    reported_at: int | None = None
    named: bool = False
    present: bool = False
    polled_at: int | None = None
    busy: bool = False
    background_at: int | None = None
    handler: Probe | None = None
    notifier: Probe | None = None
    scope_until: int | None = None
    may_reply: bool = False


class Need(NamedTuple):
    """One row: the blocker's name, the level that needs it, when it is met, and that in words."""

    blocker: str
    level: ReadinessLevel
    met: Callable[[Evidence, int], bool]
    when: str


def _fresh(at: int | None, now: int, age: int) -> bool:
    return at is not None and 0 <= now - at <= age


def _probed(probe: Probe | None, now: int) -> bool:
    return probe is not None and probe.same and _fresh(probe.at, now, PROBE_MS)


READINESS: Final[tuple[Need, ...]] = (
    Need(
        "primary_instance",
        ReadinessLevel.REACHABLE,
        lambda e, now: e.present,
        "the report is of the present, writable primary instance",
    ),
    Need(
        "poll",
        ReadinessLevel.REACHABLE,
        lambda e, now: _fresh(e.polled_at, now, POLL_MS),
        "that instance polled or renewed a lease within 120 seconds",
    ),
    Need(
        "notification",
        ReadinessLevel.ATTENDED,
        lambda e, now: _probed(e.notifier, now),
        "the notifier passed a probe within 7 days, and its command is unchanged",
    ),
    Need(
        "background",
        ReadinessLevel.AUTONOMOUS_REPORTED,
        lambda e, now: e.busy or _fresh(e.background_at, now, BACKGROUND_MS),
        "background cycles were seen within 5 minutes, or a message is being handled under a live lease",
    ),
    Need(
        "handler",
        ReadinessLevel.AUTONOMOUS_REPORTED,
        lambda e, now: _probed(e.handler, now),
        "the handler passed a probe within 7 days, and its command is unchanged",
    ),
    Need(
        "scope",
        ReadinessLevel.AUTONOMOUS_REPORTED,
        lambda e, now: _fresh(e.reported_at, now, REPORT_MS) and e.scope_until is not None and now < e.scope_until,
        "a report of the last 5 minutes names a valid grant that has not ended",
    ),
    Need(
        "reply_authority",
        ReadinessLevel.AUTONOMOUS_REPORTED,
        lambda e, now: _fresh(e.reported_at, now, REPORT_MS) and e.may_reply,
        "a report of the last 5 minutes says that the policy lets replies out",
    ),
)
"""Every piece of evidence, in the order of the levels."""


def readiness(evidence: Evidence, now: int) -> tuple[ReadinessLevel, tuple[str, ...]]:
    """The level that this evidence reaches at `now`, and all that lacks for the highest one (spec 2 §3.13)."""
    lacks = tuple(row.blocker for row in READINESS if not row.met(evidence, now))
    if evidence.reported_at is None or not evidence.present:
        return ReadinessLevel.NONE, lacks
    reached = ReadinessLevel.CONFIGURED
    if not evidence.named:
        return reached, lacks
    for level in (ReadinessLevel.REACHABLE, ReadinessLevel.ATTENDED, ReadinessLevel.AUTONOMOUS_REPORTED):
        if any(row.level is level and row.blocker in lacks for row in READINESS):
            break
        reached = level
    return reached, lacks
