"""What is known of channels and people, asked of the server and kept for a minute. Nobody sees these requests.

1. The realm's people are known with who is a bot and who a guest; a stream with whether anybody may read it, and who
   is subscribed. A guest sees only the streams that he is subscribed to.
2. Everything is forgotten when the queue says that a stream, a subscription or a person changed.
3. A request that fails makes nothing known; it never makes a yes or a no.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from dragoman.channels.zulip.connection import Answered, Connection
from dragoman.channels.zulip.state import Recipient, ZulipPlace
from dragoman.clock import MINUTE, Clock
from dragoman.errors import DragomanError

KEPT_MS: Final = MINUTE
MOST_KEPT: Final = 2_000
_GUEST: Final = 600
"""The role of guests."""


class Person(msgspec.Struct, frozen=True):
    """One account of the realm."""

    bot: bool
    guest: bool


class Around(msgspec.Struct, frozen=True):
    """Who is in a place, ourselves left out, and whether anybody may read it; None is not known."""

    people: dict[int, Person] | None = None
    public: bool | None = None


class Places:
    """The look-ups of one account."""

    def __init__(self, connection: Connection, own: int, clock: Clock) -> None:
        self._connection, self._own, self._clock = connection, own, clock
        self._people: tuple[int, dict[int, Person]] | None = None
        self._around: dict[Recipient, tuple[int, Around]] = {}

    def forget(self) -> None:
        """Something changed."""
        self._people = None
        self._around.clear()

    async def place(self, where: Recipient | None, author: int) -> ZulipPlace:
        """What is known of a place and an author."""
        people = await self.people()
        person = None if people is None else people.get(author)
        around = Around() if where is None else await self.around(where)
        others = None if around.people is None else list(around.people.values())
        guests = None if others is None else any(other.guest for other in others)
        known = guests is not None and around.public is not None
        return ZulipPlace(
            shared=True if guests or around.public else False if known else None,
            bots=None if others is None else any(other.bot for other in others),
            author_is_bot=None if person is None else person.bot,
            author_is_guest=None if person is None else person.guest,
        )

    async def around(self, where: Recipient) -> Around:
        """Who is in a place."""
        now = self._clock.now()
        kept = self._around.get(where)
        if kept is not None and now - kept[0] < KEPT_MS:
            return kept[1]
        found = await self._look(where)
        if found.people is not None and found.public is not None:
            while len(self._around) >= MOST_KEPT:
                del self._around[next(iter(self._around))]
            self._around[where] = now, found
        return found

    async def people(self) -> dict[int, Person] | None:
        """Everybody of the realm; None when that is not known."""
        now = self._clock.now()
        if self._people is not None and now - self._people[0] < KEPT_MS:
            return self._people[1]
        answer = await self._ask("users")
        if answer is None:
            return None
        members = [user for user in answer.items("members") if isinstance(user, dict)]
        found = {user["user_id"]: _person(user) for user in members if type(user.get("user_id")) is int}
        self._people = now, found
        return found

    async def _look(self, where: Recipient) -> Around:
        people = await self.people()
        ids, public = list(where.people), False if where.people else None
        if where.stream:
            members = await self._ask(f"streams/{where.stream}/members")
            stream = await self._ask(f"streams/{where.stream}")
            told = stream.value.get("stream") if stream is not None else None
            if members is None or not isinstance(told, dict):
                return Around()
            ids = [id for id in members.items("subscribers") if type(id) is int]
            public = told.get("is_web_public") is not False
        if people is None or not all(id in people for id in ids):
            return Around(public=public)
        return Around({id: people[id] for id in ids if id != self._own}, public)

    async def _ask(self, path: str) -> Answered | None:
        try:
            answer = await self._connection.ask("GET", path)
        except DragomanError:
            return None
        return answer if answer.status == 200 else None


def _person(user: dict[str, Any]) -> Person:
    """A person says of himself that he is no bot and no guest; whatever else he says is the more careful reading."""
    guest = user.get("is_guest") is not False or user.get("role") == _GUEST
    return Person(bot=user.get("is_bot") is not False, guest=guest)
