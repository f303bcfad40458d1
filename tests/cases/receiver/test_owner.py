"""3E: waiting for the owner, whose word is entered by a process of its own. Nothing of it lives in memory."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from tests.cases.receiver.stage import YES, Stage, seconds
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
ASK = {"action": "waiting_owner", "owner_summary": "Offer the 6th?"}


def waits(stage: Stage) -> dict[str, Any]:
    """The one conversation that waits for the owner."""
    (found,) = stage.status()["waiting_owner"]
    return dict(found)


def asked(stage: Stage) -> None:
    """The peer has asked something that the handler asks the owner."""
    stage.answers(**ASK)
    stage.peer_says("Which day?")
    stage.on()


@case("R056", "kill -9 in `waiting_owner`: same id, same state, one notice in total")
def test_r056_waiting_survives_a_kill(stage: Stage) -> None:
    """Before and after the kill the same stands, to the letter, and nobody is told a second time."""
    stage.answers(**ASK)
    stage.peer_says("Which day?")
    with stage.serving() as process:
        assert until(lambda: bool(stage.told()) and bool(stage.status()["waiting_owner"]))
        before = waits(stage)
        process.kill()
    with stage.serving():
        assert until(lambda: stage.status()["background"]["last_cycle"]["seq"] >= 2)
    stage.on()

    assert waits(stage) == before
    assert (len(stage.told()), len(stage.calls())) == (1, 1)


@case("R058", "resolve then handler crash: resolution still available or clearly re-askable")
@pytest.mark.parametrize("point", ["charged", "handled"])
def test_r058_the_answer_outlives_a_crash(stage: Stage, point: str) -> None:
    """The run that should have used the owner's word dies; the next one has it."""
    asked(stage)
    stage.answers(YES)
    assert stage.resolve(contact_id=stage.contact, decision="continue", note="yes, offer it").code == 0
    assert stage.at(f"kill={point}").code == -9
    for ahead in (6, 12):
        stage.on(ahead)

    assert stage.texts() == [YES]
    assert stage.calls()[-1]["owner_instruction"].endswith("yes, offer it")


@case("R058", "resolution still available or clearly re-askable")
def test_r058_a_handler_that_never_works_asks_again(stage: Stage) -> None:
    """Three failures after the owner's word: the conversation waits for him again, and he is told."""
    asked(stage)
    stage.answers(exit=1)
    assert stage.resolve(contact_id=stage.contact, decision="continue", note="yes, offer it").code == 0
    for ahead in (0, 6, 40, 80):
        stage.on(ahead)

    assert waits(stage)["contact_id"] == stage.contact
    assert [told["milestone"] for told in stage.told()] == ["decision_needed"] * 2


@case("R059", "resolution with old/other id → refused, state unchanged; repeat of the same resolution → no-op")
def test_r059_a_word_for_another_request(stage: Stage) -> None:
    """Ids of another contact, reply and notification are refused; the same word twice is one word."""
    asked(stage)
    before = waits(stage)
    other = stage.opens(stage.another("other"))
    (old,) = stage.told()
    for said, code in (
        ({"contact_id": other, "decision": "continue"}, "not_found"),
        ({"reply_id": "rpl-" + "0" * 32, "reply_delivered": True}, "not_found"),
        ({"notification_id": "ntf-" + "0" * 32, "notification_delivered": False}, "not_found"),
        ({"notification_id": old["notification_id"], "notification_delivered": False}, "conflict"),
    ):
        done = stage.resolve(**said)
        assert (done.code, done.error) == (2, code), said
        assert waits(stage) == before
    word = {"contact_id": stage.contact, "decision": "reply", "message": "On Monday, please."}
    assert [stage.resolve(**word).answer.get("repeated", False) for _ in range(3)] == [False, True, True]
    stage.on()
    assert stage.resolve(**word).answer.get("repeated") is True
    stage.on()

    assert (stage.texts(), len(stage.calls())) == (["On Monday, please."], 1)


@case("R059", "resolution with old/other id → refused, state unchanged")
def test_r059_the_answer_to_one_question_is_not_the_next_ones(stage: Stage) -> None:
    """A second question arises; what the owner said to the first does not answer it by itself."""
    asked(stage)
    assert stage.resolve(contact_id=stage.contact, decision="continue", note="yes, offer it").code == 0
    stage.on()
    stage.peer_says("And which room?")
    stage.on()

    assert waits(stage)["stop_reason"] == "waiting_owner"
    assert stage.texts() == []


@case("R059", "resolution with old/other id → refused, state unchanged")
def test_r059_a_word_names_its_question(stage: Stage) -> None:
    """The owner's word carries the question that was shown; said again when another waits, it is refused."""
    asked(stage)
    word = {"contact_id": stage.contact, "decision": "continue", "question_id": waits(stage)["question_id"]}
    assert stage.resolve(**word).code == 0
    stage.on()
    stage.peer_says("And which room?")
    stage.on()
    before = waits(stage)
    late = stage.resolve(**word)

    assert (late.code, late.error) == (2, "conflict")
    assert (waits(stage), stage.texts()) == (before, [])
    assert stage.resolve(**word | {"question_id": before["question_id"]}).code == 0


@case("R061", "grant/generation changed while waiting → terminal stale answer quickly")
@pytest.mark.parametrize("changed", ["grant", "generation"])
def test_r061_a_stale_approval_is_said_to_be_stale(stage: Stage, changed: str) -> None:
    """A draft waits, then the grant's text or the generation changes: at once and for good nothing goes out."""
    stage.answers("Our price is 40 EUR per unit.")
    stage.peer_says("What does it cost?")
    stage.on()
    (draft,) = stage.status()["drafts"]
    if changed == "grant":
        stage.write(owner_instruction="Another task.")
    else:
        stage.taken_over()
    began = time.monotonic()
    stage.ran("drafts", "approve", draft["id"])
    ends = [stage.ran("once") for _ in range(2)]

    assert [(done.code, done.error) for done in ends] == [
        (3, "grant_changed" if changed == "grant" else "not_ready"),
    ] * 2
    assert all(done.answer["error"]["fix"] for done in ends)
    assert seconds(began) < 30
    assert stage.texts() == []


NO_NOTICE = """
CREATE TRIGGER no_notice BEFORE INSERT ON notification BEGIN SELECT RAISE(ABORT, 'no notice'); END;
"""


@case("R062", "notice row and state change in one transaction")
def test_r062_no_question_without_its_notice(stage: Stage) -> None:
    """Where the notice cannot be written the conversation does not wait either; with both, both are there."""
    stage.on()
    ledger = sqlite3.connect(stage.folder / "state" / "ledger.db", isolation_level=None)
    ledger.executescript(NO_NOTICE)
    stage.answers(**ASK)
    stage.peer_says("Which day?")
    done = stage.ran("once")
    assert done.code == 3, done.printed
    assert (stage.status()["waiting_owner"], stage.told()) == ([], [])
    assert stage.status()["replies"] == {}
    ledger.execute("DROP TRIGGER no_notice")
    ledger.close()
    for ahead in (6, 12):
        stage.on(ahead)

    assert waits(stage)["contact_id"] == stage.contact
    assert [told["milestone"] for told in stage.told()] == ["decision_needed"]
