"""The examples of the IRCv3 specifications, read as facts: `payloads/lines.jsonl` says where each stands.

Names, ids and words are replaced; tags that a server adds on a network with services are added where an example shows a
line without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dragoman.channels.irc.facts import facts
from dragoman.channels.irc.state import IrcAgent, IrcPlace
from dragoman.clock import parse_rfc3339
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.testing.by_hand import START
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

LINES: Final = (Path(__file__).parent / "payloads" / "lines.jsonl").read_text().splitlines()
ROWS: Final[dict[str, dict[str, str]]] = {row["name"]: row for row in map(msgspec.json.decode, LINES)}
PLACE: Final = IrcPlace(nick="desk", authors={"ours": "desk"})
OTHER: Final[dict[str, Any]] = {"kind": EventKind.OTHER}
NOBODY: Final[dict[str, Any]] = OTHER | {
    "channel": "",
    "author": "",
    "author_kind": AuthorKind.UNKNOWN,
    "chat": ChatKind.UNKNOWN,
    "other_bots": Fact.NO,
}
ONE: Final[dict[str, Any]] = {"chat": ChatKind.DIRECT, "shared": Fact.YES, "other_bots": Fact.NO}
BOT: Final[dict[str, Any]] = {"author": "robodan", "author_kind": AuthorKind.BOT, "mentions_agent": Fact.YES}
EXPECTED: Final[dict[str, dict[str, Any]]] = {
    "account": {"channel": "#atheme", "author": "hax0r", "text": "Now I'm logged in."},
    "no account": {"channel": "#atheme", "author": "", "author_kind": AuthorKind.UNKNOWN},
    "another account": {"channel": "#atheme", "author": "bob"},
    "account change": NOBODY,
    "channel": {"event_id": "63E1033A051D4B41B1AB1FA3CF4B243E", "text": "Hello!"},
    "private": ONE | {"channel": "nick", "event_id": "server1-1480339715754191-21"},
    "channel notice": OTHER,
    "private notice": OTHER | ONE | {"channel": "nick"},
    "join": OTHER | {"author": "", "author_kind": AuthorKind.UNKNOWN},
    "reply": {"reply_to": ReplyTo.AGENT, "event_id": "r1"},
    "echo": {"channel": "#ircv3", "author": "desk", "author_kind": AuthorKind.SELF},
    "labelled refusal": NOBODY | {"shared": Fact.UNKNOWN},
    "playback": {"author": "", "author_kind": AuthorKind.UNKNOWN, "mentions_agent": Fact.YES}
    | {"sent_at": parse_rfc3339("2026-09-21T10:40:51.620Z")},
    "playback action": {"text": "waves", "sent_at": parse_rfc3339("2026-09-21T10:40:51.620Z")},
    "server time": ONE | {"channel": "angel", "author": "angel", "sent_at": parse_rfc3339("2026-09-21T14:10:51.620Z")},
    "leap second": {"channel": "#chan", "author": "john", "mentions_agent": Fact.YES, "malformed": ("time",)},
    "bot": BOT | {"channel": "#chat", "text": "Hello! Try typing .help to see my commands!"},
    "bot with a value": BOT | {"channel": "#chat", "text": "Hello!"},
}
"""What each says, beside what every one of them says (`test_a_payload_says`)."""
ANSWERED: Final = {"reply", "server time"}


def test_every_payload_names_its_source() -> None:
    """At least twelve, each with its specification, and each in the table."""
    assert set(ROWS) == set(EXPECTED)
    assert 12 <= len(ROWS)
    assert all(row["source"].startswith("https://github.com/ircv3/ircv3-specifications/") for row in ROWS.values())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_payload_says(name: str) -> None:
    """Each example gives the facts of its row, and only those that ask are answered."""
    agent = IrcAgent(network="HomeTest", account="desk")
    raw = {"line": ROWS[name]["line"]}
    event: Event = facts(raw, agent, PLACE, received_at=START, authenticated=Fact.YES)
    usual: dict[str, Any] = {
        "kind": EventKind.MESSAGE,
        "author_kind": AuthorKind.HUMAN,
        "chat": ChatKind.GROUP,
        "shared": Fact.UNKNOWN,
        "other_bots": Fact.UNKNOWN,
        "mentions_agent": Fact.NO,
        "mentions_other": Fact.NO,
        "reply_to": ReplyTo.NOBODY,
        "attachments": 0,
        "malformed": (),
        "sent_at": START,
    }
    expected = usual | EXPECTED[name]
    channel, author = expected.pop("channel", "#channel"), expected.pop("author", "nick")

    assert (channel, author) == (event.target.channel, event.author.id)
    assert expected == {key: getattr(event, key) for key in expected}
    assert (name in ANSWERED) == (judged(event).outcome is Outcome.RESPOND), judged(event)
