"""What the Web API says about places and people, kept for a short time. Nobody in the workspace sees these requests.

1. What failed is None, is not kept, and is asked again the next time; nothing here raises.
2. A place is kept `PLACE` ms, a person `PERSON` ms; what an event says has changed is dropped at once.
3. Of what Slack answers only the facts are kept (`state.CHANNEL_FACTS`, `USER_FACTS`): no name, no profile, no topic.
4. Whether outsiders are in a place is known when the place is known, and every member: at most `MOST` of them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from dragoman.channels.payload import Payload
from dragoman.channels.slack.connection import Connection
from dragoman.channels.slack.state import SlackLookup, kept_channel, kept_user
from dragoman.clock import MINUTE, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.ports import Presence
from dragoman.identity import party
from dragoman.words import Fact

PLACE: Final = 30 * SECOND
PERSON: Final = 10 * MINUTE
MOST: Final = 200
"""Members of a place of whom each is looked up; of a larger one it is not known who listens."""
KEPT: Final = 5_000
AT_ONCE: Final = 4

_PLACES: Final = frozenset(
    {
        *("channel_shared", "channel_unshared", "member_joined_channel", "member_left_channel"),
        *("shared_channel_invite_accepted", "shared_channel_invite_approved", "channel_id_changed"),
    }
)
_PEOPLE: Final = frozenset({"user_change", "team_join"})


class Lookups:
    """The look-ups of one account. `own` is its bot user, `ours` its workspace and the organisation of that."""

    def __init__(self, connection: Connection, clock: Clock, workspace: str) -> None:
        self._connection, self._clock, self._workspace = connection, clock, workspace
        self.own, self.ours = "", frozenset({workspace})
        self._kept: OrderedDict[tuple[str, str], tuple[int, Any]] = OrderedDict()
        self._few = asyncio.Semaphore(AT_ONCE)

    async def channel(self, id: str) -> dict[str, Any] | None:
        """What is known of a place."""

        async def ask() -> dict[str, Any] | None:
            found = await self._asked("conversations.info", channel=id)
            channel = found.get("channel")
            return kept_channel(channel) if isinstance(channel, dict) and channel.get("id") == id else None

        known: dict[str, Any] | None = await self._known("channel", id, PLACE, ask)
        return known

    async def user(self, id: str) -> dict[str, Any] | None:
        """What is known of a person or a bot."""

        async def ask() -> dict[str, Any] | None:
            found = await self._asked("users.info", user=id)
            user = found.get("user")
            return kept_user(user) if isinstance(user, dict) and user.get("id") == id else None

        known: dict[str, Any] | None = await self._known("user", id, PERSON, ask)
        return known

    async def members(self, id: str) -> frozenset[str] | None:
        """Who is in a place, we ourselves included; None when that is not known, or there are too many."""

        async def ask() -> frozenset[str] | None:
            found: set[str] = set()
            cursor = ""
            while len(found) <= MOST:
                page = Payload(await self._asked("conversations.members", channel=id, limit="200", cursor=cursor))
                ids = page.texts("members")
                found |= set(ids)
                cursor = page.inside("response_metadata").text("next_cursor")
                if not ids or page.malformed:
                    return None
                if not cursor:
                    return frozenset(found) if self.own in found and len(found) <= MOST else None
            return None

        known: frozenset[str] | None = await self._known("members", id, PLACE, ask)
        return known

    async def presence(self, id: str) -> Presence:
        """Who is in a place now, and whether there are outsiders among them (spec 1 §2)."""
        channel, members = await asyncio.gather(self.channel(id), self.members(id))
        if channel is None or members is None:
            return Presence(Fact.UNKNOWN)
        others = sorted(members - {self.own})
        people = await asyncio.gather(*(self.user(other) for other in others))
        known = [person for person in people if person is not None]
        marks = [_outsider(person, self.ours) for person in known]
        if _abroad(channel, self.ours) is Fact.YES or Fact.YES in marks:
            shared = Fact.YES
        else:
            sure = len(known) == len(people) and Fact.UNKNOWN not in marks
            shared = _abroad(channel, self.ours) if sure else Fact.UNKNOWN
        if len(known) < len(people):
            return Presence(shared)
        homes = {str(person["id"]): str(person.get("team_id") or self._workspace) for person in known}
        return Presence(shared, frozenset(party("slack", home, id) for id, home in homes.items()))

    async def about(self, channel: str, user: str) -> SlackLookup:
        """What is to be known beside an event; an empty id is not looked up."""
        place, person = await asyncio.gather(
            self.channel(channel) if channel else _nothing(), self.user(user) if user else _nothing()
        )
        return SlackLookup(channel=place, user=person)

    def changed(self, event: Mapping[str, Any]) -> None:
        """Drop what an event says has changed."""
        kind = event.get("type")
        if kind in _PLACES:
            for what in ("channel", "members"):
                for id in ("channel", "old_channel_id"):
                    self._kept.pop((what, str(event.get(id))), None)
        if kind in _PEOPLE and isinstance(user := event.get("user"), dict):
            self._kept.pop(("user", str(user.get("id"))), None)

    async def _known(self, what: str, id: str, kept_for: int, ask: Callable[[], Awaitable[Any]]) -> Any:
        now = self._clock.now()
        at, value = self._kept.get((what, id), (0, None))
        if value is not None and 0 <= now - at < kept_for:
            return value
        value = await ask()
        if value is not None:
            self._kept[what, id] = now, value
            self._kept.move_to_end((what, id))
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return value

    async def _asked(self, method: str, **form: str) -> Mapping[str, Any]:
        """The answer of one request; an empty one when it failed."""
        async with self._few:
            try:
                told = await self._connection.ask(method, **form)
            except DragomanError:
                return {}
        return told.body if told.ok else {}


def _abroad(channel: dict[str, Any], ours: frozenset[str]) -> Fact:
    """Whether another organisation is in a place; a one-to-one or group message within ours has no such flags."""
    known = Payload(channel)
    signs = [known.flag(key) for key in ("is_ext_shared", "is_org_shared", "is_pending_ext_shared")]
    teams = {*known.texts("connected_team_ids"), known.id("conversation_host_id")} - {"", *ours}
    if Fact.YES in signs or teams:
        return Fact.YES
    inside = Fact.YES in (known.flag("is_im"), known.flag("is_mpim")) or signs[0] is Fact.NO
    return Fact.NO if inside and not known.malformed else Fact.UNKNOWN


def _outsider(person: dict[str, Any], ours: frozenset[str]) -> Fact:
    """Whether somebody is a guest, a stranger, or of another organisation. Bots of ours have no guest flags."""
    known = Payload(person)
    guest = [known.flag("is_restricted"), known.flag("is_ultra_restricted")]
    home = known.id("team_id")
    company = known.inside("enterprise_user").texts("teams")
    if Fact.YES in (*guest, known.flag("is_stranger")) or (home and not ours & {home, *company}):
        return Fact.YES
    sure = guest == [Fact.NO, Fact.NO] or known.flag("is_bot") is Fact.YES
    return Fact.NO if sure and home and not known.malformed else Fact.UNKNOWN


async def _nothing() -> None:
    return None
