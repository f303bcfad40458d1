"""The mail servers, once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.email.servers import Servers, servers


@pytest.fixture(scope="package")
def mail() -> Iterator[Servers]:
    """A running Postfix and Dovecot."""
    with servers() as running:
        yield running
