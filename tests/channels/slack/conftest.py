"""One workspace for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.slack.server import Slack, running
from tests.receiver.conftest import hub as hub  # fixtures
from tests.receiver.conftest import world as world


@pytest.fixture(scope="module")
def slack() -> Iterator[Slack]:
    """A running workspace."""
    with running() as slack:
        yield slack
