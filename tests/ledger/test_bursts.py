"""Waiting parts and observed texts survive the process; the in-memory stores behave the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dragoman.gate.burst import Part, buffer_of
from dragoman.gate.in_memory import MemoryBursts, MemoryObservations
from dragoman.gate.observe import Observed
from dragoman.gate.ports import Bursts, Observations
from dragoman.ledger.bursts import LedgerBursts
from dragoman.ledger.observations import LedgerObservations
from dragoman.ledger.store import create, open_ledger
from tests.gate.world import BUYER, EXT, INT, NOW, asked, said


@pytest.fixture(params=["ledger", "memory"])
def bursts(request: pytest.FixtureRequest, tmp_path: Path) -> Bursts:
    """Each implementation of the port."""
    return LedgerBursts(create(tmp_path / "state")) if request.param == "ledger" else MemoryBursts()


@pytest.fixture(params=["ledger", "memory"])
def observations(request: pytest.FixtureRequest, tmp_path: Path) -> Observations:
    """Each implementation of the port."""
    return LedgerObservations(create(tmp_path / "state")) if request.param == "ledger" else MemoryObservations()


def test_parts_come_back_in_order_and_once(bursts: Bursts) -> None:
    """A copy of a waiting part is not kept twice; what is dropped is gone."""
    first, second = Part(asked(album="a"), NOW, True), Part(said(album="a"), NOW + 5, False)
    buffer = buffer_of(first.event)
    for part in (first, second, first):
        bursts.add(buffer, part)

    assert (first, second) == bursts.parts(buffer)
    assert (buffer,) == bursts.buffers()
    bursts.drop(buffer)
    assert ((), ()) == (bursts.parts(buffer), bursts.buffers())


def test_a_deleted_part_is_gone_and_only_there(bursts: Bursts) -> None:
    """The same id at another target is another message."""
    part = Part(asked(album="a"), NOW, True)
    buffer = buffer_of(part.event)
    bursts.add(buffer, part)
    bursts.remove(INT, part.event.event_id)
    assert (part,) == bursts.parts(buffer)
    bursts.remove(EXT, part.event.event_id)
    assert () == bursts.buffers()


def test_parts_survive_the_process(tmp_path: Path) -> None:
    """A new process finds every fact of a waiting part as it was."""
    part = Part(asked("do these fit?", album="a", thread="t", attachments=2), NOW, True)
    ledger = create(tmp_path / "state")
    LedgerBursts(ledger).add(buffer_of(part.event), part)
    ledger.close()

    found = LedgerBursts(open_ledger(tmp_path / "state")).parts(buffer_of(part.event))
    assert (msgspec.structs.asdict(part.event),) == tuple(msgspec.structs.asdict(each.event) for each in found)


def test_observed_text_ends_with_its_time(observations: Observations) -> None:
    """Only its own target, only within its time; what is over is deleted when the next one comes."""
    observations.keep(Observed(EXT, BUYER, "first", NOW, NOW + 10))
    observations.keep(Observed(INT, BUYER, "elsewhere", NOW, NOW + 10))
    observations.keep(Observed(EXT, BUYER, "second", NOW + 5, NOW + 15))

    assert ["first", "second"] == [each.text for each in observations.of(EXT, NOW + 9)]
    assert ["second"] == [each.text for each in observations.of(EXT, NOW + 10)]
    assert [] == [each.text for each in observations.of(EXT, NOW + 15)]


def test_observed_text_leaves_the_file(tmp_path: Path) -> None:
    """Retention is deletion: after its time no row holds the text."""
    ledger = create(tmp_path / "state")
    observations = LedgerObservations(ledger)
    observations.keep(Observed(EXT, BUYER, "first", NOW, NOW + 10))

    assert 1 == observations.prune(NOW + 10)
    assert [] == ledger.rows("SELECT text FROM observed")
