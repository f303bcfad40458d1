"""A bot that sends one long text in several messages, and kills itself (SIGKILL) around a chosen one of them.

Usage: `python -m tests.crash.split_at FOLDER NUMBER before|after`; number 0 kills nowhere. It sends under the fixed key
`k`, as a life does that saved its decision before.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.parts import File, Parts
from dragoman.gate.ports import Draft, Output, Presence, Receipt
from dragoman.words import Fact
from tests.gate.world import World, asked

LONG = "".join(f"Line {word} is here.\n" for word in ["alpha", "beta", "gamma", "delta"] * 60)
NOTE = File(name="note.txt", content=b"Good morning.\n")


class Dying(MemoryChannel):
    """A platform in whose middle the process dies."""

    number, when, seen = 0, "", 0

    async def perform(self, output: Output) -> Receipt:
        """Die before the line of that message is written, or after it."""
        self.seen += 1
        if (self.seen, "before") == (self.number, self.when):
            os.kill(os.getpid(), signal.SIGKILL)
        receipt = await super().perform(output)
        if (self.seen, "after") == (self.number, self.when):
            os.kill(os.getpid(), signal.SIGKILL)
        return receipt


async def live(folder: Path, number: int, when: str) -> None:
    """Send it once."""
    world, agent = World(), MemoryAgent(workspace="desk", id="desk")
    channel = Dying(
        agent, clock=world.clock, presence=Presence(shared=Fact.NO), folder=folder / "chat", max_length=2_000
    )
    send = channel.operations[Operation.SEND]
    channel.operations = {
        **channel.operations,
        Operation.SEND: OperationSpec(send.send_key, send.max_length, pieces=send.pieces),
    }
    channel.number, channel.when = number, when
    draft = Draft(text=LONG, parts=Parts(files=(NOTE,)))
    delivery = await world.gate.deliver(draft, world.gate.admit(asked()), channel, key="k")
    print(delivery.delivered)


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
