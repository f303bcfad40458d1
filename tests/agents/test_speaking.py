"""An answer of the JSON contract, spoken through the gate's turn."""

from __future__ import annotations

from collections.abc import AsyncIterable

import pytest

from dragoman.agents.contract import HandlerAnswer
from dragoman.agents.speaking import speak
from dragoman.gate.ports import Delivery
from dragoman.words import Action, Reason, ReleaseOutcome, Topic

pytestmark = pytest.mark.anyio


class HeardTurn:
    """A turn that remembers what was said."""

    def __init__(self) -> None:
        self.said: list[tuple[str, frozenset[Topic]]] = []
        self.silent = 0

    async def reply(self, text: str, *, topics: frozenset[Topic] = frozenset()) -> Delivery:
        self.said.append((text, topics))
        return Delivery(outcome=ReleaseOutcome.SEND, reason=Reason.RELEASED)

    async def edit(self, text: str, *, topics: frozenset[Topic] = frozenset()) -> Delivery:
        raise AssertionError("an answer edits nothing")

    async def stream(self, chunks: AsyncIterable[str]) -> Delivery:
        raise AssertionError("an answer is whole")

    async def stay_silent(self) -> None:
        self.silent += 1


async def test_a_reply_is_said_with_its_topics() -> None:
    """The words and the declared topics reach the turn; the word to the owner does not."""
    turn = HeardTurn()

    await speak(
        turn,
        HandlerAnswer(
            schema_version=1, action=Action.REPLY, message="Both are open.", topics=(Topic.PRICES,), owner_summary="x"
        ),
    )

    assert ([("Both are open.", frozenset({Topic.PRICES}))], 0) == (turn.said, turn.silent)


@pytest.mark.parametrize("action", [Action.WAITING_OWNER, Action.COMPLETED, Action.NO_REPLY])
async def test_everything_else_is_silence(action: Action) -> None:
    """A question to the owner is none to the counterparty."""
    turn = HeardTurn()

    await speak(turn, HandlerAnswer(schema_version=1, action=action, owner_summary="what may I say?"))

    assert ([], 1) == (turn.said, turn.silent)


async def test_the_silence_token_is_silence() -> None:
    """A reply that is exactly the token says nothing."""
    turn = HeardTurn()

    await speak(
        turn, HandlerAnswer(schema_version=1, action=Action.REPLY, message=" NO_REPLY "), silence_token="NO_REPLY"
    )

    assert ([], 1) == (turn.said, turn.silent)
