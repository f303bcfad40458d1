"""A valid packet of every built profile, to start from and to learn from (`dragoman packet new PROFILE`).

It opens a conversation, or answers a packet. The facts in it are invented and harmless; ids and time come from the
caller, so that two examples are never one packet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.packets.envelope import list_at, text_at
from dragoman.packets.profiles import BUILT

NewId = Callable[[str], str]
"""Makes a fresh id of a kind: `new_id("msg")` gives such as `msg-3f2a`."""

Example = Callable[[Origin, Stamp, NewId], bytes]

CORRECTION: Final = "uai.agent.correction.v1"

_FALLBACK: Final = "stop and ask the owner"
_CHECK: Final = {"kind": "check", "ref": "check:unit"}


def example(profile: str, *, now: int, new_id: NewId) -> bytes:
    """A sealed, valid packet of `profile`, the first of a conversation.

    Args:
        profile: a built profile id.
        now: issue time in milliseconds.
        new_id: makes an id of a kind.

    Raises:
        DragomanError: `not_found`, no such profile is built.
    """
    origin = Origin(
        source=_agent("agent:stock", "stock", "answers questions about stock; changes nothing"),
        target=_agent("agent:desk", "sales", "asks on behalf of the owner; signs nothing"),
        correlation_id=new_id("corr"),
        fallback_directive=_FALLBACK,
    )
    stamp = Stamp(message_id=new_id("msg"), now=now, sequence=0, parent_message_id=None)
    return _made(profile, origin, stamp, new_id)


def answer(profile: str, packet: dict[str, Any], *, now: int, new_id: NewId, sequence: int | None = None) -> bytes:
    """A sealed, valid packet of `profile` in the conversation of `packet`, as what follows it: by its target, or, of a
    correction, by its source; its ids stand wherever the body refers to what it answers.

    Args:
        packet: a packet that fits its schema, with named fields.
        sequence: how many packets this source has written in the conversation; None means none, or for a correction
            that the corrected one was its last.

    Raises:
        DragomanError: `not_found`, as `example`.
    """
    sides = (packet["source"], packet["target"])
    source, target = sides if profile == CORRECTION else reversed(sides)
    before, belongs = packet["message_id"], packet["conversation"]
    origin = Origin(
        source=msgspec.convert(source, Agent),
        target=msgspec.convert(target, Agent),
        correlation_id=belongs["correlation_id"],
        fallback_directive=_FALLBACK,
    )
    if sequence is None:
        sequence = belongs["sequence"] + 1 if profile == CORRECTION else 0
    stamp = Stamp(message_id=new_id("msg"), now=now, sequence=sequence, parent_message_id=before)
    told = {"msg": before, "task": text_at(packet, "body", "task_id")}
    if profile == CORRECTION:
        return _corrected(origin, stamp, before, list_at(packet, "body", "history"))
    return _made(profile, origin, stamp, lambda kind: told.get(kind) or new_id(kind))


def _made(profile: str, origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    if profile not in _EXAMPLES:
        raise DragomanError("not_found", f"no profile `{profile}`", fix=f"use one of {', '.join(BUILT)}")
    return _EXAMPLES[profile](origin, stamp, new_id)


def _agent(agent_id: str, lane: str, boundary: str) -> Agent:
    return Agent(agent_id=agent_id, role_lane=lane, project="shelves", authority_boundary=boundary)


def _message(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    return build.message(
        origin,
        stamp,
        intent="Confirm the delivery date of the oak shelves.",
        constraints=["no price changes"],
        expected_output="one date, or the reason why there is none yet",
    )


def _ack(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    return build.ack(origin, stamp, acknowledged_message_id=new_id("msg"), status="accepted")


def _status(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    return build.task_status(
        origin, stamp, task_id=new_id("task"), state="working", percent=40, summary="asked the warehouse"
    )


def _blocker(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    return build.blocker(
        origin,
        stamp,
        blocker_id=new_id("blocker"),
        blocker_type="authorization",
        description="The customer asks for a discount that is not ours to give.",
        proposed_resolution="The owner decides on the discount.",
    )


def _memory(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    fact = {"kind": "constraint", "statement": "Delivery dates are working days.", "evidence_refs": [_CHECK]}
    return build.memory_proposal(
        origin, stamp, proposal_id=new_id("proposal"), source_type="verified_test", facts=[fact]
    )


def _handoff(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    return build.handoff(
        origin,
        stamp,
        task_id=new_id("task"),
        context_summary="The date is confirmed, the invoice is open.",
        handoff_reason="Invoices belong to the sales lane.",
        exact_next_action="Send the invoice for review to the owner.",
        cited_grants=[(new_id("grant"), "human:owner")],
    )


def _report(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    test = {"name": "unit", "command": "pytest -q", "exit_code": 0, "result": "passed", "evidence_ref": _CHECK["ref"]}
    return build.final_report(
        origin,
        stamp,
        task_id=new_id("task"),
        outcome="completed",
        exact_next_action="none",
        sections={
            "changed_files": [{"path": "stock/dates.py"}],
            "tests_run": [test],
            "skipped_checks": [{"name": "live transport", "reason": "no credentials in this place"}],
            "verification_evidence": [_CHECK],
        },
    )


def _correction(origin: Origin, stamp: Stamp, new_id: NewId) -> bytes:
    return _corrected(origin, stamp, new_id("msg"), [])


def _corrected(origin: Origin, stamp: Stamp, corrected: str, history: list[str]) -> bytes:
    return build.correction(
        origin,
        stamp,
        corrects_message_id=corrected,
        kind="retract",
        reason="The date was of another order.",
        history=history,
        lifecycle_state="working",
    )


def _base(profile: str, lifecycle: str, body: Callable[[NewId], dict[str, Any]]) -> Example:
    """An example of a base profile."""
    return lambda origin, stamp, new_id: build.base(
        origin, stamp, profile=profile, lifecycle_state=lifecycle, body=body(new_id)
    )


_REQUEST: Final = _base(
    "uai.intent.request.v1",
    "open",
    lambda new_id: {
        "intent": "Confirm the delivery date of the oak shelves.",
        "subject": "order 4711",
        "constraints": ["no price changes"],
        "response_expectation": {"profile": "uai.intent.response.v1", "summary": "one date, or why there is none yet"},
    },
)
_RESPONSE: Final = _base(
    "uai.intent.response.v1",
    "acknowledged",
    lambda new_id: {
        "request_message_id": new_id("msg"),
        "status": "accepted",
        "notices": ["The warehouse was asked."],
        "task_ref": new_id("task"),
        "result_refs": [],
    },
)
_STATEMENT: Final = _base(
    "uai.capability.statement.v1",
    "open",
    lambda new_id: {
        "operations": ["confirm delivery dates"],
        "supported_profiles": ["uai.intent.request.v1", "uai.intent.response.v1", "uai.error.v1"],
        "conformance_levels": [],
        "schema_urls": [],
        "endpoints": [],
        "security_schemes": ["role key"],
        "transports": ["hub"],
        "trust_channels": ["local"],
        "typed_errors": ["packet_invalid", "out_of_scope"],
        "non_claims": ["It agrees to no price and signs nothing."],
    },
)
_ERROR: Final = _base(
    "uai.error.v1",
    "failed",
    lambda new_id: {
        "status": 422,
        "code": "packet_invalid",
        "title": "The packet fails its schema or the rules",
        "detail": "The expiry is not written in UTC.",
        "about_message_id": new_id("msg"),
        "retry": "after_change",
        "errors": [{"code": "timestamp_not_utc", "path": "/delivery/expires_at", "detail": "ends with no Z"}],
    },
)
_CONFORMANCE: Final = _base(
    "uai.conformance.result.v1",
    "completed",
    lambda new_id: {
        "validator": {"name": "shelf validator", "version": "1.4"},
        "vectors": {"name": "packet vectors", "version": "1", "sha256": "sha256:" + "0" * 64},
        "profiles": ["uai.agent.ack.v1"],
        "summary": {"total": 3, "passed": 2, "failed": 1, "skipped": 0},
        "failures": [{"vector": "status_ok", "expected": "fail: ack_status_invalid", "got": "pass"}],
        "artifact_refs": [{"kind": "log", "ref": "log:conformance"}],
    },
)
_TASK: Final = _base(
    "uai.task.status.v1",
    "working",
    lambda new_id: {
        "task_id": new_id("task"),
        "state": "working",
        "progress": {"percent": 40, "summary": "asked the warehouse"},
        "result_refs": [],
        "update_notes": ["The warehouse answers tomorrow."],
        "blocking_reasons": [],
    },
)

_EXAMPLES: Final[dict[str, Example]] = {
    "uai.agent.message.v1": _message,
    "uai.agent.ack.v1": _ack,
    "uai.agent.task-status.v1": _status,
    "uai.agent.blocker.v1": _blocker,
    "uai.agent.memory-proposal.v1": _memory,
    "uai.agent.handoff.v1": _handoff,
    "uai.agent.final-report.v1": _report,
    "uai.agent.correction.v1": _correction,
    "uai.intent.request.v1": _REQUEST,
    "uai.intent.response.v1": _RESPONSE,
    "uai.capability.statement.v1": _STATEMENT,
    "uai.error.v1": _ERROR,
    "uai.conformance.result.v1": _CONFORMANCE,
    "uai.task.status.v1": _TASK,
}
