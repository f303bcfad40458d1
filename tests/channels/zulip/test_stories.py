"""The story of every platform, for Zulip: on a loopback server of our own, built from the documented API."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.channels.zulip.server import ZulipServer
from tests.channels.zulip.world import ZulipStories
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestZulipStories(Stories):
    """Each chapter in a realm of its own."""

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """A fresh realm."""
        async with ZulipServer().running() as server:
            world = ZulipStories(server)
            try:
                await world.open()
                yield world
            finally:
                await world.close()
