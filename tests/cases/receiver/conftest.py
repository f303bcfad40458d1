"""A hub per worker with short leases, a road to it, and the stage on which a receiver's case is played."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import born
from tests.cases.doors import Passages
from tests.cases.receiver.road import Road, road
from tests.cases.receiver.stage import Stage
from tests.hub_process import HubProcess

LEASE_SECONDS = 2

Opened = Callable[..., HubProcess]


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _hub(folder: Path, way: Road, *options: str) -> HubProcess:
    port = _free_port()
    hub = HubProcess(folder, "--origin", way.url, "--origin", f"http://127.0.0.1:{port}", *options)
    hub.port = port
    hub.start()
    way.upstream = f"127.0.0.1:{port}"
    return hub


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HubProcess, Road]]:
    """One hub and one road for every case that does not spoil them."""
    with road() as way:
        hub = _hub(tmp_path_factory.mktemp("hub"), way, "--lease-seconds", str(LEASE_SECONDS))
        yield hub, way
        hub.kill()


@pytest.fixture
def stage(passages: Passages, tmp_path: Path, whole: tuple[HubProcess, Road]) -> Iterator[Stage]:
    """A new role, a new peer, a contact, on the common hub."""
    hub, way = whole
    way.clear()
    yield Stage(passages, tmp_path / "stage", hub, way)
    way.clear()


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[Callable[..., tuple[HubProcess, Road]]]:
    """Makes a hub of the test's own, with its options, and a road to it."""
    with road() as way:
        made: list[HubProcess] = []

        def make(*options: str) -> tuple[HubProcess, Road]:
            made.append(_hub(tmp_path, way, *options))
            return made[-1], way

        yield make
        for hub in made:
            hub.kill()


@pytest.fixture
def own_stage(
    passages: Passages, tmp_path: Path, own_hub: Callable[..., tuple[HubProcess, Road]]
) -> Callable[..., Stage]:
    """Makes a stage on a hub of the test's own, with the hub's options."""
    return lambda *options: Stage(passages, tmp_path / "stage", *own_hub(*options))


class MovedHub(HubProcess):
    """A hub whose clock a test moves (`tests.cases.receiver.hub_at`)."""

    def __init__(self, folder: Path, port: int, origin: str) -> None:
        super().__init__(folder)
        self.port, self.clock = port, folder / "hub-clock"
        self.clock.write_text("0")
        self._words = ("tests.cases.receiver.hub_at", str(self.clock), str(self.db), str(port), "3600", origin)

    def start(self) -> None:
        """Start and wait for the line that says where it listens."""
        self._process = born.Popen([sys.executable, "-m", *self._words], stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["listening"]

    def move(self, milliseconds: int) -> None:
        """The hub's clock is ahead by this much from now on."""
        beside = self.clock.with_suffix(".new")
        beside.write_text(str(milliseconds))
        beside.replace(self.clock)


@pytest.fixture
def moved_stage(passages: Passages, tmp_path: Path) -> Iterator[tuple[Stage, Callable[[int], None]]]:
    """A stage on a hub whose clock can be moved, and what moves it."""
    with road() as way:
        hub = MovedHub(tmp_path, _free_port(), way.url)
        hub.start()
        way.upstream = f"127.0.0.1:{hub.port}"
        yield Stage(passages, tmp_path / "stage", hub, way), hub.move
        hub.kill()


@pytest.fixture
def stages(passages: Passages, tmp_path: Path, whole: tuple[HubProcess, Road]) -> Callable[..., Stage]:
    """Makes several receivers on the common hub; `peer` is a role that stands already."""
    hub, way = whole
    way.clear()
    made: list[Stage] = []

    def make(**more: object) -> Stage:
        made.append(Stage(passages, tmp_path / f"stage{len(made)}", hub, way, **more))  # type: ignore[arg-type]
        return made[-1]

    return make
