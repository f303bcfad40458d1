"""The packets of whole stories: what each leaves, how a chain ends and another begins, and what an export writes."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.hub.client import HubClient
from dragoman.clock import DAY, HOUR, MINUTE
from dragoman.errors import DragomanError
from dragoman.ledger.conversations import Standing
from dragoman.receiver.export import export
from dragoman.words import SendState
from tests import born
from tests.receiver.evidence_of import complaints
from tests.receiver.world import World

pytestmark = pytest.mark.slow

TAKEN = ["message", "ack accepted", "working: the handler was asked"]
ANSWERED = [*TAKEN, "waiting_input: a reply was sent"]


def packets(world: World) -> list[dict[str, Any]]:
    """Every packet of the world's ledger, in order."""
    books = world.books()
    try:
        return [json.loads(each.raw) for target in books.packets.targets() for each in books.packets.of(target)]
    finally:
        books.close()


def told(world: World) -> list[str]:
    """Every packet in a line."""
    return [line(each) for each in packets(world)]


def line(packet: dict[str, Any]) -> str:
    """A packet in a line: what it says."""
    body, kind = packet["body"], packet["profile"].split(".")[2]
    match kind:
        case "ack":
            return f"ack {body['ack_status']}"
        case "task-status":
            return f"{body['state']}: {body['progress']['summary']}"
        case "blocker":
            return f"blocker {body['blocker_type']}: {body['description']}"
        case "final-report":
            return f"report {body['outcome']}"
        case "correction":
            return f"correction: {body['reason']}"
        case _:
            return str(kind)


def verify(folder: Path) -> subprocess.CompletedProcess[str]:
    """`dragoman packet verify`, as a process."""
    command = [sys.executable, "-m", "dragoman.cli.main", "packet", "verify", str(folder), "--json"]
    return born.run(command, capture_output=True, text=True, timeout=60, check=False)


def completed(world: World) -> None:
    """A conversation that has come to its end."""
    world.answers("All clear then. Goodbye.", complete=True, owner_summary="Agreed on a day.")
    world.peer_says("Which day?")
    world.cycle()


def test_a_new_grant_begins_a_chain_that_names_the_former_report(world: World) -> None:
    """After the final report nothing is added under the same grant; the next one opens a task of its own."""
    completed(world)
    world.peer_says("Thank you!")
    world.cycle()
    assert [*TAKEN, "report completed"] == told(world)

    world.write(autonomy__grant_id="grant-2")
    world.answers("Hello again.")
    world.peer_says("One more thing, where?")
    world.cycle()
    found = packets(world)
    report, first = found[3], found[4]
    again = [*TAKEN[:2], "working: the handler was asked, under another grant of the owner", ANSWERED[3]]

    assert again == told(world)[4:]
    assert (report["message_id"], None) == (
        first["conversation"]["causation_id"],
        first["conversation"]["parent_message_id"],
    )
    ids = [each["conversation"]["correlation_id"] for each in found]
    assert [ids[0]] * 4 + [f"{ids[0]}-2"] * 4 == ids
    assert [0, 0, 1, 2] * 2 == [each["conversation"]["sequence"] for each in found]
    assert f"task-{ids[4].removeprefix('corr-')}" == found[6]["body"]["task_id"]


def test_an_export_holds_every_task_privately_and_may_be_repeated(world: World) -> None:
    """One folder a task, 0700 and 0600, byte for byte, the same twice; another file in the way is left alone."""
    completed(world)
    out = world.folder / "out"
    assert world.command("packet", "export", "--contact", world.contact, "--out", str(out)).returncode == 0
    world.write(autonomy__grant_id="grant-2")
    world.answers("Hello again.")
    world.peer_says("One more thing, where?")
    world.cycle()
    done = [world.command("packet", "export", "--contact", world.contact, "--out", str(out)) for _ in range(2)]
    assert done[0].stdout == done[1].stdout
    files = [Path(name) for name in json.loads(done[0].stdout)["packets"]]
    verified = verify(out)
    verdict = json.loads(verified.stdout)

    assert (0, 0, 0) == (done[0].returncode, done[1].returncode, verified.returncode)
    assert [json.loads(each.read_bytes()) for each in files] == packets(world)
    assert [out] * 4 + [out / "task-2"] * 4 == [each.parent for each in files]
    assert {0o600} == {stat.S_IMODE(each.stat().st_mode) for each in files}
    assert {0o700} == {stat.S_IMODE(each.parent.stat().st_mode) for each in files}
    rows = [(each["folder"], each["result"], each["state"]) for each in verdict["conversations"]]
    assert [(".", "pass", "completed"), ("task-2", "pass", "waiting")] == rows

    files[5].write_bytes(b"{}")
    refused = world.command("export", "--contact", world.contact, "--out", str(out))
    assert (2, "conflict") == (refused.returncode, json.loads(refused.stdout)["error"]["code"])
    assert 1 == verify(out).returncode
    assert b"{}" == files[5].read_bytes()


def test_an_unknown_contact_has_no_packets(world: World, tmp_path: Path) -> None:
    """It is not found, and no folder is made."""
    completed(world)
    books = world.books()
    with pytest.raises(DragomanError) as error:
        export(books, "con_none", tmp_path / "nothing")
    books.close()

    assert ("not_found", False) == (error.value.code, (tmp_path / "nothing").exists())


# --- what is not known -------------------------------------------------------------------------------------------


def taken_over(world: World) -> None:
    """Another generation of the role, under the owner's next grant."""

    async def take_over(client: HubClient) -> None:
        await client.log_in(takeover=True)

    world.as_role(world.key, take_over)
    world.write(autonomy__grant_id="grant-2")


def unknown(world: World, *, complete: bool = False) -> str:
    """A reply of which nobody knows whether it left: killed while sending, then taken over; its id."""
    world.answers("Yes, we can meet.", complete=complete)
    world.peer_says("When?")
    assert world.command("sending", "once", entry="tests.crash.receiver_at").returncode == -9
    taken_over(world)
    world.cycle()
    books = world.books()
    (decision,) = books.turns.in_state(SendState.UNCERTAIN)
    books.close()
    return decision.reply_id


UNKNOWN = [
    *TAKEN,
    "handoff",
    "waiting_owner: it is not known whether a reply left",
    "blocker validation: it is not known whether a reply left",
]
ENDS = [
    ("it arrived", False, True, ["correction: the reply was delivered"], "waiting_input"),
    ("it arrived, and that is all", True, True, ["correction: the reply was delivered", "report completed"], "working"),
    (
        "it did not arrive, and a former generation's words go no more",
        False,
        False,
        ["correction: the reply was not delivered", "waiting_owner: the task stands still"],
        "working",
    ),
]


@pytest.mark.parametrize(
    ("complete", "delivered", "left", "state"), [row[1:] for row in ENDS], ids=[r[0] for r in ENDS]
)
def test_what_becomes_known_corrects_what_was_unknown(
    world: World, complete: bool, delivered: bool, left: list[str], state: str
) -> None:
    """The owner's word supersedes the very state that called this reply unknown."""
    reply_id = unknown(world, complete=complete)
    assert UNKNOWN == told(world)
    world.resolve(reply_id=reply_id, reply_delivered=delivered)
    world.cycle()
    found = packets(world)
    wrong, correction = found[4], found[6]

    assert UNKNOWN + left == told(world)
    assert [wrong["message_id"]] == correction["body"]["history"]
    assert (wrong["message_id"], "supersede", state) == (
        correction["body"]["corrects_message_id"],
        correction["body"]["correction_kind"],
        correction["body"]["corrected_body"]["state"],
    )
    assert [{"kind": "log", "ref": f"reply:{reply_id}"}] == correction["body"]["corrected_body"]["evidence_refs"]


def test_who_took_over_looks_before_he_reports_the_end(world: World) -> None:
    """The former generation sent the last reply and died; the new one proves it, says that it looked, and reports."""
    world.answers("All clear then. Goodbye.", complete=True)
    world.peer_says("Which day?")
    assert world.command("posted", "once", entry="tests.crash.receiver_at").returncode == -9
    taken_over(world)
    world.cycle()

    assert [*TAKEN, "handoff", "working: what was handed over was looked at", "report completed"] == told(world)


def test_the_instance_that_was_taken_over_from_says_so(world: World) -> None:
    """Its last packet names what ended it; the new generation hands over after it, once."""
    world.peer_says("Can we meet?")
    world.cycle()
    running = world.running()
    taken_over(world)
    world.peer_says("And where?")
    running.communicate(timeout=60)
    before = told(world)
    world.cycle()

    blocked = "blocker access: another instance became the primary one"
    assert [*ANSWERED, blocked] == before
    assert [*ANSWERED, blocked, "handoff"] == told(world)[:6]


# --- what stands still -------------------------------------------------------------------------------------------


def test_every_stop_is_in_the_chain(world: World) -> None:
    """A limit, a pause and its end, a reminder, a closing: each once, whatever is looked at again."""
    world.write(autonomy__max_turns_per_contact=2)
    world.peer_says("Can we meet?")
    world.cycle()
    world.cycle(HOUR)
    world.cycle(HOUR)
    assert world.command("pause", f"hub/{world.key.role_id}/{world.contact}").returncode == 0
    assert world.command("resume", f"hub/{world.key.role_id}/{world.contact}").returncode == 0
    world.answers(action="waiting_owner", owner_summary="Which day suits you?")
    world.peer_says("Which day?")
    world.cycle(2 * HOUR)
    world.peer_says("Are you there?")
    world.cycle(2 * HOUR)
    world.resolve(contact_id=world.contact, decision="continue", note="Tuesday")
    for _ in range(2):
        world.cycle(3 * HOUR)
    stopped = told(world)
    world.write(autonomy__max_turns_per_contact=5, autonomy__grant_id="grant-2")
    world.cycle(4 * HOUR)
    world.resolve(contact_id=world.contact, decision="close")
    world.cycle(5 * HOUR)

    assert [
        *ANSWERED,
        "waiting_input: the owner is reminded of the wait",
        "waiting_owner: the operator paused the agent",
        "submitted: the pause is over",
        *TAKEN,
        "blocker other: the owner was asked",
        "waiting_owner: messages are kept for the owner",
        "submitted: the owner let the conversation go on",
        "waiting_owner: the task stands still",
    ] == stopped
    assert [
        "message",
        "ack accepted",
        "working: the handler was asked, under another grant of the owner",
        "blocker other: the owner was asked",
        "report cancelled",
    ] == told(world)[len(stopped) :]


def test_what_a_draft_comes_to_is_in_the_chain(world: World) -> None:
    """Held, rejected, written by the owner himself; held again, and nobody decided in time."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()
    (draft,) = world.stands()["drafts"]
    assert world.command("drafts", "reject", draft["id"]).returncode == 0
    world.cycle()
    world.resolve(contact_id=world.contact, decision="reply", message="Ask me on Tuesday.")
    world.cycle()
    world.peer_says("And today?")
    world.cycle()
    world.cycle(DAY + HOUR)

    assert [
        *TAKEN,
        "blocker authorization: a reply waits for approval",
        "waiting_owner: a held reply was rejected",
        "waiting_owner: a held reply is not sent",
        "message",
        "ack accepted",
        "working: the owner's reply is on its way",
        "waiting_input: a reply was sent",
        *TAKEN,
        "blocker authorization: a reply waits for approval",
        "waiting_owner: nobody approved a held reply in time",
        "waiting_owner: a held reply is not sent",
    ] == told(world)


def test_a_handler_that_fails_leaves_every_attempt_and_the_blocker(world: World) -> None:
    """Three attempts, then the owner."""
    world.answers("x", exit=3)
    world.peer_says("Can we meet?")
    for shift in (0, MINUTE, 2 * MINUTE, 3 * MINUTE):
        world.cycle(shift)
    failed, again = "an attempt failed; the handler is asked again later", "the handler was asked again"

    assert [
        *TAKEN,
        *(f"working: {words}" for words in (failed, again, failed, again, failed)),
        "blocker dependency: the handler failed repeatedly",
    ] == told(world)


def test_a_stranger_and_an_attended_contact_begin_with_what_stops_them(world: World) -> None:
    """Nothing was taken on: one state, or one blocker."""
    stranger = world.peer_opens()
    world.peer_says("Hello, who are you?", stranger)
    world.cycle()
    outside = told(world)
    world.write(autonomy=None)
    world.peer_says("Can we meet?")
    world.cycle()

    assert ["waiting_owner: the task stands still"] == outside
    assert "blocker authorization: nobody may answer without the owner" in told(world)


# --- the judge ---------------------------------------------------------------------------------------------------


def test_the_judge_of_the_stories_sees_what_is_wrong(world: World, tmp_path: Path) -> None:
    """A packet that is gone, one that speaks, one that was refused, and a standing that no packet tells of."""
    completed(world)
    assert [] == complaints(tmp_path)
    books = world.books()
    (target,) = books.packets.targets()
    rows = books.packets.of(target)
    with books.ledger.write():
        books.ledger.change("DELETE FROM packet WHERE number = 1")
    gone = complaints(tmp_path)
    with books.ledger.write():
        again = {"target": str(target), "n": 1, "source": rows[1].source, "id": rows[1].message_id}
        columns = "target, number, source, message_id, profile, bytes, created_at"
        spoken = rows[1].raw.replace(b"stop and ask the owner", b"All clear then. Goodbye.")
        books.ledger.change(
            f"INSERT INTO packet ({columns}) VALUES (:target, :n, :source, :id, :profile, :raw, :now)",
            **again,
            profile=rows[1].profile,
            raw=spoken,
            now=rows[1].created_at,
        )
    speaks = complaints(tmp_path)
    with books.ledger.write():
        books.ledger.change("UPDATE packet SET bytes = :raw WHERE number = 1", raw=rows[1].raw)
        books.ledger.recorder = None
        stood = books.conversations.at(target)
        books.conversations.put(type(stood)(target=target, state=Standing.WAITING_OWNER), 1)
    unsaid = complaints(tmp_path)
    with books.ledger.write():
        books.conversations.put(stood, 2)
    books.close()

    assert "parent_unknown" in gone[0]
    assert ["checksum_mismatch" in each for each in speaks] == [True, False, False]
    assert ["holds a sentence" in each for each in speaks] == [False, True, False]
    assert ["holds words of the story" in each for each in speaks] == [False, False, True]
    assert ["waits for its owner, and its chain says `completed`" in each for each in unsaid] == [True]
