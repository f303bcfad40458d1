"""What a platform's event says, as facts. Made by `channels/<platform>/facts.py`, read by `admit`.

1. A fact comes from the authenticated transport or from an id that the platform sets; nothing that a participant can
   type or rename is a fact here (display names, titles, quotes, forwards, metadata, flags inside the event).
2. What is missing is `UNKNOWN`, what is of the wrong type is named in `malformed`; neither is ever a yes.
3. `text` is the live text: quotes, code, forwards and our own mention cut out. `body` is what the handler may read.
"""

from __future__ import annotations

import msgspec

from dragoman.identity import NOBODY, Party, Target
from dragoman.words import Fact, Word


class EventKind(Word):
    """What happened. Only `MESSAGE`, `EDIT` and `SYNTHETIC` can ever be a request."""

    MESSAGE = "message"
    EDIT = "edit"
    SYNTHETIC = "synthetic"
    OTHER = "other"


class AuthorKind(Word):
    """Who wrote it; an unproven author is `UNKNOWN` and treated like a bot."""

    HUMAN = "human"
    BOT = "bot"
    SELF = "self"
    UNKNOWN = "unknown"


class ChatKind(Word):
    """What kind of conversation; only a proven one-to-one is `DIRECT`, anything unclear is judged as a group."""

    DIRECT = "direct"
    GROUP = "group"
    UNKNOWN = "unknown"


class ReplyTo(Word):
    """Whom this very message answers; never the author of a thread's root."""

    NOBODY = "nobody"
    AGENT = "agent"
    OTHER = "other"
    UNKNOWN = "unknown"


class Command(msgspec.Struct, frozen=True):
    """A command that the platform itself marked at the start of the live text.

    `directed` is YES when it names the agent, NO when it names another bot, UNKNOWN when it names nobody.
    """

    name: str
    argument: str = ""
    directed: Fact = Fact.UNKNOWN


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event of one platform. Times are epoch milliseconds."""

    kind: EventKind
    target: Target
    event_id: str
    """The platform's id of the message that a reply would answer."""
    dedupe_key: str
    """Equal for every copy of one message: retries, twins, replays (spec 1 §3 step 1)."""
    received_at: int
    sent_at: int | None = None
    authenticated: Fact = Fact.UNKNOWN
    """What the transport proved; anything but YES is rejected."""
    author: Party = NOBODY
    author_kind: AuthorKind = AuthorKind.UNKNOWN
    chat: ChatKind = ChatKind.UNKNOWN
    shared: Fact = Fact.UNKNOWN
    """Whether people of another organisation, or guests, are in the channel."""
    other_bots: Fact = Fact.UNKNOWN
    mentions_agent: Fact = Fact.NO
    mentions_other: Fact = Fact.NO
    reply_to: ReplyTo = ReplyTo.NOBODY
    command: Command | None = None
    edit_marks_mentions: bool = False
    """The adapter declares that this edit's mention is one the platform marked as newly added (Matrix)."""
    text: str = ""
    body: str = ""
    attachments: int = 0
    album: str | None = None
    thread: str | None = None
    grant_id: str | None = None
    """The grant that a synthetic event quotes; quoting makes no authority."""
    deletes: str | None = None
    """The platform's id of the message that this event (of kind `OTHER`) says was deleted."""
    malformed: tuple[str, ...] = ()
