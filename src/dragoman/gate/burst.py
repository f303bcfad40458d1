"""Which parts of one request are still arriving, and what do they come to together? (spec 1 §3 step 10, §11.3)

1. A part is a message with attachments, or one that the platform put into a group (album). One buffer holds the parts
   of one author at one target in one thread.
2. A request with parts waits until none has come for the quiet time, or until the cap is reached; a text of the same
   author that would be answered meanwhile joins it. A control command waits for nothing and joins nothing.
3. Parts of an album that asked nothing wait too, as facts only, for a sibling that asks; without one they stay silent.
4. What is decided at the end is one event, weighed afresh: a fact that asks comes from any part, so does a fact that
   addresses somebody else, and unknown stays unknown. A part that was deleted meanwhile is not there.
5. An album that was answered is decided: a late part of it is a duplicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from dragoman.gate.event import Event, EventKind, ReplyTo
from dragoman.identity import Party, Target
from dragoman.words import Fact

PARTS_LIMIT: Final = 100
"""Parts of one buffer; what comes beyond is not kept, and the request is decided at once."""


class Buffer(msgspec.Struct, frozen=True):
    """Whose parts wait together."""

    target: Target
    author: Party
    thread: str | None


class Part(msgspec.Struct, frozen=True):
    """One waiting event. `asked`: it would have been answered by itself. `arrived_at` is epoch milliseconds."""

    event: Event
    arrived_at: int
    asked: bool


def is_part(event: Event) -> bool:
    """Whether more may belong to this event than it says itself."""
    return event.kind is EventKind.MESSAGE and (event.attachments > 0 or event.album is not None)


def buffer_of(event: Event) -> Buffer:
    """The buffer that an event's parts wait in."""
    return Buffer(event.target, event.author, event.thread)


def album_key(event: Event) -> str | None:
    """The dedupe key of an event's whole album; None without one."""
    if event.album is None:
        return None
    return f"album\n{event.target}\n{event.author}\n{event.album}"


def due(parts: Sequence[Part], quiet_ms: int, cap_ms: int) -> int:
    """When a buffer is decided, epoch milliseconds; at once when it is full."""
    first, last = parts[0].arrived_at, parts[-1].arrived_at
    return last if len(parts) >= PARTS_LIMIT else min(last + quiet_ms, first + cap_ms)


def merged(parts: Sequence[Part]) -> Event:
    """The one event that all parts come to: told as the first that asked, or else the first."""
    events = [part.event for part in parts]
    lead = next((part.event for part in parts if part.asked), events[0])
    return msgspec.structs.replace(
        lead,
        text="\n".join(event.text for event in events if event.text),
        body="\n".join(event.body for event in events if event.body),
        attachments=sum(event.attachments for event in events),
        mentions_agent=_any([event.mentions_agent for event in events]),
        mentions_other=_any([event.mentions_other for event in events]),
        shared=_any([event.shared for event in events]),
        other_bots=_any([event.other_bots for event in events]),
        reply_to=_reply([event.reply_to for event in events]),
        malformed=tuple(dict.fromkeys(name for event in events for name in event.malformed)),
    )


def _any(facts: Sequence[Fact]) -> Fact:
    """Yes if any part says so; else unknown if any does not know."""
    return next((fact for fact in (Fact.YES, Fact.UNKNOWN) if fact in facts), Fact.NO)


def _reply(replies: Sequence[ReplyTo]) -> ReplyTo:
    order = (ReplyTo.AGENT, ReplyTo.OTHER, ReplyTo.UNKNOWN)
    return next((reply for reply in order if reply in replies), ReplyTo.NOBODY)
