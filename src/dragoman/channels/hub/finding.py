"""The client's rooms for finding others: stalls, searches, subscriptions, delegations, blocks, events (spec 2 §1).

Each verb is one request on the client's road; what a refusal leaves open is `answers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from dragoman import wire
from dragoman.channels.hub.address import path_id
from dragoman.clock import SECOND

A = TypeVar("A", bound=wire.Answer)


class Road(Protocol):
    """What the client gives its rooms."""

    async def generation(self) -> int:
        """The generation that writes are made under."""
        ...

    async def get(self, route: str, answer: type[A], extra_seconds: float = 0.0) -> A:
        """Look at a route."""
        ...

    async def post(self, route: str, answer: type[A], body: wire.Request, extra_seconds: float = 0.0) -> A:
        """Ask a route for something."""
        ...


class Finding:
    """Finding others, and being found."""

    def __init__(self, road: Road) -> None:
        self._road = road

    # --- the directory ---

    async def put_stall(
        self, title: str, text: str = "", tags: Sequence[str] = (), *, open_to_all: bool = True
    ) -> wire.Entry:
        """Make this the role's stall; the same again changes nothing."""
        body = wire.PutStall(
            generation=await self._road.generation(), title=title, text=text, tags=list(tags), open=open_to_all
        )
        return await self._road.post("/stall", wire.Entry, body)

    async def my_stall(self) -> wire.Entry:
        """The role's own stall."""
        return await self._road.get("/stall", wire.Entry)

    async def stall(self, role_id: str) -> wire.Entry:
        """Another role's open stall."""
        return await self._road.get(f"/stalls/{path_id(role_id)}", wire.Entry)

    async def search(
        self,
        query: str = "",
        tags: Sequence[str] = (),
        *,
        kind: wire.EntryKind = wire.EntryKind.STALL,
        before: int | None = None,
    ) -> wire.Entries:
        """A page of open stalls or delegations that hold all words and tags, newest change first."""
        asked = [("query", query), *(("tag", tag) for tag in tags)]
        if before is not None:
            asked.append(("before", str(before)))
        return await self._road.get(f"/directory/{kind}s?{urlencode(asked)}", wire.Entries)

    # --- subscriptions ---

    async def subscribe(
        self, query: str = "", tags: Sequence[str] = (), *, kind: wire.EntryKind = wire.EntryKind.STALL
    ) -> wire.Subscription:
        """Save a search; the same again is the same subscription."""
        body = wire.Subscribe(generation=await self._road.generation(), kind=kind, query=query, tags=list(tags))
        return await self._road.post("/subscriptions", wire.Subscription, body)

    async def subscriptions(self) -> wire.Subscriptions:
        """All saved searches."""
        return await self._road.get("/subscriptions", wire.Subscriptions)

    async def end_subscription(self, subscription_id: str) -> wire.Subscriptions:
        """Forget a saved search."""
        body = wire.EndSubscription(generation=await self._road.generation())
        return await self._road.post(f"/subscriptions/{path_id(subscription_id)}/end", wire.Subscriptions, body)

    # --- delegations ---

    async def publish(
        self, publish_id: str, title: str, expires_at: int, text: str = "", tags: Sequence[str] = ()
    ) -> wire.Entry:
        """Publish a delegation until `expires_at`; the same `publish_id` again is the same delegation."""
        body = wire.PublishDelegation(
            publish_id=publish_id,
            generation=await self._road.generation(),
            title=title,
            text=text,
            tags=list(tags),
            expires_at=expires_at,
        )
        return await self._road.post("/delegations", wire.Entry, body)

    async def delegation(self, delegation_id: str) -> wire.Entry:
        """One delegation: the role's own, or another's that can be answered."""
        return await self._road.get(f"/delegations/{path_id(delegation_id)}", wire.Entry)

    async def delegations(self, *, before: int | None = None) -> wire.Entries:
        """A page of the role's own delegations."""
        return await self._road.get(f"/delegations{'' if before is None else f'?before={before}'}", wire.Entries)

    async def close_delegation(self, delegation_id: str) -> wire.Entry:
        """Take a delegation back."""
        body = wire.CloseDelegation(generation=await self._road.generation())
        return await self._road.post(f"/delegations/{path_id(delegation_id)}/close", wire.Entry, body)

    # --- blocks ---

    async def block(self, role_id: str) -> wire.Block:
        """Have nothing to do with a role from now on."""
        body = wire.SetBlock(generation=await self._road.generation(), role_id=path_id(role_id))
        return await self._road.post("/blocks", wire.Block, body)

    async def unblock(self, role_id: str) -> wire.Block:
        """Lift a block."""
        body = wire.LiftBlock(generation=await self._road.generation())
        return await self._road.post(f"/blocks/{path_id(role_id)}/lift", wire.Block, body)

    async def blocks(self, *, after: str = "") -> wire.Blocks:
        """A page of the roles that this one blocks."""
        return await self._road.get(f"/blocks?{urlencode({'after': after})}", wire.Blocks)

    # --- events ---

    async def events(self, *, after: int = 0, kinds: Sequence[wire.EventKind] = (), wait_ms: int = 0) -> wire.Events:
        """A page of the role's events after a number, waiting up to `wait_ms` (at most 30,000) for the first."""
        asked = [("after", str(after)), ("wait_ms", str(wait_ms)), *(("kind", str(kind)) for kind in kinds)]
        return await self._road.get(f"/events?{urlencode(asked)}", wire.Events, wait_ms / SECOND)
