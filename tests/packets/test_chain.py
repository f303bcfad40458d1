"""A conversation as a whole: complete, in order, acknowledged, and never more done than it says (spec 3 §3, §5.1)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.clock import DAY, MINUTE
from dragoman.packets import build
from dragoman.packets.build import Agent, Origin, Stamp
from dragoman.packets.chain import TRANSITIONS, ChainVerdict, validate_chain
from dragoman.packets.seal import sealed
from tests.packets.make_vectors import TOKEN
from tests.packets.material import NOW, shared

STOCK = Agent(agent_id="agent:stock", role_lane="stock", project="shelves", authority_boundary="read only")
DESK = Agent(agent_id="agent:desk", role_lane="sales", project="shelves", authority_boundary="asks only")
ASKER = Origin(
    source=DESK, target=STOCK, correlation_id="corr-1", fallback_directive="ask the owner", timeout_ms=10 * MINUTE
)
WORKER = Origin(source=STOCK, target=DESK, correlation_id="corr-1", fallback_directive="ask the owner")
LOG = {"kind": "log", "ref": "log:1"}

Chain = list[tuple[str, bytes]]


def stamp(number: int, minute: int, sequence: int, parent: int | None) -> Stamp:
    """Packet `number`, issued `minute` minutes after the start."""
    return Stamp(
        message_id=f"msg-{number}",
        now=NOW + minute * MINUTE,
        sequence=sequence,
        parent_message_id=None if parent is None else f"msg-{parent}",
    )


def whole() -> Chain:
    """A request, its acceptance, progress, completion and report."""
    return [
        ("1.json", build.message(ASKER, stamp(1, 0, 0, None), intent="Confirm the date.", expected_output="a date")),
        ("2.json", build.ack(WORKER, stamp(2, 1, 0, 1), acknowledged_message_id="msg-1", status="accepted")),
        ("3.json", build.task_status(WORKER, stamp(3, 2, 1, 2), task_id="task-1", state="working", summary="asked")),
        (
            "4.json",
            build.task_status(
                WORKER, stamp(4, 3, 2, 3), task_id="task-1", state="completed", summary="done", evidence=[LOG]
            ),
        ),
        (
            "5.json",
            build.final_report(
                WORKER,
                stamp(5, 4, 3, 4),
                task_id="task-1",
                outcome="completed",
                exact_next_action="none",
                sections={"verification_evidence": [LOG]},
            ),
        ),
    ]


def changed(chain: Chain, index: int, change: Callable[[dict[str, Any]], object]) -> Chain:
    """The chain with one packet changed and sealed again."""
    name, raw = chain[index]
    packet = orjson.loads(raw)
    change(packet)
    return [*chain[:index], (name, orjson.dumps(sealed(packet))), *chain[index + 1 :]]


def said(verdict: ChainVerdict) -> list[tuple[str, str]]:
    """Packet and rule of every finding."""
    return [(found.packet, found.finding.rule) for found in verdict.findings]


def test_a_whole_conversation_passes() -> None:
    """Complete evidence passes, says its state, and says that age and signatures were not judged."""
    verdict = validate_chain(whole())
    assert (verdict.result, verdict.findings) == ("pass", ())
    assert (verdict.state, verdict.correlation_id, len(verdict.packets)) == ("completed", "corr-1", 5)
    assert verdict.not_checked == ("age", "signature")


def test_an_archive_does_not_fail_for_age() -> None:
    """Years later the same files still pass (the packets' own expiry is a week)."""
    assert validate_chain(whole(), now=NOW + 3650 * DAY).result == "pass"


@given(st.permutations(range(5)))
def test_the_order_of_files_does_not_matter(order: list[int]) -> None:
    """Packets are put in order by what they say, not by how they are handed in."""
    chain = whole()
    assert validate_chain([chain[index] for index in order]).result == "pass"


def test_the_same_packet_twice_is_one_packet() -> None:
    """A repeated delivery is no defect."""
    chain = whole()
    assert validate_chain([*chain, ("again.json", chain[2][1])]).result == "pass"


def put(path: str, value: Any) -> Callable[[dict[str, Any]], object]:
    """Set a field of one of the envelope's objects."""
    box, name = path.split("/")
    return lambda packet: packet[box].__setitem__(name, value)


BROKEN: list[tuple[str, Callable[[Chain], Chain], list[tuple[str, str]]]] = [
    ("no packet", lambda chain: [], [("", "chain_empty")]),
    (
        "the acknowledgement is missing",
        lambda chain: [chain[0], *chain[2:]],
        [
            ("1.json", "ack_missing"),
            ("3.json", "parent_unknown"),
            ("3.json", "sequence_conflict"),
        ],
    ),
    (
        "the progress is missing",
        lambda chain: [*chain[:2], *chain[3:]],
        [("4.json", "parent_unknown"), ("4.json", "sequence_conflict")],
    ),
    ("only a request", lambda chain: chain[:1], [("1.json", "ack_missing")]),
    (
        "another conversation",
        lambda c: changed(c, 2, put("conversation/correlation_id", "corr-2")),
        [("3.json", "correlation_mismatch")],
    ),
    ("no parent", lambda c: changed(c, 2, put("conversation/parent_message_id", None)), [("3.json", "parent_unknown")]),
    (
        "its own parent",
        lambda c: changed(c, 2, put("conversation/parent_message_id", "msg-3")),
        [("3.json", "parent_unknown")],
    ),
    (
        "one number twice",
        lambda c: changed(c, 2, put("conversation/sequence", 0)),
        [("3.json", "sequence_conflict"), ("4.json", "sequence_conflict")],
    ),
    (
        "one id twice",
        lambda c: [*c, ("6.json", changed(c, 2, put("body/task_id", "task-2"))[2][1])],
        [("6.json", "idempotency_conflict"), ("6.json", "sequence_conflict"), ("6.json", "message_id_conflict")],
    ),
    (
        "one key, two bodies",
        lambda c: changed(c, 3, put("delivery/idempotency_key", "idem-msg-3")),
        [("4.json", "idempotency_conflict")],
    ),
    (
        "work after the end",
        lambda c: changed(c, 2, put("provenance/issued_at", "2026-10-06T09:09:00Z")),
        [
            ("3.json", "lifecycle_invalid"),
            ("3.json", "sequence_conflict"),
            ("4.json", "parent_unknown"),
            ("4.json", "sequence_conflict"),
        ],
    ),
    (
        "accepted after the expiry",
        lambda c: changed(c, 0, put("delivery/expires_at", "2026-10-06T09:00:30Z")),
        [("2.json", "packet_expired")],
    ),
    (
        "one packet fails alone",
        lambda c: changed(c, 3, put("body/blocking_reasons", ["no access"])),
        [("4.json", "packet_invalid")],
    ),
    ("unreadable", lambda c: [*c, ("x.json", b"{")], [("x.json", "packet_invalid")]),
]


@pytest.mark.parametrize(("name", "breaks", "expected"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_conversation_fails_where_it_is_broken(
    name: str, breaks: Callable[[Chain], Chain], expected: list[tuple[str, str]]
) -> None:
    """Each defect is named with its packet and rule."""
    verdict = validate_chain(breaks(whole()))
    assert (verdict.result, sorted(said(verdict))) == ("fail", sorted(expected))


def test_work_before_its_acknowledgement() -> None:
    """Progress that stands before the acceptance, or after a deferral alone, is told."""
    chain = whole()
    late = [chain[0], *chain[2:3]]
    early = changed(late, 1, put("conversation/parent_message_id", "msg-1"))
    early = changed(early, 1, put("conversation/sequence", 0))
    assert said(validate_chain(early)) == [("1.json", "ack_missing"), ("3.json", "work_before_ack")]
    deferred = build.ack(
        WORKER, stamp(2, 1, 0, 1), acknowledged_message_id="msg-1", status="deferred", reason="after lunch"
    )
    assert said(validate_chain([chain[0], ("2.json", deferred), *chain[2:]])) == [
        ("3.json", "work_before_ack"),
        ("4.json", "work_before_ack"),
        ("5.json", "work_before_ack"),
    ]


def test_rejected_after_accepted_is_a_contradiction() -> None:
    """The second answer does not overwrite the first; a person must look (case C081)."""
    rejected = build.ack(
        WORKER, stamp(6, 2, 1, 2), acknowledged_message_id="msg-1", status="rejected", reason="not our lane"
    )
    verdict = validate_chain([*whole()[:2], ("6.json", rejected)])
    assert said(verdict) == [("6.json", "ack_conflict")]


def test_deferred_then_accepted_is_fine() -> None:
    """A deferral keeps the request open until it is accepted."""
    deferred = build.ack(
        WORKER, stamp(2, 1, 0, 1), acknowledged_message_id="msg-1", status="deferred", reason="after lunch"
    )
    accepted = build.ack(WORKER, stamp(3, 2, 1, 2), acknowledged_message_id="msg-1", status="accepted")
    verdict = validate_chain([whole()[0], ("2.json", deferred), ("3.json", accepted)])
    assert (verdict.result, verdict.state) == ("pass", "acknowledged")


def test_a_conversation_of_several_requests_is_one_chain() -> None:
    """While it goes on, further requests of the same source follow, each acknowledged before its work."""
    chain = whole()[:3]
    again = build.message(ASKER, stamp(6, 3, 1, 3), intent="And the price?", expected_output="a price")
    taken = build.ack(WORKER, stamp(7, 4, 2, 6), acknowledged_message_id="msg-6", status="accepted")
    waits = build.task_status(
        WORKER, stamp(8, 5, 3, 7), task_id="task-1", state="waiting_owner", summary="asked", blocking_reasons=["price"]
    )
    verdict = validate_chain([*chain, ("6.json", again), ("7.json", taken), ("8.json", waits)])
    assert (verdict.result, verdict.state, verdict.findings) == ("pass", "waiting", ())


def test_accepted_is_not_completed() -> None:
    """After an acceptance alone the conversation is acknowledged, at any later time (case C081)."""
    verdict = validate_chain(whole()[:2], now=NOW + 365 * DAY)
    assert (verdict.result, verdict.state) == ("pass", "acknowledged")


def test_a_null_parent_is_to_be_named() -> None:
    """Where no packet is named, none can be added: the fix is to name one."""
    fixes = [
        validate_chain(changed(whole(), 2, put("conversation/parent_message_id", parent))).findings[0].finding.fix
        for parent in (None, "msg-3")
    ]
    assert [fix.split()[0] for fix in fixes] == ["name", "add"]


def test_an_acknowledgement_of_an_acknowledgement() -> None:
    """Acknowledgements answer requests, not one another."""
    again = build.ack(ASKER, stamp(3, 2, 1, 2), acknowledged_message_id="msg-2", status="accepted")
    assert said(validate_chain([*whole()[:2], ("3.json", again)])) == [("3.json", "ack_of_ack")]


def test_a_running_request_is_not_blamed_before_its_timeout() -> None:
    """While the sender still waits, the missing acknowledgement is no defect; at the timeout it is."""
    request = whole()[:1]
    assert validate_chain(request, now=NOW + 10 * MINUTE - 1).result == "pass"
    assert said(validate_chain(request, now=NOW + 10 * MINUTE)) == [("1.json", "ack_missing")]


def test_a_finished_conversation_goes_on_by_correction() -> None:
    """A correction may follow the report; it names what it corrects, and that must be there."""
    correct = {"kind": "retract", "reason": "wrong order", "history": [], "lifecycle_state": "completed"}
    good = build.correction(WORKER, stamp(6, 9, 4, 5), corrects_message_id="msg-5", **correct)  # type: ignore[arg-type]
    assert validate_chain([*whole(), ("6.json", good)]).result == "pass"
    lost = build.correction(WORKER, stamp(6, 9, 4, 5), corrects_message_id="msg-9", **correct)  # type: ignore[arg-type]
    assert said(validate_chain([*whole(), ("6.json", lost)])) == [("6.json", "parent_unknown")]


def test_the_invalid_states_of_acknowledgement_are_refused() -> None:
    """The acknowledgements of case C081: `ok` is no state, the named ones are."""
    lines = (shared("cases") / "events.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(json.loads(line) for line in lines if '"C081"' in line)
    found = {}
    for theirs in case["input"]["acks"]:
        status = theirs["body"]["ack_status"]
        chain = changed(whole()[:2], 1, put("body/ack_status", status))
        if status != "accepted":
            chain = changed(chain, 1, put("body/reason", "see log"))
            chain = changed(chain, 1, put("conversation/lifecycle_state", "waiting"))
        found[status] = validate_chain(chain).packets[1].verdict.rules
    assert found == {"accepted": (), "ok": ("ack_status_invalid",), "deferred": (), "rejected": ()}


def test_nothing_of_a_bad_packet_is_repeated() -> None:
    """A secret in the place of an id or a state does not come back in the verdict."""
    chain = changed(whole()[:2], 0, put("conversation/correlation_id", f"corr-{TOKEN}"))
    chain = changed(chain, 1, put("conversation/lifecycle_state", TOKEN))
    verdict = validate_chain(chain)
    assert (verdict.result, verdict.correlation_id, verdict.state) == ("fail", None, None)
    assert TOKEN not in msgspec.json.encode(verdict).decode()


def test_no_state_is_reached_that_has_no_row() -> None:
    """The table of transitions is closed, and what is finished leads nowhere else."""
    assert set().union(*TRANSITIONS.values()) == set(TRANSITIONS)
    assert [state for state, following in TRANSITIONS.items() if following == {state}] == [
        "completed",
        "failed",
        "cancelled",
    ]


def test_a_long_conversation_takes_no_square_time() -> None:
    """Two thousand packets of progress are judged in a walk of their own length."""
    chain = whole()[:2]
    status = build.task_status(WORKER, stamp(3, 2, 1, 2), task_id="task-1", state="working", summary="asked")
    for number in range(3, 2003):
        packet = orjson.loads(status)
        packet["message_id"] = f"msg-{number}"
        packet["delivery"]["idempotency_key"] = f"idem-{number}"
        packet["conversation"] |= {"sequence": number - 2, "parent_message_id": f"msg-{number - 1}"}
        chain.append((f"{number}.json", orjson.dumps(sealed(packet))))
    started = time.process_time()
    verdict = validate_chain(chain)
    assert (verdict.result, verdict.state) == ("pass", "working")
    assert time.process_time() - started < 5


@given(st.lists(st.binary(max_size=40), max_size=4))
def test_arbitrary_bytes_give_a_failed_chain(raws: list[bytes]) -> None:
    """Noise never raises and never passes."""
    assert validate_chain([(str(index), raw) for index, raw in enumerate(raws)]).result == "fail"


@given(st.data())
def test_a_damaged_packet_never_breaks_the_check(data: st.DataObject) -> None:
    """Any value in any field of any packet gives a verdict."""
    chain = whole()
    index = data.draw(st.integers(0, 4))
    packet = orjson.loads(chain[index][1])
    box = data.draw(
        st.sampled_from([packet, *(value for value in packet.values() if isinstance(value, dict) and value)])
    )
    box[data.draw(st.sampled_from(sorted(box)))] = data.draw(
        st.none() | st.integers(-3, 3) | st.text(max_size=3) | st.lists(st.text(max_size=2), max_size=2) | st.just({})
    )
    chain[index] = (chain[index][0], orjson.dumps(packet))
    verdict = validate_chain(chain)
    assert verdict == validate_chain(chain)
