"""The directory: each role's stall, and searching for the stalls and delegations of others (spec 2 §1).

1. What is closed or expired is not in the index, or is passed over: nobody finds it, and to others it is not there.
2. Two roles with a block between them do not find each other; neither is told why.
3. Newest change first, on both engines; every token must be there. There is no other ranking.
4. A change is told to subscribers in its own transaction. Putting the same stall again is no change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dragoman import wire
from dragoman.clock import DAY
from dragoman.hub import finding, rows, subscriptions, tokens
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction


class Directory:
    """The verbs of stalls and searches."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def put(self, token: str | None, body: wire.PutStall) -> wire.Entry:
        """Make this the caller's stall."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Entry:
            now = desk.clock.now()
            caller = await rows.writer(tx, token, body.generation, now, alone=True)  # one change at a time
            refused = finding.complaint(body.title, body.text, body.tags)
            if refused is not None:
                raise Refusal(refused)
            before = await tx.one("entry_stall", role_id=caller.role_id)
            asked = {
                "title": body.title,
                "text": body.text,
                "tags": packed(finding.tags_of(body.tags)),
                "state": "open" if body.open else "closed",
            }
            if before is not None and all(before[name] == value for name, value in asked.items()):
                return entry(before, now, replayed=True)
            count = finding.changed(_changes(before), now)
            if count is None and body.open:  # closing is always allowed
                began = _changes(before).day_began
                raise Refusal("changes_limited", retry_at=began + DAY, now=now)
            row = {
                "entry_id": before["entry_id"] if before else desk.new_id("stl_"),
                "kind": "stall",
                "role_id": caller.role_id,
                "publish_id": None,
                "version": before["version"] + 1 if before else 1,
                "expires_at": None,
                "created_at": before["created_at"] if before else now,
                "updated_at": now,
                **(count or _changes(before))._asdict(),
                **asked,
            }
            await replace(tx, row, known=before is not None, now=now)
            return entry(row, now)

        return await desk.store.write(work)

    async def mine(self, token: str | None) -> wire.Entry:
        """The caller's stall, open or closed."""

        async def work(tx: Transaction) -> wire.Entry:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            return entry(rows.must(await tx.one("entry_stall", role_id=caller.role_id), "entry_unknown"), now)

        return await self._desk.store.read(work)

    async def of_role(self, token: str | None, role_id: str) -> wire.Entry:
        """Another role's open stall."""

        async def work(tx: Transaction) -> wire.Entry:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            row = await tx.one("entry_stall", role_id=rows.plain_id(role_id, "entry_unknown"))
            return await visible(tx, row, caller.role_id, now)

        return await self._desk.store.read(work)

    async def search(
        self, token: str | None, kind: wire.EntryKind, query: str, tags: list[str], before: int | None
    ) -> wire.Entries:
        """A page of the entries that hold every word and tag asked for; all of them when nothing is."""

        async def work(tx: Transaction) -> wire.Entries:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            refused = finding.tags_complaint(tags)
            if refused is not None:
                raise Refusal(refused)
            asked = tokens.wanted(query, finding.tags_of(tags))
            place = {"kind": str(kind), "role_id": caller.role_id, "now": now}
            return await page(tx, place, asked, before, now)

        return await self._desk.store.read(work)


async def page(
    tx: Transaction, place: Mapping[str, Any], asked: list[str], before: int | None, now: int
) -> wire.Entries:
    """A page of what a search finds. Words that hold no token, as punctuation, ask for nothing."""
    values: dict[str, object] = {**place, "before": before or finding.FIRST, "limit": finding.PAGE + 1}
    found = await (tx.all("entry_search", tokens=asked, **values) if asked else tx.all("entry_newest", **values))
    return entries(found, before, now)


def entries(found: Any, before: int | None, now: int) -> wire.Entries:
    """Rows, one more than a page when there are more, as a page."""
    shown = found[: finding.PAGE]
    return wire.Entries(
        entries=[entry(row, now) for row in shown],
        next_before=shown[-1]["number"] if shown else before or finding.FIRST,
        truncated=len(found) > finding.PAGE,
    )


async def replace(tx: Transaction, row: Mapping[str, Any], *, known: bool, now: int) -> None:
    """Write a version of an entry, and tell the subscribers whose search it matches now."""
    if known:
        await tx.run("entry_unindex", entry_id=row["entry_id"])
        await tx.run("entry_drop", entry_id=row["entry_id"])
    await tx.run("entry_add", **row)
    if finding.is_open(row["state"], row["expires_at"], now):
        found = tokens.held(row["title"], row["text"], unpacked(row["tags"]))
        await tx.run("entry_index", entry_id=row["entry_id"], tokens=found)
        await subscriptions.tell(tx, row, found, now)


async def visible(tx: Transaction, row: Row | None, role_id: str, now: int) -> wire.Entry:
    """An entry as this role may see it; refuses `entry_unknown`."""
    found = rows.must(row, "entry_unknown")
    if found["role_id"] != role_id:
        blocked = await tx.one("block_between", one=found["role_id"], two=role_id)
        if blocked is not None or not finding.is_open(found["state"], found["expires_at"], now):
            raise Refusal("entry_unknown")
    return entry(found, now)


def entry(row: Row | Mapping[str, Any], now: int, *, replayed: bool = False) -> wire.Entry:
    """A row as the wire shows it."""
    return wire.Entry(
        entry_id=row["entry_id"],
        kind=wire.EntryKind(row["kind"]),
        role_id=row["role_id"],
        version=row["version"],
        title=row["title"],
        text=row["text"],
        tags=unpacked(row["tags"]),
        open=finding.is_open(row["state"], row["expires_at"], now),
        expires_at=row["expires_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        replayed=replayed,
    )


def packed(words: list[str]) -> str:
    """Words as one column."""
    return msgspec.json.encode(words).decode()


def unpacked(column: str) -> list[str]:
    """Words of one column."""
    return msgspec.json.decode(column, type=list[str])


def _changes(row: Row | None) -> finding.Changes:
    return finding.Changes(row["day_began"], row["day_changes"]) if row else finding.Changes(0, 0)
