"""Drafts that wait for the operator, and what became of them (spec 1 §4). Implements the gate's `Approvals`.

    filed → approved → claimed → delivered | uncertain          filed | approved → rejected | expired

1. Every step is one guarded UPDATE: it happens once, or not at all.
2. An approval is bound to draft id, SHA-256 of the text, target, epoch, operator and nonce;
   a changed text, a stale epoch, a second use or an expired draft releases nothing.
3. `uncertain` is left only by proof or by the operator; nothing here sends anything.
"""

from __future__ import annotations

from typing import Final

from dragoman.clock import DAY
from dragoman.errors import DragomanError
from dragoman.gate.ports import Filed
from dragoman.identity import parse_target
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
        changed = self._ledger.change(
            self._queries["approve"],
            id=draft_id,
            sha256=sha256,
            operator=operator,
            nonce=nonce,
            expires_at=now + APPROVAL_MS,
            now=now,
        )
        found = self._must_find(draft_id)
        repeated = found.state is DraftState.APPROVED and (found.operator, found.nonce) == (operator, nonce)
        if not changed and not (repeated and found.sha256 == sha256):
            why, fix = _why_not(found, now)
            raise DragomanError("conflict", why, where=draft_id, fix=fix)
        return found

    def reject(self, draft_id: str, *, operator: str, now: int) -> Filed:
        """`filed` or `approved` → `rejected`; rejecting twice changes nothing.

        Raises:
            DragomanError: `not_found`, or `conflict` when it has left already.
        """
        self._ledger.change(self._queries["reject"], id=draft_id, operator=operator, now=now)
        found = self._must_find(draft_id)
        if found.state is not DraftState.REJECTED:
            raise DragomanError("conflict", f"the draft is `{found.state}`", where=draft_id)
        return found

    def claim(self, draft_id: str, sha256: str, epoch: str, now: int) -> bool:
        """`approved` → `claimed`, once, and only for the same text and epoch before expiry."""
        return bool(self._ledger.change(self._queries["claim"], id=draft_id, sha256=sha256, epoch=epoch, now=now))

    def settle(self, draft_id: str, state: DraftState, now: int) -> None:
        """`claimed` → `delivered` or `uncertain`; `uncertain` → `delivered` on proof."""
        if state not in (DraftState.DELIVERED, DraftState.UNCERTAIN):
            raise ValueError(f"a claimed draft never becomes `{state}`")
        self._ledger.change(self._queries["settle"], id=draft_id, state=str(state), now=now)

    def expire(self, now: int) -> list[str]:
        """Close every draft whose time is over; their ids."""
        with self._ledger.write():
            return [str(row["id"]) for row in self._ledger.rows(self._queries["expire"], now=now)]

    def _must_find(self, draft_id: str) -> Filed:
        found = self.find(draft_id)
        if found is None:
            raise DragomanError("not_found", "no such draft", where=draft_id, fix="see `dragoman drafts list`")
        return found


def _why_not(found: Filed, now: int) -> tuple[str, str]:
    """Why a draft was not approved, and what the operator can do instead."""
    if not found.approvable:
        return "this kind of hold cannot be approved, only rejected", "reject it, then answer by `dragoman resolve`"
    if found.state is not DraftState.FILED:
        return f"the draft is `{found.state}`", "see `dragoman drafts list` for those that wait"
    if found.expires_at <= now:
        return "the draft has expired", "answer by `dragoman resolve`"
    return "the text is not the one that was shown", f"show it again (`dragoman drafts show {found.id}`), then approve"


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
    )
