"""What a Zulip event says, as tables; `payloads/` says where each form is documented. Values are replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.zulip.facts import facts
from dragoman.channels.zulip.live import read as read_content
from dragoman.channels.zulip.state import Recipient, ZulipAgent, ZulipPlace, direct_channel, recipient
from dragoman.channels.zulip.verify import verify
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind
from dragoman.identity import UNKNOWN, Party, Target
from dragoman.testing.judged import judged
from dragoman.words import Fact, Outcome

PAYLOADS: Final = Path(__file__).parent / "payloads"
ROWS: Final[dict[str, dict[str, Any]]] = {
    row["name"]: row for row in map(json.loads, (PAYLOADS / "events.jsonl").read_text().splitlines())
}
TOKEN: Final = "tokentokentokentokentokentokent1"
ME: Final = ZulipAgent(realm="chat.example.org", user_id=12, realm_str="example", webhook_token=TOKEN)
PLACE: Final = ZulipPlace(shared=False, bots=False, author_is_bot=False, author_is_guest=False)
OTHER: Final[dict[str, Any]] = {"kind": EventKind.OTHER, "thread": None}
ME_SPAN: Final = '<span class="user-mention" data-user-id="12">@Desk</span>'

EXPECTED: Final[dict[str, dict[str, Any]]] = {
    "chatter": {"text": "did you see the game?"},
    "mention": {"mentions_agent": Fact.YES, "text": "which dates are open?", "body": "@Desk which dates are open?"},
    "silent mention": {"text": "as Desk said"},
    "mention of another": {"mentions_other": Fact.YES},
    "group mention": {"text": "@support help"},
    "everybody": {},
    "topic": {},
    "direct": {"chat": ChatKind.DIRECT, "target": Target("zulip", "chat.example.org", "direct:10,12"), "thread": None},
    "group message": {"target": Target("zulip", "chat.example.org", "direct:10,12,31"), "thread": None},
    "files": {"attachments": 1},
    "emoji": {"text": ":smiling_face:"},
    "of another realm": {"author_kind": AuthorKind.BOT, "shared": Fact.YES, "mentions_agent": Fact.YES},
    "edit": {"kind": EventKind.EDIT, "mentions_agent": Fact.YES, "edit_marks_mentions": False, "thread": None},
    "server's own rendering": OTHER | {"author_kind": AuthorKind.UNKNOWN},
    "another topic": OTHER,
    "deletion": OTHER | {"deletes": "3100", "author_kind": AuthorKind.UNKNOWN},
    "reaction": OTHER,
}
ANSWERED: Final = {"mention", "direct"}


def read(raw: dict[str, Any], place: ZulipPlace | None = PLACE, agent: ZulipAgent = ME) -> Event:
    """The facts of one event."""
    return facts(raw, agent, place, received_at=1_790_000_001_000, authenticated=Fact.YES)


def bent(name: str, key: str, value: Any, *, top: bool = False) -> dict[str, Any]:
    """A payload with one value replaced: in its message, or at its top."""
    raw: dict[str, Any] = json.loads(json.dumps(ROWS[name]["payload"]))
    (raw if top else raw["message"])[key] = value
    return raw


@pytest.mark.parametrize("name", EXPECTED)
def test_a_payload_says(name: str) -> None:
    """Each documented form gives the facts of its row; only those that ask are answered."""
    event = read(ROWS[name]["payload"])
    usual = {
        "kind": EventKind.MESSAGE,
        "target": Target("zulip", "chat.example.org", "stream:7"),
        "author": Party("zulip", "chat.example.org", "10"),
        "author_kind": AuthorKind.HUMAN,
        "chat": ChatKind.GROUP,
        "shared": Fact.NO,
        "other_bots": Fact.NO,
        "mentions_agent": Fact.NO,
        "mentions_other": Fact.NO,
        "attachments": 0,
        "thread": "returns",
        "deletes": None,
        "malformed": (),
    }
    expected = usual | EXPECTED[name]
    if expected["author_kind"] is AuthorKind.UNKNOWN:
        del expected["author"]
    if name == "reaction":
        expected = OTHER

    assert set(EXPECTED) == set(ROWS)
    assert expected == {key: getattr(event, key) for key in expected}
    assert (name in ANSWERED) == (judged(event).outcome is Outcome.RESPOND)


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("sender_id", "10", "message.sender_id"),
        ("sender_id", None, "message.sender_id"),
        ("sender_id", True, "message.sender_id"),
        ("sender_id", 10.0, "message.sender_id"),
        ("sender_id", 0, "message.sender_id"),
        ("id", "3100", "message.id"),
        ("id", None, "message.id"),
        ("stream_id", "7", "message.stream_id"),
        ("stream_id", None, "message.stream_id"),
        ("stream_id", -7, "message.stream_id"),
        ("type", "huddle", "message.type"),
        ("type", None, "message.type"),
        ("content", 5, "message.content"),
        ("content_type", "text/x-markdown", "message.content_type"),
        ("timestamp", None, "message.timestamp"),
        ("timestamp", "1790000000", "message.timestamp"),
        ("subject", 5, "message.subject"),
        ("sender_realm_str", 5, "message.sender_realm_str"),
    ],
)
def test_what_is_malformed_is_named_and_not_answered(key: str, value: Any, what: str) -> None:
    """A value of a wrong type is no value, and makes no request of the mention."""
    event = read(bent("mention", key, value))

    assert what in event.malformed
    assert judged(event).outcome is not Outcome.RESPOND


@pytest.mark.parametrize(
    ("people", "channel"),
    [
        ([], ""),
        ([{"id": 10}, {"id": "12"}], ""),
        ([{"id": 10}, 12], "direct:10"),
        ([{"id": 12}, {"id": 10}, {"id": 10}], "direct:10,12"),
        ([{"id": n} for n in range(1, 60)], ""),
        ("shelves", ""),
    ],
)
def test_the_people_of_a_direct_message(people: Any, channel: str) -> None:
    """Sorted, each once; who cannot be read is malformed, and too many have no exact name."""
    event = read(bent("direct", "display_recipient", people))
    expected = Target("zulip", "chat.example.org", channel) if channel else UNKNOWN

    assert str(expected) == str(event.target)
    assert (channel == "direct:10,12") == (judged(event).outcome is Outcome.RESPOND)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (bent("mention", "flags", [], top=True), {"mentions_agent": Fact.NO}),
        (bent("mention", "flags", None, top=True), {"mentions_agent": Fact.NO}),
        (bent("mention", "flags", ["wildcard_mentioned"], top=True), {"mentions_agent": Fact.NO}),
        (bent("mention", "content", "<p>@Desk which dates?</p>"), {"mentions_agent": Fact.NO}),
        (bent("mention", "content", ME_SPAN.replace("12", "120")), {"mentions_agent": Fact.NO}),
        (
            bent("mention", "content", ME_SPAN.replace("user-mention", "user-mention silent")),
            {"mentions_agent": Fact.NO},
        ),
        (bent("mention", "content", f"<blockquote>{ME_SPAN}</blockquote>look"), {"mentions_agent": Fact.NO}),
        (bent("mention", "content", f"<pre>{ME_SPAN}</pre>look"), {"mentions_agent": Fact.NO, "text": "look"}),
        (bent("mention", "content", ME_SPAN.replace("<span", "&lt;span")), {"mentions_agent": Fact.NO}),
        (bent("mention", "content", f"<p>{ME_SPAN} /stop it</p>"), {"command": Command("stop", "it", Fact.YES)}),
        (bent("mention", "content", f"<p>please {ME_SPAN} /stop</p>"), {"command": None}),
        (bent("chatter", "sender_id", 12), {"author_kind": AuthorKind.SELF}),
        (bent("chatter", "subject", ""), {"thread": None}),
        (bent("direct", "type", "direct"), {"chat": ChatKind.DIRECT}),
    ],
)
def test_one_thing_differs(change: dict[str, Any], expected: dict[str, Any]) -> None:
    """Flag and rendered id are needed together, outside of quotes and code; what looks like a tag is text."""
    event = read(change)

    assert expected == {key: getattr(event, key) for key in expected}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (None, {"author_kind": AuthorKind.UNKNOWN, "shared": Fact.UNKNOWN, "other_bots": Fact.UNKNOWN}),
        (ZulipPlace(author_is_bot=True), {"author_kind": AuthorKind.BOT}),
        (ZulipPlace(author_is_bot=False, author_is_guest=True), {"shared": Fact.YES}),
        (ZulipPlace(shared=True), {"shared": Fact.YES}),
        (ZulipPlace(shared=False), {"shared": Fact.UNKNOWN}),
        (ZulipPlace(bots=True), {"other_bots": Fact.YES}),
    ],
)
def test_what_is_not_known(place: ZulipPlace | None, expected: dict[str, Any]) -> None:
    """A look-up that is missing is no yes and no no."""
    event = read(ROWS["mention"]["payload"], place)

    assert expected == {key: getattr(event, key) for key in expected}
    assert place is not None or judged(event).outcome is not Outcome.RESPOND


def test_an_edit_is_no_copy() -> None:
    """The dedupe key of an edit holds when it was made."""
    edit = ROWS["edit"]["payload"]
    assert 3 == len({read(raw).dedupe_key for raw in (ROWS["chatter"]["payload"], edit, edit | {"edit_timestamp": 9})})


@pytest.mark.parametrize(
    ("channel", "where"),
    [
        ("stream:7", Recipient(stream=7)),
        ("direct:10,12", Recipient(people=(10, 12))),
        ("direct:12,10", None),
        ("direct:10,10", None),
        ("direct:10,", None),
        ("stream:07", None),
        ("stream:7\n", None),
        ("Stream:7", None),
        ("stream:", None),
        ("7", None),
    ],
)
def test_a_channel_is_written_in_one_way(channel: str, where: Recipient | None) -> None:
    """Whatever only looks like a channel is none."""
    assert where == recipient(channel)


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.integers(min_value=1, max_value=2**50), min_size=1, max_size=12))
def test_a_direct_channel_comes_back(ids: list[int]) -> None:
    """The channel of people names exactly them."""
    assert Recipient(people=tuple(sorted(set(ids)))) == recipient(direct_channel(ids))


@settings(max_examples=150, deadline=None, database=None)
@given(st.text(max_size=200), st.sampled_from(["<", ">", "<span", '"', "&lt;", "</blockquote>", "<pre>", "@Desk"]))
def test_any_content_can_be_read(text: str, mark: str) -> None:
    """Without one of the server's mentions nobody is mentioned, whatever stands there; and nothing raises."""
    said = read_content(f"<p>{mark}{text}{mark}</p>", 12, mentioned=True)
    assert "data-user-id" in text or frozenset() == said.mentions


def test_a_call_of_the_server() -> None:
    """The documented call is proven by its token; another, none, or none of ours proves nothing."""
    call = json.loads((PAYLOADS / "calls.jsonl").read_text())["body"]
    nobody = msgspec.structs.replace(ME, webhook_token="")

    def proven(body: object, agent: ZulipAgent = ME) -> Fact:
        return verify({}, json.dumps(body).encode(), 1, 1, agent)

    assert Fact.YES is proven(call)
    assert [Fact.NO] * 5 == [
        proven(call | {"token": "other"}),
        proven({key: value for key, value in call.items() if key != "token"}),
        proven(call, nobody),
        proven(call | {"token": ""}, nobody),
        proven([TOKEN]),
    ]
    assert Fact.NO is verify({}, b"[" * 100_000, 1, 1, ME)
    assert judged(read(call)).outcome is not Outcome.RESPOND
