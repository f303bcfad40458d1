"""What an XMPP stanza says, as a table: each fact as it is, missing, malformed and forged. No server here."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.xmpp.facts import facts
from dragoman.channels.xmpp.live import hidden, live_text
from dragoman.channels.xmpp.stanza import parsed
from dragoman.channels.xmpp.state import Occupant, XmppAgent, XmppPlace
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import Target
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

DESK, ROOM, KIM, BOT = "desk@home.test", "hall@rooms.home.test", "kim@shop.test", "crier@shop.test"
ME: Final = XmppAgent(jid=DESK, rooms={ROOM: "desk"}, bots=frozenset({BOT}))
PEOPLE: Final = (
    Occupant(nick="desk", occupant_id="o-desk", stay=1),
    Occupant(nick="Kim", occupant_id="o-kim", stay=2),
    Occupant(nick="jordan", occupant_id="o-jordan", stay=3),
)
GROUP: Final = XmppPlace(
    stamps=frozenset({DESK, ROOM}),
    occupant_ids=True,
    nick="desk",
    occupants=PEOPLE,
    authors={"ours": DESK, "jordans": f"{ROOM}:o-jordan"},
)
OPEN: Final = msgspec.structs.replace(
    GROUP, occupants=tuple(msgspec.structs.replace(each, jid=f"{each.nick.lower()}@home.test") for each in PEOPLE)
)
BARE: Final = msgspec.structs.replace(
    GROUP, occupant_ids=False, occupants=tuple(msgspec.structs.replace(each, occupant_id="") for each in PEOPLE)
)
OCC: Final = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='o-kim'/>"
STAMP: Final = f"<stanza-id xmlns='urn:xmpp:sid:0' by='{ROOM}' id='r1'/>"


def stanza(inner: str = "", body: str = "closing list B", attributes: str = "", **named: str) -> dict[str, Any]:
    """A message of Kim's in the room; `kind`, `sender`, `to` and `id` change or (as `-`) leave out an attribute."""
    told = {"type": "groupchat", "from": f"{ROOM}/Kim", "to": f"{DESK}/here", "id": "m1"}
    told |= {{"kind": "type", "sender": "from"}.get(key, key): value for key, value in named.items()}
    written = " ".join(f"{key}='{value}'" for key, value in told.items() if value != "-")
    text = f"<body>{body}</body>" if body != "-" else ""
    return {"xml": f"<message xmlns='jabber:client' {written} {attributes}>{text}{inner}</message>"}


def read(raw: Any, place: XmppPlace | None = GROUP, agent: XmppAgent = ME) -> Event:
    """The facts of one stanza."""
    return facts(raw, agent, place, received_at=1_790_000_000_000, authenticated=Fact.YES)


def reference(uri: str, begin: str = "", end: str = "", kind: str = "mention", more: str = "") -> str:
    """A reference; without positions it is to nothing in the text."""
    where = f"begin='{begin}' end='{end}'" if begin or end else ""
    return f"<reference xmlns='urn:xmpp:reference:0' type='{kind}' uri='{uri}' {where} {more}/>{OCC}{STAMP}"


def reply(id: str, more: str = "") -> str:
    """A reply to a message."""
    return f"<reply xmlns='urn:xmpp:reply:0' id='{id}'/>{more}{OCC}{STAMP}"


US: Final = f"xmpp:{DESK}"
ASKS: Final = {"mentions_agent": Fact.YES, "mentions_other": Fact.NO}
NOT: Final = {"mentions_agent": Fact.NO}
TABLE: Final[list[tuple[str, dict[str, Any], dict[str, Any]]]] = [
    # mentions: structure only
    ("by our JID", stanza(reference(US)), ASKS),
    ("by our address in the room", stanza(reference(f"xmpp:{ROOM}/desk")), ASKS),
    ("by an escaped address", stanza(reference(f"xmpp:{ROOM}/%64esk")), ASKS),
    ("of another", stanza(reference("xmpp:kim@shop.test")), NOT | {"mentions_other": Fact.YES}),
    ("of our nick in another room", stanza(reference("xmpp:other@rooms.home.test/desk")), NOT),
    ("of a JID like ours", stanza(reference("xmpp:Desk@home.test")), NOT),
    ("of no scheme", stanza(reference(DESK)), NOT),
    ("of another type", stanza(reference(US, kind="data")), NOT),
    ("without a type", stanza(reference(US).replace("type='mention'", "")), NOT),
    ("of another message", stanza(reference(US, more="anchor='xmpp:x@y'")), NOT),
    ("in the text", stanza(reference(US, "0", "4"), "desk: hello"), ASKS | {"text": "hello"}),
    ("in a quote", stanza(reference(US, "2", "6"), "> desk: hello"), NOT | {"text": ""}),
    ("in code", stanza(reference(US, "1", "5"), "`desk` hello"), NOT | {"text": "hello"}),
    ("beyond the text", stanza(reference(US, "90", "94")), NOT),
    ("by text alone", stanza(OCC + STAMP, "desk: hello @desk desk, xmpp:desk@home.test"), NOT),
    ("negative positions", stanza(reference(US, "-1", "4")), NOT | {"malformed": ("reference",)}),
    ("positions in letters", stanza(reference(US, "a", "b")), NOT | {"malformed": ("reference",)}),
    ("a reference inside another element", stanza(f"<x xmlns='y'>{reference(US)}</x>"), NOT),
    # replies: by an id whose author is known
    ("reply to us", stanza(reply("ours")), {"reply_to": ReplyTo.AGENT}),
    ("reply to another", stanza(reply("jordans")), {"reply_to": ReplyTo.OTHER}),
    ("reply to nobody knows what", stanza(reply("unknown")), {"reply_to": ReplyTo.UNKNOWN}),
    ("reply without an id", stanza(reply("")), {"reply_to": ReplyTo.UNKNOWN, "malformed": ("reply",)}),
    ("reply twice", stanza(reply("ours", reply("jordans").replace(OCC + STAMP, ""))), {"malformed": ("reply",)}),
    # identity
    ("a stamp by somebody else", stanza(OCC + STAMP.replace(ROOM, "evil@x.test")), {"event_id": "m1"}),
    ("two stamps", stanza(OCC + STAMP + STAMP), {"malformed": ("stanza-id",)}),
    ("two occupant-ids", stanza(OCC + OCC + STAMP), {"malformed": ("occupant-id",)}),
    ("no id at all", stanza(OCC, id="-"), {"malformed": ("id",)}),
    ("our own echo", stanza(STAMP, sender=f"{ROOM}/desk"), {"author_kind": AuthorKind.SELF}),
    ("to somebody else", stanza(OCC + STAMP, to="eve@home.test"), {"malformed": ("to",)}),
    ("no sender", stanza(sender="-"), {"malformed": ("from",), "author_kind": AuthorKind.UNKNOWN}),
    ("a server", stanza(sender="home.test", kind="chat"), {"malformed": ("from",), "chat": ChatKind.UNKNOWN}),
    # kinds
    ("the room itself", stanza(sender=ROOM), {"kind": EventKind.OTHER}),
    ("a room that we are not in", stanza(sender="x@other.test/kim"), {"kind": EventKind.OTHER}),
    ("an error", stanza(kind="error"), {"kind": EventKind.OTHER}),
    ("a headline", stanza(kind="headline"), {"kind": EventKind.OTHER}),
    ("no body", stanza(body="-"), {"kind": EventKind.OTHER}),
    ("two bodies", stanza("<body>x</body>" + OCC + STAMP), {"malformed": ("body",)}),
    ("sealed", stanza("<encrypted xmlns='eu.siacs.conversations.axolotl'/>"), {"kind": EventKind.OTHER}),
    ("a correction of who knows what", stanza(_C := "<replace xmlns='urn:xmpp:message-correct:0' id='m0'/>"), {}),
    ("a late one", stanza("<delay xmlns='urn:xmpp:delay' stamp='2026-09-21T08:00:00Z'/>" + OCC + STAMP), {}),
    ("a time to come", stanza("<delay xmlns='urn:xmpp:delay' stamp='2099-01-01T00:00:00Z'/>" + OCC + STAMP), {}),
    ("no time", stanza("<delay xmlns='urn:xmpp:delay' stamp='soon'/>" + OCC + STAMP), {"malformed": ("delay",)}),
    # private messages of a room are no one-to-one
    ("from an occupant", stanza(kind="chat", sender=f"{ROOM}/Kim"), {"chat": ChatKind.GROUP}),
    ("from an occupant elsewhere", stanza(kind="chat", sender="z@rooms.home.test/Kim"), {"chat": ChatKind.GROUP}),
    (
        "marked as a room's",
        stanza("<x xmlns='http://jabber.org/protocol/muc#user'/>", kind="chat", sender="a@b.test/c"),
        {"chat": ChatKind.GROUP, "target": Target("xmpp", DESK, "a@b.test/c")},
    ),
    # one-to-one
    ("a person", stanza(kind="chat", sender=f"{KIM}/x"), {"chat": ChatKind.DIRECT, "shared": Fact.YES}),
    ("one of ours", stanza(kind="chat", sender="oper@home.test"), {"chat": ChatKind.DIRECT, "shared": Fact.NO}),
    ("a known bot", stanza(kind="chat", sender=BOT), {"author_kind": AuthorKind.BOT, "other_bots": Fact.YES}),
]
LATER: Final[dict[str, dict[str, Any]]] = {
    "a correction of who knows what": {"kind": EventKind.OTHER},
    "a late one": {"sent_at": 1_789_977_600_000},
    "a time to come": {"sent_at": 1_790_000_000_000},
}


@pytest.mark.parametrize(("name", "raw", "expected"), TABLE, ids=[name for name, _, _ in TABLE])
def test_a_stanza_says(name: str, raw: dict[str, Any], expected: dict[str, Any]) -> None:
    """Each row gives exactly its facts; a malformed one is not answered."""
    event = read(raw)
    expected = expected | LATER.get(name, {})

    assert expected == {key: getattr(event, key) for key in expected}
    assert not (event.malformed and judged(event).outcome is Outcome.RESPOND)


@pytest.mark.parametrize(
    ("place", "author", "shared"),
    [
        (GROUP, f"{ROOM}:o-kim", Fact.UNKNOWN),
        (OPEN, "kim@home.test", Fact.NO),
        (BARE, f"?{ROOM}/Kim#2", Fact.UNKNOWN),
        (XmppPlace(), "", Fact.UNKNOWN),
        (None, "", Fact.UNKNOWN),
    ],
    ids=["occupant-id", "real JID", "a stay", "nothing known", "no look-up"],
)
def test_who_wrote_it(place: XmppPlace | None, author: str, shared: Fact) -> None:
    """The strongest name that the room gives; an occupant-id of a room that announces none is nobody's."""
    event = read(stanza(OCC + STAMP), place)

    assert (author, shared) == (event.author.id, event.shared)


def test_a_stamp_counts_only_of_who_announces_them() -> None:
    """A room, or a server, that does not announce stanza-ids lets anybody write them."""
    silent = msgspec.structs.replace(GROUP, stamps=frozenset())
    direct = stanza(STAMP.replace(ROOM, DESK), kind="chat", sender=f"{KIM}/x")

    assert ["r1", "m1"] == [read(stanza(OCC + STAMP), place).event_id for place in (GROUP, silent)]
    keys = [read(direct, place).dedupe_key for place in (GROUP, silent)]
    assert [f"{KIM}\nstamp r1", f"{KIM}\nid m1"] == keys


def test_a_stay_is_no_credential() -> None:
    """Who comes back under the same nick has another name."""
    back = tuple(msgspec.structs.replace(each, stay=each.stay + 10) for each in BARE.occupants or ())

    first, second = read(stanza(STAMP), BARE), read(stanza(STAMP), msgspec.structs.replace(BARE, occupants=back))

    assert first.author != second.author


def test_a_nick_is_a_mention_only_if_the_operator_says_so() -> None:
    """Off by default; with it, only at the very start, exactly, and only where nothing is marked."""
    nick = msgspec.structs.replace(ME, nick_is_mention=True)
    texts = {
        "desk: hello": Fact.YES,
        "desk, hello": Fact.YES,
        "desk:": Fact.YES,
        "Desk: hello": Fact.NO,
        "desks: hello": Fact.NO,
        "desk:hello": Fact.NO,
        "hello desk: you": Fact.NO,
        "&gt; desk: hello": Fact.NO,
        "jordan: ask desk": Fact.NO,
    }
    found = {text: read(stanza(OCC + STAMP, text), agent=nick) for text in texts}

    assert texts == {text: event.mentions_agent for text, event in found.items()}
    assert {Fact.NO} == {read(stanza(OCC + STAMP, text)).mentions_agent for text in texts}
    assert ("hello", Fact.YES) == (found["desk: hello"].text, found["jordan: ask desk"].mentions_other)
    assert Fact.NO is read(stanza(reference("xmpp:a@b.test"), "desk: hello"), agent=nick).mentions_agent


def test_a_command_is_ours_only_right_after_our_mention() -> None:
    """`desk: /stop` is directed at us; the same word alone, or later, is not."""
    first = read(stanza(reference(US, "0", "4"), "desk: /stop now"))
    later = read(stanza(reference(US, "7", "11"), "please desk /stop"))

    assert Command("stop", "now", Fact.YES) == first.command
    assert (None, None) == (later.command, read(stanza(OCC + STAMP, "/stop")).command)


def test_a_correction_counts_only_from_the_same_sender() -> None:
    """Known to be his: an edit, which asks nothing. Known to be another's, or not known: nothing at all."""
    known = {value: msgspec.structs.replace(GROUP, corrects=value) for value in (True, False, None)}
    kinds = {value: read(stanza(_C + reference(US)), place).kind for value, place in known.items()}

    assert {True: EventKind.EDIT, False: EventKind.OTHER, None: EventKind.OTHER} == kinds
    assert judged(read(stanza(_C + reference(US)), known[True])).outcome is not Outcome.RESPOND


def test_a_retraction_deletes_only_its_own() -> None:
    """Another's message is not deleted by it."""
    retract = "<retract xmlns='urn:xmpp:message-retract:1' id='{}'/>" + OCC + STAMP
    authors = {"mine": f"{ROOM}:o-kim", "jordans": f"{ROOM}:o-jordan"}
    place = msgspec.structs.replace(GROUP, authors=authors)

    assert ("mine", None, None) == tuple(
        read(stanza(retract.format(id)), place).deletes for id in ("mine", "jordans", "unknown")
    )


@pytest.mark.parametrize(
    "xml",
    [
        *("", "<", "<message/>", "<iq xmlns='jabber:client'/>", "<message xmlns='jabber:server'/>", "\x00", "\ud800"),
        "<!DOCTYPE m [<!ENTITY a 'b'>]><message xmlns='jabber:client' from='a@b'><body>&a;</body></message>",
        "<?xml version='1.0'?><message xmlns='jabber:client' from='a@b.test'><body>x</body></message>",
        "<message xmlns='jabber:client' from='a@b.test'><body><![CDATA[x]]></body></message>",
        "<a>" * 60_000,
        "<message xmlns='jabber:client' from='a@b.test'>" + "<body/>" * 5_000 + "</message>",
        "<message xmlns='jabber:client' from='a@b.test' id='m1'><body>x</body><!-- x --></message>",
    ],
)
def test_what_is_no_stanza(xml: str) -> None:
    """Nothing raises, nothing is answered, and no definition is ever read."""
    event = read({"xml": xml})

    assert "xml" in event.malformed
    assert judged(event).outcome is not Outcome.RESPOND


@given(st.text(max_size=200), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=3))
@settings(max_examples=100, deadline=None)
def test_live_text_only_leaves_out(body: str, spans: list[tuple[int, int]]) -> None:
    """What is live stands in the body, character by character, in order."""
    mask = hidden(body, spans)
    rest = iter(body)

    assert len(mask) == len(body)
    assert all(char in rest for char in live_text(body, mask, spans))


@given(st.text(alphabet="<>/='\" abc&;:xmlns\n", max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_not(text: str) -> None:
    """Whatever the text, an element or None."""
    assert parsed(text) is None or parsed(text) is not None
    assert judged(read({"xml": text})).outcome is not Outcome.RESPOND
