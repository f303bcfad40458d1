"""What a Mattermost event says, as tables; `payloads/` says where each form is documented. Values are replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dragoman.channels.mattermost.facts import facts
from dragoman.channels.mattermost.live import calls_everybody, named
from dragoman.channels.mattermost.state import AuthorState, ChannelState, MattermostAgent, MattermostPlace, serves
from dragoman.channels.mattermost.verify import verify
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.identity import Party, Target
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

PAYLOADS: Final = Path(__file__).parent / "payloads"
ROWS: Final[dict[str, dict[str, Any]]] = {
    row["name"]: row for row in map(json.loads, (PAYLOADS / "events.jsonl").read_text().splitlines())
}
CALLS: Final[dict[str, dict[str, Any]]] = {
    row["name"]: row for row in map(json.loads, (PAYLOADS / "calls.jsonl").read_text().splitlines())
}
TOKEN: Final = "tokentokentokentokentoken1"
ME: Final = MattermostAgent(
    server="chat.example.org", user_id="deskdeskdeskdeskdeskdesk01", username="desk", webhook_token=TOKEN
)
TEAM: Final = "teamteamteamteamteamtea004"
PLACE: Final = MattermostPlace(
    channel=ChannelState(type="O", team_id=TEAM, shared=False, bots=False),
    author=AuthorState(is_bot=False, guest=False),
)
OTHER: Final[dict[str, Any]] = {"kind": EventKind.OTHER}
BOT: Final[dict[str, Any]] = {"author_kind": AuthorKind.BOT, "mentions_agent": Fact.YES}
HERE: Final = Target("mattermost", "chat.example.org", "shelvesshelvesshelvessh003")

EXPECTED: Final[dict[str, dict[str, Any]]] = {
    "chatter": {"text": "did you see the game?"},
    "mention": {"mentions_agent": Fact.YES, "text": "which dates are open?"},
    "everybody": {"mentions_agent": Fact.NO},
    "mention of another": {"mentions_other": Fact.YES},
    "direct": {"chat": ChatKind.DIRECT, "target": HERE},
    "group message": {"target": HERE},
    "thread": {"thread": "rootrootrootrootrootroo006"},
    "pictures": {"attachments": 2, "text": ""},
    "joined": OTHER,
    "a bot": BOT,
    "a webhook with a borrowed name": BOT,
    "of another server": {"shared": Fact.YES, "mentions_agent": Fact.YES},
    "edit": {"kind": EventKind.EDIT, "mentions_agent": Fact.UNKNOWN, "edit_marks_mentions": False},
    "deletion": OTHER | {"deletes": "postpostpostpostpostpos005"},
    "hello": OTHER,
}
ANSWERED: Final = {"mention", "direct", "of another server"}


def read(raw: dict[str, Any], place: MattermostPlace | None = PLACE) -> Event:
    """The facts of one event, with the type of its channel as the server says it."""
    type = raw["data"].get("channel_type") if isinstance(raw.get("data"), dict) else None
    if place is PLACE and isinstance(type, str):
        team = TEAM if type in "OP" else ""
        place = msgspec.structs.replace(place, channel=msgspec.structs.replace(PLACE.channel, type=type, team_id=team))
    return facts(raw, ME, place, received_at=1_790_000_001_000, authenticated=Fact.YES)


def bent(name: str, where: str, key: str, value: Any) -> dict[str, Any]:
    """A payload with one value replaced: in the `post`, in the `data`, or in the `event`."""
    raw: dict[str, Any] = json.loads(json.dumps(ROWS[name]["payload"]))
    if where == "event":
        return raw | {key: value}
    if where == "data":
        raw["data"][key] = value
        return raw
    raw["data"]["post"] = json.dumps(json.loads(raw["data"]["post"]) | {key: value})
    return raw


@pytest.mark.parametrize("name", EXPECTED)
def test_a_payload_says(name: str) -> None:
    """Each documented form gives the facts of its row; only those that ask are answered."""
    event = read(ROWS[name]["payload"])
    usual = {
        "kind": EventKind.MESSAGE,
        "target": msgspec.structs.replace(HERE, workspace=f"{TEAM}@chat.example.org"),
        "author": Party("mattermost", "chat.example.org", "kimkimkimkimkimkimkimkim02"),
        "author_kind": AuthorKind.HUMAN,
        "chat": ChatKind.GROUP,
        "shared": Fact.NO,
        "other_bots": Fact.NO,
        "attachments": 0,
        "thread": None,
        "deletes": None,
        "malformed": (),
    }
    expected = EXPECTED[name] if name == "hello" else usual | EXPECTED[name]
    expected |= {} if "mentions_agent" in expected else {"mentions_agent": Fact.NO}

    assert set(EXPECTED) == set(ROWS)
    assert expected == {key: getattr(event, key) for key in expected}
    assert (name in ANSWERED) == (judged(event).outcome is Outcome.RESPOND)


@pytest.mark.parametrize(
    ("where", "key", "value", "what"),
    [
        ("data", "post", "{", "data.post"),
        ("data", "post", {"id": "x"}, "data.post"),
        ("data", "post", "[]", "data.post"),
        ("data", "post", "[" * 100_000, "data.post"),
        ("data", "mentions", "deskdeskdeskdeskdeskdesk01", "data.mentions"),
        ("data", "mentions", '{"deskdeskdeskdeskdeskdesk01": 1}', "data.mentions"),
        ("data", "mentions", '[1, "deskdeskdeskdeskdeskdesk01"]', "data.mentions.0"),
        ("data", "mentions", ["deskdeskdeskdeskdeskdesk01"], "data.mentions"),
        ("data", "channel_type", "", "data.channel_type"),
        ("data", "channel_type", "d", "data.channel_type"),
        ("post", "user_id", None, "data.post.user_id"),
        ("post", "user_id", 7, "data.post.user_id"),
        ("post", "user_id", " kim", "data.post.user_id"),
        ("post", "channel_id", ["x"], "data.post.channel_id"),
        ("post", "id", "", "data.post.id"),
        ("post", "create_at", "1790000000653", "data.post.create_at"),
        ("post", "create_at", -1, "data.post.create_at"),
        ("post", "message", 5, "data.post.message"),
        ("post", "type", 5, "data.post.type"),
        ("post", "props", "from_bot", "data.post.props"),
        ("post", "file_ids", "f", "data.post.file_ids"),
        ("post", "root_id", 5, "data.post.root_id"),
        ("post", "remote_id", 5, "data.post.remote_id"),
    ],
)
def test_what_is_malformed_is_named_and_not_answered(where: str, key: str, value: Any, what: str) -> None:
    """A value of a wrong type is no value, and makes no request of the mention."""
    raw = bent("mention", where, key, value)
    event = facts(raw, ME, MattermostPlace(author=PLACE.author), received_at=1, authenticated=Fact.YES)

    assert what in event.malformed
    assert judged(event).outcome is not Outcome.RESPOND


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (bent("mention", "data", "mentions", None), {"mentions_agent": Fact.NO}),
        (bent("mention", "data", "mentions", '["deskdeskdeskdeskdeskdesk02"]'), {"mentions_agent": Fact.NO}),
        (bent("mention", "post", "message", "`@desk` which dates?"), {"mentions_agent": Fact.NO}),
        (bent("mention", "post", "message", "> @desk which dates?\n\nlook"), {"mentions_agent": Fact.NO}),
        (bent("mention", "post", "message", "@desks which dates?"), {"mentions_agent": Fact.NO}),
        (bent("mention", "post", "message", "mail kim@desk now"), {"mentions_agent": Fact.NO}),
        (bent("mention", "post", "message", "which dates, @Desk."), {"mentions_agent": Fact.YES}),
        (bent("mention", "event", "read_back", True), {"mentions_agent": Fact.UNKNOWN}),
        (bent("direct", "event", "read_back", True), {"mentions_agent": Fact.NO, "chat": ChatKind.DIRECT}),
        (bent("chatter", "event", "event", "ephemeral_message"), {"kind": EventKind.OTHER}),
        (bent("chatter", "post", "type", "custom_poll"), {"kind": EventKind.OTHER}),
        (bent("chatter", "post", "type", "me"), {"kind": EventKind.MESSAGE}),
        (bent("chatter", "post", "user_id", ME.user_id), {"author_kind": AuthorKind.SELF}),
        (bent("chatter", "post", "props", {"from_plugin": "true"}), {"author_kind": AuthorKind.BOT}),
        (bent("chatter", "post", "props", {"override_username": "kim"}), {"author_kind": AuthorKind.BOT}),
        (bent("chatter", "post", "props", {"from_webhook": "false"}), {"author_kind": AuthorKind.HUMAN}),
        (bent("chatter", "post", "type", "slack_attachment"), {"author_kind": AuthorKind.BOT}),
    ],
)
def test_one_thing_differs(change: dict[str, Any], expected: dict[str, Any]) -> None:
    """Names in the text alone ask nobody, and who made a post is told by the server's marks."""
    event = read(change)

    assert expected == {key: getattr(event, key) for key in expected}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (None, {"author_kind": AuthorKind.UNKNOWN, "shared": Fact.UNKNOWN, "other_bots": Fact.UNKNOWN}),
        (MattermostPlace(author=AuthorState(is_bot=True, guest=False)), {"author_kind": AuthorKind.BOT}),
        (MattermostPlace(author=AuthorState(is_bot=False, guest=True)), {"shared": Fact.YES}),
        (MattermostPlace(channel=ChannelState(shared=True)), {"shared": Fact.YES}),
        (MattermostPlace(channel=ChannelState(shared=False)), {"shared": Fact.UNKNOWN}),
        (MattermostPlace(channel=ChannelState(bots=True)), {"other_bots": Fact.YES}),
    ],
)
def test_what_is_not_known(place: MattermostPlace | None, expected: dict[str, Any]) -> None:
    """A look-up that is missing is no yes and no no: nobody is a person by it, and no channel is ours alone."""
    event = facts(ROWS["mention"]["payload"], ME, place, received_at=1, authenticated=Fact.YES)

    assert expected == {key: getattr(event, key) for key in expected}
    assert place is not None or judged(event).outcome is not Outcome.RESPOND


def test_an_edit_is_no_copy() -> None:
    """The dedupe key of an edit holds when it was made; that of a copy is the same."""
    edit, again = ROWS["edit"]["payload"], bent("edit", "post", "update_at", 1_790_000_010_000)
    assert 3 == len({read(raw).dedupe_key for raw in (ROWS["chatter"]["payload"], edit, edit, again)})


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("@desk", (True, False)),
        ("@desk_, @jordan: hello", (True, True)),
        ("@here @desk", (True, False)),
        ("```\n@desk\n```", (False, False)),
        ("desk, please", (False, False)),
        ("@dёsk", (False, True)),
    ],
)
def test_who_is_called(message: str, expected: tuple[bool, bool]) -> None:
    """Names in the live text: ours, and others'."""
    assert expected == named(message, "desk")


def test_who_would_be_rung() -> None:
    """`@all`, `@channel` and `@here` ring everybody, unless they stand in code or in a longer word."""
    ringing = [
        text for text in ("@all", "hey @Channel!", "@here.", "`@all`", "@allied", "all") if calls_everybody(text)
    ]
    assert ["@all", "hey @Channel!", "@here."] == ringing


def test_workspaces_of_a_server() -> None:
    """Only the server's own."""
    names = ("chat.example.org", f"{TEAM}@chat.example.org", "@chat.example.org", f"{TEAM}@Chat.example.org", TEAM)
    assert [True, True, False, False, False] == [serves("chat.example.org", name) for name in names]


# --- calls of the server ---------------------------------------------------------------------------------------------


def proven(
    name: str, agent: MattermostAgent = ME, old: str = "", new: str = "", as_json: str = "", **headers: str
) -> Fact:
    """What `verify` says of a documented call, with `old` replaced in its body."""
    call = CALLS[name]
    headers |= {"Content-Type": "application/json"} if as_json else {}
    return verify({**call["headers"], **headers}, call["body"].replace(old, new).encode(), 1, 1, agent)


@pytest.mark.parametrize("name", ["outgoing webhook", "slash command"])
def test_a_call_of_the_server(name: str) -> None:
    """The documented call is proven by its token; another token, none, two, or none of ours proves nothing."""
    nobody = msgspec.structs.replace(ME, webhook_token="")

    assert Fact.YES is proven(name)
    assert Fact.NO is proven(name, old="token=token", new="token=other")
    assert Fact.NO is proven(name, old="&token=", new="&taken=")
    assert Fact.NO is proven(name, old="&user_id", new="&token=x&user_id")
    assert Fact.NO is proven(name, nobody)
    assert Fact.NO is proven(name, nobody, old=TOKEN, new="")
    assert Fact.NO is proven(name, Authorization="Token other")
    assert Fact.NO is proven(name, as_json="yes")
    body = json.dumps({"token": TOKEN}).encode()
    assert Fact.YES is verify({"content-type": "application/json; charset=utf-8"}, body, 1, 1, ME)
    assert Fact.NO is verify({"content-type": "application/json"}, b"[" * 100_000, 1, 1, ME)
