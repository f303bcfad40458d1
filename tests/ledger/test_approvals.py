"""Filed drafts: one exact text, one operator, one release."""

from __future__ import annotations

import hashlib

import pytest

from dragoman.errors import DragomanError
from dragoman.gate.ports import Filed
from dragoman.identity import Target
from dragoman.ledger.approvals import APPROVAL_MS, LedgerApprovals
from dragoman.ledger.store import Ledger
from dragoman.words import DraftState, Reason, Topic

NOW = 1_700_000_000_000
TEXT = "The price is 40 EUR."
HASH = hashlib.sha256(TEXT.encode()).hexdigest()


def draft(id: str = "dft-1", *, approvable: bool = True) -> Filed:
    """One filed draft."""
    return Filed(
        id=id,
        target=Target("hub", "role_a", "con_1"),
        text=TEXT,
        sha256=HASH,
        epoch="v1:external",
        reason=Reason.DRAFT_ONLY_TOPIC,
        topics=(Topic.PRICES,),
        approvable=approvable,
        filed_at=NOW,
        expires_at=NOW + 1000,
        reply_id="rpl-1",
    )


def approve(approvals: LedgerApprovals, **changed: object) -> Filed:
    """The right approval, with what a test changes."""
    right = {"sha256": HASH, "operator": "owner", "nonce": "n-1", "now": NOW + 1}
    return approvals.approve("dft-1", **(right | changed))  # type: ignore[arg-type]


def test_a_draft_comes_back_as_it_was_filed(ledger: Ledger) -> None:
    """Nothing is lost on the way."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())

    assert draft() == approvals.find("dft-1")
    assert [draft()] == approvals.listed(DraftState.FILED)


def test_an_approval_is_used_once(ledger: Ledger) -> None:
    """The first claim wins; a second releases nothing."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())
    approved = approve(approvals)

    claims = [approvals.claim("dft-1", HASH, "v1:external", NOW + 2) for _ in range(2)]

    assert (approved.state, approved.expires_at) == (DraftState.APPROVED, NOW + 1 + APPROVAL_MS)
    assert claims == [True, False]


@pytest.mark.parametrize(
    ("sha256", "epoch", "now"),
    [
        ("0" * 64, "v1:external", NOW + 2),
        (HASH, "v2:external", NOW + 2),
        (HASH, "v1:external", NOW + 1 + APPROVAL_MS),
    ],
    ids=["changed text", "stale epoch", "expired approval"],
)
def test_what_releases_nothing(ledger: Ledger, sha256: str, epoch: str, now: int) -> None:
    """A changed text, a stale epoch, an expired approval."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())
    approve(approvals)

    assert approvals.claim("dft-1", sha256, epoch, now) is False


@pytest.mark.parametrize(
    ("changed", "approvable"),
    [({"sha256": "0" * 64}, True), ({"now": NOW + 1000}, True), ({}, False)],
    ids=["another text", "after expiry", "a leak"],
)
def test_what_cannot_be_approved(ledger: Ledger, changed: dict[str, object], approvable: bool) -> None:
    """The refusal says why, and the draft stays filed."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft(approvable=approvable))

    with pytest.raises(DragomanError) as error:
        approve(approvals, **changed)

    found = approvals.find("dft-1")
    assert error.value.code == "conflict"
    assert found is not None
    assert found.state is DraftState.FILED


def test_another_text_is_to_be_shown_again(ledger: Ledger) -> None:
    """Who approves a hash that is not the draft's is told to look at it again, not to file anew."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())

    with pytest.raises(DragomanError) as refused:
        approve(approvals, sha256="0" * 64)

    assert "dragoman drafts show dft-1" in refused.value.fix


def test_approving_twice_is_one_approval_and_somebody_elses_is_none(ledger: Ledger) -> None:
    """The same word again changes nothing; another operator's second word is refused."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())
    approve(approvals)

    assert DraftState.APPROVED is approve(approvals).state
    with pytest.raises(DragomanError):
        approve(approvals, operator="other")


def test_rejected_and_expired_are_final(ledger: Ledger) -> None:
    """Neither is approved or claimed afterwards."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())
    approvals.file(draft("dft-2"))
    approvals.reject("dft-2", operator="owner", now=NOW + 1)

    assert approvals.expire(NOW + 1000) == ["dft-1"]
    with pytest.raises(DragomanError):
        approve(approvals)
    assert approvals.claim("dft-2", HASH, "v1:external", NOW + 2) is False
    assert DraftState.REJECTED is approvals.reject("dft-2", operator="owner", now=NOW + 3).state


def test_uncertain_is_left_by_proof_only_forwards(ledger: Ledger) -> None:
    """A claimed draft becomes uncertain, then delivered; never back."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())
    approve(approvals)
    approvals.claim("dft-1", HASH, "v1:external", NOW + 2)
    for state in (DraftState.UNCERTAIN, DraftState.DELIVERED, DraftState.UNCERTAIN):
        approvals.settle("dft-1", state, NOW + 3)

    found = approvals.find("dft-1")
    assert found is not None
    assert found.state is DraftState.DELIVERED
    with pytest.raises(ValueError, match="approved"):
        approvals.settle("dft-1", DraftState.APPROVED, NOW + 4)
