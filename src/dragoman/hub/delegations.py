"""Delegations: published requests that others answer by opening a contact that names one (spec 2 §1).

1. A delegation is answered while it is open and not expired, and only towards the role that published it.
2. Its role is told of each answer once, in the transaction that opens the contact.
3. Closing and expiry end answering and being found; contacts that answered go on.
4. An ended one is kept for `finding.ENDED_MS`, then forgotten when its role publishes again.
"""

from __future__ import annotations

from typing import Final

from dragoman import wire
from dragoman.hub import directory, events, finding, rows
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

_KIND: Final = str(wire.EntryKind.DELEGATION)


async def must_take_answers(tx: Transaction, delegation_id: str, role_id: str, now: int) -> None:
    """Refuse unless this role's delegation can be answered now."""
    row = await tx.one("entry_get", entry_id=delegation_id, kind=_KIND)
    if row is None or row["role_id"] != role_id:
        raise Refusal("entry_unknown")
    if not finding.is_open(row["state"], row["expires_at"], now):
        raise Refusal("delegation_ended")


async def tell_answered(tx: Transaction, contact: Row, now: int) -> None:
    """Tell the publisher of a new contact that names its delegation."""
    facts = wire.EventFacts(
        delegation_id=contact["delegation_id"], contact_id=contact["contact_id"], role_id=contact["opener"]
    )
    await events.put(tx, contact["peer"], wire.EventKind.DELEGATION_ANSWERED, contact["contact_id"], facts, now)


class Delegations:
    """The verbs of delegations."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def publish(self, token: str | None, body: wire.PublishDelegation) -> wire.Entry:
        """Publish a request; the same `publish_id` again is the same delegation."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Entry:
            now = desk.clock.now()
            caller = await rows.writer(tx, token, body.generation, now, alone=True)  # so that the counts hold
            refused = finding.complaint(body.title, body.text, body.tags)
            if refused is not None:
                raise Refusal(refused)
            asked = {
                "title": body.title,
                "text": body.text,
                "tags": directory.packed(finding.tags_of(body.tags)),
                "expires_at": body.expires_at,
            }
            known = await tx.one("entry_published", role_id=caller.role_id, publish_id=body.publish_id)
            if known is not None:
                if any(known[name] != value for name, value in asked.items()):
                    raise Refusal("publish_id_conflict")
                return directory.entry(known, now, replayed=True)
            await self._make_room(tx, caller.role_id, body.expires_at, now)
            row = {
                "entry_id": desk.new_id("del_"),
                "kind": _KIND,
                "role_id": caller.role_id,
                "publish_id": body.publish_id,
                "version": 1,
                "state": "open",
                "created_at": now,
                "updated_at": now,
                "day_began": now,
                "day_changes": 1,
                **asked,
            }
            await directory.replace(tx, row, known=False, now=now)
            return directory.entry(row, now)

        return await desk.store.write(work)

    async def _make_room(self, tx: Transaction, role_id: str, expires_at: int, now: int) -> None:
        ended = [row["entry_id"] for row in await tx.all("entry_ended", role_id=role_id, before=now - finding.ENDED_MS)]
        for name in ("entry_unindex", "entry_drop"):
            await tx.many(name, [{"entry_id": each} for each in ended])
        count = rows.must(await tx.one("entry_counts", role_id=role_id, kind=_KIND, now=now), "internal")
        refused = finding.may_publish(count["every"], count["standing"], expires_at, now)
        if refused is not None:
            raise Refusal(refused)

    async def one(self, token: str | None, delegation_id: str) -> wire.Entry:
        """A delegation: the caller's own in any state, another's while it can be answered."""

        async def work(tx: Transaction) -> wire.Entry:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            rows.plain_id(delegation_id, "entry_unknown")
            row = await tx.one("entry_get", entry_id=delegation_id, kind=_KIND)
            return await directory.visible(tx, row, caller.role_id, now)

        return await self._desk.store.read(work)

    async def mine(self, token: str | None, before: int | None) -> wire.Entries:
        """The caller's delegations, ended ones too."""

        async def work(tx: Transaction) -> wire.Entries:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            found = await tx.all(
                "entry_of_role",
                role_id=caller.role_id,
                kind=_KIND,
                before=before or finding.FIRST,
                limit=finding.PAGE + 1,
            )
            return directory.entries(found, before, now)

        return await self._desk.store.read(work)

    async def close(self, token: str | None, delegation_id: str, body: wire.CloseDelegation) -> wire.Entry:
        """Take a delegation back."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Entry:
            now = desk.clock.now()
            caller = await rows.writer(tx, token, body.generation, now, alone=True)
            rows.plain_id(delegation_id, "entry_unknown")
            row = rows.must(await tx.one("entry_get", entry_id=delegation_id, kind=_KIND), "entry_unknown")
            if row["role_id"] != caller.role_id:
                raise Refusal("entry_unknown")
            closed = await tx.run("entry_close", entry_id=delegation_id, now=now)
            await tx.run("entry_unindex", entry_id=delegation_id)
            row = rows.must(await tx.one("entry_get", entry_id=delegation_id, kind=_KIND), "internal")
            return directory.entry(row, now, replayed=closed == 0)

        return await desk.store.write(work)
