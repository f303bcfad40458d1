"""Leases: taking what waits, holding it longer, settling it for good, giving it back.

Polls and acks that arrive together are one call of their verb, as sends are in `messages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from dragoman import wire
from dragoman.hub import rows, rules
from dragoman.hub.desk import Desk
from dragoman.hub.pulse import Pulse
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

TOGETHER: Final = 8
"""How many polls look at once; each may see a hundred messages, and more of them than fit into its answer."""


class _Take(NamedTuple):
    token: str | None
    body: wire.TakeLease


class _Settle(NamedTuple):
    token: str | None
    body: wire.AckMessages


class Leases:
    """The verbs of leases."""

    def __init__(self, desk: Desk, pulse: Pulse) -> None:
        self._desk = desk
        self._pulse = pulse
        self._take_verb = self._take_all  # one object each, so that the store knows their lanes
        self._ack_verb = self._ack_all

    async def waiting(self, token: str | None, body: wire.TakeLease) -> str | None:
        """The caller's role when there is nothing to lease now, else None; commits nothing."""

        async def work(tx: Transaction) -> str | None:
            now = self._desk.clock.now()
            if not token:
                raise Refusal("token_missing")
            row = await tx.one(
                "message_waiting",
                token_hash=rows.token_hash(token),
                now=now,
                oldest=now - self._desk.limits.retention_ms,
                contact_ids=body.contact_ids,
                message_ids=body.message_ids,
            )
            found = {row["token_hash"]: row} if row is not None else {}
            caller = rows.writer_in(found, token, body.generation, now)
            self._pulse.note(caller, now)
            return None if row is None or row["waiting"] else caller.role_id

        return await self._desk.store.glance(work)

    async def take(self, token: str | None, body: wire.TakeLease) -> wire.Leased:
        """Lease what waits, oldest first; does not wait for more."""
        return await self._desk.store.together(self._take_verb, _Take(token, body))

    async def _take_all(self, tx: Transaction, asks: Sequence[_Take]) -> list[wire.Leased | Refusal]:
        desk = self._desk
        now = desk.clock.now()
        callers = await rows.callers(tx, [ask.token for ask in asks])
        found = [rows.refused_or(rows.writer_in, callers, ask.token, ask.body.generation, now) for ask in asks]
        answers: list[wire.Leased | Refusal] = []
        leases: list[dict[str, object]] = []
        holds: list[dict[str, object]] = []
        gone: set[str] = set()
        for at in range(0, len(asks), TOGETHER):
            some = range(at, min(at + TOGETHER, len(asks)))
            waiting = await self._leasable(tx, asks, found, callers, some, now)
            for number in some:
                caller = found[number]
                if isinstance(caller, Refusal):
                    answers.append(caller)
                    continue
                # What an earlier poll of this very transaction has taken still looks free to the store.
                free = await _free(tx, waiting[number], caller.generation, now)
                taken = rows.fitting([row for row in free if row["message_id"] not in gone])
                if not taken:
                    answers.append(wire.Leased(lease=None, messages=[], server_time=now))
                    continue
                lease = self._lease(caller, rows.limits_in(callers, asks[number].token, desk.limits), now)
                ids = [each.message_id for each in taken]
                gone.update(ids)
                leases.append({"role_id": caller.role_id, **msgspec.structs.asdict(lease)})
                holds.append({"lease_token": lease.lease_token, "message_ids": ids})
                answers.append(wire.Leased(lease=lease, messages=taken, server_time=now))
        await tx.many("lease_add", leases)
        await tx.many("message_hold", holds)
        return answers

    def _lease(self, caller: rules.Caller, limits: wire.Limits, now: int) -> wire.Lease:
        return wire.Lease(
            lease_token=self._desk.new_id("lse_"),
            generation=caller.generation,
            expires_at=now + min(limits.lease_ms, limits.lease_cap_ms),
            cap_at=now + limits.lease_cap_ms,
        )

    async def _leasable(
        self,
        tx: Transaction,
        asks: Sequence[_Take],
        found: Sequence[rules.Caller | Refusal],
        callers: Mapping[str, Row],
        some: Iterable[int],
        now: int,
    ) -> dict[int, list[Row]]:
        """What each of `some` asks could lease, in one look for all of them."""
        limits = self._desk.limits
        wanted = [
            {
                "ask": number,
                "role_id": caller.role_id,
                "generation": caller.generation,
                "now": now,
                "oldest": now - limits.retention_ms,
                "limit": min(ask.body.limit, rows.limits_in(callers, ask.token, limits).page),
                "contact_ids": ask.body.contact_ids,
                "message_ids": ask.body.message_ids,
            }
            for number, ask, caller in ((number, asks[number], found[number]) for number in some)
            if not isinstance(caller, Refusal)
        ]
        waiting: dict[int, list[Row]] = {number: [] for number in some}
        for row in await tx.gather("message_leasable", wanted):
            waiting[row["ask"]].append(row)
        return waiting

    async def renew(self, token: str | None, body: wire.RenewLease) -> wire.Lease:
        """Move a live lease's end, never past its cap."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Lease:
            now = desk.clock.now()
            found = await rows.callers(tx, [token])
            caller = rows.writer_in(found, token, body.generation, now)
            settling = await rows.settlements(tx, [body.lease_token], [])
            lease = settling.live(caller, body.lease_token, now)
            expires_at = rules.renewed(lease, now, rows.limits_in(found, token, desk.limits).lease_ms)
            await tx.run("lease_move", lease_token=lease.lease_token, expires_at=expires_at)
            self._pulse.note(caller, now)
            return wire.Lease(
                lease_token=lease.lease_token,
                generation=lease.generation,
                expires_at=expires_at,
                cap_at=lease.cap_at,
            )

        return await desk.store.write(work)

    async def ack(self, token: str | None, body: wire.AckMessages) -> wire.Settled:
        """Settle messages for good; all or none."""
        return await self._desk.store.together(self._ack_verb, _Settle(token, body))

    async def _ack_all(self, tx: Transaction, asks: Sequence[_Settle]) -> list[wire.Settled | Refusal]:
        now = self._desk.clock.now()
        callers = await rows.callers(tx, [ask.token for ask in asks])
        settling = await rows.settlements(
            tx, [ask.body.lease_token for ask in asks], [each for ask in asks for each in ask.body.message_ids]
        )
        acked: list[dict[str, object]] = []

        def accept(ask: _Settle) -> wire.Settled:
            body = ask.body
            caller = rows.writer_in(callers, ask.token, body.generation, now)
            asked = settling.ask(caller, body.lease_token, body.message_ids, now, rules.may_ack)
            if not asked.replayed:
                settling.settled(body.message_ids)
                acked.append({"message_ids": body.message_ids, "lease_token": body.lease_token, "now": now})
            return wire.Settled(message_ids=body.message_ids, replayed=asked.replayed)

        answers = [rows.refused_or(accept, ask) for ask in asks]
        await tx.many("message_ack", acked)
        return answers

    async def release(self, token: str | None, body: wire.ReleaseMessages) -> wire.Settled:
        """Give messages back, to be leased again from `not_before` on; all or none."""
        desk = self._desk

        async def work(tx: Transaction) -> wire.Settled:
            now = desk.clock.now()
            found = await rows.callers(tx, [token])
            caller = rows.writer_in(found, token, body.generation, now)
            settling = await rows.settlements(tx, [body.lease_token], body.message_ids)
            settling.ask(caller, body.lease_token, body.message_ids, now, rules.may_release)
            await tx.run(
                "message_release",
                message_ids=body.message_ids,
                lease_token=body.lease_token,
                not_before=min(body.not_before, now + rows.limits_in(found, token, desk.limits).release_ms),
            )
            return wire.Settled(message_ids=body.message_ids, replayed=False)

        return await desk.store.write(work)


async def _free(tx: Transaction, found: Sequence[Row], generation: int, now: int) -> list[Row]:
    """Those of `found` that are free indeed.

    On PostgreSQL a message that another process has just leased is found with its new `held_by`, but that lease is not
    in the snapshot of the look, so that the message passes for free. A second look sees it.
    """
    unseen = {row["held_by"] for row in found if row["held_by"] is not None and row["lease_seen"] is None}
    leases = await tx.all("lease_get", lease_tokens=sorted(unseen)) if unseen else []
    live = {row["lease_token"] for row in leases if row["generation"] == generation and now < row["expires_at"]}
    return [row for row in found if row["held_by"] not in live or row["lease_seen"] is not None]
