"""The journal: what is in it, what is not, and that edits show."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry
from dragoman.identity import Party, Target
from dragoman.ledger.journal import Head, LedgerJournal
from dragoman.ledger.store import FILE, Ledger, create, open_ledger

ROOM = Target("matrix", "@bot:example.org", "!room:example.org")
JO = Party("matrix", "@bot:example.org", "@jo:example.org")


def entry(id: str, *, consumer: str = "matrix.receive", kind: str = "event") -> Entry:
    """One record about the same room and person."""
    return Entry(
        correlation_id=id,
        kind=kind,
        outcome="respond",
        reason="agent_mentioned",
        time=1_700_000_000_000,
        consumer=consumer,
        target=ROOM,
        author=JO,
        facts={"chat": "group"},
    )


def test_identities_are_keyed_pseudonyms(ledger: Ledger, state: Path) -> None:
    """No channel id or account stands in the file; the same identity has the same pseudonym."""
    journal = LedgerJournal(ledger)
    journal.record(entry("cor-1"))
    journal.record(entry("cor-2"))
    (first,), (second,) = journal.why("cor-1"), journal.why("cor-2")

    raw = b"".join(path.read_bytes() for path in state.glob(f"{FILE}*"))
    assert first.target == second.target != first.author
    assert len(first.target) == 16
    assert b"example.org" not in raw


def test_why_answers_for_one_or_the_newest_decision(ledger: Ledger) -> None:
    """The records of one correlation id stand together; without an id the newest decision is meant."""
    journal = LedgerJournal(ledger)
    journal.record(entry("cor-1"))
    journal.record(entry("cor-2"))
    journal.record(entry("cor-1", consumer="matrix.send", kind="output"))
    journal.record(entry("cor-3", consumer="", kind="notice"))

    assert [record.kind for record in journal.why()] == ["event", "output"]
    assert journal.why("cor-9") == []
    assert [(path["consumer"], path["times"]) for path in journal.paths()] == [
        ("matrix.receive", 2),
        ("matrix.send", 1),
    ]


def test_records_cannot_be_changed_or_removed(ledger: Ledger) -> None:
    """The table refuses both."""
    LedgerJournal(ledger).record(entry("cor-1"))

    for statement in ("UPDATE journal SET body = '{}'", "DELETE FROM journal"):
        with pytest.raises(sqlite3.IntegrityError):
            ledger.change(statement)


@pytest.mark.parametrize("tamper", ["edit", "remove", "swap"])
def test_the_chain_shows_every_edit(state: Path, tamper: str) -> None:
    """Somebody with the file but not the chain's past: an edited, removed or exchanged record is found."""
    ledger = create(state)
    journal = LedgerJournal(ledger)
    for number in range(5):
        journal.record(entry(f"cor-{number}"))
    assert journal.verify() == 5
    ledger.close()

    connection = sqlite3.connect(state / FILE)
    connection.executescript("DROP TRIGGER journal_no_update; DROP TRIGGER journal_no_delete")
    if tamper == "edit":
        connection.execute("UPDATE journal SET body = replace(body, 'respond', 'silent') WHERE seq = 3")
    elif tamper == "remove":
        connection.execute("DELETE FROM journal WHERE seq = 3")
    else:
        one, two = (connection.execute("SELECT body FROM journal WHERE seq = ?", (n,)).fetchone()[0] for n in (2, 3))
        connection.execute("UPDATE journal SET body = ? WHERE seq = 2", (two,))
        connection.execute("UPDATE journal SET body = ? WHERE seq = 3", (one,))
    connection.commit()
    connection.close()

    reopened = open_ledger(state)
    with pytest.raises(DragomanError) as error:
        LedgerJournal(reopened).verify()
    assert error.value.code == "ledger_broken"
    reopened.close()


def test_a_cut_tail_shows_against_an_exported_head(state: Path) -> None:
    """The chain alone cannot know its end; a checkpoint kept elsewhere does."""
    ledger = create(state)
    journal = LedgerJournal(ledger)
    for number in range(5):
        journal.record(entry(f"cor-{number}"))
    head = journal.head()
    ledger.close()
    connection = sqlite3.connect(state / FILE)
    connection.executescript("DROP TRIGGER journal_no_delete; DELETE FROM journal WHERE seq = 5")
    connection.close()

    reopened = open_ledger(state)
    assert LedgerJournal(reopened).verify() == 4
    with pytest.raises(DragomanError):
        LedgerJournal(reopened).verify(head)
    reopened.close()


def test_an_empty_journal_has_a_head_of_its_own(ledger: Ledger) -> None:
    """Two installations start their chains apart."""
    head = LedgerJournal(ledger).head()

    assert head.seq == 0
    assert len(head.hash) == 64
    assert LedgerJournal(ledger).verify(Head(0, head.hash)) == 0
