"""Raw evidence: linked, bounded, forgotten in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.ledger.evidence import CUT, PIECE_BYTES, PIECES, EvidenceStore, KeptEvidence
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.store import Ledger


@pytest.fixture
def store(ledger: Ledger) -> EvidenceStore:
    """An empty store."""
    return EvidenceStore(ledger)


def test_it_is_found_by_its_decision(store: EvidenceStore) -> None:
    """What was kept comes back byte for byte, oldest first, and nothing of another decision with it."""
    store.keep("cor-1", "handler_failed", b"\x00\xff first", now=1, until=9)
    store.keep("cor-2", "handler_failed", b"other", now=1, until=9)
    store.keep("cor-1", "draft_denied", b"second", now=2, until=9)

    expected = [
        KeptEvidence(correlation_id="cor-1", kind="handler_failed", body=b"\x00\xff first", kept_at=1, until=9),
        KeptEvidence(correlation_id="cor-1", kind="draft_denied", body=b"second", kept_at=2, until=9),
    ]
    assert expected == store.of("cor-1", now=3)


def test_what_is_over_is_not_shown_and_then_forgotten(store: EvidenceStore) -> None:
    """Its end is exact; forgetting does not touch what still has time."""
    store.keep("cor-1", "handler_failed", b"short", now=1, until=5)
    store.keep("cor-1", "handler_failed", b"long", now=1, until=9)

    assert [2, 1] == [len(store.of("cor-1", now)) for now in (4, 5)]
    assert [0, 1, 0] == [store.prune(now) for now in (4, 5, 6)]
    assert [b"long"] == [piece.body for piece in store.of("cor-1", now=0)]


@pytest.mark.parametrize("size", [PIECE_BYTES, PIECE_BYTES + 1, 10 * PIECE_BYTES])
def test_a_piece_is_bounded_and_keeps_its_end(store: EvidenceStore, size: int) -> None:
    """A flood on standard error is cut; its last words, where the error stands, remain."""
    store.keep("cor-1", "handler_failed", b"x" * (size - 3) + b"end", now=1, until=9)

    (piece,) = store.of("cor-1", now=1)
    assert (PIECE_BYTES, b"end", size > PIECE_BYTES) == (
        len(piece.body),
        piece.body[-3:],
        piece.body.startswith(CUT),
    )


def test_a_decision_holds_so_many_pieces(store: EvidenceStore) -> None:
    """What comes after them is dropped, without an error; another decision is not affected."""
    for number in range(PIECES + 5):
        store.keep("cor-1", "handler_failed", str(number).encode(), now=1, until=9)
    store.keep("cor-2", "handler_failed", b"other", now=1, until=9)

    assert [str(number).encode() for number in range(PIECES)] == [piece.body for piece in store.of("cor-1", now=1)]
    assert 1 == len(store.of("cor-2", now=1))


def test_what_is_forgotten_is_gone_from_the_file(store: EvidenceStore, ledger: Ledger, state: Path) -> None:
    """Not only from the table: once the ledger is closed, no file of the folder holds a word of it."""
    store.keep("cor-1", "handler_failed", b"Zelkova " * 200, now=1, until=5)
    assert any(b"Zelkova" in path.read_bytes() for path in state.iterdir())

    store.prune(5)
    ledger.close()

    assert not any(b"Zelkova" in path.read_bytes() for path in state.iterdir())


def test_the_journal_is_not_touched(store: EvidenceStore, ledger: Ledger) -> None:
    """Keeping and forgetting leaves no record and no trace in the chain."""
    before = LedgerJournal(ledger).head()

    store.keep("cor-1", "handler_failed", b"secret words", now=1, until=2)
    store.prune(3)

    assert before == LedgerJournal(ledger).head()
