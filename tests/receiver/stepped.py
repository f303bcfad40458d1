"""Receivers that move only when told: each runs in a thread of its own and stops at every arrow of a message's life.

A death is an exception that nobody catches: what was committed stands, everything else is forgotten, as after a kill.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import sqlite3
import sys
import threading
from pathlib import Path
from typing import Any

from dragoman.errors import DragomanError
from dragoman.receiver.config import load_config
from dragoman.receiver.lock import StateLock
from dragoman.receiver.source import Superseded
from dragoman.receiver.wiring import opened
from dragoman.words import LifePoint
from tests.crash.rounds import HANDLER
from tests.hub.world import START, TestClock

PATIENCE_SECONDS = 30


class Died(BaseException):
    """The process is gone."""


class Skewed:
    """The shared clock, set wrong by so much."""

    def __init__(self, clock: TestClock) -> None:
        self._clock = clock
        self.skew = 0

    def now(self) -> int:
        """Milliseconds since the epoch, as this machine believes."""
        return self._clock.now() + self.skew


class Stepped:
    """One instance of a role on a machine of its own."""

    def __init__(self, folder: Path, url: str, secret: str, role_id: str, instance: int, clock: TestClock) -> None:
        self.folder = folder
        self.clock = Skewed(clock)
        self.instance_id = f"ins_{instance:032x}"
        self.at: LifePoint | None = None
        """The arrow where it stands; None while it does not run."""
        self._role_id = role_id
        self._url = url
        self._arrived: queue.SimpleQueue[LifePoint | None] = queue.SimpleQueue()
        self._go: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.ended: list[str] = []
        """How its runs ended: codes, newest last."""
        self.saved: dict[str, int] = {}
        """Questions with a saved decision, and how often the handler had been asked them by then."""
        folder.mkdir(mode=0o700)
        (folder / "counted").mkdir()
        self._private("handler.py", HANDLER)
        key = {"version": 1, "secret_key": secret, "instance_id": self.instance_id}
        self._private("role.key", json.dumps(key))

    def grant(self, grant_id: str) -> None:
        """The owner grants the matter on this machine."""
        autonomy = {
            "version": 1,
            "grant_id": grant_id,
            "expires_at": START + 10**10,
            "contact_ids": [],
            "accept_inbound": True,
            "max_turns_per_contact": 1000,
            "max_dispatches_per_day": 1000,
            "wait_timeout_seconds": 7_000_000,
        }
        command = [sys.executable, "-I", "-S", str(self.folder / "handler.py")]
        body: dict[str, Any] = {
            "state_dir": "state",
            "hub": {"url": self._url, "role_id": self._role_id, "key_file": "role.key"},
            "handler": {"command": command},
            "autonomy": autonomy,
            "owner_instruction": "Answer what is asked; disclose nothing else.",
        }
        self._private("dragoman.json", json.dumps(body))

    def begin(self) -> None:
        """Start one cycle, up to its first arrow."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._await()

    def go_on(self, *, dies: bool = False) -> None:
        """To the next arrow, or the end; or die here."""
        self._go.put(dies)
        self._await()

    def whole(self) -> None:
        """One cycle from its beginning to its end."""
        self.begin()
        while self.at is not None:
            self.go_on()

    def calls(self) -> list[str]:
        """Every question that the handler was asked here, as often as it was."""
        return [text for path in (self.folder / "counted").iterdir() for text in json.loads(path.read_text())]

    def _note_saved(self) -> None:
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/state/ledger.db?mode=ro", uri=True)) as ledger:
            words = {word for (text,) in ledger.execute("SELECT text FROM decision") for word in text.split()}
        calls = self.calls()
        for text in calls:
            if text.split()[-1] in words:
                self.saved.setdefault(text, calls.count(text))

    def _await(self) -> None:
        self.at = self._arrived.get(timeout=PATIENCE_SECONDS)
        if self.at is None and self._thread is not None:
            self._thread.join(PATIENCE_SECONDS)
            self._thread = None

    def _pass(self, point: LifePoint) -> None:
        if point is LifePoint.SAVED:
            self._note_saved()
        self._arrived.put(point)
        if self._go.get(timeout=PATIENCE_SECONDS):
            raise Died

    def _run(self) -> None:
        code = "done"
        try:
            with StateLock(self.folder / "state", "once"):
                asyncio.run(self._cycle())
        except Died:
            code = "died"
        except Superseded:
            code = "superseded"
        except DragomanError as error:
            code = error.code
        except BaseException as error:
            code = repr(error)
        self.ended.append(code)
        self._arrived.put(None)

    async def _cycle(self) -> None:
        config = load_config(self.folder / "dragoman.json")
        stop = asyncio.Event()
        async with opened(config, clock=self.clock, started_by="once", stop=stop, checkpoint=self._pass) as receiver:
            for cycle in receiver.cycles:
                await cycle.once(0)

    def _private(self, name: str, text: str) -> None:
        path = self.folder / name
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(fd, "w") as file:
            file.write(text)
