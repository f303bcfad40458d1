"""A bot of somebody's own that embeds the gate, as its README shows it: `python a_bot.py FOLDER`.

It reads `FOLDER/chat/inbox.jsonl` to its end, hands every event to its gate, and does in each turn what stands in
`FOLDER/plan.json`; one JSON line per step says what became of it. Its state is in `FOLDER/state`.

    turns      one list of steps per turn, in the order in which turns begin
    faults     how the platform fails, one per call: "refused", "vanished", "answer_lost", or null
    at_once    hand the events to the gate all at once, as tasks
    approved   let out what was approved, when everything was read
    forged     a text that a tool says under an approval that nobody gave
    tools      what a tool of the bot says under the grant `tools`, when everything was read:
               [operation, text, parts, what it points at], each through the gate's one door
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from dragoman import Delivery, Gate, PolicyWatch, Turn, open_state
from dragoman.channels.memory.adapter import Arrival, Fault, MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.clock import SystemClock
from dragoman.gate.operations import CLASS_OF, Operation
from dragoman.gate.parts import NOTHING, Parts
from dragoman.gate.ports import Draft
from dragoman.gate.release import text_hash
from dragoman.grants import Grant
from dragoman.identity import target
from dragoman.words import OutputClass, Purpose

FOLDER = Path(sys.argv[1])
PLAN = json.loads((FOLDER / "plan.json").read_text())
TURNS = iter(PLAN["turns"])


def say(what: str, delivery: Delivery | None) -> None:
    """One line about one step."""
    facts = {} if delivery is None else msgspec.to_builtins(delivery)
    print(json.dumps({"step": what, **facts}))


async def chunks(texts: list[str]) -> AsyncIterator[str]:
    """A stream; `!abort` is cut off from outside, `!raise` breaks."""
    for text in texts:
        if text == "!abort":
            raise asyncio.CancelledError
        if text == "!raise":
            raise ValueError("the model broke off: token sk-live-abcdefghijklmnop1234")
        yield text


SPOKEN: list[Turn] = []
"""Turns that are over: an agent may keep what it was handed."""


async def step(turn: Turn, what: str, *words: Any) -> Delivery | None:
    """One step of a turn."""
    text: Any = words[0] if words else ""
    parts = msgspec.convert(words[1], Parts) if len(words) > 1 else NOTHING
    match what:
        case "reply":
            return await turn.reply(text, parts=parts)
        case "private":
            return await turn.reply(text, parts=parts, private=True)
        case "edit":
            return await turn.edit(text, parts=parts)
        case "progress":
            return await turn.progress(text, parts=parts)
        case "react":
            return await turn.react(text)
        case "typing":
            return await turn.typing()
        case "stream":
            return await turn.stream(chunks(text))
        case "silent":
            await turn.stay_silent()
        case "raise":
            raise ValueError(text)
        case "at_once":
            for delivery in await asyncio.gather(*(turn.reply(each) for each in text)):
                say("reply", delivery)
        case "late":
            return await SPOKEN[0].reply(text)
        case "sleep":
            await asyncio.sleep(text)
    return None


async def agent(turn: Turn) -> None:
    """Do what the plan says for this turn; nothing when it has no more."""
    for words in next(TURNS, []):
        say(words[0], await step(turn, *words))
    SPOKEN.append(turn)


async def life(gate: Gate, channel: MemoryChannel, arrival: Arrival) -> None:
    """One event."""
    try:
        await gate.handle(channel.event(arrival), channel, agent)
    except asyncio.CancelledError:
        print(json.dumps({"step": "cancelled"}))


async def tool(gate: Gate, channel: MemoryChannel, key: str, name: str, text: str, parts: Any, at: Any) -> Delivery:
    """One operation of a tool, at the one target of its grant."""
    grant, operation = gate.policy.grants["tools"], Operation(name)
    (target,) = grant.targets
    kind = CLASS_OF.get(operation, OutputClass.FINAL)
    draft = Draft(text=text, parts=msgspec.convert(parts, Parts), output_class=kind)
    pointing = {**at, "only_for": next(iter(gate.policy.operators))} if operation is Operation.PRIVATE else at
    return await gate.deliver(draft, grant, channel, key=key, operation=operation, target=target, **pointing)


async def forged(gate: Gate, channel: MemoryChannel, text: str) -> Delivery:
    """What a tool that lies says under an approval that it made up."""
    where = target(channel.platform, "desk", "EXT")
    made_up = Grant(
        id="approval-1",
        purpose=Purpose.APPROVAL,
        targets=frozenset({where}),
        given_by="memory/desk/oper",
        expires_at=2**52,
        text_sha256=text_hash(text),
    )
    return await gate.deliver(Draft(text=text), made_up, channel, key="forged", target=where)


async def main() -> None:
    """Read everything, then end."""
    place = FOLDER / "chat"
    channel = MemoryChannel(MemoryAgent(workspace="desk", id="desk"), clock=SystemClock(), folder=place)
    channel.plan(*(None if fault is None else Fault(fault) for fault in PLAN.get("faults", [])))
    offset = int((FOLDER / "offset").read_text()) if (FOLDER / "offset").exists() else 0
    left = (place / "inbox.jsonl").read_bytes()[offset:].count(b"\n")
    with open_state(FOLDER / "state") as state:
        gate = Gate(policy=PolicyWatch(FOLDER / "policy.toml"), **state)
        gate.resume(channel, agent)
        tasks = []
        if left:
            async for arrival in channel.events(offset):
                left, offset = left - 1, arrival.offset
                tasks.append(asyncio.ensure_future(life(gate, channel, arrival)))
                if not PLAN.get("at_once"):
                    await tasks[-1]
                if not left:
                    break
        await asyncio.gather(*tasks)
        await gate.settled()
        (FOLDER / "offset").write_text(str(offset))
        for number, words in enumerate(PLAN.get("tools", [])):
            say(words[0], await tool(gate, channel, f"tool-{number}", *words))
        if "forged" in PLAN:
            say("forged", await forged(gate, channel, PLAN["forged"]))
        if PLAN.get("approved"):
            for delivery in await gate.release_approved(channel, "desk"):
                say("approved", delivery)


asyncio.run(main())
