"""The packets that each conversation left, byte for byte as they were built, in order.

Building and checking are `dragoman.packets`; this keeps the bytes and knows which comes next. `number` counts all
packets of a conversation; within a packet each source counts its own.
"""

from __future__ import annotations

import msgspec

from dragoman.identity import Target
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger


class KeptPacket(msgspec.Struct, frozen=True, kw_only=True):
    """One packet of a conversation. `created_at` is the packet's own time of issue, epoch milliseconds."""

    number: int
    source: str
    message_id: str
    profile: str
    raw: bytes
    created_at: int


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where the next packet of a source stands: what it follows, and which numbers it gets."""

    number: int
    sequence: int
    parent: str | None
    after: str
    """The profile of the packet before, or an empty string."""
    not_before: int
    """The earliest time of issue that keeps the chain in order."""


class PacketLog:
    """The packets of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("packets")

    def next(self, target: Target, source: str) -> Place:
        """Where the next packet of `source` stands in a conversation."""
        last = self._ledger.row(self._queries["last"], target=str(target))
        own = self._ledger.row(self._queries["of_source"], target=str(target), source=source)
        return Place(
            number=int(last["number"]) + 1 if last else 0,
            sequence=int(own["n"]) if own else 0,
            parent=str(last["message_id"]) if last else None,
            after=str(last["profile"]) if last else "",
            not_before=int(last["created_at"]) + 1 if last else 0,
        )

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
        return [msgspec.convert(dict(row), KeptPacket) for row in rows]
