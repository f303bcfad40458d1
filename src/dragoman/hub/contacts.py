"""Contacts: one conversation between two roles, opened by one of them, closed by either."""

from __future__ import annotations

from dragoman import wire
from dragoman.hub import blocks, delegations, rows
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Transaction


class Contacts:
    """The verbs of contacts."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def open(self, token: str | None, body: wire.OpenContact) -> wire.Contact:
        """Open a contact with another role; the same `open_id` again is the same contact."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Contact:
            now = desk.clock.now()
            found = await rows.callers(tx, [token], alone=True)  # so that the count holds
            caller = rows.writer_in(found, token, body.generation, now)
            limits = rows.limits_in(found, token, desk.limits)
            peer = None
            if body.peer_role_id != caller.role_id:
                peer = await tx.one("role_get", role_id=body.peer_role_id)
            known = await tx.one("contact_opened", opener=caller.role_id, open_id=body.open_id)
            added = 0
            if known is None:
                if peer is None or peer["erased_at"] is not None:
                    raise Refusal("role_unknown")
                await blocks.refuse_blocked(tx, caller.role_id, body.peer_role_id)
                if body.delegation_id is not None:
                    await delegations.must_take_answers(tx, body.delegation_id, body.peer_role_id, now)
                most = limits.contacts_per_role
                if most is not None and await tx.one("contact_full", opener=caller.role_id, before=most - 1):
                    raise Refusal("contacts_full")
                added = await tx.run(
                    "contact_add",
                    contact_id=desk.new_id("con_"),
                    opener=caller.role_id,
                    peer=body.peer_role_id,
                    open_id=body.open_id,
                    delegation_id=body.delegation_id,
                    now=now,
                )
                known = await tx.one("contact_opened", opener=caller.role_id, open_id=body.open_id)
            row = rows.must(known, "internal")
            if (row["peer"], row["delegation_id"]) != (body.peer_role_id, body.delegation_id):
                raise Refusal("open_id_conflict")
            if added and body.delegation_id is not None:
                await delegations.tell_answered(tx, row, now)
            return rows.contact_seen(row, caller.role_id, replayed=added == 0)

        return await desk.store.write(work)

    async def page(self, token: str | None, after: int) -> wire.Contacts:
        """A page of the caller's contacts, oldest first."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Contacts:
            asking = await rows.seen(tx, token)
            caller, _ = rows.caller_in(asking, token, desk.clock.now())
            page = rows.limits_in(asking, token, desk.limits).page
            found = await tx.all("contact_list", role_id=caller.role_id, after=after, limit=page + 1)
            return wire.Contacts(
                contacts=[rows.contact_seen(row, caller.role_id) for row in found[:page]],
                next_after=found[:page][-1]["number"] if found else after,
                truncated=len(found) > page,
            )

        return await desk.store.read(work)

    async def one(self, token: str | None, contact_id: str) -> wire.Contact:
        """One contact of the caller."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Contact:
            caller, _ = await rows.caller_of(tx, token, desk.clock.now())
            return rows.contact_seen(await rows.contact_row(tx, contact_id, caller.role_id), caller.role_id)

        return await desk.store.read(work)

    async def close(self, token: str | None, contact_id: str, body: wire.CloseContact) -> wire.Contact:
        """Close a contact for both sides; what waits in it can still be fetched."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Contact:
            now = desk.clock.now()
            caller = await rows.writer(tx, token, body.generation, now)
            await rows.contact_row(tx, contact_id, caller.role_id)
            closed = await tx.run("contact_close", contact_id=contact_id, now=now)
            row = await rows.contact_row(tx, contact_id, caller.role_id)
            return rows.contact_seen(row, caller.role_id, replayed=closed == 0)

        return await desk.store.write(work)
