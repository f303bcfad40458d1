"""The story of every platform, on a real Prosody."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.xmpp.prosody import Prosody
from tests.channels.xmpp.world import XmppStories
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestXmppStories(Stories):
    """Each chapter in rooms of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, server: Prosody, tmp_path: Path) -> None:
        self.server, self.folder = server, tmp_path

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """Fresh rooms."""
        world = XmppStories(self.server, self.folder)
        await world.open()
        try:
            yield world
        finally:
            await world.close()
