"""The primary database is killed and its synchronous standby promoted: nothing that the hub answered is lost."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import create_key
from dragoman.clock import SystemClock
from tests.hub_process import HubProcess
from tests.postgres import Cluster, running_cluster

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.anyio]

SENDERS = 8
AFTER = 25
"""How many sends of each sender are answered before and after the primary dies."""


def synchronous(primary: Cluster, standby: Cluster) -> None:
    """Have the primary answer only what the standby holds too."""
    standby.copy(primary)
    standby.start()
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.sql("SELECT pg_reload_conf()")


async def test_nothing_acknowledged_is_lost(tmp_path: Path, anyio_backend: str) -> None:
    """Eight senders go on through the change of databases; every send that was answered is there, once."""
    with running_cluster(wal_level="replica", max_wal_senders="4") as primary, contextlib.ExitStack() as stack:
        standby = Cluster(primary.folder.parent / "standby")
        stack.callback(standby.stop)
        synchronous(primary, standby)
        primary.sql("CREATE DATABASE hub")
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        hub = HubProcess(tmp_path, db=f"postgresql://postgres@{hosts}/hub")
        hub.start()
        stack.callback(hub.kill)
        mine, theirs = create_key(tmp_path / "mine.key"), create_key(tmp_path / "theirs.key")
        async with (
            HubClient(hub.url, mine, SystemClock()) as client,
            HubClient(hub.url, theirs, SystemClock()) as other,
        ):
            await client.register()
            await other.register()
            contact = (await client.open_contact("open_0001", theirs.role_id)).contact_id
            answered: dict[str, str] = {}
            crashed = asyncio.Event()

            async def sender(number: int) -> None:
                count = 0
                while count < AFTER or not crashed.is_set():
                    reply_id = f"rep_{number:02}_{count:06}"
                    sent = await _repeated(client, contact, reply_id)
                    answered[reply_id] = sent
                    count += 1
                for extra in range(AFTER):
                    reply_id = f"rep_{number:02}_after{extra:03}"
                    answered[reply_id] = await _repeated(client, contact, reply_id)

            async def disaster() -> None:
                while len(answered) < SENDERS * AFTER // 2:
                    await asyncio.sleep(0.02)
                await asyncio.to_thread(primary.stop, "immediate")
                await asyncio.to_thread(standby.promote)
                crashed.set()

            await asyncio.gather(disaster(), *(sender(number) for number in range(SENDERS)))
            found: dict[str, str] = {}
            after, more = 0, True
            while more:
                page = await other.messages(contact, after=after)
                assert not {each.reply_id for each in page.messages} & set(found)
                found |= {each.reply_id: each.message_id for each in page.messages}
                after, more = page.next_after, page.truncated

        assert answered == found


async def _repeated(client: HubClient, contact: str, reply_id: str) -> str:
    """The message id of a send that is repeated under its id until it is answered."""
    while True:
        try:
            return (await client.send(contact, reply_id=reply_id, text="hello")).message_id
        except HubError as error:
            if error.code != "hub_unreachable":
                raise
            await asyncio.sleep(0.05)
