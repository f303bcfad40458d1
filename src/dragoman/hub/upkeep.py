"""What time takes away, in bounded steps beside the requests (spec 2 §1 retention).

1. A message can be fetched for `retention_ms`. A lease taken in the last moment is live for `lease_cap_ms` more; only
   then a message is swept: its words go, and what nobody settled has expired. Its sender is told by an event, once.
2. That a reply id was accepted stays known for `proof_ms`; then the row goes, and the hub says that it cannot prove.
   The newest message of each sender in a contact stays, without words: a completed talk stays completed.
3. Messages are taken in their order of arrival, by a number that a sweep has come to; each is looked at once. A moment
   ahead of the clock says nothing of a message's age, its neighbours do.
4. Each step is one transaction of at most `BATCH` messages. On PostgreSQL one process at a time sweeps; a step that is
   undone is done again by whoever comes next.
5. Pulses are written down on the same round, by every process.

Between rounds each process waits a moment of its own choice, so that many do not come at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from dragoman import wire
from dragoman.clock import DAY, SECOND
from dragoman.hub import events
from dragoman.hub.desk import Desk
from dragoman.hub.entrance import NONCES_MS
from dragoman.hub.pulse import FLUSH_MS, Pulse
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction

BATCH: Final = 500
ROUND_STEPS: Final = 60
"""How many steps of one kind a round takes at most."""
EVENTS_MS: Final = 30 * DAY
"""How long events are kept."""

_log: Final = logging.getLogger("dragoman.hub")


class Upkeep:
    """The sweeps of one hub process."""

    def __init__(self, desk: Desk, pulse: Pulse) -> None:
        self._desk = desk
        self._pulse = pulse

    async def sweep(self) -> int:
        """One round of every sweep; how many messages it looked at."""
        done = 0
        for step in (self._retain, self._forget):
            for _ in range(ROUND_STEPS):
                found = await self._desk.store.write(step)
                done += found
                if found < BATCH:
                    break
        await self._desk.store.write(self._tidy)
        return done

    @contextlib.asynccontextmanager
    async def running(self, jitter: Callable[[], float]) -> AsyncIterator[None]:
        """Sweep in the background meanwhile; `jitter` answers from 0 to 1."""
        task = asyncio.create_task(self._rounds(jitter))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            with contextlib.suppress(Refusal):
                await self._pulse.flush()

    async def _rounds(self, jitter: Callable[[], float]) -> None:
        while True:
            await asyncio.sleep(FLUSH_MS / SECOND * (0.75 + 0.5 * jitter()))
            try:
                await self._pulse.flush()
                await self.sweep()
            except Refusal as refusal:  # a store that is away comes back; the next round does what this one did not
                _log.warning("upkeep was refused: %s", refusal.code, exc_info=refusal.__cause__)

    # --- steps, one transaction each ---------------------------------------------------------------------------------

    async def _retain(self, tx: Transaction) -> int:
        """Words of old messages go, what nobody settled expires; how many messages were looked at."""
        desk, now = self._desk, self._desk.clock.now()
        before = now - desk.limits.retention_ms - desk.limits.lease_cap_ms
        after, upto, seen = await self._stretch(tx, "retained_upto", before, now)
        if upto == after:
            return 0
        held = await tx.all("upkeep_held", after=after, upto=upto)
        unread = [row for row in held if row["acked_at"] is None]
        ids = [row["message_id"] for row in unread]
        if ids:
            await tx.run("upkeep_expire", message_ids=ids, now=now)
            await events.put_all(tx, [_expired(row) for row in unread], now)
        if await tx.run("upkeep_strip", after=after, upto=upto):
            await tx.wipe()
        await tx.run("upkeep_move", key="retained_upto", value=str(upto).encode())
        return seen

    async def _forget(self, tx: Transaction) -> int:
        """Messages that nothing has to be proven about any more go; how many were looked at."""
        now = self._desk.clock.now()
        after, upto, seen = await self._stretch(tx, "proven_upto", now - self._desk.limits.proof_ms, now)
        # Never before its words: both sweeps stand at numbers of their own.
        upto = min(upto, await _mark(tx, "retained_upto"))
        if upto <= after:
            return 0
        await tx.run("upkeep_forget", after=after, upto=upto)
        await tx.run("upkeep_move", key="proven_upto", value=str(upto).encode())
        return seen

    async def _tidy(self, tx: Transaction) -> None:
        """Leases, nonces, tokens and events that are over go."""
        now = self._desk.clock.now()
        if await tx.one("upkeep_turn") is None:
            return
        await tx.run("upkeep_leases", now=now, limit=BATCH)
        await tx.run("upkeep_nonces", before=now - NONCES_MS, limit=BATCH)
        await tx.run("upkeep_sessions", before=now - DAY, limit=BATCH)
        await events.sweep(tx, now - EVENTS_MS)

    async def _stretch(self, tx: Transaction, key: str, before: int, now: int) -> tuple[int, int, int]:
        """From which number to which a sweep goes now, and how many messages lie there; none out of turn."""
        after = await _mark(tx, key)
        if await tx.one("upkeep_turn") is None:
            return after, after, 0
        found = await tx.all("upkeep_next", after=after, limit=BATCH)
        numbers = old_enough([(row["number"], row["created_at"]) for row in found], before, now)
        return after, numbers[-1] if numbers else after, len(numbers)


def old_enough(messages: Sequence[tuple[int, int]], before: int, now: int) -> list[int]:
    """The numbers that a sweep may take of messages in their order, each with its moment: as far as all are from before
    `before`. A moment ahead of `now` was told by a clock that was wrong; it goes with an old one behind it."""
    taken: list[int] = []
    passed: list[int] = []
    for number, created_at in messages:
        if created_at < before:
            taken += [*passed, number]
            passed = []
        elif created_at > now:
            passed.append(number)
        else:
            break
    return taken


async def _mark(tx: Transaction, key: str) -> int:
    row = await tx.one("upkeep_mark", key=key)
    return int(row["value"]) if row is not None else 0


def _expired(row: Row) -> events.Told:
    return events.Told(
        role_id=row["sender"],
        kind=wire.EventKind.MESSAGE_EXPIRED,
        key=row["message_id"],
        facts=wire.EventFacts(message_id=row["message_id"], contact_id=row["contact_id"], reply_id=row["reply_id"]),
    )
