"""What a receiver says of itself, and what the hub makes of it: kept with its date, believed for nothing more.

1. A report is a write: only the primary instance makes one, under the present generation. It takes the place of the
   last one; what it says its conversations wait for takes the place of what the last one said.
2. Its moments are of the reporter's clock; they are kept by the hub's, moved by the difference. A moment that has not
   come yet becomes now: a wrong clock makes evidence old, never newer than its report.
3. Readiness is computed at each look (`standing.readiness`); nothing of it is kept.
4. High-water marks only rise. They are never summed and never given back as counts to go on from: a receiver compares
   them with its own ledger, and a ledger that does not reach them was deleted or restored (spec 2 §3.14).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dragoman import wire
from dragoman.hub import rows, rules, standing
from dragoman.hub.desk import Desk
from dragoman.hub.pulse import Pulse
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

GRANTS: Final = 2000
"""Of how many grants one role may have marks."""
NAMES: Final = 16
"""How many marks one grant may have."""


class Reports:
    """The verbs of self-reports and marks."""

    def __init__(self, desk: Desk, pulse: Pulse) -> None:
        self._desk = desk
        self._pulse = pulse

    async def put(self, token: str | None, body: wire.ReportReceiver) -> wire.Receiver:
        """Keep a self-report; answers with what is kept and how far it reaches."""

        async def work(tx: Transaction) -> wire.Receiver:
            now = self._desk.clock.now()
            caller = await rows.writer(tx, token, body.generation, now)
            await tx.run(
                "receiver_put",
                role_id=caller.role_id,
                instance_id=caller.instance_id,
                generation=caller.generation,
                now=now,
                version=body.version,
                mode=body.mode,
                background_at=_here(body.background_at, body.sent_at, now),
                handler_at=_here(body.handler.at, body.sent_at, now) if body.handler else None,
                handler_same=int(_same(body.handler)),
                notifier_at=_here(body.notifier.at, body.sent_at, now) if body.notifier else None,
                notifier_same=int(_same(body.notifier)),
                scope_until=None if body.scope_until is None else max(0, body.scope_until - body.sent_at + now),
                may_reply=int(body.may_reply),
            )
            await _put_waiting(tx, caller, body, now)
            return await self._seen(tx, caller.role_id, now)

        return await self._desk.store.write(work)

    async def get(self, token: str | None) -> wire.Receiver:
        """The last self-report of the caller's role."""

        async def work(tx: Transaction) -> wire.Receiver:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            return await self._seen(tx, caller.role_id, now)

        return await self._desk.store.read(work)

    async def readiness(self, token: str | None) -> wire.MyReadiness:
        """How far the dated evidence about the caller's receiver reaches now."""

        async def work(tx: Transaction) -> wire.MyReadiness:
            now = self._desk.clock.now()
            caller, _ = await rows.caller_of(tx, token, now)
            row = await tx.one("receiver_get", role_id=caller.role_id)
            return wire.MyReadiness(autonomy=await self._readiness(tx, caller.role_id, row, now), server_time=now)

        return await self._desk.store.read(work)

    async def raise_marks(self, token: str | None, body: wire.RaiseMarks) -> wire.Marks:
        """Raise the marks of a grant; answers with the highest ever reported."""

        async def work(tx: Transaction) -> wire.Marks:
            caller = await rows.writer(tx, token, body.generation, self._desk.clock.now(), alone=True)
            known = await tx.all("mark_get", role_id=caller.role_id, grant_id=body.grant_id)
            if not known:
                held = rows.must(await tx.one("mark_count", role_id=caller.role_id), "internal")
                if held["n"] >= GRANTS:
                    raise Refusal("marks_full")
            if len({row["name"] for row in known} | body.counts.keys()) > NAMES:
                raise Refusal("marks_full")
            ledger = known[0]["ledger_id"] if known else body.ledger_id
            await tx.many(
                "mark_raise",
                [
                    {
                        "role_id": caller.role_id,
                        "grant_id": body.grant_id,
                        "name": name,
                        "ledger_id": ledger,
                        "n": count,
                    }
                    for name, count in sorted(body.counts.items())
                ],
            )
            return _marks(body.grant_id, await tx.all("mark_get", role_id=caller.role_id, grant_id=body.grant_id))

        return await self._desk.store.write(work)

    async def marks(self, token: str | None, grant_id: str) -> wire.Marks:
        """The marks of one of the caller's grants."""

        async def work(tx: Transaction) -> wire.Marks:
            caller, _ = await rows.caller_of(tx, token, self._desk.clock.now())
            return _marks(grant_id, await tx.all("mark_get", role_id=caller.role_id, grant_id=grant_id))

        return await self._desk.store.read(work)

    async def _seen(self, tx: Transaction, role_id: str, now: int) -> wire.Receiver:
        row = await tx.one("receiver_get", role_id=role_id)
        readiness = await self._readiness(tx, role_id, row, now)
        if row is None:
            return wire.Receiver(readiness=readiness, server_time=now)
        waiting = await tx.all("waiting_of", role_id=role_id)
        return wire.Receiver(
            readiness=readiness,
            server_time=now,
            instance_id=row["instance_id"],
            generation=row["generation"],
            version=row["version"],
            mode=row["mode"],
            waiting=[
                wire.Waiting(
                    contact_id=each["contact_id"], waits_for=wire.WaitsFor(each["waits_for"]), since=each["since"]
                )
                for each in waiting
                if each["generation"] == row["role_generation"]
            ],
        )

    async def _readiness(self, tx: Transaction, role_id: str, row: Row | None, now: int) -> wire.Readiness:
        evidence = await self._evidence(tx, role_id, row, now) if row is not None else standing.Evidence()
        level, blockers = standing.readiness(evidence, now)
        return wire.Readiness(
            level=level,
            level_zh=wire.READINESS_ZH[level],
            blockers=list(blockers),
            reported_at=evidence.reported_at,
            polled_at=evidence.polled_at,
        )

    async def _evidence(self, tx: Transaction, role_id: str, row: Row, now: int) -> standing.Evidence:
        present = (row["generation"], row["instance_id"]) == (row["role_generation"], row["primary_instance"])
        return standing.Evidence(
            reported_at=row["reported_at"],
            named=bool(row["version"]),
            present=present,
            polled_at=await self._pulse.of(tx, role_id, row["role_generation"], now),
            busy=await tx.one("receiver_busy", role_id=role_id, now=now) is not None,
            background_at=row["background_at"],
            handler=_probe(row["handler_at"], row["handler_same"]),
            notifier=_probe(row["notifier_at"], row["notifier_same"]),
            scope_until=row["scope_until"],
            may_reply=bool(row["may_reply"]),
        )


async def _put_waiting(tx: Transaction, caller: rules.Caller, body: wire.ReportReceiver, now: int) -> None:
    """Write only what differs: most reports say what the last one said."""
    before = {
        row["contact_id"]: (row["generation"], row["waits_for"])
        for row in await tx.all("waiting_of", role_id=caller.role_id)
    }
    said = {each.contact_id: each for each in body.waiting}
    gone = sorted(before.keys() - said.keys())
    if gone:
        await tx.run("waiting_clear", role_id=caller.role_id, contact_ids=gone)
    fresh = [
        {
            "contact_id": each.contact_id,
            "role_id": caller.role_id,
            "generation": caller.generation,
            "waits_for": str(each.waits_for),
            "since": _here(each.since, body.sent_at, now),
        }
        for each in sorted(said.values(), key=lambda each: each.contact_id)
        if before.get(each.contact_id) != (caller.generation, str(each.waits_for))
    ]
    await tx.many("waiting_put", fresh)


def _here(at: int | None, sent_at: int, now: int) -> int | None:
    """A moment of the reporter's clock by the hub's; never later than now, never before the epoch."""
    return None if at is None else max(0, min(now, at - sent_at + now))


def _same(probed: wire.Probed | None) -> bool:
    return probed is not None and probed.command == probed.command_now


def _probe(at: int | None, same: int) -> standing.Probe | None:
    return None if at is None else standing.Probe(at=at, same=bool(same))


def _marks(grant_id: str, found: Sequence[Row]) -> wire.Marks:
    return wire.Marks(
        grant_id=grant_id,
        ledger_id=found[0]["ledger_id"] if found else None,
        counts={row["name"]: row["n"] for row in found},
    )
