"""The server of these tests: one per module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.xmpp.prosody import Prosody, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prosody]:
    """A Prosody for the module."""
    with running(tmp_path_factory.mktemp("prosody")) as prosody:
        yield prosody
