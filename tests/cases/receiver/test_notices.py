"""3F: notifications. What the owner was told is what the notifier itself wrote down."""

from __future__ import annotations

import re
import time

import pytest

from tests.cases.receiver.stage import YES, Stage, seconds
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
ASK = {"action": "waiting_owner", "owner_summary": "Offer the 6th?"}


@case("R065", "wait reminder keyed by outbound event id; 100 cycles → one notice")
def test_r065_a_hundred_cycles(stage: Stage) -> None:
    """A peer that does not answer is worth one notice, not one per look; the next silence is another."""
    stage.peer_says("Can we meet?")
    stage.on()
    assert stage.at("cycles=100,ahead=3600").code == 0
    assert [told["milestone"] for told in stage.told()] == ["wait_reminder"]
    stage.peer_says("And where?")
    stage.answers("At the station.")
    stage.on(3700)
    assert stage.at("cycles=5,ahead=9000").code == 0

    assert [told["milestone"] for told in stage.told()] == ["wait_reminder"] * 2
    assert stage.texts() == [YES, "At the station."]


@case("R066", "wording and field say delivered, never read")
def test_r066_delivered_is_not_read(stage: Stage) -> None:
    """No command claims that the owner has seen anything; what was confirmed is called delivered."""
    stage.confirms(raw="no acknowledgement")
    stage.answers(**ASK)
    stage.peer_says("Which day?")
    stage.on()
    (told,) = stage.told()
    done = stage.resolve(notification_id=told["notification_id"], notification_delivered=True)
    shown = [stage.command(*words, json=False).stdout for words in (("status",), ("why",), ("journal", "show"))]
    shown.append(stage.command("status").stdout)

    assert done.answer["state"] == "delivered"
    assert [re.findall(r"\bread\b|已读|已看", text) for text in shown] == [[]] * len(shown)


@case("R067", "states only move forward")
def test_r067_no_state_goes_back(stage: Stage) -> None:
    """While it is being told nobody can settle it; killed it is uncertain; delivered it stays, whatever comes late."""
    stage.confirms(sleep=30)
    stage.answers(**ASK)
    stage.peer_says("Which day?")
    with stage.serving() as process:
        assert until(lambda: len(stage.told()) == 1)
        (told,) = stage.told()
        word = {"notification_id": told["notification_id"]}
        assert stage.resolve(**word, notification_delivered=True).error == "conflict"
        process.kill()
    stage.confirms()
    stage.on()
    assert [each["state"] for each in stage.status()["notifications"]] == ["uncertain"]
    assert stage.resolve(**word, notification_delivered=True).answer["state"] == "delivered"
    late = stage.resolve(**word, notification_delivered=False)
    stage.on()

    assert (late.code, late.error) == (2, "conflict")
    assert stage.status()["notifications"] == []
    assert len(stage.told()) == 1


@case("R069", "other contacts still get replies in the same cycle")
def test_r069_a_notifier_that_hangs(stage: Stage) -> None:
    """While the notifier hangs, another contact that wrote meanwhile has its answer."""
    other = stage.another("other")
    contact = stage.opens(other)
    stage.write_grant("grant-7f3a", contact_ids=[stage.contact, contact])
    stage.confirms(sleep=15)
    stage.answers(YES, by_word={"Which": {"schema_version": 1, **ASK}})
    stage.peer_says("Which day?")
    with stage.serving() as process:
        assert until(lambda: len(stage.told()) == 1)
        began = time.monotonic()
        stage.says(other, contact, "And we two?")
        assert until(lambda: stage.texts(contact) == [YES], 10)
        assert seconds(began) < 10
        assert [each["state"] for each in stage.status()["notifications"]] == ["sending"]
        process.kill()
