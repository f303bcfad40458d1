"""How a growing answer is shown piece by piece (spec 1 §5, §11.6); every piece passes the door.

1. What is shown is always whole sentences that passed every check, and of which nothing could still become guarded.
2. Where messages can be edited, the first sentences are a send and the rest edits of it; a text that outgrows an edit
   goes on in the next message. Without edits the platform's own stream is used: start, append, stop. With neither, the
   whole leaves once, at the end.
3. The first no ends the stream: what stands there stays, and the full text is filed.
4. A first piece of which nobody knows whether it arrived ends the stream too, and so does an append: shown twice is
   worse than shown once. An edit says the whole again and may follow another.
5. The more is shown already, the more must be new before it is shown again: the number of edits is bounded.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Final, Protocol

from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Delivery, Draft
from dragoman.gate.release import Decision
from dragoman.leaks import StreamScan
from dragoman.words import Fact, Reason, ReleaseOutcome

STREAM_LIMIT: Final = 200_000
"""The most characters one stream may bring."""
EVERY_SENTENCE: Final = 100
"""Pieces that are shown sentence by sentence; after them a piece must add `GROWTH` of what stands there."""
GROWTH: Final = 20
"""One part in so many."""

_CLOSERS: Final = 8
"""Closing quotes and brackets that belong to a sentence."""
_SENTENCE_END: Final = re.compile(rf"(?:[.!?…][\"'”’)\]]{{0,{_CLOSERS}}}(?=\s)|[。！？][”’」』）]{{0,{_CLOSERS}}}|\n)")


class Say(Protocol):
    """The turn's way to the door."""

    async def __call__(self, draft: Draft, operation: Operation, edits: str | None = None) -> Delivery:
        """Deliver one draft."""
        ...


class Stream:
    """One stream of one turn. `messages` are the platform's ids of what stands there."""

    def __init__(
        self,
        say: Say,
        foresee: Callable[[Draft, Operation], Awaitable[Decision]],
        operations: Mapping[Operation, OperationSpec],
        silence_token: str,
    ) -> None:
        self._say = say
        self._foresee = foresee
        self._token = silence_token
        self._edits = Operation.EDIT in operations
        self._native = not self._edits and {Operation.STREAM_START, Operation.STREAM_APPEND} <= set(operations)
        self._stops = self._native and Operation.STREAM_STOP in operations
        self._longest = operations[Operation.EDIT].max_length if self._edits else 0
        self.messages: tuple[str, ...] = ()
        self._open = ""
        self._base = 0
        self._left = 0
        self._asked = 0
        self._shown = 0
        self._last: Delivery | None = None

    async def carry(self, chunks: AsyncIterable[str], scan: StreamScan) -> Delivery | None:
        """Show what may be shown as it comes; what became of the last piece, None when nothing was said."""
        try:
            return await self._carry(chunks, scan)
        finally:  # whatever became of it, no message stands there as if more were to come
            if self._open and self._stops:
                await self._say(Draft(text=""), Operation.STREAM_STOP, self._open)

    async def _carry(self, chunks: AsyncIterable[str], scan: StreamScan) -> Delivery | None:
        text, stopped, sentences, opening = "", False, _Sentences(), _Opening(self._token)
        async for chunk in chunks:
            text += chunk
            if len(text) > STREAM_LIMIT:
                raise ValueError("the stream is longer than a stream may be")
            cut = sentences.last(text, scan.push(chunk).upto)
            if opening.silent(chunk) or stopped or not self._worth(cut):
                continue
            if not await self._allowed(text, cut):
                stopped = True
                continue
            if not await self._show(text, cut):
                return self._last
            stopped = self._last is not None and self._last.outcome is not ReleaseOutcome.SEND
        return await self._close(text, stopped)

    def _worth(self, cut: int) -> bool:
        if not (self._edits or self._native) or cut <= self._asked:
            return False
        return self._shown < EVERY_SENTENCE or (cut - self._left) * GROWTH >= self._left

    async def _allowed(self, text: str, cut: int) -> bool:
        """Whether the door would let the whole go, as far as it stands in this message."""
        self._turn_over(cut)
        whole = text[self._base : cut]
        operation = (Operation.EDIT if self._edits else Operation.STREAM_APPEND) if self._open else self._first
        return (await self._foresee(Draft(text=whole), operation)).sends

    @property
    def _first(self) -> Operation:
        return Operation.STREAM_START if self._native else Operation.SEND

    def _turn_over(self, cut: int) -> None:
        """Go on in a message of its own when an edit could not hold what stands in this one."""
        if self._edits and self._open and cut - self._base > self._longest:
            self._base, self._open = self._left, ""

    async def _show(self, text: str, cut: int) -> bool:
        """Show `text` up to `cut`; whether the stream may go on."""
        fresh, self._asked = not self._open, cut
        if fresh:
            delivery = await self._say(Draft(text=text[self._base : cut]), self._first)
        elif self._edits:
            delivery = await self._say(Draft(text=text[self._base : cut]), Operation.EDIT, self._open)
        else:
            delivery = await self._say(Draft(text=text[self._left : cut]), Operation.STREAM_APPEND, self._open)
        self._last, self._shown = delivery, self._shown + 1
        if delivery.delivered is Fact.UNKNOWN:
            self.messages += delivery.pieces if fresh else ()
            return self._edits and not fresh
        if fresh and delivery.delivered is Fact.YES:
            self._opened(delivery, cut)
        if delivery.delivered is Fact.YES or (self._edits and not fresh):
            self._left = cut
        return True

    def _opened(self, delivery: Delivery, cut: int) -> None:
        """A message was made; one that had to be split cannot grow, so the next sentence opens another."""
        self.messages += delivery.pieces
        if len(delivery.pieces) == 1:
            self._open = delivery.evidence
        else:
            self._base = cut

    async def _close(self, text: str, stopped: bool) -> Delivery | None:
        if text.strip() in ("", self._token):
            return self._last
        arrived = self._last is not None and self._last.delivered is Fact.YES
        if stopped:
            await self._file(text)
        elif not arrived or text[self._left :].strip():
            self._turn_over(len(text))
            if self._native and self._open:
                self._last = await self._say(Draft(text=text[self._left :]), Operation.STREAM_APPEND, self._open)
            else:
                await self._show(text, len(text))
        return self._last

    async def _file(self, text: str) -> None:
        """The full text goes to the door once more, where it is held and filed; what it is too long for, its end."""
        operation = (Operation.EDIT if self._edits else Operation.STREAM_APPEND) if self._open else Operation.SEND
        edits = self._open or None
        self._last = await self._say(Draft(text=text), operation, edits)
        if self._last.reason is Reason.TOO_LONG:
            self._last = await self._say(Draft(text=text[self._base :]), operation, edits)


class _Sentences:
    """Where the sentences of a growing text end; nothing is looked at twice."""

    def __init__(self) -> None:
        self._looked = 0
        self._last = 0
        self._later: deque[int] = deque()

    def last(self, text: str, safe: int) -> int:
        """The end of the last whole sentence within the first `safe` characters, or 0."""
        growing, looked = 0, max(self._looked, len(text) - _CLOSERS - 2)
        for match in _SENTENCE_END.finditer(text, self._looked):
            looked = max(looked, match.end())
            if match.end() == len(text):  # closing quotes may still follow
                growing, looked = match.end(), match.start()
                break
            self._later.append(match.end())
        self._looked = looked
        while self._later and self._later[0] <= safe:
            self._last = self._later.popleft()
        return growing if 0 < growing <= safe else self._last


class _Opening:
    """Whether a growing text may still turn out to be the silence token and nothing else."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._said = ""
        self._open = True

    def silent(self, chunk: str) -> bool:
        """The same after one more piece. White space is kept as one space, so that it costs nothing."""
        if self._open:
            said = (self._said + chunk).lstrip()
            self._said = said.rstrip() + " " * (said[-1:].isspace())
            self._open = self._token.startswith(said.strip())
        return self._open
