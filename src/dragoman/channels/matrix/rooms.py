"""What is known of the rooms we are in, folded from sync answers. Pure: answers in, arrivals out, no I/O.

1. Membership is known only of a room whose creation event was seen; then every member event moves it.
2. Everybody who was in the room at any moment of an answer counts as present for all its events: a message sent while a
   third person was there, or shortly before, is never judged as one-to-one.
3. What happened in a room before we joined it is history: no arrival.
4. Who wrote an event is remembered for the latest `REMEMBERED` events, so that most replies need no look-up.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from dragoman.channels.matrix.facts import pointer
from dragoman.channels.matrix.state import RoomState, is_user_id

REMEMBERED: Final = 10_000


class RoomEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One timeline event, with its `room_id`, and what was known of its room."""

    raw: dict[str, Any]
    room: RoomState
    received_at: int


class _Room(msgspec.Struct):
    """The mutable fold of one room."""

    joined: set[str] = msgspec.field(default_factory=set)
    created: bool = False
    federate: bool | None = None
    encrypted: bool = False
    world_readable: bool = False
    own_event: dict[str, Any] | None = None

    def apply(self, event: Mapping[str, Any], own: str) -> None:
        """Take one state event in; anything malformed counts as the more careful reading."""
        content = event.get("content")
        content = content if isinstance(content, dict) else {}
        match event.get("type"), event.get("state_key"):
            case "m.room.member", str(user_id):
                (self.joined.add if content.get("membership") == "join" else self.joined.discard)(user_id)
                if user_id == own:
                    self.own_event = dict(event)
            case "m.room.create", "":
                self.created, self.federate = True, content.get("m.federate") is not False
            case "m.room.encryption", "":
                self.encrypted = True
            case "m.room.history_visibility", "":
                self.world_readable = content.get("history_visibility") == "world_readable"


class Rooms:
    """The rooms of one account, `own` being its user id."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._rooms: dict[str, _Room] = {}
        self._invited_direct: dict[str, bool] = {}
        self._direct: dict[str, list[str]] | None = None
        self._senders: OrderedDict[str, str] = OrderedDict()

    def apply(
        self, answer: Mapping[str, Any], received_at: int, earlier: Mapping[str, list[dict[str, Any]]] | None = None
    ) -> list[RoomEvent]:
        """Fold one sync answer in, and give its events in order; `earlier` fills the gaps that `gaps` named."""
        for event in _list(_dict(answer, "account_data"), "events"):
            if event.get("type") == "m.direct":
                self._direct = _direct_rooms(event.get("content"))
        rooms = _dict(answer, "rooms")
        for room_id, told in _dict(rooms, "invite").items():
            self._invited_direct[room_id] = self._flag_of(_list(_dict(told, "invite_state"), "events"))
        for room_id in _dict(rooms, "leave"):
            self._rooms.pop(room_id, None)
            self._invited_direct.pop(room_id, None)
        return [
            arrival
            for room_id, told in _dict(rooms, "join").items()
            for arrival in self._join(room_id, told, (earlier or {}).get(room_id, []), received_at)
        ]

    def state(self, room_id: str, present: Iterable[str] = ()) -> RoomState:
        """What is known of a room, `present` counted in; who wrote what is left out."""
        room = self._rooms.get(room_id, _Room())
        return RoomState(
            joined_members=frozenset(room.joined | set(present)) if room.created else None,
            m_direct=self._direct,
            agent_member_event=room.own_event,
            is_direct=self._invited_direct.get(room_id),
            federate=room.federate,
            world_readable=room.world_readable if room.created else None,
        )

    def encrypted(self, room_id: str) -> bool | None:
        """Whether a room is encrypted; None when its state was never seen."""
        room = self._rooms.get(room_id)
        return room.encrypted if room and room.created else None

    def remember(self, event_id: object, sender: object) -> None:
        """Keep who wrote an event."""
        if type(event_id) is str and type(sender) is str:
            self._senders[event_id] = sender
            self._senders.move_to_end(event_id)
            while len(self._senders) > REMEMBERED:
                self._senders.popitem(last=False)

    def _join(
        self, room_id: str, told: Mapping[str, Any], earlier: list[dict[str, Any]], received_at: int
    ) -> list[RoomEvent]:
        room = self._rooms.setdefault(room_id, _Room())
        present = set(room.joined)
        for event in _list(_dict(told, "state"), "events"):
            room.apply(event, self._own)
        timeline = _list(_dict(told, "timeline"), "events")
        for event in timeline:
            if "state_key" in event:
                room.apply(event, self._own)
        events, start = earlier + timeline, 0
        for at, event in enumerate(events):
            self.remember(event.get("event_id"), event.get("sender"))
            if event.get("type") == "m.room.member" and _dict(event, "content").get("membership") == "join":
                present.add(str(event.get("state_key")))
                start = at if self._joining(event) else start
        known = self.state(room_id, present)
        return [
            RoomEvent(
                raw=(raw := {**event, "room_id": room_id}),
                room=msgspec.structs.replace(known, senders=self._sender(pointer(raw))),
                received_at=received_at,
            )
            for event in events[start:]
        ]

    def _sender(self, event_id: str | None) -> dict[str, str]:
        sender = self._senders.get(event_id or "")
        return {event_id: sender} if event_id and sender else {}

    def _joining(self, event: Mapping[str, Any]) -> bool:
        """Whether a join is our own coming into a room (and not a change of our name there)."""
        before = _dict(_dict(event, "unsigned"), "prev_content").get("membership")
        return event.get("state_key") == self._own and before != "join"

    def joined_in(self, events: list[dict[str, Any]]) -> bool:
        """Whether we came into the room within `events`; what is older is history."""
        joins = (e for e in events if e.get("type") == "m.room.member")
        return any(_dict(e, "content").get("membership") == "join" and self._joining(e) for e in joins)

    def gaps(self, answer: Mapping[str, Any]) -> dict[str, str]:
        """Rooms whose timeline was cut short, with the token from which its earlier part can be read."""
        return {
            room_id: batch
            for room_id, told in _dict(_dict(answer, "rooms"), "join").items()
            if (timeline := _dict(told, "timeline")).get("limited") is True
            and isinstance(batch := timeline.get("prev_batch"), str)
            and not self.joined_in(_list(timeline, "events"))
        }

    def inviters(self, answer: Mapping[str, Any]) -> dict[str, str]:
        """The rooms of an answer that we are invited to, each with the user id of who invited us."""
        return {
            room_id: event["sender"]
            for room_id, told in _dict(_dict(answer, "rooms"), "invite").items()
            for event in self._of_us(_list(_dict(told, "invite_state"), "events"))
            if _dict(event, "content").get("membership") == "invite" and is_user_id(event.get("sender"))
        }

    def _flag_of(self, invitation: list[dict[str, Any]]) -> bool:
        return any(_dict(event, "content").get("is_direct") is True for event in self._of_us(invitation))

    def _of_us(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [e for e in events if e.get("type") == "m.room.member" and e.get("state_key") == self._own]


def _direct_rooms(content: object) -> dict[str, list[str]] | None:
    if not isinstance(content, dict):
        return None
    return {user: [r for r in rooms if type(r) is str] for user, rooms in content.items() if isinstance(rooms, list)}


def _dict(source: object, key: str) -> dict[str, Any]:
    value = source.get(key) if isinstance(source, dict) else None
    return value if isinstance(value, dict) else {}


def _list(source: object, key: str) -> list[dict[str, Any]]:
    value = source.get(key) if isinstance(source, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
