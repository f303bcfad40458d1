"""The one story, on simcord's model of Discord served over sockets (`server.py`)."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.discord.server import Server
from tests.channels.discord.world import DiscordWorld
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld

pytestmark = [pytest.mark.slow]


class TestDiscordStories(Stories):
    """A chapter a test, each with a Discord of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, discord_server: Server, tmp_path: Path) -> None:
        self.server, self.folder = discord_server, tmp_path

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """A fresh bot, opened."""
        world = DiscordWorld(self.server, self.folder)
        await world.account.open()
        try:
            yield world
        finally:
            await world.close()
