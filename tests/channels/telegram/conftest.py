"""One Bot API server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.telegram.server import BotApi, running


@pytest.fixture(scope="module")
def api() -> Iterator[BotApi]:
    """The server, until the module's tests are over."""
    with running() as found:
        yield found
