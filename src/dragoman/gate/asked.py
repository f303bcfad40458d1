"""The two finite records that a decision is made from, and what the shell looks up for them (spec 1 §3).

`weigh.py` fills them from event, policy and standing; the tables of `admit.py` read them and nothing else. Every field
has few values, so that the whole decision space can be walked.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dragoman.gate.ports import SeenState
from dragoman.grants import Spent
from dragoman.words import Audience, Fact, Word


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the shell looked up before asking: cheap, local, and never the event's own word."""

    now: int
    seen: SeenState = SeenState.NEW
    paused: bool = False
    colleague_at: int | None = None
    burst_open: bool = False
    spent: Mapping[str, Spent] = {}


class Form(Word):
    """What kind of thing arrived."""

    MESSAGE = "message"
    EDIT = "edit"
    OWN = "own"
    OTHER = "other"
    STALE = "stale"
    SYNTHETIC = "synthetic"


class Access(Word):
    """What platform access says of sender and target."""

    ALLOWED = "allowed"
    EXPLICIT_ONLY = "explicit_only"
    DENIED = "denied"


class Identity(Word):
    """Whether the facts that must be known are."""

    VALID = "valid"
    MALFORMED = "malformed"
    NO_TARGET = "no_target"


class Hold(Word):
    """Whether a human of ours keeps the agent quiet here."""

    OPEN = "open"
    PAUSED = "paused"
    TAKEOVER = "takeover"


class Author(Word):
    """Who wrote it, as far as it matters."""

    HUMAN = "human"
    OPERATOR = "operator"
    MACHINE = "machine"
    """A bot, or an author of unknown kind."""
    SYNTHETIC = "synthetic"


class Addressed(Word):
    """Whether somebody else is addressed: by a platform fact, or only by the text."""

    NOBODY_ELSE = "nobody_else"
    OTHER = "other"
    OTHER_BY_TEXT = "other_by_text"


class Commanded(Word):
    """What command the live text starts with, if any that concerns us."""

    NONE = "none"
    CONTROL = "control"
    STOP = "stop"
    AGENT = "agent"
    ELSEWHERE = "elsewhere"


class Substance(Word):
    """How much the author said."""

    NOTHING = "nothing"
    ATTACHMENT = "attachment"
    TEXT = "text"
    QUESTION = "question"


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of steps 0 to 6."""

    authenticated: Fact
    seen: SeenState
    form: Form
    hold: Hold
    identity: Identity
    access: Access
    author: Author
    granted: bool
    """A grant names this very author or schedule, at this very target, and is not spent."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of steps 7 to 10."""

    author: Author
    explicit_only: bool
    granted: bool
    audience: Audience
    direct: bool
    addressed: Addressed
    mention: bool
    command: Commanded
    reply: bool
    substance: Substance
    listed: bool
    open_question: bool
    operator_messages: bool
    mention_free: bool
    burst_open: bool
