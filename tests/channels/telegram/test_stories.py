"""The one story, on Telegram: a bot that asks telegram-test-api for news."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.channels.telegram.server import BotApi
from tests.channels.telegram.world import TelegramWorld
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestTelegramStories(Stories):
    """Every chapter but that of messages that are read back."""

    @pytest.fixture(autouse=True)
    def _server(self, api: BotApi) -> None:
        self.api = api

    def open_world(self) -> contextlib.AbstractAsyncContextManager[PlatformWorld]:
        """A fresh bot in fresh groups."""
        return self._opened()

    @contextlib.asynccontextmanager
    async def _opened(self) -> AsyncIterator[PlatformWorld]:
        world = TelegramWorld(self.api)
        try:
            await world.account.open()
            yield world
        finally:
            await world.close()
