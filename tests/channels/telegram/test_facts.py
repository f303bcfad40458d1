"""What an update of the Bot API says, as a table. No server here; the shapes and their sources stand in `payloads/`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.telegram.facts import facts, worth_asking
from dragoman.channels.telegram.state import ChatState, TelegramAgent
from dragoman.channels.telegram.verify import verify
from dragoman.clock import SECOND
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.identity import Party, Target
from dragoman.testing.judged import judged
from dragoman.testing.payloads import JUNK, changed, places
from dragoman.words import Fact, Outcome

OWN, KIM, OPER, JORDAN, GROUP = 7000000001, 5100000001, 5100000090, 5100000002, -1002000000001
DATE = 1_790_000_000
AGENT = TelegramAgent(id=OWN, username="desk_bot")
COLLEAGUES = TelegramAgent(id=OWN, username="desk_bot", colleagues=frozenset({OPER, JORDAN}))
ROWS = [json.loads(line) for line in (Path(__file__).parent / "payloads" / "updates.jsonl").read_text().splitlines()]


def read(update: Any, agent: TelegramAgent = AGENT, chat: ChatState | None = None) -> Event:
    """The facts of one update."""
    return facts(update, agent, chat, received_at=7, authenticated=Fact.YES)


def said(text: Any = "where is list B?", *entities: Any, **more: Any) -> dict[str, Any]:
    """A message of a person in a group; `...` leaves a key out."""
    message = {
        "message_id": 301,
        "from": {"id": KIM, "is_bot": False, "first_name": "Kim"},
        "chat": {"id": GROUP, "type": "supergroup", "title": "Shelf planning"},
        "date": DATE,
        "text": text,
        "entities": list(entities),
        **more,
    }
    return {"update_id": 800_000_001, "message": {key: value for key, value in message.items() if value is not ...}}


def entity(kind: Any, offset: Any, length: Any, **more: Any) -> dict[str, Any]:
    """One entity."""
    return {"type": kind, "offset": offset, "length": length, **more}


MENTION = entity("mention", 0, 9)
ASKING = said("@desk_bot where is list B?", MENTION)


def shown(event: Event) -> dict[str, Any]:
    """An event in the words of the payload file."""
    command = event.command
    told: dict[str, Any] = msgspec.to_builtins(event)
    told["channel"], told["author"] = event.target.channel, event.author.id
    told["command"] = [command.name, command.argument, str(command.directed)] if command else None
    return told


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_what_a_payload_says(row: dict[str, Any]) -> None:
    """Every payload of the file says what stands beside it, and none of them is malformed."""
    found = shown(read(row["update"]))

    assert row["facts"] == {name: found[name] for name in row["facts"]}
    assert () == read(row["update"]).malformed


@pytest.mark.parametrize(
    "row", [row for row in ROWS if "core.telegram.org" not in row["source"]], ids=lambda r: r["name"]
)
def test_the_payloads_have_the_shape_of_the_api(row: dict[str, Any]) -> None:
    """The SDK's types know every key, and give the payload back as it is."""
    telegram = pytest.importorskip("telegram")
    update = telegram.Update.de_json(row["update"], None)
    (kind,) = set(row["update"]) - {"update_id"}

    assert {} == update.api_kwargs | getattr(update, kind).api_kwargs
    held = {key for key, value in row["update"][kind].items() if value != []}
    assert held <= set(getattr(update, kind).to_dict())


def test_there_are_enough_payloads() -> None:
    """The vendor's own samples are all there, and each payload names where its shape comes from."""
    assert 12 == sum(row["source"].startswith("https://core.telegram.org/") for row in ROWS)
    assert all(row["source"] for row in ROWS)


def test_a_whole_event() -> None:
    """Every fact of an unmentioned group message."""
    expected = Event(
        kind=EventKind.MESSAGE,
        target=Target("telegram", str(OWN), str(GROUP)),
        event_id="301",
        dedupe_key=f"{GROUP}\n301",
        received_at=7,
        sent_at=DATE * SECOND,
        authenticated=Fact.YES,
        author=Party("telegram", str(OWN), str(KIM)),
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.GROUP,
        shared=Fact.UNKNOWN,
        other_bots=Fact.UNKNOWN,
        text="where is list B?",
        body="where is list B?",
    )

    assert expected == read(said())


def test_a_copy_and_a_change_are_told_apart() -> None:
    """A message is known by its chat and id, whatever update brings it; its edits are others, one by one."""
    message = said()["message"]
    copy = {"update_id": 5, "message": message}
    edits = [{"update_id": number, "edited_message": {**message, "edit_date": DATE}} for number in (6, 7)]
    keys = [read(update).dedupe_key for update in (said(), copy, *edits)]

    assert keys[0] == keys[1]
    assert 3 == len(set(keys))


# --- each fact: there, missing, null, of a wrong type, forged ---------------------------------------------------------

CHAT = {"id": GROUP, "type": "supergroup", "title": "Shelf planning"}
PRIVATE = {"id": KIM, "type": "private", "first_name": "Kim"}
PERSON = {"id": KIM, "is_bot": False, "first_name": "Kim"}
REPLY = {"message_id": 300, "date": DATE, "chat": CHAT, "from": {"id": OWN, "is_bot": True, "first_name": "Desk"}}
FACTS = [
    ("mention: there", said("@desk_bot hi", MENTION), "mentions_agent", Fact.YES, ()),
    ("mention: missing", said("@desk_bot hi", entities=...), "mentions_agent", Fact.NO, ()),
    ("mention: null", said("@desk_bot hi", entities=None), "mentions_agent", Fact.NO, ()),
    ("mention: no list", said("@desk_bot hi", entities=MENTION), "mentions_agent", Fact.UNKNOWN, ("message.entities",)),
    ("mention: no entity", said("@desk_bot hi", "x"), "mentions_agent", Fact.UNKNOWN, ("message.entities.0",)),
    ("mention: offset a text", said("@desk_bot hi", entity("mention", "0", 9)), "mentions_agent", Fact.UNKNOWN,
     ("message.entities.0.offset",)),
    ("mention: no length", said("@desk_bot hi", entity("mention", 0, None)), "mentions_agent", Fact.UNKNOWN,
     ("message.entities.0.offset",)),
    ("mention: beyond the text", said("hi", entity("mention", 0, 100)), "mentions_agent", Fact.UNKNOWN,
     ("message.entities.0.offset",)),
    ("mention: before the text", said("@desk_bot", entity("mention", -9, 9)), "mentions_agent", Fact.UNKNOWN,
     ("message.entities.0.offset",)),
    ("mention: of no length", said("@desk_bot", entity("mention", 3, 0)), "mentions_agent", Fact.UNKNOWN,
     ("message.entities.0.offset",)),
    ("mention: inside a character", said("🙂@desk_bot", entity("mention", 1, 9)), "mentions_agent", Fact.UNKNOWN,
     ("message.entities.0.offset",)),
    ("mention: forged by an e-mail address", said("foo@desk_bot.example", entity("email", 0, 20)), "mentions_agent",
     Fact.NO, ()),
    ("mention: forged by a link", said("@desk_bot", entity("text_link", 0, 9, url="https://t.me/desk_bot")),
     "mentions_agent", Fact.NO, ()),
    ("mention: forged by a Kelvin sign", said("@des\u212a_bot", MENTION), "mentions_agent", Fact.NO, ()),
    ("mention: a longer name", said("@desk_bot2", entity("mention", 0, 10)), "mentions_agent", Fact.NO, ()),
    ("mention: an earlier name of ours", said("@old_desk_bot", entity("mention", 0, 13)), "mentions_other", Fact.YES,
     ()),
    ("mention: another's id under our name", said("Desk", entity("text_mention", 0, 4, user={"id": KIM})),
     "mentions_agent", Fact.NO, ()),
    ("mention: no id", said("Desk", entity("text_mention", 0, 4)), "mentions_other", Fact.UNKNOWN,
     ("message.entities.0.user.id",)),
    ("mention: the id as a text that is ours", said("Desk", entity("text_mention", 0, 4, user={"id": str(OWN)})),
     "mentions_agent", Fact.UNKNOWN, ("message.entities.0.user.id",)),
    ("chat: private, of its author", said(chat=PRIVATE), "chat", ChatKind.DIRECT, ()),
    ("chat: no type", said(chat={"id": KIM}), "chat", ChatKind.UNKNOWN, ()),
    ("chat: null", said(chat={"id": KIM, "type": None}), "chat", ChatKind.UNKNOWN, ()),
    ("chat: type a number", said(chat={"id": KIM, "type": 1}), "chat", ChatKind.UNKNOWN, ("message.chat.type",)),
    ("chat: private, of somebody else", said(chat={**PRIVATE, "id": JORDAN}), "chat", ChatKind.UNKNOWN, ()),
    ("chat: private by its title", said(chat={**CHAT, "title": "private"}), "chat", ChatKind.GROUP, ()),
    ("chat: private, of a business", said(chat=PRIVATE, business_connection_id="b1"), "chat", ChatKind.UNKNOWN, ()),
    ("target: id a text", said(chat={**CHAT, "id": str(GROUP)}), "kind", EventKind.MESSAGE, ("message.chat.id",)),
    ("target: none", said(chat=...), "kind", EventKind.MESSAGE, ("message.chat.id",)),
    ("author: is_bot missing", said(**{"from": {"id": KIM}}), "author_kind", AuthorKind.UNKNOWN, ()),
    ("author: is_bot null", said(**{"from": {"id": KIM, "is_bot": None}}), "author_kind", AuthorKind.UNKNOWN, ()),
    ("author: is_bot a text", said(**{"from": {"id": KIM, "is_bot": "false"}}), "author_kind", AuthorKind.UNKNOWN,
     ("message.from.is_bot",)),
    ("author: none", said(**{"from": ...}), "author_kind", AuthorKind.UNKNOWN, ("message.from.id",)),
    ("author: id a truth", said(**{"from": {"id": True, "is_bot": False}}), "author_kind", AuthorKind.UNKNOWN,
     ("message.from.id",)),
    ("author: a name like ours", said(**{"from": {**PERSON, "username": "desk_bot"}}), "author_kind",
     AuthorKind.HUMAN, ()),
    ("author: the pseudo account without its chat", said(**{"from": {**PERSON, "id": 1087968824}}), "author_kind",
     AuthorKind.UNKNOWN, ()),
    ("author: sender_chat of a wrong type", said(sender_chat="x"), "author_kind", AuthorKind.UNKNOWN,
     ("message.sender_chat", "message.sender_chat.id")),
    ("reply: to us", said(reply_to_message=REPLY), "reply_to", ReplyTo.AGENT, ()),
    ("reply: null", said(reply_to_message=None), "reply_to", ReplyTo.NOBODY, ()),
    ("reply: no object", said(reply_to_message=5), "reply_to", ReplyTo.UNKNOWN, ("message.reply_to_message",)),
    ("reply: no author", said(reply_to_message={**REPLY, "from": None}), "reply_to", ReplyTo.UNKNOWN, ()),
    ("reply: author a text", said(reply_to_message={**REPLY, "from": {"id": str(OWN)}}), "reply_to", ReplyTo.UNKNOWN,
     ("message.reply_to_message.from.id",)),
    ("reply: in another chat", said(reply_to_message={**REPLY, "chat": PRIVATE}), "reply_to", ReplyTo.UNKNOWN, ()),
    ("reply: of a chat in our name", said(reply_to_message={**REPLY, "sender_chat": CHAT}), "reply_to", ReplyTo.OTHER,
     ()),
    ("reply: forged by a quote in the text", said("> @desk_bot: the 6th\nok"), "reply_to", ReplyTo.NOBODY, ()),
    ("reply: only its quote", said(quote={"text": "the 6th", "position": 0}), "reply_to", ReplyTo.NOBODY, ()),
    ("reply: to a story", said(reply_to_story={"chat": CHAT, "id": 1}), "reply_to", ReplyTo.OTHER, ()),
    ("command: there", said("/order@desk_bot 3", entity("bot_command", 0, 15)), "command",
     Command("order", "3", Fact.YES), ()),
    ("command: missing", said("/order@desk_bot 3"), "command", None, ()),
    ("command: hidden", said("/order@desk_bot 3", entity("pre", 0, 17), entity("bot_command", 0, 15)), "command", None,
     ()),
    ("command: no slash", said("order it", entity("bot_command", 0, 5)), "command", None, ()),
    ("command: for a look-alike", said("/stop@des\u212a_bot", entity("bot_command", 0, 14)), "command",
     Command("stop", "", Fact.NO), ()),
    ("time: missing", said(date=...), "sent_at", None, ("message.date",)),
    ("time: a text", said(date="soon"), "sent_at", None, ("message.date",)),
    ("time: beyond all", said(date=2**50), "sent_at", None, ("message.date",)),
    ("text: a number", said(5), "text", "", ("message.text",)),
    ("text: half a character", said("\ud800"), "text", "", ("message.text",)),
    ("album: a number", said(media_group_id=7), "album", None, ("message.media_group_id",)),
    ("topic: without its id", said(is_topic_message=True), "thread", None, ("message.message_thread_id",)),
    ("topic: an id without being one", said(message_thread_id=7), "thread", None, ()),
    ("photo: no list", said(text=..., photo={"file_id": "x"}), "attachments", 0, ("message.photo",)),
    ("file: no object", said(text=..., document="x"), "attachments", 0, ("message.document",)),
    ("forward: of a wrong type all the same", said("@desk_bot hi", MENTION, forward_origin=1), "mentions_agent",
     Fact.NO, ()),
    ("two things at once", {**said(), "channel_post": {}}, "kind", EventKind.OTHER, ("update_id",)),
    ("a guest's question, as a message", said(guest_query_id="gq-1"), "kind", EventKind.OTHER, ()),
    ("nothing at all", {"update_id": 1}, "kind", EventKind.OTHER, ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("update", "fact", "value", "malformed"), [row[1:] for row in FACTS], ids=[r[0] for r in FACTS]
)
def test_a_fact(update: dict[str, Any], fact: str, value: object, malformed: tuple[str, ...]) -> None:
    """Missing and null are unknown, a wrong type is named, and nothing that can be typed is a yes."""
    event = read(update)

    assert (value, malformed) == (getattr(event, fact), event.malformed)


def there(count: int | None, *colleagues: int, **more: Any) -> ChatState:
    """A group of so many members, these colleagues among them."""
    return ChatState(**{"open": False, "member_count": count, "colleagues": frozenset(colleagues), **more})


SHARED = [
    ("nobody named: not known", AGENT, OPER, there(2), CHAT, Fact.UNKNOWN),
    ("only ours", COLLEAGUES, OPER, there(3, OPER, JORDAN), CHAT, Fact.NO),
    ("one more", COLLEAGUES, OPER, there(4, OPER, JORDAN), CHAT, Fact.YES),
    ("of a channel", COLLEAGUES, OPER, there(3, OPER, JORDAN, open=True), CHAT, Fact.YES),
    ("whether it is open not known", COLLEAGUES, OPER, there(2, OPER, open=None), CHAT, Fact.UNKNOWN),
    ("number not known", COLLEAGUES, OPER, there(None, OPER), CHAT, Fact.UNKNOWN),
    ("nothing known", COLLEAGUES, OPER, None, CHAT, Fact.UNKNOWN),
    ("an outsider speaks", COLLEAGUES, KIM, there(2, OPER), CHAT, Fact.YES),
    ("public", COLLEAGUES, OPER, there(2, OPER), {**CHAT, "username": "x"}, Fact.YES),
    ("one-to-one", AGENT, KIM, None, PRIVATE, Fact.NO),
]  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "author", "state", "chat", "shared"), [row[1:] for row in SHARED], ids=[row[0] for row in SHARED]
)
def test_shared(agent: TelegramAgent, author: int, state: ChatState | None, chat: Any, shared: Fact) -> None:
    """A group is proven ours by its number of members only; an outsider, or everybody, makes it shared."""
    update = said(chat=chat, **{"from": {"id": author, "is_bot": False}})

    assert shared is read(update, agent, state).shared


ASKED = [
    ("a colleague in a group", COLLEAGUES, said(**{"from": {**PERSON, "id": OPER}}), str(GROUP)),
    ("an outsider", COLLEAGUES, said(), None),
    ("nobody is named", AGENT, said(**{"from": {**PERSON, "id": OPER}}), None),
    ("one-to-one", COLLEAGUES, said(chat={**PRIVATE, "id": OPER}, **{"from": {**PERSON, "id": OPER}}), None),
    ("a public group", COLLEAGUES, said(chat={**CHAT, "username": "x"}, **{"from": {**PERSON, "id": OPER}}), None),
    ("malformed", COLLEAGUES, said(5, **{"from": {**PERSON, "id": OPER}}), None),
    ("a join", COLLEAGUES, said(text=..., new_chat_members=[], **{"from": {**PERSON, "id": OPER}}), None),
]  # fmt: skip


@pytest.mark.parametrize(("agent", "update", "asked"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_when_members_are_looked_up(agent: TelegramAgent, update: dict[str, Any], asked: str | None) -> None:
    """Telegram is asked who is there only where that could make the place ours."""
    assert asked == worth_asking(update, agent)


SECRETS = [
    ("right", {"X-Telegram-Bot-Api-Secret-Token": "s3cret_A-1"}, "s3cret_A-1", Fact.YES),
    ("lower case", {"x-telegram-bot-api-secret-token": "s3cret_A-1"}, "s3cret_A-1", Fact.YES),
    ("wrong", {"x-telegram-bot-api-secret-token": "s3cret_A-2"}, "s3cret_A-1", Fact.NO),
    ("a prefix", {"x-telegram-bot-api-secret-token": "s3cret_A"}, "s3cret_A-1", Fact.NO),
    ("none", {}, "s3cret_A-1", Fact.NO),
    ("twice", {"x-telegram-bot-api-secret-token": "s3cret_A-1", "X-Telegram-Bot-Api-Secret-Token": "x"}, "s3cret_A-1",
     Fact.NO),
    ("both empty", {"x-telegram-bot-api-secret-token": ""}, "", Fact.NO),
    ("no secret of ours", {"x-telegram-bot-api-secret-token": "anything"}, "", Fact.NO),
    ("no ASCII", {"x-telegram-bot-api-secret-token": "é\ud800"}, "s3cret_A-1", Fact.NO),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "secret", "proven"), [row[1:] for row in SECRETS], ids=[row[0] for row in SECRETS])
def test_who_calls_our_webhook(headers: dict[str, str], secret: str, proven: Fact) -> None:
    """Exactly our secret in the header proves the call; without a secret nothing does."""
    agent = TelegramAgent(id=OWN, username="desk_bot", secret_token=secret)

    assert proven is verify(headers, b"{}", 0, 0, agent)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"id": "7", "username": "desk_bot"},
        {"id": 0, "username": "desk_bot"},
        {"id": OWN, "username": "@desk_bot"},
        {"id": OWN, "username": ""},
        {"id": OWN, "username": "desk_bot", "is_bot": False},
        {"id": OWN, "username": "desk_bot", "secret_token": "a b"},
        {"id": OWN, "username": "desk_bot", "colleagues": [1087968824]},
        {"id": OWN, "username": "desk_bot", "x": 1},
    ],
)
def test_the_agent_is_decoded_strictly(wrong: object) -> None:
    """What `getMe` answers for a bot is an agent; anything else is refused."""
    told = {"id": OWN, "is_bot": True, "first_name": "Desk", "username": "desk_bot"}

    assert OWN == msgspec.convert(told, TelegramAgent).id
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, TelegramAgent)


# --- whatever the JSON ------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(places(ASKING)), JUNK)
def test_no_junk_is_answered(place: Any, junk: Any) -> None:
    """A value of a wrong type anywhere raises nothing, and what is named malformed is not answered."""
    event = read(changed(ASKING, place, junk), COLLEAGUES)
    worth_asking(changed(ASKING, place, junk), COLLEAGUES)

    if event.malformed:
        assert judged(event).outcome is not Outcome.RESPOND


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted({*ASKING, *ASKING["message"], "channel_post"})), JUNK, max_size=6), JUNK)
def test_no_json_opens(raw: dict[str, Any], junk: Any) -> None:
    """Whatever the JSON, facts come back and nothing asks."""
    for told in (raw, {"update_id": 1, "message": raw}, {"update_id": 1, "message": junk}):
        assert judged(read(told)).outcome is not Outcome.RESPOND


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet="@desk_bot/ a🙂\n", max_size=30),
    st.lists(
        st.builds(entity, st.sampled_from(["mention", "code", "bot_command", "blockquote", "bold"]),
                  st.integers(-2, 40), st.integers(-2, 40)), max_size=6),
)  # fmt: skip
def test_entities_only_cut(text: str, entities: list[dict[str, Any]]) -> None:
    """No live text holds a character that its body does not, and a mention of us is a stretch that says our name."""
    event = read(said(text, *entities))

    assert set(event.text) <= {*text, " "}
    if event.mentions_agent is Fact.YES:
        assert "@desk_bot" in text


@pytest.mark.parametrize("text", ["@desk_bot " * 20_000, "🙂" * 100_000])
def test_long_texts_are_fast(text: str) -> None:
    """A text of many characters and a thousand entities is read in linear time."""
    marks = [entity("mention", 10 * number, 9) for number in range(1_000)]
    started = time.process_time()
    read(said(text, *marks))

    assert time.process_time() - started < 1.0
