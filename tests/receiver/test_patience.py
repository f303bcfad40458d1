"""A receiver that starts while its hub is away waits for it; a no that does not pass ends the start."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dragoman.channels.hub.answers import HubError
from dragoman.receiver.patience import passes, patiently
from tests.hub_process import HubProcess
from tests.receiver.world import World, until

MET = [
    (HubError("hub_unreachable", sent=False), True, "no connection"),
    (HubError("hub_refused", wire_code="shutting_down", status=503, sent=True), True, "it goes down"),
    (HubError("hub_refused", wire_code="store_unavailable", status=503, sent=True), True, "its store is away"),
    (HubError("hub_refused", wire_code="rate_limited", status=429, sent=True), True, "too many at once"),
    (HubError("hub_refused", wire_code="signature_invalid", status=401, sent=True), False, "the wrong key"),
    (HubError("hub_refused", wire_code="origin_mismatch", status=401, sent=True), False, "another hub"),
]


@pytest.mark.parametrize(("error", "expected", "what"), MET, ids=[row[2] for row in MET])
def test_what_passes_by_itself(error: HubError, expected: bool, what: str) -> None:
    """Only an absence and a crowd are waited for."""
    assert expected == passes(error)


@pytest.mark.anyio
async def test_it_asks_until_it_is_answered(anyio_backend: str) -> None:
    """Twice nothing, then an answer; each nothing is reported."""
    answers = [HubError("hub_unreachable", sent=False), HubError("hub_unreachable", sent=False), None]
    reported: list[str] = []

    async def ask() -> str:
        error = answers.pop(0)
        if error is not None:
            raise error
        return "in"

    found = await patiently(ask, asyncio.Event(), lambda error: reported.append(error.code), lambda: 0.0)

    assert ("in", ["hub_unreachable", "hub_unreachable"]) == (found, reported)


@pytest.mark.anyio
async def test_a_stop_ends_the_waiting(anyio_backend: str) -> None:
    """Asked to stop, it ends at once with what it was waiting on."""
    stop = asyncio.Event()

    async def ask() -> str:
        stop.set()
        raise HubError("hub_unreachable", sent=False)

    with pytest.raises(HubError, match="hub_unreachable"):
        await patiently(ask, stop, lambda error: None, lambda: 0.0)


@pytest.mark.slow
def test_a_receiver_started_before_its_hub_serves_when_it_comes(tmp_path: Path) -> None:
    """`run` while the hub is down does not end; when the hub is there the waiting message is answered."""
    hub = HubProcess(tmp_path)
    hub.start()
    try:
        world = World(tmp_path / "world", hub.url)
        world.peer_says("Can we meet?")
        hub.kill()
        process = world.start("run")
        assert process.stdout is not None
        assert "hub_unreachable" in process.stdout.readline()
        hub.start()
        assert until(lambda: world.texts() == ["Yes, we can meet."], 30)
        process.terminate()
        out, err = process.communicate(timeout=60)
    finally:
        hub.kill()

    assert process.returncode == 0, out + err
