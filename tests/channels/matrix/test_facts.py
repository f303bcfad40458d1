"""What a Matrix event says, as a table. No server here: `test_adapter.py` shows the same from a real one."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.matrix.facts import facts, worth_asking
from dragoman.channels.matrix.state import MatrixAgent, RoomState
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.identity import NOBODY, Party, Target
from dragoman.words import Fact

OWN, BUYER, JORDAN, ROBOT = "@desk:desk.example", "@buyer-a:shop.example", "@jordan:desk.example", "@b2:desk.example"
AGENT = MatrixAgent(user_id=OWN, bots=frozenset({ROBOT}))
ROOM = "!Rtn9Board2:desk.example"
GROUP = RoomState(
    joined_members=frozenset({OWN, BUYER, JORDAN}),
    m_direct={},
    senders={"$own": OWN, "$jordan": JORDAN, "$buyer": BUYER},
)
PAIR = RoomState(joined_members=frozenset({OWN, BUYER}), m_direct={BUYER: [ROOM]})
MENTION = {"m.mentions": {"user_ids": [OWN]}}


def raw(body: Any = "closing list B", **content: Any) -> dict[str, Any]:
    """A text message by the buyer; `...` leaves a content key out."""
    told = {"msgtype": "m.text", "body": body, "m.mentions": {}, **content}
    return {
        "type": "m.room.message",
        "event_id": "$r1",
        "room_id": ROOM,
        "sender": BUYER,
        "origin_server_ts": 1_790_000_000_000,
        "content": {key: value for key, value in told.items() if value is not ...},
        "unsigned": {"age": 120},
    }


def read(event: dict[str, Any], room: RoomState | None = GROUP, agent: MatrixAgent = AGENT) -> Event:
    """The facts of one event."""
    return facts(event, agent, room, received_at=7, authenticated=Fact.YES)


def relates(**keys: Any) -> dict[str, Any]:
    """A content with relations; `reply` is the event answered."""
    reply = keys.pop("reply", None)
    return {"m.relates_to": {**keys, **({"m.in_reply_to": {"event_id": reply}} if reply else {})}}


def edit(original: str = "$buyer", **changes: Any) -> dict[str, Any]:
    """An edit by the buyer that newly mentions us."""
    new = {"msgtype": "m.text", "body": "desk: which dates?", **MENTION}
    told = {"m.new_content": new, "m.relates_to": {"rel_type": "m.replace", "event_id": original}, **MENTION, **changes}
    return raw(**{"body": "* desk: which dates?", **told})


def test_a_whole_event() -> None:
    """Every fact of an unmentioned group message."""
    expected = Event(
        kind=EventKind.MESSAGE,
        target=Target("matrix", OWN, ROOM),
        event_id="$r1",
        dedupe_key=f"{ROOM}\n$r1",
        received_at=7,
        sent_at=1_790_000_000_000,
        authenticated=Fact.YES,
        author=Party("matrix", OWN, BUYER),
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.YES,
        other_bots=Fact.NO,
        text="closing list B",
        body="closing list B",
    )
    assert read(raw()) == expected


MENTIONS = [
    ("C23: our name in the body, mentions empty", raw("desk: hello"), Fact.NO, Fact.NO),
    ("our id in the body, no m.mentions at all", raw(f"{OWN} hello", **{"m.mentions": ...}), Fact.NO, Fact.NO),
    ("C10: the whole room", raw("all", **{"m.mentions": {"room": True}}), Fact.NO, Fact.NO),
    ("us", raw(**MENTION), Fact.YES, Fact.NO),
    ("us and another", raw(**{"m.mentions": {"user_ids": [JORDAN, OWN]}}), Fact.YES, Fact.YES),
    ("another", raw(**{"m.mentions": {"user_ids": [JORDAN]}}), Fact.NO, Fact.YES),
    ("our id in another case", raw(**{"m.mentions": {"user_ids": ["@Desk:desk.example"]}}), Fact.NO, Fact.YES),
    ("our id with a blank", raw(**{"m.mentions": {"user_ids": [OWN + " "]}}), Fact.NO, Fact.YES),
    ("not a list", raw(**{"m.mentions": {"user_ids": OWN}}), Fact.UNKNOWN, Fact.UNKNOWN),
    ("not all ids", raw(**{"m.mentions": {"user_ids": [OWN, 5]}}), Fact.UNKNOWN, Fact.UNKNOWN),
    ("not an object", raw(**{"m.mentions": [OWN]}), Fact.UNKNOWN, Fact.UNKNOWN),
]


@pytest.mark.parametrize(("event", "agent", "other"), [row[1:] for row in MENTIONS], ids=[row[0] for row in MENTIONS])
def test_mentions(event: dict[str, Any], agent: Fact, other: Fact) -> None:
    """Only `m.mentions.user_ids` mentions, and only by the exact id."""
    found = read(event)
    assert (found.mentions_agent, found.mentions_other) == (agent, other)
    assert ("content.m.mentions" in found.malformed) == (agent is Fact.UNKNOWN)


REPLIES = [
    ("no relation", raw(), ReplyTo.NOBODY, None),
    ("to us", raw(**relates(reply="$own")), ReplyTo.AGENT, None),
    ("to another human", raw(**relates(reply="$jordan")), ReplyTo.OTHER, None),
    ("to an event nobody knows", raw(**relates(reply="$lost")), ReplyTo.UNKNOWN, None),
    ("C21: thread fallback", raw(**relates(rel_type="m.thread", event_id="$root", is_falling_back=True, reply="$own")),
     ReplyTo.NOBODY, "$root"),
    ("C22: real reply in a thread", raw(**relates(rel_type="m.thread", event_id="$root", is_falling_back=False,
     reply="$own")), ReplyTo.AGENT, "$root"),
    ("a thread whose root is ours", raw(**relates(rel_type="m.thread", event_id="$own")), ReplyTo.NOBODY, "$own"),
    ("no thread, no fallback", raw(**relates(is_falling_back=True, reply="$own")), ReplyTo.AGENT, None),
    ("malformed fallback", raw(**relates(rel_type="m.thread", event_id="$root", is_falling_back="yes", reply="$own")),
     ReplyTo.UNKNOWN, None),
    ("malformed pointer", raw(**{"m.relates_to": {"m.in_reply_to": "$own"}}), ReplyTo.UNKNOWN, None),
    ("malformed relation", raw(**{"m.relates_to": ["$own"]}), ReplyTo.UNKNOWN, None),
    ("C14: forged quote of us in the body", raw(f"> <{OWN}> the 13th\n\nok then"), ReplyTo.NOBODY, None),
]  # fmt: skip


@pytest.mark.parametrize(("event", "reply", "thread"), [row[1:] for row in REPLIES], ids=[row[0] for row in REPLIES])
def test_replies(event: dict[str, Any], reply: ReplyTo, thread: str | None) -> None:
    """A reply is the pointer with a known sender; a thread's fallback is none."""
    found = read(event)
    assert (found.reply_to, found.thread) == (reply, thread)


def state(*members: str, **keys: Any) -> RoomState:
    """A room with these members."""
    return RoomState(joined_members=frozenset(members), **keys)


JOINED = {"type": "m.room.member", "state_key": OWN, "content": {"membership": "join", "is_direct": False}}
INVITED = {"unsigned": {"prev_content": {"membership": "invite", "is_direct": True}}}
CHATS = [
    ("C015, E03: two members, not flagged", state(OWN, BUYER, m_direct={BUYER: ["!Direct77:desk.example"]},
     agent_member_event=JOINED), ChatKind.GROUP),
    ("m.direct names the other and this room", PAIR, ChatKind.DIRECT),
    ("m.direct names somebody else for this room", state(OWN, BUYER, m_direct={JORDAN: [ROOM]}), ChatKind.GROUP),
    ("E04: flagged on the invitation", state(OWN, BUYER, m_direct={}, agent_member_event={**JOINED, **INVITED}),
     ChatKind.DIRECT),
    ("flagged, told by the adapter", state(OWN, BUYER, is_direct=True), ChatKind.DIRECT),
    ("flag unknown", state(OWN, BUYER), ChatKind.UNKNOWN),
    ("C015: a third member came", state(OWN, BUYER, JORDAN, m_direct={BUYER: [ROOM]}), ChatKind.GROUP),
    ("three members, flagged on the invitation", state(OWN, BUYER, JORDAN, is_direct=True), ChatKind.GROUP),
    ("alone, flagged", state(OWN, is_direct=True), ChatKind.UNKNOWN),
    ("the other is a known bot", state(OWN, ROBOT, m_direct={ROBOT: [ROOM]}), ChatKind.GROUP),
    ("members unknown", RoomState(m_direct={BUYER: [ROOM]}), ChatKind.UNKNOWN),
    ("nothing known", None, ChatKind.UNKNOWN),
    ("we are not in", state(BUYER, JORDAN, is_direct=True), ChatKind.UNKNOWN),
    ("the author is not in", state(OWN, JORDAN, is_direct=True), ChatKind.UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(("room", "chat"), [row[1:] for row in CHATS], ids=[row[0] for row in CHATS])
def test_one_to_one(room: RoomState | None, chat: ChatKind) -> None:
    """One-to-one needs the flag and exactly one other member now; anything unclear is no one-to-one."""
    sender = ROBOT if room and room.joined_members and ROBOT in room.joined_members else BUYER
    assert read({**raw(), "sender": sender}, room).chat is chat


SHARED = [
    ("somebody of another server", state(OWN, BUYER), Fact.YES),
    ("all ours", state(OWN, JORDAN), Fact.NO),
    ("another port is another server", state(OWN, "@x:desk.example:8448"), Fact.YES),
    ("an id without a server", state(OWN, "jordan"), Fact.YES),
    ("members unknown", RoomState(), Fact.UNKNOWN),
    ("members unknown, but the room is of our server only", RoomState(federate=False), Fact.NO),
    ("anybody may read", state(OWN, JORDAN, world_readable=True), Fact.YES),
    ("nothing known", None, Fact.UNKNOWN),
]


@pytest.mark.parametrize(("room", "shared"), [row[1:] for row in SHARED], ids=[row[0] for row in SHARED])
def test_shared(room: RoomState | None, shared: Fact) -> None:
    """A member of another homeserver makes the room shared; unknown members leave it unknown."""
    assert read(raw(), room).shared is shared


AUTHORS = [
    ("D06: ourselves", {"sender": OWN}, AuthorKind.SELF),
    ("our own notice", {"sender": OWN, "content": {"msgtype": "m.notice", "body": "x"}}, AuthorKind.SELF),
    ("D03: a notice", {"content": {"msgtype": "m.notice", "body": "x"}}, AuthorKind.BOT),
    ("D04: text of a listed bot", {"sender": ROBOT}, AuthorKind.BOT),
    ("a human", {}, AuthorKind.HUMAN),
    ("no id", {"sender": "buyer"}, AuthorKind.UNKNOWN),
    ("a padded id", {"sender": BUYER + " "}, AuthorKind.UNKNOWN),
]


@pytest.mark.parametrize(("change", "kind"), [row[1:] for row in AUTHORS], ids=[row[0] for row in AUTHORS])
def test_authors(change: dict[str, Any], kind: AuthorKind) -> None:
    """Who is a bot: a notice or a listed id; a malformed sender is nobody."""
    found = read({**raw(), **change})
    assert found.author_kind is kind
    assert (found.author is NOBODY) == (kind is AuthorKind.UNKNOWN)


def test_notices_of_humans_can_be_allowed() -> None:
    """The operator may say that notices do not mark bots."""
    agent = MatrixAgent(user_id=OWN, notice_is_bot=False)
    assert read(raw(msgtype="m.notice"), agent=agent).author_kind is AuthorKind.HUMAN


def test_other_bots() -> None:
    """A listed bot in the room is another bot; unknown members leave it open."""
    found = [read(raw(), room).other_bots for room in (GROUP, state(OWN, BUYER, ROBOT), RoomState())]
    assert found == [Fact.NO, Fact.YES, Fact.UNKNOWN]


KINDS = [
    ("reaction", {"type": "m.reaction"}),
    ("encrypted", {"type": "m.room.encrypted"}),
    ("member", {"type": "m.room.member", "state_key": BUYER}),
    ("a message that is state", {"state_key": ""}),
    ("redacted", {"content": {}}),
    ("redacted, with the reason", {"unsigned": {"redacted_because": {}}}),
    ("redaction", {"type": "m.room.redaction"}),
    ("sticker", {"type": "m.sticker"}),
    ("verification", {"content": {"msgtype": "m.key.verification.request", "body": "x"}}),
    ("no type", {"type": None}),
    ("content is no object", {"content": "text"}),
    ("no message type", {"content": {"body": "text"}}),
]


@pytest.mark.parametrize("change", [row[1] for row in KINDS], ids=[row[0] for row in KINDS])
def test_what_is_no_message(change: dict[str, Any]) -> None:
    """State, encrypted, redacted and unknown events are no message."""
    assert read({**raw(**MENTION), **change}).kind is EventKind.OTHER


EDITS = [
    ("C32: newly mentions us", edit(), EventKind.EDIT, True, Fact.YES),
    ("mention only inside the new content", edit(**{"m.mentions": {}}), EventKind.EDIT, True, Fact.NO),
    ("no top-level mentions at all", edit(**{"m.mentions": ...}), EventKind.EDIT, False, Fact.NO),
    ("original unknown: an edit, but it marks nothing", edit("$lost"), EventKind.EDIT, False, Fact.YES),
    ("C33: somebody else's message", edit("$jordan"), EventKind.OTHER, False, Fact.NO),
    ("no new content", edit(**{"m.new_content": ...}), EventKind.OTHER, False, Fact.NO),
    ("new content is no message", edit(**{"m.new_content": {"body": "x"}}), EventKind.OTHER, False, Fact.NO),
    ("no original", edit(**{"m.relates_to": {"rel_type": "m.replace"}}), EventKind.OTHER, False, Fact.NO),
]


@pytest.mark.parametrize(
    ("event", "kind", "marks", "mention"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS]
)
def test_edits(event: dict[str, Any], kind: EventKind, marks: bool, mention: Fact) -> None:
    """An edit counts by its shape and its original's author; new mentions stand at the top level."""
    found = read(event)
    assert (found.kind, found.edit_marks_mentions, found.mentions_agent) == (kind, marks, mention)


def test_an_edit_reads_its_new_text() -> None:
    """The text of an edit is that of its new content, our mention cut out."""
    found = read(edit())
    assert (found.text, found.body, found.reply_to) == ("which dates?", "desk: which dates?", ReplyTo.NOBODY)


TEXTS = [
    ("reply fallback", raw(f"> <{OWN}> the 13th\n> is free\n\nbook it", **relates(reply="$own")), "book it"),
    ("quote", raw("> desk: stop\nno"), "no"),
    ("quote without a blank", raw(">stop\nno"), "no"),
    ("fenced code", raw("see\n```sh\nstop\n```\nno"), "see\nno"),
    ("a fence left open", raw("see\n~~~\nstop\nall"), "see"),
    ("a shorter fence does not close", raw("````\na\n```\nstop\n````\nno"), "no"),
    ("inline code", raw("I ran `stop` twice"), "I ran   twice"),
    ("inline code with two ticks", raw("a ``x ` y`` b"), "a   b"),
    ("a lone tick", raw("it`s fine"), "it`s fine"),
    ("three ticks on one line", raw("```stop``` now"), "now"),
    ("quote that only the formatted body shows", raw("stop\nno", format="org.matrix.custom.html",
     formatted_body="<blockquote>stop</blockquote>no"), "no"),
    ("code that only the formatted body shows", raw("stop\nno", formatted_body=
     "<pre><code>stop\n</code></pre>no"), "no"),
    ("our id", raw(f"{OWN}: /stop now", **MENTION), "/stop now"),
    ("our id inside a longer one", raw("@desk:desk.example.org hi", **MENTION), "@desk:desk.example.org hi"),
    ("our pill", raw("Front Desk: stop", formatted_body=
     f'<a href="https://matrix.to/#/{OWN}">Front Desk</a>: stop', **MENTION), "stop"),
    ("our pill, escaped", raw("Front & Desk, stop", formatted_body=
     '<a href="https://matrix.to/#/%40desk%3Adesk.example">Front &amp; Desk</a>, stop', **MENTION), "stop"),
    ("our pill as Markdown", raw(f"[Desk](https://matrix.to/#/{OWN}) stop", **MENTION), "stop"),
    ("another's pill stays", raw("Jordan: stop", formatted_body=
     f'<a href="https://matrix.to/#/{JORDAN}">Jordan</a>: stop', **MENTION), "Jordan: stop"),
    ("our local name", raw("@desk stop", **MENTION), "stop"),
    ("our local name without being mentioned", raw("desk: stop"), "desk: stop"),
    ("file name", raw("plan.pdf", msgtype="m.file", url="mxc://x/y"), ""),
    ("caption", raw("is this right?", msgtype="m.image", filename="plan.png"), "is this right?"),
    ("place", raw("Dock 4", msgtype="m.location", geo_uri="geo:1,2"), ""),
    ("emote", raw("waves", msgtype="m.emote"), "waves"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "text"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_live_text(event: dict[str, Any], text: str) -> None:
    """Quotes, code and our own mention are cut out of the live text, and the body is left whole."""
    found = read(event)
    assert (found.text, found.body) == (text, event["content"]["body"])


def test_attachments() -> None:
    """Each of the four media types is one attachment; words are none."""
    types = ("m.image", "m.file", "m.audio", "m.video", "m.text", "m.location")
    assert [read(raw(msgtype=kind)).attachments for kind in types] == [1, 1, 1, 1, 0, 0]


MALFORMED = [
    ("sender", {"sender": 5}),
    ("room_id", {"room_id": "#ops:desk.example"}),
    ("event_id", {"event_id": None}),
    ("type", {"type": 1}),
    ("origin_server_ts", {"origin_server_ts": "soon"}),
    ("origin_server_ts", {"origin_server_ts": True}),
    ("content", {"content": []}),
    ("content.msgtype", {"content": {"msgtype": 1, "body": ""}}),
    ("content.body", {"content": {"msgtype": "m.text"}}),
    ("content.body", {"content": {"msgtype": "m.text", "body": "\udc00"}}),
    ("content.body", {"content": {"msgtype": "m.text", "body": "x" * 65_537}}),
    ("content.formatted_body", {"content": {"msgtype": "m.text", "body": "", "formatted_body": 1}}),
]


@pytest.mark.parametrize(("name", "change"), MALFORMED)
def test_malformed(name: str, change: dict[str, Any]) -> None:
    """A wrong type is named."""
    assert read({**raw(), **change}).malformed == (name,)


@pytest.mark.parametrize(
    ("room_id", "same"),
    [
        ("!RqTz41LmKaVe:desk.example", True),
        ("!rqtz41lmkave:desk.example", False),
        ("!RqTz41LmKaVe:desk.example:8448", False),
        ("!RqTz41LmKaVe", False),
        ("#ops:desk.example", False),
    ],
)
def test_room_ids_are_opaque(room_id: str, same: bool) -> None:
    """C034: exact, case-sensitive room ids; an alias is no room id; an id without a server is legal."""
    row = Target("matrix", OWN, "!RqTz41LmKaVe:desk.example")
    assert (read({**raw(), "room_id": room_id}).target == row) is same
    plain = {**raw(), "room_id": "!NoServerPart77AbC"}
    assert read(plain).target == Target("matrix", OWN, "!NoServerPart77AbC")


ASKED = [
    ("reply to an unknown event", raw(**relates(reply="$lost")), GROUP, "$lost"),
    ("the sender is known", raw(**relates(reply="$own")), GROUP, None),
    ("no pointer", raw(), GROUP, None),
    ("mentioned anyway", raw(**relates(reply="$lost"), **MENTION), GROUP, None),
    ("real one-to-one", raw(**relates(reply="$lost")), PAIR, None),
    ("a bot", raw(msgtype="m.notice", **relates(reply="$lost")), GROUP, None),
    ("ourselves", {**raw(**relates(reply="$lost")), "sender": OWN}, GROUP, None),
    ("thread fallback", raw(**relates(rel_type="m.thread", event_id="$r", is_falling_back=True, reply="$lost")), GROUP,
     None),
    ("an edit that mentions us", edit("$lost"), GROUP, "$lost"),
    ("an edit that does not", edit("$lost", **{"m.mentions": {}}), GROUP, None),
    ("malformed", raw(5, **relates(reply="$lost")), GROUP, None),
    ("a reaction", {**raw(**relates(reply="$lost")), "type": "m.reaction"}, GROUP, None),
]  # fmt: skip


@pytest.mark.parametrize(("event", "room", "asked"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_when_the_homeserver_is_asked(event: dict[str, Any], room: RoomState, asked: str | None) -> None:
    """The author of a pointed-at event is looked up only where it can change the decision."""
    assert worth_asking(event, AGENT, room) == asked


def test_room_state_is_decoded_strictly() -> None:
    """Exactly the documented keys; anything else is refused."""
    told = {"joined_members": [OWN, BUYER], "m_direct": {BUYER: [ROOM]}, "is_direct": False, "federate": True,
            "agent_member_event": JOINED, "senders": {"$own": OWN}, "world_readable": None}  # fmt: skip
    assert msgspec.convert(told, RoomState).joined_members == frozenset({OWN, BUYER})
    for wrong in ({"members": []}, {"joined_members": OWN}, {"is_direct": 1}, [], None):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, RoomState)


@pytest.mark.parametrize("wrong", [{}, {"user_id": "desk"}, {"user_id": OWN, "bots": ["b2"]}, {"user_id": OWN, "x": 1}])
def test_the_agent_is_decoded_strictly(wrong: object) -> None:
    """An account or bot without a full user id, or with unknown keys, is refused."""
    assert msgspec.convert({"user_id": OWN, "bots": [ROBOT]}, MatrixAgent) == AGENT
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, MatrixAgent)


SCALAR = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10)
    | st.sampled_from([OWN, BUYER, ROOM, "$own", "m.replace", "m.thread", "m.text", "m.notice", "> x", "```", "<pre>"])
)  # fmt: skip
KEYS = st.sampled_from(
    ["type", "sender", "room_id", "event_id", "content", "unsigned", "msgtype", "body", "formatted_body", "m.mentions",
     "user_ids", "m.relates_to", "m.in_reply_to", "rel_type", "is_falling_back", "m.new_content", "origin_server_ts"]
)  # fmt: skip
ANY_JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(KEYS, ANY_JSON), st.dictionaries(KEYS, ANY_JSON), st.sampled_from([GROUP, PAIR, None]))
def test_no_json_raises_or_opens(event: dict[str, Any], content: dict[str, Any], room: RoomState | None) -> None:
    """Whatever the JSON, facts come back, and nothing but the structured fact says yes."""
    for told in (event, {**raw(), **event}, raw(**content), edit(**content)):
        found = read(told, room)
        worth_asking(told, AGENT, room or RoomState())
        if found.mentions_agent is Fact.YES:
            assert OWN in told["content"]["m.mentions"]["user_ids"]
        if found.reply_to is ReplyTo.AGENT:
            assert told["content"]["m.relates_to"]["m.in_reply_to"]["event_id"] == "$own"
        if found.chat is ChatKind.DIRECT:
            assert (room, told["room_id"]) == (PAIR, ROOM)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="`~> \n<>a/@:desk.example[]()", max_size=60), st.text(alphabet="<>/pre a\"='", max_size=60))
def test_live_text_only_cuts(body: str, formatted: str) -> None:
    """No live text holds a character that its body does not."""
    found = read(raw(body, formatted_body=formatted, **MENTION))
    assert set(found.text) <= set(body) | {" ", "\n"}


@pytest.mark.parametrize("body", ["`" * 65_000, "`a``b" * 13_000, "> " * 32_000, "[" * 65_000, "```\n~~~\n" * 8_000])
def test_long_hostile_bodies_are_fast(body: str) -> None:
    """A full event of nothing but markers is read in linear time; anything quadratic would take seconds."""
    started = time.process_time()
    read(raw(body, formatted_body="<pre>" * 13_000, **MENTION))
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"type": "m.room.redaction", "redacts": "$gone"}, "$gone"),
        ({"type": "m.room.redaction", "content": {"redacts": "$gone"}}, "$gone"),
        ({"type": "m.room.redaction", "redacts": 7}, None),
        ({"type": "m.room.redaction"}, None),
        ({"type": "m.room.message", "redacts": "$gone"}, None),
    ],
)
def test_what_a_redaction_takes_away(raw: dict[str, Any], expected: str | None) -> None:
    """A redaction names the message that is gone, in either room version's place; nothing else does."""
    whole = {**raw, "room_id": "!r:h", "event_id": "$1", "sender": "@b:h"}
    event = facts(whole, AGENT, None, received_at=0, authenticated=Fact.YES)

    assert expected == event.deletes
