"""3A: crash windows, replay, duplicates. A receiver is stopped, killed, cut off; what reached the peer is counted at
the hub, what reached the model by the handler itself."""

from __future__ import annotations

import itertools
import signal
import sqlite3
import time
from collections.abc import Callable

import pytest

from tests.cases.doors import Daemon
from tests.cases.receiver.road import Cut, Fault, Lost, no
from tests.cases.receiver.stage import YES, Stage
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
POST = r"^POST .*/contacts/\w+/messages$"
LOOK_UP = r"^GET .*/replies/"


@case("R002", "SIGTERM during POST: in-flight send counts as work; wait or leave row `sending`")
@pytest.mark.parametrize(("seconds", "left"), [(1.5, {"sent": 1}), (9, {"sending": 1})], ids=["waited for", "left"])
def test_r002_told_to_stop_during_the_send(stage: Stage, seconds: float, left: dict[str, int]) -> None:
    """A short send is finished, a long one is left as `sending`; the start after it makes one message of it."""
    stage.road.bad(POST, Fault(slow=seconds))
    stage.peer_says("Can we meet?")
    with stage.serving() as process:
        assert until(lambda: len(stage.road.of(POST)) == 1)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, stage.status()["replies"]) == (0, left), out + err
    assert until(lambda: bool(stage.once()) and not stage.unacked())
    assert (stage.texts(), len(stage.calls())) == ([YES], 1)


@case("R003", "`sending` at boot → `uncertain`; reconcile with hub", "without proof, keep and tell the owner")
@pytest.mark.parametrize("point", ["sending", "posted"])
def test_r003_sending_at_boot_is_asked_about(stage: Stage, point: str) -> None:
    """The first thing said about the reply after the kill is a question to the hub, and the peer has one message."""
    stage.peer_says("Can we meet?")
    assert stage.at(f"kill={point}").code == -9
    assert stage.status()["replies"] == {"sending": 1}
    before = len(stage.road.asked)
    stage.on()

    about = [each for each in stage.road.asked[before:] if "/messages" in each.path or "/replies/" in each.path]
    assert about[0].method == "GET"
    assert "/replies/" in about[0].path
    assert len(about) == (1 if point == "posted" else 2)
    assert (stage.texts(), len(stage.calls())) == ([YES], 1)


@case("R003", "without proof, keep and tell the owner")
def test_r003_without_proof_the_owner_is_told(stage: Stage) -> None:
    """Another instance was in charge meanwhile: nothing is sent again, the text is kept, the owner decides."""
    stage.peer_says("Can we meet?")
    assert stage.at("kill=sending").code == -9
    stage.taken_over()
    (stage.folder / "us.key").write_bytes((stage.folder / "other.key").read_bytes())
    stage.write(autonomy__grant_id="grant-2")
    stage.on()
    stage.on()

    (uncertain,) = stage.status()["uncertain_sends"]
    assert stage.task() == {"state": "waiting_owner", "stop_reason": "uncertain_send", "turns_used": 1}
    assert [told["milestone"] for told in stage.told()] == ["decision_needed"]
    assert (stage.texts(), len(stage.calls())) == ([], 1)
    assert stage.resolve(reply_id=uncertain["reply_id"], reply_delivered=False).answer["state"] == "saved"
    assert stage.resolve(reply_id=uncertain["reply_id"], reply_delivered=False).answer["repeated"] is True


@case("R004", "decision saved before first POST; retry resends same bytes; handler call count stays 1")
def test_r004_a_passing_fault_after_the_model(stage: Stage) -> None:
    """At the first POST the decision stands on the disk; two faults later the same words went out, nobody asked."""
    seen: list[object] = []
    stage.road.bad(POST, no(503, "overloaded")._replace(slow=0.01))
    stage.road.bad(POST, Fault(status=502, said=b"<html>", headers=(("content-type", "text/html"),)))
    stage.road.bad(r"^GET .*/messages", Fault(back=lambda: seen.append("asked")), None)
    stage.peer_says("Can we meet?")
    stage.road.bad(POST, Fault(back=lambda: seen.append(stage.status()["replies"])))
    for ahead in (0, 5, 10, 20):
        stage.at(f"ahead={ahead}")

    sent = [(each.body["text"], each.body["reply_id"]) for each in stage.road.of(POST)]
    assert len(sent) == 3
    assert len(set(sent)) == 1
    assert seen[-1] == {"sending": 1}
    assert (stage.texts(), len(stage.calls())) == ([YES], 1)


@case("R005", "`reply_id` minted once, stored, identical on each attempt (hub records ids)")
def test_r005_one_id_for_every_attempt(stage: Stage) -> None:
    """The send is lost twice, and in between the receiver dies: the hub has heard of one id only."""
    stage.road.bad(POST, Cut, 2)
    stage.peer_says("Can we meet?")
    stage.on()
    assert stage.at("kill=sending").code == -9
    assert until(lambda: bool(stage.once()) and not stage.unacked())

    ids = [each.body["reply_id"] for each in stage.road.of(POST)]
    assert len(ids) == 3
    assert [reply_id for reply_id, _ in stage.sent()] == sorted(set(ids))


@case("R006", "connect error → plain retry")
def test_r006_never_sent(own_stage: Callable[..., Stage]) -> None:
    """No connection stood: nothing is asked about, the same words go out when the road is open again."""
    stage = own_stage()
    stage.answers(YES, sleep=2)
    stage.peer_says("Can we meet?")
    with stage.serving():
        assert until(lambda: len(stage.calls()) == 1)
        stage.road.close()
        assert until(lambda: bool(stage.ends()))
        time.sleep(0.5)
        stage.road.open()
        assert until(lambda: stage.texts() == [YES], 30)

    assert (len(stage.road.of(LOOK_UP)), len(stage.road.of(POST)), len(stage.calls())) == (0, 1, 1)


@case("R006", "error after bytes left → `uncertain`, query then same id")
@pytest.mark.parametrize("arrived", [True, False])
def test_r006_lost_on_the_way(stage: Stage, arrived: bool) -> None:
    """The bytes left and no answer came: the hub is asked first, and only what it does not have goes again."""
    stage.road.bad(POST, Lost if arrived else Cut)
    stage.peer_says("Can we meet?")
    stage.at("-")
    assert until(lambda: bool(stage.once()) and not stage.unacked())

    about = [each.method for each in stage.road.asked if "/replies/" in each.path or stage.road.of(POST).count(each)]
    assert about == (["POST", "GET"] if arrived else ["POST", "GET", "POST"])
    assert len({each.body["reply_id"] for each in stage.road.of(POST)}) == 1
    assert stage.texts() == [YES]


@case("R008", "kill between fetch and handler: message returns after lease; ack only after decision is durable")
@pytest.mark.parametrize("point", ["leased", "deduped", "charged", "handled"])
def test_r008_killed_before_the_decision(stage: Stage, point: str) -> None:
    """The hub has heard no ack; after the lease the message is there again and is answered."""
    asked = stage.peer_says("Can we meet?")
    assert stage.at(f"kill={point}").code == -9
    assert stage.unacked()
    assert stage.settled() == []
    assert until(lambda: bool(stage.at("ahead=6")) and stage.texts() == [YES])

    assert stage.settled() == [[asked]]
    assert not stage.unacked()


@case("R009", "handler exits 1: message stays pending; cursor never passes a gap")
def test_r009_a_failed_wake_is_not_skipped(stage: Stage) -> None:
    """The failing message stays unsettled while a later one of another contact is; with a good handler it is next."""
    other = stage.another("other")
    contact = stage.opens(other)
    stage.write(autonomy__contact_ids=[stage.contact, contact])
    stage.answers(YES, by_word={"meet": {"exit": 1}})
    stage.peer_says("Can we meet?")
    stage.says(other, contact, "And we two?")
    stage.on()

    assert (stage.texts(), stage.texts(contact)) == ([], [YES])
    assert (stage.delivery(), stage.delivery(contact=contact)) in [
        ("processing", "awaiting_peer_pickup"),
        ("awaiting_local", "awaiting_peer_pickup"),
    ]
    assert stage.status()["messages"] == {"done": 1, "in_turn": 1}
    stage.answers(YES)
    assert until(lambda: bool(stage.at("ahead=6")) and stage.texts() == [YES])
    assert sorted(stage.asked()) == [[], ["And we two?"], ["Can we meet?"]]


@case("R010", "ack by explicit ids only; inject a message between fetch and ack")
def test_r010_what_came_after_the_read_is_not_acked(stage: Stage) -> None:
    """A message that arrives while the handler thinks is not swallowed by the ack of the one before it."""
    stage.answers(YES, sleep=1.5)
    first = stage.peer_says("Can we meet?")
    process = stage.start("once")
    assert until(lambda: len(stage.calls()) == 1)
    second = stage.peer_says("And where?")
    process.communicate(timeout=60)

    assert stage.settled() == [[first]]
    assert stage.delivery() == "awaiting_local"
    stage.answers("At the station.")
    stage.on()
    assert stage.settled() == [[first], [second]]
    assert stage.texts() == [YES, "At the station."]


@case("R011", "cursor lost: dedupe table still blocks")
def test_r011_a_lost_cursor(daemon: Daemon) -> None:
    """Where a platform is read from a position, and the position is gone, everything comes again and nothing is new."""
    daemon.platform.ask(channel="DM1", direct=True)
    daemon.once()
    before = (len(daemon.calls()), len(daemon.platform.arrived))
    ledger = sqlite3.connect(daemon.folder / "state" / "ledger.db")
    assert ledger.execute("DELETE FROM source_position").rowcount == 1
    ledger.commit()
    ledger.close()
    daemon.once()

    assert before == (1, 1)
    assert (len(daemon.calls()), len(daemon.platform.arrived)) == before


@case("R011", "without it stop and report, do not run the model on old mail")
def test_r011_a_lost_ledger(stage: Stage) -> None:
    """The hub offers a message again whose ack it never got, and the ledger that knew it is gone: stop, and say so."""
    stage.peer_says("Can we meet?")
    assert stage.at("kill=sent").code == -9
    for path in (stage.folder / "state").glob("ledger.db*"):
        path.unlink()
    done = stage.ran("once")

    assert (done.code, done.error) == (3, "ledger_missing"), done.printed
    assert done.answer["error"]["fix"]
    assert (len(stage.calls()), stage.texts()) == (1, [YES])


@case("R012", "every fetched message ends in exactly one visible state; count in = count out")
def test_r012_nothing_is_dropped_without_a_trace(stage: Stage) -> None:
    """Answered, waiting, failing and foreign messages, three kills at different places: the status has every one."""
    known, stranger = stage.another("known"), stage.another("stranger")
    named, foreign = stage.opens(known), stage.opens(stranger)
    stage.write(autonomy__contact_ids=[stage.contact, named])
    stage.answers(YES, by_word={"which": {"schema_version": 1, "action": "waiting_owner", "owner_summary": "Which?"}})
    stage.peer_says("Can we meet?")
    assert stage.at("kill=charged").code == -9
    stage.says(known, named, "And which day?")
    stage.says(stranger, foreign, "Hello?")
    assert stage.at("kill=saved,ahead=6").code == -9
    stage.says(known, named, "Are you there?")
    assert stage.at("kill=acked,ahead=12").code == -9
    ahead = itertools.count(20, 10)
    assert until(lambda: stage.at(f"ahead={next(ahead)}").code == 0 and "in_turn" not in stage.status()["messages"])

    found = stage.status()
    assert found["messages"] == {"done": 1, "kept": 2, "silent": 1}
    assert [[m["text"] for m in each["messages"]] for each in found["waiting_owner"]] == [
        ["And which day?", "Are you there?"]
    ]
    assert not stage.unacked()


@case("R016", "after `resolve`, handler sees the answer; nothing already sent is sent again")
def test_r016_going_on_repeats_nothing(stage: Stage) -> None:
    """What was said before the wait was said once; the handler goes on with the owner's word."""
    stage.peer_says("Can we meet?")
    stage.on()
    stage.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    stage.peer_says("Which day?")
    stage.on()
    stage.answers("That day suits us well.")
    assert stage.resolve(contact_id=stage.contact, decision="continue", note="offer the 6th").code == 0
    assert stage.at("kill=handled").code == -9
    for ahead in (6, 12):
        stage.on(ahead)

    assert stage.texts() == [YES, "That day suits us well."]
    assert [call["owner_instruction"].endswith("offer the 6th") for call in stage.calls()] == [False, False, True, True]
    assert len({reply_id for reply_id, _ in stage.sent()}) == 2
