"""What is remembered of messages and places: decided messages, pauses, colleagues. Implements the gate's `Seen`.

A message that was silent because nobody asked may be decided once more, when its twin carries more facts (spec 1
§11.4); every other second look is a duplicate.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dragoman.gate.ports import EVERY_PLACE, SeenState
from dragoman.gate.twin import DECIDED_ONCE_MORE
from dragoman.identity import Target
from dragoman.ledger.changes import Change, What
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger
from dragoman.words import Outcome, Reason


class LedgerSeen:
    """The memory of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("seen")

    def seen(self, dedupe_key: str) -> SeenState:
        """Whether this message was decided before."""
        row = self._ledger.row(self._queries["find"], dedupe_key=dedupe_key)
        if row is None:
            return SeenState.NEW
        return SeenState.TWIN if row["reason"] in DECIDED_ONCE_MORE and row["times"] == 1 else SeenState.DUPLICATE

    def decided(
        self, dedupe_key: str, outcome: Outcome, reason: Reason, now: int, facts: Mapping[str, str] | None = None
    ) -> None:
        """Remember how this message was decided; the facts of a silent copy are merged with its twin's."""
        self._ledger.change(
            self._queries["decided"],
            dedupe_key=dedupe_key,
            outcome=str(outcome),
            reason=str(reason),
            now=now,
            facts=msgspec.json.encode(facts).decode() if facts else "",
        )

    def twin(self, dedupe_key: str) -> dict[str, str]:
        """The facts that were remembered of the first copy; empty without one."""
        row = self._ledger.row(self._queries["twin"], dedupe_key=dedupe_key)
        if row is None or not row["facts"]:
            return {}
        return msgspec.json.decode(row["facts"], type=dict[str, str])

    def paused(self, target: Target) -> bool:
        """Whether the operator paused the agent everywhere or here."""
        return self._ledger.row(self._queries["pauses"], target=str(target)) is not None

    def pause(self, target: Target | None, now: int) -> None:
        """Pause at one target, or everywhere; a pause that stands keeps its beginning."""
        place = _place(target)
        with self._ledger.write():
            if self._ledger.change(self._queries["pause"], target=place, now=now):
                self._ledger.note(Change(what=What.PAUSE, target=place, id=place, before="", after="paused", now=now))

    def resume(self, target: Target | None) -> bool:
        """End a pause; whether there was one."""
        place = _place(target)
        with self._ledger.write():
            ended = bool(self._ledger.change(self._queries["resume"], target=place))
            if ended:
                self._ledger.note(Change(what=What.PAUSE, target=place, id=place, before="paused", after="resumed"))
        return ended

    def pauses(self) -> dict[str, int]:
        """Every pause and since when."""
        return {row["target"]: row["since"] for row in self._ledger.rows(self._queries["paused_targets"])}

    def colleague_at(self, target: Target) -> int | None:
        """When a human of ours last wrote there, epoch milliseconds."""
        row = self._ledger.row(self._queries["colleague"], target=str(target))
        return None if row is None else int(row["wrote_at"])

    def colleague_wrote(self, target: Target, now: int) -> None:
        """Remember that a human of ours wrote there."""
        self._ledger.change(self._queries["colleague_wrote"], target=str(target), now=now)


def _place(target: Target | None) -> str:
    return EVERY_PLACE if target is None else str(target)
