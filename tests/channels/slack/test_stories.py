"""The story of every platform, on a Slack by others: once with the blocks that clients write, a part without."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.slack.server import Slack
from tests.channels.slack.world import SlackWorld
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestSlackStories(Stories):
    """Each chapter in conversations of its own."""

    old = False

    @pytest.fixture(autouse=True)
    def _server(self, slack: Slack, tmp_path: Path) -> None:
        self.slack, self.folder = slack, tmp_path

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """Fresh conversations."""
        world = SlackWorld(self.slack, self.folder, old=self.old)
        try:
            await world.account.open()
            world.listen()
            yield world
        finally:
            await world.close()
