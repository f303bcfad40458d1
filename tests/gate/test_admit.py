"""`admit`, event by event: the transcripts of a small world (spec 1 §3), and what it does when something breaks."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from dragoman.gate.admit import admit
from dragoman.gate.policy import BROKEN
from dragoman.identity import Target
from dragoman.words import Audience, Outcome, Reason
from tests.gate.transcript import TRANSCRIPTS, Row, decided, read, rows, world


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row.place} {row.about[:60]}")
def test_transcript(row: Row) -> None:
    """The event is decided as the transcript says."""
    assert decided(row) == row.expected


def test_transcripts_are_read_whole() -> None:
    """Every `>` line has its `<` line, and at least 60 name the case they come from."""
    lines = [line for path in TRANSCRIPTS.glob("*.txt") for line in path.read_text().splitlines()]

    assert len(list(rows())) == sum(line.startswith("> ") for line in lines)
    assert len({row.about.split()[0] for row in rows() if re.match(r"[A-Z]\d\d", row.about)}) >= 60


def test_every_reason_has_its_line() -> None:
    """Each reason that a decision over facts can give stands in a transcript."""
    told = {row.expected.split()[1] for row in rows()}
    before_facts = {Reason.RULE_FAILED, Reason.POLICY_BROKEN}
    admission = list(Reason)[: list(Reason).index(Reason.ATTACHMENT_BURST) + 1]

    assert told == {str(reason) for reason in admission if reason not in before_facts}


def test_a_broken_policy_is_external_and_silent() -> None:
    """With a policy that did not parse, the clearest request is met with silence, and everybody is external."""
    event, standing = read("> oper in OPS: @desk which dates are open?")
    admission = admit(event, BROKEN, standing, "c1")

    assert (admission.outcome, admission.reason, admission.audience) == (
        Outcome.SILENT,
        Reason.POLICY_BROKEN,
        Audience.EXTERNAL,
    )


def test_an_error_in_weighing_is_a_no() -> None:
    """When a check raises, the answer is silence before an external audience, and nothing may leave."""
    event, standing = read("> oper in OPS: /approve@desk 12")
    broken = msgspec.structs.replace(event, text=None)
    admission = admit(broken, world("closed"), standing, "c1")

    assert (admission.outcome, admission.reason, admission.audience) == (
        Outcome.SILENT,
        Reason.RULE_FAILED,
        Audience.EXTERNAL,
    )
    assert admission.allowed_classes == ()
    assert admission.command is None


@pytest.mark.parametrize("target", [Target("chat", "w1", ["EXT"]), None], ids=["a list for a channel", "no target"])  # type: ignore[arg-type]
def test_a_target_of_the_wrong_type_does_not_raise(target: Any) -> None:
    """`admit` never raises, whatever stands where the target should."""
    event, standing = read("> buyer in EXT: @desk which dates are open?")
    admission = admit(msgspec.structs.replace(event, target=target), world("closed"), standing, "c1")

    assert (admission.outcome, admission.reason) == (Outcome.SILENT, Reason.RULE_FAILED)
