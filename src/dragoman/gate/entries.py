"""What is written down, and how it reads: the journal's records and the filed draft (spec 1 §4, §9). Pure.

Each event and each output attempt leaves one record of kind `event` or `output`; the mark before a send, and a turn
that failed, are of kind `life`. No body, no party terms, no secrets; the journal turns targets and authors into
pseudonyms.
"""

from __future__ import annotations

from typing import Final

from dragoman.gate.admit import Admission
from dragoman.gate.asked import Standing
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.parts import encoded
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Entry, Filed, Receipt
from dragoman.gate.release import Attempt, Decision, text_hash
from dragoman.gate.remembered import remembered
from dragoman.words import Fact, OutputClass, Reason, ReleaseOutcome

SENT_WHEN_APPROVED: Final = frozenset(
    {Operation.SEND, Operation.EDIT, Operation.STREAM_START, Operation.STREAM_APPEND, Operation.UPLOAD}
)
"""What an approval lets out, as a message of its own; a private text never becomes a public one."""

_DELIVERED: Final = {Fact.YES: "delivered", Fact.NO: "not_delivered", Fact.UNKNOWN: "uncertain"}


def event_entry(event: Event, admission: Admission, policy: Policy, standing: Standing) -> Entry:
    """The record of one decided event, with all that is needed to decide it under another policy (`replay.py`)."""
    facts, named = remembered(event, policy, standing)
    if policy.mode == "shadow":
        facts["shadow"] = admission.outcome
    return Entry(
        correlation_id=admission.id,
        kind="event",
        outcome=admission.outcome,
        reason=admission.reason,
        time=standing.now,
        audience=admission.audience,
        consumer=f"{event.target.platform or 'unknown'}.receive",
        policy_version=policy.version,
        target=event.target,
        author=event.author,
        facts=facts,
        named=named,
    )


def failure_entry(admission: Admission, error: Exception, version: str, now: int) -> Entry:
    """The record of a turn whose agent failed: the kind of the error, never its words."""
    return Entry(
        correlation_id=admission.id,
        kind="life",
        outcome="turn_failed",
        reason=type(error).__name__,
        time=now,
        audience=admission.audience,
        policy_version=version,
    )


def interrupted_entry(draft_id: str, version: str, now: int) -> Entry:
    """The record of a draft that was being sent when the process died."""
    return Entry(
        correlation_id=draft_id,
        kind="life",
        outcome="uncertain",
        reason="interrupted",
        time=now,
        policy_version=version,
        evidence=draft_id,
    )


def policy_entry(outcome: str, reason: str, version: str, now: int) -> Entry:
    """The record of a policy file that changed: `policy_changed`, or `policy_refused` with `version` still in force."""
    return Entry(
        correlation_id=f"policy-{version}",
        kind="operator",
        outcome=outcome,
        reason=reason,
        time=now,
        policy_version=version,
    )


def mark_entry(attempt: Attempt, decision: Decision, correlation: str, consumer: str, version: str) -> Entry:
    """The durable mark of a life without a ledger: the journal takes it, or nothing leaves."""
    return Entry(
        correlation_id=correlation,
        kind="life",
        outcome="sending",
        reason=decision.reason,
        time=attempt.now,
        audience=decision.audience,
        output_class=attempt.draft.output_class,
        consumer=consumer,
        policy_version=version,
        target=attempt.target,
    )


def ungated_entry(correlation: str, consumer: str, version: str, now: int, *, shadow: bool) -> Entry:
    """The record of a call past the gate, which a guarded client stopped, or let pass and told in shadow mode."""
    told = {"shadow": str(ReleaseOutcome.DENY), "shadow_reason": str(Reason.UNGATED_SEND)}
    return Entry(
        correlation_id=correlation,
        kind="output",
        outcome="uncertain" if shadow else ReleaseOutcome.DENY,
        reason=Reason.UNGATED_SEND,
        time=now,
        consumer=consumer,
        policy_version=version,
        facts=told if shadow else {},
    )


def output_entry(
    attempt: Attempt,
    decision: Decision,
    correlation: str,
    consumer: str,
    version: str,
    now: int,
    receipt: Receipt | None,
    evidence: str,
) -> Entry:
    """The record of one output attempt: what the transport proved, or why nothing left."""
    return Entry(
        correlation_id=correlation,
        kind="output",
        outcome=decision.outcome if receipt is None else _DELIVERED[receipt.delivered],
        reason=decision.reason,
        time=now,
        audience=decision.audience,
        output_class=attempt.draft.output_class,
        consumer=consumer,
        policy_version=version,
        target=attempt.target,
        evidence=evidence if receipt is None else receipt.evidence,
        facts=_told(decision),
    )


def _told(decision: Decision) -> dict[str, str]:
    told = {"findings": " ".join(map(str, decision.findings))} if decision.findings else {}
    if decision.shadow is not None:
        told |= {"shadow": decision.shadow, "shadow_reason": decision.reason}
    return told


_REFUSED: Final = frozenset({Reason.HARD_STOP, Reason.CLASS_NOT_ALLOWED, Reason.TOO_LONG, Reason.UNDECLARED_OPERATION})
"""Denials of the text itself; the others say "not here", "not now" or "not by this authority"."""


def refused(attempt: Attempt, decision: Decision) -> str:
    """What the operator may read of a text that was denied for what it is; nothing of one declared a secret."""
    if decision.outcome is not ReleaseOutcome.DENY or decision.reason not in _REFUSED:
        return ""
    if attempt.draft.output_class is OutputClass.SECRET or not attempt.draft.text:
        return ""
    return f"{decision.reason}\n{attempt.draft.text}"


def filed(
    attempt: Attempt,
    decision: Decision,
    correlation: str,
    id: str,
    epoch: str,
    expires_at: int,
    key: str,
    thread: str | None,
) -> Filed:
    """The exact draft that waits for the operator."""
    return Filed(
        id=id,
        target=attempt.target,
        text=attempt.draft.text,
        sha256=text_hash(attempt.draft.text, attempt.draft.parts),
        epoch=epoch,
        reason=decision.reason,
        topics=decision.topics,
        correlation_id=correlation,
        approvable=decision.approvable and attempt.operation in SENT_WHEN_APPROVED,
        filed_at=attempt.now,
        expires_at=expires_at,
        reply_id=key,
        thread=thread,
        body=encoded(attempt.draft.parts),
    )
