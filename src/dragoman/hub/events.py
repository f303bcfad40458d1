"""The event streams: what the hub tells a role beside messages (spec 2 §1).

1. An event is written in the transaction of what it tells of, by `put` or `put_all`; no role can write one.
2. One happening is one event: the same kind and key again changes nothing.
3. `seq` grows within a role in the order of commits, so whoever has seen a number has seen all before it.
4. A role reads its own stream, from any of its instances; reading takes nothing away. Each role keeps the newest `KEPT`
   events of each kind, so that a flood of one kind pushes out none of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from dragoman import wire
from dragoman.hub import rows
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

KEPT: Final = 1000


class Told(NamedTuple):
    """One event to write. `key` names the happening within role and kind."""

    role_id: str
    kind: wire.EventKind
    key: str
    facts: wire.EventFacts


async def put(tx: Transaction, role_id: str, kind: wire.EventKind, key: str, facts: wire.EventFacts, now: int) -> bool:
    """Tell one role of one happening in this transaction, once per `key`; whether it is told now."""
    return await put_all(tx, [Told(role_id, kind, key, facts)], now) == 1


async def put_all(tx: Transaction, told: Sequence[Told], now: int) -> int:
    """Tell many roles in this transaction, as `put`; how many events are new. Wakes whoever waits for one."""
    # Always in one order, so that two transactions never wait for each other's streams.
    asked = sorted({(each.role_id, str(each.kind), each.key): each for each in told}.items())
    keys: list[dict[str, object]] = [
        {"role_id": role_id, "kind": kind, "key": key} for (role_id, kind, key), _ in asked
    ]
    fresh = [each for (_, each), known in zip(asked, await _known(tx, keys), strict=True) if not known]
    numbers = await tx.gather("event_next", [{"role_id": each.role_id} for each in fresh])
    await tx.many(
        "event_add",
        [
            {
                "role_id": each.role_id,
                "seq": number["last_seq"],
                "kind": str(each.kind),
                "key": each.key,
                "facts": msgspec.json.encode(each.facts).decode(),
                "now": now,
            }
            for each, number in zip(fresh, numbers, strict=True)
        ],
    )
    streams = sorted({(each.role_id, str(each.kind)) for each in fresh})
    await tx.many("event_trim", [{"role_id": role_id, "kind": kind, "keep": KEPT} for role_id, kind in streams])
    for role_id in sorted({role_id for role_id, _ in streams}):
        await tx.ring(role_id)
    return len(fresh)


async def sweep(tx: Transaction, before: int) -> int:
    """Forget every role's events from before a moment; how many."""
    return await tx.run("event_sweep", before=before)


async def _known(tx: Transaction, keys: Sequence[dict[str, object]]) -> list[bool]:
    found = {(each["role_id"], each["kind"], each["key"]) for each in await tx.gather("event_known", keys)}
    return [(each["role_id"], each["kind"], each["key"]) in found for each in keys]


class Events:
    """Reading a stream."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def page(self, token: str | None, after: int, kinds: list[str] | None) -> wire.Events:
        """A page of the caller's events."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Events:
            now = desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            page = desk.limits.page
            found = await tx.all("event_list", role_id=caller.role_id, after=after, kinds=kinds, limit=page + 1)
            return wire.Events(
                events=[_seen(row) for row in found[:page]],
                next_after=found[:page][-1]["seq"] if found else after,
                truncated=len(found) > page,
                server_time=now,
            )

        return await desk.store.read(work)

    async def waiting(self, token: str | None, after: int, kinds: list[str] | None) -> str | None:
        """The caller's role when there is nothing new, else None; commits nothing."""

        async def work(tx: Transaction) -> str | None:
            if not token:
                raise Refusal("token_missing")
            row = await tx.one("event_waiting", token_hash=rows.token_hash(token), after=after, kinds=kinds)
            found = {row["token_hash"]: row} if row is not None else {}
            caller, _ = rows.caller_in(found, token, self._desk.clock.now())
            return None if row is None or row["waiting"] else caller.role_id

        return await self._desk.store.glance(work)


def _seen(row: Row) -> wire.Event:
    return wire.Event(
        seq=row["seq"],
        kind=row["kind"],
        created_at=row["created_at"],
        facts=msgspec.json.decode(row["facts"], type=wire.EventFacts),
    )
