"""May an operator decide on this draft, now? One table per question (spec 1 §4)."""

from __future__ import annotations

import msgspec
import pytest

from dragoman.gate.approvals import (
    WHY_NOT,
    Ruling,
    against_approval,
    against_confirmation,
    against_rejection,
    names_text,
    refusal,
)
from dragoman.gate.ports import Filed
from dragoman.gate.release import text_hash
from dragoman.words import DraftState, Reason
from tests.gate.world import EXT, NOW

TEXT = "The price is 40 EUR per shelf."
DRAFT = Filed(
    id="dft-1",
    target=EXT,
    text=TEXT,
    sha256=text_hash(TEXT),
    epoch="v1:external",
    reason=Reason.DRAFT_ONLY_TOPIC,
    filed_at=NOW - 10,
    expires_at=NOW + 10,
)

APPROVING = {
    # state: what stands against approving
    DraftState.FILED: None,
    DraftState.APPROVED: Ruling.DECIDED,
    DraftState.CLAIMED: Ruling.DECIDED,
    DraftState.DELIVERED: Ruling.DECIDED,
    DraftState.UNCERTAIN: Ruling.DECIDED,
    DraftState.REJECTED: Ruling.DECIDED,
    DraftState.EXPIRED: Ruling.EXPIRED,
}
REJECTING = APPROVING | {DraftState.APPROVED: None}
CONFIRMING = dict.fromkeys(DraftState, Ruling.DECIDED) | {DraftState.UNCERTAIN: None}


@pytest.mark.parametrize("state", list(DraftState), ids=str)
def test_each_state_answers_each_question(state: DraftState) -> None:
    """Approve what is filed, reject what has not left, confirm what is uncertain; nothing else."""
    draft = msgspec.structs.replace(DRAFT, state=state)

    assert (APPROVING[state], REJECTING[state], CONFIRMING[state]) == (
        against_approval(draft, "", NOW),
        against_rejection(draft),
        against_confirmation(draft),
    )


@pytest.mark.parametrize(
    ("changes", "prefix", "version", "ruling"),
    [
        ({}, DRAFT.sha256[:12], "v1", None),
        ({}, DRAFT.sha256, "", None),
        ({}, DRAFT.sha256[:11], "v1", Ruling.OTHER_TEXT),
        ({}, "0" * 12, "v1", Ruling.OTHER_TEXT),
        ({}, DRAFT.sha256.upper()[:12], "v1", Ruling.OTHER_TEXT),
        ({}, DRAFT.sha256[:12] + "\n", "v1", Ruling.OTHER_TEXT),
        ({}, "", "v2", Ruling.STALE),
        ({"expires_at": NOW}, "", "v1", Ruling.EXPIRED),
        ({"approvable": False}, "", "v1", Ruling.NOT_APPROVABLE),
    ],
)
def test_what_stands_against_approving(
    changes: dict[str, object], prefix: str, version: str, ruling: Ruling | None
) -> None:
    """The text, the policy, the time and the kind of hold are asked; the first no is the answer."""
    assert ruling is against_approval(msgspec.structs.replace(DRAFT, **changes), prefix, NOW, version)


def test_an_unknown_draft_is_one_answer_everywhere() -> None:
    """Nobody learns more from a made-up id than that there is no such draft."""
    assert {Ruling.UNKNOWN} == {against_approval(None, "", NOW), against_rejection(None), against_confirmation(None)}
    assert "not_found" == refusal(Ruling.UNKNOWN, "dft-9").code


def test_a_rejection_may_name_the_text_too() -> None:
    """A hash that is not the draft's rejects nothing."""
    assert (None, Ruling.OTHER_TEXT) == (
        against_rejection(DRAFT, DRAFT.sha256[:16]),
        against_rejection(DRAFT, "f" * 12),
    )
    assert names_text(DRAFT, "")


def test_every_ruling_says_why_and_what_to_do() -> None:
    """No code without words; only an unknown draft is `not_found`."""
    assert set(Ruling) == set(WHY_NOT)
    assert {"conflict"} == {refusal(each, "dft-1", DRAFT).code for each in set(Ruling) - {Ruling.UNKNOWN}}
