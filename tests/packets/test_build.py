"""The builders: sealed, valid, ordered packets from plain arguments; never a packet that would fail (spec 3 §1)."""

from __future__ import annotations

import itertools
from typing import Any

import orjson
import pytest

from dragoman.errors import DragomanError
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.packets.envelope import FIELDS, SUBFIELDS
from dragoman.packets.examples import example
from dragoman.packets.profiles import BUILT, profile
from dragoman.packets.validate import validate
from tests.packets.make_vectors import TOKEN
from tests.packets.material import NOW

STOCK = Agent(agent_id="agent:stock", role_lane="stock", project="shelves", authority_boundary="read only")
DESK = Agent(agent_id="agent:desk", role_lane="sales", project="shelves", authority_boundary="asks only")
ORIGIN = Origin(source=STOCK, target=DESK, correlation_id="corr-1", fallback_directive="ask the owner")
STAMP = Stamp(message_id="msg-1", now=NOW, sequence=0, parent_message_id=None)


@pytest.mark.parametrize("profile_id", BUILT)
def test_examples_are_valid_and_in_published_order(profile_id: str) -> None:
    """`packet new` gives a packet that passes, compact, its fields in the order of the envelope and the schema."""
    ids = itertools.count()
    raw = example(profile_id, now=NOW, new_id=lambda kind: f"{kind}-{next(ids)}")
    packet = orjson.loads(raw)
    found = profile(profile_id)
    assert found is not None
    assert validate(raw, now=NOW).rules == ()
    assert tuple(packet) == FIELDS
    assert tuple(packet["body"]) == tuple(name for name in found.body_order if name in packet["body"])
    for name, (required, _) in SUBFIELDS.items():
        assert tuple(packet[name])[: len(required)] == required


def test_time_and_ids_are_the_callers() -> None:
    """The same arguments give the same bytes; nothing is read from a clock or drawn."""
    one = build.ack(ORIGIN, STAMP, acknowledged_message_id="msg-0", status="accepted")
    assert build.ack(ORIGIN, STAMP, acknowledged_message_id="msg-0", status="accepted") == one
    packet = orjson.loads(one)
    assert packet["provenance"]["issued_at"] == "2026-10-06T09:00:00Z"
    assert packet["delivery"]["expires_at"] == "2026-10-13T09:00:00Z"
    assert packet["message_id"] == "msg-1"


REFUSED: list[tuple[str, Any]] = [
    ("ack_status_invalid", lambda: build.ack(ORIGIN, STAMP, acknowledged_message_id="msg-0", status="ok")),
    ("ack_reason_missing", lambda: build.ack(ORIGIN, STAMP, acknowledged_message_id="msg-0", status="rejected")),
    (
        "blocker_without_review",
        lambda: build.blocker(
            ORIGIN, STAMP, blocker_id="blk-1", blocker_type="secret", description="d", proposed_resolution="r",
            human_review_required=False,
        ),
    ),
    (
        "secret_present",
        lambda: build.task_status(ORIGIN, STAMP, task_id="task-1", state="working", summary=f"used {TOKEN}"),
    ),
    (
        "report_claim_unsupported",
        lambda: build.final_report(
            ORIGIN, STAMP, task_id="task-1", outcome="completed", exact_next_action="none",
            sections={"tests_run": [{"name": "unit", "result": "passed"}]},
        ),
    ),
    (
        "unsupported_claim",
        lambda: build.handoff(
            ORIGIN, STAMP, task_id="task-1", context_summary="UAIX provides automatic sync.", handoff_reason="lane",
            exact_next_action="read",
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "make"), REFUSED, ids=[rule for rule, _ in REFUSED])
def test_a_packet_that_would_fail_is_not_built(rule: str, make: Any) -> None:
    """The builder raises with the rule and its remedy instead of writing bad evidence."""
    with pytest.raises(DragomanError) as caught:
        make()
    assert caught.value.code == "input_invalid"
    assert caught.value.detail.startswith(f"{rule}: ")
    assert TOKEN not in str(caught.value)


def test_an_empty_report_section_says_none_explicitly() -> None:
    """What was not given is stated as none; what was given is listed."""
    raw = build.final_report(
        ORIGIN, STAMP, task_id="task-1", outcome="cancelled", exact_next_action="none", sections={"risks": ["late"]}
    )
    body = orjson.loads(raw)["body"]
    assert body["blockers"] == {"none_stated": True, "entries": []}
    assert body["risks"] == {"none_stated": False, "entries": ["late"]}


def test_a_misspelt_section_is_refused() -> None:
    """An unknown section would be evidence lost in silence."""
    with pytest.raises(DragomanError, match="unknown section `tests`"):
        build.final_report(
            ORIGIN, STAMP, task_id="task-1", outcome="failed", exact_next_action="x", sections={"tests": []}
        )


def test_an_unknown_profile_has_no_example() -> None:
    """The error names the profiles that exist."""
    with pytest.raises(DragomanError) as caught:
        example("uai.agent.applause.v1", now=NOW, new_id=str)
    assert (caught.value.code, "uai.agent.ack.v1" in caught.value.fix) == ("not_found", True)
