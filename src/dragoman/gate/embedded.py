"""The whole life of one event for a bot that embeds the gate: admit, and if admitted give the agent one turn.

1. Nothing is begun for an event that is not admitted; a control command is obeyed inline, without the agent.
2. A request whose parts are still arriving waits and is decided once, on everything that came (`burst.py`). What waits
   is kept in the gate's `Bursts`; `resume` takes it up again after a restart.
3. An agent that takes too long, a stream included, is cancelled and has failed. A failing agent of which nothing final
   was sent becomes the fixed safe sentence; its words go to the operator only.
4. In shadow mode the agent is called for every event, as if there were no gate; what would have been stopped is
   written down (spec 1 §7).
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from dragoman.clock import SECOND
from dragoman.gate.admit import Admission
from dragoman.gate.burst import Buffer, Part, buffer_of, due, is_part, merged
from dragoman.gate.entries import failure_entry
from dragoman.gate.event import Event
from dragoman.gate.observe import Observed
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Bursts, Channel, Entry, Turn
from dragoman.gate.running import Running
from dragoman.gate.turn import Door, LiveTurn
from dragoman.gate.twin import DECIDED_ONCE_MORE
from dragoman.identity import Party, Target
from dragoman.words import Fact, Outcome

TURN_SECONDS: Final = 600.0
"""How long an agent may take by default: less than an admission lives, so that the safe sentence can still be said."""

Agent = Callable[[Turn], Awaitable[None]]
Report = Callable[[Exception], None]
Sleep = Callable[[float], Awaitable[None]]


def unreported(error: Exception) -> None:
    """Who embeds the gate may want to see what its agent raised; by default nobody does."""


class Reception(Door, Protocol):
    """What the life asks of the gate."""

    policy: Policy
    bursts: Bursts

    def admit(self, event: Event, *, waits: bool = False) -> Admission:
        """Q1 and Q2 for one event."""
        ...

    def observed(self, target: Target) -> tuple[Observed, ...]:
        """What the agent may read of what was said there before."""
        ...

    async def acknowledge(self, admission: Admission, channel: Channel, *, key: str) -> None:
        """A short sign that a request was admitted, where the policy wants one."""
        ...

    def note(self, entry: Entry) -> None:
        """Write one journal record."""
        ...

    def keep(self, correlation_id: str, kind: str, words: str) -> None:
        """Keep what the journal must not hold, for the operator."""
        ...

    async def obey(self, admission: Admission, event: Event, channel: Channel) -> object:
        """Obey a control command."""
        ...

    def now(self) -> int:
        """The time, epoch milliseconds."""
        ...


class Embedded:
    """The life of every event that one gate is handed. `sleep` takes seconds, and so is `turn_seconds`."""

    def __init__(self, gate: Reception, new_id: Callable[[str], str], sleep: Sleep, turn_seconds: float) -> None:
        self._gate = gate
        self._new_id = new_id
        self._sleep = sleep
        self._turn_seconds = turn_seconds
        self._waiting: set[Buffer] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._runs = Running()

    async def handle(self, event: Event, channel: Channel, agent: Agent, report: Report) -> Admission:
        """Decide one event, and carry out what was decided."""
        gate = self._gate
        if event.deletes is not None and event.authenticated is Fact.YES:
            gate.bursts.remove(event.target, event.deletes)
        shadow = gate.policy.mode == "shadow"
        admission = gate.admit(event, waits=not shadow and self._waits(event))
        asked = admission.outcome is Outcome.DEFER
        if shadow:
            await self._turn(event, admission, channel, agent, report)
        elif asked or (event.album is not None and admission.reason in DECIDED_ONCE_MORE):
            gate.bursts.add(buffer_of(event), Part(event, gate.now(), asked))
            self._wait(buffer_of(event), channel, agent, report)
        elif admission.command is not None:
            await gate.obey(admission, event, channel)
        elif admission.responds:
            await self._turn(event, admission, channel, agent, report)
        return admission

    def resume(self, channel: Channel, agent: Agent, report: Report) -> int:
        """Take up again what waited on this platform when the process ended; how many requests."""
        found = [buffer for buffer in self._gate.bursts.buffers() if buffer.target.platform == channel.platform]
        for buffer in found:
            self._wait(buffer, channel, agent, report)
        return len(found)

    async def settled(self) -> None:
        """Return when nothing waits any more, and what was waited for is answered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def close(self) -> None:
        """Stop waiting; what waits stays in the gate's `Bursts`."""
        for task in self._tasks:
            task.cancel()

    def stop(self, target: Target, author: Party | None) -> int:
        """A `stop`: nothing of that author, or of anybody there, runs or waits any more (spec 1 §11.2)."""
        found = [
            buffer
            for buffer in self._gate.bursts.buffers()
            if buffer.target == target and author in (None, buffer.author)
        ]
        for buffer in found:
            self._gate.bursts.drop(buffer)
        return len(found) + self._runs.stop(target, author)

    def running(self, target: Target) -> int:
        """How many turns run at a target."""
        return self._runs.count(target)

    def _waits(self, event: Event) -> bool:
        """Whether parts of what this event asks may still be arriving."""
        return is_part(event) or any(part.asked for part in self._gate.bursts.parts(buffer_of(event)))

    def _wait(self, buffer: Buffer, channel: Channel, agent: Agent, report: Report) -> None:
        if buffer not in self._waiting:
            self._waiting.add(buffer)
            task = asyncio.ensure_future(self._settle(buffer, channel, agent, report))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _settle(self, buffer: Buffer, channel: Channel, agent: Agent, report: Report) -> None:
        """Wait until no part has come for the quiet time, then decide once on what all of them come to. What comes
        while that is answered waits anew."""
        gate = self._gate
        try:
            while parts := gate.bursts.parts(buffer):
                left = due(parts, gate.policy.burst_quiet_ms, gate.policy.burst_cap_ms) - gate.now()
                if left <= 0:
                    break
                await self._sleep(left / SECOND)
            event = merged(parts) if any(part.asked for part in parts) else None  # deleted or stopped meanwhile
            admission = None if event is None else gate.admit(event)
            gate.bursts.drop(buffer)
        finally:
            self._waiting.discard(buffer)
        if event is not None and admission is not None and admission.responds and admission.command is None:
            await self._turn(event, admission, channel, agent, report)

    async def _turn(self, event: Event, admission: Admission, channel: Channel, agent: Agent, report: Report) -> None:
        gate = self._gate
        turn = LiveTurn(
            gate,
            admission,
            channel,
            self._new_id,
            silence_token=gate.policy.silence_token,
            event=event,
            observed=gate.observed(event.target),
        )
        try:
            await gate.acknowledge(admission, channel, key=self._new_id("ack"))
            async with asyncio.timeout(self._turn_seconds):
                await self._runs.run(admission, turn, agent(turn))
        except Exception as error:  # noqa: BLE001  the agent is not ours; its words must not leak
            gate.note(failure_entry(admission, error, gate.policy.version, gate.now()))
            gate.keep(admission.id, "turn_failed", "".join(traceback.format_exception(error)))
            await turn.fail()
            report(error)
        finally:
            turn.end()
