"""Discord on a loopback port (simcord's model over sockets), one for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.discord.server import Server


@pytest.fixture(scope="package")
def discord_server() -> Iterator[Server]:
    """The server; every test has a bot and a Discord of its own on it."""
    server = Server()
    try:
        yield server
    finally:
        server.close()
