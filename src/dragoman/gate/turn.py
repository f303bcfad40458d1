"""A turn that speaks at once: the agent's only voice when a bot embeds the gate (spec 1 §7, §11.5-6).

1. A reply goes to the event's own target and thread, through the door, once per call.
2. A text that is empty or equals the silence token is silence; while streaming, a prefix of the token is held back.
3. A stream leaves as whole sentences that passed every check: the first as a send, the rest as edits of it. What
   already left is part of what is checked. The first no ends the stream and files the full text.
4. A failed turn of which nothing was sent becomes the fixed safe sentence; of which something was sent, silence. An
   attempt of which nobody knows what became counts as sent: it is neither repeated nor followed by an apology.
5. A turn ends with its agent, or when the agent stays silent. What is said later comes to the door with an admission
   that has run out.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, Callable
from typing import Final, Protocol

import msgspec

from dragoman.gate.admit import Admission
from dragoman.gate.event import Event
from dragoman.gate.observe import Observed
from dragoman.gate.ports import Channel, Delivery, Draft, Operation
from dragoman.gate.release import Decision
from dragoman.gate.sentences import Sentence, safe_sentence
from dragoman.leaks import StreamScan
from dragoman.words import Fact, OutputClass, Reason, ReleaseOutcome, Topic

STREAM_LIMIT: Final = 200_000
"""The most characters one stream may bring."""

_SENTENCE_END: Final = re.compile(r"(?:[.!?…][\"'”’)\]]*(?=\s)|[。！？][”’」』）]*|\n)")

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
        self._sent_id = ""
        self._attempted = False
        self._ended = False

    async def reply(self, text: str, *, topics: frozenset[Topic] = frozenset()) -> Delivery:
        """Answer with a finished text; empty text or the silence token is silence."""
        if self._silent(text):
            return SILENCE
        return await self._say(text, topics, edit=False)

    async def edit(self, text: str, *, topics: frozenset[Topic] = frozenset()) -> Delivery:
        """Replace the last sent text of this turn; with nothing sent yet there is nothing to replace."""
        if self._silent(text) or not self._sent_id:
            return SILENCE
        return await self._say(text, topics, edit=True)

    async def stream(self, chunks: AsyncIterable[str]) -> Delivery:
        """Answer piece by piece; returns what became of the last piece."""
        scan = self._door.scan(self._admission)
        text, left, stopped, last = "", 0, False, SILENCE
        async for chunk in chunks:
            text += chunk
            if len(text) > STREAM_LIMIT:
                raise ValueError("the stream is longer than a stream may be")
            safe = scan.push(chunk).upto
            if stopped or self._token.startswith(text.strip()):
                continue
            cut = _last_sentence(text, safe)
            if cut <= left:
                continue
            decision = await self._foresee(text[:cut])
            if not decision.sends:
                stopped = True
                continue
            last = await self._say(text[:cut], frozenset(), edit=bool(self._sent_id))
            if last.delivered is Fact.UNKNOWN and not self._sent_id:
                return last  # it may stand there already: sending the whole again could show it twice
            left = cut
        if self._silent(text) or (last.delivered is Fact.YES and not text[left:].strip()):
            return last
        return await self._say(text, frozenset(), edit=bool(self._sent_id))

    async def stay_silent(self) -> None:
        """End the turn without output; a success."""
        self.end()

    def end(self) -> None:
        """The turn is over: nothing more is said under its admission (spec 1 §6)."""
        self._ended = True
        self._admission = msgspec.structs.replace(self._admission, expires_at=0, grant_id=None)

    async def fail(self) -> Delivery:
        """The turn failed: the fixed safe sentence if nothing was attempted, else nothing."""
        if self._attempted or self._ended:
            return SILENCE
        text = safe_sentence(Sentence.FAILED, self._admission.language)
        delivery = await self._say(text, frozenset(), edit=False, output_class=OutputClass.SAFE_ERROR)
        if delivery.outcome is not ReleaseOutcome.SEND:
            return delivery
        return Delivery(
            outcome=ReleaseOutcome.REPLACE,
            reason=Reason.TURN_FAILED,
            delivered=delivery.delivered,
            evidence=delivery.evidence,
        )

    def _silent(self, text: str) -> bool:
        return text.strip() in ("", self._token)

    async def _foresee(self, text: str) -> Decision:
        operation = Operation.EDIT if self._sent_id else Operation.SEND
        return await self._door.foresee(Draft(text=text), self._admission, self._channel, operation)

    async def _say(
        self, text: str, topics: frozenset[Topic], *, edit: bool, output_class: OutputClass = OutputClass.FINAL
    ) -> Delivery:
        try:
            delivery = await self._door.deliver(
                Draft(text=text, output_class=output_class, topics=topics),
                self._admission,
                self._channel,
                key=self._new_id("out"),
                operation=Operation.EDIT if edit else Operation.SEND,
                thread=self._admission.thread,
                reply_to=self._admission.answers,
                edits=self._sent_id if edit else None,
            )
        except BaseException:
            self._attempted = True  # how far it came is not known
            raise
        if delivery.outcome is ReleaseOutcome.SEND:
            self._attempted = True
            if delivery.delivered is Fact.YES and not edit:
                self._sent_id = delivery.evidence
        return delivery


def _last_sentence(text: str, safe: int) -> int:
    """The end of the last whole sentence within the first `safe` characters, or 0."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, len(text)) if match.end() <= safe]
    return ends[-1] if ends else 0
