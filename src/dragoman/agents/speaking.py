"""How a handler's answer is spoken: the JSON contract as one implementation of the gate's `Turn` (spec 2 §2).

A `reply` is said through the turn, with the topics that the handler declares; everything else is silence towards the
counterparty. An answer that is empty or equals the silence token is silence too. What the answer says to the owner
(`owner_summary`) never enters the turn.
"""

from __future__ import annotations

from dragoman.agents.contract import HandlerAnswer, silence
from dragoman.gate.ports import Delivery, Turn
from dragoman.words import Action


async def speak(turn: Turn, answer: HandlerAnswer, silence_token: str = "") -> Delivery | None:
    """Say `answer` in `turn`; None when there is nothing to say to the counterparty."""
    if answer.action is not Action.REPLY or silence(answer.message, silence_token):
        await turn.stay_silent()
        return None
    return await turn.reply(answer.message, topics=frozenset(answer.topics))
