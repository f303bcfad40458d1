"""The gate's stores held in memory: for tests, and for a bot that keeps nothing when it stops."""

from __future__ import annotations

from dragoman.gate.burst import Buffer, Part
from dragoman.gate.observe import Observed
from dragoman.identity import Target


class MemoryBursts:
    """A `Bursts` over a dict; what waits is lost with the process."""

    def __init__(self) -> None:
        self._parts: dict[Buffer, dict[str, Part]] = {}

    def add(self, buffer: Buffer, part: Part) -> None:
        """Keep one part; a copy of one that waits already changes nothing."""
        self._parts.setdefault(buffer, {}).setdefault(part.event.dedupe_key, part)

    def parts(self, buffer: Buffer) -> tuple[Part, ...]:
        """What waits, oldest first."""
        return tuple(self._parts.get(buffer, {}).values())

    def buffers(self) -> tuple[Buffer, ...]:
        """Every buffer in which something waits."""
        return tuple(self._parts)

    def drop(self, buffer: Buffer) -> None:
        """Nothing waits there any more."""
        self._parts.pop(buffer, None)

    def remove(self, target: Target, event_id: str) -> None:
        """A message was deleted."""
        for buffer, parts in list(self._parts.items()):
            left = {
                key: part for key, part in parts.items() if (buffer.target, part.event.event_id) != (target, event_id)
            }
            if left:
                self._parts[buffer] = left
            else:
                del self._parts[buffer]


class MemoryObservations:
    """An `Observations` over a list."""

    def __init__(self) -> None:
        self.kept: list[Observed] = []

    def keep(self, observed: Observed) -> None:
        """Keep one text, and drop what has been kept long enough."""
        self.kept = [each for each in self.kept if each.until > observed.observed_at] + [observed]

    def of(self, target: Target, now: int) -> tuple[Observed, ...]:
        """What is kept of one target, oldest first."""
        return tuple(each for each in self.kept if each.target == target and each.until > now)
