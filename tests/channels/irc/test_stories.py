"""The story of every platform, on a real InspIRCd with services."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.irc.network import Network
from tests.channels.irc.world import IrcStories
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestIrcStories(Stories):
    """Each chapter in channels of its own."""

    @pytest.fixture(autouse=True)
    def _network(self, network: Network, tmp_path: Path) -> None:
        self.network, self.folder = network, tmp_path

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """Fresh channels."""
        world = IrcStories(self.network, self.folder)
        await world.open()
        try:
            yield world
        finally:
            await world.close()
