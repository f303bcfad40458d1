"""The reports, read once, and a gate with a platform that counts what it is asked to do."""

from __future__ import annotations

import pytest

from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.gate.ports import Presence
from dragoman.words import Fact
from tests.cases.reports import Report, reports
from tests.gate.world import World


@pytest.fixture(scope="session")
def cases() -> dict[str, Report]:
    """The reports that are shaped like a platform's events."""
    return reports("events.jsonl")


@pytest.fixture(scope="session")
def scenarios() -> dict[str, Report]:
    """The reports that say facts and the decision expected."""
    return reports("channel-scenarios.jsonl")


@pytest.fixture
def world() -> World:
    """A fresh gate."""
    return World()


@pytest.fixture
def channel(world: World) -> MemoryChannel:
    """A platform account whose channels hold nobody but their own people."""
    return MemoryChannel(MemoryAgent(workspace="desk", id="desk"), clock=world.clock, presence=Presence(Fact.NO))
