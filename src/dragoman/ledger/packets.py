"""The packets that each conversation left, byte for byte as they were built, in order.

Building and checking are `dragoman.packets`; this keeps the bytes and knows which comes next.
"""

from __future__ import annotations

import msgspec

from dragoman.identity import Target
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger


class KeptPacket(msgspec.Struct, frozen=True):
    """One packet of a conversation; `sequence` counts from 0."""

    sequence: int
    message_id: str
    profile: str
    bytes: bytes


class PacketLog:
    """The packets of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("packets")

    def next(self, target: Target) -> tuple[int, str | None]:
        """The sequence of the next packet and the message id of the one before it."""
        row = self._ledger.row(self._queries["last"], target=str(target))
        return (0, None) if row is None else (int(row["sequence"]) + 1, str(row["message_id"]))

    def keep(self, target: Target, packet: KeptPacket, now: int) -> None:
        """Keep one packet; a sequence that is taken is an error."""
        self._ledger.change(
            self._queries["add"],
            target=str(target),
            sequence=packet.sequence,
            message_id=packet.message_id,
            profile=packet.profile,
            bytes=packet.bytes,
            now=now,
        )

    def of(self, target: Target) -> list[KeptPacket]:
        """The packets of a conversation, in order."""
        return [
            msgspec.convert(dict(row), KeptPacket) for row in self._ledger.rows(self._queries["of"], target=str(target))
        ]
