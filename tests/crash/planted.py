"""A receiver process for the crash rounds: as the command runs it, or with a planted fault for the judge to see."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Protocol

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import read_key
from dragoman.cli.receiver import serve
from dragoman.clock import SystemClock
from dragoman.receiver.config import load_config
from dragoman.words import LifePoint
from tests.receiver.world import Shifted


class Dies(Protocol):
    """Kills its process at an arrow of a message's life."""

    def life(self, point: LifePoint) -> None:
        """Told of an arrow."""
        ...


def receiver(dies: Dies, config: str, ahead: int, says_twice_in: str | None = None) -> None:
    """`dragoman run`, its clock `ahead` milliseconds; `says_twice_in` a contact plants a second send of each reply."""

    def passed(point: LifePoint) -> None:
        if says_twice_in and point is LifePoint.POSTED:
            thread = threading.Thread(target=lambda: asyncio.run(_say_again(Path(config), says_twice_in)))
            thread.start()
            thread.join()
        dies.life(point)

    serve(Path(config), started_by="run", as_json=True, checkpoint=passed, clock=Shifted(ahead))


async def _say_again(config: Path, contact_id: str) -> None:
    loaded = load_config(config)
    assert loaded.file.hub is not None
    key = read_key(config.parent / loaded.file.hub.key_file)
    async with HubClient(loaded.file.hub.url, key, SystemClock()) as client:
        said = [each for each in (await client.messages(contact_id)).messages if each.sender_role_id == key.role_id]
        await client.send(contact_id, reply_id=f"rep_{os.urandom(16).hex()}", text=said[-1].text)
