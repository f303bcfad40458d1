"""The world of the story (`tests/platforms`) on a real Prosody: people with clients of their own, rooms, and us."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.xmpp.adapter import XmppAccount
from dragoman.identity import Target
from tests.channels.xmpp.place import account
from tests.channels.xmpp.prosody import AWAY, PASSWORD, ROOMS, Client, Prosody
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying

_IN: Final = {
    "group": ("buyer", "jordan", "oper", "crier"),
    "trio": ("buyer", "jordan"),
    "inside": ("oper",),
    "shared": ("oper", "guest"),
}
"""Who is in a room besides us; the first made it. A group of three has no other form than a room for members."""
_BODY: Final = "{jabber:client}body"
_REPLACE: Final = "{urn:xmpp:message-correct:0}replace"
_PICTURE: Final = "http://pictures.home.test/shelf{}.png"
SERIAL: Final = itertools.count(1)


class XmppStories(PlatformWorld):
    """One account of ours, and rooms that are made anew for every story; they show real JIDs."""

    platform: ClassVar[str] = "xmpp"
    can: ClassVar[frozenset[str]] = CHAPTERS

    def __init__(self, server: Prosody, folder: Path) -> None:
        self._server = server
        self._jids = {who: server.user(who) for who in ("buyer", "jordan", "oper", "crier")}
        self._jids["guest"] = server.user("guest", AWAY)
        self._desk = server.user("desk")
        number = next(SERIAL)
        self._rooms = {place: f"{place}{number}@{ROOMS}" for place in _IN}
        self._people = {who: Client(jid, who, server.port) for who, jid in self._jids.items()}
        self._ids: dict[str, str] = {}
        rooms = dict.fromkeys(self._rooms.values(), "desk")
        self._ours: XmppAccount = account(folder, server.port, self._desk, rooms, bots=(self._jids["crier"],))
        self.account = self._ours

    async def open(self) -> None:
        """Everybody comes, the makers of the rooms first."""
        for person in self._people.values():
            await person.open()
        for place, members in _IN.items():
            first, *others = members
            room = self._rooms[place]
            await self._people[first].enter(room)
            await self._people[first].configure(room, muc_roomconfig_whois="anyone")
            for who in others:
                await self._people[who].enter(room)
        await self._ours.open()

    async def say(self, saying: Saying) -> str:
        """A message; pictures are links that are marked as files, each a message of its own."""
        body, payload = self._words(saying)
        if not saying.files:
            return await self._say(saying, body, payload)
        first = await self._say(saying, body, payload + _file(0))
        for number in range(1, saying.files):
            await self._say(saying, _PICTURE.format(number), _file(number))
        return first

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """A correction."""
        saying = Saying(who=who, place=place, text=text, mentions=mentions)
        body, payload = self._words(saying)
        replace = f"<replace xmlns='urn:xmpp:message-correct:0' id='{self._ids[message_id]}'/>"
        await self._say(saying, body, payload + replace)

    async def rename(self, who: str) -> None:
        """Our nick, as near as the room lets anybody come to it."""
        person = self._people[who]
        person.nick = "Desk"
        await person.enter(self._rooms["group"])

    async def shown(self, place: str) -> list[str]:
        """What the first member of the room, or the buyer, hears of us, corrections in place of what they replace."""
        seen: dict[str, str] = {}
        if place == "direct":
            heard = [m for m in self._people["buyer"].heard if m.get("from", "").partition("/")[0] == self._desk]
        else:
            heard = [m for m in self._people[_IN[place][0]].heard if m.get("from") == f"{self._rooms[place]}/desk"]
        for message in heard:
            body, replaced = message.findtext(_BODY), message.find(_REPLACE)
            if body:
                seen[message.get("id", "") if replaced is None else replaced.get("id", "")] = body
        return list(seen.values())

    async def written(self) -> int:
        """Messages of any kind that the server received from us."""
        return self._server.messages_of(self._desk)

    def target(self, place: str) -> Target:
        """A room, or the buyer."""
        return Target("xmpp", self._desk, self._rooms.get(place, self._jids["buyer"]))

    def party(self, who: str) -> str:
        """A bare JID."""
        return self._jids[who]

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.xmpp`."""
        secret = folder / "xmpp.password"
        secret.touch(0o600)
        secret.write_text(PASSWORD)
        rooms = dict.fromkeys(self._rooms.values(), "desk")
        return {
            "jid": self._desk,
            "password_file": "xmpp.password",
            "rooms": rooms,
            "bots": [self._jids["crier"]],
            "host": "127.0.0.1",
            "port": self._server.port,
        }

    async def close(self) -> None:
        """Everybody goes."""
        await self._ours.close()
        for person in self._people.values():
            await person.close()

    def _words(self, saying: Saying) -> tuple[str, str]:
        """The body of a message, and the references in it."""
        quote = f"> desk: {saying.quotes}\n" if saying.quotes else ""
        named = [("desk", self._desk)] if saying.mentions or saying.quotes else []
        named += [(saying.mentions_other, self._jids[saying.mentions_other])] if saying.mentions_other else []
        said = "".join(f"{nick}: " for nick, _ in named) + saying.text if not quote else saying.text
        body = quote + said
        payload = ""
        for nick, jid in named:
            start = body.index(nick)
            where = f"begin='{start}' end='{start + len(nick)}'"
            payload += f"<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:{jid}' {where}/>"
        if saying.replies_to:
            payload += f"<reply xmlns='urn:xmpp:reply:0' id='{saying.replies_to}'/>"
        return body, payload

    async def _say(self, saying: Saying, body: str, payload: str) -> str:
        id, room = f"said-{next(SERIAL)}", self._rooms.get(saying.place, "")
        found = await self._people[saying.who].say(room or self._desk, body, payload, id=id, room=bool(room))
        self._ids[found] = id
        return found


def _file(number: int) -> str:
    return f"<x xmlns='jabber:x:oob'><url>{_PICTURE.format(number)}</url></x>"
