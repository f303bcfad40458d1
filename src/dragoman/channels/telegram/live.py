"""Which words of a Telegram text did its author say now, whom do they mention, and which command do they begin with?

1. Telegram marks all of this with entities, in UTF-16 code units. An entity that does not lie in its text, or that
   begins or ends inside a character, marks nothing and is malformed.
2. Code, preformatted text and quotes are hidden: nothing inside them is said now, and no mention or command counts.
3. A mention is an entity: `mention` by our present username, in any case of ASCII letters, `text_mention` by our id.
   Whatever else is mentioned is another. Text alone mentions nobody.
4. A command is a `bot_command` entity with nothing said before it but our own mention. Its suffix says whose it is.
5. The live text is the text without what is hidden and without our own mention; the command stays.

Pure; every step is linear in text and entities.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final, NamedTuple

from dragoman.channels.payload import Payload
from dragoman.channels.telegram.state import TelegramAgent
from dragoman.gate.event import Command
from dragoman.words import Fact

_HIDING: Final = frozenset({"code", "pre", "blockquote", "expandable_blockquote"})
_CALLING: Final = frozenset({"mention", "text_mention", "bot_command"})
_LEADING: Final = re.compile(r"\A[\s:,]+")


class Span(NamedTuple):
    """One entity, its place in characters; `whom` is the id of a `text_mention`."""

    start: int
    end: int
    kind: str
    whom: str = ""


class Said(NamedTuple):
    """What a text says."""

    text: str = ""
    mentions_agent: bool = False
    mentions_other: bool = False
    command: Command | None = None


def said(text: str, entities: list[Payload], agent: TelegramAgent) -> Said:
    """The live text, mentions and command of `text`; entities that fit nowhere are named malformed."""
    spans = _spans(text, entities)
    hidden = _merged([(span.start, span.end) for span in spans if span.kind in _HIDING])
    shown = _uncovered([span for span in spans if span.kind in _CALLING], hidden)
    mentions = [span for span in shown if span.kind != "bot_command"]
    own = [span for span in mentions if _ours(text, span, agent)]
    cut = _merged([*hidden, *((span.start, span.end) for span in own)])
    live = _without(text, cut, 0, len(text))
    return Said(
        text=(_LEADING.sub("", live) if own else live).strip(),
        mentions_agent=bool(own),
        mentions_other=len(own) < len(mentions),
        command=_command(text, [span for span in shown if span.kind == "bot_command"], cut, agent),
    )


def _spans(text: str, entities: list[Payload]) -> list[Span]:
    """The entities that matter, in the order of their places."""
    place: dict[int, int] | None = None
    found: list[Span] = []
    for entity in entities:
        kind = entity.text("type")
        if kind not in _HIDING | _CALLING:
            continue
        if place is None:
            place = _places(text)
        offset, length = entity.whole("offset"), entity.whole("length")
        start = place.get(-1 if offset is None else offset)
        end = place.get(-1 if offset is None or length is None else offset + length)
        if start is None or end is None or end <= start:
            entity.wrong("offset")
            continue
        whom = entity.inside("user").number_id("id", needed=True) if kind == "text_mention" else ""
        found.append(Span(start, end, kind, whom))
    return sorted(found)


def _places(text: str) -> dict[int, int]:
    """UTF-16 offset → index, for every character and the end; an offset inside a character is not there."""
    units = accumulate((1 if char < "\U00010000" else 2 for char in text), initial=0)
    return {unit: index for index, unit in enumerate(units)}


def _ours(text: str, span: Span, agent: TelegramAgent) -> bool:
    if span.kind == "text_mention":
        return span.whom == str(agent.id)
    return text[span.start] == "@" and agent.called(text[span.start + 1 : span.end])


def _command(text: str, commands: list[Span], cut: list[tuple[int, int]], agent: TelegramAgent) -> Command | None:
    if not commands:
        return None
    first = commands[0]
    before = _without(text, cut, 0, first.start)
    name, at, suffix = text[first.start + 1 : first.end].partition("@")
    if before.strip(" \t\r\n:,") or text[first.start] != "/" or not name:
        return None
    directed = Fact.UNKNOWN if not at else Fact.YES if agent.called(suffix) else Fact.NO
    argument = _without(text, cut, first.end, len(text)).strip()
    return Command(name.lower() if name.isascii() else name, argument, directed)


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _uncovered(spans: list[Span], hidden: list[tuple[int, int]]) -> list[Span]:
    """The spans that touch nothing hidden; both lists are in order of their starts, the hidden ones apart."""
    kept, at = [], 0
    for span in spans:
        while at < len(hidden) and hidden[at][1] <= span.start:
            at += 1
        if at == len(hidden) or hidden[at][0] >= span.end:
            kept.append(span)
    return kept


def _without(text: str, cut: list[tuple[int, int]], start: int, end: int) -> str:
    """`text` from `start` to `end`, a blank in the place of each cut."""
    kept, at = [], start
    for begin, stop in cut:
        if stop <= at or begin >= end:
            continue
        kept += [text[at : max(at, begin)], " "]
        at = stop
    kept.append(text[min(at, end) : end])
    return "".join(kept)
