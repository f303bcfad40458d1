"""The loopback server in place of Meta's, one for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.whatsapp.graph_server import GraphServer
from tests.channels.whatsapp.graph_server import graph_server as running


@pytest.fixture(scope="package")
def graph() -> Iterator[GraphServer]:
    """Our own server, built from Meta's pages."""
    with running() as server:
        yield server
