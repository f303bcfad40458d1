"""The whole life of one event for a bot that embeds the gate: admit, and if admitted give the agent one turn.

1. Nothing is begun for an event that is not admitted; a control command is obeyed inline, without the agent.
2. A request whose attachments are still arriving waits, and is decided once, on everything that came (spec 1 §3
   step 10): see `burst.py`.
3. A failing agent of which nothing was sent becomes the fixed safe sentence; its words go to the operator only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from dragoman.gate.admit import Admission
from dragoman.gate.entries import failure_entry
from dragoman.gate.event import Event
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Channel, Entry, Turn
from dragoman.gate.turn import Door, LiveTurn

Agent = Callable[[Turn], Awaitable[None]]
Report = Callable[[Exception], None]


def unreported(error: Exception) -> None:
    """Who embeds the gate may want to see what its agent raised; by default nobody does."""


class Reception(Door, Protocol):
    """What the life asks of the gate."""

    policy: Policy

    def admit(self, event: Event) -> Admission:
        """Q1 and Q2 for one event."""
        ...

    def note(self, entry: Entry) -> None:
        """Write one journal record."""
        ...

    def now(self) -> int:
        """The time, epoch milliseconds."""
        ...


class Embedded:
    """The life of every event that one gate is handed."""

    def __init__(self, gate: Reception, new_id: Callable[[str], str]) -> None:
        self._gate = gate
        self._new_id = new_id

    async def handle(self, event: Event, channel: Channel, agent: Agent, report: Report) -> Admission:
        """Decide one event, and carry out what was decided."""
        admission = self._gate.admit(event)
        if admission.responds and admission.command is None:
            await self._turn(admission, channel, agent, report)
        return admission

    async def _turn(self, admission: Admission, channel: Channel, agent: Agent, report: Report) -> None:
        gate = self._gate
        turn = LiveTurn(gate, admission, channel, self._new_id, silence_token=gate.policy.silence_token)
        try:
            await agent(turn)
        except Exception as error:  # noqa: BLE001  the agent is not ours; its words must not leak
            gate.note(failure_entry(admission, error, gate.policy.version, gate.now()))
            await turn.fail()
            report(error)
        finally:
            turn.end()
