"""What did a live admission send already? Counts for its budget, and the end of what it showed (spec 1 §5, §6).

1. A leak that is cut in two by two sends is still a leak: the end of what was shown is checked together with what
   comes next (`release`). Only the last `TAIL` characters matter, for no guarded thing is longer.
2. What cannot be used any more is forgotten when the memory grows past `MOST` admissions.

Held in the process: a life with a ledger restarts with an empty memory, and its ledger counts what was sent.
"""

from __future__ import annotations

from typing import Final, NamedTuple

TAIL: Final = 1_200
"""Characters that are remembered of what an admission showed."""
MOST: Final = 4_096
"""Admissions that are remembered before the ended ones are dropped."""


class _Row(NamedTuple):
    sends: int
    changes: int
    shown: str
    until: int


_NONE: Final = _Row(0, 0, "", 0)


class Sent:
    """Sends and the end of the shown text, by admission id."""

    __slots__ = ("_by_id",)

    def __init__(self) -> None:
        self._by_id: dict[str, _Row] = {}

    def count(self, admission_id: str) -> int:
        """How many sends it has paid for."""
        return self._by_id.get(admission_id, _NONE).sends

    def changes(self, admission_id: str) -> int:
        """How many edits, marks and the like it made."""
        return self._by_id.get(admission_id, _NONE).changes

    def tail(self, admission_id: str) -> str:
        """The end of what it has shown, in order."""
        return self._by_id.get(admission_id, _NONE).shown

    def left(self, admission_id: str, text: str, *, sends: int, changes: int = 0, now: int, until: int) -> None:
        """Remember that `text` is leaving; `until` is when the admission ends (epoch milliseconds)."""
        row = self._by_id.get(admission_id, _NONE)
        shown = f"{row.shown}\n{text}"[-TAIL:] if text else row.shown
        self._by_id[admission_id] = _Row(row.sends + sends, row.changes + changes, shown, until)
        if len(self._by_id) > MOST:
            self._by_id = {id: row for id, row in self._by_id.items() if row.until > now or id == admission_id}
