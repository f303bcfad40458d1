"""The pytest plugin (entry point `pytest11`): one fixture, `gate_recorder`. It loads the gate when a test uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dragoman.testing.recorder import Recorders

_LAWS = ("channel_laws", "facts_laws", "in_a_world")
pytest.register_assert_rewrite(*(f"dragoman.testing.{name}" for name in _LAWS))


@pytest.fixture
def gate_recorder() -> Iterator[Recorders]:
    """`gate_recorder(policy, agent)` makes a `dragoman.testing.GateRecorder`; all are closed after the test."""
    from dragoman.testing.recorder import Recorders

    recorders = Recorders()
    yield recorders
    recorders.close()
