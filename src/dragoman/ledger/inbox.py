"""Every message that was fetched, each in exactly one state (spec 2 §2: nothing lost, nothing acked unhandled).

    in_turn    part of an open turn                    not acked
    deferred   given back unhandled (a limit, a pause)  not acked; its source offers it again
    silent     the gate did not admit it               acked, words dropped
    kept       the conversation stands still           acked, words kept here for the owner
    done       its turn ended                          acked, words dropped

`lease` is the token under which the source gave it, empty where sources have no leases. `raw` is the wire form.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from dragoman.identity import Target, parse_target
from dragoman.ledger.changes import Change, What
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger, Row

OUT_OF_SIGHT: Final = "out_of_sight"
"""Why a deferred message waits for its source: another instance was in charge meanwhile, and may have settled it."""


class InboundState(StrEnum):
    """Where one fetched message stands."""

    IN_TURN = "in_turn"
    DEFERRED = "deferred"
    SILENT = "silent"
    KEPT = "kept"
    DONE = "done"


class Inbound(msgspec.Struct, frozen=True, kw_only=True):
    """One fetched message. `position` orders the messages of one target."""

    id: str
    target: Target
    position: int
    raw: bytes | None
    state: InboundState
    reason: str
    turn_id: str | None
    lease: str
    acked: bool
    received_at: int


class Inbox:
    """The fetched messages of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("inbox")

    def find(self, id: str) -> Inbound | None:
        """One message, or None when it was never fetched."""
        row = self._ledger.row(self._queries["find"], id=id)
        return None if row is None else _inbound(row)

    def take(
        self,
        message: Inbound,
        *,
        state: InboundState,
        reason: str = "",
        turn_id: str | None = None,
        now: int,
    ) -> None:
        """Put a fetched message, new or deferred, into `state`; a handled one stays handled."""
        with self._ledger.write():
            before = self.find(message.id) if self._ledger.watched else None
            self._ledger.change(
                self._queries["add"],
                id=message.id,
                target=str(message.target),
                position=message.position,
                raw=message.raw,
                state=str(state),
                reason=reason,
                turn_id=turn_id,
                lease=message.lease,
                now=now,
            )
            self._ledger.change(self._queries["reread"], id=message.id, raw=message.raw)
            self.leased(message.id, message.lease, now)
            self._move(message.id, state, reason, turn_id, now)
            self._note(before, message, now)

    def move(self, id: str, state: InboundState, *, reason: str = "", turn_id: str | None = None, now: int) -> None:
        """Change a message's state; its words go where nothing needs them any more."""
        with self._ledger.write():
            before = self.find(id) if self._ledger.watched else None
            self._move(id, state, reason, turn_id, now)
            if before is not None:
                self._note(before, before, now)

    def _move(self, id: str, state: InboundState, reason: str, turn_id: str | None, now: int) -> None:
        drop = state in (InboundState.DONE, InboundState.SILENT)
        self._ledger.change(
            self._queries["move"],
            id=id,
            state=str(state),
            reason=reason,
            turn_id=turn_id,
            drop_raw=int(drop),
            now=now,
        )

    def _note(self, before: Inbound | None, message: Inbound, now: int) -> None:
        """Note where a message stands now, if that is somewhere else; a word about it counts."""
        after = self.find(message.id) if self._ledger.watched else None
        was = (before.state, before.reason) if before else ("", "")
        if after is not None and was != (after.state, after.reason):
            place = str(message.target)
            self._ledger.note(
                Change(
                    what=What.MESSAGE,
                    target=place,
                    id=message.id,
                    before=str(was[0]),
                    after=str(after.state),
                    why=after.reason,
                    now=now,
                )
            )

    def out_of_sight(self, target: Target, now: int) -> None:
        """Another instance may have settled what rests at the source: only what it offers again is taken up."""
        for message in self.in_state(target, InboundState.DEFERRED):
            self.move(message.id, InboundState.DEFERRED, reason=OUT_OF_SIGHT, now=now)

    def leased(self, id: str, lease: str, now: int) -> None:
        """A known message is held under this lease now."""
        self._ledger.change(self._queries["lease"], id=id, lease=lease, now=now)

    def acked(self, ids: list[str], now: int) -> None:
        """The source was told that these are settled."""
        with self._ledger.write():
            for id in ids:
                self._ledger.change(self._queries["acked"], id=id, now=now)

    def of_turn(self, turn_id: str) -> list[Inbound]:
        """The messages of a turn, in order."""
        return [_inbound(row) for row in self._ledger.rows(self._queries["of_turn"], turn_id=turn_id)]

    def in_state(self, target: Target, state: InboundState) -> list[Inbound]:
        """The messages of a conversation in one state, in order."""
        rows = self._ledger.rows(self._queries["in_state"], target=str(target), state=str(state))
        return [_inbound(row) for row in rows]

    def targets_in(self, state: InboundState) -> list[Target]:
        """The conversations that have a message in this state."""
        return [parse_target(row["target"]) for row in self._ledger.rows(self._queries["targets"], state=str(state))]

    def waits(self, reason: str) -> bool:
        """Whether a deferred message waits for this reason."""
        return self._ledger.row(self._queries["waits"], reason=reason) is not None

    def unacked(self) -> list[Inbound]:
        """Messages that are settled here and whose source was not told yet; at most 500."""
        return [_inbound(row) for row in self._ledger.rows(self._queries["unacked"])]

    def counts(self) -> dict[str, int]:
        """How many messages stand where."""
        return {row["state"]: row["n"] for row in self._ledger.rows(self._queries["count"])}

    def anything_after(self, target: Target, since: int) -> bool:
        """Whether anything came in at `target` after `since`."""
        return self._ledger.row(self._queries["after"], target=str(target), since=since) is not None


def _inbound(row: Row) -> Inbound:
    return Inbound(
        id=row["id"],
        target=parse_target(row["target"]),
        position=row["position"],
        raw=row["raw"],
        state=InboundState(row["state"]),
        reason=row["reason"],
        turn_id=row["turn_id"],
        lease=row["lease"],
        acked=bool(row["acked"]),
        received_at=row["received_at"],
    )
