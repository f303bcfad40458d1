"""The store: commits are shared, refusals are alone, nothing is answered before it is durable, files are private."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import DragomanError
from dragoman.hub import sqlite_file
from dragoman.hub.refusal import Refusal
from dragoman.hub.sqlite import SqliteStore, SqliteTransaction
from dragoman.hub.store import Transaction

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(tmp_path: Path, anyio_backend: str) -> AsyncIterator[SqliteStore]:
    """An open store over a fresh file."""
    made = SqliteStore(tmp_path / "private" / "hub.db")
    await made.open()
    yield made
    await made.close()


async def add(number: int, tx: Transaction) -> int:
    return await tx.run("role_add", role_id=f"role_{number:032x}", public_key="k", now=number, tenant_id="default")


async def count(store: SqliteStore) -> int:
    async def work(tx: Transaction) -> int:
        found = [await tx.one("role_get", role_id=f"role_{n:032x}") for n in range(300)]
        return sum(each is not None for each in found)

    return await store.read(work)


def waits_for(gate: threading.Event) -> Callable[[Transaction], Coroutine[Any, Any, bool]]:
    """A work that holds the writer thread until the gate opens."""

    async def work(tx: Transaction) -> bool:
        return gate.wait(60)

    return work


async def test_requests_that_come_together_share_a_commit(store: SqliteStore) -> None:
    """200 writes that arrive while the writer is busy take a few commits, and each is answered with its own result."""
    gate = threading.Event()
    first = asyncio.ensure_future(store.write(waits_for(gate)))
    await asyncio.sleep(0.05)
    rest = [asyncio.ensure_future(store.write(lambda tx, n=n: add(n, tx))) for n in range(200)]
    await asyncio.sleep(0)
    gate.set()
    await first

    assert [1] * 200 == await asyncio.gather(*rest)
    assert await count(store) == 200
    assert store.commits == 2


async def test_a_refusal_undoes_itself_alone(store: SqliteStore) -> None:
    """One refused write, and one that failed, in a shared commit: their changes are gone, the others stand."""

    async def refuse(tx: Transaction) -> int:
        await add(1, tx)
        raise Refusal("contact_closed")

    async def fail(tx: Transaction) -> int:
        await add(2, tx)
        raise ValueError("a fault of ours")

    async def collide(tx: Transaction) -> int:
        return await tx.run(
            "session_add", token_hash="t", role_id="nobody", instance_id="i", generation=1, expires_at=1
        )

    gate = threading.Event()
    first = asyncio.ensure_future(store.write(waits_for(gate)))
    await asyncio.sleep(0.05)
    works = [refuse, fail, collide, lambda tx: add(3, tx)]
    rest = [asyncio.ensure_future(store.write(work)) for work in works]
    await asyncio.sleep(0)
    gate.set()
    await first
    done = await asyncio.gather(*rest, return_exceptions=True)

    assert ["contact_closed", "internal", "internal"] == [each.code for each in done[:3] if isinstance(each, Refusal)]
    assert done[3] == 1
    assert await count(store) == 1
    assert store.commits == 2


async def test_nothing_is_answered_before_its_commit(store: SqliteStore) -> None:
    """While a later request of the same group still runs, an earlier one has no answer and a reader sees nothing."""
    gate, reached = threading.Event(), threading.Event()

    async def slow(tx: Transaction) -> bool:
        reached.set()
        return gate.wait(60)

    hold = threading.Event()
    first = asyncio.ensure_future(store.write(waits_for(hold)))
    await asyncio.sleep(0.05)
    early = asyncio.ensure_future(store.write(lambda tx: add(1, tx)))
    late = asyncio.ensure_future(store.write(slow))
    await asyncio.sleep(0)
    hold.set()
    await first
    await asyncio.to_thread(reached.wait, 10)

    assert not early.done()
    assert await count(store) == 0
    gate.set()
    assert await early == 1
    assert await late
    assert await count(store) == 1


async def test_a_full_disk_is_told_and_survived(store: SqliteStore) -> None:
    """R090: when the file may not grow the group is told `internal`, nothing half stays, and later writes work."""

    async def pages(tx: Transaction, number: int) -> None:
        assert isinstance(tx, SqliteTransaction)
        tx._connection.execute(f"PRAGMA max_page_count = {number}")

    async def big(tx: Transaction) -> int:
        return await tx.run("role_add", role_id="role_big", public_key="k" * 4_000_000, now=1, tenant_id="default")

    await store.write(lambda tx: pages(tx, 100))
    with pytest.raises(Refusal) as caught:
        await store.write(big)
    assert caught.value.code == "internal"
    assert isinstance(caught.value.__cause__, sqlite3.Error)
    assert await store.read(lambda tx: tx.one("role_get", role_id="role_big")) is None
    await store.write(lambda tx: pages(tx, 1_000_000))
    assert await store.write(lambda tx: add(1, tx)) == 1


async def test_a_closed_store_says_so(store: SqliteStore) -> None:
    """After `close` nothing is begun any more, and what was answered is there when it opens again."""
    await store.write(lambda tx: add(1, tx))
    await store.close()
    with pytest.raises(Refusal, match="shutting_down"):
        await store.write(lambda tx: add(2, tx))

    again = SqliteStore(store.path)
    await again.open()
    assert await count(again) == 1
    await again.close()


async def test_it_is_durable_by_setting(store: SqliteStore) -> None:
    """WAL, FULL and foreign keys are on in the writing connection, whatever the build's defaults are."""

    async def settings(tx: Transaction) -> list[object]:
        assert isinstance(tx, SqliteTransaction)
        return [tx._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]

    assert ["wal", 2] == await store.write(settings)


async def test_files_are_private(store: SqliteStore) -> None:
    """Folder 0700, database, WAL and shared memory 0600, and nothing left of the making."""
    await store.write(lambda tx: add(1, tx))
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in store.path.parent.iterdir()}

    assert {"hub.db": 0o600, "hub.db-wal": 0o600, "hub.db-shm": 0o600} == modes
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def empty(path: Path) -> None:
    path.touch(0o600)


def garbage(path: Path) -> None:
    empty(path)
    path.write_bytes(b"x" * 5000)


def foreign(path: Path) -> None:
    empty(path)
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (a)")
    other.close()


def open_to_others(path: Path) -> None:
    sqlite_file.opened(path).close()
    path.chmod(0o644)


def a_link(path: Path) -> None:
    garbage(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


@pytest.mark.parametrize("make", [empty, garbage, foreign, open_to_others, a_link], ids=lambda make: make.__name__)
def test_what_is_not_our_store_is_refused(tmp_path: Path, make: object) -> None:
    """A wrong file is never taken for a new store and never written to."""
    path = tmp_path / "hub.db"
    assert callable(make)
    make(path)
    before = path.read_bytes()
    with pytest.raises(DragomanError) as caught:
        sqlite_file.opened(path)

    assert caught.value.code == "store_broken"
    assert before == path.read_bytes()


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    """Whoever may write the folder could put another file in our place."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(DragomanError, match="writable by others"):
        sqlite_file.opened(folder / "hub.db")
