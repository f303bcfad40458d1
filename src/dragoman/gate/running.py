"""The turns that run now, by target and author, so that a `stop` can end them (spec 1 §11.2).

A turn that is stopped says nothing more: its admission has ended before its agent is cancelled, and no safe sentence
follows. A send that is under way when it is cancelled is uncertain, as the door writes down.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable
from typing import Protocol

from dragoman.gate.admit import Admission
from dragoman.identity import Party, Target


class Ends(Protocol):
    """What a stop does to a turn before it cancels its agent."""

    def end(self) -> None:
        """Nothing more is said under its admission."""
        ...


@dataclasses.dataclass
class _Run:
    target: Target
    author: Party
    turn: Ends
    stopped: bool = False


class Running:
    """The turns of one gate."""

    def __init__(self) -> None:
        self._runs: dict[asyncio.Future[None], _Run] = {}

    def count(self, target: Target) -> int:
        """How many turns run at `target`."""
        return sum(run.target == target for run in self._runs.values())

    async def run(self, admission: Admission, turn: Ends, work: Awaitable[None]) -> bool:
        """Do the agent's `work` until it is done (True) or stopped (False); what it raises is raised here.

        Cancelling the caller cancels the agent, and returns when it has ended.
        """
        task, run = asyncio.ensure_future(work), _Run(admission.target, admission.author, turn)
        self._runs[task] = run
        cancelled: asyncio.CancelledError | None = None
        try:
            while not task.done():
                try:
                    await asyncio.wait({task})
                except asyncio.CancelledError as error:
                    cancelled = error
                    task.cancel()
        finally:
            del self._runs[task]
        if cancelled is not None:
            if not task.cancelled():
                task.exception()  # looked at, so that nobody is told of it twice
            raise cancelled
        if run.stopped:
            if not task.cancelled():
                task.exception()
            return False
        task.result()
        return True

    def stop(self, target: Target, author: Party | None) -> int:
        """End the turns of that author at `target`, or everybody's there; how many."""
        found = [
            (task, run)
            for task, run in self._runs.items()
            if run.target == target and author in (None, run.author) and not run.stopped
        ]
        for task, run in found:
            run.stopped = True
            run.turn.end()
            task.cancel()
        return len(found)
