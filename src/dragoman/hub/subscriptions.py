"""Subscriptions: saved searches that tell their role of new matches (spec 2 §1).

1. A subscription is told of what is new or changed after it was made; what stood before is found by searching.
2. Each version of an entry is told once to each subscription that it matches, in the transaction that writes it.
3. Whom a block parts from the entry's role is not told; nobody is told of an entry of its own.
4. The same search again is the same subscription; a role has at most `finding.SUBSCRIPTIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dragoman import wire
from dragoman.hub import events, finding, rows, tokens
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction


async def tell(tx: Transaction, entry: Mapping[str, Any], found: list[str], now: int) -> int:
    """Tell each subscription that this version of an entry matches; how many. `found`: the tokens that it holds."""
    candidates = await tx.all("subscription_candidates", kind=entry["kind"], role_id=entry["role_id"], tokens=found)
    return await events.put_all(
        tx,
        [
            events.Told(
                each["role_id"],
                wire.EventKind.SUBSCRIPTION_MATCH,
                f"{each['subscription_id']}|{entry['entry_id']}|{entry['version']}",
                wire.EventFacts(
                    subscription_id=each["subscription_id"],
                    entry_id=entry["entry_id"],
                    version=entry["version"],
                    role_id=entry["role_id"],
                ),
            )
            for each in candidates
            if tokens.matches(_words(each["tokens"]), found)
        ],
        now,
    )


class Subscriptions:
    """The verbs of subscriptions."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(self, token: str | None, body: wire.Subscribe) -> wire.Subscription:
        """Save a search."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Subscription:
            now = desk.clock.now()
            caller = await rows.writer(tx, token, body.generation, now, alone=True)  # so that the count holds
            refused = finding.tags_complaint(body.tags) or ("text_invalid" if "\x00" in body.query else None)
            if refused is not None:
                raise Refusal(refused)
            tags = finding.tags_of(body.tags)
            asked = tokens.wanted(body.query, tags)
            if not asked:
                raise Refusal("query_empty")
            place = {"role_id": caller.role_id, "kind": str(body.kind), "tokens": _column(asked)}
            known = await tx.one("subscription_known", **place)
            if known is not None:
                return _seen(known, replayed=True)
            if len(await tx.all("subscription_list", role_id=caller.role_id)) >= finding.SUBSCRIPTIONS:
                raise Refusal("too_many")
            await tx.run(
                "subscription_add",
                subscription_id=desk.new_id("sub_"),
                query=body.query,
                tags=_column(tags),
                anchor=finding.anchor(asked),
                now=now,
                **place,
            )
            return _seen(rows.must(await tx.one("subscription_known", **place), "internal"))

        return await desk.store.write(work)

    async def all(self, token: str | None) -> wire.Subscriptions:
        """The caller's subscriptions."""

        async def work(tx: Transaction) -> wire.Subscriptions:
            caller, _ = await rows.caller_of(tx, token, self._desk.clock.now())
            found = await tx.all("subscription_list", role_id=caller.role_id)
            return wire.Subscriptions(subscriptions=[_seen(row) for row in found])

        return await self._desk.store.read(work)

    async def end(self, token: str | None, subscription_id: str, body: wire.EndSubscription) -> wire.Subscriptions:
        """Forget a search; answers with those that are left. What it told stays in the stream."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Subscriptions:
            caller = await rows.writer(tx, token, body.generation, desk.clock.now())
            rows.plain_id(subscription_id, "subscription_unknown")
            dropped = await tx.run("subscription_drop", subscription_id=subscription_id, role_id=caller.role_id)
            if dropped == 0:
                raise Refusal("subscription_unknown")
            found = await tx.all("subscription_list", role_id=caller.role_id)
            return wire.Subscriptions(subscriptions=[_seen(row) for row in found])

        return await desk.store.write(work)


def _seen(row: Row, *, replayed: bool = False) -> wire.Subscription:
    return wire.Subscription(
        subscription_id=row["subscription_id"],
        kind=wire.EntryKind(row["kind"]),
        query=row["query"],
        tags=_words(row["tags"]),
        created_at=row["created_at"],
        replayed=replayed,
    )


def _column(words: list[str]) -> str:
    return msgspec.json.encode(words).decode()


def _words(column: str) -> list[str]:
    return msgspec.json.decode(column, type=list[str])
