"""The journal: what is in it, what is not, and that edits show."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from dragoman.gate.ports import Entry
from dragoman.identity import Party, Target
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.store import FILE, Ledger

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


def test_an_empty_journal_has_a_head_of_its_own(ledger: Ledger) -> None:
    """Two installations start their chains apart."""
    head = LedgerJournal(ledger).head()

    assert (0, 64) == (head.seq, len(head.hash))
    assert head == LedgerJournal(ledger).verify()


def test_a_record_is_found_by_its_id(ledger: Ledger) -> None:
    """Of whatever kind, in order; an unknown id finds nothing."""
    journal = LedgerJournal(ledger)
    journal.record(entry("cor-1", kind="life"))
    journal.record(entry("cor-2"))
    journal.record(entry("cor-1"))

    assert ["life", "event"] == [record.kind for record in journal.of("cor-1")]
    assert [] == journal.of("cor-9")


def test_a_long_journal_is_walked_in_pages(ledger: Ledger) -> None:
    """More records than one page holds; each is walked once."""
    journal = LedgerJournal(ledger)
    with ledger.write():
        for number in range(1001):
            journal.record(entry(f"cor-{number}"))

    assert journal.head() == journal.verify()
    assert 1001 == journal.verify().seq
