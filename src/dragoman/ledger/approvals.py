"""Drafts that wait for the operator, and what became of them (spec 1 §4). Implements the gate's `Approvals`.

    filed → approved → claimed → delivered | uncertain          filed | approved → rejected | expired
    uncertain → delivered | filed                                by proof, or by the operator's confirmation

1. Every step is one guarded UPDATE: it happens once, or not at all. Why it did not is `gate/approvals.py`'s to say.
2. An approval is bound to draft id, SHA-256 of the text, target, epoch, operator and nonce;
   a changed text, a stale epoch, a second use or an expired draft releases nothing.
3. What was claimed when the process died is uncertain. Nothing here sends anything.
"""

from __future__ import annotations

from typing import Final

from dragoman.clock import DAY
from dragoman.gate.approvals import (
    Ruling,
    against_approval,
    against_confirmation,
    against_rejection,
    refusal,
)
from dragoman.gate.ports import Filed
from dragoman.identity import parse_target
from dragoman.ledger.changes import Change, What
from dragoman.ledger.queries import queries
from dragoman.ledger.store import Ledger, Row
from dragoman.words import DraftState, Reason, Topic

APPROVAL_MS: Final = DAY


class LedgerApprovals:
    """The filed drafts of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queries = queries("approvals")

    def file(self, draft: Filed) -> None:
        """File one draft in the state it carries (`filed`)."""
        with self._ledger.write():
            self._file(draft)
            self._note(draft, "", draft.filed_at)

    def _file(self, draft: Filed) -> None:
        self._ledger.change(
            self._queries["file"],
            id=draft.id,
            target=str(draft.target),
            text=draft.text,
            sha256=draft.sha256,
            epoch=draft.epoch,
            reason=str(draft.reason),
            topics=" ".join(draft.topics),
            correlation_id=draft.correlation_id,
            state=str(draft.state),
            approvable=int(draft.approvable),
            filed_at=draft.filed_at,
            expires_at=draft.expires_at,
            operator=draft.operator,
            nonce=draft.nonce,
            reply_id=draft.reply_id,
            thread=draft.thread,
            body=draft.body,
        )

    def find(self, draft_id: str) -> Filed | None:
        """One draft, or None."""
        row = self._ledger.row(self._queries["find"], id=draft_id)
        return None if row is None else _filed(row)

    def listed(self, state: DraftState | None = None) -> list[Filed]:
        """Drafts in one state, or all of them, oldest first."""
        return [_filed(row) for row in self._ledger.rows(self._queries["list"], state=str(state or ""))]

    def approve(self, draft_id: str, *, sha256: str, operator: str, nonce: str, now: int) -> Filed:
        """`filed` → `approved`; the approval lives for a day. The same approval again changes nothing.

        Raises:
            DragomanError: `not_found`; `conflict` when the text differs, it cannot be approved, or it is not waiting.
        """
        with self._ledger.write():
            changed = self._ledger.change(
                self._queries["approve"],
                id=draft_id,
                sha256=sha256,
                operator=operator,
                nonce=nonce,
                expires_at=now + APPROVAL_MS,
                now=now,
            )
            found = self.find(draft_id)
            self._note(found if changed else None, DraftState.FILED, now)
        if found is not None and (changed or _same_word(found, sha256, operator, nonce)):
            return found
        raise refusal(against_approval(found, sha256, now) or Ruling.DECIDED, draft_id, found)

    def reject(self, draft_id: str, *, operator: str, now: int) -> Filed:
        """`filed` or `approved` → `rejected`; rejecting twice changes nothing.

        Raises:
            DragomanError: `not_found`, or `conflict` when it has left already.
        """
        with self._ledger.write():
            changed = self._ledger.change(self._queries["reject"], id=draft_id, operator=operator, now=now)
            found = self.find(draft_id)
            self._note(found if changed else None, DraftState.FILED, now)
        if found is None or found.state is not DraftState.REJECTED:
            raise refusal(against_rejection(found) or Ruling.DECIDED, draft_id, found)
        return found

    def confirm(self, draft_id: str, *, delivered: bool, operator: str, now: int) -> Filed:
        """The operator's word on an uncertain draft: it arrived, or it waits again, for a day and a new approval.

        Raises:
            DragomanError: `not_found`, or `conflict` when nothing is uncertain about it.
        """
        with self._ledger.write():
            changed = self._ledger.change(
                self._queries["confirm"],
                id=draft_id,
                state=str(DraftState.DELIVERED if delivered else DraftState.FILED),
                operator=operator,
                expires_at=now + APPROVAL_MS,
                now=now,
            )
            found = self.find(draft_id)
            self._note(found if changed else None, DraftState.UNCERTAIN, now)
        if found is None or not changed:
            raise refusal(against_confirmation(found) or Ruling.DECIDED, draft_id, found)
        return found

    def claim(self, draft_id: str, sha256: str, epoch: str, now: int) -> bool:
        """`approved` → `claimed`, once, and only for the same text and epoch before expiry."""
        return bool(self._ledger.change(self._queries["claim"], id=draft_id, sha256=sha256, epoch=epoch, now=now))

    def settle(self, draft_id: str, state: DraftState, now: int) -> None:
        """`claimed` → `delivered` or `uncertain`; `uncertain` → `delivered` on proof."""
        if state not in (DraftState.DELIVERED, DraftState.UNCERTAIN):
            raise ValueError(f"a claimed draft never becomes `{state}`")
        self._ledger.change(self._queries["settle"], id=draft_id, state=str(state), now=now)

    def interrupted(self, now: int) -> list[str]:
        """At a start: what was claimed when the process died is `uncertain`; the ids."""
        with self._ledger.write():
            return [str(row["id"]) for row in self._ledger.rows(self._queries["interrupted"], now=now)]

    def expire(self, now: int) -> list[str]:
        """Close every draft whose time is over; their ids."""
        with self._ledger.write():
            closed = [str(row["id"]) for row in self._ledger.rows(self._queries["expire"], now=now)]
            for id in closed if self._ledger.watched else ():
                self._note(self.find(id), DraftState.FILED, now)
            return closed

    def _note(self, draft: Filed | None, before: str, now: int) -> None:
        """Note where a draft stands now; None changed nothing."""
        if draft is None:
            return
        place, after = str(draft.target), str(draft.state)
        self._ledger.note(
            Change(
                what=What.DRAFT, target=place, id=draft.id, before=str(before), after=after, why=draft.operator, now=now
            )
        )

    def unattended(self, now: int, *, older_than: int, again_after: int) -> list[Filed]:
        """Drafts that have waited `older_than` and of which the owner was not reminded for `again_after` (ms)."""
        rows = self._ledger.rows(
            self._queries["unattended"], filed_before=now - older_than, pinged_before=now - again_after, now=now
        )
        return [_filed(row) for row in rows]

    def pinged(self, draft_id: str, now: int) -> None:
        """The owner was reminded of it."""
        self._ledger.change(self._queries["pinged"], id=draft_id, now=now)


def _same_word(found: Filed, sha256: str, operator: str, nonce: str) -> bool:
    """Whether exactly this approval stands already."""
    approved = found.state is DraftState.APPROVED and found.sha256 == sha256
    return approved and (found.operator, found.nonce) == (operator, nonce)


def _filed(row: Row) -> Filed:
    return Filed(
        id=row["id"],
        target=parse_target(row["target"]),
        text=row["text"],
        sha256=row["sha256"],
        epoch=row["epoch"],
        reason=Reason(row["reason"]),
        topics=tuple(Topic(topic) for topic in row["topics"].split()),
        correlation_id=row["correlation_id"],
        state=DraftState(row["state"]),
        approvable=bool(row["approvable"]),
        filed_at=row["filed_at"],
        expires_at=row["expires_at"],
        operator=row["operator"],
        nonce=row["nonce"],
        reply_id=row["reply_id"],
        thread=row["thread"],
        body=row["body"],
        pinged_at=row["pinged_at"],
    )
