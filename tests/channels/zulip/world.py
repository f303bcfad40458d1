"""The world of the story (`tests/platforms`) on the loopback server of our own (`server.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.zulip.adapter import ZulipChannel
from dragoman.clock import SystemClock
from dragoman.identity import Target
from tests.channels.zulip.server import ZulipServer
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying

_STREAMS: Final = {
    "group": ("buyer", "jordan", "oper", "crier"),
    "inside": ("oper",),
    "shared": ("oper", "guest"),
}
_DIRECT: Final = {"direct": ("buyer",), "trio": ("buyer", "jordan")}
"""Who is in a place besides us."""


class ZulipStories(PlatformWorld):
    """One bot, and people whose messages the server tells it of."""

    platform: ClassVar[str] = "zulip"
    why_not: ClassVar[dict[str, str]] = {"replies": "people quote on Zulip; there is no reply to a message"}
    can: ClassVar[frozenset[str]] = CHAPTERS - why_not.keys()

    def __init__(self, server: ZulipServer) -> None:
        self.server = server
        self._desk = server.user("desk", bot=True)
        self._people = {who: server.user(who) for who in ("buyer", "jordan", "oper")}
        self._people |= {"crier": server.user("crier", bot=True), "guest": server.user("guest", guest=True)}
        self._streams = {
            place: server.stream(self._desk, *(self._people[who] for who in members))
            for place, members in _STREAMS.items()
        }
        self._host = f"127.0.0.1:{server.port}"
        self._channel = ZulipChannel(
            server.url, self._host, "desk@zulip.test", "key-desk", self._desk, clock=SystemClock(), timeout=5.0
        )
        self.account = self._channel

    async def open(self) -> None:
        """Connect; from here on everything that is said is news."""
        await self._channel.open()
        stream = self._channel.events(None)
        self.position = (await anext(stream)).position
        await stream.aclose()  # type: ignore[attr-defined]

    async def say(self, saying: Saying) -> str:
        """One message; its files are links in it."""
        text = "@**desk** " * saying.mentions + f"@**{saying.mentions_other}** " * bool(saying.mentions_other)
        text += saying.text
        if saying.quotes:
            text = f"```quote\n@**desk** {saying.quotes}\n```\n{text}"
        text += "".join(f"\n[{n}.png](/user_uploads/2/{n}/{n}.png)" for n in range(saying.files))
        where: dict[str, Any] = {"people": [self._desk, *(self._people[who] for who in _DIRECT.get(saying.place, ()))]}
        if saying.place in _STREAMS:
            where = {"stream": self._streams[saying.place], "topic": "returns"}
        return str(self.server.say(self._people[saying.who], text, **where)["id"])

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """Another content of the message."""
        self.server.edit(int(message_id), "@**desk** " * mentions + text)

    async def rename(self, who: str) -> None:
        """The name that our account has, but for its case."""
        self.server.users[self._people[who]] |= {"full_name": "Desk"}
        self.server.changed("realm_user")

    async def shown(self, place: str) -> list[str]:
        """What stands in the place of us."""
        return [message["raw"] for message in self.server.of(self._desk, self.target(place).channel)]

    async def written(self) -> int:
        """Writing requests of ours that the server read."""
        return self.server.written.get(self._desk, 0)

    def target(self, place: str) -> Target:
        """A stream, or the people of a direct message."""
        if place in _STREAMS:
            return Target("zulip", self._host, f"stream:{self._streams[place]}")
        people = sorted([self._desk, *(self._people[who] for who in _DIRECT[place])])
        return Target("zulip", self._host, "direct:" + ",".join(map(str, people)))

    def party(self, who: str) -> str:
        """A user id."""
        return str(self._people[who])

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.zulip`."""
        key = folder / "zulip.key"
        key.touch(0o600)
        key.write_text("key-desk")
        account = {"realm": self.server.url, "email": "desk@zulip.test", "user_id": self._desk}
        return account | {"key_file": "zulip.key"}

    async def close(self) -> None:
        """Close the connections."""
        await self._channel.close()
