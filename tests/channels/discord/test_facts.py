"""What raw events of Discord say: payloads of Discord's documentation and of simcord's model, each fact bent once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from dragoman.channels.discord.facts import facts
from dragoman.channels.discord.live import live_text
from dragoman.channels.discord.state import ChannelState, DiscordAgent, PlaceState, RoleState, RoleTags
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import Party, Target
from dragoman.testing.by_hand import START
from dragoman.testing.judged import judged
from dragoman.testing.payloads import GONE, changed, places
from dragoman.words import Fact, Outcome

PAYLOADS: Final = Path(__file__).parent / "payloads"
BOT, APP, GUILD, CHANNEL = ("1310200000000000001", "1310200000000000000", "1310200000000000100", "1310200000000000101")
BUYER, JORDAN, THREAD, DM = ("1310200000000000011", "1310200000000000012", "1310200000000000102", "1310200000000000103")
OWN_ROLE, STAFF = "1310200000000000701", "1310200000000000702"
ME = DiscordAgent(user_id=BOT, application_id=APP)
ROLES = (
    RoleState(id=OWN_ROLE, name="desk", managed=True, tags=RoleTags(bot_id=BOT)),
    RoleState(id=STAFF, name="Desk"),
)
GROUP = PlaceState(channel=ChannelState(id=CHANNEL, type=0), roles=ROLES, features=frozenset())
DIRECT = PlaceState(channel=ChannelState(id=DM, type=1))
IN_THREAD = PlaceState(channel=ChannelState(id=THREAD, type=11, parent_id=CHANNEL), roles=ROLES, features=frozenset())
AT = 1_790_000_000_000


def payload(name: str) -> dict[str, Any]:
    """One payload; the file names its source."""
    kept = json.loads((PAYLOADS / f"{name}.json").read_text())
    assert kept["source"]
    return dict(kept["raw"])


def read(raw: Mapping[str, Any], place: PlaceState | None = GROUP) -> Event:
    """Its facts, as our own connection brought it."""
    return facts(raw, ME, place, received_at=AT, authenticated=Fact.YES)


def outcome(event: Event) -> Outcome:
    """What a policy that knows the place decides of it, were it said just now."""
    return judged(msgspec.structs.replace(event, sent_at=START, received_at=START)).outcome


class Row(NamedTuple):
    """What a payload says, in the words of its reader."""

    name: str
    kind: str
    author: str
    author_kind: str
    chat: str = "group"
    us: str = "no"
    other: str = "no"
    reply: str = "nobody"
    text: str = ""
    place: PlaceState | None = GROUP
    attachments: int = 0


TABLE = [
    Row("chatter", "message", BUYER, "human", text="did you see the game?"),
    Row("mention", "message", BUYER, "human", us="yes", text="closing list B"),
    Row("mention_of_another", "message", BUYER, "human", other="yes", text=f"<@{JORDAN}> can you drive?"),
    Row("everyone", "message", JORDAN, "human", text="@everyone truck at noon"),
    Row("echo", "message", BOT, "self", text="list posted"),
    Row("reply_with_ping", "message", BUYER, "human", reply="agent", text="and the 13th?"),
    Row("reply_without_ping", "message", BUYER, "human", reply="agent", text="and the 13th?"),
    Row("reply_to_another", "message", BUYER, "human", other="yes", reply="other", text="thanks"),
    Row("bot", "message", "", "bot", us="yes", text="status please"),
    Row("webhook", "message", "", "bot", us="yes", text="pallets in"),
    Row("system", "message", JORDAN, "bot", text="a notice of the platform"),
    Row("example_crossposted_message", "message", BUYER, "bot", us="yes"),
    Row("forward", "message", JORDAN, "human", text=""),
    Row("direct", "message", BUYER, "human", chat="direct", text="are you there?", place=DIRECT),
    Row("example_message", "message", BUYER, "human", chat="direct", text="Supper at eight", place=DIRECT),
    Row("edit", "edit", BUYER, "human", us="yes", text="where is list B?"),
    Row("attachments", "message", BUYER, "human", us="yes", text="what are these?", attachments=2),
    Row("in_a_thread", "message", JORDAN, "human", us="yes", text="and these?", place=IN_THREAD),
    Row("preview_came", "other", BUYER, "human"),
    Row("joined", "other", JORDAN, "human"),
    Row("deleted", "other", "", "unknown"),
    Row("slash_command", "message", BUYER, "human", text="/find List B"),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_what_a_payload_says(row: Row) -> None:
    """The facts of every kind of payload."""
    event = read(payload(row.name), row.place)

    said = (event.kind, event.author_kind, event.chat, event.mentions_agent, event.mentions_other, event.reply_to)
    assert (row.kind, row.author_kind, row.chat, row.us, row.other, row.reply) == tuple(map(str, said))
    assert () == event.malformed
    assert row.author in ("", event.author.id)
    if row.text or row.name == "forward":
        assert row.text == event.text
    assert row.attachments == event.attachments
    assert event.target.known


def test_every_payload_is_in_a_table() -> None:
    """No payload lies about unread: those that are not in the table above have a test of their own."""
    assert {path.stem for path in PAYLOADS.glob("*.json")} == {row.name for row in TABLE} | {"hidden"}


def test_where_it_was_said() -> None:
    """Server and channel exactly; in a direct message our application is the workspace; an open thread is its
    channel's, a private one is a place of its own."""
    private = PlaceState(channel=ChannelState(id=THREAD, type=12, parent_id=CHANNEL), roles=(), features=frozenset())
    thread = payload("in_a_thread")

    assert Target("discord", GUILD, CHANNEL) == read(payload("mention")).target
    assert Party("discord", GUILD, BUYER) == read(payload("mention")).author
    assert Target("discord", APP, DM) == read(payload("direct"), DIRECT).target
    found = [(event.target.channel, event.thread) for event in (read(thread, IN_THREAD), read(thread, private))]
    assert [(CHANNEL, THREAD), (THREAD, None)] == found
    assert THREAD == read(thread, None).target.channel


def test_hidden_text_is_not_an_empty_one() -> None:
    """Without the message content intent a message that does not name us comes empty: what it says is not known."""
    event = read(payload("hidden"))
    assert ("d.content",) == event.malformed
    assert outcome(event) is Outcome.SILENT


def test_a_deletion_names_what_it_deletes() -> None:
    """The id of the message that is gone; the deletion is no copy of it."""
    raw = payload("deleted")
    event = read(raw)
    assert (EventKind.OTHER, raw["d"]["id"]) == (event.kind, event.deletes)
    assert event.dedupe_key != f"{CHANNEL}\n{raw['d']['id']}"


def test_an_edit_is_no_copy_of_what_it_edits() -> None:
    """An edit is decided for itself (and is no request), a retry of the same message is a copy."""
    raw = payload("edit")
    created = {**raw, "t": "MESSAGE_CREATE"}
    assert read(raw).dedupe_key != read(created).dedupe_key
    assert read(created).dedupe_key == read({**created, "s": 99}).dedupe_key
    assert not read(raw).edit_marks_mentions


def test_a_command_is_directed() -> None:
    """A chat command is ours by the platform's own routing, with its options in order."""
    event = read(payload("slash_command"))
    assert Command("find", "List B", Fact.YES) == event.command


TYPED = [
    (f"<@{BOT}> /stop", Command("stop", "", Fact.YES)),
    (f"<@{BOT}> /order list B", Command("order", "list B", Fact.YES)),
    (f"<@{BOT}> /stop@crier", Command("stop", "", Fact.NO)),
    (f"/stop <@{BOT}>", None),
    (f"hey <@{BOT}> /stop", None),
    (f"> <@{BOT}> /stop", None),
    (f"<@{BOT}> !stop", None),
]


@pytest.mark.parametrize(("content", "command"), TYPED)
def test_a_typed_command_right_after_our_mention_is_directed(content: str, command: Command | None) -> None:
    """The mark before it names whom it is for; anywhere else the text decides nothing here."""
    assert command == read(changed(payload("mention"), ("d", "content"), content)).command


ROLE_ROWS = [
    ("our managed role", OWN_ROLE, ROLES, "yes"),
    ("a role that only has our name", STAFF, ROLES, "no"),
    (
        "a managed role of another bot",
        OWN_ROLE,
        (RoleState(id=OWN_ROLE, managed=True, tags=RoleTags(bot_id=APP)),),
        "no",
    ),
    ("a role with our tag that is not managed", OWN_ROLE, (RoleState(id=OWN_ROLE, tags=RoleTags(bot_id=BOT)),), "no"),
    ("roles that are not known", OWN_ROLE, None, "unknown"),
]


@pytest.mark.parametrize(("what", "role", "roles", "us"), ROLE_ROWS, ids=[row[0] for row in ROLE_ROWS])
def test_a_role_is_us_only_if_it_is_managed_for_us(
    what: str, role: str, roles: tuple[RoleState, ...] | None, us: str
) -> None:
    """A mentioned role counts when the server manages it for our user, whatever it is called."""
    raw = changed(changed(payload("chatter"), ("d", "mention_roles"), [role]), ("d", "content"), f"<@&{role}> dates?")
    place = PlaceState(channel=GROUP.channel, roles=roles, features=frozenset())
    assert us == read(raw, place).mentions_agent
    assert Fact.NO == read(changed(raw, ("d", "content"), "dates?"), place).mentions_agent


SHARED_ROWS = [
    ("a server", GROUP, 0, "no"),
    ("a server that anybody may look into", PlaceState(features=frozenset({"DISCOVERABLE"})), 0, "yes"),
    ("a guest", GROUP, 1 << 4, "yes"),
    ("not known", PlaceState(), 0, "unknown"),
    ("nothing known", None, 0, "unknown"),
]


@pytest.mark.parametrize(("what", "place", "flags", "shared"), SHARED_ROWS, ids=[row[0] for row in SHARED_ROWS])
def test_who_else_may_read(what: str, place: PlaceState | None, flags: int, shared: str) -> None:
    """A discoverable server and a guest are outsiders; without a look-up it is not known."""
    assert shared == read(changed(payload("chatter"), ("d", "member"), {"flags": flags}), place).shared


ELSEWHERE_ROWS: list[tuple[str, dict[str, Any], str, str]] = [
    ("in a server that installed us", {"context": 0, "authorizing_integration_owners": {"0": GUILD}}, "group", "no"),
    ("in somebody else's server", {"context": 0, "authorizing_integration_owners": {"1": BUYER}}, "group", "yes"),
    ("in our direct message", {"context": 1, "guild_id": None}, "direct", "no"),
    ("in a group direct message", {"context": 2, "guild_id": None}, "group", "yes"),
    ("no context", {"guild_id": None}, "unknown", "unknown"),
]


@pytest.mark.parametrize(("what", "more", "chat", "shared"), ELSEWHERE_ROWS, ids=[row[0] for row in ELSEWHERE_ROWS])
def test_where_a_command_was_used(what: str, more: dict[str, Any], chat: str, shared: str) -> None:
    """An application that a user installed can be called anywhere: the command is one, the place is not ours."""
    raw = payload("slash_command")
    event = read({**raw, "d": {**raw["d"], **more}})
    assert (chat, shared, Fact.YES) == (event.chat, event.shared, event.command and event.command.directed)


KINDS_OF_CHANNEL = [(0, "group"), (1, "direct"), (3, "group"), (5, "group"), (11, "group"), (15, "group")]


@pytest.mark.parametrize(("of", "chat"), KINDS_OF_CHANNEL)
def test_only_a_direct_channel_is_one_to_one(of: int, chat: str) -> None:
    """Without a server, the channel's type decides; a channel that nobody looked at is not known."""
    raw = payload("direct")
    assert chat == read(raw, PlaceState(channel=ChannelState(id=DM, type=of))).chat
    assert ChatKind.UNKNOWN == read(raw, None).chat
    assert ChatKind.UNKNOWN == read(raw, PlaceState(channel=ChannelState(id=CHANNEL, type=1))).chat


# --- missing, null, wrong-typed, forged ------------------------------------------------------------------------------

D = ("d",)
BENT: list[tuple[str, tuple[str, ...], Any, str, str]] = [
    ("no author", ("d", "author"), GONE, "author_kind", "unknown"),
    ("an author that is a text", ("d", "author"), BUYER, "author_kind", "unknown"),
    ("an author id that is a number", ("d", "author", "id"), int(BUYER), "author_kind", "unknown"),
    (
        "an author id in other digits",
        ("d", "author", "id"),
        "１３１０２０００００００００００１１",
        "author_kind",
        "unknown",
    ),
    ("a bot flag that is a text", ("d", "author", "bot"), "false", "malformed", "d.author.bot"),
    ("a webhook without a bot flag", ("d", "webhook_id"), "1310200000000000801", "author_kind", "bot"),
    ("an application's message", ("d", "application_id"), APP, "author_kind", "bot"),
    ("the crosspost flag", ("d", "flags"), 2, "author_kind", "bot"),
    ("no mentions", ("d", "mentions"), GONE, "mentions_agent", "no"),
    ("mentions null", ("d", "mentions"), None, "mentions_agent", "no"),
    ("mentions that are a text", ("d", "mentions"), BOT, "malformed", "d.mentions"),
    ("mentions of texts", ("d", "mentions"), [BOT], "malformed", "d.mentions.0"),
    ("a mention by text alone", ("d", "mentions"), [], "mentions_agent", "no"),
    ("a mention in code", ("d", "content"), f"try `<@{BOT}>`", "mentions_agent", "no"),
    ("a mention in a quote", ("d", "content"), f"> <@{BOT}> dates?\nlook", "mentions_agent", "no"),
    ("a mention in a code block", ("d", "content"), f"```\n<@{BOT}>\n```", "mentions_agent", "no"),
    ("a mention that an old client writes", ("d", "content"), f"<@!{BOT}> dates?", "mentions_agent", "yes"),
    ("a type that is a text", ("d", "type"), "0", "kind", "other"),
    ("no type", ("d", "type"), GONE, "kind", "other"),
    ("an unknown type", ("d", "type"), 99, "kind", "other"),
    ("no event name", ("t",), GONE, "kind", "other"),
    ("another event", ("t",), "TYPING_START", "kind", "other"),
    ("no channel", ("d", "channel_id"), GONE, "malformed", "d.channel_id"),
    ("a channel that is a number", ("d", "channel_id"), int(CHANNEL), "malformed", "d.channel_id"),
    ("no id", ("d", "id"), GONE, "malformed", "d.id"),
    ("a padded id", ("d", "id"), "1310200000000000301 ", "malformed", "d.id"),
    ("a server that is a number", ("d", "guild_id"), int(GUILD), "malformed", "d.guild_id"),
    ("content that is a list", ("d", "content"), ["x"], "malformed", "d.content"),
    ("attachments that are an object", ("d", "attachments"), {}, "malformed", "d.attachments"),
    ("no server", ("d", "guild_id"), GONE, "chat", "group"),
]


@pytest.mark.parametrize(("what", "place", "value", "fact", "expected"), BENT, ids=[row[0] for row in BENT])
def test_a_fact_that_is_bent(what: str, place: tuple[str, ...], value: Any, fact: str, expected: str) -> None:
    """What is missing, null, of a wrong type or forged is never a yes, and what is malformed is named."""
    event = read(changed({**payload("mention"), "d": dict(payload("mention")["d"])}, place, value))
    found = getattr(event, fact)
    assert expected in found if fact == "malformed" else expected == found
    if event.malformed:
        assert outcome(event) is not Outcome.RESPOND


REPLIES: list[tuple[str, Any, ReplyTo]] = [
    ("deleted", None, ReplyTo.UNKNOWN),
    ("not loaded", GONE, ReplyTo.UNKNOWN),
    ("of a wrong type", "ours", ReplyTo.UNKNOWN),
    ("without an author", {"id": "1"}, ReplyTo.UNKNOWN),
    ("of a webhook with our id", {"author": {"id": BOT}, "webhook_id": BOT}, ReplyTo.OTHER),
    ("of another", {"author": {"id": JORDAN}}, ReplyTo.OTHER),
    ("ours", {"author": {"id": BOT}}, ReplyTo.AGENT),
]


@pytest.mark.parametrize(("what", "answered", "reply"), REPLIES, ids=[row[0] for row in REPLIES])
def test_whom_a_reply_answers(what: str, answered: Any, reply: ReplyTo) -> None:
    """The author of the answered message, or nobody knows."""
    raw = changed(payload("reply_without_ping"), ("d", "referenced_message"), answered)
    assert reply == read(raw).reply_to
    assert ReplyTo.NOBODY == read(changed(raw, ("d", "type"), 0)).reply_to


def test_a_bot_that_answers_us_with_a_ping_is_a_bot() -> None:
    """The ping of a reply is no mention, and a bot's reply is a bot's."""
    raw = changed(payload("reply_with_ping"), ("d", "author", "bot"), True)
    event = read(raw)
    assert (AuthorKind.BOT, Fact.NO, ReplyTo.AGENT) == (event.author_kind, event.mentions_agent, event.reply_to)
    assert outcome(event) is Outcome.SILENT


LIVE = [
    ("> quoted\nand mine", "and mine"),
    ("mine\n>>> quoted\nto the end", "mine"),
    ("a `code` b", "a   b"),
    ("``a ` b`` c", "c"),
    ("```py\nall``` and mine", "and mine"),
    ("```\nall\n``` after", "after"),
    ("```\nopen to the end", ""),
    ("one ` tick", "one ` tick"),
    ("  > indented\nx", "x"),
    ("", ""),
]


@pytest.mark.parametrize(("content", "live"), LIVE)
def test_what_is_live(content: str, live: str) -> None:
    """Quotes and code are not the author's words now."""
    assert live == live_text(content)


WRONG: Final[list[Any]] = [
    GONE,
    None,
    True,
    0,
    -1,
    2**63,
    1.5,
    "",
    " ",
    "x",
    "\ud800",
    [],
    ["x"],
    {},
    {"id": 7},
    [[{}]],
]
CHATTER = (
    "chatter",
    "mention_of_another",
    "everyone",
    "echo",
    "webhook",
    "forward",
    "hidden",
    "joined",
    "preview_came",
)
"""What asks nothing, however it is bent. (A bot is one by its flag alone: people have none.)"""


@pytest.mark.parametrize("name", sorted(path.stem for path in PAYLOADS.glob("*.json")))
def test_every_value_of_every_payload_is_bent(name: str) -> None:
    """Whatever stands anywhere: no error, and nothing that is malformed, or was no request, is answered."""
    raw = payload(name)
    asks = outcome(read(raw)) is Outcome.RESPOND
    for place in places(raw):
        for value in WRONG:
            event = read(changed(raw, place, value))
            msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=Event)
            answered = outcome(event) is Outcome.RESPOND
            assert not (answered and event.malformed), f"{value!r} at {place} is malformed, and answered"
            if name in CHATTER:
                assert asks or not answered, f"{value!r} at {place} makes a request of it"
