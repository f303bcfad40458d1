"""Acknowledgement and state: an acknowledgement is not work, accepted is not done (seed, loop step 6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.packets.envelope import at, list_at, says
from dragoman.packets.rules.rule import Hit, Rule, Subject
from dragoman.packets.verdict import Severity

ACK: Final = "uai.agent.ack.v1"
STATUS: Final = "uai.agent.task-status.v1"
REPORT: Final = "uai.agent.final-report.v1"
TASK: Final = "uai.task.status.v1"
RESPONSE: Final = "uai.intent.response.v1"

ACK_STATUSES: Final = ("accepted", "rejected", "deferred", "blocked", "human_review")

LIFECYCLE_OF: Final[dict[tuple[str, str], frozenset[str]]] = {
    (ACK, "accepted"): frozenset({"acknowledged", "working", "waiting", "blocked"}),
    (ACK, "rejected"): frozenset({"cancelled", "failed", "blocked", "waiting"}),
    (ACK, "deferred"): frozenset({"waiting", "open"}),
    (ACK, "blocked"): frozenset({"blocked", "waiting"}),
    (ACK, "human_review"): frozenset({"waiting", "blocked"}),
    (STATUS, "submitted"): frozenset({"open", "acknowledged"}),
    (STATUS, "working"): frozenset({"working"}),
    (STATUS, "waiting_input"): frozenset({"waiting", "blocked"}),
    (STATUS, "waiting_owner"): frozenset({"waiting", "blocked"}),
    (STATUS, "completed"): frozenset({"completed", "working"}),
    (STATUS, "failed"): frozenset({"failed"}),
    (STATUS, "cancelled"): frozenset({"cancelled"}),
    (TASK, "submitted"): frozenset({"open", "acknowledged"}),
    (TASK, "working"): frozenset({"working"}),
    (TASK, "waiting_input"): frozenset({"waiting", "blocked"}),
    (TASK, "waiting_owner"): frozenset({"waiting", "blocked"}),
    (TASK, "completed"): frozenset({"completed", "working"}),
    (TASK, "failed"): frozenset({"failed"}),
    (TASK, "cancelled"): frozenset({"cancelled"}),
    (RESPONSE, "completed"): frozenset({"completed", "working"}),
    (RESPONSE, "accepted"): frozenset({"acknowledged", "working", "waiting"}),
    (RESPONSE, "rejected"): frozenset({"cancelled", "failed", "blocked", "waiting"}),
    (RESPONSE, "deferred"): frozenset({"waiting", "open"}),
    (REPORT, "completed"): frozenset({"completed"}),
    (REPORT, "partial"): frozenset({"completed", "waiting", "blocked", "handed_off", "failed", "cancelled"}),
    (REPORT, "failed"): frozenset({"failed"}),
    (REPORT, "cancelled"): frozenset({"cancelled"}),
}
"""Which states of the conversation agree with what a body says."""

_STATE_FIELD: Final = {ACK: "ack_status", STATUS: "state", REPORT: "outcome", TASK: "state", RESPONSE: "status"}
_RESULTS: Final = {STATUS: "evidence_refs", TASK: "result_refs"}
_NEEDS_REASON: Final = frozenset({"waiting_input", "waiting_owner", "failed"})


def ack_status_invalid(subject: Subject) -> Iterator[Hit]:
    """One of the five named states; `ok` is none of them."""
    if subject.body.get("ack_status") not in ACK_STATUSES:
        yield "/body/ack_status", f"is not one of {', '.join(ACK_STATUSES)}"


def ack_reason_missing(subject: Subject) -> Iterator[Hit]:
    """Whatever is not accepted says why."""
    reason = subject.body.get("reason")
    if subject.body.get("ack_status") in ACK_STATUSES[1:] and not says(reason):
        yield "/body/reason", "says no reason although the packet was not accepted"


def ack_of_ack(subject: Subject) -> Iterable[Hit]:
    """An acknowledgement asks for none and names another packet than itself."""
    found = []
    if subject.delivery.get("ack_required") is True:
        found.append(("/delivery/ack_required", "an acknowledgement asks to be acknowledged"))
    acknowledged = subject.body.get("acknowledged_message_id")
    if type(acknowledged) is str and acknowledged == subject.packet.get("message_id"):
        found.append(("/body/acknowledged_message_id", "an acknowledgement names itself"))
    return found


def lifecycle_invalid(subject: Subject) -> Iterable[Hit]:
    """The state of the conversation agrees with what the body says."""
    said, state = subject.body.get(_STATE_FIELD[subject.profile]), subject.conversation.get("lifecycle_state")
    if type(said) is not str or type(state) is not str:
        return ()
    allowed = LIFECYCLE_OF.get((subject.profile, said))
    if allowed is None or state in allowed:
        return ()
    return [("/conversation/lifecycle_state", f"contradicts the body; it allows {', '.join(sorted(allowed))}")]


def status_inconsistent(subject: Subject) -> Iterable[Hit]:
    """Progress and blocking reasons agree with the state."""
    state = subject.body.get("state")
    if type(state) is str and state in _NEEDS_REASON and not list_at(subject.body, "blocking_reasons"):
        return [("/body/blocking_reasons", "names nothing although the task waits or failed")]
    if state != "completed":
        return ()
    found = []
    if list_at(subject.body, "blocking_reasons"):
        found.append(("/body/blocking_reasons", "names what blocks a task that is said to be completed"))
    percent = at(subject.body, "progress", "percent")
    if type(percent) is int and percent != 100:
        found.append(("/body/progress/percent", "is not 100 although the task is said to be completed"))
    return found


def completion_without_evidence(subject: Subject) -> Iterable[Hit]:
    """A completed task shows something; a bare `done` is remarked."""
    results = _RESULTS[subject.profile]
    if subject.body.get("state") != "completed" or list_at(subject.body, results):
        return ()
    if list_at(subject.provenance, "evidence_refs"):
        return ()
    return [(f"/body/{results}", "shows no evidence for a completed task")]


RULES: Final = (
    Rule(
        id="ack_status_invalid",
        reason="A receipt records accepted, rejected, deferred, blocked or human review, and nothing else.",
        fix="use one of the five states; `accepted` does not mean done",
        check=ack_status_invalid,
        proven=True,
        profiles=frozenset({ACK}),
    ),
    Rule(
        id="ack_reason_missing",
        reason="A refusal without a reason cannot be reviewed.",
        fix="say why in `reason`",
        check=ack_reason_missing,
        proven=True,
        profiles=frozenset({ACK}),
    ),
    Rule(
        id="ack_of_ack",
        reason="Acknowledgements of acknowledgements never end.",
        fix="set `ack_required` to false and name the packet that asked",
        check=ack_of_ack,
        profiles=frozenset({ACK}),
    ),
    Rule(
        id="lifecycle_invalid",
        reason="Related packets carry one lifecycle; the envelope must not say other than the body.",
        fix="set the lifecycle state that belongs to the body",
        check=lifecycle_invalid,
        profiles=frozenset(_STATE_FIELD),
    ),
    Rule(
        id="status_inconsistent",
        reason="Progress must be consistent in itself.",
        fix="make state, progress and blocking reasons agree",
        check=status_inconsistent,
        profiles=frozenset(_RESULTS),
    ),
    Rule(
        id="completion_without_evidence",
        reason="Evidence is reported with the status: validator output, artifacts, checks, notes.",
        fix="add evidence, or send the final report with it",
        check=completion_without_evidence,
        severity=Severity.WARNING,
        profiles=frozenset(_RESULTS),
    ),
)
