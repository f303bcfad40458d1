"""3H and 3I at the hub: what it says of receivers and conversations, by hand over HTTP, under a clock that is moved.

The receiver is the real one; what it reports of itself is said for it here, so that it can be more than is true.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from tests.cases.receiver.stage import YES, Stage
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
MINUTE, DAY = 60_000, 86_400_000
Moving = Callable[[int], None]
REACHED = ("reachable", "attended", "autonomous_reported")
POSTED = {"content-type": "application/json"}


class ByHand:
    """One role at the hub, over plain HTTP, with the token of one log-in."""

    def __init__(self, stage: Stage) -> None:
        self._url = stage.url
        self._token = stage.as_role(stage.key, lambda client: client.log_in()).token
        self.generation = 1

    def __call__(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        raw = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self._token}", **(POSTED if raw else {})}
        request = urllib.request.Request(f"{self._url}/api/v1{path}", raw, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return dict(json.loads(answer.read()))
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(error.read()) from error

    def level(self) -> tuple[str, list[str]]:
        """How far the hub says that our receiver reaches, and what is missing."""
        found = self("GET", "/me/readiness")["autonomy"]
        return found["level"], found["blockers"]

    def report(self) -> None:
        """Claim everything that can be claimed, now."""
        now = self("GET", "/me/readiness")["server_time"]
        probe = {"at": now, "command": "c0ffee", "command_now": "c0ffee"}
        claims = {"mode": "autonomous", "handler": probe, "notifier": probe, "scope_until": now + DAY}
        claims |= {"background_at": now, "may_reply": True, "version": "1.1.0", "waiting": []}
        self("PUT", "/communication/receiver", {"generation": self.generation, "sent_at": now, **claims})


@case("R098", "readiness falls to `configured` when the last poll is old; ordinary traffic does not refresh it")
def test_r098_a_dead_receiver_is_not_reachable(moved_stage: tuple[Stage, Moving]) -> None:
    """It polls and claims everything; then it is gone. Whatever else the role says and reads, it reaches no farther
    than its report."""
    stage, move = moved_stage
    stage.on()
    hand = ByHand(stage)
    hand.report()
    assert hand.level() == ("autonomous_reported", [])
    move(90_000)
    assert hand.level()[0] == "autonomous_reported"
    move(125_000)
    hand.report()
    fresh = hand.level()
    stage.says(stage.key, stage.contact, "Are you there?")
    stage.delivery()
    hand("GET", f"/contacts/{stage.contact}/messages?after=0")
    ByHand(stage)

    assert fresh == ("configured", ["poll"])
    assert hand.level() == fresh
    stage.on()
    hand.report()  # the receiver has just said itself what is true of it
    assert hand.level()[0] == "autonomous_reported"


@case("R099", "lease renewals count as activity")
def test_r099_busy_is_not_dead(moved_stage: tuple[Stage, Moving]) -> None:
    """A turn of many minutes: no poll, only renewals, and the role stays reachable; without them it falls."""
    stage, move = moved_stage
    stage.on()
    hand = ByHand(stage)
    stage.peer_says("Can we meet?")
    held = stage.leased()
    levels = []
    for minutes in (1.5, 3, 4.5, 6):
        move(int(minutes * MINUTE))
        stage.as_role(stage.key, lambda client: client.renew(held.token))
        hand.report()
        levels.append(hand.level()[0])
    move(int(8.5 * MINUTE))
    hand.report()

    assert levels == ["autonomous_reported"] * 4
    assert hand.level() == ("configured", ["poll"])


@case("R100", "cycle counter must advance; in-process watchdog + external")
def test_r100_a_frozen_receiver_falls(moved_stage: tuple[Stage, Moving]) -> None:
    """From outside: what hangs does not poll, so that after two minutes the hub says so, whatever was claimed."""
    stage, move = moved_stage
    with stage.serving() as process:
        hand = ByHand(stage)
        stage.peer_says("Can we meet?")
        assert until(lambda: stage.texts() == [YES])
        hand.report()
        assert hand.level()[0] in REACHED, "its own report may come between"
        process.send_signal(19)
        move(5 * MINUTE)
        hand.report()
        assert hand.level() == ("configured", ["poll"])
        process.send_signal(18)


@case("R085", "`awaiting_peer_pickup`, then `expired` at 7 days with notice; receiver reminds owner once")
def test_r085_what_nobody_fetched_expires(moved_stage: tuple[Stage, Moving]) -> None:
    """The reply waits for its peer; after seven days it has expired: its sender can read so and has one event."""
    stage, move = moved_stage
    stage.peer_says("Can we meet?")
    stage.on()
    asked = stage.as_role(stage.peer, lambda client: client.lease(limit=50))
    assert asked.lease is not None
    token, ids = asked.lease.lease_token, [each.message_id for each in asked.messages]
    stage.as_role(stage.peer, lambda client: client.release(token, ids))
    ((reply_id, _),) = stage.sent()
    stage.at("cycles=3,ahead=7200")
    assert stage.delivery() == "awaiting_peer_pickup"
    move(7 * DAY - MINUTE)
    assert ByHand(stage)("GET", f"/contacts/{stage.contact}/communication")["expired"] == []
    move(7 * DAY + 40 * MINUTE)
    hand = ByHand(stage)
    assert until(lambda: hand("GET", f"/contacts/{stage.contact}/communication")["expired"] == [reply_id], 40)
    told = [each for each in hand("GET", "/events?after=0")["events"] if each["kind"] == "message_expired"]

    assert len(told) == 1
    assert reply_id in json.dumps(told[0])
    assert stage.as_role(stage.peer, lambda client: client.lease(limit=50)).lease is None
    assert [each["milestone"] for each in stage.told()] == ["wait_reminder"]


@case("R088", "`truncated:true` → query remaining known contact ids one by one")
def test_r088_more_than_fifty_conversations(stage: Stage) -> None:
    """The hub names the newest fifty and says that there are more; each other one answers under its id. The receiver
    forgets none of those that it knows."""
    contacts = [stage.contact, *stage.open_many(54)]
    stage.write_grant("grant-7f3a", contact_ids=contacts)
    stage.on()
    assert {task["contact_id"] for task in stage.status()["autonomy"]} == set(contacts)
    hand = ByHand(stage)
    found = hand("GET", "/communication/status")
    named = [each["contact_id"] for each in found["conversations"]]
    others = set(contacts) - set(named)

    assert (len(named), len(set(named)), found["truncated"]) == (50, 50, True)
    assert set(named) < set(contacts)
    assert len(others) == 5
    for contact in others:
        assert hand("GET", f"/contacts/{contact}/communication")["contact_id"] == contact
