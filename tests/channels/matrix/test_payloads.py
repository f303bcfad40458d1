"""The Matrix specification's own examples, read as facts: `payloads/events.jsonl` says where each stands.

Ids and words are replaced, and the parts that the specification leaves out of an example are those of its common one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dragoman.channels.matrix.facts import facts
from dragoman.channels.matrix.state import MatrixAgent, RoomState
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import Party, Target
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

LINES: Final = (Path(__file__).parent / "payloads" / "events.jsonl").read_text().splitlines()
ROWS: Final[dict[str, dict[str, Any]]] = {row["name"]: row for row in map(msgspec.json.decode, LINES)}
OWN, KIM, JORDAN = "@desk:desk.example", "@kim:shop.example", "@jordan:desk.example"
ROOM: Final = RoomState(
    joined_members=frozenset({OWN, KIM, JORDAN}),
    m_direct={},
    senders={"$ours": OWN, "$jordans": JORDAN, "$kims": KIM},
)
OTHER: Final[dict[str, Any]] = {"kind": EventKind.OTHER}

EXPECTED: Final[dict[str, dict[str, Any]]] = {
    "mention": {"mentions_agent": Fact.YES, "text": "which dates are open?"},
    "mention of another": {"mentions_other": Fact.YES, "text": "Hello Jordan!"},
    "reply": {"reply_to": ReplyTo.AGENT, "text": "That suits us well."},
    "reply with its fallback": {"reply_to": ReplyTo.OTHER, "text": "That is the answer"},
    "thread": {"thread": "$ours", "reply_to": ReplyTo.NOBODY, "text": "All is well here. And with you?"},
    "thread with the pointer of old clients": {
        "thread": "$root",
        "reply_to": ReplyTo.NOBODY,
        "text": "One more thing",
    },
    "edit": {"kind": EventKind.EDIT, "text": "Good day! My name is Kim", "edit_marks_mentions": False},
    "edit that mentions one more": {
        "kind": EventKind.EDIT,
        "mentions_agent": Fact.YES,
        "edit_marks_mentions": True,
        "text": "Hello Jordan & Desk!",
    },
    "encrypted edit": OTHER,
    "picture": {"attachments": 1, "text": ""},
    "reaction": OTHER,
    "redaction": OTHER | {"deletes": "$kims"},
    "sticker": OTHER,
    "member": OTHER,
    "topic": OTHER,
}
"""What each says, beside what every one of them says (`test_a_payload_says`)."""
ANSWERED: Final = {"mention", "reply"}


def read(raw: dict[str, Any]) -> Event:
    """The facts of one event, as our sync stream brought it."""
    return facts(raw, MatrixAgent(user_id=OWN), ROOM, received_at=raw["origin_server_ts"], authenticated=Fact.YES)


def test_every_payload_names_its_source() -> None:
    """At least twelve, each with a place in the specification, and each in the table."""
    assert set(ROWS) == set(EXPECTED)
    assert 12 <= len(ROWS)
    assert all(row["source"].startswith("https://github.com/matrix-org/matrix-spec/") for row in ROWS.values())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_payload_says(name: str) -> None:
    """Each example gives the facts of its row, and only the two that ask are answered."""
    event = read(ROWS[name]["payload"])
    usual = {
        "kind": EventKind.MESSAGE,
        "target": Target("matrix", OWN, "!kWqTZLDJelmsdSfyTV:desk.example"),
        "author": Party("matrix", OWN, KIM),
        "author_kind": AuthorKind.HUMAN,
        "chat": ChatKind.GROUP,
        "shared": Fact.YES,
        "mentions_agent": Fact.NO,
        "reply_to": ReplyTo.NOBODY,
        "attachments": 0,
        "thread": None,
        "deletes": None,
        "malformed": (),
    }
    expected = usual | {"mentions_other": Fact.NO} | EXPECTED[name]

    assert expected == {key: getattr(event, key) for key in expected}
    assert (name in ANSWERED) == (judged(event).outcome is Outcome.RESPOND)
