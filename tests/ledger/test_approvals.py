"""Filed drafts: one exact text, one operator, one release."""

from __future__ import annotations

import hashlib

import msgspec
import pytest

from dragoman.errors import DragomanError
from dragoman.gate.parts import Button, File, Parts, decoded, encoded
from dragoman.gate.ports import Filed
from dragoman.gate.release import text_hash
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


def test_the_parts_of_a_draft_come_back_byte_for_byte(ledger: Ledger) -> None:
    """What is sent again after an approval is what was filed: subject, files and blocks as well."""
    parts = Parts(subject="Dates", files=(File(name="a.png", content=bytes(range(256))),), buttons=(Button(label="x"),))
    approvals = LedgerApprovals(ledger)
    approvals.file(msgspec.structs.replace(draft(), body=encoded(parts), sha256=text_hash(TEXT, parts)))

    found = approvals.find("dft-1")

    assert found is not None
    assert parts == decoded(found.body)
    assert found.sha256 == text_hash(TEXT, decoded(found.body)) != HASH


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


def uncertain(ledger: Ledger) -> LedgerApprovals:
    """One draft whose process died between the claim and the send."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())
    approve(approvals)
    assert approvals.claim("dft-1", HASH, "v1:external", NOW + 2)
    assert ["dft-1"] == approvals.interrupted(NOW + 3)
    return approvals


def test_what_was_claimed_at_a_start_is_uncertain_and_released_by_nothing(ledger: Ledger) -> None:
    """Neither another claim nor another approval nor time leads out of it."""
    approvals = uncertain(ledger)

    with pytest.raises(DragomanError, match="draft_decided"):
        approve(approvals, nonce="n-2")
    assert (False, [], []) == (
        approvals.claim("dft-1", HASH, "v1:external", NOW + 4),
        approvals.interrupted(NOW + 4),
        approvals.expire(NOW + 2 * APPROVAL_MS),
    )


@pytest.mark.parametrize(("delivered", "becomes"), [(True, DraftState.DELIVERED), (False, DraftState.FILED)])
def test_the_operator_confirms_once(ledger: Ledger, *, delivered: bool, becomes: DraftState) -> None:
    """It arrived, or it waits for an approval of its own; the second word finds nothing to confirm."""
    approvals = uncertain(ledger)

    found = approvals.confirm("dft-1", delivered=delivered, operator="cli:7", now=NOW + 5)

    assert (becomes, "cli:7", "") == (found.state, found.operator, found.nonce)
    assert approvals.claim("dft-1", HASH, "v1:external", NOW + 6) is False
    with pytest.raises(DragomanError, match="conflict"):
        approvals.confirm("dft-1", delivered=True, operator="cli:7", now=NOW + 6)


def test_what_did_not_arrive_is_approved_anew(ledger: Ledger) -> None:
    """Not delivered: a fresh day to decide, a fresh nonce, one more claim."""
    approvals = uncertain(ledger)
    approvals.confirm("dft-1", delivered=False, operator="cli:7", now=NOW + 5_000)

    approve(approvals, nonce="n-2", now=NOW + 6_000)

    assert [True, False] == [approvals.claim("dft-1", HASH, "v1:external", NOW + 7_000) for _ in range(2)]


def test_only_what_is_uncertain_is_confirmed(ledger: Ledger) -> None:
    """A draft that waits is approved or rejected, one that nobody knows is not found."""
    approvals = LedgerApprovals(ledger)
    approvals.file(draft())

    for id, code in (("dft-1", "conflict"), ("dft-9", "not_found")):
        with pytest.raises(DragomanError) as refused:
            approvals.confirm(id, delivered=True, operator="cli:7", now=NOW)
        assert code == refused.value.code


def test_a_reminder_is_due_after_a_time_and_then_once_a_day(ledger: Ledger) -> None:
    """Young drafts and those reminded of lately are left alone; a mark that a wrong clock set in the future is none."""
    approvals, hour, day = LedgerApprovals(ledger), 3_600_000, 86_400_000
    approvals.file(draft())

    def due(now: int) -> list[str]:
        return [each.id for each in approvals.unattended(now, older_than=hour, again_after=day)]

    assert ([], ["dft-1"]) == (due(NOW + hour - 1), due(NOW + hour))
    approvals.pinged("dft-1", NOW + hour)
    assert ([], ["dft-1"]) == (due(NOW + hour + day - 1), due(NOW + hour + day))
    approvals.pinged("dft-1", NOW + 9 * day)
    assert ["dft-1"] == due(NOW + hour)
    found = approvals.find("dft-1")
    assert found is not None
    assert NOW + 9 * day == found.pinged_at
