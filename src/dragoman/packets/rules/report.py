"""The final report: complete, and no better than its evidence (seed, final reports and verification evidence)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from dragoman.packets.envelope import at, list_at, says
from dragoman.packets.rules.rule import Hit, Rule, Subject

SECTIONS: Final = (
    "changed_files",
    "new_files",
    "tests_run",
    "skipped_checks",
    "blockers",
    "risks",
    "verification_evidence",
    "memory_proposals",
    "skipped_memory_updates",
)
"""The lists of a report; each says its entries or says that there are none."""

_REPORT: Final = frozenset({"uai.agent.final-report.v1"})


def report_incomplete(subject: Subject) -> Iterator[Hit]:
    """Every list states its entries or that there are none, and the next action is said."""
    for name in SECTIONS:
        stated, entries = at(subject.body, name, "none_stated"), at(subject.body, name, "entries")
        if type(entries) is not list or type(stated) is not bool:
            yield f"/body/{name}", "does not state its entries or that there are none"
        elif stated is bool(entries):
            yield f"/body/{name}/entries", "must be empty exactly when none are stated"
    action = subject.body.get("exact_next_action")
    if not says(action):
        yield "/body/exact_next_action", "does not say the next action"


def report_claim_unsupported(subject: Subject) -> Iterable[Hit]:
    """What passed shows command, exit code 0 and evidence; what is completed shows evidence."""
    evidence = list_at(subject.body, "verification_evidence", "entries")
    refs = {ref for entry in evidence if type(entry) is dict and type(ref := entry.get("ref")) is str}
    found: list[Hit] = []
    for index, test in enumerate(list_at(subject.body, "tests_run", "entries")):
        if type(test) is dict and test.get("result") == "passed":
            found += _passed(f"/body/tests_run/entries/{index}", test, refs)
    if subject.body.get("outcome") == "completed" and not evidence:
        found.append(("/body/verification_evidence", "shows nothing although the task is said to be completed"))
    return found


def _passed(place: str, test: dict[str, Any], refs: set[str]) -> Iterator[Hit]:
    command, code, ref = test.get("command"), test.get("exit_code"), test.get("evidence_ref")
    if not says(command):
        yield f"{place}/command", "is missing although the check is said to have passed"
    if type(code) is not int:
        yield f"{place}/exit_code", "is missing although the check is said to have passed"
    elif code != 0:
        yield f"{place}/exit_code", "is not 0 although the check is said to have passed"
    if type(ref) is not str or ref not in refs:
        yield f"{place}/evidence_ref", "names no entry of the verification evidence"


def skipped_check_without_reason(subject: Subject) -> Iterator[Hit]:
    """What was skipped says why."""
    for index, skipped in enumerate(list_at(subject.body, "skipped_checks", "entries")):
        reason = at(skipped, "reason")
        if not says(reason):
            yield f"/body/skipped_checks/entries/{index}/reason", "says no reason"


RULES: Final = (
    Rule(
        id="report_incomplete",
        reason="A report keeps files, tests, skipped checks, blockers, risks, evidence, memory and the next action.",
        fix="give every list as `none_stated` and `entries`, and the exact next action",
        check=report_incomplete,
        proven=True,
        profiles=_REPORT,
    ),
    Rule(
        id="report_claim_unsupported",
        reason="A report is never raised from unverified by its own words.",
        fix="give command, exit code and an evidence entry, or report the check as failed or skipped",
        check=report_claim_unsupported,
        profiles=_REPORT,
    ),
    Rule(
        id="skipped_check_without_reason",
        reason="A skipped check is named with its reason, so that a reader can judge it.",
        fix="say why the check was skipped",
        check=skipped_check_without_reason,
        profiles=_REPORT,
    ),
)
