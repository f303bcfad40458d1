"""What is known of channels and people, asked of the server and kept for a minute. Nobody sees these requests.

1. A channel is known with its type, its team, and who is in it: another server, a guest or a bot among them. Of more
   than `MOST_MEMBERS` members that is not known, and unknown is external.
2. Everything is forgotten when the server says that a channel or a person changed.
3. A request that fails makes nothing known; it never makes a yes or a no.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from dragoman.channels.mattermost.connection import Connection
from dragoman.channels.mattermost.state import AuthorState, ChannelState
from dragoman.clock import MINUTE, Clock
from dragoman.errors import DragomanError

PAGE: Final = 200
MOST_MEMBERS: Final = 1_000
KEPT_MS: Final = MINUTE
MOST_KEPT: Final = 2_000


class Members(msgspec.Struct, frozen=True):
    """Who is in a channel; None when that is not known."""

    of: dict[str, AuthorState] | None


class Places:
    """The look-ups of one account."""

    def __init__(self, connection: Connection, own_id: str, clock: Clock) -> None:
        self._connection, self._own, self._clock = connection, own_id, clock
        self._channels: dict[str, tuple[int, ChannelState]] = {}
        self._people: dict[str, tuple[int, AuthorState]] = {}

    def forget(self) -> None:
        """Something changed."""
        self._channels.clear()
        self._people.clear()

    async def channel(self, id: str) -> ChannelState:
        """What is known of a channel."""
        now = self._clock.now()
        kept = self._channels.get(id)
        if kept is not None and now - kept[0] < KEPT_MS:
            return kept[1]
        return (await self.afresh(id))[0]

    async def afresh(self, id: str) -> tuple[ChannelState, Members]:
        """What is known of a channel, and who is in it, asked now."""
        found, members = await self._channel(id)
        if found.type is not None and found.shared is not None:
            _room_for_one(self._channels)
            self._channels[id] = self._clock.now(), found
        return found, members

    async def person(self, id: str) -> AuthorState:
        """What is known of a person."""
        now = self._clock.now()
        kept = self._people.get(id)
        if kept is not None and now - kept[0] < KEPT_MS:
            return kept[1]
        try:
            answer = await self._connection.ask("GET", "users", id)
        except DragomanError:
            return AuthorState()
        if answer.status != 200 or answer.text("id") != id:
            return AuthorState()
        return self._keep(id, _person(answer.value))

    async def _members(self, id: str) -> Members:
        try:
            ids = await self._member_ids(id)
            if ids is None or self._own not in ids:
                return Members(None)
            people: dict[str, AuthorState] = {}
            for start in range(0, len(ids), PAGE):
                answer = await self._connection.ask("POST", "users", "ids", body=ids[start : start + PAGE])
                if answer.status != 200 or not isinstance(answer.value, list):
                    return Members(None)
                for user in answer.value:
                    if isinstance(user, dict) and type(user.get("id")) is str:
                        people[user["id"]] = self._keep(user["id"], _person(user))
        except DragomanError:
            return Members(None)
        return Members(people if people.keys() == set(ids) else None)

    async def _channel(self, id: str) -> tuple[ChannelState, Members]:
        try:
            answer = await self._connection.ask("GET", "channels", id)
        except DragomanError:
            return ChannelState(), Members(None)
        if answer.status != 200 or answer.text("id") != id:
            return ChannelState(), Members(None)
        team = answer.value.get("team_id")
        known = ChannelState(type=answer.text("type") or None, team_id=team if type(team) is str else None)
        members = await self._members(id)
        if members.of is None:
            return msgspec.structs.replace(known, shared=True if answer.value.get("shared") else None), members
        others = [person for user, person in members.of.items() if user != self._own]
        shared = bool(answer.value.get("shared")) or any(person.guest is not False for person in others)
        bots = any(person.is_bot for person in others)
        return msgspec.structs.replace(known, shared=shared, bots=bots), members

    async def _member_ids(self, id: str) -> list[str] | None:
        found: list[str] = []
        for page in range(MOST_MEMBERS // PAGE + 1):
            query = {"page": str(page), "per_page": str(PAGE)}
            answer = await self._connection.ask("GET", "channels", id, "members", query=query)
            if answer.status != 200 or not isinstance(answer.value, list):
                return None
            found += [each["user_id"] for each in answer.value if isinstance(each, dict) and _is_id(each, "user_id")]
            if len(answer.value) < PAGE:
                return list(dict.fromkeys(found))
        return None

    def _keep(self, id: str, person: AuthorState) -> AuthorState:
        _room_for_one(self._people)
        self._people[id] = self._clock.now(), person
        return person


def _person(user: dict[str, Any]) -> AuthorState:
    """A bot says so; whoever does not is none. Roles are one text of words."""
    roles = user.get("roles")
    guest = "system_guest" in roles.split() if type(roles) is str else None
    if user.get("remote_id"):
        guest = True
    bot = user.get("is_bot", False)
    return AuthorState(is_bot=bot if type(bot) is bool else None, guest=guest)


def _is_id(value: dict[str, Any], key: str) -> bool:
    return type(value.get(key)) is str and bool(value[key])


def _room_for_one(kept: dict[str, Any]) -> None:
    while len(kept) >= MOST_KEPT:
        del kept[next(iter(kept))]
