"""The parts of requests that are still arriving, kept over a restart. Implements the gate's `Bursts`."""

from __future__ import annotations

import msgspec

from dragoman.gate.burst import Buffer, Part
from dragoman.identity import Target
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger


class LedgerBursts:
    """The buffers of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("bursts")

    def add(self, buffer: Buffer, part: Part) -> None:
        """Keep one part; a copy of one that waits already changes nothing."""
        self._ledger.change(
            self._queries["add"],
            dedupe_key=part.event.dedupe_key,
            buffer=_named(buffer),
            event=msgspec.msgpack.encode(part),
            arrived_at=part.arrived_at,
        )

    def parts(self, buffer: Buffer) -> tuple[Part, ...]:
        """What waits, oldest first."""
        rows = self._ledger.rows(self._queries["of"], buffer=_named(buffer))
        return tuple(msgspec.msgpack.decode(row["event"], type=Part) for row in rows)

    def buffers(self) -> tuple[Buffer, ...]:
        """Every buffer in which something waits."""
        return tuple(
            msgspec.json.decode(row["buffer"], type=Buffer) for row in self._ledger.rows(self._queries["buffers"])
        )

    def drop(self, buffer: Buffer) -> None:
        """Nothing waits there any more."""
        self._ledger.change(self._queries["drop"], buffer=_named(buffer))

    def remove(self, target: Target, event_id: str) -> None:
        """A message was deleted."""
        for buffer in self.buffers():
            for part in self.parts(buffer) if buffer.target == target else ():
                if part.event.event_id == event_id:
                    self._ledger.change(self._queries["remove"], dedupe_key=part.event.dedupe_key)


def _named(buffer: Buffer) -> str:
    return msgspec.json.encode(buffer).decode()
