"""What a Teams activity says: a table over documented activities; each fact also missing, null, wrongly typed, forged.

`payloads/documented.jsonl` names the source of each payload; its values are invented.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.teams.facts import facts
from dragoman.channels.teams.live import live_text
from dragoman.channels.teams.state import Member, TeamsAgent, TeamsLookup
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import NOBODY, UNKNOWN, Party, Target
from dragoman.testing.judged import judged
from dragoman.testing.payloads import GONE, JUNK, changed, places
from dragoman.words import Fact, Outcome

TENANT, BOT = "72f988bf-0000-4000-8000-2d7cd011db47", "28:1b6f3c2e-0000-4000-8000-000000000007"
BUYER, BUYER_AAD = "29:1BuyerOne", "11111111-0000-4000-8000-0000000000aa"
AGENT = TeamsAgent(recipient_id=BOT, tenant_id=TENANT)
START = 1_790_000_000_001
ROWS: Final = [
    json.loads(line) for line in (Path(__file__).parent / "payloads" / "documented.jsonl").read_text().splitlines()
]
RAW: Final[dict[str, dict[str, Any]]] = {row["name"]: row["raw"] for row in ROWS}
OURS = Member(id=BUYER, tenant_id=TENANT, user_role="user", user_principal_name="kim@desk.example")


def read(raw: Any, *members: Member) -> Event:
    """The facts of one activity whose token was right."""
    lookup = TeamsLookup(members=members or None)
    return facts(raw, AGENT, lookup, received_at=START, authenticated=Fact.YES)


class Row(NamedTuple):
    """An activity and what it says."""

    name: str
    kind: EventKind = EventKind.OTHER
    text: str = ""
    mentions: tuple[bool, bool] = (False, False)
    attachments: int = 0
    chat: ChatKind = ChatKind.GROUP
    asks: bool = False


MESSAGE, DIRECT = EventKind.MESSAGE, ChatKind.DIRECT
TABLE = [
    Row("personal", MESSAGE, "which dates are open?", chat=DIRECT, asks=True),
    Row("group chat with a mention", MESSAGE, "which dates?", (True, False), asks=True),
    Row("channel with a mention", MESSAGE, "hi", (True, False), asks=True),
    Row("emulator: personal", MESSAGE, "hello", chat=DIRECT),
    Row("emulator: group chat", MESSAGE, "and , when?", (True, True), asks=True),
    Row("emulator: channel", MESSAGE, "hello", (True, False), asks=True),
    Row("emulator: user added"),
    Row("emulator: user removed"),
    Row("emulator: channel renamed"),
    Row("emulator: installed"),
    Row("edited", EventKind.EDIT, "which dates now?", (True, False)),
    Row("undeleted"),
    Row("deleted"),
    Row("reaction"),
    Row("invoke of a compose extension"),
    Row("quoted reply", MESSAGE, "that is what I meant", chat=DIRECT, asks=True),
    Row("file", MESSAGE, attachments=1, chat=DIRECT, asks=True),
]


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_what_a_documented_activity_says(row: Row) -> None:
    """Each documented payload is read as it is meant; who asks nothing is not answered."""
    event = read(RAW[row.name])

    mentions = (event.mentions_agent is Fact.YES, event.mentions_other is Fact.YES)
    found = (event.kind, event.text, mentions, event.attachments, event.chat)
    assert (row.kind, row.text, row.mentions, row.attachments, row.chat) == found
    assert ((), ReplyTo.NOBODY, AuthorKind.HUMAN) == (event.malformed, event.reply_to, event.author_kind)
    assert row.asks == (judged(event).outcome is Outcome.RESPOND)


def test_every_payload_is_in_the_table() -> None:
    """No sample is left out, and each names its source."""
    assert {row.name for row in TABLE} == set(RAW)
    assert all(row["source"].startswith(("https://", "npm ")) for row in ROWS)


def test_who_and_where() -> None:
    """Tenant, conversation and person are the exact ids; the thread is split off; an edit and a deletion point."""
    group, channel = read(RAW["group chat with a mention"]), read(RAW["channel with a mention"])

    assert (Target("teams", TENANT, "19:9c1e0000@thread.v2"), None) == (group.target, group.thread)
    assert (Target("teams", TENANT, "19:5b7e0000@thread.tacv2"), "1790000000000") == (channel.target, channel.thread)
    assert (Party("teams", TENANT, BUYER_AAD), START) == (group.author, group.sent_at)
    assert "1790000000002" == read(RAW["deleted"]).deletes == read(RAW["edited"]).event_id
    assert 4 == len(
        {read(RAW[name]).dedupe_key for name in ("group chat with a mention", "edited", "deleted", "personal")}
    )


class Roster(NamedTuple):
    """Who is there, and whether somebody of them is from outside."""

    name: str
    members: tuple[Member, ...]
    shared: Fact


GUEST = Member(id="29:g", tenant_id=TENANT, user_role="guest", user_principal_name="g_x.example#EXT#@desk.example")
ROSTERS = [
    Roster("nobody was asked", (), Fact.UNKNOWN),
    Roster("ours", (OURS,), Fact.NO),
    Roster("a guest", (OURS, GUEST), Fact.YES),
    Roster(
        "a guest by the name only", (OURS, Member(id="29:g", user_principal_name=GUEST.user_principal_name)), Fact.YES
    ),
    Roster("of another tenant", (OURS, Member(id="29:o", tenant_id="other", user_role="user")), Fact.YES),
    Roster("anonymous", (OURS, Member(id="29:a", tenant_id=TENANT, user_role="anonymous")), Fact.YES),
    Roster("without a role", (OURS, Member(id="29:r", tenant_id=TENANT)), Fact.UNKNOWN),
    Roster("without a tenant", (OURS, Member(id="29:t", user_role="user")), Fact.UNKNOWN),
]


@pytest.mark.parametrize("roster", ROSTERS, ids=[roster.name for roster in ROSTERS])
def test_who_makes_a_place_shared(roster: Roster) -> None:
    """Guests, anonymous people and other organisations do; what is not told of anybody leaves it open."""
    assert roster.shared is read(RAW["group chat with a mention"], *roster.members).shared


def test_a_shared_channel_and_a_foreigner() -> None:
    """A shared channel is one whatever the roster says; who is of another tenant is of that tenant's people."""
    shared = changed(RAW["channel with a mention"], ("channelData", "channel"), {"id": "19:5b", "type": "shared"})

    assert Fact.YES is read(shared, OURS).shared
    stranger = Member(id=BUYER, tenant_id="99999999-0000-4000-8000-000000000099", user_role="user")
    assert Party("teams", stranger.tenant_id, BUYER_AAD) == read(RAW["personal"], stranger).author


# --- bent ------------------------------------------------------------------------------------------------------------


class Bent(NamedTuple):
    """An activity with one value changed, and what it says then."""

    of: str
    place: tuple[str | int, ...]
    value: Any
    says: dict[str, Any]


GROUP, NAME = "group chat with a mention", ("entities", 0, "mentioned", "id")
BENT = [
    Bent(GROUP, ("channelId",), "webchat", {"malformed": ("channelId",)}),
    Bent(GROUP, ("channelId",), GONE, {"malformed": ("channelId",)}),
    Bent(GROUP, ("type",), GONE, {"malformed": ("type",), "kind": EventKind.OTHER}),
    Bent(GROUP, ("id",), GONE, {"malformed": ("id",), "event_id": ""}),
    Bent(GROUP, ("recipient", "id"), "28:another", {"malformed": ("recipient.id",)}),
    Bent(GROUP, ("recipient",), GONE, {"malformed": ("recipient.id",)}),
    Bent(GROUP, ("conversation", "id"), GONE, {"malformed": ("conversation.id",), "target": UNKNOWN}),
    Bent(GROUP, ("conversation", "id"), " 19:9c1e0000@thread.v2", {"target": UNKNOWN}),
    Bent(GROUP, ("conversation", "tenantId"), "other", {"malformed": ("channelData.tenant",), "target": UNKNOWN}),
    Bent(GROUP, ("channelData",), GONE, {"malformed": (), "target": Target("teams", TENANT, "19:9c1e0000@thread.v2")}),
    Bent(GROUP, ("from", "aadObjectId"), GONE, {"author": Party("teams", TENANT, BUYER)}),
    Bent(GROUP, ("from", "aadObjectId"), 7, {"malformed": ("from.aadObjectId",)}),
    Bent(GROUP, ("from",), GONE, {"malformed": ("from.id",), "author": NOBODY, "author_kind": AuthorKind.UNKNOWN}),
    Bent(GROUP, ("from", "role"), "bot", {"author_kind": AuthorKind.BOT}),
    Bent(GROUP, ("from", "role"), "owner", {"author_kind": AuthorKind.UNKNOWN}),
    Bent(GROUP, ("from", "id"), "28:other-bot", {"author_kind": AuthorKind.BOT}),
    Bent(GROUP, ("from", "id"), BOT, {"author_kind": AuthorKind.SELF}),
    Bent(GROUP, NAME, "28:1B6F3C2E-0000-4000-8000-000000000007", {"mentions_agent": Fact.NO}),
    Bent(GROUP, NAME, GONE, {"mentions_agent": Fact.UNKNOWN, "mentions_other": Fact.UNKNOWN}),
    Bent(GROUP, NAME, None, {"mentions_agent": Fact.UNKNOWN}),
    Bent(GROUP, ("entities",), {}, {"mentions_agent": Fact.UNKNOWN, "malformed": ("entities",)}),
    Bent(GROUP, ("entities",), GONE, {"mentions_agent": Fact.NO, "mentions_other": Fact.NO}),
    Bent(GROUP, ("entities", 0, "type"), "Mention", {"mentions_agent": Fact.NO}),
    Bent(GROUP, ("text",), 7, {"malformed": ("text",), "body": ""}),
    Bent(GROUP, ("attachments",), GONE, {"text": "which dates?"}),
    Bent(GROUP, ("attachments",), "x", {"malformed": ("attachments",)}),
    Bent(GROUP, ("timestamp",), GONE, {"malformed": ("timestamp",), "sent_at": None}),
    Bent(GROUP, ("timestamp",), "yesterday", {"malformed": ("timestamp",)}),
    Bent(GROUP, ("timestamp",), "2026-09-21T14:13:20.0014823Z", {"malformed": (), "sent_at": START}),
    Bent("personal", ("conversation", "conversationType"), GONE, {"chat": ChatKind.UNKNOWN}),
    Bent("personal", ("conversation", "conversationType"), "Personal", {"chat": ChatKind.UNKNOWN}),
    Bent("personal", ("conversation", "conversationType"), "groupChat", {"chat": ChatKind.GROUP}),
    Bent("personal", ("conversation", "isGroup"), True, {"chat": ChatKind.GROUP}),
    Bent("personal", ("conversation", "isGroup"), "yes", {"malformed": ("conversation.isGroup",)}),
    Bent("edited", ("channelData", "eventType"), GONE, {"kind": EventKind.OTHER}),
]


@pytest.mark.parametrize(
    "bent", BENT, ids=lambda bent: f"{bent.of}:{'.'.join(map(str, bent.place))}={str(bent.value)[:20]}"
)
def test_what_a_bent_activity_says(bent: Bent) -> None:
    """What is missing, null, of a wrong type or forged is never a yes."""
    event = read(changed(RAW[bent.of], bent.place, bent.value))

    found = {name: getattr(event, name) for name in bent.says}
    # `UNKNOWN` and `NOBODY` equal nothing, so texts are compared
    assert {name: str(value) for name, value in bent.says.items()} == {
        name: str(value) for name, value in found.items()
    }
    if event.malformed or event.kind is EventKind.OTHER or event.chat is ChatKind.UNKNOWN:
        assert Outcome.RESPOND is not judged(event).outcome


LIVE = [
    ("<at>Desk</at> stop", None, "stop"),
    ('<at id="0">Desk stop', None, ""),
    ("x", "<p>one</p><pre>Desk, pay</pre><p>two</p>", "one\ntwo"),
    ("x", "<blockquote>a<blockquote>b</blockquote>c</blockquote>said", "said"),
    ("x", "<blockquote>never closed", ""),
    ("x", "said<br/>twice &amp; more <code>x</code>", "said\ntwice & more"),
    ("x", "", ""),
]


@pytest.mark.parametrize(("text", "html", "right"), LIVE)
def test_what_was_said_now(text: str, html: str | None, right: str) -> None:
    """Quotes, code and mentions are cut, whatever is not closed too."""
    assert right == live_text(text, html)


BUSY = ["<!--", "<", "<a ", "<at", "<at>", "<quoted", "</a ", "<![CDATA[", "<a b='", "<script>", "&", "<blockquote>"]


@pytest.mark.parametrize("piece", BUSY)
def test_no_markup_keeps_us_busy(piece: str) -> None:
    """The time grows as the text does: what keeps a careless parser busy for minutes takes none here."""
    long = piece * (200_000 // len(piece))
    begun = time.process_time()
    live_text(long, long)
    live_text(long, None)

    assert time.process_time() - begun < 3


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(RAW)), st.randoms(use_true_random=False), JUNK)
def test_no_bent_payload_raises_or_asks_when_malformed(name: str, pick: Any, junk: Any) -> None:
    """Anything anywhere: an event comes out, and what is malformed is not answered."""
    event = read(changed(RAW[name], pick.choice(places(RAW[name])), junk), OURS)

    if event.malformed:
        assert Outcome.RESPOND is not judged(event).outcome


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(alphabet="<>/ab blockquote=\"' at&;", max_size=80))
def test_no_markup_raises(text: str, html: str) -> None:
    """Any markup gives a text."""
    assert isinstance(live_text(text, html), str)
