"""The fake platform that ships with the house keeps the contract that every adapter is held to."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel, Outbox
from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Presence
from dragoman.identity import Party, Target
from dragoman.testing import AdapterContract, AdapterWorld, Payloads, Shown, Trouble
from dragoman.testing.adapter_world import TEXT
from dragoman.testing.by_hand import START, HandClock
from dragoman.words import Fact, SendKey

ME = MemoryAgent(workspace="House", id="Desk")
FAULTS = {
    Trouble.REFUSED: Fault.REFUSED,
    Trouble.RATE_LIMITED: Fault.RATE_LIMITED,
    Trouble.VANISHED: Fault.VANISHED,
    Trouble.ANSWER_LOST: Fault.ANSWER_LOST,
}


class MemoryWorld(AdapterWorld):
    """A folder, and an account on it; what is shown is what stands in the outbox."""

    def __init__(self, folder: Path, send_key: SendKey) -> None:
        self.channel = MemoryChannel(
            ME, clock=HandClock(), send_key=send_key, presence=Presence(Fact.NO), folder=folder
        )
        self.target = Target("memory", "House", "Shelves")
        self.message_id = "m0"
        self.somebody = Party("memory", "House", "Buyer")
        self._folder, self._memory = folder, self.channel

    async def shown(self, operation: Operation) -> list[Shown]:
        """The lines of the outbox for this target."""
        lines = Outbox(self._folder / "outbox.jsonl", native=False).read()
        return [
            Shown(line.id, line.text, tuple((file.name, file.content) for file in line.parts.files))
            for line in lines
            if (line.operation, line.target) == (operation, self.target)
        ]

    def trouble(self, kind: Trouble) -> contextlib.AbstractAsyncContextManager[None] | None:
        """The next call goes wrong; the fake platform is never out of reach, and is asked nothing."""
        return self._failing(FAULTS[kind]) if kind in FAULTS else None

    @contextlib.asynccontextmanager
    async def _failing(self, fault: Fault) -> AsyncIterator[None]:
        self._memory.plan(fault)
        yield


class TestMemory(AdapterContract):
    """With the platform's own de-duplication."""

    send_key = SendKey.NATIVE

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "bot"

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh folder."""
        yield MemoryWorld(self.folder, self.send_key)

    def payloads(self) -> Payloads:
        """Lines of the inbox."""
        message = {"kind": "message", "channel": "Shelves", "author": "Buyer", "bot": False, "direct": False}
        message |= {"shared": False, "other_bots": False, "text": TEXT, "sent_at": START}
        return Payloads(
            read=read,
            asking={**message, "id": "m1", "mentions": ["Desk"]},
            unasked={**message, "id": "m2", "mentions": []},
            target=Target("memory", "House", "Shelves"),
            author=Party("memory", "House", "Buyer"),
            echo={**message, "id": "m3", "author": "Desk"},
            names=("Desk", "desk"),
        )


class TestMemoryWithoutKeys(TestMemory):
    """Without: nothing is claimed that is not so."""

    send_key = SendKey.NONE


def read(raw: Any) -> Event:
    """The facts of one line."""
    return facts(raw, ME, received_at=START, authenticated=Fact.YES)
