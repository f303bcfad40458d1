"""Three hub processes over one PostgreSQL, fifty receivers behind a balancer, and a hub killed every few seconds."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
from pathlib import Path

import pytest

from dragoman.channels.hub.client import HubClient, HubError
from dragoman.clock import SystemClock
from tests.balancer import Balancer
from tests.crash.rounds import HANDLER, Nursery, word
from tests.hub_process import HubProcess
from tests.postgres import free_port, running_cluster
from tests.receiver.world import World

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.anyio]

RECEIVERS = int(os.environ.get("DRAGOMAN_RECEIVERS", "50"))
QUESTIONS = 3
KILL_SECONDS = 2.5
PATIENCE_SECONDS = 240


@pytest.mark.timeout(600)
async def test_nothing_is_lost_or_repeated(tmp_path: Path, anyio_backend: str) -> None:
    """Every question of every peer gets exactly one reply and one handler call, whichever hub it came through."""
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(running_cluster(max_connections="200"))
        ports = [free_port() for _ in range(3)]
        balancer = Balancer(ports)
        stack.callback(balancer.close)
        address = cluster.database()
        hubs = [HubProcess(tmp_path / f"hub{n}", "--origin", balancer.url, db=address) for n in range(3)]
        for hub, port in zip(hubs, ports, strict=True):
            hub.port = port
            hub.start()
            stack.callback(hub.kill)
        worlds = await asyncio.to_thread(_furnished, tmp_path, balancer.url)
        nursery = Nursery(tmp_path)
        stack.callback(nursery.close)
        for number, world in enumerate(worlds):
            nursery.start(f"receiver{number}", "receiver", {"config": str(world.config), "ahead": 0}, None)
        killing = asyncio.create_task(_kill_now_and_then(hubs))
        seen = await asyncio.gather(*(_peer(world, number) for number, world in enumerate(worlds)))
        killing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await killing

    wrong = {number: texts for number, texts in enumerate(seen) if not _once_each(number, texts)}
    calls = [sorted(_counted(world)) for world in worlds]
    assert {} == wrong
    assert [sorted(_questions(number)) for number in range(RECEIVERS)] == calls


def _furnished(folder: Path, url: str) -> list[World]:
    worlds = []
    for number in range(RECEIVERS):
        world = World(folder / f"world{number}", url)
        (world.folder / "counted").mkdir()
        world.handler.write_text(HANDLER)
        worlds.append(world)
    return worlds


def _questions(number: int) -> list[str]:
    return [f"What do you know about {word(number, which)}" for which in range(QUESTIONS)]


async def _peer(world: World, number: int) -> list[str]:
    """Ask every question; what came back."""
    chance = random.Random(number)
    async with HubClient(world.url, world.peer, SystemClock()) as client:
        for which, text in enumerate(_questions(number)):
            await asyncio.sleep(chance.uniform(0, 8))
            while not await _tried(client, world.contact, text, f"rep_{number:04}_{which:04}"):
                await asyncio.sleep(0.1)
        for _ in range(PATIENCE_SECONDS * 2):
            texts = await _texts(client, world)
            if all(text.split()[-1] in " ".join(texts) for text in _questions(number)):
                break
            await asyncio.sleep(0.5)
        await asyncio.sleep(1)
        return await _texts(client, world)


async def _tried(client: HubClient, contact: str, text: str, reply_id: str) -> bool:
    try:
        await client.send(contact, reply_id=reply_id, text=text)
    except HubError as error:
        if error.code != "hub_unreachable":
            raise
        return False
    return True


async def _texts(client: HubClient, world: World) -> list[str]:
    while True:
        with contextlib.suppress(HubError):
            page = await client.messages(world.contact)
            return [each.text for each in page.messages if each.sender_role_id == world.key.role_id]
        await asyncio.sleep(0.1)


async def _kill_now_and_then(hubs: list[HubProcess]) -> None:
    chance = random.Random(3)
    while True:
        await asyncio.sleep(KILL_SECONDS)
        hub = chance.choice(hubs)
        hub.kill()
        await asyncio.to_thread(hub.start)


def _once_each(number: int, texts: list[str]) -> bool:
    said = [each.split()[-1] for each in _questions(number)]
    return all(sum(each in text.split() for text in texts) == 1 for each in said)


def _counted(world: World) -> list[str]:
    """Every question that the handler was asked, as often as it was."""
    return [text for path in (world.folder / "counted").iterdir() for text in json.loads(path.read_text())]
