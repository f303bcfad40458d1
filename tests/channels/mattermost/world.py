"""The world of the story (`tests/platforms`) on the loopback server of our own (`server.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from dragoman.channels.mattermost.adapter import MattermostChannel
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.identity import Target
from tests.channels.mattermost.server import MattermostServer
from tests.platforms.stories import CHAPTERS
from tests.platforms.world import PlatformWorld, Saying

TEAM: Final = "team0".ljust(26, "z")
_IN: Final = {
    "group": ("O", "buyer", "jordan", "oper", "crier"),
    "direct": ("D", "buyer"),
    "trio": ("G", "buyer", "jordan"),
    "inside": ("P", "oper"),
    "shared": ("P", "oper", "guest"),
}
"""Type of a place, and who is in it besides us."""


class MattermostStories(PlatformWorld):
    """One bot account, and people whose posts the server tells it of."""

    platform: ClassVar[str] = "mattermost"
    why_not: ClassVar[dict[str, str]] = {"replies": "Mattermost has threads, but no reply to a message"}
    can: ClassVar[frozenset[str]] = CHAPTERS - why_not.keys()

    def __init__(self, server: MattermostServer, folder: Path) -> None:
        self.server = server
        self._desk = server.user("desk", bot=True)
        self._people = {who: server.user(who) for who in ("buyer", "jordan", "oper")}
        self._people |= {"crier": server.user("crier", bot=True), "guest": server.user("guest", guest=True)}
        self._channels = {
            place: server.channel(type, TEAM, self._desk, *(self._people[who] for who in members))
            for place, (type, *members) in _IN.items()
        }
        self._host = f"127.0.0.1:{server.port}"
        clock = SystemClock()
        self._channel = MattermostChannel(
            server.url,
            self._host,
            "token-desk",
            self._desk,
            clock=clock,
            spool=lambda: Spool(folder / "inbox", clock),
            timeout=5.0,
        )
        self.account = self._channel

    async def open(self) -> None:
        """Connect."""
        await self._channel.open()

    async def say(self, saying: Saying) -> str:
        """One post; its files come with it."""
        text = "@desk " * saying.mentions + f"@{saying.mentions_other} " * bool(saying.mentions_other) + saying.text
        if saying.quotes:
            text = f"> @desk {saying.quotes}\n\n{text}"
        files = [self.server.id("f") for _ in range(saying.files)]
        place = self._channels[saying.place]
        return str((await self.server.post(self._people[saying.who], place, text, file_ids=files))["id"])

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """Another text of the post."""
        await self.server.edit(message_id, "@desk " * mentions + text)

    async def rename(self, who: str) -> None:
        """The nickname and the name that our account has."""
        self.server.users[self._people[who]] |= {"nickname": "desk", "first_name": "desk"}
        await self.server.changed("user_updated", "")

    async def shown(self, place: str) -> list[str]:
        """What stands in the channel of us."""
        return [post["message"] for post in self.server.of(self._channels[place], self._desk)]

    async def written(self) -> int:
        """Writing requests of ours that the server read."""
        return self.server.written.get(self._desk, 0)

    def target(self, place: str) -> Target:
        """A channel: of the team, or of none."""
        workspace = self._host if _IN[place][0] in "DG" else f"{TEAM}@{self._host}"
        return Target("mattermost", workspace, self._channels[place])

    @property
    def people(self) -> str:
        """People are the same in every team."""
        return self._host

    def party(self, who: str) -> str:
        """A user id."""
        return self._people[who]

    def section(self, folder: Path) -> dict[str, Any]:
        """`channels.mattermost`."""
        token = folder / "mattermost.token"
        token.touch(0o600)
        token.write_text("token-desk")
        return {"server": self.server.url, "user_id": self._desk, "token_file": "mattermost.token"}

    async def close(self) -> None:
        """Close the connections."""
        await self._channel.close()
