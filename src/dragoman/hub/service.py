"""The hub's verbs: each opens its transaction, fetches facts, lets `rules` decide, writes, and answers.

1. Whom the token names is looked up in the same transaction as the work: no takeover can slip in between the two.
2. Every write asks `rules.may_write` first. Then a replay is recognised, then the present state is checked.
3. Looking takes the reading road and commits nothing; an idle poll only looks.
4. `now` is asked for inside the transaction, not when the request came in.
"""

from __future__ import annotations

import msgspec

from dragoman import wire
from dragoman.clock import Clock
from dragoman.hub import rows, rules
from dragoman.hub.entrance import Entrance, NewId
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import SqliteStore, Transaction
from dragoman.hub.wake import Bell


class Hub:
    """One hub over one store.

    Args:
        store: an open store.
        clock: tells the time.
        new_id: makes ids and tokens.
        limits: the bounds, also published.
        origins: the origins that log-ins may be signed for, as `wire.origin_of` writes them.
    """

    def __init__(
        self, store: SqliteStore, clock: Clock, new_id: NewId, limits: wire.Limits, origins: frozenset[str]
    ) -> None:
        self.store = store
        self.clock = clock
        self.limits = limits
        self.entrance = Entrance(store, clock, new_id, limits, origins)
        self.bell = Bell()
        self.closing = False
        """Set when the hub goes down: waiting polls return."""
        self._new_id = new_id

    # --- contacts ---

    async def open_contact(self, token: str | None, body: wire.OpenContact) -> wire.Contact:
        """Open a contact with another role; the same `open_id` again is the same contact."""

        def work(tx: Transaction) -> wire.Contact:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            known = tx.one("contact_opened", opener=caller.role_id, open_id=body.open_id)
            if known is not None:
                if known["peer"] != body.peer_role_id:
                    raise Refusal("open_id_conflict")
                return rows.contact_seen(known, caller.role_id, replayed=True)
            if body.peer_role_id == caller.role_id or tx.one("role_get", role_id=body.peer_role_id) is None:
                raise Refusal("role_unknown")
            contact_id = self._new_id("con_")
            tx.run(
                "contact_add",
                contact_id=contact_id,
                opener=caller.role_id,
                peer=body.peer_role_id,
                open_id=body.open_id,
                now=now,
            )
            return rows.contact_seen(rows.contact_row(tx, contact_id, caller.role_id), caller.role_id)

        return await self.store.write(work)

    async def contacts(self, token: str | None, after: int) -> wire.Contacts:
        """A page of the caller's contacts, oldest first."""

        def work(tx: Transaction) -> wire.Contacts:
            caller, _ = rows.caller_of(tx, token, self.clock.now())
            page = self.limits.page
            found = tx.all("contact_list", role_id=caller.role_id, after=after, limit=page + 1)
            return wire.Contacts(
                contacts=[rows.contact_seen(row, caller.role_id) for row in found[:page]],
                next_after=found[:page][-1]["number"] if found else after,
                truncated=len(found) > page,
            )

        return await self.store.read(work)

    async def contact(self, token: str | None, contact_id: str) -> wire.Contact:
        """One contact of the caller."""

        def work(tx: Transaction) -> wire.Contact:
            caller, _ = rows.caller_of(tx, token, self.clock.now())
            return rows.contact_seen(rows.contact_row(tx, contact_id, caller.role_id), caller.role_id)

        return await self.store.read(work)

    async def close_contact(self, token: str | None, contact_id: str, body: wire.CloseContact) -> wire.Contact:
        """Close a contact for both sides; what waits in it can still be fetched."""

        def work(tx: Transaction) -> wire.Contact:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            rows.contact_row(tx, contact_id, caller.role_id)
            closed = tx.run("contact_close", contact_id=contact_id, now=now)
            return rows.contact_seen(
                rows.contact_row(tx, contact_id, caller.role_id), caller.role_id, replayed=closed == 0
            )

        return await self.store.write(work)

    # --- messages ---

    async def send(self, token: str | None, contact_id: str, body: wire.SendMessage) -> wire.Sent:
        """Take a message; returns when it is durable."""
        complaint = rules.message_complaint(body, self.limits)
        digest = rules.body_digest(contact_id, body)

        def work(tx: Transaction) -> tuple[wire.Sent, str]:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            row = rows.contact_row(tx, contact_id, caller.role_id)
            recipient = row["peer"] if row["opener"] == caller.role_id else row["opener"]
            known = tx.one("message_replied", sender=caller.role_id, reply_id=body.reply_id)
            if known is not None:
                if known["digest"] != digest:
                    raise Refusal("reply_id_conflict")
                return rows.sent(known, replayed=True), recipient
            if complaint is not None:
                raise Refusal(complaint)
            if row["closed_at"] is not None:
                raise Refusal("contact_closed")
            if body.lease_token is not None:
                rows.live_lease(tx, caller, body.lease_token, now)
            return self._add(tx, body, contact_id, caller.role_id, recipient, digest, now), recipient

        sent, recipient = await self.store.write(work)
        self.bell.ring(recipient)
        return sent

    def _add(
        self,
        tx: Transaction,
        body: wire.SendMessage,
        contact_id: str,
        sender: str,
        recipient: str,
        digest: str,
        now: int,
    ) -> wire.Sent:
        seq = rows.must(tx.one("contact_next_seq", contact_id=contact_id), "internal")["last_seq"]
        message_id = self._new_id("msg_")
        tx.run(
            "message_add",
            message_id=message_id,
            contact_id=contact_id,
            seq=seq,
            sender=sender,
            recipient=recipient,
            reply_id=body.reply_id,
            digest=digest,
            text=body.text,
            packet=body.packet,
            complete=int(body.complete),
            now=now,
        )
        return wire.Sent(
            message_id=message_id,
            contact_id=contact_id,
            reply_id=body.reply_id,
            seq=seq,
            created_at=now,
            replayed=False,
        )

    async def reply(self, token: str | None, reply_id: str) -> wire.Sent:
        """What was accepted under the caller's `reply_id`."""

        def work(tx: Transaction) -> wire.Sent:
            caller, _ = rows.caller_of(tx, token, self.clock.now())
            if not rules.is_minted_id(reply_id):
                raise Refusal("reply_unknown")
            known = rows.must(tx.one("message_replied", sender=caller.role_id, reply_id=reply_id), "reply_unknown")
            return rows.sent(known, replayed=True)

        return await self.store.read(work)

    async def messages(self, token: str | None, contact_id: str, after: int) -> wire.Messages:
        """A page of a contact's messages."""

        def work(tx: Transaction) -> wire.Messages:
            caller, _ = rows.caller_of(tx, token, self.clock.now())
            rows.contact_row(tx, contact_id, caller.role_id)
            page = self.limits.page
            found = tx.all("message_list", contact_id=contact_id, after=after, limit=page + 1)
            taken = rows.fitting(found[:page])
            return wire.Messages(
                messages=taken,
                next_after=taken[-1].seq if taken else after,
                truncated=len(taken) < len(found),
            )

        return await self.store.read(work)

    async def communication(self, token: str | None, contact_id: str) -> wire.Communication:
        """Where a conversation stands, as the caller sees it."""

        def work(tx: Transaction) -> wire.Communication:
            now = self.clock.now()
            caller, _ = rows.caller_of(tx, token, now)
            state = rules.delivery_state(
                rows.facts(tx, rows.contact_row(tx, contact_id, caller.role_id), caller.role_id, now)
            )
            return wire.Communication(
                contact_id=contact_id,
                delivery=wire.Delivery(state=state, state_zh=wire.DELIVERY_ZH[state]),
                server_time=now,
            )

        return await self.store.read(work)

    # --- leases ---

    async def waiting(self, token: str | None, body: wire.TakeLease) -> str | None:
        """The caller's role when there is nothing to lease now, else None; commits nothing."""

        def work(tx: Transaction) -> str | None:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            found = tx.one("message_waiting", now=now, **rows.wanted(caller, body))
            return None if found else caller.role_id

        return await self.store.read(work)

    async def lease(self, token: str | None, body: wire.TakeLease) -> wire.Leased:
        """Lease what waits, oldest first; does not wait for more."""

        def work(tx: Transaction) -> wire.Leased:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            found = tx.all("message_leasable", now=now, limit=body.limit, **rows.wanted(caller, body))
            taken = rows.fitting(found)
            if not taken:
                return wire.Leased(lease=None, messages=[], server_time=now)
            lease = wire.Lease(
                lease_token=self._new_id("lse_"),
                generation=caller.generation,
                expires_at=now + min(self.limits.lease_ms, self.limits.lease_cap_ms),
                cap_at=now + self.limits.lease_cap_ms,
            )
            tx.run("lease_sweep", role_id=caller.role_id, now=now)
            tx.run("lease_add", role_id=caller.role_id, **msgspec.structs.asdict(lease))
            tx.run(
                "message_hold",
                lease_token=lease.lease_token,
                message_ids=rows.id_list(each.message_id for each in taken),
            )
            return wire.Leased(lease=lease, messages=taken, server_time=now)

        return await self.store.write(work)

    async def renew(self, token: str | None, body: wire.RenewLease) -> wire.Lease:
        """Move a live lease's end, never past its cap."""

        def work(tx: Transaction) -> wire.Lease:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            lease = rows.live_lease(tx, caller, body.lease_token, now)
            expires_at = rules.renewed(lease, now, self.limits.lease_ms)
            tx.run("lease_move", lease_token=lease.lease_token, expires_at=expires_at)
            return wire.Lease(
                lease_token=lease.lease_token,
                generation=lease.generation,
                expires_at=expires_at,
                cap_at=lease.cap_at,
            )

        return await self.store.write(work)

    async def ack(self, token: str | None, body: wire.AckMessages) -> wire.Settled:
        """Settle messages for good; all or none."""

        def work(tx: Transaction) -> wire.Settled:
            now = self.clock.now()
            settling = rows.settling(tx, rows.writer(tx, token, body.generation, now), body, now, rules.may_ack)
            ids = rows.id_list(body.message_ids)
            tx.run("message_ack", message_ids=ids, lease_token=body.lease_token, now=now)
            return wire.Settled(message_ids=body.message_ids, replayed=settling.replayed)

        return await self.store.write(work)

    async def release(self, token: str | None, body: wire.ReleaseMessages) -> wire.Settled:
        """Give messages back, to be leased again from `not_before` on; all or none."""

        def work(tx: Transaction) -> wire.Settled:
            now = self.clock.now()
            caller = rows.writer(tx, token, body.generation, now)
            rows.settling(tx, caller, body, now, rules.may_release)
            tx.run(
                "message_release",
                message_ids=rows.id_list(body.message_ids),
                lease_token=body.lease_token,
                not_before=min(body.not_before, now + self.limits.release_ms),
            )
            return wire.Settled(message_ids=body.message_ids, replayed=False)

        return await self.store.write(work)

    # --- the hub itself ---

    def well_known(self) -> wire.WellKnown:
        """What the hub publishes of itself."""
        return wire.WellKnown(protocol_version=wire.PROTOCOL_VERSION, limits=self.limits, server_time=self.clock.now())

    async def health(self) -> wire.Health:
        """Whether the store answers."""
        await self.store.read(rows.nonce_secret)
        return wire.Health(status="ok")
