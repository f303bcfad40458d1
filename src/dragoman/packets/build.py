"""Packets that the running life writes: from plain arguments to sealed bytes (spec 3 §1, §2).

1. Pure: ids, time and sequence come in as a `Stamp`; who speaks and the standing policy as an `Origin`.
2. Fields stand in the published order, not sorted.
3. What is built is validated before it is handed out. A packet that would fail is an error here, not evidence later.
4. An empty list says "none" explicitly; nothing that was not given is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from dragoman.clock import DAY, rfc3339
from dragoman.errors import DragomanError
from dragoman.packets.envelope import VERSION
from dragoman.packets.rules.report import SECTIONS
from dragoman.packets.seal import sealed, written
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Result

BOUNDARY: Final = "This packet records; it does not execute, grant or deliver anything."

_LIFECYCLE_OF_ACK: Final = {"accepted": "acknowledged", "rejected": "cancelled", "deferred": "waiting"}
_LIFECYCLE_OF_STATE: Final = {
    "submitted": "open",
    "working": "working",
    "waiting_input": "waiting",
    "waiting_owner": "waiting",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a conversation; every field but the contact hint must say something."""

    agent_id: str
    role_lane: str
    project: str
    authority_boundary: str
    contact_hint: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for every packet that one side writes in one conversation. Times in milliseconds."""

    source: Agent
    target: Agent
    correlation_id: str
    fallback_directive: str
    principal: str = ""
    """On whose behalf; empty means the source itself."""
    channel: str = "local"
    lifetime_ms: int = 7 * DAY
    timeout_ms: int = 0
    support_boundary: str = BOUNDARY


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """What is new with every packet: its id, the moment in milliseconds, its number among this source's packets
    (from 0, without gaps), and the packet it follows (None for the first of the conversation)."""

    message_id: str
    now: int
    sequence: int
    parent_message_id: str | None
    causation_id: str | None = None
    """The packet behind this one when it is not the parent: the report of the task before."""


def message(
    origin: Origin,
    stamp: Stamp,
    *,
    intent: str,
    expected_output: str,
    constraints: Sequence[str] = (),
    ack_required: bool = True,
    expected_output_schema: str | None = "uai.agent.ack.v1",
) -> bytes:
    """A message that states an intent. Raises `DragomanError` (`input_invalid`) as every builder here."""
    body = {"intent": intent, "constraints": list(constraints), "expected_output": expected_output}
    delivery = {"ack_required": ack_required, "expected_output_schema": expected_output_schema}
    return _packet(origin, stamp, "uai.agent.message.v1", "open", body, **delivery)


def ack(
    origin: Origin,
    stamp: Stamp,
    *,
    acknowledged_message_id: str,
    status: str,
    reason: str | None = None,
    next_update_at: int | None = None,
    lifecycle_state: str | None = None,
) -> bytes:
    """An acknowledgement; `reason` is needed for every status but `accepted`, `next_update_at` is in milliseconds.

    `lifecycle_state` None takes the one that fits the status (`rules.acknowledgement.LIFECYCLE_OF` lists all that may).
    """
    body = {
        "acknowledged_message_id": acknowledged_message_id,
        "ack_status": status,
        "reason": reason,
        "next_update_at": None if next_update_at is None else rfc3339(next_update_at),
    }
    state = lifecycle_state or _LIFECYCLE_OF_ACK.get(status, "blocked")
    return _packet(origin, stamp, "uai.agent.ack.v1", state, body)


def task_status(
    origin: Origin,
    stamp: Stamp,
    *,
    task_id: str,
    state: str,
    summary: str,
    percent: int | None = None,
    evidence: Sequence[dict[str, str]] = (),
    blocking_reasons: Sequence[str] = (),
) -> bytes:
    """Where a task stands. `evidence` entries hold `kind`, `ref` and optionally `sha256` and `note`."""
    body = {
        "task_id": task_id,
        "state": state,
        "progress": {"percent": percent, "summary": summary},
        "evidence_refs": list(evidence),
        "blocking_reasons": list(blocking_reasons),
    }
    return _packet(origin, stamp, "uai.agent.task-status.v1", _LIFECYCLE_OF_STATE.get(state, "open"), body)


def blocker(
    origin: Origin,
    stamp: Stamp,
    *,
    blocker_id: str,
    blocker_type: str,
    description: str,
    proposed_resolution: str,
    human_review_required: bool = True,
) -> bytes:
    """What prevents going on; a person looks unless the caller says otherwise and the kind allows it."""
    body = {
        "blocker_id": blocker_id,
        "blocker_type": blocker_type,
        "description": description,
        "human_review_required": human_review_required,
        "proposed_resolution": proposed_resolution,
    }
    return _packet(origin, stamp, "uai.agent.blocker.v1", "blocked", body)


def memory_proposal(
    origin: Origin,
    stamp: Stamp,
    *,
    proposal_id: str,
    source_type: str,
    facts: Sequence[dict[str, Any]],
    lifecycle_state: str = "working",
) -> bytes:
    """Facts for durable memory, proposed and nothing more; each holds `kind`, `statement`, `evidence_refs`."""
    body = {
        "proposal_id": proposal_id,
        "source_type": source_type,
        "proposed_facts": list(facts),
        "proposed_status": "proposed",
        "task_execution_separation": True,
        "review_required": True,
    }
    return _packet(origin, stamp, "uai.agent.memory-proposal.v1", lifecycle_state, body)


def handoff(
    origin: Origin,
    stamp: Stamp,
    *,
    task_id: str,
    context_summary: str,
    handoff_reason: str,
    exact_next_action: str,
    cited_grants: Sequence[tuple[str, str]] = (),
    required_reads: Sequence[str] = (),
    evidence: Sequence[dict[str, str]] = (),
    blockers: Sequence[str] = (),
    risks: Sequence[str] = (),
    correction_history: Sequence[str] = (),
    ack_required: bool = False,
) -> bytes:
    """Reviewed state for the next actor, the target; `cited_grants` are pairs of grant id and giver."""
    body = {
        "task_id": task_id,
        "target_agent_id": origin.target.agent_id,
        "context_summary": context_summary,
        "handoff_reason": handoff_reason,
        "exact_next_action": exact_next_action,
        "delegated_authorization": [{"grant_ref": ref, "given_by": giver} for ref, giver in cited_grants],
        "required_reads": list(required_reads),
        "evidence_refs": list(evidence),
        "blockers": list(blockers),
        "risks": list(risks),
        "correction_history": list(correction_history),
    }
    return _packet(origin, stamp, "uai.agent.handoff.v1", "handed_off", body, ack_required=ack_required)


def final_report(
    origin: Origin,
    stamp: Stamp,
    *,
    task_id: str,
    outcome: str,
    exact_next_action: str,
    sections: dict[str, Sequence[Any]],
    lifecycle_state: str | None = None,
) -> bytes:
    """The record at the end of a task.

    Args:
        origin: who reports to whom.
        stamp: id, time, sequence and parent.
        task_id: the task.
        outcome: `completed`, `partial`, `failed` or `cancelled`.
        exact_next_action: the one next step, or that there is none.
        sections: entries by the names of `rules.report.SECTIONS`; a name that is left out, or empty, states "none".
        lifecycle_state: of the conversation; None takes the outcome (`waiting` for `partial`).

    Raises:
        DragomanError: `input_invalid`, an unknown section, or a claim that the evidence does not carry.
    """
    unknown = sorted(sections.keys() - set(SECTIONS))
    if unknown:
        raise DragomanError("input_invalid", f"unknown section `{unknown[0]}`", fix=f"use {', '.join(SECTIONS)}")
    stated = {name: list(sections.get(name, ())) for name in SECTIONS}
    body = {
        "task_id": task_id,
        "outcome": outcome,
        **{name: {"none_stated": not entries, "entries": entries} for name, entries in stated.items()},
        "exact_next_action": exact_next_action,
    }
    state = lifecycle_state or {"partial": "waiting"}.get(outcome, outcome)
    return _packet(origin, stamp, "uai.agent.final-report.v1", state, body)


def correction(
    origin: Origin,
    stamp: Stamp,
    *,
    corrects_message_id: str,
    kind: str,
    reason: str,
    history: Sequence[str],
    lifecycle_state: str,
    corrected_body: dict[str, Any] | None = None,
) -> bytes:
    """A correction; `history` names the earlier packets of this line, oldest first, without the corrected one."""
    body = {
        "corrects_message_id": corrects_message_id,
        "correction_kind": kind,
        "reason": reason,
        "corrected_body": corrected_body,
        "history": [*history, corrects_message_id],
    }
    return _packet(origin, stamp, "uai.agent.correction.v1", lifecycle_state, body)


def base(origin: Origin, stamp: Stamp, *, profile: str, lifecycle_state: str, body: dict[str, Any]) -> bytes:
    """A packet of one of the six base profiles; `body` without its `support_boundary`, fields in any order."""
    return _packet(origin, stamp, profile, lifecycle_state, body)


def _packet(origin: Origin, stamp: Stamp, profile: str, lifecycle: str, body: dict[str, Any], **delivery: Any) -> bytes:
    """The sealed bytes, validated at the stamp's own time."""
    raw = written(sealed(_envelope(origin, stamp, profile, lifecycle, body, delivery)))
    verdict = validate(raw, now=stamp.now)
    if verdict.result is Result.FAIL:
        first = verdict.findings[0]
        raise DragomanError("input_invalid", f"{first.rule}: {first.message}", where=first.path, fix=first.fix)
    return raw


def _envelope(
    origin: Origin, stamp: Stamp, profile: str, lifecycle: str, body: dict[str, Any], delivery: dict[str, Any]
) -> dict[str, Any]:
    return {
        "uai_version": VERSION,
        "profile": profile,
        "message_id": stamp.message_id,
        "source": msgspec.to_builtins(origin.source),
        "target": msgspec.to_builtins(origin.target),
        "conversation": {
            "correlation_id": origin.correlation_id,
            "parent_message_id": stamp.parent_message_id,
            "sequence": stamp.sequence,
            "lifecycle_state": lifecycle,
            **({} if stamp.causation_id is None else {"causation_id": stamp.causation_id}),
        },
        "delivery": {
            "mode": "async",
            "ack_required": False,
            "idempotency_key": f"idem-{stamp.message_id}",
            "expires_at": rfc3339(stamp.now + origin.lifetime_ms),
            "timeout_ms": origin.timeout_ms,
            "retry_count": 0,
            "retry_policy": "same_key",
            "fallback_directive": origin.fallback_directive,
            "expected_output_schema": None,
            **delivery,
        },
        "trust": {"channel": origin.channel, "principal": origin.principal or origin.source.agent_id},
        "body": {**body, "support_boundary": origin.support_boundary},
        "provenance": {"issued_at": rfc3339(stamp.now), "agent": origin.source.agent_id, "evidence_refs": []},
        "integrity": {},
        "extensions": {},
    }
