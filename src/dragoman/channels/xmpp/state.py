"""What must be known beside an XMPP stanza: our account, and the place it came from.

Both are decoded strictly: exactly these keys. They are what `dragoman gate check` takes as `--agent` and `--state`.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from dragoman.identity import well_formed
from dragoman.words import Fact

_BARE: Final = re.compile(r"[^\x00-\x20\x7f\"&'/:<>@\s]+@[^\x00-\x20\x7f\"&'/:<>@\s]+")


class XmppAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Our account: its bare JID, our rooms, the parties that the operator knows as bots, and whether a line that begins
    with our nick is a mention (for clients without XEP-0372).

    Raises:
        ValueError: an id is no bare JID (a `ValidationError` while decoding).
    """

    jid: str
    rooms: dict[str, str] = {}
    """Bare JID of a room → the nick that we ask for there."""
    bots: frozenset[str] = frozenset()
    nick_is_mention: bool = False

    def __post_init__(self) -> None:
        for jid in (self.jid, *self.rooms):
            if not is_bare(jid):
                raise ValueError(f"`{jid}` is no bare JID; write `name@server`")

    @property
    def services(self) -> frozenset[str]:
        """The domains that are known to hold rooms: an address there names a room or an occupant, never a person."""
        return frozenset(domain(room) for room in self.rooms)


class Occupant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One occupant as the room's own presence shows it; an empty text is not known."""

    nick: str
    jid: str = ""
    """The real bare JID; only a room that is not anonymous shows it."""
    occupant_id: str = ""
    stay: int = 0
    """Counts the stays that we saw begin; it tells one stay under a nick from the next."""


class XmppPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a place when a stanza of it is judged; what is left out or null is not known."""

    stamps: frozenset[str] = frozenset()
    """The entities that announce XEP-0359: only their `stanza-id` counts."""
    occupant_ids: bool = False
    """Whether the room announces XEP-0421; else an `occupant-id` may be anybody's."""
    nick: str = ""
    """Our nick, as the room assigned it."""
    occupants: tuple[Occupant, ...] | None = None
    """Everybody in the room, we included."""
    authors: dict[str, str] = {}
    """Author ids of messages that the stanza points at, by the id it points with."""
    corrects: bool | None = None
    """Whether the corrected message is known to be of the very same sender, since he came in."""


def is_bare(value: object) -> bool:
    """Whether `value` has the form of a bare JID with a local part."""
    return well_formed(value) and _BARE.fullmatch(str(value)) is not None


def domain(jid: str) -> str:
    """The domain of a bare JID."""
    return jid.partition("@")[2]


def split(jid: str) -> tuple[str, str]:
    """A JID's bare part and its resource (or nick), which may hold anything, `/` included."""
    bare, _, resource = jid.partition("/")
    return bare, resource


def identity(room: str, occupant: Occupant) -> str:
    """How an occupant is named: by his real JID, his id in that room, a name for this one stay, or not at all.

    The last is no credential: no policy can name a stay that has not begun yet.
    """
    if is_bare(occupant.jid):
        return occupant.jid
    if occupant.occupant_id:
        return f"{room}:{occupant.occupant_id}"
    return f"?{room}/{occupant.nick}#{occupant.stay}" if occupant.nick and occupant.stay else ""


def of_another_server(occupants: tuple[Occupant, ...] | None, own: str) -> Fact:
    """Whether anybody in a room is of another server than we; unknown as soon as one of them does not show his."""
    jids = [each.jid for each in occupants or ()]
    if any(jid and domain(jid) != domain(own) for jid in jids):
        return Fact.YES
    return Fact.NO if jids and all(jids) else Fact.UNKNOWN
