"""When each role's primary instance was last heard of: polls and lease renewals, nothing else (spec 2 §3.13).

1. A poll commits nothing: its moment is kept in this process, and what is new is written down every `FLUSH_MS`, all
   roles in one transaction. A crash loses at most that much of it, and the next poll says it again.
2. Only a caller that may write is noted: an instance that was superseded keeps nobody reachable.
3. Ordinary traffic is not noted: whoever sends, looks or logs in has not shown that it takes what comes.
4. Asked for, the newest moment counts that is not ahead of now, whichever process heard it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from dragoman.clock import MINUTE, SECOND
from dragoman.hub import rules
from dragoman.hub.desk import Desk
from dragoman.hub.store import Transaction

FLUSH_MS: Final = 20 * SECOND
KEEP_MS: Final = 10 * MINUTE
"""How long a role that is silent is remembered in memory; what was written down stays."""


class Beat(NamedTuple):
    """A moment under a generation."""

    generation: int
    at: int


class Pulse:
    """The pulses that this process heard."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._heard: dict[str, Beat] = {}
        self._written: Mapping[str, Beat] = {}

    def note(self, caller: rules.Caller, now: int) -> None:
        """The primary instance of a role polled or renewed a lease."""
        self._heard[caller.role_id] = Beat(caller.generation, now)

    async def of(self, tx: Transaction, role_id: str, generation: int, now: int) -> int | None:
        """When a role was last heard of under this generation; None when it never was."""
        row = await tx.one("pulse_get", role_id=role_id)
        written = Beat(row["generation"], row["polled_at"]) if row is not None else None
        beats = (self._heard.get(role_id), written)
        return max(
            (each.at for each in beats if each and each.generation == generation and each.at <= now), default=None
        )

    async def flush(self) -> int:
        """Write down what was heard since the last time; of how many roles."""
        now = self._desk.clock.now()
        self._heard = {role_id: beat for role_id, beat in self._heard.items() if now - beat.at <= KEEP_MS}
        heard = dict(self._heard)
        fresh = [(role_id, beat) for role_id, beat in sorted(heard.items()) if self._written.get(role_id) != beat]
        if not fresh:
            return 0

        async def work(tx: Transaction) -> None:
            rows = [
                {"role_id": role_id, "generation": beat.generation, "polled_at": beat.at, "now": now}
                for role_id, beat in fresh
            ]
            await tx.many("pulse_put", rows)

        await self._desk.store.write(work)
        self._written = heard
        return len(fresh)
