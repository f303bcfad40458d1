"""The story of every platform, on a real Synapse."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.channels.matrix.world import MatrixStories
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld
from tests.synapse import Synapse


@pytest.mark.synapse
@pytest.mark.slow
class TestMatrixStories(Stories):
    """Each chapter in rooms of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, synapse: Synapse) -> None:
        self.synapse = synapse

    @contextlib.asynccontextmanager
    async def open_world(self) -> AsyncIterator[PlatformWorld]:
        """Fresh rooms."""
        world = MatrixStories(self.synapse)
        try:
            await world.open()
            yield world
        finally:
            await world.close()
