"""Microsoft's emulator, one for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channels.teams.emulator import Emulator, running_emulator


@pytest.fixture(scope="package")
def emulator() -> Iterator[Emulator]:
    """The emulator with our logins beside it."""
    with running_emulator() as running:
        yield running
