"""The reports, read once, and the three doors through which every case is tried (`doors`)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.doors import Bot, Daemon, Desk, Desks, Model, Passages
from tests.cases.reports import Report, reports


@pytest.fixture(scope="session")
def cases() -> dict[str, Report]:
    """The reports that are shaped like a platform's events."""
    return reports("events.jsonl")


@pytest.fixture(scope="session")
def scenarios() -> dict[str, Report]:
    """The reports that say facts and the decision expected."""
    return reports("channel-scenarios.jsonl")


@pytest.fixture(scope="session")
def lives() -> dict[str, Report]:
    """The reports about a receiver's or a hub's life."""
    return reports("receiver-scenarios.jsonl")


@pytest.fixture(autouse=True)
def _quotes(request: pytest.FixtureRequest) -> None:
    """A marked test says words that its report says."""
    for mark in request.node.iter_markers("case"):
        name, *words = mark.args
        known = {
            id: found for name in ("cases", "scenarios", "lives") for id, found in request.getfixturevalue(name).items()
        }
        for each in words:
            known[name].quoted(each)


@pytest.fixture
def passages(request: pytest.FixtureRequest) -> Iterator[Passages]:
    """Counts; what went through no door shows nothing about the product."""
    found = Passages()
    yield found
    assert found.count, f"{request.node.name} asked nothing through the command, a receiver or a bot"


@pytest.fixture
def desks(passages: Passages, tmp_path: Path) -> Desks:
    """`dragoman gate`, with policies of the test's own."""
    return Desks(passages, tmp_path)


@pytest.fixture
def desk(desks: Desks) -> Desk:
    """`dragoman gate` in the world of `tests.cli.desk`."""
    return desks()


@pytest.fixture
def daemon(passages: Passages, tmp_path: Path) -> Daemon:
    """A real receiver on the fake platform."""
    return Daemon(passages, tmp_path / "daemon")


@pytest.fixture
def bot(passages: Passages, tmp_path: Path) -> Bot:
    """A real process of a bot with the gate in it."""
    return Bot(passages, tmp_path / "bot")


@pytest.fixture
def model() -> Iterator[Model]:
    """A running endpoint."""
    server = Model()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
