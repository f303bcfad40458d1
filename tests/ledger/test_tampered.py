"""Whatever is done to a journal shows: in the ledger, and in an exported file (spec 1 §9).

Each row of the table is one thing that somebody who can write the file could do. `with_checkpoint` says whether it
shows only against a checkpoint that was kept elsewhere.
"""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.errors import DragomanError
from dragoman.gate.ports import Entry
from dragoman.ledger.chain import Checkpoint, Head, link, origin
from dragoman.ledger.checkpoint import KEY_FILE, genuine, public_key, signed
from dragoman.ledger.exported import walked
from dragoman.ledger.journal import LedgerJournal
from dragoman.ledger.store import FILE, create, open_ledger

Row = tuple[int, str, bytes]
Tamper = Callable[[list[Row], str], list[Row]]


def other(body: str) -> str:
    """The record with another outcome."""
    return body.replace("respond", "silent")


def chained(bodies: list[str], journal: str) -> list[Row]:
    """Records numbered and chained as the journal itself would."""
    before, rows = origin(journal), []
    for number, body in enumerate(bodies, 1):
        before = link(before, body.encode())
        rows.append((number, body, before))
    return rows


def edit(rows: list[Row], journal: str) -> list[Row]:
    seq, body, digest = rows[2]
    return [*rows[:2], (seq, other(body), digest), *rows[3:]]


def edit_with_its_hash(rows: list[Row], journal: str) -> list[Row]:
    seq, body, _ = rows[2]
    return [*rows[:2], (seq, other(body), link(rows[1][2], other(body).encode())), *rows[3:]]


def delete(rows: list[Row], journal: str) -> list[Row]:
    return [*rows[:2], *rows[3:]]


def delete_and_number_anew(rows: list[Row], journal: str) -> list[Row]:
    return [(number, body, digest) for number, (_, body, digest) in enumerate(delete(rows, journal), 1)]


def reorder(rows: list[Row], journal: str) -> list[Row]:
    (one, a, a_hash), (two, b, b_hash) = rows[1:3]
    return [rows[0], (one, b, b_hash), (two, a, a_hash), *rows[3:]]


def leave_a_gap(rows: list[Row], journal: str) -> list[Row]:
    *first, (seq, body, digest) = rows
    return [*first, (seq + 1, body, digest)]


def insert_first(rows: list[Row], journal: str) -> list[Row]:
    return [(0, rows[0][1], rows[0][2]), *rows]


def truncate(rows: list[Row], journal: str) -> list[Row]:
    return rows[:-1]


def truncate_all(rows: list[Row], journal: str) -> list[Row]:
    return []


def rewrite(rows: list[Row], journal: str) -> list[Row]:
    return chained([other(body) for _, body, _ in rows], journal)


def rewrite_and_go_on(rows: list[Row], journal: str) -> list[Row]:
    return chained([other(body) for _, body, _ in rows] * 2, journal)


TABLE: list[tuple[Tamper, bool]] = [
    (edit, False),
    (edit_with_its_hash, False),
    (delete, False),
    (delete_and_number_anew, False),
    (reorder, False),
    (leave_a_gap, False),
    (insert_first, False),
    (truncate, True),
    (truncate_all, True),
    (rewrite, True),
    (rewrite_and_go_on, True),
]
IDS = [tamper.__name__ for tamper, _ in TABLE]


@pytest.fixture
def kept(state: Path) -> Checkpoint:
    """A ledger with five records; the checkpoint of the fifth, kept elsewhere."""
    ledger = create(state)
    journal = LedgerJournal(ledger)
    for number in range(5):
        entry = Entry(correlation_id=f"cor-{number}", kind="event", outcome="respond", reason="agent_mentioned", time=1)
        journal.record(entry)
    checkpoint = journal.checkpoint(now=2)
    ledger.close()
    return checkpoint


def in_the_ledger(state: Path, tamper: Tamper, journal: str) -> None:
    """Do it to the ledger's file, past its triggers."""
    connection = sqlite3.connect(state / FILE)
    rows = connection.execute("SELECT seq, body, hash FROM journal ORDER BY seq").fetchall()
    connection.executescript("DROP TRIGGER journal_no_update; DROP TRIGGER journal_no_delete; DELETE FROM journal")
    connection.executemany("INSERT INTO journal (seq, body, hash) VALUES (?, ?, ?)", tamper(rows, journal))
    connection.commit()
    connection.close()


def in_the_file(path: Path, tamper: Tamper, journal: str, checkpoint: Checkpoint | None = None) -> None:
    """Do it to an exported file; `checkpoint` replaces the one at its end."""
    first, *lines, last = path.read_text().splitlines()
    found = [json.loads(line) for line in lines]
    rows = [(line["seq"], line["body"], bytes.fromhex(line["hash"])) for line in found]
    tampered = [{"seq": seq, "hash": digest.hex(), "body": body} for seq, body, digest in tamper(rows, journal)]
    end = last if checkpoint is None else json.dumps({"checkpoint": msgspec.to_builtins(checkpoint)})
    path.write_text("\n".join([first, *(json.dumps(line) for line in tampered), end]) + "\n")


def verified(state: Path, watched: list[Checkpoint]) -> Head:
    """What the ledger's own `verify` says."""
    ledger = open_ledger(state)
    try:
        return LedgerJournal(ledger).verify(watched)
    finally:
        ledger.close()


def exported(state: Path, path: Path) -> Path:
    """An export of the ledger."""
    ledger = open_ledger(state)
    LedgerJournal(ledger).export(path, now=3)
    ledger.close()
    return path


def forged(state: Path, rows: list[Row], journal: str) -> Checkpoint:
    """A checkpoint that fits `rows`, by somebody who does not hold the key."""
    head = Head(rows[-1][0], rows[-1][2].hex()) if rows else Head(0, origin(journal).hex())
    stranger = state.parent / "stranger"
    stranger.mkdir(mode=0o700)
    return signed(stranger, journal, head, at=2)


def test_an_untouched_journal_stands(state: Path, kept: Checkpoint, tmp_path: Path) -> None:
    """In the ledger, and exported; the checkpoint is genuine under the journal's public key."""
    head, last = walked(exported(state, tmp_path / "journal.jsonl"), [kept])

    assert head == verified(state, [kept]) == Head(kept.seq, kept.hash)
    assert [True, True] == [genuine(each, public_key(state)) for each in (kept, last)]


@pytest.mark.parametrize(("tamper", "with_checkpoint"), TABLE, ids=IDS)
def test_it_shows_in_the_ledger(state: Path, kept: Checkpoint, tamper: Tamper, with_checkpoint: bool) -> None:
    """By the chain alone, or against the checkpoint that was kept; never against neither by chance."""
    in_the_ledger(state, tamper, kept.journal)

    if with_checkpoint:
        verified(state, [])
    with pytest.raises(DragomanError) as error:
        verified(state, [kept] if with_checkpoint else [])
    assert "journal_altered" == error.value.code


@pytest.mark.parametrize(("tamper", "with_checkpoint"), TABLE, ids=IDS)
def test_it_shows_in_an_exported_file(
    state: Path, kept: Checkpoint, tmp_path: Path, tamper: Tamper, with_checkpoint: bool
) -> None:
    """The checkpoint at the file's own end is enough."""
    path = exported(state, tmp_path / "journal.jsonl")
    in_the_file(path, tamper, kept.journal)

    with pytest.raises(DragomanError) as error:
        walked(path)
    assert "journal_altered" == error.value.code


@pytest.mark.parametrize("tamper", [truncate, truncate_all, rewrite, rewrite_and_go_on])
def test_a_forged_end_is_not_genuine(state: Path, kept: Checkpoint, tmp_path: Path, tamper: Tamper) -> None:
    """A file made anew with a checkpoint that fits it walks well; it was not signed with the journal's key."""
    path = exported(state, tmp_path / "journal.jsonl")
    rows = tamper([(row["seq"], row["body"], bytes.fromhex(row["hash"])) for row in records(path)], kept.journal)
    in_the_file(path, tamper, kept.journal, forged(state, rows, kept.journal))

    _, last = walked(path)

    assert not genuine(last, public_key(state))
    assert genuine(last, last.public_key)
    with pytest.raises(DragomanError):
        walked(path, [kept])


def records(path: Path) -> list[dict[str, Any]]:
    """The records of an exported file."""
    return [json.loads(line) for line in path.read_text().splitlines()[1:-1]]


@pytest.mark.parametrize("lines", [0, 1, 3, 6], ids=["nothing", "first line", "half", "no checkpoint"])
def test_a_cut_file_is_not_whole(state: Path, kept: Checkpoint, tmp_path: Path, lines: int) -> None:
    """Whatever its length, a file without its checkpoint is refused."""
    path = exported(state, tmp_path / "journal.jsonl")
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines()[:lines]))

    with pytest.raises(DragomanError) as error:
        walked(path)
    assert error.value.code in ("journal_altered", "input_invalid")


@pytest.mark.parametrize("change", ["journal", "seq", "hash", "at", "signature"])
def test_each_part_of_a_checkpoint_is_signed(state: Path, kept: Checkpoint, change: str) -> None:
    """A checkpoint with any part changed is not genuine."""
    value = getattr(kept, change)
    changed = (
        value + 1 if isinstance(value, int) else value.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    )

    assert not genuine(msgspec.structs.replace(kept, **{change: changed}), public_key(state))


def test_a_checkpoint_of_another_journal_does_not_fit(state: Path, kept: Checkpoint, tmp_path: Path) -> None:
    """Two journals may have the same records, never the same chain."""
    other_state = tmp_path / "other"
    create(other_state).close()

    with pytest.raises(DragomanError) as error:
        verified(other_state, [kept])
    assert "journal_altered" == error.value.code


def test_the_key_is_private_and_made_once(state: Path, kept: Checkpoint) -> None:
    """0600 from the start; signing again uses the same key."""
    before = (state / KEY_FILE).read_bytes()

    assert (0o600, 32) == (stat.S_IMODE((state / KEY_FILE).stat().st_mode), len(before))
    assert kept.public_key == public_key(state)
    assert before == (state / KEY_FILE).read_bytes()


@pytest.mark.parametrize("how", ["open to others", "cut"])
def test_a_key_that_cannot_be_trusted_signs_nothing(state: Path, kept: Checkpoint, how: str) -> None:
    """A key others can read, or half a key, is an error and no other key."""
    if how == "cut":
        (state / KEY_FILE).write_bytes(b"x")
    else:
        (state / KEY_FILE).chmod(0o644)

    with pytest.raises(DragomanError) as error:
        public_key(state)
    assert "key_invalid" == error.value.code


def test_a_ledger_of_an_older_release_gets_its_key(state: Path, kept: Checkpoint) -> None:
    """Version 1 made none; the first checkpoint makes it."""
    (state / KEY_FILE).unlink()
    ledger = open_ledger(state)

    made = LedgerJournal(ledger).checkpoint(now=3)

    assert genuine(made, public_key(state))
    ledger.close()


def test_an_export_is_private_and_replaces_nothing(state: Path, kept: Checkpoint, tmp_path: Path) -> None:
    """A new file, 0600."""
    path = exported(state, tmp_path / "journal.jsonl")
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)

    with pytest.raises(DragomanError) as error:
        exported(state, path)
    assert "conflict" == error.value.code
