"""The one story, on Microsoft's own emulator of Teams."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.channels.teams.emulator import Emulator
from tests.channels.teams.world import teams_world
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld

pytestmark = [pytest.mark.slow, pytest.mark.platforms]


class TestTeamsStories(Stories):
    """A chapter a test, all in the emulator's conversations."""

    @pytest.fixture(autouse=True)
    def _server(self, emulator: Emulator, tmp_path: Path) -> None:
        self.emulator, self.folder = emulator, tmp_path

    def open_world(self) -> contextlib.AbstractAsyncContextManager[PlatformWorld]:
        """The bot, opened."""
        return teams_world(self.emulator, self.folder)
