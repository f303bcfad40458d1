"""A chat platform as a source: no leases, a position instead (spec 1 §1, one life for every channel).

What is fetched is written into the ledger in one commit with the position it was read up to; from then on the ledger
offers it, not the platform. An ack is that row and that position, nothing is said to the platform. What became of a
send whose answer was lost, the account says: proven, harmless to repeat, or never to be known.

A platform that is away when the receiver starts is waited for, and hinders no other account.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import msgspec

from dragoman.agents.contract import HandlerMessage
from dragoman.channels.account import Account, Arrival
from dragoman.channels.address import pause
from dragoman.channels.memory.adapter import Arrival as MemoryArrival
from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.clock import SECOND
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.ports import Channel
from dragoman.identity import Target
from dragoman.receiver.source import Arrived, Proof
from dragoman.words import Fact

TEXT_BYTES: Final = 16 * 1024
MOST: Final = 50
Batches = AsyncIterator[tuple[list[Arrived], str]]


class ChatSource:
    """What every chat platform has in common; those below say how a message is read.

    Args:
        name: names the account; its position is kept under it.
        channel: the way out.
        position: where reading goes on, or None for the first time.
    """

    bounded = False
    leases = False
    generation = 0
    kept_ms = 0
    text_bytes = TEXT_BYTES

    def __init__(self, name: str, channel: Channel, position: str | None) -> None:
        self.name = name
        self.position = position
        self._channel = channel
        self._newest = 0
        self._batches: Batches | None = None
        self._next: asyncio.Future[tuple[list[Arrived], str]] | None = None

    @property
    def channel(self) -> Channel:
        """The way out."""
        return self._channel

    async def fetch(self, wait_ms: int) -> list[Arrived]:
        """What came in, in order; waits up to `wait_ms` for the first, and not for more."""
        found: list[Arrived] = []
        wait = wait_ms / SECOND
        while len(found) < MOST:
            if self._batches is None:
                self._batches = self._read()
            if self._next is None:
                self._next = asyncio.ensure_future(anext(self._batches))
            done, _ = await asyncio.wait({self._next}, timeout=max(wait, 0.06))
            if not done:
                break
            reading, self._next = self._next, None
            try:
                arrived, self.position = reading.result()
            except DragomanError:
                self._batches = None  # what comes next is read anew, from the position after what was read
                if found:
                    break
                raise
            found += arrived
            wait = 0
        return found

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one message."""
        raise NotImplementedError

    def _read(self) -> Batches:
        """Batches from `position` on, each with the position after it."""
        raise NotImplementedError

    def message(self, raw: bytes) -> HandlerMessage:
        """What the handler reads of one message."""
        event = self.event(raw, 0)
        return HandlerMessage(
            id=event.event_id,
            text=event.body,
            sent_at=event.sent_at or 0,
            sender=event.author.id,
            attachments=event.attachments,
        )

    def arrived(self, raw: bytes, event: Event) -> Arrived:
        """One message as the life takes it; in the order in which the platform gave it, whatever clocks and ids say."""
        self._newest = max(self._newest + 1, event.received_at)
        return Arrived(
            id=f"{self.name}\n{event.dedupe_key}",
            target=event.target,
            position=self._newest,
            raw=raw,
        )

    def contact_id(self, target: Target) -> str:
        """The whole target: a channel's own id alone would name it to nobody."""
        return str(target)

    async def look_up(self, target: Target, reply_id: str, minted_at: int) -> Proof:
        """A repetition under the same key is harmless."""
        return Proof(Fact.NO)

    async def history(self, target: Target, before: int) -> tuple[HandlerMessage, ...]:
        """No past is kept: what was not addressed to the agent is not its to read."""
        return ()

    def refusal(self, key: str) -> str:
        """Nothing more is known."""
        return ""

    def held(self, target: Target, lease: str, answers: Sequence[str] = ()) -> None:
        """There are no leases."""

    def settled(self, key: str) -> tuple[str, ...]:
        """The row is the ack."""
        return ()

    async def hold(self, lease: str, ids: list[str]) -> str:
        """There are no leases."""
        return lease

    async def renew(self, lease: str) -> int | None:
        """There are no leases."""
        return None

    async def ack(self, lease: str, ids: list[str]) -> bool:
        """The row and the position are the ack."""
        return True

    async def give_back(self, lease: str, ids: list[str], not_before: int) -> None:
        """The ledger offers them again."""

    async def opened_by_peer(self, target: Target) -> bool:
        """Nothing is taken on here."""
        return False

    async def close(self, target: Target) -> None:
        """A chat is not closed by us."""


class MemorySource(ChatSource):
    """The fake platform in a folder."""

    def __init__(self, channel: MemoryChannel, position: str | None) -> None:
        super().__init__(f"memory:{channel.agent.workspace}", channel, position)
        self._memory = channel

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one line."""
        return self._memory.event(MemoryArrival(_object(raw), received_at, 0))

    async def _read(self) -> Batches:
        async for arrival in self._memory.events(int(self.position or 0)):
            raw = msgspec.json.encode(arrival.raw)
            yield [self.arrived(raw, self.event(raw, arrival.received_at))], str(arrival.offset)


class AccountSource(ChatSource):
    """An account of a platform (`channels/account.py`): it says itself what became of a send whose answer was lost.

    An arrival that cannot be read (spoilt, or kept by another version) is left out and told to `tell`: it must not keep
    whatever comes after it from being heard.
    """

    def __init__(
        self,
        account: Account,
        position: str | None,
        *,
        report: Callable[[DragomanError], None] | None = None,
        tell: Callable[[DragomanError], None] = lambda error: None,
    ) -> None:
        """`report` given: the account is not open yet, and each failure to open it is told there."""
        super().__init__(account.name, account, position)
        self._account = account
        self._report, self._tell = report, tell

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one arrival, with what was known of its place when it came."""
        return self._account.event(raw, received_at)

    async def look_up(self, target: Target, reply_id: str, minted_at: int) -> Proof:
        """What the platform says of it."""
        return await self._account.look_up(target, reply_id, minted_at)

    async def _read(self) -> Batches:
        if self._report is not None:
            await self._opened(self._report)
        async for batch in self._account.events(self.position):
            yield [each for arrival in batch.arrivals for each in self._one(arrival)], batch.position

    def _one(self, arrival: Arrival) -> list[Arrived]:
        """The arrival as the life takes it, or nothing."""
        try:
            event = self._account.event(arrival.raw, arrival.received_at)
        except Exception as failed:  # noqa: BLE001  whatever is wrong with it, the next one may be right
            detail = f"an arrival was left out: {type(failed).__name__}"
            self._tell(DragomanError("input_invalid", detail, where=self.name))
            return []
        return [self.arrived(arrival.raw, event)]

    async def _opened(self, report: Callable[[DragomanError], None]) -> None:
        """Return when the platform is back and the account is open."""
        failures = 1
        while True:
            await asyncio.sleep(pause(failures))
            try:
                return await self._account.open()
            except DragomanError as error:
                if error.code != "channel_unreachable":
                    raise
                failures += 1
                report(error)


def _object(raw: bytes) -> dict[str, Any]:
    return msgspec.json.decode(raw, type=dict[str, Any])
