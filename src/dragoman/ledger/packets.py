"""The packets that each conversation left, byte for byte as they were built, in order.

Building and checking are `dragoman.packets`; this keeps the bytes. `number` counts all packets of a conversation, over
every task that it held; within a packet each source counts its own.
"""

from __future__ import annotations

import msgspec

from dragoman.identity import Target, parse_target
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger, Row


class KeptPacket(msgspec.Struct, frozen=True, kw_only=True):
    """One packet of a conversation. `created_at` is the packet's own time of issue, epoch milliseconds."""

    number: int
    source: str
    message_id: str
    profile: str
    raw: bytes
    created_at: int


class PacketLog:
    """The packets of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("packets")

    def last(self, target: Target) -> KeptPacket | None:
        """The newest packet of a conversation, or None."""
        row = self._ledger.row(self._queries["last"], target=str(target))
        return None if row is None else _kept(row)

    def last_of(self, target: Target, source: str) -> KeptPacket | None:
        """The newest packet that one source wrote in a conversation, or None."""
        row = self._ledger.row(self._queries["last_of"], target=str(target), source=source)
        return None if row is None else _kept(row)

    def keep(self, target: Target, packet: KeptPacket) -> None:
        """Keep one packet; a number that is taken is an error."""
        self._ledger.change(
            self._queries["add"],
            target=str(target),
            number=packet.number,
            source=packet.source,
            message_id=packet.message_id,
            profile=packet.profile,
            raw=packet.raw,
            now=packet.created_at,
        )

    def of(self, target: Target) -> list[KeptPacket]:
        """The packets of a conversation, in order."""
        rows = self._ledger.rows(self._queries["of"], target=str(target))
        return [_kept(row) for row in rows]

    def targets(self) -> list[Target]:
        """The conversations that left a packet."""
        return [parse_target(row["target"]) for row in self._ledger.rows(self._queries["targets"])]


def _kept(row: Row) -> KeptPacket:
    return msgspec.convert(dict(row), KeptPacket)
