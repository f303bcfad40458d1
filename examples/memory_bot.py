"""A bot that embeds the gate: run it, and see what is answered, what stays silent and what is stopped.

python examples/memory_bot.py
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import traceback
from pathlib import Path

from dragoman import Gate, Turn, load_policy
from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.clock import SystemClock
from dragoman.gate.ports import Presence
from dragoman.words import Fact

POLICY = """
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


async def main(policy: Path) -> None:
    """Feed three events through the gate and print what happened to each."""
    clock, me = SystemClock(), MemoryAgent(workspace="desk", id="desk")
    channel = MemoryChannel(me, clock=clock, presence=Presence(shared=Fact.YES))
    gate = Gate(policy=load_policy(policy))
    for number, said in enumerate(EVENTS):
        raw = {"kind": "message", "id": f"m{number}", "channel": "shelves", "author": "buyer", "bot": False, **said}
        event = facts(raw, me, received_at=clock.now(), authenticated=Fact.YES)
        admission = await gate.handle(event, channel, agent, report=traceback.print_exception)
        print(f"{said['text']!r}: {admission.outcome} ({admission.reason}), sent so far: {len(channel.performed)}")


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "policy.toml"
    path.write_text(POLICY)
    asyncio.run(main(path))
