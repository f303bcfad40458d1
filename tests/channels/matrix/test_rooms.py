"""What is known of rooms from sync answers alone; no server here."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.matrix.rooms import REMEMBERED, Rooms

OWN, BUYER, JORDAN = "@desk:desk.example", "@buyer-a:shop.example", "@jordan:desk.example"
ROOM = "!r:desk.example"
CREATED = {"type": "m.room.create", "state_key": "", "content": {}}


def member(user: str, membership: str = "join", **unsigned: Any) -> dict[str, Any]:
    """A member event."""
    content = {"membership": membership}
    return {"type": "m.room.member", "state_key": user, "sender": user, "content": content, "unsigned": unsigned}


def text(event_id: str, sender: str = BUYER, **relates: Any) -> dict[str, Any]:
    """A message."""
    content = {"msgtype": "m.text", "body": event_id, "m.relates_to": relates}
    return {"type": "m.room.message", "event_id": event_id, "sender": sender, "content": content}


def answer(*timeline: dict[str, Any], state: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    """A sync answer about one room."""
    return {
        "rooms": {"join": {ROOM: {"state": {"events": state or []}, "timeline": {"events": list(timeline), **more}}}}
    }


def joined(rooms: Rooms, told: dict[str, Any]) -> dict[str, frozenset[str] | None]:
    """Who counted as present for each message of an answer."""
    arrivals = rooms.apply(told, 7)
    return {a.raw["event_id"]: a.room.joined_members for a in arrivals if a.raw["type"] == "m.room.message"}


def test_membership_is_followed() -> None:
    """Members come and go; who left is gone from the next answer on."""
    rooms = Rooms(OWN)
    full = answer(text("$1"), state=[CREATED, member(OWN), member(BUYER)])
    assert joined(rooms, full) == {"$1": frozenset({OWN, BUYER})}
    assert joined(rooms, answer(member(JORDAN), text("$2"))) == {"$2": frozenset({OWN, BUYER, JORDAN})}
    assert joined(rooms, answer(member(JORDAN, "leave"))) == {}
    assert joined(rooms, answer(text("$3"))) == {"$3": frozenset({OWN, BUYER})}


def test_whoever_was_there_at_any_moment_counts() -> None:
    """A third person who left, or came, within one answer was there for all of its messages."""
    for events in ([text("$1"), member(JORDAN, "leave")], [text("$1"), member(JORDAN), member(JORDAN, "leave")]):
        rooms = Rooms(OWN)
        rooms.apply(answer(state=[CREATED, member(OWN), member(BUYER), member(JORDAN)]), 7)
        assert joined(rooms, answer(*events)) == {"$1": frozenset({OWN, BUYER, JORDAN})}


def test_without_the_creation_event_nobody_is_known() -> None:
    """A room of which only a part was seen has unknown members and unknown encryption."""
    rooms = Rooms(OWN)
    assert joined(rooms, answer(text("$1"), state=[member(OWN), member(BUYER)])) == {"$1": None}
    assert rooms.encrypted(ROOM) is None
    rooms.apply(answer(state=[CREATED]), 7)
    assert rooms.encrypted(ROOM) is False
    rooms.apply(answer({"type": "m.room.encryption", "state_key": "", "content": {}}), 7)
    assert rooms.encrypted(ROOM) is True


def test_history_before_we_came_is_no_arrival() -> None:
    """Only what follows our own joining arrives; a change of our name is no joining."""
    rooms = Rooms(OWN)
    assert list(joined(rooms, answer(text("$old"), member(OWN), text("$new"), state=[CREATED]))) == ["$new"]
    renamed = member(OWN, prev_content={"membership": "join"})
    assert list(joined(rooms, answer(text("$a"), renamed, text("$b")))) == ["$a", "$b"]


def test_gaps_are_named_and_filled() -> None:
    """A cut timeline is named with its token, unless we came within it; its earlier part comes first."""
    rooms = Rooms(OWN)
    rooms.apply(answer(state=[CREATED, member(OWN), member(BUYER)]), 7)
    cut = answer(text("$3"), limited=True, prev_batch="t1")
    assert rooms.gaps(cut) == {ROOM: "t1"}
    assert rooms.gaps(answer(member(OWN), text("$3"), limited=True, prev_batch="t1")) == {}
    arrivals = rooms.apply(cut, 7, {ROOM: [text("$1"), member(JORDAN), text("$2"), member(JORDAN, "leave")]})
    messages = [a for a in arrivals if a.raw["type"] == "m.room.message"]
    assert [a.raw["event_id"] for a in messages] == ["$1", "$2", "$3"]
    assert {a.room.joined_members for a in messages} == {frozenset({OWN, BUYER, JORDAN})}
    assert rooms.state(ROOM).joined_members == frozenset({OWN, BUYER})


def test_the_author_of_the_answered_event_is_remembered() -> None:
    """Each arrival knows the author of the event it points at, if that was seen; the memory is bounded."""
    rooms = Rooms(OWN)
    reply = {"m.in_reply_to": {"event_id": "$1"}}
    arrivals = rooms.apply(answer(text("$1", OWN), text("$2", **reply), state=[CREATED]), 7)
    assert [arrival.room.senders for arrival in arrivals] == [{}, {"$1": OWN}]
    for n in range(REMEMBERED):
        rooms.remember(f"$x{n}", BUYER)
    assert rooms.apply(answer(text("$3", **reply)), 7)[0].room.senders == {}


def test_a_room_we_left_is_forgotten() -> None:
    """After leaving, nothing is known."""
    rooms = Rooms(OWN)
    rooms.apply(answer(state=[CREATED, member(OWN)]), 7)
    rooms.apply({"rooms": {"leave": {ROOM: {}}}}, 7)
    assert (rooms.state(ROOM).joined_members, rooms.encrypted(ROOM)) == (None, None)


def test_flags_and_account_data() -> None:
    """The invitation's flag, `m.direct`, and a world-readable history are kept."""
    rooms = Rooms(OWN)
    invitation = {"type": "m.room.member", "state_key": OWN, "content": {"membership": "invite", "is_direct": True}}
    direct = {"events": [{"type": "m.direct", "content": {BUYER: [ROOM, 5], JORDAN: "x"}}]}
    rooms.apply({"rooms": {"invite": {ROOM: {"invite_state": {"events": [invitation]}}}}, "account_data": direct}, 7)
    readable = {
        "type": "m.room.history_visibility",
        "state_key": "",
        "content": {"history_visibility": "world_readable"},
    }
    rooms.apply(answer(state=[CREATED, readable]), 7)
    state = rooms.state(ROOM)
    assert (state.is_direct, state.m_direct, state.world_readable) == (True, {BUYER: [ROOM]}, True)


KEYS = st.sampled_from(
    ["rooms", "join", "invite", "leave", "state", "timeline", "events", "account_data", "content", "type", "state_key",
     "sender", "event_id", "unsigned", "prev_content", "membership", "limited", "prev_batch", "invite_state", ROOM]
)  # fmt: skip
SCALAR = st.none() | st.booleans() | st.integers() | st.sampled_from([OWN, "m.room.member", "m.direct", "join", ""])
ANY_JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)
EVENTS = st.lists(st.dictionaries(KEYS, ANY_JSON, max_size=5), max_size=4)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS, ANY_JSON), EVENTS, EVENTS, st.dictionaries(KEYS, ANY_JSON))
def test_no_answer_raises(odd: dict[str, Any], state: list[Any], timeline: list[Any], data: dict[str, Any]) -> None:
    """No odd event or answer stops the stream."""
    rooms = Rooms(OWN)
    for told in (odd, {"rooms": odd}, answer(*timeline, state=state), {"account_data": {"events": [data]}}):
        rooms.gaps(told)
        rooms.apply(told, 7)
    assert rooms.state("!unknown").joined_members is None
