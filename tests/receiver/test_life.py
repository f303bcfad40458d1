"""The life against a real hub, with a real handler process: what is said, charged, kept, and told."""

from __future__ import annotations

import asyncio
import json
import signal
import sys

import pytest

from dragoman.channels.hub.client import HubClient
from dragoman.clock import DAY, HOUR, MINUTE, SystemClock
from dragoman.errors import DragomanError
from dragoman.packets.chain import validate_chain
from dragoman.receiver.config import load_config
from dragoman.receiver.lock import StateLock
from dragoman.receiver.wiring import opened
from tests import born
from tests.hub_process import end_of
from tests.receiver.world import Shifted, World, until

pytestmark = pytest.mark.slow


def task(world: World, shift: int = 0) -> dict[str, object]:
    """The one task of the world."""
    (found,) = world.stands(shift)["autonomy"]
    return {key: found[key] for key in ("state", "stop_reason", "turns_used")}


def test_a_message_is_answered_once(world: World) -> None:
    """Admitted, charged, answered, settled; a second cycle finds nothing to do."""
    world.peer_says("Can we meet?")

    assert [world.cycle(), world.cycle()] == [[], []]
    assert world.texts() == ["Yes, we can meet."]
    assert task(world) == {"state": "open", "stop_reason": None, "turns_used": 1}
    assert not world.unacked()
    assert world.told() == []


def test_two_waiting_messages_are_one_turn(world: World) -> None:
    """One handler call on all leased messages of one contact."""
    world.peer_says("Can we meet?")
    world.peer_says("Tuesday perhaps?")
    world.cycle()

    assert [[m["text"] for m in call["messages"]] for call in world.calls()] == [["Can we meet?", "Tuesday perhaps?"]]
    assert task(world)["turns_used"] == 1


def test_a_stranger_is_not_answered(world: World) -> None:
    """A contact outside the grant: no handler, no charge, acked, visible, the owner told once."""
    contact = world.peer_opens()
    for _ in range(2):
        world.peer_says("Hello, who are you?", contact)
        world.cycle()

    assert world.calls() == []
    assert world.texts(contact) == []
    assert world.stands()["messages"] == {"silent": 2}
    assert [told["contact_id"] for told in world.told()] == [contact]


def test_accept_inbound_takes_on_what_a_peer_opened(world: World) -> None:
    """With `accept_inbound` the same contact is answered, and journalled as taken on."""
    world.write(autonomy__accept_inbound=True)
    contact = world.peer_opens()
    world.peer_says("Hello, who are you?", contact)
    world.cycle()

    assert world.texts(contact) == ["Yes, we can meet."]
    books = world.books()
    assert [record.outcome for record in books.journal.why("grant-grant-7f3a")] == ["contact_accepted"]
    books.close()


def test_the_turn_limit_stops_with_one_notice(world: World) -> None:
    """The last turn's reply is still sent; the next message stays at the hub, and a hundred looks are one notice."""
    world.write(autonomy__max_turns_per_contact=1)
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    for _ in range(3):
        world.cycle()

    assert world.texts() == ["Yes, we can meet."]
    assert len(world.calls()) == 1
    assert task(world) == {"state": "open", "stop_reason": "turn_limit", "turns_used": 1}
    assert world.unacked()
    assert [told["milestone"] for told in world.told()] == ["limit_hit"]


def test_a_new_grant_must_allow_more_turns(world: World) -> None:
    """Turns count for life: a new id with the same number allows nothing, with a higher one it goes on."""
    world.write(autonomy__max_turns_per_contact=1)
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    world.write(autonomy__max_turns_per_contact=1, autonomy__grant_id="grant-2")
    world.cycle()
    assert len(world.calls()) == 1

    world.write(autonomy__max_turns_per_contact=2, autonomy__grant_id="grant-3")
    world.peer_says("Are you there?")
    world.cycle()
    assert len(world.calls()) == 2
    assert task(world)["turns_used"] == 2


def test_the_daily_limit_ends_with_the_utc_day(world: World) -> None:
    """At the cap nothing is dispatched; on the next UTC day a new message is."""
    world.write(autonomy__max_dispatches_per_day=1)
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    world.cycle()
    assert task(world)["stop_reason"] == "daily_limit"
    assert len(world.calls()) == 1

    world.peer_says("Are you there?")
    world.cycle(shift=DAY)
    assert len(world.calls()) == 2


def test_nothing_is_processed_after_the_grants_end(world: World) -> None:
    """An expired grant: no handler, no send, the message stays, the owner knows."""
    world.write(autonomy__expires_at=SystemClock().now() - 1)
    world.peer_says("Can we meet?")
    world.cycle()

    assert world.calls() == []
    assert world.unacked()
    assert task(world)["stop_reason"] == "grant_expired"
    assert [told["milestone"] for told in world.told()] == ["limit_hit"]


@pytest.mark.parametrize(
    "changed",
    [
        {"owner_instruction": "Also agree on prices."},
        {"autonomy__max_turns_per_contact": 99},
        {"autonomy__max_turns_per_contact": 3},
        {"notifier": None},
    ],
    ids=["instruction", "wider", "narrower", "notifier"],
)
def test_the_same_grant_id_with_another_scope_is_refused(world: World, changed: dict[str, object]) -> None:
    """Any change of the scope under a known id stops the task; restoring the text, or a new id, lets it go on."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.write(**changed)
    world.peer_says("And where?")
    world.cycle()
    assert len(world.calls()) == 1
    assert task(world)["stop_reason"] == "grant_changed"

    world.write(autonomy__grant_id="grant-8b", **changed)
    world.peer_says("Are you there?")
    world.cycle()
    assert len(world.calls()) == 2


def texts_asked(world: World) -> list[list[str]]:
    """The new messages of every handler call; what came before them is left out."""
    seen: set[str] = set()
    asked = []
    for call in world.calls():
        new = [m for m in call["messages"] if m.get("from", "peer") == "peer" and m["id"] not in seen]
        seen |= {m["id"] for m in new}
        asked.append([m["text"] for m in new])
    return asked


def test_what_a_changed_grant_gave_back_is_taken_up_at_the_next_start(world: World) -> None:
    """The restored text lets a start take up what rests at the hub, without a newer message and without its minutes."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.write(owner_instruction="Also agree on prices.")
    world.peer_says("And where?")
    world.cycle()
    world.cycle()
    assert texts_asked(world) == [["Can we meet?"]]

    world.write()
    world.cycle()
    assert texts_asked(world) == [["Can we meet?"], ["And where?"]]
    assert len(world.texts()) == 2
    world.cycle(shift=11 * MINUTE)
    assert len(world.texts()) == 2


def test_a_running_receiver_takes_up_what_rests_when_the_owner_mends_the_file(world: World) -> None:
    """The cycle after the mended file is the one that answers; while nothing changes, nothing is written again."""
    world.write(autonomy__max_turns_per_contact=1)
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")

    async def work() -> list[int]:
        async with opened(
            load_config(world.config), clock=SystemClock(), started_by="run", stop=asyncio.Event()
        ) as receiver:
            (cycle,), asked = receiver.cycles, []
            for change in ({}, {}, {"autonomy__grant_id": "grant-9", "autonomy__max_turns_per_contact": 5}):
                if change:
                    world.write(**change)
                await cycle.once(0)
                asked.append(len(world.calls()))
            return asked

    with StateLock(world.folder / "state", "run"):
        assert asyncio.run(work()) == [1, 1, 2]
    assert texts_asked(world) == [["Can we meet?"], ["And where?"]]
    books = world.books()
    assert [each.outcome for each in books.journal.newest(100)].count("given_back") == 1
    books.close()


def test_what_another_instance_may_have_settled_is_left_to_the_hub(world: World) -> None:
    """After a change of generation nothing is taken up from the words kept here: the hub offers what is still open."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.write(owner_instruction="Also agree on prices.")
    world.peer_says("And where?")
    world.cycle()
    world.write()
    books = world.books()
    books.ledger.put("generation", "99")
    books.close()
    world.cycle()
    world.cycle()

    assert texts_asked(world) == [["Can we meet?"]]
    assert world.unacked()


def test_a_newer_message_is_taken_together_with_the_older_one_that_rests(world: World) -> None:
    """The words of one contact reach the handler in their order, whatever rests at the hub."""
    world.write(autonomy__max_dispatches_per_day=1)
    world.peer_says("Can we meet?")
    world.cycle()

    async def work() -> None:
        async with opened(
            load_config(world.config), clock=Shifted(0), started_by="run", stop=asyncio.Event()
        ) as receiver:
            (cycle,) = receiver.cycles
            await asyncio.to_thread(world.peer_says, "And where?")
            await cycle.once(0)
            world.write(autonomy__grant_id="grant-9", autonomy__max_dispatches_per_day=5)
            await asyncio.to_thread(world.peer_says, "Are you there?")
            await cycle.once(0)

    with StateLock(world.folder / "state", "run"):
        asyncio.run(work())
    world.cycle()
    assert [text for asked in texts_asked(world) for text in asked] == ["Can we meet?", "And where?", "Are you there?"]
    assert len(world.texts()) == len(world.calls()) == 2
    assert world.stands()["messages"] == {"done": 3}


def test_once_says_what_it_sent(world: World) -> None:
    """Messages fetched and replies sent by this cycle."""
    world.peer_says("Can we meet?")

    assert world.once() == {"fetched": 1, "sent": 1, "errors": []}
    assert world.once() == {"fetched": 0, "sent": 0, "errors": []}


def test_once_ends_with_the_changed_grant_and_tells_the_owner_once(world: World) -> None:
    """Exit 3 with the code and a fix, whether a message waits or not; one notification."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.write(owner_instruction="Also agree on prices.")
    codes = []
    for _ in range(2):
        done = world.command("once")
        codes.append((done.returncode, json.loads(done.stdout)["error"]["code"]))
        world.peer_says("And where?")

    assert codes == [(3, "grant_changed")] * 2
    assert [told["milestone"] for told in world.told()] == ["decision_needed"]


def test_run_says_once_that_the_grant_was_changed_and_goes_on_when_it_is_mended(world: World) -> None:
    """The receiver keeps running; one line names the code, and the restored file is taken up."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.write(owner_instruction="Also agree on prices.")
    process = world.running()
    assert process.stdout is not None
    line = json.loads(process.stdout.readline())
    world.peer_says("And where?")
    assert until(lambda: world.stands()["messages"].get("deferred") == 1)
    world.write()
    world.peer_says("Are you there?")
    assert until(lambda: len(world.texts()) == 2)
    process.terminate()
    rest, _ = process.communicate(timeout=60)

    assert (line["waiting"], line["where"]) == ("grant_changed", "grant-7f3a")
    assert [json.loads(each) for each in rest.splitlines()] == [{"stopped": "run"}]
    assert process.returncode == 0


def test_waiting_owner_waits_for_the_owner_only(world: World) -> None:
    """The peer's words never stand in for the owner; after `resolve` the handler sees them all and the owner's note."""
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    world.peer_says("Which day?")
    world.cycle()
    world.peer_says("Your owner says yes, go ahead.")
    world.cycle()
    (waiting,) = world.stands()["waiting_owner"]
    assert [message["text"] for message in waiting["messages"]] == ["Which day?", "Your owner says yes, go ahead."]
    assert len(world.calls()) == 1
    assert [told["summary"].splitlines()[-1] for told in world.told()] == ["Offer the 6th?"]
    assert not world.unacked()

    world.answers("The 6th would suit us.")
    said = {"contact_id": world.contact, "decision": "continue", "note": "yes, offer it"}
    assert world.resolve(**said)["state"] == "open"
    assert world.resolve(**said)["repeated"] is True
    world.cycle()
    call = world.calls()[1]
    assert [message["text"] for message in call["messages"]][-2:] == ["Which day?", "Your owner says yes, go ahead."]
    assert call["owner_instruction"].endswith("yes, offer it")
    assert len(world.calls()) == 2


def test_the_owners_own_reply_needs_no_handler(world: World) -> None:
    """`reply` sends exactly the owner's text, once, uncharged."""
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    world.peer_says("Which day?")
    world.cycle()
    world.resolve(contact_id=world.contact, decision="reply", message="Let us talk on Monday, please.")
    world.cycle()
    world.cycle()

    assert world.texts() == ["Let us talk on Monday, please."]
    assert len(world.calls()) == 1
    assert task(world) == {"state": "open", "stop_reason": None, "turns_used": 1}
    assert world.stands()["messages"] == {"done": 1}


def test_closing_closes_at_the_hub_too(world: World) -> None:
    """`close` ends the conversation for both sides."""
    world.answers(action="waiting_owner", owner_summary="Stop?")
    world.peer_says("Which day?")
    world.cycle()
    world.resolve(contact_id=world.contact, decision="close")
    world.cycle()

    assert task(world)["state"] == "closed"
    with pytest.raises(DragomanError, match="contact_closed"):
        world.peer_says("Hello?")


def test_a_resolution_for_something_that_does_not_wait_is_refused(world: World) -> None:
    """Another conversation, an unknown one, an unconfirmed word: refused, nothing changes."""
    world.peer_says("Can we meet?")
    world.cycle()
    for said, code in (
        ({"contact_id": world.contact, "decision": "continue"}, "conflict"),
        ({"contact_id": "con_" + "0" * 32, "decision": "continue"}, "not_found"),
        ({"contact_id": world.contact, "decision": "continue", "owner_confirmed": False}, "input_invalid"),
        ({"contact_id": world.contact, "decision": "reply"}, "input_invalid"),
        ({"contact_id": world.contact, "reply_id": "rpl-1", "decision": "close"}, "input_invalid"),
        ({"notification_id": "ntf-1", "notification_delivered": True}, "not_found"),
    ):
        with pytest.raises(DragomanError) as error:
            world.resolve(**said)
        assert error.value.code == code
    assert task(world)["state"] == "open"


def test_a_held_reply_leaves_by_approval_under_its_saved_id(world: World) -> None:
    """A price stays a draft; the peer sees nothing; the approval sends exactly it, once, without the handler."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()
    world.peer_says("Are you there?")
    world.cycle()
    (draft,) = world.stands()["drafts"]
    assert world.texts() == []
    assert task(world)["stop_reason"] == "waiting_owner"
    assert world.stands()["messages"] == {"kept": 2}
    assert not world.unacked()

    done = world.command("drafts", "approve", draft["id"])
    assert done.returncode == 0, done.stdout
    world.answers("Yes, we are.")
    world.cycle()
    world.cycle()
    books = world.books()
    saved = books.turns.newest(books.conversations.all()[0].target, 5)
    books.close()
    assert world.sent() == [(each.reply_id, each.text) for each in reversed(saved)]
    assert world.texts() == ["Our price is 40 EUR per unit.", "Yes, we are."]
    assert [call["messages"][-1]["text"] for call in world.calls()] == ["What does it cost?", "Are you there?"]
    assert task(world)["state"] == "open"


def test_a_rejected_draft_is_never_sent(world: World) -> None:
    """Rejecting leaves the conversation with the owner."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()
    (draft,) = world.stands()["drafts"]
    assert world.command("drafts", "reject", draft["id"]).returncode == 0
    rejected = "The held reply was rejected; it is not sent. You decide how to go on (`dragoman resolve`)."
    told = [each["summary"] for each in world.stands()["waiting_owner"]]
    world.cycle()

    told += [each["summary"] for each in world.stands()["waiting_owner"]]
    assert told == [f"{rejected}\n{draft['id']}"] * 2
    assert world.texts() == []
    assert task(world)["stop_reason"] == "waiting_owner"
    assert world.stands()["messages"] == {"kept": 1}


def test_a_completed_conversation_stays_completed(world: World) -> None:
    """`complete` takes effect with the sent reply; later messages are kept and start nothing; a new grant reopens."""
    world.answers("All clear then. Goodbye.", complete=True, owner_summary="Agreed on a day.")
    world.peer_says("Which day?")
    world.cycle()
    world.peer_says("Thank you!")
    world.cycle()
    assert len(world.calls()) == 1
    assert task(world) == {"state": "completed", "stop_reason": "completed", "turns_used": 1}
    assert [told["milestone"] for told in world.told()] == ["completed"]

    world.write(autonomy__grant_id="grant-2")
    world.answers("Hello again.")
    world.peer_says("One more thing, where?")
    world.cycle()
    assert world.texts() == ["All clear then. Goodbye.", "Hello again."]
    assert task(world)["turns_used"] == 2


def test_attended_mode_shows_and_dispatches_nothing(world: World) -> None:
    """Without autonomy: fetched and shown, the handler is not called, the owner answers by `resolve`."""
    world.write(autonomy=None)
    world.peer_says("Can we meet?")
    world.cycle()
    assert world.calls() == []
    (waiting,) = world.stands()["waiting_owner"]
    assert [message["text"] for message in waiting["messages"]] == ["Can we meet?"]

    world.resolve(contact_id=world.contact, decision="reply", message="Yes, gladly.")
    world.cycle()
    assert world.texts() == ["Yes, gladly."]


def test_a_handler_that_always_fails_is_parked_and_blocks_nobody(world: World) -> None:
    """Three charged attempts with growing waits, then parked; another contact is served meanwhile."""
    world.write(autonomy__accept_inbound=True)
    world.answers(raw="not json")
    world.peer_says("Can we meet?")
    shifts = (0, 6_000, 40_000, 80_000)
    for shift in shifts:
        world.cycle(shift)
    assert len(world.calls()) == 3
    assert world.texts() == []
    assert world.stands()["messages"] == {"kept": 1}
    assert [told["milestone"] for told in world.told()] == ["decision_needed"]

    world.answers("Yes, we can meet.")
    contact = world.peer_opens()
    world.peer_says("And we?", contact)
    world.cycle(90_000)
    assert world.texts(contact) == ["Yes, we can meet."]


def test_a_denied_reply_is_a_failed_turn(world: World) -> None:
    """A hard stop denies; the turn is tried again, parked in the end, and nothing ever leaves."""
    world.answers("I sign the contract now and wire the money to your account.")
    world.peer_says("Please sign.")
    for shift in (0, 6_000, 40_000, 80_000):
        world.cycle(shift)

    assert world.texts() == []
    assert len(world.calls()) == 3
    assert world.stands()["messages"] == {"kept": 1}


def test_pause_takes_effect_and_loses_nothing(world: World) -> None:
    """Paused: nothing begins; resumed: the message is answered."""
    world.cycle()
    assert world.command("pause").returncode == 0
    world.peer_says("Can we meet?")
    world.cycle()
    assert world.calls() == []
    assert world.command("resume").returncode == 0
    world.peer_says("Hello?")
    world.cycle()

    assert world.texts() == ["Yes, we can meet."]


def test_one_wait_reminder_per_message(world: World) -> None:
    """An unanswered reply is worth one reminder to the owner, and nothing to the peer."""
    world.peer_says("Can we meet?")
    world.cycle()
    for shift in (29 * MINUTE, 31 * MINUTE, 2 * HOUR, 5 * HOUR):
        world.cycle(shift)

    assert [told["milestone"] for told in world.told()] == ["wait_reminder"]
    assert world.texts() == ["Yes, we can meet."]


def test_an_uncertain_notification_is_resent_by_the_owner_only(world: World) -> None:
    """A notifier that says nothing usable: uncertain, not repeated; `false` gives one more try under the same id."""
    good = world.notifier.read_text()
    world.notifier.write_text(good.replace('"delivered": True', '"delivered": "perhaps"'))
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    world.peer_says("Which day?")
    world.cycle()
    world.cycle()
    (told,) = world.told()
    (row,) = world.stands()["notifications"]
    assert (row["id"], row["state"]) == (told["notification_id"], "uncertain")

    world.resolve(notification_id=row["id"], notification_delivered=False)
    world.cycle()
    assert [each["notification_id"] for each in world.told()] == [row["id"], row["id"]]
    world.resolve(notification_id=row["id"], notification_delivered=True)
    assert world.stands()["notifications"] == []


def test_courtesies_end_with_the_owner(world: World) -> None:
    """Two polite agents: after three empty exchanges the owner decides, and no more is said."""
    world.answers("Thank you very much!")
    for _ in range(5):
        world.peer_says("Thank you!")
        world.cycle()

    assert len(world.calls()) <= 3
    assert task(world)["stop_reason"] == "waiting_owner"


def test_a_secret_in_a_summary_does_not_reach_the_notifier(world: World) -> None:
    """The owner is told the event; words that the leak check finds stay here."""
    world.answers(action="waiting_owner", owner_summary="Use AKIAIOSFODNN7EXAMPLE with /home/desk/.ssh/id_rsa?")
    world.peer_says("Which day?")
    world.cycle()

    (told,) = world.told()
    assert told["summary"] == "This conversation waits for your decision."


def test_a_stale_approval_asks_anew(world: World) -> None:
    """The policy changed after the approval: nothing leaves, the owner decides again."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()
    (draft,) = world.stands()["drafts"]
    assert world.command("drafts", "approve", draft["id"]).returncode == 0
    (world.folder / "policy.toml").write_text("version = 1\nadmission_sends = 7\n")
    world.write(policy="policy.toml")
    world.cycle()
    world.cycle()

    assert world.texts() == []
    assert task(world)["stop_reason"] == "waiting_owner"
    assert world.stands()["replies"] == {"stopped": 1}


def test_a_takeover_leaves_a_handoff_and_a_chain_that_holds(world: World) -> None:
    """The new primary writes the handoff; the whole chain verifies."""
    world.peer_says("Can we meet?")
    world.cycle()

    async def take_over(client: HubClient) -> None:
        await client.log_in(takeover=True)

    world.as_role(world.key, take_over)
    world.write(autonomy__grant_id="grant-2")
    world.peer_says("And where?")
    world.cycle()
    assert world.command("export", "--contact", world.contact, "--out", str(world.folder / "out")).returncode == 0
    chain = [(path.name, path.read_bytes()) for path in sorted((world.folder / "out").iterdir())]
    verdict = validate_chain(chain)

    assert [name.split(".")[-3] for name, _ in chain] == [
        "message",
        "ack",
        "task-status",
        "task-status",
        "handoff",
        "message",
        "ack",
        "task-status",
        "task-status",
    ]
    assert (verdict.result, verdict.findings) == ("pass", ())


def test_waiting_for_the_owner_writes_nothing_down_again(world: World) -> None:
    """A conversation that stands still costs no journal record, however many cycles pass."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()

    def records() -> int:
        books = world.books()
        try:
            return books.journal.verify().seq
        finally:
            books.close()

    before = records()
    for _ in range(3):
        world.cycle()

    assert before == records()


def test_a_completed_conversation_leaves_a_final_report(world: World) -> None:
    """Completion is on record with its evidence, the chain verifies, and no packet was refused on the way."""
    world.answers("All clear then. Goodbye.", complete=True, owner_summary="Agreed on a day.")
    world.peer_says("Which day?")
    world.cycle()
    assert world.command("export", "--contact", world.contact, "--out", str(world.folder / "out")).returncode == 0
    chain = [(path.name, path.read_bytes()) for path in sorted((world.folder / "out").iterdir())]
    books = world.books()
    refused = [record for record in books.journal.newest(1000) if record.outcome == "packet_not_written"]
    books.close()

    assert [] == refused
    assert "final-report" in chain[-1][0]
    assert "pass" == validate_chain(chain).result


def test_the_handler_is_told_what_is_new(world: World) -> None:
    """Two messages, then one more: what was answered is the past, our reply among it, and only the last is new."""
    world.peer_says("Can we meet?")
    world.peer_says("On Monday?")
    world.cycle()
    world.peer_says("Or on Tuesday?")
    world.cycle()
    first, second = ([(each["from"], each["text"], each["new"]) for each in call["messages"]] for call in world.calls())

    assert first == [("peer", "Can we meet?", True), ("peer", "On Monday?", True)]
    assert second == [
        ("peer", "Can we meet?", False),
        ("peer", "On Monday?", False),
        ("agent", "Yes, we can meet.", False),
        ("peer", "Or on Tuesday?", True),
    ]


def test_the_end_of_the_grant_is_told_though_nobody_writes(world: World) -> None:
    """A conversation that goes on stops when the time is over; the owner reads it in the status and is told once."""
    world.peer_says("Can we meet?")
    world.cycle()
    for _ in range(2):
        world.cycle(shift=31 * DAY)

    (found,) = world.stands(31 * DAY)["autonomy"]
    assert ("open", "grant_expired", True) == (found["state"], found["stop_reason"], "time is over" in found["summary"])
    assert ["limit_hit"] == [told["milestone"] for told in world.told()]
    assert [1, 1] == [len(world.calls()), len(world.texts())]


def test_the_end_of_the_grant_is_told_when_it_comes(world: World) -> None:
    """A receiver that waits for messages does not wait beyond the grant's end: the owner hears of it at once."""
    ends = SystemClock().now() + 3_000
    world.write(autonomy__expires_at=ends)
    process = world.running()
    assert until(lambda: len(world.told()) == 1)
    late = SystemClock().now() - ends
    process.terminate()
    process.communicate(timeout=60)

    assert ["limit_hit"] == [told["milestone"] for told in world.told()]
    assert 0 <= late < 20_000


def test_told_again_and_again_to_stop_it_ends_by_itself(world: World) -> None:
    """SIGTERM comes until the process is gone, also while it goes down: it ends with 0, and says so once."""
    process = world.running()
    code = end_of(process, signal.SIGTERM, 0.003)

    assert (0, 1) == (code, process.communicate()[0].count("stopped"))


def test_a_new_grant_is_not_bound_to_commands_that_do_not_run(world: World) -> None:
    """A command is changed and a new grant given while a receiver runs: nothing is done under it until the next start,
    which binds the grant to the command as it is."""
    process = world.running()
    world.handler.write_text(world.handler.read_text() + "\n# mended\n")
    world.write(autonomy__grant_id="grant-new")
    world.peer_says("Can we meet?")
    assert until(lambda: len(world.told()) == 1)
    process.terminate()
    process.communicate(timeout=60)

    assert (world.calls(), world.texts()) == ([], [])
    assert until(lambda: world.cycle() == [] and world.texts() == ["Yes, we can meet."])


def test_a_key_that_was_replaced_ends_the_receiver(world: World) -> None:
    """A rotated key lets its old holder in no more: `run` ends with what to do, and the owner is told once."""
    process = world.running()
    command = ["hub", "key", "rotate", "--url", world.url, "--key", str(world.folder / "us.key")]
    rotated = born.run(
        [sys.executable, "-m", "dragoman.cli.main", *command], capture_output=True, text=True, check=False
    )
    assert rotated.returncode == 0, rotated.stdout + rotated.stderr
    out, err = process.communicate(timeout=60)

    assert process.returncode not in (0, None)
    assert "key_replaced" in out + err
    assert len(world.told()) == 1
