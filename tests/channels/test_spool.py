"""The private inbox: on the disk before the platform hears of it, in order, and never growing without end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.channels import spool as inbox
from dragoman.channels.spool import Arrival, Spool
from dragoman.errors import DragomanError
from dragoman.testing import HandClock

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the inbox lies."""
    return tmp_path / "inbox.db"


async def test_what_was_put_is_read_in_order(path: Path) -> None:
    """Page by page, from the stored position on, in this process or the next."""
    clock = HandClock(1_000)
    spool = Spool(path, clock)
    for number in range(inbox.PAGE + 1):
        await spool.put(b"%d" % number)
    pages = spool.read(None)
    first, second = await anext(pages), await anext(pages)
    spool.close()
    again = Spool(path, clock)
    after_first = await anext(again.read(first.position))
    again.close()

    assert [Arrival(b"%d" % number, 1_000) for number in range(inbox.PAGE)] == list(first.arrivals)
    assert (Arrival(b"100", 1_000),) == second.arrivals == after_first.arrivals


async def test_who_waits_is_woken(path: Path) -> None:
    """A reader of an empty inbox gets what comes."""
    spool = Spool(path, HandClock())
    waiting = asyncio.ensure_future(anext(spool.read(None)))
    await asyncio.sleep(0.05)
    await spool.put(b"late")
    batch = await asyncio.wait_for(waiting, 5)
    spool.close()

    assert [b"late"] == [arrival.raw for arrival in batch.arrivals]


async def test_what_was_stored_is_dropped(path: Path) -> None:
    """Reading from a position drops what lies before it; positions are never used again."""
    spool = Spool(path, HandClock())
    position = [await spool.put(b"a"), await spool.put(b"b")][-1]
    reading = asyncio.ensure_future(anext(spool.read(str(position))))
    await asyncio.sleep(0.05)
    later = await spool.put(b"c")
    batch = await asyncio.wait_for(reading, 5)
    spool.close()

    assert ([b"c"], str(later), True) == ([each.raw for each in batch.arrivals], batch.position, later > position)


async def test_it_is_private(path: Path) -> None:
    """Nobody else can read it, whatever the umask."""
    before = os.umask(0)
    try:
        spool = Spool(path, HandClock())
        await spool.put(b"a")
        modes = {each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
        spool.close()
    finally:
        os.umask(before)

    assert {0o600} == modes


async def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """What cannot be kept is an error with a code, never a silent loss."""
    with pytest.raises(DragomanError) as caught:
        Spool(tmp_path / "nowhere" / "inbox.db", HandClock())

    assert "inbox_broken" == caught.value.code


PUTTING = """
import asyncio, sys
from pathlib import Path
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock

async def main():
    spool = Spool(Path(sys.argv[1]), SystemClock())
    number = 0
    while True:
        await spool.put(b"%d" % number)
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


async def test_killed_while_it_keeps(path: Path) -> None:
    """Whatever was confirmed before a kill -9 is there afterwards, once and in order."""
    process = subprocess.Popen([sys.executable, "-c", PUTTING, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    confirmed = [int(process.stdout.readline()) for _ in range(25)][-1]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    spool = Spool(path, HandClock())
    batch = await anext(spool.read(None))
    spool.close()
    kept = [int(arrival.raw) for arrival in batch.arrivals]

    assert list(range(len(kept))) == kept
    assert confirmed < len(kept)


async def test_a_position_that_this_file_never_gave(path: Path) -> None:
    """After a restore without the inbox the stored position lies ahead of the file: what comes now is read all the
    same, and not taken for what was read before."""
    spool = Spool(path, HandClock())
    pages = spool.read("500")
    waiting = asyncio.ensure_future(anext(pages))
    await asyncio.sleep(0.05)
    await spool.put(b"new")
    first = await asyncio.wait_for(waiting, 5)
    spool.close()
    again = Spool(path, HandClock())
    await again.put(b"newer")
    second = await asyncio.wait_for(anext(again.read("500")), 5)
    again.close()

    assert [b"new"] == [arrival.raw for arrival in first.arrivals]
    assert [b"new", b"newer"] == [arrival.raw for arrival in second.arrivals]


async def test_a_file_that_breaks_while_it_is_read(path: Path) -> None:
    """Reading says what is wrong in the words of every error, as keeping does."""
    spool = Spool(path, HandClock())
    await spool.put(b"a")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("DROP TABLE arrivals")

    with pytest.raises(DragomanError) as reading:
        await anext(spool.read(None))
    with pytest.raises(DragomanError) as keeping:
        await spool.put(b"b")
    spool.close()

    assert ["inbox_broken"] * 2 == [reading.value.code, keeping.value.code]


async def test_two_that_keep_in_one_file(path: Path) -> None:
    """Two processes over one file lose nothing of each other's, though only one may read."""
    one, other = Spool(path, HandClock()), Spool(path, HandClock())
    await asyncio.gather(*(spool.put(b"%d" % number) for number in range(20) for spool in (one, other)))
    batch = await anext(one.read(None))
    one.close()
    other.close()

    assert sorted(b"%d" % number for number in range(20)) == sorted({arrival.raw for arrival in batch.arrivals})
    assert 40 == len(batch.arrivals)


async def test_a_full_inbox(path: Path) -> None:
    """What nobody reads is refused beyond a number, which tells the platform to offer it again; read, there is room."""
    spool = Spool(path, HandClock())
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        rows = [(1, b"x")] * inbox.MOST
        other.execute("BEGIN")
        other.executemany("INSERT INTO arrivals (received_at, raw) VALUES (?, ?)", rows)
        other.execute("COMMIT")
    with pytest.raises(DragomanError) as full:
        await spool.put(b"one more")
    await anext(spool.read(str(inbox.MOST - 1)))
    position = await spool.put(b"one more")
    spool.close()

    assert ("inbox_broken", inbox.MOST + 1) == (full.value.code, position)
