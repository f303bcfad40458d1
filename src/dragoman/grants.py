"""The one kind of authority: a grant made by an operator or trusted scheduler (spec 1 §6, §11.1).

1. A grant names its full targets, its purpose, who gave it, its expiry and its budgets; optionally the peer it admits.
2. It answers only for the event it names: other targets, other purposes, other authors get nothing from it.
3. Unknown, expired, not yet valid or spent is a no; a malformed target is covered by nothing.
4. Models, messages, pages and packets can quote a grant id; only policy, configuration and the operator's CLI make one.
"""

from __future__ import annotations

import msgspec

from dragoman.identity import Party, Target
from dragoman.words import Purpose, Reason


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """Bounded authority. Budgets count sends or turns, times are epoch milliseconds; `None` means no such bound."""

    id: str
    purpose: Purpose
    targets: frozenset[Target]
    given_by: str
    expires_at: int
    not_before: int = 0
    admits: Party | None = None
    max_total: int | None = None
    max_per_target: int | None = None
    max_per_day: int | None = None
    text_sha256: str | None = None
    """For `Purpose.APPROVAL`: the only text that this grant lets out."""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledger says has been charged to a grant so far."""

    total: int = 0
    on_target: int = 0
    today: int = 0


def covers(grant: Grant | None, target: Target, purpose: Purpose, now: int, spent: Spent) -> Reason | None:
    """Why `grant` does not cover one more use at `target`, or None if it does.

    The caller charges durably before the use; this only looks.
    """
    if grant is None:
        return Reason.GRANT_UNKNOWN
    if not target.known:
        return Reason.TARGET_INVALID
    if grant.purpose is not purpose:
        return Reason.GRANT_OTHER_PURPOSE
    if target not in grant.targets:
        return Reason.GRANT_OTHER_TARGET
    if now < grant.not_before:
        return Reason.GRANT_NOT_YET
    if now >= grant.expires_at:
        return Reason.GRANT_EXPIRED
    for limit, used in (
        (grant.max_total, spent.total),
        (grant.max_per_target, spent.on_target),
        (grant.max_per_day, spent.today),
    ):
        if limit is not None and used >= limit:
            return Reason.GRANT_SPENT
    return None
