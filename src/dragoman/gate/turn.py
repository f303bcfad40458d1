"""A turn that speaks at once: the agent's only voice when a bot embeds the gate (spec 1 §7, §11.5-6).

1. A reply goes to the event's own target and thread, through the door, once per call, with what comes with it.
2. A text that is empty or equals the silence token is silence, whatever comes with it; while streaming, a prefix of
   the token is held back.
3. A stream leaves as whole sentences that passed every check (`streaming`).
4. A failed turn of which nothing final was sent becomes the fixed safe sentence: in the place of the progress message
   that stands there, whose blocks go with it, or as a message of its own. Of which something final was sent, or of
   which nobody knows, silence: it is neither repeated nor followed by an apology.
5. What was asked for in private stays private: it is never said again in public, and no apology for it is.
6. A message that left in several pieces cannot be replaced by an edit; the door refuses an edit that names none.
7. A turn ends with its agent, or when the agent stays silent. What is said later comes to the door with an admission
   that has run out.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from typing import Final, Protocol

import msgspec

from dragoman.gate.admit import Admission
from dragoman.gate.event import Event
from dragoman.gate.observe import Observed
from dragoman.gate.operations import Operation
from dragoman.gate.parts import NOTHING, Parts
from dragoman.gate.ports import Channel, Delivery, Draft
from dragoman.gate.release import Decision
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.gate.streaming import STREAM_LIMIT as STREAM_LIMIT
from dragoman.gate.streaming import Stream
from dragoman.identity import Party
from dragoman.leaks import StreamScan
from dragoman.words import Fact, OutputClass, Reason, ReleaseOutcome, Topic

SILENCE: Final = Delivery(outcome=ReleaseOutcome.DENY, reason=Reason.EMPTY_TEXT)
"""What a silent answer reports: nothing left, and nothing was wrong."""


class Door(Protocol):
    """What a turn may ask of the gate."""

    def scan(self, admission: Admission) -> StreamScan:
        """A fresh leak scan for one stream to the admission's target."""
        ...

    async def foresee(self, draft: Draft, admission: Admission, channel: Channel, operation: Operation) -> Decision:
        """What the door would decide now, without any effect."""
        ...

    async def deliver(
        self,
        draft: Draft,
        authority: Admission,
        channel: Channel,
        *,
        key: str,
        operation: Operation = Operation.SEND,
        thread: str | None = None,
        reply_to: str | None = None,
        edits: str | None = None,
        only_for: Party | None = None,
    ) -> Delivery:
        """The door."""
        ...


class LiveTurn:
    """The `Turn` of one admission on one channel."""

    def __init__(
        self,
        door: Door,
        admission: Admission,
        channel: Channel,
        new_id: Callable[[str], str],
        silence_token: str,
        *,
        event: Event,
        observed: tuple[Observed, ...] = (),
    ) -> None:
        self.event = event
        self.observed = observed
        self._door = door
        self._admission = admission
        self._channel = channel
        self._new_id = new_id
        self._token = silence_token
        self._last: tuple[str, ...] = ()
        self._status = ""
        self._private = False
        self._attempted = False
        self._ended = False

    async def reply(
        self, text: str, *, parts: Parts = NOTHING, topics: frozenset[Topic] = frozenset(), private: bool = False
    ) -> Delivery:
        """Answer with a finished text and what comes with it; nothing, or the silence token, is silence.

        `private` shows it only to the one who asked, where the platform can; elsewhere it is refused.
        """
        if self._silent(text, parts):
            return SILENCE
        draft = Draft(text=text, parts=parts, topics=topics)
        if private:
            self._private = True
            return await self._say(draft, Operation.PRIVATE)
        delivery = await self._say(draft, Operation.SEND)
        if delivery.delivered is Fact.YES:
            self._last = delivery.pieces
        return delivery

    async def edit(self, text: str, *, parts: Parts = NOTHING, topics: frozenset[Topic] = frozenset()) -> Delivery:
        """Replace the last sent message of this turn, its parts included; with nothing sent there is nothing to."""
        if self._silent(text, parts) or not self._last:
            return SILENCE
        only = self._last[0] if len(self._last) == 1 else None
        return await self._say(Draft(text=text, parts=parts, topics=topics), Operation.EDIT, edits=only)

    async def progress(self, text: str, *, parts: Parts = NOTHING) -> Delivery:
        """Show how far the work is, in one message that each call replaces; internal targets only."""
        if self._silent(text, parts):
            return SILENCE
        draft = Draft(text=text, parts=parts, output_class=OutputClass.PROGRESS)
        if self._status and Operation.EDIT in self._channel.operations:
            return await self._say(draft, Operation.EDIT, edits=self._status)
        delivery = await self._say(draft, Operation.SEND)
        if delivery.delivered is Fact.YES and len(delivery.pieces) == 1:
            self._status = delivery.evidence
        return delivery

    async def react(self, emoji: str) -> Delivery:
        """Mark the message that is answered; internal targets only."""
        return await self._say(Draft(text=emoji, output_class=OutputClass.PROGRESS), Operation.REACT)

    async def typing(self) -> Delivery:
        """Show that an answer is being written; internal targets only."""
        return await self._say(Draft(text="", output_class=OutputClass.PROGRESS), Operation.TYPING)

    async def stream(self, chunks: AsyncIterable[str]) -> Delivery:
        """Answer piece by piece; returns what became of the last piece."""
        stream = Stream(self._say, self._foresee, self._channel.operations, self._token)
        try:
            return await stream.carry(chunks, self._door.scan(self._admission)) or SILENCE
        finally:
            self._last = stream.messages or self._last

    async def stay_silent(self) -> None:
        """End the turn without output; a success."""
        self.end()

    def end(self) -> None:
        """The turn is over: nothing more is said under its admission (spec 1 §6)."""
        self._ended = True
        self._admission = msgspec.structs.replace(self._admission, expires_at=0, grant_id=None)

    async def fail(self) -> Delivery:
        """The turn failed: the fixed safe sentence if nothing final was attempted, else nothing."""
        if self._attempted or self._ended:
            return SILENCE
        sorry = Draft(
            text=safe_sentence(Sentence.FAILED, self._admission.language), output_class=OutputClass.SAFE_ERROR
        )
        delivery = SILENCE
        if self._status and Operation.EDIT in self._channel.operations:
            delivery = await self._say(sorry, Operation.EDIT, edits=self._status)
        if delivery.delivered is Fact.NO:
            delivery = await self._say(sorry, Operation.PRIVATE if self._private else Operation.SEND)
        if delivery.outcome is not ReleaseOutcome.SEND:
            return delivery
        return msgspec.structs.replace(delivery, outcome=ReleaseOutcome.REPLACE, reason=Reason.TURN_FAILED)

    def _silent(self, text: str, parts: Parts = NOTHING) -> bool:
        return text.strip() == self._token or not (text.strip() or parts)

    async def _foresee(self, draft: Draft, operation: Operation) -> Decision:
        return await self._door.foresee(draft, self._admission, self._channel, operation)

    async def _say(self, draft: Draft, operation: Operation, edits: str | None = None) -> Delivery:
        final = draft.output_class is not OutputClass.PROGRESS
        try:
            delivery = await self._door.deliver(
                draft,
                self._admission,
                self._channel,
                key=self._new_id("out"),
                operation=operation,
                thread=self._admission.thread,
                reply_to=self._admission.answers,
                edits=edits,
                only_for=self._admission.author if operation is Operation.PRIVATE else None,
            )
        except BaseException:
            self._attempted = self._attempted or final  # how far it came is not known
            raise
        if delivery.outcome is ReleaseOutcome.SEND and final:
            self._attempted = True
        return delivery
