"""The client's room for how things stand: conversations, self-reports, readiness, high-water marks (spec 2 §1).

Each verb is one request on the client's road; what a refusal leaves open is `answers`. The moments of a report are of
the caller's clock, and `sent_at` says what that clock shows: the hub moves them to its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from dragoman import wire
from dragoman.channels.hub.address import path_id

A = TypeVar("A", bound=wire.Answer)


class Road(Protocol):
    """What the client gives this room."""

    async def generation(self) -> int:
        """The generation that writes are made under."""
        ...

    async def get(self, route: str, answer: type[A], extra_seconds: float = 0.0) -> A:
        """Look at a route."""
        ...

    async def put(self, route: str, answer: type[A], body: wire.Request) -> A:
        """Put something in the place of what was there."""
        ...


class Reports:
    """How things stand, from both ends."""

    def __init__(self, road: Road) -> None:
        self._road = road

    async def communication(self, contact_id: str) -> wire.Communication:
        """Where one conversation stands."""
        return await self._road.get(f"/contacts/{path_id(contact_id)}/communication", wire.Communication)

    async def status(self) -> wire.Status:
        """The newest conversations that are not closed; `truncated`: ask for others by their ids."""
        return await self._road.get("/communication/status", wire.Status)

    async def report(self, report: wire.ReportReceiver) -> wire.Receiver:
        """Report this instance's receiver; how far it reaches by the hub's table."""
        return await self._road.put("/communication/receiver", wire.Receiver, report)

    async def receiver(self) -> wire.Receiver:
        """The last report of this role's receiver."""
        return await self._road.get("/communication/receiver", wire.Receiver)

    async def readiness(self) -> wire.MyReadiness:
        """How far dated evidence about this role's receiver reaches."""
        return await self._road.get("/me/readiness", wire.MyReadiness)

    async def raise_marks(self, grant_id: str, ledger_id: str, counts: Mapping[str, int]) -> wire.Marks:
        """Raise the marks of a grant; the highest that this role ever reported."""
        body = wire.RaiseMarks(
            generation=await self._road.generation(), grant_id=grant_id, ledger_id=ledger_id, counts=dict(counts)
        )
        return await self._road.put("/marks", wire.Marks, body)

    async def marks(self, grant_id: str) -> wire.Marks:
        """The marks of a grant."""
        return await self._road.get(f"/marks?{urlencode({'grant_id': grant_id})}", wire.Marks)
