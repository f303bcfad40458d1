"""`dragoman status` as the owner meets it: what waits first, each with the command that really answers it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.cli.language import without_flag
from dragoman.cli.standing import MOST, Page
from dragoman.clock import HOUR, SECOND, SystemClock
from dragoman.receiver.config import load_config
from dragoman.receiver.host import Answer, host
from dragoman.receiver.real_peer import exchange
from dragoman.receiver.resolve import OWNER
from dragoman.receiver.status import status
from tests.receiver.world import World


def page(world: World, *words: str) -> str:
    """The page as a pipe gets it."""
    done = world.command("status", *words, json=False)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


def commands(text: str) -> dict[str, str]:
    """Each printed command by what stands above it: what it does."""
    lines = text.splitlines()
    found = [index for index, line in enumerate(lines) if line.startswith("      ")]
    return {lines[index - 1].strip().rstrip(":"): lines[index].strip() for index in found}


def typed(command: str) -> subprocess.CompletedProcess[str]:
    """A printed command as somebody types it into a shell."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )


@pytest.mark.slow
def test_the_question_comes_first_with_the_command_that_answers_it(world: World) -> None:
    """Question, contact, since when; typed as it stands, the command lets the conversation go on."""
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    world.peer_says("Which day?\x1b[2J Yours, the peer")
    world.cycle()
    text = page(world, "--lang", "en")
    lines = text.splitlines()

    assert ("Waits for you: 1", world.contact) == (lines[0], lines[1].strip().partition(",")[0])
    assert "since 20" in lines[1]
    assert "    Offer the 6th?" in lines
    assert "    the other side: Which day?\\x1b[2J Yours, the peer" in lines
    done = typed(commands(text)["let it go on"])
    assert (0, f"done: {world.contact}: open\n", "") == (done.returncode, done.stdout, done.stderr)
    assert "Nothing waits for you." == page(world, "--lang", "en").splitlines()[0]


@pytest.mark.slow
def test_a_draft_is_approved_exactly_as_it_was_shown(world: World) -> None:
    """Its text and reason stand above the command; the command names the text by its hash; Chinese does as well."""
    world.answers("Our price is 40 EUR per unit.")
    world.peer_says("What does it cost?")
    world.cycle()
    text = page(world, "--lang", "zh")

    assert "等待您处理：1" == text.splitlines()[0]
    assert "    文字：Our price is 40 EUR per unit." in text.splitlines()
    assert "--sha256" in commands(text)["按此文字发送"]
    assert typed(commands(text)["查看全文"]).stdout.endswith("Our price is 40 EUR per unit.\n")
    assert 0 == typed(commands(text)["按此文字发送"]).returncode
    world.cycle()
    assert ["Our price is 40 EUR per unit."] == world.texts()


@pytest.mark.slow
def test_budgets_are_bars_and_stops_are_words(world: World) -> None:
    """Turns of each contact, today's dispatches and the time left of the grant; a stop is a sentence."""
    world.write(autonomy__max_turns_per_contact=1)
    world.peer_says("Can we meet?")
    world.cycle()
    world.peer_says("And where?")
    world.cycle()
    text = page(world, "--lang", "en")

    stop = "The turns for this conversation are used up; new messages are left waiting."
    assert f"  {world.contact}: {stop}" in text.splitlines()
    assert "[####################] 1/1" in text
    assert "[#...................] 1/80" in text
    assert re.search(r"time left +\d+ d, until 20", text)
    assert "该会话的次数已用完；新消息保留等待。" in page(world, "--lang", "zh")


@pytest.mark.slow
def test_a_real_peer_is_verified_by_a_named_contact_only(world: World) -> None:
    """Message, handler, reply, told owner: with a stranger it stays unverified, with a named test contact it is dated,
    and stays so when the rows that show it are gone. A contact outside the grant cannot be named."""
    world.answers("Yes, we can meet.", complete=True)
    world.peer_says("Can we meet?")
    world.cycle()
    assert ("unverified", None) == (world.stands()["real_peer"], world.stands()["real_peer_at"])
    assert "real peer            unverified" in page(world, "--lang", "en")

    world.write(test_contact_ids=[world.contact])
    stands = world.stands()
    assert ("verified", world.contact) == (stands["real_peer"], stands["real_peer_contact_id"])
    assert abs(SystemClock().now() - stands["real_peer_at"]) < HOUR
    world.cycle()
    books = world.books()
    with books.ledger.write():
        books.notifications.forget(SystemClock().now() + HOUR)
    books.close()
    assert "verified" == world.stands()["real_peer"]
    assert f"verified with {world.contact}" in page(world, "--lang", "en")

    world.write(test_contact_ids=[f"con_{9:032x}"])
    assert "test_contact_ids" == json.loads(world.command("status").stdout)["error"]["where"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "answer"),
    [
        ({"notifier": None}, {"message": "Yes, we can meet.", "complete": True}),
        ({}, {"message": "Yes, we can meet."}),
        ({}, {"message": "It costs 40 EUR.", "complete": True}),
        ({}, {"action": "completed", "owner_summary": "done"}),
    ],
    ids=["nobody to tell", "nothing told", "held, not sent", "no reply"],
)
def test_half_an_exchange_is_none(world: World, changed: dict[str, Any], answer: dict[str, Any]) -> None:
    """Each of the four facts is needed."""
    world.write(test_contact_ids=[world.contact], **changed)
    world.answers(**answer)
    world.peer_says("Can we meet?")
    world.cycle()

    assert "unverified" == world.stands()["real_peer"]


@pytest.mark.slow
def test_readiness_is_what_this_machine_can_show(world: World) -> None:
    """Up by evidence, each blocker with its fix; autonomy is never claimed without background cycles."""
    world.cycle()
    assert ("reachable", "client") == tuple(world.stands()["readiness"][key] for key in ("level", "reported_by"))
    assert 0 == world.command("probe").returncode
    readiness = world.stands()["readiness"]
    assert ("attended", ["background"]) == (readiness["level"], readiness["blockers"])
    assert ("configured", "poll") == (
        world.stands(shift=HOUR)["readiness"]["level"],
        world.stands(shift=HOUR)["readiness"]["blockers"][0],
    )
    assert "lacks: no background cycles observed; fix: see `dragoman schedule print`" in page(world, "--lang", "en")


@pytest.mark.slow
def test_the_owners_word_is_no_proof_of_a_real_peer(world: World) -> None:
    """A reply that only the owner called delivered does not count; what the hub confirmed does."""
    world.write(test_contact_ids=[world.contact])
    world.answers("Yes, we can meet.", complete=True)
    world.peer_says("Can we meet?")
    world.cycle()
    books, config = world.books(), load_config(world.config)
    proven = exchange(books, config, world.contact)
    for evidence in (OWNER, ""):
        books.ledger.change("UPDATE decision SET evidence = :evidence", evidence=evidence)
        assert None is exchange(books, config, world.contact)
    books.close()
    assert proven is not None


@pytest.mark.slow
@pytest.mark.parametrize(("linger", "background"), [(Answer.YES, True), (Answer.UNKNOWN, True), (Answer.NO, False)])
def test_cycles_that_end_at_log_out_are_no_readiness(world: World, linger: Answer, background: bool) -> None:
    """R095: of a user's own service, on a machine where it ends with the log-in."""
    assert 0 == world.command("probe").returncode
    books, config, now = world.books(), load_config(world.config), SystemClock().now()
    for ago in (40, 10):
        seq = books.cycles.start(now - ago * SECOND, "boot-1", "run (systemd user)")
        books.cycles.end(seq, now - ago * SECOND + 1, ok=True)
    machine = msgspec.structs.replace(host(world.config), linger=linger)
    found = status(books, config, now, machine)
    books.close()

    assert found["background"]["observed"]
    assert ("background" not in found["readiness"]["blockers"]) is background
    assert ("autonomous_reported" == found["readiness"]["level"]) is background


EMPTY: dict[str, Any] = {
    "ended": None,
    "now": 1_790_000_000_000,
    "mode": "autonomous",
    "autonomy": [],
    "waiting_owner": [],
    "uncertain_sends": [],
    "drafts": [],
    "notifications": [],
    "paused": {},
    "readiness": {"level": "attended", "blockers": []},
    "background": {"observed": True, "boots": 2, "last_cycle": None},
    "real_peer": "unverified",
    "messages": {},
    "replies": {},
}
SINCE = EMPTY["now"] - 3 * HOUR
UNCERTAIN = {"reply_id": "rpl-1", "contact_id": "con_1", "since": SINCE, "text": "Yes."}
UNTOLD = {"id": "ntf-1", "state": "uncertain", "summary": "Done.", "contact_id": None, "since": SINCE}


def rows(config: str = "/home/kim/my desk/dragoman.json", **changed: Any) -> list[str]:
    """The English page of a made-up status."""
    without_flag(["--lang", "en"])
    return [row.text for row in Page(EMPTY | changed, config).rows()]


def test_what_is_uncertain_is_asked_in_both_directions() -> None:
    """A reply and a notification of which nobody knows: arrived, or not; the path is quoted for the shell."""
    text = "\n".join(rows(uncertain_sends=[UNCERTAIN], notifications=[UNTOLD]))
    tail = "| dragoman resolve --resolution - --config '/home/kim/my desk/dragoman.json'"

    for id, said in (("reply_id", "reply_delivered"), ("notification_id", "notification_delivered")):
        for word in ("true", "false"):
            name = "rpl-1" if id == "reply_id" else "ntf-1"
            body = f'{{"owner_confirmed":true,"{id}":"{name}","{said}":{word}}}'
            assert f"      printf %s '{body}' {tail}" in text.splitlines()
    assert "Perhaps sent, perhaps not: 1" in text
    assert "(3 h)" in text


def test_the_order_is_by_what_needs_the_owner() -> None:
    """Waits, perhaps sent, then what is only worth knowing."""
    text = rows(uncertain_sends=[UNCERTAIN], notifications=[UNTOLD], paused={"*": 1})
    heads = [row for row in text if not row.startswith(" ")]

    assert [
        "Nothing waits for you.",
        "Perhaps sent, perhaps not: 1",
        "Not told to you: 1",
        "Paused",
        "How it stands",
    ] == heads


def test_a_crowd_does_not_bury_the_page() -> None:
    """Of many rows of one kind the first are shown, and how many more there are."""
    text = rows(notifications=[{**UNTOLD, "id": f"ntf-{number}"} for number in range(MOST + 7)])

    assert "  … 7 more" in text


def test_an_id_with_everything_in_it_stays_one_word() -> None:
    """Quotes, line breaks and control characters of a place cannot end the command or steer the terminal."""
    nasty = "x'; touch /tmp/owned; '\n\x1b[2J"
    waiting = {
        "contact_id": nasty,
        "target": f"memory/W/{nasty}",
        "since": SINCE,
        "question_id": "qst-1",
        "summary": "Go on?",
        "messages": [],
        "draft_id": None,
        "reply_id": None,
    }
    (command,) = [row for row in rows(waiting_owner=[waiting]) if '"continue"' in row]
    said = subprocess.run(["sh", "-c", command.partition("|")[0]], capture_output=True, text=True, check=True).stdout

    assert f"memory/W/{nasty}" == json.loads(said)["contact_id"]
    assert command.isprintable()
