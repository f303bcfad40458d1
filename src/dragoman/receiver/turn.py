"""What is the next step of one conversation? Decided from what the ledger says, and nothing else (spec 2 §2, §3).

`STOPS` answers "may anything happen here now?": the first row that holds, in the table's order, names the stop and what
becomes of waiting messages. `next_step` then walks the life: an open turn goes on where it stood; without one, fresh
messages begin a turn.

    running (after a start) → FAILED          waiting → RETRY at its time, PARK after the last attempt
    saved → SEND          sending → LOOK_UP    held → SEND when approved, WAIT before, DROP when rejected or expired
    sent → SETTLE         uncertain → WAIT     denied, stopped → SETTLE

1. A stop at dispatch weighs budgets; a stop at sending does not: the N-th turn's reply is still sent.
2. Nothing is processed or sent after the grant's end, saved decisions included.
3. `waiting_owner` keeps messages and starts nothing, whatever a peer writes.

Pure: no clock, no store. The caller writes down what is decided here before it acts on it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

from dragoman.clock import HOUR, MINUTE, SECOND, next_utc_day
from dragoman.grants import Spent
from dragoman.ledger.conversations import Standing
from dragoman.ledger.turns import TurnState
from dragoman.words import DraftState, SendState, StopReason

MAX_ATTEMPTS: Final = 3
RETRY_MS: Final = (5 * SECOND, 30 * SECOND)
"""How long a turn waits after its first and second failed attempt."""
LONGEST_RETRY_MS: Final = HOUR
"""How long a saved reply waits at most before it is offered again, whatever the platform says."""
LOOK_AGAIN_MS: Final = 10 * MINUTE
"""After which messages that a stop gave back are offered again."""


class Step(StrEnum):
    """What the life does next with one conversation."""

    DISPATCH = "dispatch"
    RETRY = "retry"
    FAILED = "failed"
    PARK = "park"
    SEND = "send"
    LOOK_UP = "look_up"
    DROP = "drop"
    SETTLE = "settle"
    KEEP = "keep"
    GIVE_BACK = "give_back"
    SILENCE = "silence"
    WAIT = "wait"


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The autonomy grant as it is configured now. `changed`: its digest is not that of its first use."""

    id: str
    expires_at: int
    max_turns: int
    max_dispatches: int
    changed: bool = False


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one conversation. `bounded` is False for chat platforms, which no autonomy grant bounds."""

    now: int
    bounded: bool = True
    scope: Scope | None = None
    covered: bool = True
    spent: Spent = Spent()
    paused: bool = False
    standing: Standing = Standing.OPEN
    standing_grant: str = ""
    turn: TurnState | None = None
    attempts: int = 0
    next_at: int = 0
    send: SendState | None = None
    retry_at: int = 0
    draft: DraftState | None = None
    own_words: bool = False
    """The open turn is the owner's own text: no grant is asked, the approval is the authority."""
    same_generation: bool = True


class NextStep(msgspec.Struct, frozen=True, kw_only=True):
    """The step, why, and until when a wait or a given-back message rests (epoch milliseconds)."""

    step: Step
    stop: StopReason | None = None
    until: int = 0


Row = tuple[StopReason | None, Callable[[View], bool], Step, Callable[[View], int]]


def _soon(view: View) -> int:
    return view.now + LOOK_AGAIN_MS


def _minute(view: View) -> int:
    return view.now + MINUTE


def _tomorrow(view: View) -> int:
    return next_utc_day(view.now)


def _never(view: View) -> int:
    return 0


def _over(view: View) -> bool:
    """Completed or closed under the grant that is still the configured one."""
    ended = view.standing in (Standing.COMPLETED, Standing.CLOSED)
    return ended and (view.scope is None or view.scope.id == view.standing_grant or not view.bounded)


# A pause gives back what the hub keeps for us; on a chat platform the gate is silent, as for any message in a pause.
STOPS: Final[tuple[Row, ...]] = (
    (None, lambda v: v.paused and v.bounded, Step.GIVE_BACK, _minute),
    (StopReason.CONTACT_CLOSED, lambda v: v.standing is Standing.CLOSED and _over(v), Step.KEEP, _never),
    (StopReason.COMPLETED, lambda v: v.standing is Standing.COMPLETED and _over(v), Step.KEEP, _never),
    (StopReason.WAITING_OWNER, lambda v: v.standing is Standing.WAITING_OWNER, Step.KEEP, _never),
    (StopReason.WAITING_OWNER, lambda v: v.bounded and v.scope is None, Step.KEEP, _never),
    (StopReason.GRANT_CHANGED, lambda v: v.scope is not None and v.bounded and v.scope.changed, Step.GIVE_BACK, _soon),
    (StopReason.NOT_IN_SCOPE, lambda v: v.bounded and not v.covered, Step.SILENCE, _never),
    (
        StopReason.GRANT_EXPIRED,
        lambda v: v.bounded and v.scope is not None and v.now >= v.scope.expires_at,
        Step.GIVE_BACK,
        _soon,
    ),
)
"""Whether anything may happen at all; asked before a dispatch and again before a send."""

BUDGETS: Final[tuple[Row, ...]] = (
    (
        StopReason.TURN_LIMIT,
        lambda v: v.bounded and v.scope is not None and v.spent.on_target >= v.scope.max_turns,
        Step.GIVE_BACK,
        _soon,
    ),
    (
        StopReason.DAILY_LIMIT,
        lambda v: v.bounded and v.scope is not None and v.spent.today >= v.scope.max_dispatches,
        Step.GIVE_BACK,
        _tomorrow,
    ),
)
"""Whether one more handler call is paid for; asked before a dispatch only."""

LAPSES: Final = frozenset(
    {StopReason.CONTACT_CLOSED, StopReason.GRANT_CHANGED, StopReason.NOT_IN_SCOPE, StopReason.GRANT_EXPIRED}
)
"""The stops that an approval does not lift."""

_AFTER_HOLD: Final = {
    DraftState.FILED: Step.WAIT,
    DraftState.APPROVED: Step.SEND,
    DraftState.CLAIMED: Step.LOOK_UP,
    DraftState.UNCERTAIN: Step.LOOK_UP,
    DraftState.DELIVERED: Step.SETTLE,
    DraftState.REJECTED: Step.DROP,
    DraftState.EXPIRED: Step.DROP,
}


def next_step(view: View) -> NextStep:
    """The next step of one conversation."""
    if view.turn is TurnState.DECIDED:
        return _decided(view)
    if view.turn is TurnState.RUNNING:
        return NextStep(step=Step.PARK if view.attempts >= MAX_ATTEMPTS else Step.FAILED)
    if view.turn is TurnState.WAITING:
        if view.attempts >= MAX_ATTEMPTS:
            return NextStep(step=Step.PARK)
        if due(view.next_at, view.now, RETRY_MS[-1]) > view.now:
            return NextStep(step=Step.WAIT, until=view.next_at)
    return stopped(view, budgets=True) or NextStep(step=Step.RETRY if view.turn else Step.DISPATCH)


def stopped(view: View, *, budgets: bool) -> NextStep | None:
    """The stop that holds now, or None."""
    for reason, holds, step, until in STOPS + (BUDGETS if budgets else ()):
        if holds(view):
            return NextStep(step=step, stop=reason, until=until(view))
    return None


def lapsed(view: View) -> StopReason | None:
    """Why a reply that the handler wrote may not leave any more, though an operator approved it: its grant was changed,
    has ended or does not cover the conversation, or the contact is closed (spec 2 §3.1, §3.15). None when it may; that
    the conversation waits for the owner is no reason, and the owner's own words need no grant."""
    stops = (row for row in STOPS if row[0] in LAPSES)
    return None if view.own_words else next((reason for reason, holds, _, _ in stops if holds(view)), None)


def due(at: int, now: int, longest: int) -> int:
    """A moment to wait for, or `now` when nobody can have meant it: it is farther off than any such wait, so the clock
    was set back since."""
    return at if at - now <= longest else now


def retry_at(now: int, attempts: int) -> int:
    """When a turn may be tried again after `attempts` failed ones."""
    return now + RETRY_MS[min(attempts, len(RETRY_MS)) - 1]


def send_retry_at(now: int, failures: int) -> int:
    """When a saved reply that certainly did not leave is tried again: 1, 2, 4 … 60 seconds."""
    return now + min(60 * SECOND, SECOND << min(failures, 6))


def _decided(view: View) -> NextStep:
    match view.send:
        case SendState.SENDING:
            return NextStep(step=Step.LOOK_UP)
        case SendState.HELD:
            step = _AFTER_HOLD[view.draft] if view.draft else Step.WAIT
            return _sendable(view) if step is Step.SEND else NextStep(step=step)
        case SendState.SAVED:
            return _sendable(view)
        case SendState.UNCERTAIN:
            return NextStep(step=Step.WAIT, stop=StopReason.UNCERTAIN_SEND)
        case _:
            return NextStep(step=Step.SETTLE)


def _sendable(view: View) -> NextStep:
    if due(view.retry_at, view.now, LONGEST_RETRY_MS) > view.now:
        return NextStep(step=Step.WAIT, until=view.retry_at)
    if view.own_words or view.send is SendState.HELD:
        # The owner's word is the authority; a conversation that waits for it must not be stopped by waiting.
        return NextStep(step=Step.WAIT, until=_minute(view)) if view.paused else NextStep(step=Step.SEND)
    return stopped(view, budgets=False) or NextStep(step=Step.SEND)
