"""A platform that fails while it is read: what was read is handed on, and reading goes on from there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from dragoman.channels.account import Arrival, Batch
from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.identity import Target
from dragoman.receiver.chat_source import AccountSource
from dragoman.receiver.source import Proof
from dragoman.testing import HandClock
from dragoman.words import Fact

pytestmark = pytest.mark.anyio
ME = MemoryAgent(workspace="W1", id="AGENT")


class Failing(MemoryChannel):
    """An account whose stream ends in an error after every batch; nothing of it is said twice."""

    name = "memory:W1"

    def __init__(self, *batches: int) -> None:
        super().__init__(ME, clock=HandClock())
        self.batches, self.asked = list(batches), list[str | None]()
        self.away = 0

    async def open(self) -> None:
        """Away as often as it was told."""
        self.away -= 1
        if self.away >= 0:
            raise DragomanError("channel_unreachable", "nobody answers")

    async def close(self) -> None:
        """There is nothing to close."""

    async def events(self, since: str | None) -> AsyncIterator[Batch]:  # type: ignore[override]
        """One batch from the position on, then an error."""
        self.asked.append(since)
        start = int(since or 0)
        if start < len(self.batches):
            raws = [msgspec.json.encode({"id": f"m{start}.{number}"}) for number in range(self.batches[start])]
            yield Batch(tuple(Arrival(raw, 1) for raw in raws), str(start + 1))
        raise DragomanError("channel_refused", "not any more")

    def event(self, raw: bytes, received_at: int) -> Event:  # type: ignore[override]
        """A message of somebody."""
        id = msgspec.json.decode(raw)["id"]
        said = {
            "kind": "message",
            "id": id,
            "channel": "C1",
            "author": "U1",
            "bot": False,
            "direct": False,
            "text": "x",
        }
        return facts(said, ME, received_at=received_at, authenticated=Fact.YES)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Nothing is known."""
        return Proof(Fact.UNKNOWN, gone=True)


async def test_what_was_read_before_an_error_is_not_lost() -> None:
    """Each fetch hands on what came before the error, with its position; the next one reads on from there."""
    account = Failing(2, 1)
    source = AccountSource(account, None)
    first = [msgspec.json.decode(each.raw)["id"] for each in await source.fetch(100)]
    stood = source.position
    second = [msgspec.json.decode(each.raw)["id"] for each in await source.fetch(100)]

    assert (["m0.0", "m0.1"], "1", ["m1.0"], "2") == (first, stood, second, source.position)
    assert [None, "1"] == account.asked[:2]


async def test_an_error_comes_out_again_and_again() -> None:
    """With nothing read the error is the answer, each time, and never another one."""
    source = AccountSource(Failing(), None)
    for _ in range(3):
        with pytest.raises(DragomanError) as caught:
            await source.fetch(100)
        assert "channel_refused" == caught.value.code


async def test_an_account_that_is_opened_later() -> None:
    """Each failure to open it is told; then it is read."""
    account, told = Failing(1), list[DragomanError]()
    account.away = 1
    source = AccountSource(account, None, report=told.append)
    arrived = []
    while not arrived:
        arrived = await source.fetch(100)

    assert (1, ["channel_unreachable"]) == (len(arrived), [error.code for error in told])
