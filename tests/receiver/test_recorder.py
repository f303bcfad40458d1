"""The recorder of a ledger's changes: in the same commit, undone with it, never in the life's way."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.identity import Target, parse_target
from dragoman.ledger.changes import Change, What
from dragoman.ledger.conversations import Conversation, Standing
from dragoman.ledger.highwater import HighWater
from dragoman.ledger.store import create
from dragoman.receiver.books import Books
from dragoman.words import StopReason

TALK: Target = parse_target(f"hub/role_{'a' * 32}/con_{'b' * 32}")


@pytest.fixture
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Books]:
    """An empty ledger, outside of the folder that is judged after a story."""
    folder = Path(tmp_path_factory.mktemp("recorder"))
    made = Books(create(folder / "state"), HighWater(folder / "marks.json"))
    yield made
    made.close()


def waits(books: Books, state: Standing = Standing.WAITING_OWNER) -> None:
    """A conversation begins to wait for its owner, or ends."""
    stop = StopReason.WAITING_OWNER if state is Standing.WAITING_OWNER else StopReason.CONTACT_CLOSED
    books.conversations.put(Conversation(target=TALK, state=state, stop_reason=stop), 1)


def profiles(books: Books) -> list[str]:
    """What was left, in order."""
    return [each.profile.split(".")[2] for each in books.packets.of(TALK)]


def undo(books: Books, state: Standing) -> None:
    """A change that is rolled back."""
    with contextlib.suppress(ZeroDivisionError), books.ledger.write():
        waits(books, state)
        raise ZeroDivisionError


def test_a_change_and_its_packet_are_one_commit(books: Books) -> None:
    """What is rolled back leaves no packet, what is committed leaves one; a part that is undone alone leaves none."""
    undo(books, Standing.WAITING_OWNER)
    undone = profiles(books)
    with books.ledger.write():
        undo(books, Standing.CLOSED)
        waits(books)

    assert ([], ["blocker"]) == (undone, profiles(books))


def test_what_did_not_change_leaves_nothing(books: Books) -> None:
    """The same standing again, with another sentence for the owner, is no change."""
    waits(books)
    waits(books)

    assert ["blocker"] == profiles(books)


def test_nothing_follows_a_report_but_a_task_taken_on(books: Books) -> None:
    """A pause, a wait, a reminder after the end are not in the chain; a turn begins the next one from 0."""
    waits(books)
    waits(books, Standing.CLOSED)
    waits(books)
    books.seen.pause(TALK, 2)
    ended = profiles(books)
    with books.ledger.write():
        books.ledger.note(Change(what=What.TURN, target=str(TALK), id="trn-1", before="", after="running"))
    places = [json.loads(each.raw)["conversation"] for each in books.packets.of(TALK)]

    assert ["blocker", "final-report"] == ended
    assert ["message", "ack", "task-status"] == profiles(books)[2:]
    assert [0, 1, 0, 0, 1] == [each["sequence"] for each in places]
    assert [1, 2] == sorted({each["correlation_id"].count("-") for each in places})


def test_a_fault_of_the_evidence_is_said_and_ends_no_life(books: Books) -> None:
    """A kept packet that cannot be read: the change stands, the journal says that its packet was not written."""
    waits(books)
    with books.ledger.write():
        books.ledger.change("UPDATE packet SET bytes = x'00'")
    waits(books, Standing.CLOSED)
    newest = books.journal.newest(1)[0]

    assert (Standing.CLOSED, ["blocker"]) == (books.conversations.at(TALK).state, profiles(books))
    assert ("packet_not_written", "DecodeError") == (newest.outcome, newest.reason)
