"""How a turn ends without a reply of its handler: given up, only courtesies, or an action that sends nothing.

Each is one commit: the turn, its messages, where the conversation stands, what the owner is told, the packet. On the
hub the words are kept and the owner decides; on a chat platform the room goes on, and a turn that was given up gets the
fixed safe sentence (spec 1 §4, spec 2 §3.2, §3.5, §3.9).
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.agents.contract import HandlerAnswer
from dragoman.gate.admit import Admission
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.ledger.conversations import Standing
from dragoman.ledger.inbox import InboundState
from dragoman.ledger.turns import Decided, TurnRow, TurnState
from dragoman.receiver.desk import Desk
from dragoman.receiver.sentences import ENDED, PARKED, said
from dragoman.words import Action, Milestone, StopReason

GAVE_UP: Final = "gave_up"
"""The failure of a turn whose reply is the safe sentence."""


def park(desk: Desk, turn: TurnRow) -> None:
    """Give a turn up after its last attempt: text kept here, the owner decides (spec 2 §3.2).

    On a chat platform the author gets the fixed safe sentence instead (spec 1 §4), and the room goes on.
    """
    now = desk.clock.now()
    if not desk.source.bounded:
        _safe_sentence(desk, turn)
        return
    with desk.books.ledger.write():
        desk.books.turns.move(turn.id, TurnState.PARKED, failure=turn.failure, now=now)
        for message in desk.books.inbox.of_turn(turn.id):
            desk.books.inbox.move(message.id, InboundState.KEPT, reason="parked", now=now)
        desk.log(turn.target, turn.correlation_id, "parked", turn.failure.partition(":")[0])
        desk.stand(
            turn.target,
            Standing.WAITING_OWNER,
            StopReason.WAITING_OWNER,
            sentence=PARKED,
            key=f"parked|{turn.id}",
        )


def only_courtesies_left(desk: Desk, turn: TurnRow) -> None:
    now = desk.clock.now()
    with desk.books.ledger.write():
        desk.books.turns.move(turn.id, TurnState.PARKED, failure="courtesies", now=now)
        for message in desk.books.inbox.of_turn(turn.id):
            desk.books.inbox.move(message.id, InboundState.KEPT, reason="courtesies", now=now)
        desk.log(turn.target, turn.correlation_id, "parked", "courtesies")
        desk.stand(turn.target, Standing.WAITING_OWNER, StopReason.WAITING_OWNER, key=f"courtesies|{turn.id}")


def without_reply(desk: Desk, turn: TurnRow, answer: HandlerAnswer) -> None:
    """The actions that send nothing end their turn in the commit that saves them (spec 2 §3.5, §3.9)."""
    now = desk.clock.now()
    desk.books.turns.move(turn.id, TurnState.SETTLED, now=now)
    waits = answer.action is Action.WAITING_OWNER and desk.source.bounded
    for message in desk.books.inbox.of_turn(turn.id):
        state = InboundState.KEPT if waits else InboundState.DONE
        desk.books.inbox.move(message.id, state, reason=str(answer.action), turn_id=turn.id, now=now)
    if waits:
        desk.stand(
            turn.target,
            Standing.WAITING_OWNER,
            StopReason.WAITING_OWNER,
            summary=answer.owner_summary,
            key=f"waiting|{turn.id}",
        )
    elif answer.action is Action.WAITING_OWNER:
        desk.tell(Milestone.DECISION_NEEDED, f"waiting|{turn.id}", answer.owner_summary, turn.target)
    elif answer.action is Action.COMPLETED and desk.source.bounded:
        desk.stand(
            turn.target,
            Standing.COMPLETED,
            StopReason.COMPLETED,
            sentence=ENDED,
            summary=answer.owner_summary,
            key=f"completed|{turn.id}",
        )
    else:
        words = said(ENDED, desk.authority.mandate.language, answer.owner_summary)
        desk.tell(Milestone.RESULT, f"result|{turn.id}", words, turn.target)


def _safe_sentence(desk: Desk, turn: TurnRow) -> None:
    now = desk.clock.now()
    admission = msgspec.json.decode(turn.admission, type=Admission)
    with desk.books.ledger.write():
        desk.books.turns.decide(
            Decided(
                turn_id=turn.id,
                reply_id=desk.new_id("rpl"),
                target=turn.target,
                action=Action.REPLY,
                text=safe_sentence(Sentence.FAILED, admission.language),
            ),
            now,
        )
        desk.books.turns.move(turn.id, TurnState.DECIDED, failure=GAVE_UP, now=now)
        desk.log(turn.target, turn.correlation_id, "gave_up", turn.failure.partition(":")[0])
        words = said(PARKED, desk.authority.mandate.language)
        desk.tell(Milestone.DECISION_NEEDED, f"gave_up|{turn.id}", words, turn.target)
