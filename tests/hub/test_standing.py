"""Delivery states and readiness as tables that can be read, walked whole."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from dragoman.clock import DAY, HOUR, MINUTE, SECOND
from dragoman.hub import standing
from dragoman.hub.standing import DELIVERY, READINESS, Evidence, Facts, Probe
from dragoman.wire import DELIVERY_ZH, READINESS_ZH, ReadinessLevel, WaitsFor
from dragoman.words import DeliveryState

OWNER, GATE, LIMIT = WaitsFor.OWNER, WaitsFor.GATE, WaitsFor.LIMIT

STATES = [
    ("nothing is open", Facts(), DeliveryState.AWAITING_PEER_REPLY),
    ("we opened it and nobody wrote", Facts(mine_to_open=True), DeliveryState.AWAITING_LOCAL),
    ("ours lies at the hub", Facts(outbound=1), DeliveryState.AWAITING_PEER_PICKUP),
    ("the peer has leased ours", Facts(outbound=2, outbound_leased=1), DeliveryState.PEER_PROCESSING),
    ("the peer's handler asked its owner", Facts(peer_waits=OWNER), DeliveryState.PEER_WAITING_OWNER),
    ("the peer's gate holds a draft", Facts(peer_waits=GATE), DeliveryState.PEER_PROCESSING),
    ("the peer's reply waits for its limits", Facts(peer_waits=LIMIT), DeliveryState.PEER_PROCESSING),
    (
        "its owner is asked while it leases more",
        Facts(peer_waits=OWNER, outbound_leased=1, outbound=1),
        DeliveryState.PEER_WAITING_OWNER,
    ),
    ("theirs and ours wait", Facts(inbound=1, outbound=2, outbound_leased=1), DeliveryState.AWAITING_LOCAL),
    ("we have leased theirs", Facts(inbound=2, inbound_leased=1, outbound=1), DeliveryState.PROCESSING),
    ("our handler asked the owner", Facts(waits=OWNER, inbound=1, inbound_leased=1), DeliveryState.WAITING_OWNER),
    ("our gate holds a draft", Facts(waits=GATE), DeliveryState.WAITING_OWNER),
    ("limits full, something to say", Facts(limited=True, inbound=1, inbound_leased=1), DeliveryState.REPLY_LIMITED),
    ("limits full, a saved reply waits", Facts(limited=True, waits=LIMIT), DeliveryState.REPLY_LIMITED),
    ("limits full, nothing to say", Facts(limited=True, outbound=1), DeliveryState.AWAITING_PEER_PICKUP),
    ("limits full while the owner is asked", Facts(limited=True, waits=OWNER, inbound=1), DeliveryState.WAITING_OWNER),
    ("a saved reply may go again", Facts(waits=LIMIT), DeliveryState.PROCESSING),
    ("completed", Facts(completed=True, waits=OWNER, inbound=2, inbound_leased=1), DeliveryState.COMPLETED),
    ("closed", Facts(closed=True, completed=True, inbound=1), DeliveryState.CLOSED),
]


@pytest.mark.parametrize(("facts", "state"), [row[1:] for row in STATES], ids=[row[0] for row in STATES])
def test_delivery_state(facts: Facts, state: DeliveryState) -> None:
    """Each state with the facts that make it, by the precedence of spec 2 §3.12."""
    assert state == standing.delivery_state(facts)


def every_facts() -> list[Facts]:
    """Every combination of what can differ: counts as none, some, some of them leased."""
    counts = [(0, 0), (1, 0), (2, 1)]
    waits = [None, OWNER, GATE, LIMIT]
    yes_no = [False, True]
    return [
        Facts(
            closed=closed,
            completed=completed,
            waits=mine,
            limited=limited,
            inbound=inbound[0],
            inbound_leased=inbound[1],
            mine_to_open=to_open,
            peer_waits=theirs,
            outbound=outbound[0],
            outbound_leased=outbound[1],
        )
        for closed, completed, mine, limited, inbound, to_open, theirs, outbound in itertools.product(
            yes_no, yes_no, waits, yes_no, counts, yes_no, waits, counts
        )
    ]


def by_the_specification(f: Facts) -> DeliveryState:
    if f.closed:
        return DeliveryState.CLOSED
    if f.completed:
        return DeliveryState.COMPLETED
    if f.waits in (OWNER, GATE):
        return DeliveryState.WAITING_OWNER
    if f.limited and (f.inbound or f.mine_to_open or f.waits):
        return DeliveryState.REPLY_LIMITED
    if f.inbound_leased or f.waits:
        return DeliveryState.PROCESSING
    if f.inbound or f.mine_to_open:
        return DeliveryState.AWAITING_LOCAL
    if f.peer_waits is OWNER:
        return DeliveryState.PEER_WAITING_OWNER
    if f.outbound_leased or f.peer_waits:
        return DeliveryState.PEER_PROCESSING
    return DeliveryState.AWAITING_PEER_PICKUP if f.outbound else DeliveryState.AWAITING_PEER_REPLY


def test_every_combination_of_facts() -> None:
    """All 2,304 combinations have the state that the specification's order gives them, and each state is reached."""
    walked = every_facts()
    wrong = [facts for facts in walked if by_the_specification(facts) != standing.delivery_state(facts)]

    assert 2304 == len(walked)
    assert [] == wrong
    assert set(DeliveryState) == {standing.delivery_state(facts) for facts in walked}


def test_the_peer_is_told_of_an_owner_only_when_a_handler_asked() -> None:
    """Whatever else holds, no wait but the handler's own shows to the peer as its owner's."""
    shown = {
        facts.peer_waits
        for facts in every_facts()
        if standing.delivery_state(facts) is DeliveryState.PEER_WAITING_OWNER
    }

    assert {OWNER} == shown


def test_both_sides_see_an_end_alike() -> None:
    """Closed and completed are the same from both sides, whatever either waits for."""
    ends = (DeliveryState.CLOSED, DeliveryState.COMPLETED)
    for facts in every_facts():
        other = msgspec.structs.replace(
            facts,
            waits=facts.peer_waits,
            peer_waits=facts.waits,
            inbound=facts.outbound,
            inbound_leased=facts.outbound_leased,
            outbound=facts.inbound,
            outbound_leased=facts.inbound_leased,
        )
        here, there = standing.delivery_state(facts), standing.delivery_state(other)
        assert (here in ends) == (there in ends)
        assert here == there or here not in ends


def test_every_state_and_level_has_a_row_and_chinese() -> None:
    """The tables name each word once, and each is rendered in Chinese."""
    assert sorted(DeliveryState) == sorted(row.state for row in DELIVERY)
    assert set(DeliveryState) == set(DELIVERY_ZH)
    assert set(ReadinessLevel) == set(READINESS_ZH)


# --- readiness -------------------------------------------------------------------------------------------------------

NOW = 1_800_000_000_000
WHOLE = Evidence(
    reported_at=NOW - 30 * SECOND,
    named=True,
    present=True,
    polled_at=NOW - 20 * SECOND,
    background_at=NOW - MINUTE,
    handler=Probe(at=NOW - DAY, same=True),
    notifier=Probe(at=NOW - DAY, same=True),
    scope_until=NOW + HOUR,
    may_reply=True,
)

LACKS = [
    ("everything", {}, "autonomous_reported", []),
    ("no report at all", {"reported_at": None, "scope_until": None}, "none", ["scope", "reply_authority"]),
    ("a report of a superseded generation", {"present": False}, "none", ["primary_instance"]),
    ("an old client", {"named": False}, "configured", []),
    ("the last poll is 121 seconds old", {"polled_at": NOW - 121 * SECOND}, "configured", ["poll"]),
    ("it never polled", {"polled_at": None}, "configured", ["poll"]),
    ("a poll of tomorrow", {"polled_at": NOW + DAY}, "configured", ["poll"]),
    ("a poll 120 seconds old", {"polled_at": NOW - 120 * SECOND}, "autonomous_reported", []),
    ("no notifier", {"notifier": None}, "reachable", ["notification"]),
    ("a notifier of another command", {"notifier": Probe(at=NOW, same=False)}, "reachable", ["notification"]),
    ("a notifier probed 8 days ago", {"notifier": Probe(at=NOW - 8 * DAY, same=True)}, "reachable", ["notification"]),
    ("no background", {"background_at": None}, "attended", ["background"]),
    ("background 6 minutes ago", {"background_at": NOW - 6 * MINUTE}, "attended", ["background"]),
    (
        "background 6 minutes ago, but busy",
        {"background_at": NOW - 6 * MINUTE, "busy": True},
        "autonomous_reported",
        [],
    ),
    ("a handler of another command", {"handler": Probe(at=NOW, same=False)}, "attended", ["handler"]),
    ("a handler probed 8 days ago", {"handler": Probe(at=NOW - 8 * DAY, same=True)}, "attended", ["handler"]),
    ("the grant has ended", {"scope_until": NOW}, "attended", ["scope"]),
    ("attended mode", {"scope_until": None}, "attended", ["scope"]),
    ("a policy that lets nothing out", {"may_reply": False}, "attended", ["reply_authority"]),
    ("a report 6 minutes old", {"reported_at": NOW - 6 * MINUTE}, "attended", ["scope", "reply_authority"]),
    ("poll and notifier gone", {"polled_at": None, "notifier": None}, "configured", ["poll", "notification"]),
]


@pytest.mark.parametrize(("changed", "level", "blockers"), [row[1:] for row in LACKS], ids=[row[0] for row in LACKS])
def test_readiness(changed: dict[str, object], level: str, blockers: list[str]) -> None:
    """What each missing or aged piece of evidence leaves, and what blocks (spec 2 §3.13)."""
    evidence = msgspec.structs.replace(WHOLE, **changed)

    assert (level, blockers) == (standing.readiness(evidence, NOW)[0].value, list(standing.readiness(evidence, NOW)[1]))


def test_readiness_only_falls_with_time() -> None:
    """Left alone, evidence reaches ever less: from everything down to `configured`, never up again."""
    order = list(ReadinessLevel)
    ages = [0, MINUTE, 2 * MINUTE, 3 * MINUTE, 6 * MINUTE, HOUR, DAY, 7 * DAY, 30 * DAY]
    levels = [standing.readiness(WHOLE, NOW + age)[0] for age in ages]

    assert levels == sorted(levels, key=order.index, reverse=True)
    assert (ReadinessLevel.AUTONOMOUS_REPORTED, ReadinessLevel.CONFIGURED) == (levels[0], levels[-1])


def test_every_blocker_blocks_alone() -> None:
    """Each row of the table keeps the highest level away by itself, and no other name is ever a blocker."""
    alone = [blockers for _, _, level, blockers in LACKS if len(blockers) == 1]

    assert {row.blocker for row in READINESS} == {blocker for blockers in alone for blocker in blockers}
    assert {"primary_instance", "background", "handler", "scope", "notification", "poll", "reply_authority"} == {
        row.blocker for row in READINESS
    }
