"""A hub with short leases, and a world on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub_process import HubProcess, running_hub
from tests.receiver.evidence_of import complaints
from tests.receiver.world import World

LEASE_SECONDS = 2


@pytest.fixture(autouse=True)
def packets_verify(tmp_path: Path) -> Iterator[None]:
    """Whatever the story was: the packets that it left verify, say where things stand, and hold no text."""
    yield
    assert complaints(tmp_path) == []


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    """A real hub process."""
    with running_hub(tmp_path, "--lease-seconds", str(LEASE_SECONDS)) as process:
        yield process


@pytest.fixture
def world(tmp_path: Path, hub: HubProcess) -> World:
    """Our role, a peer, a contact."""
    return World(tmp_path / "world", hub.url)
