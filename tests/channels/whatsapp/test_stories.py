"""The one story, on the loopback server that we built from Meta's pages (`graph_server.py`)."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.channels.whatsapp.graph_server import GraphServer
from tests.channels.whatsapp.world import whatsapp_world
from tests.platforms.stories import Stories
from tests.platforms.world import PlatformWorld

pytestmark = [pytest.mark.slow]


class TestWhatsAppStories(Stories):
    """A chapter a test, each with a number of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, graph: GraphServer, tmp_path: Path) -> None:
        self.graph, self.folder = graph, tmp_path

    def open_world(self) -> contextlib.AbstractAsyncContextManager[PlatformWorld]:
        """A fresh number."""
        return whatsapp_world(self.graph, self.folder)
