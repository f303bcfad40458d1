"""The world of the story (`tests/platforms`) on a real InspIRCd with services: people who are logged in, and us."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.irc.adapter import IrcAccount
from dragoman.identity import Target
from tests.channels.irc.network import NETWORK, PASSWORD, Client, Network, outputs
from tests.channels.irc.place import account
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying

_IN: Final = {
    "group": ("buyer", "jordan", "oper", "crier"),
    "trio": ("buyer", "jordan"),
    "inside": ("oper",),
    "shared": ("oper", "guest"),
}
"""Who is in a channel besides us. A group of three has no other form than a channel that nobody else knows."""
SERIAL: Final = itertools.count(1)


class IrcStories(PlatformWorld):
    """One account of ours, and channels that are made anew for every story."""

    platform: ClassVar[str] = "irc"
    why_not: ClassVar[dict[str, str]] = {
        "albums": "no files, and nothing that holds messages together",
        "edits": "nothing that was said can be changed",
        "reads_back": "the server keeps nothing that could be asked for",
    }
    can: ClassVar[frozenset[str]] = CHAPTERS - why_not.keys()

    def __init__(self, network: Network, folder: Path) -> None:
        self._network = network
        number = next(SERIAL)
        self._halls = {place: f"#{place}{number}" for place in _IN}
        self._people = {
            who: Client(network.port, who, who, bot=who == "crier")
            for who in ("buyer", "jordan", "oper", "crier", "guest")
        }
        self._ours: IrcAccount = account(folder, network.port, "desk", *self._halls.values(), colleagues=("oper",))
        self.account = self._ours

    async def open(self) -> None:
        """Everybody comes at once."""
        await asyncio.gather(self._ours.open(), *(person.open() for person in self._people.values()))
        for place, members in _IN.items():
            await asyncio.gather(*(self._people[who].join(self._halls[place]) for who in members))

    async def say(self, saying: Saying) -> str:
        """A message; who is meant is said by his nick at its start."""
        to = self._halls.get(saying.place, "desk")
        named = "desk: " if saying.mentions else f"{saying.mentions_other}: " if saying.mentions_other else ""
        if saying.quotes:
            await self._people[saying.who].say(to, f"> desk: {saying.quotes}")
        tags = f"+reply={saying.replies_to}" if saying.replies_to else ""
        return await self._people[saying.who].say(to, f"{named}{saying.text}", tags)

    async def rename(self, who: str) -> None:
        """Our nick, as near as the network lets anybody come to it."""
        await self._people[who].rename("Desk_")

    async def shown(self, place: str) -> list[str]:
        """What the first member of the channel, or the buyer, hears of us; what belongs together is one text."""
        to = self._halls.get(place, "buyer")
        onlooker = self._people[_IN[place][0] if place in _IN else "buyer"]
        return [each.text for each in outputs(self._network, onlooker, "desk", to)]

    async def written(self) -> int:
        """Messages of any kind that the server received from us."""
        return self._network.messages_of("desk")

    def target(self, place: str) -> Target:
        """A channel, or the buyer's account."""
        return Target("irc", f"desk@{NETWORK}", self._halls.get(place, "buyer"))

    def party(self, who: str) -> str:
        """A services account."""
        return who

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.irc`."""
        secret = folder / "irc.password"
        secret.touch(0o600)
        secret.write_text(PASSWORD)
        return {
            "network": NETWORK,
            "host": "127.0.0.1",
            "port": self._network.port,
            "login": "desk",
            "password_file": "irc.password",
            "nick": "desk",
            "channels": list(self._halls.values()),
            "colleagues": ["oper"],
            "spacing_ms": 0,
        }

    async def close(self) -> None:
        """Everybody goes."""
        await self._ours.close()
        await asyncio.gather(*(person.close() for person in self._people.values()))
