"""Blocks: two roles of which one wants nothing to do with the other (spec 2 §1).

1. While a block stands neither opens a contact with the other nor has a message taken in one: `contact_blocked`.
   Neither finds the other nor is told of the other's entries. A block beats whatever else would allow it.
2. The two sides are told the same. Who blocked, when and why is seen by the one who did, nobody else.
3. What was taken before stays: it can be fetched, and the same `reply_id` or `open_id` is answered as before.
4. A block holds both roles' rows, always in one order: a send under way is finished first, each later one sees the
   block, and two roles that block each other at once do not wait for each other.
"""

from __future__ import annotations

from dragoman import wire
from dragoman.hub import finding, rows
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction


async def refuse_blocked(tx: Transaction, one: str, two: str) -> None:
    """Refuse when either of two roles blocks the other."""
    if await tx.one("block_between", one=one, two=two) is not None:
        raise Refusal("contact_blocked")


class Blocks:
    """The verbs of blocks."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def set(self, token: str | None, body: wire.SetBlock) -> wire.Block:
        """Block a role; blocking twice changes nothing."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Block:
            now = desk.clock.now()
            asking, _ = await rows.caller_of(tx, token, now)
            held = await tx.all("role_hold_each", role_ids=sorted({asking.role_id, body.role_id}))
            caller = await rows.writer(tx, token, body.generation, now)
            if body.role_id == caller.role_id or len(held) < 2:
                raise Refusal("role_unknown")
            pair = {"blocker": caller.role_id, "blocked": body.role_id}
            count = rows.must(await tx.one("block_count", blocker=caller.role_id), "internal")
            if count["every"] >= finding.BLOCKS and await tx.one("block_get", **pair) is None:
                raise Refusal("too_many")
            added = await tx.run("block_add", now=now, **pair)
            return _seen(rows.must(await tx.one("block_get", **pair), "internal"), replayed=added == 0)

        return await desk.store.write(work)

    async def lift(self, token: str | None, role_id: str, body: wire.LiftBlock) -> wire.Block:
        """Lift a block; the other role can be talked to as before, unless it blocks too."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Block:
            caller = await rows.writer(tx, token, body.generation, desk.clock.now())
            rows.plain_id(role_id, "role_unknown")
            if await tx.one("role_get", role_id=role_id) is None:
                raise Refusal("role_unknown")
            dropped = await tx.run("block_drop", blocker=caller.role_id, blocked=role_id)
            return wire.Block(role_id=role_id, blocked=False, created_at=None, replayed=dropped == 0)

        return await desk.store.write(work)

    async def page(self, token: str | None, after: str) -> wire.Blocks:
        """Whom the caller blocks."""

        async def work(tx: Transaction) -> wire.Blocks:
            caller, _ = await rows.caller_of(tx, token, self._desk.clock.now())
            page = self._desk.limits.page
            found = await tx.all("block_list", blocker=caller.role_id, after=after, limit=page + 1)
            return wire.Blocks(
                blocks=[_seen(row) for row in found[:page]],
                next_after=found[:page][-1]["blocked"] if found else after,
                truncated=len(found) > page,
            )

        return await self._desk.store.read(work)


def _seen(row: Row, *, replayed: bool = False) -> wire.Block:
    return wire.Block(role_id=row["blocked"], blocked=True, created_at=row["created_at"], replayed=replayed)
