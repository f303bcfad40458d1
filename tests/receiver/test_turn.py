"""The next step of a conversation, as tables a product owner can read."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.clock import DAY, next_utc_day
from dragoman.grants import Spent
from dragoman.ledger.conversations import Standing
from dragoman.ledger.turns import TurnState
from dragoman.receiver.turn import (
    BUDGETS,
    MAX_ATTEMPTS,
    STOPS,
    NextStep,
    Scope,
    Step,
    View,
    next_step,
    retry_at,
    send_retry_at,
    stopped,
)
from dragoman.words import DraftState, SendState, StopReason

NOW = 20_000 * DAY + 1
SCOPE = Scope(id="g-1", expires_at=NOW + DAY, max_turns=3, max_dispatches=5)
OPEN = View(now=NOW, scope=SCOPE)


def view(**changed: object) -> View:
    """An open conversation with a valid grant, with what a row changes."""
    return msgspec.structs.replace(OPEN, **changed)


@pytest.mark.parametrize(
    ("changed", "step", "stop"),
    [
        ({}, Step.DISPATCH, None),
        ({"paused": True}, Step.GIVE_BACK, None),
        ({"scope": None}, Step.KEEP, StopReason.WAITING_OWNER),
        ({"standing": Standing.WAITING_OWNER}, Step.KEEP, StopReason.WAITING_OWNER),
        ({"standing": Standing.COMPLETED, "standing_grant": "g-1"}, Step.KEEP, StopReason.COMPLETED),
        ({"standing": Standing.COMPLETED, "standing_grant": "g-0"}, Step.DISPATCH, None),
        ({"standing": Standing.CLOSED, "standing_grant": "g-1"}, Step.KEEP, StopReason.CONTACT_CLOSED),
        ({"covered": False}, Step.SILENCE, StopReason.NOT_IN_SCOPE),
        ({"now": SCOPE.expires_at}, Step.GIVE_BACK, StopReason.GRANT_EXPIRED),
        ({"scope": msgspec.structs.replace(SCOPE, changed=True)}, Step.GIVE_BACK, StopReason.GRANT_CHANGED),
        ({"spent": Spent(on_target=3)}, Step.GIVE_BACK, StopReason.TURN_LIMIT),
        ({"spent": Spent(today=5)}, Step.GIVE_BACK, StopReason.DAILY_LIMIT),
        ({"bounded": False, "scope": None, "covered": False}, Step.DISPATCH, None),
    ],
)
def test_waiting_messages(changed: dict[str, object], step: Step, stop: StopReason | None) -> None:
    """What happens to messages that wait, without an open turn."""
    found = next_step(view(**changed))

    assert (found.step, found.stop) == (step, stop)


@pytest.mark.parametrize(
    ("changed", "step"),
    [
        ({"turn": TurnState.RUNNING, "attempts": 1}, Step.FAILED),
        ({"turn": TurnState.RUNNING, "attempts": MAX_ATTEMPTS}, Step.PARK),
        ({"turn": TurnState.WAITING, "attempts": 1, "next_at": NOW + 1}, Step.WAIT),
        ({"turn": TurnState.WAITING, "attempts": 1, "next_at": NOW}, Step.RETRY),
        ({"turn": TurnState.WAITING, "attempts": MAX_ATTEMPTS, "next_at": NOW + 1}, Step.PARK),
        ({"turn": TurnState.WAITING, "attempts": 1, "spent": Spent(on_target=3)}, Step.GIVE_BACK),
        ({"send": SendState.SAVED}, Step.SEND),
        ({"send": SendState.SAVED, "retry_at": NOW + 1}, Step.WAIT),
        ({"send": SendState.SAVED, "spent": Spent(on_target=3, today=5)}, Step.SEND),
        ({"send": SendState.SAVED, "now": SCOPE.expires_at}, Step.GIVE_BACK),
        ({"send": SendState.SAVED, "paused": True}, Step.GIVE_BACK),
        ({"send": SendState.SENDING}, Step.LOOK_UP),
        ({"send": SendState.SENDING, "now": SCOPE.expires_at}, Step.LOOK_UP),
        ({"send": SendState.UNCERTAIN}, Step.WAIT),
        ({"send": SendState.SENT}, Step.SETTLE),
        ({"send": SendState.STOPPED}, Step.SETTLE),
        ({"send": SendState.HELD, "draft": DraftState.FILED}, Step.WAIT),
        ({"send": SendState.HELD, "draft": DraftState.APPROVED}, Step.SEND),
        (
            {"send": SendState.HELD, "draft": DraftState.APPROVED, "standing": Standing.WAITING_OWNER},
            Step.SEND,
        ),
        ({"send": SendState.HELD, "draft": DraftState.APPROVED, "paused": True}, Step.WAIT),
        ({"send": SendState.HELD, "draft": DraftState.REJECTED}, Step.DROP),
        ({"send": SendState.HELD, "draft": DraftState.EXPIRED}, Step.DROP),
        ({"send": SendState.HELD, "draft": DraftState.CLAIMED}, Step.LOOK_UP),
    ],
)
def test_an_open_turn(changed: dict[str, object], step: Step) -> None:
    """How an open turn goes on; a saved reply is sent though its budget is used up, and not after the grant's end."""
    turn = {} if "turn" in changed else {"turn": TurnState.DECIDED}

    assert next_step(view(**turn, **changed)).step is step


def test_the_daily_limit_rests_until_the_next_utc_day() -> None:
    """Messages are looked at again on the next UTC day, and not before."""
    assert next_step(view(spent=Spent(today=5))) == NextStep(
        step=Step.GIVE_BACK, stop=StopReason.DAILY_LIMIT, until=next_utc_day(NOW)
    )


def test_every_stop_of_the_tables_is_a_known_reason_and_can_hold() -> None:
    """No row is dead: each holds for some view, and is then the one that is named."""
    reasons = [row[0] for row in (*STOPS, *BUDGETS)]
    standings = [
        {
            "standing": standing,
            "standing_grant": grant,
            "scope": scope,
            "covered": covered,
            "paused": paused,
            "now": now,
        }
        for standing, grant, scope, covered, paused, now in itertools.product(
            Standing,
            ("g-1", "g-0"),
            (SCOPE, None, msgspec.structs.replace(SCOPE, changed=True)),
            (True, False),
            (True, False),
            (NOW, SCOPE.expires_at),
        )
    ]
    spents = [Spent(), Spent(on_target=3), Spent(today=5)]
    found = {
        stop.stop
        for changed in standings
        for spent in spents
        if (stop := stopped(view(spent=spent, **changed), budgets=True)) is not None
    }

    assert found == set(reasons)


@given(
    standing=st.sampled_from(Standing),
    turn=st.none() | st.sampled_from(TurnState),
    send=st.none() | st.sampled_from(SendState),
    draft=st.none() | st.sampled_from(DraftState),
    attempts=st.integers(0, 4),
    expired=st.booleans(),
    changed=st.booleans(),
    covered=st.booleans(),
    paused=st.booleans(),
    on_target=st.integers(0, 4),
    today=st.integers(0, 6),
)
def test_laws_over_every_view(
    standing: Standing,
    turn: TurnState | None,
    send: SendState | None,
    draft: DraftState | None,
    attempts: int,
    expired: bool,
    changed: bool,
    covered: bool,
    paused: bool,
    on_target: int,
    today: int,
) -> None:
    """Whatever stands: no handler without a whole valid grant and room in it, no send of a handler's own reply after
    the grant's end, no word to anybody while paused, nothing sent again without looking."""
    seen = view(
        standing=standing,
        standing_grant="g-1",
        turn=turn,
        send=send,
        draft=draft,
        attempts=attempts,
        now=SCOPE.expires_at if expired else NOW,
        scope=msgspec.structs.replace(SCOPE, changed=changed),
        covered=covered,
        paused=paused,
        spent=Spent(on_target=on_target, today=today),
    )
    step = next_step(seen).step

    if step in (Step.DISPATCH, Step.RETRY):
        assert not (expired or changed or paused) and covered  # noqa: PT018
        assert standing is Standing.OPEN
        assert on_target < 3
        assert today < 5
    if step is Step.SEND:
        assert not paused
        assert send in (SendState.SAVED, SendState.HELD)
        assert send is SendState.HELD or not (expired or changed)
    if turn is TurnState.DECIDED and send is SendState.SENDING:
        assert step is Step.LOOK_UP


def test_waits_grow_and_are_capped() -> None:
    """A failed turn rests 5 and 30 seconds; a reply that did not leave 2 to 60 seconds."""
    assert [retry_at(0, n) for n in (1, 2, 3)] == [5_000, 30_000, 30_000]
    assert [send_retry_at(0, n) for n in (1, 2, 3, 6, 50)] == [2_000, 4_000, 8_000, 60_000, 60_000]
