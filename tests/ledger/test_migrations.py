"""A ledger of an older version becomes one of this version: everything, once, or not at all."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.errors import DragomanError
from dragoman.ledger.queries import migrations, schema
from dragoman.ledger.store import FILE, KEY_FILE, VERSION, create, open_ledger
from dragoman.receiver.books import open_books

VERSION_1 = Path(__file__).parent.parent / "fixtures" / "version1"

Table = list[tuple[object, ...]]

KILLED_AT_EACH_STATEMENT = """
import os, shutil, signal, sys
from pathlib import Path
from dragoman.ledger.store import open_ledger

def killed(folder, after):
    executed = 0
    def count(frame, event, function):
        nonlocal executed
        if event == "c_call" and getattr(function, "__name__", "") == "execute":
            executed += 1
            if executed > after:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(count)
    open_ledger(folder)
    os._exit(0)

source, work = Path(sys.argv[1]), Path(sys.argv[2])
for after in range(1000):
    folder = work / str(after)
    shutil.copytree(source, folder)
    child = os.fork()
    if not child:
        killed(folder, after)
    if os.waitpid(child, 0)[1] == 0:
        sys.exit(0)
sys.exit("it was never finished")
"""
"""Opens a copy of a folder, killed after 0, 1, 2 ... statements, until one opening comes to its end."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A state folder as version 1 left it."""
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    for name in (FILE, KEY_FILE):
        shutil.copyfile(VERSION_1 / name, folder / name)
        (folder / name).chmod(0o600)
    return folder


def tables(folder: Path) -> dict[str, Table]:
    """Every row of every table, with the columns that version 1 knew."""
    first = sqlite3.connect(":memory:")
    first.executescript("\n".join(schema()))
    names = [row[0] for row in first.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {name: ", ".join(row[1] for row in first.execute(f"PRAGMA table_info({name})")) for name in names}
    first.close()
    connection = sqlite3.connect(folder / FILE)
    found = {name: connection.execute(f"SELECT {columns[name]} FROM {name}").fetchall() for name in names}
    connection.close()
    return found


def version(folder: Path) -> int:
    """The version that the file says it has."""
    connection = sqlite3.connect(folder / FILE)
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    connection.close()
    return found


def shape(folder: Path) -> list[tuple[str, str]]:
    """Every table, index and trigger with its text."""
    connection = sqlite3.connect(folder / FILE)
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    connection.close()
    return found


def test_what_version_1_wrote_stands(old: Path) -> None:
    """Opening brings the file to this version; each row of each table is what it was."""
    before = tables(old)

    open_ledger(old).close()

    assert (VERSION, before) == (version(old), tables(old))
    assert sum(len(rows) for rows in before.values()) > 100


def test_what_version_1_wrote_is_readable(old: Path, tmp_path: Path) -> None:
    """Drafts wait, counters reach the side file's marks, the chain holds, turns and packets and notifications stand."""
    side = tmp_path / "high-water.json"
    shutil.copyfile(VERSION_1 / side.name, side)
    side.chmod(0o600)
    books = open_books(old, side, may_create=False)
    talks = books.conversations.all()

    assert [("filed", "unverified_claim")] * 2 == [(draft.state, draft.reason) for draft in books.approvals.listed()]
    assert books.high_water.read().counts == books.charges.counts()
    assert 21 == books.journal.verify().seq == len(books.journal.newest(100))
    assert {"sent": 3, "held": 2} == books.turns.counts()
    assert ([4] * 5, 3) == ([len(books.packets.of(talk.target)) for talk in talks], len(books.notifications.listed()))
    books.close()


def test_a_made_ledger_and_a_migrated_one_are_alike(state: Path, old: Path) -> None:
    """One truth: `create` runs the same statements in the same order."""
    create(state).close()
    open_ledger(old).close()

    assert shape(state) == shape(old)


def test_each_version_is_made_by_one_script() -> None:
    """No gap between the versions, and the newest is the one that this release reads."""
    assert list(range(2, VERSION + 1)) == list(migrations())


def test_opening_twice_changes_nothing(old: Path) -> None:
    """A ledger of this version is not touched again."""
    open_ledger(old).close()
    before = shape(old)

    open_ledger(old).close()

    assert before == shape(old)


def test_killed_at_any_statement_it_is_old_or_new(old: Path, tmp_path: Path) -> None:
    """A process killed by the kernel before each of its statements: nothing of it stands, and the next one finishes."""
    before, work = tables(old), tmp_path / "killed"
    work.mkdir(mode=0o700)

    done = subprocess.run([sys.executable, "-c", KILLED_AT_EACH_STATEMENT, old, work], timeout=60, check=False)

    folders = sorted(work.iterdir(), key=lambda folder: int(folder.name))
    *versions, last = [version(folder) for folder in folders]
    assert (0, {1}, VERSION) == (done.returncode, set(versions), last)
    assert len(folders) > sum(len(statements) for statements in migrations().values())
    for folder in folders:
        open_ledger(folder).close()
        assert (VERSION, before) == (version(folder), tables(folder))


def test_a_failed_migration_leaves_the_old_file(old: Path) -> None:
    """A statement that fails undoes those before it; the ledger stays one of version 1."""
    before = tables(old)
    connection = sqlite3.connect(old / FILE)
    connection.execute("CREATE TABLE burst (in_the_way)")
    connection.close()

    with pytest.raises(DragomanError) as error:
        open_ledger(old)

    assert ("ledger_broken", 1, before) == (error.value.code, version(old), tables(old))


@pytest.mark.parametrize("number", [0, VERSION + 1, 9])
def test_an_unknown_version_is_refused_untouched(old: Path, number: int) -> None:
    """A newer file, or one that is of no version, is left as it is."""
    connection = sqlite3.connect(old / FILE)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    before = (old / FILE).read_bytes()

    with pytest.raises(DragomanError) as error:
        open_ledger(old)

    assert "ledger_broken" == error.value.code
    assert before == (old / FILE).read_bytes()


def test_the_new_columns_of_old_rows_are_empty(old: Path) -> None:
    """Nothing is made up for what version 1 did not keep."""
    ledger = open_ledger(old)

    drafts = ledger.rows("SELECT body, pinged_at FROM draft")
    assert [(b"", 0)] * 2 == [tuple(row) for row in drafts]
    assert {""} == {row["facts"] for row in ledger.rows("SELECT facts FROM seen")}
    ledger.close()
