"""The story of every platform, for Mattermost: on a loopback server of our own, built from the documented API."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.mattermost.server import MattermostServer
from tests.channels.mattermost.world import MattermostStories
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestMattermostStories(Stories):
    """Each chapter on a server of its own."""

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """A fresh server."""
        with tempfile.TemporaryDirectory() as folder:
            async with MattermostServer().running() as server:
                world = MattermostStories(server, Path(folder))
                try:
                    await world.open()
                    yield world
                finally:
                    await world.close()
