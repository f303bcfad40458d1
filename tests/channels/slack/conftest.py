"""One workspace for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.slack.server import Slack, running


@pytest.fixture(scope="module")
def slack() -> Iterator[Slack]:
    """A running workspace."""
    with running() as slack:
        yield slack
