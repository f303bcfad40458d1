"""The examples of the XMPP specifications, read as facts: `payloads/stanzas.jsonl` says where each stands.

Addresses, ids and words are replaced; what a server adds on delivery (from, stanza-id, occupant-id) is added where an
example shows the stanza before that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dragoman.channels.xmpp.facts import facts
from dragoman.channels.xmpp.state import Occupant, XmppAgent, XmppPlace
from dragoman.clock import parse_rfc3339
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import Party, Target
from dragoman.testing.by_hand import START
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

LINES: Final = (Path(__file__).parent / "payloads" / "stanzas.jsonl").read_text().splitlines()
ROWS: Final[dict[str, dict[str, str]]] = {row["name"]: row for row in map(msgspec.json.decode, LINES)}
DESK, ROOM, KIM = "desk@home.test", "hall@rooms.home.test", "kim@shop.test"
ME: Final = XmppAgent(jid=DESK, rooms={ROOM: "desk"})
PLACE: Final = XmppPlace(
    stamps=frozenset({DESK, ROOM}),
    occupant_ids=True,
    nick="desk",
    occupants=(
        Occupant(nick="desk", occupant_id="occ-desk"),
        Occupant(nick="kim", occupant_id="occ-kim"),
        Occupant(nick="jordan", occupant_id="occ-jordan"),
    ),
    authors={"ours": DESK, "jordans": f"{ROOM}:occ-jordan", "origin-id-1": KIM},
    corrects=True,
)
OTHER: Final[dict[str, Any]] = {"kind": EventKind.OTHER}
ONE: Final[dict[str, Any]] = {
    "target": Target("xmpp", DESK, KIM),
    "author": Party("xmpp", DESK, KIM),
    "chat": ChatKind.DIRECT,
    "shared": Fact.YES,
}
EXPECTED: Final[dict[str, dict[str, Any]]] = {
    "groupchat": {"text": "Closing time, closing time.", "event_id": "r1"},
    "mention": {"mentions_agent": Fact.YES, "text": "But tell me, : which dates are open?", "event_id": "r2"},
    "mention of another": {"mentions_other": Fact.YES, "text": "Jordan is the one to ask."},
    "data reference": {"text": "Form received"},
    "reply": {"reply_to": ReplyTo.AGENT, "text": "Great idea!"},
    "reply with fallback": {"reply_to": ReplyTo.OTHER, "text": "Great idea!"},
    "direct": ONE | {"text": "We should bake a cake", "event_id": "message-id1", "dedupe_key": f"{KIM}\nstamp a1"},
    "correction": ONE | {"kind": EventKind.EDIT, "text": "Which dates are open in May?"},
    "carbon": ONE | {"text": "Who are you that stumbles on my list?", "event_id": "c1"},
    "forged carbon": ONE
    | {
        "kind": EventKind.OTHER,
        "authenticated": Fact.NO,
        "text": "",
        "target": Target("xmpp", DESK, "eve@evil.test"),
        "author": Party("xmpp", DESK, "eve@evil.test"),
    },
    "forged origin-id": {"text": "Typical body text", "event_id": "r7", "reply_to": ReplyTo.NOBODY},
    "offline": ONE | {"text": "O blessed night! I am afraid.", "sent_at": parse_rfc3339("2026-09-21T13:08:25Z")},
    "history": {"text": "By the pricking of my thumbs", "sent_at": parse_rfc3339("2026-09-21T13:05:37Z")},
    "retraction": ONE | OTHER | {"deletes": "origin-id-1"},
    "file": ONE | {"text": "Yeah, but do you have a license?", "attachments": 1},
    "not anonymous": OTHER | {"author_kind": AuthorKind.HUMAN},
}
"""What each says, beside what every one of them says (`test_a_payload_says`)."""
ANSWERED: Final = {"mention", "reply", "direct", "carbon", "file"}


def read(raw: dict[str, Any]) -> Event:
    """The facts of one stanza, as our server handed it over a day after the oldest of them."""
    return facts(raw, ME, PLACE, received_at=START, authenticated=Fact.YES)


def test_every_payload_names_its_source() -> None:
    """At least twelve, each with its example in a specification, and each in the table."""
    assert set(ROWS) == set(EXPECTED)
    assert 12 <= len(ROWS)
    assert all(row["source"].startswith("https://github.com/xsf/xeps/") for row in ROWS.values())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_payload_says(name: str) -> None:
    """Each example gives the facts of its row, and only those that ask are answered."""
    event = read({"xml": ROWS[name]["xml"]})
    usual: dict[str, Any] = {
        "kind": EventKind.MESSAGE,
        "target": Target("xmpp", DESK, ROOM),
        "authenticated": Fact.YES,
        "author": Party("xmpp", DESK, f"{ROOM}:occ-kim"),
        "author_kind": AuthorKind.HUMAN,
        "chat": ChatKind.GROUP,
        "shared": Fact.UNKNOWN,
        "other_bots": Fact.NO,
        "mentions_agent": Fact.NO,
        "mentions_other": Fact.NO,
        "reply_to": ReplyTo.NOBODY,
        "attachments": 0,
        "deletes": None,
        "malformed": (),
        "received_at": START,
        "sent_at": START,
    }
    expected = usual | EXPECTED[name]
    if name == "not anonymous":
        assert not event.author.known
        del expected["author"]
    assert expected == {key: getattr(event, key) for key in expected}
    assert (name in ANSWERED) == (judged(event).outcome is Outcome.RESPOND), judged(event)
