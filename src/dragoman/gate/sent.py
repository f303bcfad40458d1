"""What did this gate let out already? Counts for an admission's budget, and the end of what a target was shown
(spec 1 §5, §6).

1. A leak that is cut in two by two sends is still a leak: the end of what stands at the target is checked with what
   comes next (`release`), whoever said it: another turn, a grant, a stream. Only the last `TAIL` characters matter,
   for no guarded thing is longer.
2. What follows a message follows its text or what came with it; an edit follows what stands before the message that it
   replaces, or the message itself; and words are cut at their ends or inside. So there are several ends, a few.
3. What cannot be used any more is forgotten when the memory grows past `MOST` rows, in amortised constant time; an end
   is remembered for `REMEMBERED_MS`.

Held in the process: a life with a ledger restarts with an empty memory, and its ledger counts what was sent.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from dragoman.clock import HOUR
from dragoman.identity import Target

TAIL: Final = 1_200
"""Characters that are remembered of what was shown."""
MOST: Final = 4_096
"""Rows that are remembered before the ended ones are dropped."""
REMEMBERED_MS: Final = HOUR
_JOINTS: Final = ("\n", "")


class _Row(NamedTuple):
    sends: int
    changes: int
    until: int


class _Shown(NamedTuple):
    before: tuple[str, ...]
    """The ends of what stood there before the newest message, and `now` with it: of messages on lines of their own,
    then of messages without anything between them, then in other readings."""
    now: tuple[str, ...]
    until: int


_NONE: Final = _Row(0, 0, 0)
_NOTHING: Final = _Shown(("", ""), ("", ""), 0)


class Sent:
    """Counts by admission id, and what stands at the end of each target."""

    __slots__ = ("_by_id", "_by_target", "_ids", "_targets")

    def __init__(self) -> None:
        self._by_id: dict[str, _Row] = {}
        self._by_target: dict[Target, _Shown] = {}
        self._ids = self._targets = MOST

    def count(self, admission_id: str) -> int:
        """How many sends it has paid for."""
        return self._by_id.get(admission_id, _NONE).sends

    def changes(self, admission_id: str) -> int:
        """How many edits, marks and the like it made."""
        return self._by_id.get(admission_id, _NONE).changes

    def ends(self, target: Target, *, changing: bool) -> tuple[str, ...]:
        """What the next text at `target` may be read behind; `changing`: it replaces what is there, or adds to it."""
        shown = self._by_target.get(target, _NOTHING)
        found = (*shown.before, *shown.now) if changing else shown.now
        return tuple(dict.fromkeys(end for end in found if end))

    def counted(self, admission_id: str, *, paid: bool, now: int, until: int) -> None:
        """Remember one operation of an admission; `until` is when the admission ends (epoch milliseconds)."""
        row = self._by_id.get(admission_id, _NONE)
        self._by_id[admission_id] = _Row(row.sends + paid, row.changes + (not paid), until)
        if len(self._by_id) > self._ids:
            self._by_id = {id: row for id, row in self._by_id.items() if row.until > now or id == admission_id}
            self._ids = max(MOST, 2 * len(self._by_id))

    def left(self, target: Target, readings: tuple[str, ...], *, changing: bool, now: int) -> None:
        """Remember that this is leaving; `readings` are the orders in which it may be read, nothing when not at all."""
        readings = tuple(dict.fromkeys(reading for reading in readings if reading))
        if not readings:
            return
        shown = self._by_target.pop(target, _NOTHING)
        ends = [
            f"{behind[number]}{joint}{reading}"[-TAIL:]
            for reading in readings
            for behind in ((shown.before, shown.now) if changing else (shown.now,))
            for number, joint in enumerate(_JOINTS)
        ]
        before = shown.before if changing else shown.now
        self._by_target[target] = _Shown(before, tuple(ends), now + REMEMBERED_MS)
        if len(self._by_target) > self._targets:
            self._by_target = {where: each for where, each in self._by_target.items() if each.until > now}
            self._targets = max(MOST, 2 * len(self._by_target))
