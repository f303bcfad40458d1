"""The gate's ports held in memory: for tests, for a bot that keeps nothing when it stops, for `dragoman gate`.

They keep the laws of the ledger (charges never fall, an approval is claimed once), but nothing survives the process.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dragoman.clock import DAY, utc_day
from dragoman.gate.approvals import Ruling, against_approval, against_rejection, refusal
from dragoman.gate.burst import Buffer, Part
from dragoman.gate.observe import Observed
from dragoman.gate.ports import EVERY_PLACE, Entry, Filed, SeenState
from dragoman.grants import Grant, Spent, covers
from dragoman.identity import Target
from dragoman.words import DraftState, Outcome, Reason


class MemoryJournal:
    """A `Journal` whose records can be read back in order; with a `limit`, the oldest go when there are more."""

    def __init__(self, limit: int | None = None) -> None:
        self.entries: list[Entry] = []
        self._limit = limit

    def record(self, entry: Entry) -> None:
        """Append one record."""
        self.entries.append(entry)
        if self._limit is not None and len(self.entries) > 2 * self._limit:
            del self.entries[: -self._limit]


class MemoryApprovals:
    """An `Approvals` over a dict."""

    def __init__(self) -> None:
        self.drafts: dict[str, Filed] = {}

    def file(self, draft: Filed) -> None:
        """File one draft."""
        self.drafts[draft.id] = draft

    def find(self, draft_id: str) -> Filed | None:
        """One draft, or None."""
        return self.drafts.get(draft_id)

    def listed(self, state: DraftState | None = None) -> list[Filed]:
        """Drafts in one state, or all of them, oldest first."""
        found = (draft for draft in self.drafts.values() if state in (None, draft.state))
        return sorted(found, key=lambda draft: (draft.filed_at, draft.id))

    def approve(self, draft_id: str, operator: str, nonce: str, now: int, sha256: str = "") -> Filed:
        """`filed` → `approved`; the approval lives for a day.

        Raises:
            DragomanError: `not_found`, or `conflict` when it does not wait for this approval.
        """
        draft = self.drafts.get(draft_id)
        ruling = against_approval(draft, sha256, now)
        if draft is None or ruling is not None:
            raise refusal(ruling or Ruling.UNKNOWN, draft_id, draft)
        return self._put(draft, state=DraftState.APPROVED, operator=operator, nonce=nonce, expires_at=now + DAY)

    def reject(self, draft_id: str, *, operator: str = "", now: int = 0) -> Filed:
        """`filed` or `approved` → `rejected`.

        Raises:
            DragomanError: `not_found`, or `conflict` when it has left.
        """
        draft = self.drafts.get(draft_id)
        ruling = against_rejection(draft)
        if draft is None or ruling is not None:
            raise refusal(ruling or Ruling.UNKNOWN, draft_id, draft)
        return self._put(draft, state=DraftState.REJECTED, operator=operator)

    def claim(self, draft_id: str, sha256: str, epoch: str, now: int) -> bool:
        """`approved` → `claimed`, once, for the same text and epoch before expiry."""
        draft = self.drafts.get(draft_id)
        if draft is None or draft.state is not DraftState.APPROVED or now >= draft.expires_at:
            return False
        if draft.sha256 != sha256 or draft.epoch != epoch:
            return False
        self._put(draft, state=DraftState.CLAIMED)
        return True

    def settle(self, draft_id: str, state: DraftState, now: int) -> None:
        """`claimed` → `delivered` or `uncertain`."""
        draft = self.drafts[draft_id]
        if draft.state is DraftState.CLAIMED:
            self._put(draft, state=state)

    def interrupted(self, now: int) -> list[str]:
        """Nothing outlives the process, so nothing was interrupted."""
        return []

    def _put(self, draft: Filed, **changes: object) -> Filed:
        self.drafts[draft.id] = msgspec.structs.replace(draft, **changes)
        return self.drafts[draft.id]


class MemoryCharges:
    """A `Charges` over a list of uses."""

    def __init__(self) -> None:
        self.uses: list[tuple[str, Target, int]] = []

    def spent(self, grant_id: str, target: Target, now: int) -> Spent:
        """What has been charged so far."""
        mine = [(where, when) for grant, where, when in self.uses if grant == grant_id]
        today = utc_day(now)
        return Spent(
            total=len(mine),
            on_target=sum(where == target for where, _ in mine),
            today=sum(utc_day(when) == today for _, when in mine),
        )

    def charge(self, grant: Grant, target: Target, now: int) -> bool:
        """Charge one use if the grant still covers it."""
        if covers(grant, target, grant.purpose, now, self.spent(grant.id, target, now)) is not None:
            return False
        self.uses.append((grant.id, target, now))
        return True


class MemorySeen:
    """A `Seen` over dicts; None as the place of a pause is everywhere.

    With a `limit`, the messages that were decided first are forgotten when there are more: they are stale by then.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._decided: dict[str, tuple[Reason, bool]] = {}
        self._facts: dict[str, Mapping[str, str]] = {}
        self._paused: dict[Target | None, int] = {}
        self._colleagues: dict[Target, int] = {}

    def seen(self, dedupe_key: str) -> SeenState:
        """Whether this message was decided before; an unaddressed one may be decided once more (spec 1 §11.4)."""
        if dedupe_key not in self._decided:
            return SeenState.NEW
        reason, again = self._decided[dedupe_key]
        twin = reason in (Reason.NOT_REQUESTED, Reason.ADDRESSED_TO_OTHER) and not again
        return SeenState.TWIN if twin else SeenState.DUPLICATE

    def decided(
        self, dedupe_key: str, outcome: Outcome, reason: Reason, now: int, facts: Mapping[str, str] | None = None
    ) -> None:
        """Remember how this message was decided."""
        self._decided[dedupe_key] = (reason, dedupe_key in self._decided)
        self._facts[dedupe_key] = facts or {}
        while self._limit is not None and len(self._decided) > self._limit:
            oldest = next(iter(self._decided))
            del self._decided[oldest], self._facts[oldest]

    def twin(self, dedupe_key: str) -> Mapping[str, str]:
        """The facts that were remembered of the first copy."""
        return self._facts.get(dedupe_key, {})

    def paused(self, target: Target) -> bool:
        """Whether the operator paused the agent everywhere or here."""
        return None in self._paused or target in self._paused

    def pause(self, target: Target | None, now: int = 0) -> None:
        """Pause at one target, or everywhere."""
        self._paused.setdefault(target, now)

    def resume(self, target: Target | None) -> bool:
        """End that pause; whether there was one."""
        return self._paused.pop(target, None) is not None

    def pauses(self) -> dict[str, int]:
        """Every pause, `*` for everywhere, and since when."""
        return {EVERY_PLACE if target is None else str(target): since for target, since in self._paused.items()}

    def colleague_at(self, target: Target) -> int | None:
        """When a human of ours last wrote there."""
        return self._colleagues.get(target)

    def colleague_wrote(self, target: Target, now: int) -> None:
        """Remember that a human of ours wrote there."""
        self._colleagues[target] = now


class MemoryBursts:
    """A `Bursts` over a dict; what waits is lost with the process."""

    def __init__(self) -> None:
        self._parts: dict[Buffer, dict[str, Part]] = {}

    def add(self, buffer: Buffer, part: Part) -> None:
        """Keep one part; a copy of one that waits already changes nothing."""
        self._parts.setdefault(buffer, {}).setdefault(part.event.dedupe_key, part)

    def parts(self, buffer: Buffer) -> tuple[Part, ...]:
        """What waits, oldest first."""
        return tuple(self._parts.get(buffer, {}).values())

    def buffers(self) -> tuple[Buffer, ...]:
        """Every buffer in which something waits."""
        return tuple(self._parts)

    def drop(self, buffer: Buffer) -> None:
        """Nothing waits there any more."""
        self._parts.pop(buffer, None)

    def remove(self, target: Target, event_id: str) -> None:
        """A message was deleted."""
        for buffer, parts in list(self._parts.items()):
            left = {
                key: part for key, part in parts.items() if (buffer.target, part.event.event_id) != (target, event_id)
            }
            if left:
                self._parts[buffer] = left
            else:
                del self._parts[buffer]


class MemoryObservations:
    """An `Observations` over a list."""

    def __init__(self) -> None:
        self.kept: list[Observed] = []

    def keep(self, observed: Observed) -> None:
        """Keep one text, and drop what has been kept long enough."""
        self.kept = [each for each in self.kept if each.until > observed.observed_at] + [observed]

    def of(self, target: Target, now: int) -> tuple[Observed, ...]:
        """What is kept of one target, oldest first."""
        return tuple(each for each in self.kept if each.target == target and each.until > now)
