"""Which waiting messages are one request, and is all of it there? (spec 1 §3 step 10, §11.3)

The rules are those of `gate/burst.py`; here they are read from the rows that wait in the ledger, so that a restart
changes nothing. A message stands alone, unless it is a part of something that somebody asked:

1. Parts of one author, target and thread wait together while one of them asks, an album's siblings with it.
2. A text of the same author that asks too, and came while the parts waited, joins them.
3. A message that was deleted meanwhile is no part of anything.
4. A gathering that is still arriving is decided later (`until`); a whole one is one event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from dragoman.gate.burst import Buffer, Part, buffer_of, due, is_part, merged
from dragoman.gate.event import Event
from dragoman.ledger.inbox import Inbound
from dragoman.words import Fact

Waiting = tuple[Inbound, Event]


class Gathering(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that are decided as one. `until`: more of it may come before that moment; 0 when it is whole."""

    messages: tuple[Inbound, ...]
    event: Event
    until: int = 0


def gathered(
    waiting: Sequence[Waiting], asks: Callable[[Event], bool], now: int, quiet_ms: int, cap_ms: int
) -> tuple[list[Gathering], list[Inbound]]:
    """What is to be decided, in order of arrival; and the messages that were deleted before anybody answered.

    `asks` says whether an event would be answered by itself, without any effect.
    """
    gone = {(event.target, event.deletes) for _, event in waiting if event.deletes and event.authenticated is Fact.YES}
    deleted = [message for message, event in waiting if (event.target, event.event_id) in gone]
    left = [each for each in waiting if (each[1].target, each[1].event_id) not in gone]
    found: list[Gathering] = []
    taken: set[str] = set()
    for message, event in left:
        if message.id in taken:
            continue
        free = [each for each in left if each[0].id not in taken]
        members = _members(free, event, asks, quiet_ms, cap_ms) if is_part(event) else []
        if not members:
            found.append(Gathering(messages=(message,), event=event))
            continue
        taken |= {member.id for member, _ in members}
        parts = [Part(told, member.received_at, asks(told)) for member, told in members]
        until = due(parts, quiet_ms, cap_ms)
        whole = now >= until
        rows = tuple(member for member, _ in members)
        found.append(Gathering(messages=rows, event=merged(parts), until=0 if whole else until))
    return found, deleted


def _members(
    waiting: Sequence[Waiting], first: Event, asks: Callable[[Event], bool], quiet_ms: int, cap_ms: int
) -> list[Waiting]:
    """All that belongs to the request that `first` is a part of; nothing when nobody asked and no sibling may come."""
    buffer: Buffer = buffer_of(first)
    members: list[Waiting] = []
    for message, event in waiting:
        if buffer_of(event) != buffer or event.author_kind is not first.author_kind:
            continue  # what a machine posts under somebody's account is not his
        album = first.album is not None and event.album == first.album
        if members and message.received_at > due([_bare(each) for each in members], quiet_ms, cap_ms):
            break
        if event is first or album or asks(event):
            members.append((message, event))
    asked = any(asks(event) for _, event in members)
    return members if asked or first.album is not None else []


def _bare(waiting: Waiting) -> Part:
    return Part(waiting[1], waiting[0].received_at, False)
