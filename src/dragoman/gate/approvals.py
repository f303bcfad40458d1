"""May an operator decide on this draft, now? (spec 1 §4)

    filed → approved → claimed → delivered | uncertain          filed | approved → rejected | expired
    uncertain → delivered | filed                                on the operator's confirmation only

1. Approving: the draft is known, its time is not over, it waits, this kind of hold may be approved at all, the text is
   the one that was shown, and the policy is still the one that it was filed under. The first that fails is the answer.
2. Rejecting: the draft is known and has not left. Rejecting again changes nothing.
3. `uncertain` is left by the operator's word alone: it arrived, or it did not. What did not arrive waits again, for
   an approval of its own, with a nonce of its own, and is never sent by itself.

The stores (`ledger/approvals.py`, the memory one) ask here and then write guardedly; a chat command and the command
line answer with the same codes. Nothing here reads or writes.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from dragoman.errors import DragomanError
from dragoman.gate.ports import Filed
from dragoman.words import DraftState

LEAST_PREFIX: Final = 12
"""The fewest hex digits of a SHA-256 by which a text may be named."""

_PREFIX: Final = re.compile(rf"[0-9a-f]{{{LEAST_PREFIX},64}}", re.ASCII)


class Ruling(StrEnum):
    """Why an operator's word on a draft changes nothing."""

    UNKNOWN = "draft_unknown"
    DECIDED = "draft_decided"
    EXPIRED = "draft_expired"
    NOT_APPROVABLE = "draft_not_approvable"
    OTHER_TEXT = "draft_other_text"
    STALE = "draft_stale"


WHY_NOT: Final[dict[Ruling, tuple[str, str]]] = {
    Ruling.UNKNOWN: ("no such draft", "see `dragoman drafts list`"),
    Ruling.DECIDED: ("the draft does not wait any more", "see `dragoman drafts list` for those that wait"),
    Ruling.EXPIRED: ("the draft has expired", "answer by `dragoman resolve`"),
    Ruling.NOT_APPROVABLE: (
        "this kind of hold cannot be approved, only rejected",
        "reject it, then answer by `dragoman resolve`",
    ),
    Ruling.OTHER_TEXT: ("the text is not the one that was shown", "show it again, then approve"),
    Ruling.STALE: ("the policy has changed since the draft was filed", "reject it, then answer by `dragoman resolve`"),
}
"""What is told at the command line, and what to do instead."""


def names_text(draft: Filed, prefix: str) -> bool:
    """Whether `prefix` (lower-case hex, at least `LEAST_PREFIX` digits) names this draft's exact text; empty does."""
    return not prefix or (_PREFIX.fullmatch(prefix) is not None and draft.sha256.startswith(prefix))


def against_approval(draft: Filed | None, prefix: str, now: int, policy_version: str = "") -> Ruling | None:
    """Why `draft` cannot be approved now (epoch milliseconds), or None. An empty policy version is not asked."""
    if draft is None:
        return Ruling.UNKNOWN
    if draft.state is DraftState.EXPIRED or (draft.state is DraftState.FILED and now >= draft.expires_at):
        return Ruling.EXPIRED
    if draft.state is not DraftState.FILED:
        return Ruling.DECIDED
    if not draft.approvable:
        return Ruling.NOT_APPROVABLE
    if not names_text(draft, prefix):
        return Ruling.OTHER_TEXT
    if policy_version and draft.epoch.rpartition(":")[0] != policy_version:
        return Ruling.STALE
    return None


def against_rejection(draft: Filed | None, prefix: str = "") -> Ruling | None:
    """Why `draft` cannot be rejected, or None."""
    if draft is None:
        return Ruling.UNKNOWN
    if draft.state is DraftState.EXPIRED:
        return Ruling.EXPIRED
    if draft.state not in (DraftState.FILED, DraftState.APPROVED):
        return Ruling.DECIDED
    return None if names_text(draft, prefix) else Ruling.OTHER_TEXT


def against_confirmation(draft: Filed | None) -> Ruling | None:
    """Why nothing is left to confirm, or None."""
    if draft is None:
        return Ruling.UNKNOWN
    return None if draft.state is DraftState.UNCERTAIN else Ruling.DECIDED


def refusal(ruling: Ruling, draft_id: str, draft: Filed | None = None) -> DragomanError:
    """The error of the command line for a ruling: `not_found` or `conflict`."""
    why, fix = WHY_NOT[ruling]
    if ruling is Ruling.UNKNOWN:
        return DragomanError("not_found", why, where=draft_id, fix=fix)
    if ruling is Ruling.DECIDED and draft is not None:
        why = f"the draft is `{draft.state}`"
    if ruling is Ruling.OTHER_TEXT:
        fix = f"show it again (`dragoman drafts show {draft_id}`), then approve"
    return DragomanError("conflict", f"{ruling}: {why}", where=draft_id, fix=fix)
