"""What is known of our rooms and of who said what, folded from stanzas in the order they came. Pure; no I/O.

1. Occupants are known from the room's presence since we came in; a second `x` in one presence is not the room's, and
   shows nothing. Their real JIDs count only in a room that announces that it is not anonymous.
2. A stay begins when an occupant comes in (or is renamed) and ends when he leaves, and all end with our connection. A
   correction is known to be the same sender's only within one stay.
3. Only trusted ids are remembered as names of messages, of the latest `REMEMBERED` messages.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, TypeVar
from xml.etree.ElementTree import Element

import msgspec

from dragoman.channels.xmpp import stanza as x
from dragoman.channels.xmpp.state import Occupant, XmppAgent, XmppPlace, split
from dragoman.gate.event import Event

REMEMBERED: Final = 10_000
MOST_OCCUPANTS: Final = 500
"""Of a larger room only the sender and we are handed on, with one unknown occupant for all others."""
OPEN_NAMES: Final = "muc_nonanonymous"
_SELF: Final = "110"
_RENAMED: Final = "303"
_MADE: Final = "201"
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Room(msgspec.Struct):
    """The mutable fold of one room."""

    features: frozenset[str] = frozenset()
    nick: str = ""
    inside: bool = False
    occupants: dict[str, Occupant] = msgspec.field(default_factory=dict)
    stays: dict[str, int] = msgspec.field(default_factory=dict)


class Rooms:
    """The places of one account."""

    def __init__(self, agent: XmppAgent) -> None:
        self._agent = agent
        self._rooms: dict[str, _Room] = {}
        self._stamps: set[str] = set()
        self._serial = 0
        self._authors: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._said: OrderedDict[tuple[str, str, str], int] = OrderedDict()

    def forget(self) -> None:
        """The connection is gone: who is where is not known, and every stay has ended. Who said what stays known."""
        self._rooms.clear()
        self._stamps.clear()

    def announced(self, entity: str, features: frozenset[str]) -> None:
        """What a room, or our own account, says of itself."""
        (self._stamps.add if x.SID in features else self._stamps.discard)(entity)
        if entity in self._agent.rooms:
            self._room(entity).features = features

    def inside(self, room: str) -> bool:
        """Whether we are in a room now."""
        return room in self._rooms and self._rooms[room].inside

    def nick(self, room: str) -> str:
        """Our nick in a room, as it was assigned; empty when we are not in it."""
        return self._rooms[room].nick if self.inside(room) else ""

    def has(self, room: str, feature: str) -> bool:
        """Whether a room announces a feature."""
        return room in self._rooms and feature in self._rooms[room].features

    def presence(self, stanza: Element) -> str:
        """Fold one presence; the room that we came into, or an empty text."""
        bare, nick = split(stanza.get("from", ""))
        if bare not in self._agent.rooms or not nick:
            return ""
        room, kind = self._room(bare), stanza.get("type", "")
        shown = [] if x.doubled(stanza, x.MUC_USER, "x") else list(x.named(stanza, x.MUC_USER, "x"))
        codes = {each.get("code") for one in shown for each in x.named(one, x.MUC_USER, "status")}
        if kind == "unavailable":
            room.occupants.pop(nick, None)
            room.stays.pop(nick, None)
            if _SELF in codes and _RENAMED not in codes:
                self._rooms.pop(bare)
            return ""
        if kind:
            return ""
        if nick not in room.stays:
            self._serial += 1
            room.stays[nick] = self._serial
        item = x.first(shown[0], x.MUC_USER, "item") if shown else None
        stamped = x.first(stanza, x.OCCUPANT_ID, "occupant-id")
        room.occupants[nick] = Occupant(
            nick=nick,
            jid=split(item.get("jid", ""))[0] if item is not None else "",
            occupant_id=stamped.get("id", "") if stamped is not None else "",
        )
        if _SELF in codes:
            came, room.inside, room.nick = not room.inside, True, nick
            return bare if came else ""
        return ""

    @staticmethod
    def was_made(stanza: Element) -> bool:
        """Whether our coming made this room, which did not exist: nobody asked us to."""
        shown = x.first(stanza, x.MUC_USER, "x")
        return shown is not None and any(each.get("code") == _MADE for each in x.named(shown, x.MUC_USER, "status"))

    def occupants(self, room: str) -> tuple[Occupant, ...] | None:
        """Who is in a room now, we included, with what may be believed of them; None when we are not in it."""
        if not self.inside(room):
            return None
        here = self._rooms[room]
        open_names, ids = OPEN_NAMES in here.features, x.OCCUPANT_ID in here.features
        return tuple(
            Occupant(
                nick=o.nick,
                jid=self._agent.jid if o.nick == here.nick else o.jid if open_names else "",
                occupant_id=o.occupant_id if ids else "",
                stay=here.stays.get(o.nick, 0),
            )
            for o in here.occupants.values()
        )

    def place(self, message: Element) -> XmppPlace:
        """What is known beside a message."""
        bare, nick = split(message.get("from", ""))
        points = (("reply", x.REPLY), ("retract", x.RETRACT), ("apply-to", x.FASTEN))
        found = (x.first(message, space, name) for name, space in points)
        ids = [each.get("id", "") for each in found if each is not None]
        return XmppPlace(
            stamps=frozenset(self._stamps & {bare, self._agent.jid}),
            occupant_ids=self.has(bare, x.OCCUPANT_ID),
            nick=self.nick(bare),
            occupants=_bounded(self.occupants(bare), nick, self.nick(bare)),
            authors={id: self._authors[bare, id] for id in ids if (bare, id) in self._authors},
            corrects=self._corrects(message, bare, nick),
        )

    def remember(self, message: Element, event: Event) -> None:
        """Keep who said this message, under the names by which it can be pointed at."""
        bare, nick = split(message.get("from", ""))
        room = message.get("type") == "groupchat"
        if event.author.known and (not room or bare in self._stamps):
            self.wrote(bare, event.event_id, event.author.id)
        live = x.first(message, x.DELAY, "delay") is None
        if (id := message.get("id")) and live and x.first(message, x.CORRECTS, "replace") is None:
            _keep(self._said, (bare, nick if room else "", id), self._stay(bare, nick) if room else 0)

    def wrote(self, place: str, id: str, author: str) -> None:
        """Keep the author of one message."""
        _keep(self._authors, (place, id), author)

    def knows(self, place: str, id: str | None) -> bool:
        """Whether a message of this name was seen in a place."""
        return (place, id or "") in self._authors

    def _corrects(self, message: Element, bare: str, nick: str) -> bool | None:
        replaced = x.first(message, x.CORRECTS, "replace")
        if replaced is None or x.doubled(message, x.CORRECTS, "replace"):
            return None
        room = message.get("type") == "groupchat"
        if room and x.first(message, x.DELAY, "delay") is not None:
            return None
        stay = self._said.get((bare, nick if room else "", replaced.get("id", "")))
        return None if stay is None else stay == (self._stay(bare, nick) if room else 0)

    def _stay(self, room: str, nick: str) -> int:
        return self._rooms[room].stays.get(nick, -1) if room in self._rooms else -1

    def _room(self, name: str) -> _Room:
        return self._rooms.setdefault(name, _Room())


def _bounded(occupants: tuple[Occupant, ...] | None, *needed: str) -> tuple[Occupant, ...] | None:
    if occupants is None or len(occupants) <= MOST_OCCUPANTS:
        return occupants
    return (*(each for each in occupants if each.nick in needed), Occupant(nick=""))


def _keep(kept: OrderedDict[_Key, _Value], key: _Key, value: _Value) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
