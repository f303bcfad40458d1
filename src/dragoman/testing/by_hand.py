"""Time and ids that a test sets by hand: nothing waits, and nothing is called differently in the next run."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Final

from dragoman.clock import SECOND, parse_rfc3339

START: Final = parse_rfc3339("2026-09-21T14:13:20Z")
"""When a recorder's time begins, if the test does not say."""
_STEPS: Final = 200
"""How often the loop goes round before everything is taken to rest."""


class HandClock:
    """A `Clock` that moves only when told to; `time` is in milliseconds since 1970."""

    def __init__(self, now: int = START) -> None:
        self.time = now

    def now(self) -> int:
        """The time it was set to."""
        return self.time


class HandSleep:
    """A sleep that ends when the clock that is set by hand has come that far."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self._sleepers: list[tuple[int, asyncio.Event]] = []

    async def __call__(self, seconds: float) -> None:
        """Sleep until the clock says so."""
        woken = asyncio.Event()
        self._sleepers.append((self._clock.time + round(seconds * SECOND), woken))
        await woken.wait()

    async def pass_time(self, milliseconds: int) -> None:
        """Let time pass; whoever is due goes on, as far as it comes without real input or output."""
        await rest()
        self._clock.time += milliseconds
        for until, woken in self._sleepers:
            if until <= self._clock.time:
                woken.set()
        self._sleepers = [sleeper for sleeper in self._sleepers if not sleeper[1].is_set()]
        await rest()


async def rest() -> None:
    """Let every other task go as far as it comes."""
    for _ in range(_STEPS):
        await asyncio.sleep(0)


def counting_ids() -> Callable[[str], str]:
    """Ids that count: `cor-1`, `dft-2` ..."""
    counter = itertools.count(1)
    return lambda kind: f"{kind}-{next(counter)}"
