"""The network of these tests: one per module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.irc.network import Network, running


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """InspIRCd and Atheme for the module."""
    with running() as found:
        yield found
