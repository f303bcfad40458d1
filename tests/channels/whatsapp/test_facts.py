"""What a WhatsApp webhook says: a table over documented payloads; each fact also missing, null, wrongly typed, forged.

`payloads/documented.jsonl` names the source of each payload; its values are invented.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.whatsapp.envelope import split
from dragoman.channels.whatsapp.facts import facts, number_of, status_of
from dragoman.channels.whatsapp.state import WhatsAppAgent
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import NOBODY, UNKNOWN, Party, Target
from dragoman.testing.judged import judged
from dragoman.testing.payloads import GONE, JUNK, changed, places
from dragoman.words import Fact, Outcome

NUMBER, OURS, BUYER = "106540352242922", "15550783881", "16505551234"
GROUP: Final = "Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjM0"
AGENT = WhatsAppAgent(phone_number_id=NUMBER, business_id="102290129340398")
START = 1_790_000_000_000
ROWS: Final = [
    json.loads(line) for line in (Path(__file__).parent / "payloads" / "documented.jsonl").read_text().splitlines()
]
RAW: Final[dict[str, dict[str, Any]]] = {row["name"]: row["raw"] for row in ROWS}


def read(raw: Any) -> Event:
    """The facts of one webhook whose signature was right."""
    return facts(raw, AGENT, None, received_at=START, authenticated=Fact.YES)


class Row(NamedTuple):
    """A payload and what it says."""

    name: str
    kind: EventKind = EventKind.MESSAGE
    text: str = ""
    body: str | None = None
    attachments: int = 0
    reply_to: ReplyTo = ReplyTo.NOBODY
    author: AuthorKind = AuthorKind.HUMAN
    asks: bool = True
    """Whether it is a request in its one-to-one."""


OTHER, AGENTS = EventKind.OTHER, ReplyTo.AGENT
TABLE = [
    Row("text", text="which dates are open?"),
    Row("image without a caption", attachments=1),
    Row("forwarded video", body="look at this", attachments=1),
    Row("document", text="the filled-in form", attachments=1),
    Row("voice note", attachments=1),
    Row("sticker", asks=False),
    Row("reaction", OTHER, asks=False),
    Row("location", attachments=1),
    Row("contacts", attachments=1),
    Row("order", attachments=1),
    Row("unsupported", OTHER, asks=False),
    Row("reply to us", text="yes, that one", reply_to=AGENTS),
    Row("forwarded text", body="desk, which dates are open?", asks=False),
    Row("text forwarded many times", body="win a shelf today", asks=False),
    Row("text from an advertisement", text="is list B still open?"),
    Row("button pressed", text="Close list B", reply_to=AGENTS),
    Row("template button pressed", text="Close list B", reply_to=AGENTS),
    Row("edit of a text", EventKind.EDIT, "which dates are free?", asks=False),
    Row("edit of a caption", EventKind.EDIT, "shelf 4, not 3", attachments=1, asks=False),
    Row("deletion", OTHER, asks=False),
    Row("text of who shows no number", text="is list B still open?"),
    Row("group message", text="did you see the game?", asks=False),
    Row("number changed", OTHER, asks=False),
    Row("status sent", OTHER, author=AuthorKind.UNKNOWN, asks=False),
    Row("status delivered", OTHER, author=AuthorKind.UNKNOWN, asks=False),
    Row("status read", OTHER, author=AuthorKind.UNKNOWN, asks=False),
    Row("status failed", OTHER, author=AuthorKind.UNKNOWN, asks=False),
    Row("status sent with our key", OTHER, author=AuthorKind.UNKNOWN, asks=False),
    Row("errors", OTHER, author=AuthorKind.UNKNOWN, asks=False),
    Row("echo of the business app", text="list B is closed", author=AuthorKind.SELF, asks=False),
]


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_what_a_documented_webhook_says(row: Row) -> None:
    """Each documented payload is read as it is meant; who asks nothing is not answered."""
    event = read(RAW[row.name])

    assert (row.kind, row.text, row.attachments, row.reply_to, row.author) == (
        event.kind,
        event.text,
        event.attachments,
        event.reply_to,
        event.author_kind,
    )
    assert (row.text if row.body is None else row.body, ()) == (event.body, event.malformed)
    assert row.asks == (judged(event).outcome is Outcome.RESPOND)
    assert (Fact.YES, Fact.NO, Fact.NO, None) == (
        event.shared,
        event.mentions_agent,
        event.mentions_other,
        event.thread,
    )


def test_every_payload_is_in_the_table() -> None:
    """No sample is left out, and each names its source; the two that Meta sends without a sender or a type say so."""
    named = {row.name for row in TABLE} | {"user id changed", "interactive with an error"}

    assert named == set(RAW)
    assert all(row["source"].startswith("https://") for row in ROWS)
    assert ("entry.0.changes.0.value.messages.0.from",) == read(RAW["user id changed"]).malformed
    assert ("entry",) == read(RAW["interactive with an error"]).malformed


def test_who_and_where() -> None:
    """The number, the chat and the sender are the exact ids; a group is its own chat; a deletion and an edit point."""
    direct, group = read(RAW["text"]), read(RAW["group message"])

    assert (Target("whatsapp", NUMBER, BUYER), Party("whatsapp", NUMBER, BUYER)) == (direct.target, direct.author)
    assert (ChatKind.DIRECT, Fact.NO, START) == (direct.chat, direct.other_bots, direct.sent_at)
    assert Target("whatsapp", NUMBER, GROUP) == group.target
    assert (ChatKind.GROUP, Fact.UNKNOWN, direct.author) == (group.chat, group.other_bots, group.author)
    assert "wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0008" == read(RAW["deletion"]).deletes
    assert "wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0006" == read(RAW["edit of a text"]).event_id
    assert Target("whatsapp", NUMBER, BUYER) == read(RAW["status read"]).target


def test_a_status_is_told_apart_from_the_next_one() -> None:
    """Sent, delivered and read of one message are three things; a copy of one is a copy."""
    keys = [read(RAW[f"status {word}"]).dedupe_key for word in ("sent", "delivered", "read", "read")]

    assert 3 == len(set(keys))
    assert read(RAW["text"]).dedupe_key == read(RAW["text"]).dedupe_key


# --- bent ------------------------------------------------------------------------------------------------------------

HERE = ("entry", 0, "changes", 0)
MESSAGE = (*HERE, "value", "messages", 0)


class Bent(NamedTuple):
    """A payload with one value changed, and what it says then."""

    of: str
    place: tuple[str | int, ...]
    value: Any
    says: dict[str, Any]


IN_MESSAGE = "entry.0.changes.0.value.messages.0."
UNKNOWN_TARGET = {"target": UNKNOWN, "author": NOBODY}
BENT = [
    Bent("text", ("object",), "page", {"malformed": ("object",)}),
    Bent("text", ("object",), GONE, {"malformed": ("object",)}),
    Bent("text", (*HERE, "field"), "account_update", {"malformed": ("entry.0.changes.0.field",)}),
    Bent("text", ("entry", 0, "id"), "102290129340399", {"malformed": ("entry.0.id",)}),
    Bent(
        "text",
        (*HERE, "value", "metadata", "phone_number_id"),
        GONE,
        {"malformed": ("entry.0.changes.0.value.metadata.phone_number_id",), **UNKNOWN_TARGET},
    ),
    Bent(
        "text",
        (*HERE, "value", "metadata", "phone_number_id"),
        "106540352242923",
        {"malformed": ("entry.0.changes.0.value.metadata.phone_number_id",)},
    ),
    Bent("text", (*HERE, "value", "metadata"), 7, {"author": NOBODY}),
    Bent("text", (*MESSAGE, "from"), GONE, {"malformed": (f"{IN_MESSAGE}from",), **UNKNOWN_TARGET}),
    Bent("text", (*MESSAGE, "from"), None, {"malformed": (f"{IN_MESSAGE}from",), "chat": ChatKind.UNKNOWN}),
    Bent("text", (*MESSAGE, "from"), 16505551234, {"malformed": (f"{IN_MESSAGE}from",), **UNKNOWN_TARGET}),
    Bent("text of who shows no number", (*MESSAGE, "from_user_id"), GONE, {"malformed": (f"{IN_MESSAGE}from",)}),
    Bent("text of who shows no number", (*MESSAGE, "from_user_id"), 7, {"malformed": (f"{IN_MESSAGE}from_user_id",)}),
    Bent("text of who shows no number", (*MESSAGE, "from_user_id"), "Kim", {"kind": OTHER}),
    Bent(
        "text of who shows no number", (*MESSAGE, "from"), " 1", {"malformed": (f"{IN_MESSAGE}from",), **UNKNOWN_TARGET}
    ),
    Bent("text", (*MESSAGE, "from"), "+16505551234", {"kind": OTHER, "author_kind": AuthorKind.UNKNOWN}),
    Bent("text", (*MESSAGE, "from"), "120363@g.us", {"kind": OTHER}),
    Bent("text", (*MESSAGE, "from"), "status@broadcast", {"kind": OTHER}),
    Bent("text", (*MESSAGE, "from"), OURS, {"author_kind": AuthorKind.SELF}),
    Bent("text", (*MESSAGE, "id"), GONE, {"malformed": (f"{IN_MESSAGE}id",), "event_id": ""}),
    Bent("text", (*MESSAGE, "timestamp"), GONE, {"malformed": (f"{IN_MESSAGE}timestamp",), "sent_at": None}),
    Bent("text", (*MESSAGE, "timestamp"), 1790000000, {"malformed": (f"{IN_MESSAGE}timestamp",)}),
    Bent("text", (*MESSAGE, "type"), GONE, {"kind": OTHER, "malformed": (f"{IN_MESSAGE}type",)}),
    Bent("text", (*MESSAGE, "type"), "ephemeral", {"kind": OTHER, "malformed": ()}),
    Bent("text", (*MESSAGE, "text"), GONE, {"malformed": (f"{IN_MESSAGE}text.body",), "text": ""}),
    Bent("text", (*MESSAGE, "text", "body"), 7, {"malformed": (f"{IN_MESSAGE}text.body",), "text": ""}),
    Bent("text", (*MESSAGE, "text", "body"), "> which dates?\nthanks", {"text": "thanks"}),
    Bent("text", (*MESSAGE, "text", "body"), "```which dates?``` `now?`", {"text": ""}),
    Bent("reply to us", (*MESSAGE, "context", "from"), BUYER, {"reply_to": ReplyTo.OTHER}),
    Bent("reply to us", (*MESSAGE, "context", "from"), GONE, {"reply_to": ReplyTo.UNKNOWN}),
    Bent("reply to us", (*MESSAGE, "context", "id"), GONE, {"reply_to": ReplyTo.NOBODY}),
    Bent("reply to us", (*MESSAGE, "context", "id"), 7, {"reply_to": ReplyTo.UNKNOWN}),
    Bent("reply to us", (*MESSAGE, "context"), "x", {"malformed": (f"{IN_MESSAGE}context",)}),
    Bent("reply to us", (*HERE, "value", "metadata", "display_phone_number"), GONE, {"reply_to": ReplyTo.UNKNOWN}),
    Bent(
        "forwarded text", (*MESSAGE, "context", "forwarded"), "yes", {"malformed": (f"{IN_MESSAGE}context.forwarded",)}
    ),
    Bent("group message", (*MESSAGE, "group_id"), None, {"malformed": (f"{IN_MESSAGE}group_id",), "target": UNKNOWN}),
    Bent("group message", (*MESSAGE, "group_id"), "", {"malformed": (f"{IN_MESSAGE}group_id",), "target": UNKNOWN}),
    Bent("group message", (*MESSAGE, "group_id"), 7, {"malformed": (f"{IN_MESSAGE}group_id",), "chat": ChatKind.GROUP}),
    Bent("group message", (*MESSAGE, "group_id"), BUYER, {"malformed": (f"{IN_MESSAGE}group_id",), "target": UNKNOWN}),
    Bent("edit of a text", (*MESSAGE, "edit", "original_message_id"), GONE, {"kind": OTHER}),
    Bent("edit of a text", (*MESSAGE, "edit", "message"), 7, {"malformed": (f"{IN_MESSAGE}edit.message",)}),
]


@pytest.mark.parametrize("bent", BENT, ids=lambda bent: f"{bent.of}:{bent.place[-1]}={str(bent.value)[:20]}")
def test_what_a_bent_webhook_says(bent: Bent) -> None:
    """What is missing, null, of a wrong type or forged is never a yes."""
    event = read(changed(RAW[bent.of], bent.place, bent.value))

    found = {name: getattr(event, name) for name in bent.says}
    # `UNKNOWN` and `NOBODY` equal nothing, so texts are compared
    assert {name: str(value) for name, value in bent.says.items()} == {
        name: str(value) for name, value in found.items()
    }
    if event.malformed or event.kind is OTHER:
        assert Outcome.RESPOND is not judged(event).outcome


def test_several_things_in_one_body_are_not_one_event() -> None:
    """A body with two messages is cut into two; read whole it is malformed, never the first of them."""
    both = changed(RAW["text"], (*HERE, "value", "messages"), [*_messages("text"), *_messages("document")])

    assert ("entry",) == read(both).malformed
    assert ["which dates are open?", "the filled-in form"] == [read(part).text for part in split(both)]
    assert [NUMBER, NUMBER] == [number_of(part) for part in split(both)]
    assert "sent" == _status("status sent")
    assert None is status_of(RAW["text"])
    assert [] == split([1]) == split({"entry": [1, {"changes": 7}]})


def _messages(name: str) -> list[Any]:
    messages: list[Any] = RAW[name]["entry"][0]["changes"][0]["value"]["messages"]
    return messages


def _status(name: str) -> str:
    found = status_of(RAW[name])
    return "" if found is None else found.text("status")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(RAW)), st.randoms(use_true_random=False), JUNK)
def test_no_bent_payload_raises_or_asks_when_malformed(name: str, pick: Any, junk: Any) -> None:
    """Anything anywhere: an event comes out, and what is malformed is not answered."""
    raw = changed(RAW[name], pick.choice(places(RAW[name])), junk)

    event = read(raw)
    for part in split(raw):
        read(part)
    if event.malformed:
        assert Outcome.RESPOND is not judged(event).outcome


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["object", "entry", "x"]), JUNK))
def test_no_json_asks(raw: dict[str, Any]) -> None:
    """Any object at all: nothing raised, nothing asked."""
    assert Outcome.RESPOND is not judged(read(raw)).outcome
