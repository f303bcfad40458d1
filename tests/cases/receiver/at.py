"""The real receiver as a process, with its ports in a test's hand: a clock, a kill or a full disk at a named arrow.

Usage: `python -m tests.cases.receiver.at OPTIONS COMMAND --config PATH --json`; OPTIONS joined with commas, or `-`:

    kill=POINT   SIGKILL to itself when that arrow of a message's life is passed      term=POINT   SIGTERM
    full=POINT   from that arrow on the ledger's disk has not a byte left
    ahead=SECONDS   the clock is set ahead (or back)      clock=FILE   by the milliseconds that stand in the file now
    cycles=N     that many cycles, instead of one

COMMAND: `once`, `run`, `status`, `doctor`. Nothing is patched: clock, checkpoint and page limit are the product's own.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec

from dragoman.cli.output import emit, fail
from dragoman.cli.receiver import serve
from dragoman.clock import SECOND, SystemClock
from dragoman.errors import DragomanError
from dragoman.ledger.store import Ledger
from dragoman.receiver import doctor
from dragoman.receiver.books import open_books, side_file
from dragoman.receiver.config import load_config
from dragoman.receiver.cycle import single
from dragoman.receiver.lock import StateLock
from dragoman.receiver.status import status
from dragoman.receiver.wiring import opened
from dragoman.words import LifePoint


class Moved:
    """The real clock, moved by a fixed time or by what stands in a file at each look."""

    def __init__(self, ahead: str, file: str) -> None:
        self._shift = int(float(ahead or 0) * SECOND)
        self._file = Path(file) if file else None

    def now(self) -> int:
        """Milliseconds since the epoch, as this clock has them."""
        step = int(self._file.read_text()) if self._file is not None else 0
        return SystemClock().now() + self._shift + step


class Ports:
    """What the arrows are told to do here, and the clock."""

    def __init__(self, words: str) -> None:
        said = dict(word.partition("=")[::2] for word in words.split(",") if word != "-")
        self.clock = Moved(said.get("ahead", ""), said.get("clock", ""))
        self.cycles = int(said.get("cycles", 1))
        self.bare = not {"full", "cycles"} & said.keys()
        self.ledger: Ledger | None = None
        self._signals = {"kill": signal.SIGKILL, "term": signal.SIGTERM}
        self._at = {name: LifePoint(said[name]) for name in ("kill", "term", "full") if name in said}

    def passed(self, point: LifePoint) -> None:
        """An arrow was passed."""
        for name in (name for name, where in self._at.items() if where is point):
            if name in self._signals:
                os.kill(os.getpid(), self._signals[name])
            elif self.ledger is not None:
                self.ledger.limit_pages(self.ledger.page_count())
                _fill(self.ledger)


def _fill(ledger: Ledger) -> None:
    """Use up what is free inside the file, down to the last kilobytes."""
    for size in (100_000, 4_000):
        for number in range(1_000):
            try:
                ledger.put(f"filler-{size}-{number}", "x" * size)
            except DragomanError:
                break


async def cycles(config: Path, ports: Ports, command: str) -> None:
    """Some cycles of an opened receiver, with its ledger in the ports' hand."""
    stop = asyncio.Event()
    async with opened(
        load_config(config), clock=ports.clock, started_by=command, stop=stop, checkpoint=ports.passed
    ) as receiver:
        ports.ledger = receiver.books.ledger
        for _ in range(ports.cycles):
            outcomes = await single(receiver.cycles, receiver.notices, stop)
            emit({"fetched": sum(each.fetched for each in outcomes), "errors": [e for o in outcomes for e in o.errors]})


def main() -> None:
    """Do what the command line says, and end as the product ends."""
    ports, command, config = Ports(sys.argv[1]), sys.argv[2], Path(sys.argv[4])
    try:
        if command == "status":
            loaded = load_config(config)
            books = open_books(loaded.state_dir, side_file(loaded.path), may_create=False)
            emit(status(books, loaded, ports.clock.now()))
            books.close()
        elif command == "doctor":
            report = asyncio.run(doctor.doctor(config, ports.clock))
            emit({"blockers": report.blockers, **msgspec.structs.asdict(report)})
        elif ports.bare:
            single_cycle = command == "once"
            serve(
                config,
                started_by=command,
                as_json=True,
                single=single_cycle,
                checkpoint=ports.passed,
                clock=ports.clock,
            )
        else:
            with StateLock(load_config(config).state_dir, command):
                asyncio.run(cycles(config, ports, command))
    except DragomanError as error:
        sys.exit(fail(error, as_json=True))


if __name__ == "__main__":
    main()
