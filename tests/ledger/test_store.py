"""The ledger file: private, strict, transactional, never made anew."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from dragoman.errors import DragomanError
from dragoman.ledger.queries import queries
from dragoman.ledger.store import FILE, KEY_FILE, Ledger, create, open_ledger


def code(error: pytest.ExceptionInfo[DragomanError]) -> tuple[str, str]:
    """Code and detail of a failure."""
    return error.value.code, error.value.detail


def test_everything_is_private_from_its_first_byte(state: Path) -> None:
    """Folder 0700, files 0600, even under a umask that would let everybody in."""
    before = os.umask(0)
    try:
        create(state).close()
    finally:
        os.umask(before)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()}
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert {name: modes[name] for name in (FILE, KEY_FILE)} == {FILE: 0o600, KEY_FILE: 0o600}
    assert {0o600} == set(modes.values())


def test_durability_settings(ledger: Ledger) -> None:
    """The pragmas that crash safety rests on are set on every open, not left to the build."""
    names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
    found = {name: ledger.row(f"PRAGMA {name}")[0] for name in names}  # type: ignore[index]

    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}


def test_a_missing_ledger_is_not_made_by_opening(state: Path) -> None:
    """Opening never creates."""
    with pytest.raises(DragomanError) as error:
        open_ledger(state)

    assert error.value.code == "ledger_missing"
    assert not state.exists()


@pytest.mark.parametrize("body", [b"", b"garbage" * 4096])
def test_a_foreign_or_empty_file_is_refused(state: Path, body: bytes) -> None:
    """A 0-byte file and garbage are broken ledgers, and stay as they are."""
    create(state).close()
    for leftover in state.glob(f"{FILE}-*"):
        leftover.unlink()
    (state / FILE).write_bytes(body)

    with pytest.raises(DragomanError) as error:
        open_ledger(state)

    assert error.value.code == "ledger_broken"
    assert (state / FILE).read_bytes() == body


def test_a_ledger_open_to_others_is_refused(state: Path) -> None:
    """A readable database is a blocker, not a warning."""
    create(state).close()
    (state / FILE).chmod(0o644)

    with pytest.raises(DragomanError) as error:
        open_ledger(state)

    assert error.value.code == "ledger_broken"
    assert "0644" in error.value.detail


def test_another_version_is_refused(state: Path) -> None:
    """A file of a newer release is not touched."""
    create(state).close()
    connection = sqlite3.connect(state / FILE)
    connection.execute("PRAGMA user_version = 9")
    connection.close()

    with pytest.raises(DragomanError) as error:
        open_ledger(state)

    assert error.value.code == "ledger_broken"


def test_a_killed_creation_leaves_nothing_in_the_way(state: Path) -> None:
    """What an interrupted `create` left under its working name is replaced by the next one."""
    state.mkdir(mode=0o700)
    (state / f"{FILE}.new").write_bytes(b"half")

    create(state).close()

    open_ledger(state).close()


def test_parts_join_one_transaction(ledger: Ledger) -> None:
    """An error undoes everything of the outermost `write`, inner ones included."""

    def fail() -> None:
        with ledger.write():
            ledger.put("a", "1")
            with ledger.write():
                ledger.put("b", "2")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert (ledger.get("a"), ledger.get("b")) == (None, None)


def test_a_full_disk_is_an_error_and_writes_nothing(ledger: Ledger) -> None:
    """`SQLITE_FULL` becomes `ledger_broken`; the counters stand where they stood."""
    ledger.put("a", "1")
    ledger.limit_pages(ledger.page_count())

    def fill() -> None:
        with ledger.write():
            ledger.put("a", "2")
            ledger.put("big", "x" * 200_000)

    with pytest.raises(DragomanError) as error:
        fill()

    assert code(error) == ("ledger_broken", "SQLITE_FULL")
    assert ledger.get("a") == "1"


def test_a_backup_holds_what_the_wal_holds(ledger: Ledger, state: Path, tmp_path: Path) -> None:
    """`backup` is complete and private; copying the main file alone is not."""
    ledger.put("a", "1")
    copy = tmp_path / "copy"
    copy.mkdir(mode=0o700)
    ledger.backup(copy / FILE)
    shutil.copy(state / KEY_FILE, copy / KEY_FILE)

    with_all = open_ledger(copy)

    assert with_all.get("a") == "1"
    assert stat.S_IMODE((copy / FILE).stat().st_mode) == 0o600
    with_all.close()


@pytest.mark.parametrize(
    "part",
    [
        "approvals",
        "charges",
        "conversations",
        "cycles",
        "evidence",
        "inbox",
        "journal",
        "meta",
        "notifications",
        "packets",
        "seen",
        "turns",
    ],
)
def test_every_statement_is_explained_and_compiles(ledger: Ledger, part: str) -> None:
    """Each named query opens with a sentence and is accepted by the schema."""
    for name, statement in queries(part).items():
        assert statement.startswith("-- "), name
        names = set(re.findall(r":([a-z_0-9]+)", statement))
        ledger.rows("EXPLAIN " + statement, **dict.fromkeys(names))
