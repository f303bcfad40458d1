"""The reports about runs: whom a real receiver asks its handler about, and whom not.

`daemon.once()` is one cycle of `dragoman once`; `calls()` is what the handler was handed, `platform` what arrived.
"""

from __future__ import annotations

import json
import time

import pytest

from tests.cases.doors import WORLD, Daemon, wait
from tests.cases.reports import case
from tests.cases.runs import PLAIN, PRICE, at, held, texts_of

pytestmark = pytest.mark.slow


BURST = {"album": "a1", "attachments": 1}


# --- nobody asked ----------------------------------------------------------------------------------------------------


@case("O06", "zero typing, zero reaction, zero read-ack")
@case("C01", "MUTE/no_request; zero profile or history look-ups")
@case("O04", "MUTE/no_request")
def test_o06_what_nobody_asked_costs_nothing(daemon: Daemon) -> None:
    """Chatter, a thread we spoke in, an unlisted group: no model call, no sign of any kind on the platform."""
    daemon.platform.write("pallets arrive on Monday")
    daemon.platform.write("and the second week?", thread="t1")
    daemon.platform.write("hello there", channel="UNK")
    assert {"fetched": 3, "sent": 0, "errors": []} == daemon.once()

    assert ([], []) == (daemon.calls(), daemon.platform.arrived)
    assert [("silent", "not_requested")] * 3 == daemon.journal("event")


@case("B05", "MUTE/synthetic_requires_operator_request; no model call at all")
@case("H08", "MUTE/synthetic_requires_operator_request; result returns to the parent run only")
@case("H23", "MUTE/synthetic_requires_operator_request")
def test_b05_our_own_events_without_a_grant(daemon: Daemon) -> None:
    """A nudge after a restart, a sub-agent that is done, every request flag forged: no call, nothing said."""
    daemon.platform.fire(None)
    daemon.platform.fire(None, channel="DM1", direct=True)
    daemon.platform.fire("invented", mentions=["desk"], reply_to="desk")
    daemon.once()

    assert ([], []) == (daemon.calls(), daemon.platform.arrived)
    assert {("silent", "synthetic_without_grant")} == set(daemon.journal("event"))


@case("O12", "MUTE; one passive record; zero model, enrichment, media")
@case(
    "C012", "outcome=silent with zero setMessageReaction, zero sendChatAction, zero sends, zero model and media calls"
)
def test_o12_observing_is_no_permission_to_act(daemon: Daemon) -> None:
    """An external group that is observed, files and all: silent, one record, no call."""
    observing = 'observe_unmentioned_group_messages = true\nobservation_seconds = 3600\nobservation_access = "agent"'
    daemon.policy(at(WORLD, "EXT", observing))
    daemon.platform.write("truck is late, sorry all", attachments=1)
    daemon.once()

    assert ([], []) == (daemon.calls(), daemon.platform.arrived)
    assert [("silent", "not_requested")] == daemon.journal()


@case("O14", "only lines of the same target and inside retention; none from MUTE-by-access senders")
def test_o14_what_was_observed_is_read_there_and_only_there(daemon: Daemon) -> None:
    """A question after twenty observed lines: the handler reads those of this room, of people who may speak there."""
    observing = 'observe_unmentioned_group_messages = true\nobservation_seconds = 3600\nobservation_access = "agent"'
    daemon.policy(at(at(WORLD, "EXT", observing), "INT", observing))
    for number in range(20):
        daemon.platform.write(f"line {number}")
    daemon.platform.write("a line of our own room", channel="INT")
    daemon.platform.write("a line of a denied sender", author="mallory")
    daemon.once()
    daemon.platform.ask("is the truck late?")
    daemon.once()

    (call,) = daemon.calls()
    observed = [message["text"] for message in call["messages"] if message["from"] == "observed"]
    assert observed
    assert set(observed) <= {f"line {number}" for number in range(20)}
    daemon.platform.ask("and now?")
    daemon.once(ahead=3700)
    assert [] == [message for message in daemon.calls()[-1]["messages"] if message["from"] == "observed"]


@case("O07", "no interim ack on ext")
@case("C012", "never_silent_ack has no effect because the channel is external")
@case("O08", "MUTE; flag never overrides consent")
@case("O09", "one operational ack allowed")
def test_o07_an_acknowledgement_is_internal_and_asked_for(daemon: Daemon) -> None:
    """Switched on for outsiders it is no policy; for our own rooms: one short sign, when asked, with no guest there."""
    flag = "never_silent_ack = true"
    daemon.policy(at(at(WORLD, "EXT", flag), "INT", flag))
    daemon.platform.ask()
    assert "policy_invalid" == json.loads(daemon.command("once").out)["error"]["code"]

    daemon.policy(at(at(WORLD, "OPS", flag), "INT", flag))
    daemon.platform.there(INT=False, OPS=True)
    daemon.platform.ask(channel="OPS", author="jordan")
    daemon.platform.write("pallets arrive on Monday", channel="INT", author="jordan")
    daemon.platform.ask("when do they arrive?", channel="INT", author="jordan")
    daemon.once()
    daemon.once()

    assert ([PLAIN], [PLAIN]) == (daemon.platform.texts("EXT"), daemon.platform.texts("OPS"))
    assert ["On it.", PLAIN] == daemon.platform.texts("INT")


@case("P01", "MUTE/no_request")
@case("P03", "as P02")
@case("P05", "not a request; MUTE")
def test_p01_a_colleague_took_over(daemon: Daemon) -> None:
    """Our operator answers a buyer by hand: his message asks nothing, and for ten minutes the buyer is his."""
    daemon.platform.write("I will look into it", author="oper")
    daemon.once()
    daemon.platform.ask()
    daemon.once()
    assert [] == daemon.calls()
    daemon.platform.ask("are you still there?")
    daemon.once(ahead=660)

    assert [("silent", "not_requested"), ("silent", "human_takeover"), ("respond", "agent_mentioned")] == (
        daemon.journal("event")
    )
    assert [PLAIN] == daemon.platform.texts()


@case("D19", "second B2 message without new grant: MUTE; grants have a count")
def test_d19_a_loop_runs_out_of_its_grant(daemon: Daemon) -> None:
    """The bot that was let in for one answer asks again and again: it gets one."""
    daemon.policy(WORLD.replace("max_total = 3", "max_total = 1"))
    for _ in range(4):
        daemon.platform.ask("status?", author="B2", bot=True)
        daemon.once()

    assert (1, [PLAIN]) == (len(daemon.calls()), daemon.platform.texts())


# --- duplicates, backlog, bursts -------------------------------------------------------------------------------------


@case("E05b", "one RESPOND")
@case("L05", "exactly one decision, one send")
@case("L06", "REJECT/duplicate*")
@case("C059", "the same saved item never calls the model twice")
def test_l05_the_same_message_again(daemon: Daemon) -> None:
    """Twice in one cycle, and once more in a later process: one model call, one answer."""
    daemon.platform.ask(channel="DM1", direct=True, id="same")
    daemon.platform.ask(channel="DM1", direct=True, id="same")
    daemon.once()
    daemon.platform.ask(channel="DM1", direct=True, id="same")
    daemon.once()

    assert (1, [PLAIN]) == (len(daemon.calls()), daemon.platform.texts())


@case("L11", "REJECT/stale* beyond a configured age; never 100 replies")
def test_l11_a_backlog_is_not_answered(daemon: Daemon) -> None:
    """A hundred questions, eight hours old, come in at once: none is answered, the fresh one is."""
    for _ in range(100):
        daemon.platform.ask(sent_at=1_790_000_000_000)
    daemon.platform.ask("and today?")
    daemon.until(lambda: len(daemon.platform.arrived) == 1)

    assert [["and today?"]] == [texts_of(call) for call in daemon.calls()]
    assert {("rejected", "stale"): 100, ("respond", "agent_mentioned"): 1} == {
        each: daemon.journal("event").count(each) for each in set(daemon.journal("event"))
    }


@case("C066", "processed normally, once", "already resolved -> no effect", "not answered four days late as if current")
def test_c066_after_days_off(daemon: Daemon) -> None:
    """An approval that was used, a question of four days ago, a fresh one, and the approval again: one answer."""
    draft = held(daemon, "DM2")
    daemon.order(f"/approve {draft}")
    daemon.once()
    daemon.once()
    daemon.answers(PLAIN)
    daemon.platform.ask("are you there?", sent_at=int(time.time() - 345_600) * 1000)
    daemon.platform.ask("is the 13th free?", sent_at=int(time.time() - 3) * 1000)
    daemon.order(f"/approve {draft}")
    daemon.until(lambda: daemon.platform.texts("EXT") != [])

    assert ([PLAIN], [PRICE]) == (daemon.platform.texts("EXT"), daemon.platform.texts("DM2"))
    assert [] == [call for call in daemon.calls() if "are you there?" in texts_of(call)]


@case("C065", "the second on h1 exits at once with a plain message naming the holder")
def test_c065_one_receiver_over_one_state(daemon: Daemon) -> None:
    """A receiver runs and somebody starts another: that one ends with `state_locked`, and nobody is answered twice."""
    with daemon.running() as process:
        error = json.loads(daemon.command("once").out)["error"]
        daemon.platform.ask()
        wait(lambda: daemon.platform.arrived != [])

    assert ("state_locked", True) == (error["code"], str(process.pid) in json.dumps(error))
    assert [PLAIN] == daemon.platform.texts()


@case("F01", "DEFER/attachment_burst_pending until quiet or cap; then exactly one RESPOND")
@case("F03", "deadline-based completion only")
def test_f01_an_album_is_one_answer(daemon: Daemon) -> None:
    """Three updates, the mention on the first, no mark of the last: one call about all of them, once it is quiet."""
    daemon.platform.ask("do these fit?", **BURST)
    daemon.platform.write("", **BURST)
    daemon.once()
    assert ([], []) == (daemon.calls(), daemon.platform.arrived)
    daemon.platform.write("", **BURST)
    daemon.until(lambda: daemon.platform.arrived != [])

    assert [3] == [sum(message["attachments"] for message in call["messages"]) for call in daemon.calls()]
    assert ("defer", "attachment_burst") == daemon.journal("event")[0]


@case("F02", "never a second reply")
def test_f02_a_late_part_brings_no_second_answer(daemon: Daemon) -> None:
    """The third picture comes when the answer is out: it is silent."""
    daemon.platform.ask("do these fit?", **BURST)
    daemon.platform.write("", **BURST)
    daemon.until(lambda: daemon.platform.arrived != [])
    daemon.platform.write("", **BURST)
    daemon.once()
    daemon.once(ahead=5)

    assert ([PLAIN], 1) == (daemon.platform.texts(), len(daemon.calls()))


@case("F11", "DEFER then MUTE; no reply")
def test_f11_a_request_deleted_while_it_waits(daemon: Daemon) -> None:
    """The mentioning part is deleted before it is quiet: nothing is answered."""
    asked = daemon.platform.ask("do these fit?", **BURST)
    daemon.platform.write("", **BURST)
    daemon.once()
    daemon.platform.write("", kind="other", deletes=asked)
    daemon.once()
    daemon.once(ahead=5)

    assert ([], []) == (daemon.calls(), daemon.platform.arrived)
    assert ("defer", "attachment_burst") in daemon.journal("event")


@case("F01", "then exactly one RESPOND")
@case("E13", "RESPOND/one_to_one_request ext (after burst end)")
def test_e13_files_alone_in_a_one_to_one_survive_a_kill(daemon: Daemon) -> None:
    """No text, one file, and the receiver dies while it waits for more: answered once, by the next one."""
    daemon.platform.write("", channel="DM1", direct=True, attachments=1)
    daemon.dies("admitted")
    daemon.until(lambda: daemon.platform.arrived != [])
    daemon.once(ahead=5)

    assert ([PLAIN], 1) == (daemon.platform.texts("DM1"), len(daemon.calls()))


@case("C027", "Being unable to carry a mention is not an exemption")
@case("F10", "REJECT or MUTE/access_denied*")
def test_c027_files_nobody_asked_about(daemon: Daemon) -> None:
    """Files in groups, in a thread, in an unlisted place, and a stop from where nobody may speak: nothing is done."""
    daemon.policy(WORLD.replace('unknown_targets = "explicit_requests"', 'unknown_targets = "closed"'))
    daemon.platform.write("", **BURST)
    daemon.platform.write("", attachments=2, thread="t1")
    daemon.platform.write("", channel="UNK", attachments=1)
    daemon.platform.write("/stop", channel="UNK")
    daemon.once()
    daemon.once(ahead=5)

    assert ([], []) == (daemon.calls(), daemon.platform.arrived)


@case("F12", "RESPOND, final = honest limit + smallest useful ask; no invented content")
def test_f12_a_file_that_nobody_can_read(daemon: Daemon) -> None:
    """The handler is told that there is a file, not what is in it; an honest limit leaves, an invented figure waits."""
    daemon.answers("I can't read that attachment here. Please paste the relevant part.")
    daemon.platform.ask("does the attached spec match?", attachments=1)
    daemon.until(lambda: daemon.platform.arrived != [])
    daemon.answers("Yes, it matches: the shelf carries 340 kg.")
    daemon.platform.ask("and this one?", attachments=1)
    daemon.until(lambda: len(daemon.calls()) == 2)

    assert [1, 1] == [call["messages"][-1]["attachments"] for call in daemon.calls()]
    assert ["I can't read that attachment here. Please paste the relevant part."] == daemon.platform.texts()
    assert ["unverified_claim"] == [draft["reason"] for draft in daemon.drafts()]
