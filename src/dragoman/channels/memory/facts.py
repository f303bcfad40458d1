"""What does an event of the fake platform say? Every fact can be stated, so that a test can state any of them.

An event is one JSON object. Nothing raises, and unknown keys are ignored:

    kind         "message" | "edit" | "synthetic" | "other"; anything else is `other` and malformed
    id           the message's id                     channel   the channel's id: malformed when missing
    author       the author's id                      bot       true | false; missing or null: unknown author kind
    direct       true: one-to-one, false: group       shared    true | false: people of another organisation are there
    other_bots   true | false                         direct, shared, other_bots missing or null: unknown
    mentions     list of ids; missing: none; null: unknown
    reply_to     id of the author who is answered; missing: no reply; null: unknown
    command      {"name": str, "argument": str, "directed": true | false | null}; missing or null: none
    text         live text, missing: empty            body      what may be read, missing: the text
    attachments  how many, missing: 0                 album, thread, grant_id   id or null
    deletes      kind "other" only: id of the message that was deleted, or null
    edit         true: the platform marks newly added mentions of this edit
    sent_at      epoch milliseconds, missing or null: unknown

A value of the wrong type is named in `malformed`, and its fact goes the careful way: unknown, or empty. The author who
is the agent's own id is `self`, whatever `bot` says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import party, target, well_formed
from dragoman.words import Fact

PLATFORM: Final = "memory"
TEXT_LIMIT: Final = 65_536
"""Characters of `text` and `body`; more is malformed."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_FACT: Final = {True: Fact.YES, False: Fact.NO, None: Fact.UNKNOWN}
_AUTHOR: Final = {Fact.YES: AuthorKind.BOT, Fact.NO: AuthorKind.HUMAN, Fact.UNKNOWN: AuthorKind.UNKNOWN}
_CHAT: Final = {Fact.YES: ChatKind.DIRECT, Fact.NO: ChatKind.GROUP, Fact.UNKNOWN: ChatKind.UNKNOWN}


class MemoryAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our account on the fake platform: its workspace and its id there.

    Raises:
        ValueError: a part is no identity part (a `ValidationError` while decoding).
    """

    workspace: str
    id: str

    def __post_init__(self) -> None:
        if not (well_formed(self.workspace) and well_formed(self.id)):
            raise ValueError("`workspace` and `id` must be non-empty, unpadded, printable texts")


def facts(raw: Mapping[str, Any], agent: MemoryAgent, *, received_at: int, authenticated: Fact) -> Event:
    """The facts of one event of the shape above; never raises."""
    read = _Reader(raw)
    channel, event_id, author = read.id("channel"), read.id("id"), read.id("author")
    kind, text = read.kind(), read.text("text")
    mentions_agent, mentions_other = read.mentions(agent.id)
    bot = read.fact("bot")
    return Event(
        kind=kind,
        target=target(PLATFORM, agent.workspace, channel),
        event_id=event_id,
        dedupe_key=f"{channel}\n{event_id}",
        received_at=received_at,
        sent_at=read.whole("sent_at", None),
        authenticated=authenticated,
        author=party(PLATFORM, agent.workspace, author),
        author_kind=AuthorKind.SELF if author and author == agent.id else _AUTHOR[bot],
        chat=_CHAT[read.fact("direct")],
        shared=read.fact("shared"),
        other_bots=read.fact("other_bots"),
        mentions_agent=mentions_agent,
        mentions_other=mentions_other,
        reply_to=read.reply_to(agent.id),
        command=read.command(),
        edit_marks_mentions=read.fact("edit") is Fact.YES and kind is EventKind.EDIT,
        text=text,
        body=read.text("body") if "body" in raw else text,
        attachments=read.whole("attachments", 0) or 0,
        album=read.optional("album"),
        thread=read.optional("thread"),
        grant_id=read.optional("grant_id"),
        deletes=read.optional("deletes") if kind is EventKind.OTHER else None,
        malformed=tuple(read.bad),
    )


class _Reader:
    """Reads one raw event key by key and collects what is malformed."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._raw = raw
        self.bad: list[str] = []

    def id(self, key: str) -> str:
        """A well-formed identity part, or the empty string."""
        value = self._raw.get(key)
        if well_formed(value):
            return str(value)
        # a synthetic event has no author; whoever else has none is unknown, not malformed
        if key != "author" or value is not None:
            self.bad.append(key)
        return ""

    def optional(self, key: str) -> str | None:
        """A well-formed identity part, or None."""
        value = self._raw.get(key)
        if value is None or well_formed(value):
            return value
        self.bad.append(key)
        return None

    def kind(self) -> EventKind:
        """The kind of event."""
        value = self._raw.get("kind")
        if type(value) is str and value in {kind.value for kind in EventKind}:
            return EventKind(value)
        self.bad.append("kind")
        return EventKind.OTHER

    def fact(self, key: str) -> Fact:
        """A boolean that may be left open."""
        value = self._raw.get(key)
        if value is None or type(value) is bool:
            return _FACT[value]
        self.bad.append(key)
        return Fact.UNKNOWN

    def text(self, key: str) -> str:
        """Bounded text."""
        value = self._raw.get(key, "")
        if type(value) is str and len(value) <= TEXT_LIMIT and not _SURROGATE.search(value):
            return value
        self.bad.append(key)
        return ""

    def whole(self, key: str, missing: int | None) -> int | None:
        """A whole number that is not negative."""
        value = self._raw.get(key)
        if value is None:
            return missing
        if type(value) is int and 0 <= value < 2**53:
            return value
        self.bad.append(key)
        return missing

    def mentions(self, own: str) -> tuple[Fact, Fact]:
        """Whether the agent is mentioned, and whether anyone else is."""
        value = self._raw.get("mentions", [])
        if type(value) is list and all(well_formed(each) for each in value):
            return _FACT[own in value], _FACT[any(each != own for each in value)]
        if value is not None:
            self.bad.append("mentions")
        return Fact.UNKNOWN, Fact.UNKNOWN

    def reply_to(self, own: str) -> ReplyTo:
        """Whom the message answers."""
        if "reply_to" not in self._raw:
            return ReplyTo.NOBODY
        author = self.optional("reply_to")
        if author is None:
            return ReplyTo.UNKNOWN
        return ReplyTo.AGENT if author == own else ReplyTo.OTHER

    def command(self) -> Command | None:
        """The command that the platform marked."""
        value = self._raw.get("command")
        if value is None:
            return None
        if isinstance(value, Mapping):
            name, argument, directed = value.get("name"), value.get("argument", ""), value.get("directed")
            if well_formed(name) and type(argument) is str and (directed is None or type(directed) is bool):
                return Command(str(name), argument, _FACT[directed])
        self.bad.append("command")
        return None
