"""What the fake platform's events say (the table a user writes their own tests by)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import UNKNOWN, Party, Target
from dragoman.words import Fact

AGENT = MemoryAgent(workspace="desk", id="agent")
FULL: dict[str, Any] = {
    "kind": "message",
    "id": "m1",
    "channel": "returns",
    "author": "buyer",
    "bot": False,
    "direct": False,
    "shared": True,
    "other_bots": False,
    "mentions": ["agent", "jordan"],
    "reply_to": "agent",
    "command": {"name": "stop", "argument": "now", "directed": True},
    "text": "stop now",
    "body": "> old\nstop now",
    "attachments": 2,
    "album": "al",
    "thread": "t1",
    "edit": False,
    "grant_id": "g1",
    "sent_at": 1_790_000_000_000,
}


def read(**changes: Any) -> Event:
    """The facts of the full event with some keys changed; `...` leaves a key out."""
    raw = {key: value for key, value in {**FULL, **changes}.items() if value is not ...}
    return facts(raw, AGENT, received_at=7, authenticated=Fact.YES)


def test_every_fact_can_be_stated() -> None:
    """A full event carries each of its facts through."""
    expected = Event(
        kind=EventKind.MESSAGE,
        target=Target("memory", "desk", "returns"),
        event_id="m1",
        dedupe_key="returns\nm1",
        received_at=7,
        sent_at=1_790_000_000_000,
        authenticated=Fact.YES,
        author=Party("memory", "desk", "buyer"),
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.YES,
        other_bots=Fact.NO,
        mentions_agent=Fact.YES,
        mentions_other=Fact.YES,
        reply_to=ReplyTo.AGENT,
        command=Command("stop", "now", Fact.YES),
        text="stop now",
        body="> old\nstop now",
        attachments=2,
        album="al",
        thread="t1",
        grant_id="g1",
    )
    assert expected == read()


@pytest.mark.parametrize(
    ("change", "fact", "expected"),
    [
        ({"bot": True}, "author_kind", AuthorKind.BOT),
        ({"bot": None}, "author_kind", AuthorKind.UNKNOWN),
        ({"bot": ...}, "author_kind", AuthorKind.UNKNOWN),
        ({"author": "agent", "bot": False}, "author_kind", AuthorKind.SELF),
        ({"direct": True}, "chat", ChatKind.DIRECT),
        ({"direct": ...}, "chat", ChatKind.UNKNOWN),
        ({"direct": None}, "chat", ChatKind.UNKNOWN),
        ({"shared": ...}, "shared", Fact.UNKNOWN),
        ({"shared": None}, "shared", Fact.UNKNOWN),
        ({"mentions": ["agent2", "Agent"]}, "mentions_agent", Fact.NO),
        ({"mentions": ["agent"]}, "mentions_other", Fact.NO),
        ({"mentions": ...}, "mentions_agent", Fact.NO),
        ({"mentions": None}, "mentions_agent", Fact.UNKNOWN),
        ({"mentions": None}, "mentions_other", Fact.UNKNOWN),
        ({"reply_to": "jordan"}, "reply_to", ReplyTo.OTHER),
        ({"reply_to": ...}, "reply_to", ReplyTo.NOBODY),
        ({"reply_to": None}, "reply_to", ReplyTo.UNKNOWN),
        ({"command": {"name": "stop", "directed": False}}, "command", Command("stop", "", Fact.NO)),
        ({"command": {"name": "stop"}}, "command", Command("stop", "", Fact.UNKNOWN)),
        ({"command": None}, "command", None),
        ({"body": ...}, "body", "stop now"),
        ({"kind": "edit", "edit": True}, "edit_marks_mentions", True),
        ({"kind": "edit"}, "edit_marks_mentions", False),
        ({"edit": True}, "edit_marks_mentions", False),
        ({"kind": "synthetic", "author": ...}, "author_kind", AuthorKind.HUMAN),
        ({"sent_at": ...}, "sent_at", None),
        ({"other_bots": ...}, "other_bots", Fact.UNKNOWN),
    ],
)
def test_missing_and_null_go_the_careful_way(change: dict[str, Any], fact: str, expected: object) -> None:
    """What is left out or null is unknown or absent, and never malformed."""
    event = read(**change)
    assert (expected, ()) == (getattr(event, fact), event.malformed)


@pytest.mark.parametrize(
    ("key", "value", "fact", "expected"),
    [
        ("kind", "Message", "kind", EventKind.OTHER),
        ("kind", ..., "kind", EventKind.OTHER),
        ("bot", "no", "author_kind", AuthorKind.UNKNOWN),
        ("bot", 0, "author_kind", AuthorKind.UNKNOWN),
        ("direct", 1, "chat", ChatKind.UNKNOWN),
        ("direct", "true", "chat", ChatKind.UNKNOWN),
        ("shared", "false", "shared", Fact.UNKNOWN),
        ("mentions", "agent", "mentions_agent", Fact.UNKNOWN),
        ("mentions", ["agent", 3], "mentions_agent", Fact.UNKNOWN),
        ("reply_to", {"id": "agent"}, "reply_to", ReplyTo.UNKNOWN),
        ("command", "stop", "command", None),
        ("command", {"name": "stop", "directed": "yes"}, "command", None),
        ("text", ["stop"], "text", ""),
        ("text", "\ud800", "text", ""),
        ("text", "x" * 70_000, "text", ""),
        ("attachments", "2", "attachments", 0),
        ("attachments", True, "attachments", 0),
        ("attachments", -1, "attachments", 0),
        ("sent_at", "soon", "sent_at", None),
        ("grant_id", 5, "grant_id", None),
        ("thread", " t1", "thread", None),
        ("channel", " returns", "target", None),
        ("channel", ..., "target", None),
        ("id", ..., "event_id", ""),
        ("edit", "yes", "edit_marks_mentions", False),
    ],
)
def test_the_wrong_type_is_malformed(key: str, value: Any, fact: str, expected: object) -> None:
    """A wrong type is named, and its fact goes the careful way."""
    event = read(**{key: value})
    found = getattr(event, fact)
    assert ((key,), expected) == (event.malformed, None if found is UNKNOWN else found)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(FULL)), ANY_JSON))
def test_no_json_raises_or_opens(raw: dict[str, Any]) -> None:
    """Whatever the JSON, facts come back, and a yes only where that very key says so."""
    event = facts(raw, AGENT, received_at=7, authenticated=Fact.UNKNOWN)
    assert (event.chat is ChatKind.DIRECT) == (raw.get("direct") is True)
    assert event.author_kind is not AuthorKind.HUMAN or raw.get("bot") is False
    assert event.mentions_agent is not Fact.YES or "agent" in raw["mentions"]
    assert event.authenticated is Fact.UNKNOWN
