"""A bot's Discord with people and places in it, for the story of every platform and for the tests of this folder."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from dragoman.channels.account import Place
from dragoman.channels.discord.account import account
from dragoman.channels.discord.adapter import DiscordAccount
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.clock import Clock, SystemClock
from dragoman.errors import DragomanError
from dragoman.identity import Target
from tests.channels.discord.server import Server, Town
from tests.platforms.world import PlatformWorld, Saying

PUBLIC_THREAD, PRIVATE_THREAD = 11, 12
_serial = itertools.count(1)


class Scene:
    """One bot, its Discord, and the people and places in it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.town: Town = server.town(f"MTMx.invented.{next(_serial):06}")
        server.do(self._build)

    def _build(self) -> None:
        backend = self.town.backend
        backend.bot_user.name = "desk"
        self.people = {
            "buyer": backend.make_user("kim.buyer"),
            "jordan": backend.make_user("jordan"),
            "oper": backend.make_user("olga"),
            "crier": backend.make_user("crier", bot=True),
            "guest": backend.make_user("gast"),
        }
        self.guild = backend.create_guild("Shelves")
        self.open_guild = backend.create_guild("Open House")
        self.town.features[self.open_guild.id] = ["COMMUNITY", "DISCOVERABLE"]
        for guild in (self.guild, self.open_guild):
            for person in self.people.values():
                backend.add_member(guild.id, person.id)
        self.places = {
            "group": backend.create_channel(self.guild.id, "returns").id,
            "inside": backend.create_channel(self.guild.id, "desk").id,
            "shared": backend.create_channel(self.open_guild.id, "lobby").id,
            "direct": backend.get_dm_channel(self.people["buyer"].id).id,
        }

    def target(self, place: str) -> Target:
        """The target of a place."""
        channel = self.town.backend.channels[self.places[place]]
        workspace = str(channel.guild_id) if channel.guild_id else self.town.application_id
        return Target("discord", workspace, str(channel.id))

    def says(self, who: str, place: str, text: str, files: int = 0, **more: Any) -> str:
        """Somebody says something by a client of their own; its id."""

        def said() -> str:
            channel = self.places[place]
            pictures = [(f"shelf-{number}.png", b"\x89PNG\r\n") for number in range(files)]
            stored = self.town.backend.store_attachments(channel, pictures)
            person = self.people[who].id
            return str(self.town.backend.create_message(channel, person, text, attachments=stored, **more).id)

        return self.server.do(said)

    def ours(self, place: str) -> list[Any]:
        """Our messages in a place, oldest first, as the model keeps them."""
        kept = self.town.backend.messages[self.places[place]]
        return [each for _, each in sorted(kept.items()) if each.author_id == self.town.backend.bot_user.id]

    def section(self, folder: Path, **more: Any) -> dict[str, Any]:
        """The account in a receiver's configuration; its token goes to a private file."""
        token = folder / "discord.token"
        token.write_text(self.town.token)
        token.chmod(0o600)
        named = {"application_id": self.town.application_id, "token_file": "discord.token"}
        return {**named, "api_url": self.server.url, **more}

    def account(
        self, folder: Path, report: Callable[[DragomanError], None] | None = None, **more: Any
    ) -> DiscordAccount:
        """Our account, not opened yet."""
        return account(DiscordSection(**self.section(folder, **more)), self.place(folder, SystemClock(), report))

    def place(self, folder: Path, clock: Clock, report: Callable[[DragomanError], None] | None = None) -> Place:
        """What a receiver would give the account."""
        self.inlet = Inlet("127.0.0.1", 0, clock, lambda failed: None)
        return Place(
            clock=clock,
            at=lambda name: folder / name,
            spool=lambda name: Spool(folder / "inbox.db", clock),
            inlet=self.inlet,
            report=report or (lambda error: None),
        )


class DiscordWorld(PlatformWorld):
    """A scene as a world of the stories."""

    platform: ClassVar[str] = "discord"
    can: ClassVar[frozenset[str]] = frozenset(
        {
            *("reads_all", "direct", "inside", "shared", "bots", "quotes", "replies"),
            *("albums", "edits", "renames", "streams"),
        }
    )
    why_not: ClassVar[dict[str, str]] = {
        "trio": "bots cannot be in a group direct message",
        "reads_back": "a lost answer is repeated under its nonce; later nothing proves it",
    }

    def __init__(self, server: Server, folder: Path) -> None:
        self.scene = Scene(server)
        self.account = self.scene.account(folder)

    async def say(self, saying: Saying) -> str:
        """By a message of the person's own, once the gateway listens: it keeps nothing for those who come later."""
        while not self.scene.town.sessions:
            await asyncio.sleep(0.02)
        text = saying.text
        if saying.mentions:
            text = f"<@{self.scene.town.bot_id}> {text}"
        if saying.mentions_other:
            text = f"<@{self.party(saying.mentions_other)}> {text}"
        if saying.quotes:
            text = f"> <@{self.scene.town.bot_id}> {saying.quotes}\n{text}"
        reference = {"message_id": saying.replies_to} if saying.replies_to else None
        return self.scene.says(saying.who, saying.place, text, saying.files, reference=reference)

    async def edit(self, who: str, place: str, message_id: str, text: str, *, mentions: bool) -> None:
        """Change an own message."""
        mark = f"<@{self.scene.town.bot_id}> " if mentions else ""
        channel, changes = self.scene.places[place], {"content": mark + text}
        self.scene.server.do(lambda: self.scene.town.backend.edit_message(channel, int(message_id), changes))

    async def rename(self, who: str) -> None:
        """Take the agent's name, as a user and in the server."""

        def taken() -> None:
            person = self.scene.people[who]
            person.name = person.global_name = "desk"
            self.scene.guild.members[person.id].nick = "desk"

        self.scene.server.do(taken)

    async def shown(self, place: str) -> list[str]:
        """What the model keeps of ours in the place."""
        return [each.content for each in self.scene.server.do(lambda: self.scene.ours(place))]

    async def written(self) -> int:
        """The server's own count."""
        return len(self.scene.town.written)

    def target(self, place: str) -> Target:
        """Server (or application) and channel."""
        return self.scene.target(place)

    def party(self, who: str) -> str:
        """The user id."""
        return str(self.scene.people[who].id)

    def section(self, folder: Path) -> dict[str, Any]:
        """The account of the scene."""
        return self.scene.section(folder)

    async def close(self) -> None:
        """Close the account."""
        await self.account.close()
