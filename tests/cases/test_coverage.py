"""Which failure reports are tests, and which are not yet, and why: nothing is skipped in silence.

A report counts as a test when a test file of this folder names its id, or a transcript of the gate's tests does.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases.reports import Report
from tests.gate.transcript import TRANSCRIPTS

HERE = Path(__file__).parent
FACTS = "needs the platform's own facts"
FILES = "files, cards and link previews are not built"
RECEIVER = "the receiver's part"

LATER_EVENTS = {
    "C004": f"Telegram entities: {FACTS}",
    "C011": f"Teams mention entities: {FACTS}",
    "C033": f"mail headers: {FACTS}",
    "C037": f"Telegram pseudo-accounts: {FACTS}",
    **{f"C0{number}": RECEIVER for number in (58, 59, 60, 61, 62, 64, 65, 66, 67, 68, 69, 71, 72)},
    **{f"C0{number}": "tests/packets" for number in (77, 81, 83)},
}
"""Of C008 (managed role), C016 (notice to the operators) and C044 (the staff note as an event) a part is missing too:
it needs the facts of Discord, notices to the operators, and the facts of Chatwoot."""

LATER_SCENARIOS = {
    "A19": "splitting a long text is not built: it is denied as too long",
    "A20": "no adapter has a private (ephemeral) operation",
    "F11": "waiting for the rest of a burst is not built",
    "G02": "each adapter's own tests count its operations",
    "G03": "each adapter's own tests count its operations",
    "G05": f"Slack streams: {FILES}",
    "I06": f"mail headers: {FACTS}",
    "I10": f"webhook secrets: {FACTS}",
    "I11": f"webhook signatures: {FACTS}",
    "K07": "buttons are not built",
    "K08": "approval prompts in a channel are not built",
    "K09": "approval prompts in a channel are not built",
    "L02": RECEIVER,
    "L04": RECEIVER,
    "L08": f"Slack app ids: {FACTS}",
    "M04": f"mail headers: {FACTS}",
    "O12": "observation is not built",
    "O14": "observation is not built",
    "Q09": "notices to an operator's surface are the receiver's part",
}


def named(pattern: str) -> set[str]:
    """Ids that stand, as texts of their own or in the name of a test, in the test files of this folder."""
    text = "".join(path.read_text() for path in HERE.glob("test_*.py") if path != Path(__file__))
    return {
        name.upper() if name.islower() else name
        for name in re.findall(rf'"({pattern})"', text) + re.findall(rf"def test_({pattern.lower()})_", text)
    }


def in_transcripts() -> set[str]:
    """Ids in the headings of the gate's transcripts."""
    lines = [line for path in TRANSCRIPTS.glob("*.txt") for line in path.read_text().splitlines()]
    return {found for line in lines if line.startswith("# ") for found in re.findall(r"\b[A-Z]\d{2}b?\b", line)}


@pytest.mark.parametrize("file", ["events.jsonl", "channel-scenarios.jsonl"])
def test_every_report_is_accounted_for(file: str, cases: dict[str, Report], scenarios: dict[str, Report]) -> None:
    """Each report is a test or is listed as later with its reason, and nothing that is a test is called later."""
    if file == "events.jsonl":
        reports, tested, later = cases, named(r"C\d{3}"), LATER_EVENTS
        elsewhere: set[str] = set()
    else:
        reports, tested, later = scenarios, named(r"[A-Z]\d{2}b?"), LATER_SCENARIOS
        elsewhere = in_transcripts() - tested

    print(f"{file}: {len(reports)} reports, {len(tested)} tests here, {len(elsewhere)} transcripts, {len(later)} later")
    for name, reason in sorted(later.items()):
        print(f"  later {name}: {reason}")
    assert set(reports) == tested | elsewhere | set(later)
    assert set() == (tested | elsewhere) & set(later)
