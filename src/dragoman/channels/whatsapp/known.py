"""What Meta told us apart from messages: which sends it proved, and when a customer last wrote. Durable, and bounded.

1. Both are kept in an inbox of their own (`Spool`) before Meta is told that they came; it is read from its beginning
   whenever the account is opened. What lies further back than the inbox keeps is not known: the window counts as
   closed, a send as not proven.
2. A send is found by our key (`biz_opaque_callback_data`). `sent`, `delivered`, `read` and `played` prove it, `failed`
   disproves that one try, whichever came first; a proof is never taken back. The API's own answer proves nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from typing import Final

import msgspec

from dragoman.channels.spool import Spool
from dragoman.clock import DAY, Clock
from dragoman.words import Fact

WINDOW: Final = DAY
"""How long after a customer's last message a free text may be said."""
MOST: Final = 20_000
PROVING: Final = frozenset({"sent", "delivered", "read", "played"})


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the inbox: a send of ours and what became of it, or a chat and when somebody wrote there."""

    key: str = ""
    wamid: str = ""
    status: str = ""
    code: int = 0
    chat: str = ""
    at: int = 0


class Fate(msgspec.Struct, frozen=True):
    """What became of one send. `code` is Meta's reason for a failure."""

    proven: Fact
    wamid: str = ""
    code: int = 0


class Known:
    """The memory of one number. `open` reads what there is, and goes on reading until `close`."""

    def __init__(self, spool: Spool, clock: Clock) -> None:
        self._spool, self._clock = spool, clock
        self._fates: OrderedDict[str, Fate] = OrderedDict()
        self._heard: OrderedDict[str, int] = OrderedDict()
        self._over: OrderedDict[str, int] = OrderedDict()
        """Failed messages after which their key was tried again."""
        self._told = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Read everything that is kept, and go on.

        Raises:
            DragomanError: `inbox_broken`.
        """
        end = await self._spool.put(msgspec.json.encode(Line()))
        reached = asyncio.Event()

        async def read() -> None:
            async for batch in self._spool.read(None):
                async with self._told:
                    for arrival in batch.arrivals:
                        self._take(msgspec.json.decode(arrival.raw, type=Line))
                    self._told.notify_all()
                if int(batch.position) >= end:
                    reached.set()

        self._reading = asyncio.ensure_future(read())
        waiting = asyncio.ensure_future(reached.wait())
        await asyncio.wait({self._reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._reading.done():
            self._reading.result()

    async def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        self._spool.close()

    async def keep(self, line: Line) -> None:
        """Make one thing durable.

        Raises:
            DragomanError: `inbox_broken`; it was not kept.
        """
        await self._spool.put(msgspec.json.encode(line))
        async with self._told:
            self._take(line)
            self._told.notify_all()

    def fate(self, key: str) -> Fate:
        """What is known of a send."""
        return self._fates.get(key, Fate(Fact.UNKNOWN))

    def tries_again(self, key: str) -> None:
        """A send under `key` begins: what became of an earlier, failed one says nothing of this."""
        if self.fate(key).proven is Fact.NO:
            self._over[self._fates.pop(key).wamid] = 0
            self._bound(self._over)

    async def learns(self, key: str, seconds: float) -> Fate:
        """What becomes known of a send within some seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._told:
                await self._told.wait_for(lambda: key in self._fates)
        return self.fate(key)

    def open_window(self, chat: str) -> bool:
        """Whether somebody wrote there within the 24 hours; what is not known is closed."""
        at = self._heard.get(chat)
        return at is not None and self._clock.now() < at + WINDOW

    def _take(self, line: Line) -> None:
        if line.key and line.wamid not in self._over and self.fate(line.key).proven is not Fact.YES:
            proven = Fact.YES if line.status in PROVING else Fact.NO if line.status == "failed" else Fact.UNKNOWN
            if proven is not Fact.UNKNOWN:
                self._fates[line.key] = Fate(proven, line.wamid, line.code)
                self._bound(self._fates)
        if line.chat:
            self._heard[line.chat] = max(line.at, self._heard.pop(line.chat, 0))
            self._bound(self._heard)

    @staticmethod
    def _bound(kept: OrderedDict[str, Fate] | OrderedDict[str, int]) -> None:
        while len(kept) > MOST:
            kept.popitem(last=False)
