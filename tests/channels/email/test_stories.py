"""The story of every platform, on a real Postfix and Dovecot."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.email.servers import Servers
from tests.channels.email.world import EmailStories
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld


@pytest.mark.platforms
@pytest.mark.slow
class TestEmailStories(Stories):
    """Each chapter between mailboxes of its own."""

    @pytest.fixture(autouse=True)
    def _servers(self, mail: Servers) -> None:
        self.mail = mail

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """Fresh mailboxes."""
        with tempfile.TemporaryDirectory() as folder:
            world = EmailStories(self.mail, Path(folder))
            try:
                await world.open()
                yield world
            finally:
                await world.close()
