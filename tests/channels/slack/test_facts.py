"""Slack's payloads and what they say: the vendor's own samples with other values, row by row; then each one bent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import RichTextBlock, RichTextElementParts, RichTextQuoteElement, RichTextSectionElement

from dragoman.channels.slack.facts import Wanted, facts, worth_asking
from dragoman.channels.slack.state import SlackAgent, SlackLookup
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.identity import NOBODY, UNKNOWN
from dragoman.testing.judged import judged
from dragoman.testing.payloads import GONE, JUNK, Place, changed, places
from dragoman.words import Fact, Outcome

HERE: Final = Path(__file__).parent
VENDOR: Final = Path(__file__).parents[4] / "shared" / "data" / "slack-events"
NOW: Final = 1_790_000_060_000
ME: Final = SlackAgent(user_id="U0DESKBT01", bot_id="B0DESKBT01", app_id="A0DESKAP01")
ROWS: Final[list[dict[str, Any]]] = [
    json.loads(line) for line in (HERE / "payloads" / "events.jsonl").read_text().splitlines()
]
BY_ID: Final = {row["id"]: row for row in ROWS}
ASKING: Final = BY_ID["two are mentioned, in any order"]["raw"]
LOOKED: Final = {
    "conversations.info": {"id": "C0SHELVES1", "is_im": False, "is_mpim": False, "is_ext_shared": False},
    "users.info": {"id": "U0BUYERAA1", "team_id": "T0HOMEORG1", "is_restricted": False, "is_ultra_restricted": False},
}


def read(raw: Any, lookup: dict[str, Any] | None = None) -> Event:
    """The facts of one envelope that the transport authenticated."""
    found = lookup or {}
    known = SlackLookup(channel=found.get("conversations.info"), user=found.get("users.info"))
    return facts(raw, ME, known, received_at=NOW, authenticated=Fact.YES)


def told(event: Event) -> dict[str, Any]:
    """The facts of an event, as the rows name them."""
    command = event.command
    named = {name: getattr(event, name) for name in event.__struct_fields__}
    return named | {
        "workspace": event.target.workspace,
        "channel": event.target.channel,
        "author": event.author.id,
        "author_workspace": event.author.workspace,
        "command": f"{command.name} {command.argument} {command.directed}" if command else None,
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_payload_says(row: dict[str, Any]) -> None:
    """Each sample gives the facts that the row states, and nothing of it is malformed."""
    found = told(read(row["raw"], row["lookup"]))

    assert row["expected"] == {name: found[name] for name in row["expected"]}
    assert () == found["malformed"]
    assert row["source"]


def test_there_are_enough() -> None:
    """At least twelve payloads, each with a source of its own words."""
    assert len(ROWS) >= 12
    assert len({row["id"] for row in ROWS}) == len(ROWS)


def test_both_copies_of_a_message_are_one() -> None:
    """`message` and `app_mention` of one post have one key; another post, channel, workspace or app has another."""
    mention = changed(changed(ASKING, ("event", "type"), "app_mention"), ("event_id",), "Ev0TWIN0001")
    first = read(ASKING).dedupe_key
    others = [
        changed(ASKING, ("event", "ts"), "1790000000.001500"),
        changed(ASKING, ("event", "channel"), "C0SHELVES2"),
        changed(ASKING, ("authorizations", 0, "team_id"), "T0OTHERORG"),
        changed(ASKING, ("api_app_id",), "A0DESKAP02"),
        BY_ID["a change by a person"]["raw"],
    ]

    assert first == read(mention).dedupe_key
    assert first not in {read(other).dedupe_key for other in others}


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (("event", "channel"), GONE, {"target": UNKNOWN, "malformed": ("event.channel",)}),
        (("event", "channel"), None, {"target": UNKNOWN, "malformed": ("event.channel",)}),
        (("event", "channel"), 5, {"target": UNKNOWN, "malformed": ("event.channel",)}),
        (("event", "channel"), "C0SHELVES1 ", {"target": UNKNOWN, "malformed": ("event.channel",)}),
        (("event", "user"), GONE, {"author": NOBODY, "author_kind": AuthorKind.UNKNOWN}),
        (("event", "user"), None, {"author": NOBODY, "author_kind": AuthorKind.UNKNOWN}),
        (("event", "user"), ["U0BUYERAA1"], {"author": NOBODY, "malformed": ("event.user",)}),
        (("event", "bot_id"), True, {"malformed": ("event.bot_id",)}),
        (("event", "bot_id"), "B0ANYBOT01", {"author_kind": AuthorKind.BOT}),
        (("event", "app_id"), "A0ANYAPP01", {"author_kind": AuthorKind.BOT}),
        (("event", "ts"), GONE, {"event_id": "", "malformed": ("event.ts",)}),
        (("event", "ts"), 1790000000.5, {"event_id": "", "malformed": ("event.ts",)}),
        (("event", "ts"), "now", {"event_id": "", "malformed": ("event.ts",)}),
        (("event", "channel_type"), GONE, {"chat": ChatKind.UNKNOWN}),
        (("event", "channel_type"), None, {"chat": ChatKind.UNKNOWN}),
        (("event", "channel_type"), 1, {"chat": ChatKind.UNKNOWN, "malformed": ("event.channel_type",)}),
        (("event", "channel_type"), "IM", {"chat": ChatKind.UNKNOWN}),
        (("event", "channel_type"), "im", {"chat": ChatKind.DIRECT}),
        (("event", "channel_type"), "mpim", {"chat": ChatKind.GROUP}),
        (("event", "subtype"), False, {"malformed": ("event.subtype",)}),
        (("event", "subtype"), "channel_topic", {"kind": EventKind.OTHER}),
        (("event", "type"), "reaction_added", {"kind": EventKind.OTHER}),
        (("event", "text"), 7, {"malformed": ("event.text",)}),
        (("event", "text"), "\ud800", {"malformed": ("event.text",)}),
        (("event", "files"), {"id": "F1"}, {"attachments": 0, "malformed": ("event.files",)}),
        (("event", "thread_ts"), "root", {"thread": None, "malformed": ("event.thread_ts",)}),
        (("event", "blocks"), "x", {"mentions_agent": Fact.UNKNOWN, "malformed": ("event.blocks",)}),
        (
            ("event", "blocks", 0, "elements", 0, "elements", 2, "user_id"),
            GONE,
            {"mentions_agent": Fact.UNKNOWN, "malformed": ("event.blocks.0.elements.0.elements.2.user_id",)},
        ),
        (("event", "blocks", 0, "elements", 0, "elements", 2, "user_id"), "u0deskbt01", {"mentions_agent": Fact.NO}),
        (("event", "blocks", 0, "elements", 0, "type"), "rich_text_quote", {"mentions_agent": Fact.NO}),
        (("authorizations",), GONE, {"malformed": ()}),
        (("authorizations", 0, "team_id"), 5, {"malformed": ("authorizations.0.team_id",)}),
        (("api_app_id",), "A0OTHERAP1", {"malformed": ("api_app_id",)}),
        (("is_ext_shared_channel",), GONE, {"shared": Fact.NO}),
        (("is_ext_shared_channel",), None, {"shared": Fact.NO}),
        (("is_ext_shared_channel",), "false", {"malformed": ("is_ext_shared_channel",)}),
        (("is_ext_shared_channel",), True, {"shared": Fact.YES}),
        (("event", "user_team"), "T0PARTNER1", {"shared": Fact.YES}),
        (("type",), GONE, {"kind": EventKind.OTHER}),
        (("type",), "url_verification", {"kind": EventKind.OTHER}),
    ],
)
def test_one_value_is_otherwise(place: Place, value: Any, expected: dict[str, Any]) -> None:
    """Missing, null, of a wrong type, or forged: the fact is unknown or malformed, and never a yes."""
    event = read(
        changed(ASKING, place, value), LOOKED | {"conversations.info": {"id": "C0SHELVES1", "is_ext_shared": False}}
    )

    found = {name: getattr(event, name) for name in expected}
    assert str(expected) == str(found)  # nobody and nowhere equal nothing


@pytest.mark.parametrize(
    ("said", "one", "several", "chat"),
    [
        ("im", None, None, "direct"),
        ("im", True, False, "direct"),
        ("im", False, False, "group"),
        ("channel", True, False, "group"),
        (None, True, False, "direct"),
        (None, False, True, "group"),
        (None, True, True, "group"),
        (None, False, False, "group"),
        (None, True, None, "unknown"),
        (None, "yes", False, "unknown"),
        (None, None, None, "unknown"),
    ],
)
def test_what_kind_of_place(said: Any, one: Any, several: Any, chat: str) -> None:
    """One-to-one only where the platform says so and nothing speaks against it; the id's first letter says nothing."""
    lookup = {"conversations.info": {"id": "C0SHELVES1", "is_im": one, "is_mpim": several}}

    assert chat == read(changed(ASKING, ("event", "channel_type"), said), lookup).chat


@pytest.mark.parametrize(
    ("changes", "shared"),
    [
        ({}, "no"),
        ({("conversations.info", "is_ext_shared"): True}, "yes"),
        ({("conversations.info", "is_org_shared"): True}, "yes"),
        ({("conversations.info", "is_pending_ext_shared"): True}, "yes"),
        ({("conversations.info", "connected_team_ids"): ["T0PARTNER1"]}, "yes"),
        ({("conversations.info", "connected_team_ids"): ["T0HOMEORG1"]}, "no"),
        ({("conversations.info", "conversation_host_id"): "T0PARTNER1"}, "yes"),
        ({("conversations.info", "id"): "C0SHELVES2"}, "unknown"),
        ({("conversations.info",): {"ok": False, "error": "missing_scope"}}, "unknown"),
        ({("conversations.info",): None}, "unknown"),
        ({("users.info", "is_restricted"): True}, "yes"),
        ({("users.info", "is_ultra_restricted"): True}, "yes"),
        ({("users.info", "is_stranger"): True}, "yes"),
        ({("users.info", "is_restricted"): "no"}, "unknown"),
        ({("users.info", "team_id"): "T0PARTNER1"}, "yes"),
        ({("users.info", "team_id"): "T0SISTER01", ("users.info", "enterprise_user"): {"teams": ["T0HOMEORG1"]}}, "no"),
        ({("users.info", "id"): "U0BUYERBB2"}, "unknown"),
        ({("users.info",): None}, "unknown"),
    ],
)
def test_who_else_listens(changes: dict[Place, Any], shared: str) -> None:
    """Any sign of outsiders is one; that there are none must be known of the place and of the author."""
    lookup: Any = LOOKED
    for place, value in changes.items():
        lookup = changed(lookup, place, value)

    assert shared == read(changed(ASKING, ("is_ext_shared_channel",)), lookup).shared


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (BY_ID["a person's message"]["raw"], Wanted()),
        (BY_ID["another app's bot"]["raw"], Wanted()),
        (BY_ID["a change by a person"]["raw"], Wanted()),
        (BY_ID["our own message"]["raw"], Wanted()),
        (BY_ID["a reaction"]["raw"], Wanted()),
        (BY_ID["a file with words"]["raw"], Wanted()),
        (ASKING, Wanted(user="U0BUYERAA1")),
        (BY_ID["a one-to-one"]["raw"], Wanted(user="U0BUYERAA1")),
        (
            BY_ID["app_mention, no blocks and no type of place"]["raw"],
            Wanted(channel="C0SHELVES1", user="U0BUYERAA1"),
        ),
    ],
)
def test_what_asks_nobody_is_not_looked_up(raw: dict[str, Any], wanted: Wanted) -> None:
    """Chatter, bots, edits and our own words cost no look-up; a request costs what its audience needs."""
    assert wanted == worth_asking(raw, ME)


@pytest.mark.parametrize(
    ("text", "mentions", "live"),
    [
        ("<@U0DESKBT01> free dates?", "yes", "free dates?"),
        ("<@U0DESKBT01|desk>: free dates?", "yes", "free dates?"),
        ("&lt;@U0DESKBT01&gt; free?", "no", "<@U0DESKBT01> free?"),
        ("look\n&gt; <@U0DESKBT01> free?", "no", "look"),
        ("&gt;&gt;&gt; all\n<@U0DESKBT01> of it", "no", ""),
        ("```\n<@U0DESKBT01>\n``` done", "no", "done"),
        ("```<@U0DESKBT01> never closed", "no", ""),
        ("say `<@U0DESKBT01>` to it", "no", "say   to it"),
        ("<!here> <!channel> <!subteam^S1|@desk>", "no", ""),
        ("@Desk U0DESKBT01 desk", "no", "@Desk U0DESKBT01 desk"),
        ("<https://example.org/?a=<@U0DESKBT01>|x>", "yes", "<https://example.org/?a= |x>"),
        ("<https://example.org|the list> in <#C0SHELVES1|shelves>", "no", "the list (https://example.org) in #shelves"),
        ("thanks :wave: at 10:30:45", "no", "thanks   at 10:30:45"),
    ],
)
def test_a_text_without_blocks(text: str, mentions: str, live: str) -> None:
    """Where there are no blocks, the server's own marks count outside of code and quotes, and nothing that is typed."""
    event = read(changed(changed(ASKING, ("event", "text"), text), ("event", "blocks")))

    assert (mentions, live) == (event.mentions_agent, event.text)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("<@U0DESKBT01> /stop", "stop  yes"),
        ("<@U0DESKBT01|desk>: /Approve d-1", "approve d-1 yes"),
        ("<@U0DESKBT01> please /stop", None),
        ("please <@U0DESKBT01> /stop", None),
        ("<@U0BUYERBB2> /stop <@U0DESKBT01>", None),
        ("&gt; <@U0DESKBT01>\n/stop", None),
        ("<@U0DESKBT01> /stop/now", None),
        ("<@U0DESKBT01> /停", None),
        ("/stop", None),
    ],
)
@pytest.mark.parametrize("old", [True, False], ids=["text", "blocks"])
def test_a_command_is_to_us_behind_our_mention(text: str, command: str | None, old: bool) -> None:
    """A word with a stroke is one only right behind our own mention, wherever that is written."""
    parts = [part for part in re.split(r"(<@\w+)(?:\|desk)?>", text) if part]
    elements = [
        {"type": "user", "user_id": part[2:]} if part[:2] == "<@" else {"type": "text", "text": part} for part in parts
    ]
    kind = "rich_text_quote" if text.startswith("&gt;") else "rich_text_section"
    first, rest = (elements[:2], [{"type": "text", "text": "/stop"}]) if kind == "rich_text_quote" else (elements, [])
    sections = [{"type": kind, "elements": first}, {"type": "rich_text_section", "elements": rest}]
    blocks = GONE if old else [{"type": "rich_text", "elements": sections}]

    event = read(changed(changed(ASKING, ("event", "text"), text), ("event", "blocks"), blocks))

    assert command == told(event)["command"]


@pytest.mark.parametrize(
    "ids", [{"user_id": ""}, {"app_id": ""}, {"user_id": " U1"}, {"bot_id": "B 1"}, {"app_id": "Ａ1"}, {"team": "T1"}]
)
def test_an_agent_has_ids(ids: dict[str, str]) -> None:
    """An empty id would be everybody's: it is refused, and so is what is no id, and what is no key."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"user_id": "U0DESKBT01", "app_id": "A0DESKAP01"} | ids, SlackAgent)


def test_blocks_of_the_sdk_itself() -> None:
    """What the vendor's own types write is read: a mention in a section, none in a quote."""
    parts = RichTextElementParts
    mention = parts.User(user_id="U0DESKBT01")
    for element, expected in (
        (RichTextSectionElement(elements=[mention, parts.Text(text=" hello")]), Fact.YES),
        (RichTextQuoteElement(elements=[mention, parts.Text(text=" hello")]), Fact.NO),
        (RichTextSectionElement(elements=[parts.Text(text="<@U0DESKBT01> hello")]), Fact.NO),
    ):
        block = RichTextBlock(elements=[element]).to_dict()
        assert expected == read(changed(ASKING, ("event", "blocks"), [block])).mentions_agent


@pytest.mark.skipif(not VENDOR.is_dir(), reason="the vendor's samples are not beside the project")
def test_every_sample_of_the_vendor() -> None:
    """Each sample of the vendor, as it is and with our ids in it, gives an event and asks for nothing by its shape."""
    samples = sorted(VENDOR.glob("*.json"))
    assert len(samples) >= 90
    for sample in samples:
        raw = json.loads(sample.read_text())
        assert judged(read(raw)).outcome is not Outcome.RESPOND, sample.name
        filled = raw | {"type": "event_callback", "team_id": "T0HOMEORG1", "api_app_id": "A0DESKAP01"}
        filled["authorizations"] = [{"team_id": "T0HOMEORG1", "enterprise_id": None}]
        kind = read(filled).kind
        of_a_person = raw["event"]["type"] in ("message", "app_mention") and raw["event"].get("subtype", "") in (
            *("", "file_share", "me_message", "thread_broadcast", "bot_message"),
        )
        if raw["event"].get("subtype") != "message_changed":
            assert (kind is EventKind.MESSAGE) is of_a_person, sample.name


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ROWS), st.data())
def test_nothing_malformed_is_answered(row: dict[str, Any], data: st.DataObject) -> None:
    """Whatever stands anywhere in a payload or a look-up: no error, and what is malformed is not answered."""
    raw = changed(row["raw"], data.draw(st.sampled_from(places(row["raw"]))), data.draw(JUNK))
    lookup = changed(LOOKED, data.draw(st.sampled_from(places(LOOKED))), data.draw(JUNK))
    found = {key: value if isinstance(value, dict) else None for key, value in lookup.items()}

    event = read(raw, found)
    if event.malformed or not event.target.known:
        assert judged(event).outcome is not Outcome.RESPOND
