"""A bot that embeds the gate over a state folder, and kills itself (SIGKILL) where it is told to.

Usage: `python -m tests.crash.embedded_at FOLDER POINT COMMAND`. The buyer's question is asked first, so that a draft is
filed; then the operator says COMMAND, in which `ID` stands for that draft. POINT: `claimed` (before the bytes leave),
`arrived` (before the answer is known) or `never`. It prints what the operator was answered and where the draft stands.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from dragoman import Gate, Turn, open_state
from dragoman.chance import unguessable
from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.clock import SystemClock
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Party
from dragoman.words import Fact
from tests.gate.world import BUYER, EXT, OPER, OPS, POLICY

PRICE = "The price is 40 EUR per shelf."


class Dying(MemoryChannel):
    """A platform in whose middle the process dies, when something goes out to the counterparty."""

    point = "never"

    async def perform(self, output: Output) -> Receipt:
        """Die before the line is written, or after."""
        if output.target == EXT and self.point == "claimed":
            os.kill(os.getpid(), signal.SIGKILL)
        receipt = await super().perform(output)
        if output.target == EXT and self.point == "arrived":
            os.kill(os.getpid(), signal.SIGKILL)
        return receipt


def said(text: str, author: Party, *, own: bool) -> Event:
    """A message of the buyer in EXT, or of the operator on his own surface."""
    now, id = SystemClock().now(), unguessable("m")
    return Event(
        kind=EventKind.MESSAGE,
        target=OPS if own else EXT,
        event_id=id,
        dedupe_key=id,
        received_at=now,
        sent_at=now,
        authenticated=Fact.YES,
        author=author,
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.NO,
        other_bots=Fact.NO,
        mentions_agent=Fact.NO if own else Fact.YES,
        text=text,
        body=text,
    )


async def live(folder: Path, point: str, command: str) -> None:
    """Ask when there is no draft yet, command, print."""
    with open_state(folder / "state") as state:
        agent = MemoryAgent(workspace="desk", id="desk")
        channel = Dying(agent, clock=SystemClock(), presence=Presence(shared=Fact.NO), folder=folder / "chat")
        gate = Gate(policy=parse_policy(POLICY.encode()), **state)

        async def speak(turn: Turn) -> None:
            await turn.reply(PRICE)

        if not state.approvals.listed():
            await gate.handle(said("what does a shelf cost?", BUYER, own=False), channel, speak)
        (draft,) = state.approvals.listed()
        channel.point = point
        await gate.handle(said(command.replace("ID", draft.id), OPER, own=True), channel, speak)
        await gate.release_approved(channel, "desk")
        answers = [out.text for out in channel.performed if out.target == OPS]
        (draft,) = state.approvals.listed()
        state.journal.verify()
        print(json.dumps({"answers": answers, "state": draft.state}))


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
