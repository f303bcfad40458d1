"""A bot that embeds the gate: run it, and see what is answered, what stays silent and what is stopped.

python examples/memory_bot.py
"""

from __future__ import annotations

import asyncio
import itertools
import traceback

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.clock import SystemClock
from dragoman.gate.gate import Gate
from dragoman.gate.in_memory import MemoryApprovals, MemoryCharges, MemoryJournal, MemorySeen
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Presence, Turn
from dragoman.words import Fact

POLICY = b"""
version = 1

[[targets]]
platform = "memory"
workspace = "desk"
channel = "shelves"
audience = "external"
counterparty = "acme"

[[counterparties]]
id = "acme"

[[records]]
counterparty = "acme"
facts = ["Open start dates are 6 October 2026 and 13 October 2026."]
"""

EVENTS = [
    {"text": "closing list B", "mentions": []},
    {"text": "which dates are open?", "mentions": ["desk"]},
    {"text": "and what does a shelf cost?", "mentions": ["desk"]},
]


async def agent(turn: Turn) -> None:
    """Stands for your own agent; it says the same to everything, and the gate decides what becomes of it."""
    await turn.reply("6 October is open." if next(COUNT) == 0 else "6 October is open. A shelf costs 40 EUR.")


COUNT = itertools.count()


async def main() -> None:
    """Feed three events through the gate and print what happened to each."""
    clock, ids = SystemClock(), itertools.count(1)
    me = MemoryAgent(workspace="desk", id="desk")
    channel = MemoryChannel(me, clock=clock, presence=Presence(shared=Fact.YES))
    gate = Gate(
        policy=parse_policy(POLICY),
        journal=MemoryJournal(),
        approvals=MemoryApprovals(),
        charges=MemoryCharges(),
        seen=MemorySeen(),
        clock=clock,
        new_id=lambda kind: f"{kind}-{next(ids)}",
    )
    for number, said in enumerate(EVENTS):
        raw = {"kind": "message", "id": f"m{number}", "channel": "shelves", "author": "buyer", "bot": False, **said}
        event = facts(raw, me, received_at=clock.now(), authenticated=Fact.YES)
        admission = await gate.handle(event, channel, agent, report=traceback.print_exception)
        print(f"{said['text']!r}: {admission.outcome} ({admission.reason}), sent so far: {len(channel.performed)}")


asyncio.run(main())
