"""Hubs of two versions over one database, while the newer one migrates it under the older one's hands.

The older one is its own code (`tests/fixtures/version2`), not today's code asked to behave. Both take sends, polls and
acks throughout; every message is handled once, and nobody is told `internal`.
"""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import pytest

from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from dragoman.hub.store import migrations
from tests.hub.test_migrations import Old
from tests.hub_process import START_SECONDS, UNLIMITED

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
ZIP = Path(__file__).parents[1] / "fixtures" / "version2" / "dragoman.zip"
A, B, C = (RoleKey(letter * 32, f"ins_{number:032x}") for number, letter in enumerate((b"a", b"b", b"c"), 1))
BEFORE, MEANWHILE, AFTER = 20, 60, 20
"""How many messages are sent before the newer hub starts, while both serve, and after the older one is gone."""


class Served:
    """A hub process that has said where it listens."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment})
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        assert ready, "the hub did not start in time"
        self.url = self.process.stdout.readline().decode().strip().removeprefix("listening on ")


@contextmanager
def serving(command: list[str], **environment: str) -> Iterator[Served]:
    """A hub process, ended at the end."""
    hub = Served(command, environment)
    try:
        yield hub
    finally:
        hub.process.terminate()
        hub.process.wait(START_SECONDS)
        assert hub.process.stdout is not None
        hub.process.stdout.close()


def older(place: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("old_hub.py")), place]


def newer(place: str) -> list[str]:
    serve = ["-m", "dragoman.cli.main", "hub", "serve", "--listen", "127.0.0.1:0", *UNLIMITED]
    return [sys.executable, *serve, "--db", place]


async def insisting(work: object) -> object:
    """Ask until there is an answer; `internal` is no answer that a rolling upgrade may give."""
    assert callable(work)
    for _ in range(100):
        try:
            return await work()
        except HubError as error:
            if error.wire_code not in ("overloaded", "store_unavailable"):
                raise
            await asyncio.sleep(0.05)
    raise AssertionError("no answer in time")


async def send(client: HubClient, contacts: list[str], number: int) -> None:
    for place, contact_id in enumerate(contacts):
        reply_id, text = f"rep_{place}_{number:08}", f"message {number}"
        await insisting(lambda to=contact_id, id=reply_id, text=text: client.send(to, reply_id=id, text=text))
    await asyncio.sleep(0.005)


async def take(client: HubClient, handled: Counter[str], enough: asyncio.Event) -> None:
    """Poll, handle, ack, until it is enough."""
    while not enough.is_set():
        got = await client.lease(limit=5, wait_ms=200)
        if got.lease is not None:
            token, ids = got.lease.lease_token, [each.message_id for each in got.messages]
            await insisting(lambda token=token, ids=ids: client.ack(token, ids))
            handled.update(each.text for each in got.messages)


async def test_two_versions_serve_one_database(
    engine: str, tmp_path: Path, anyio_backend: str, request: pytest.FixtureRequest
) -> None:
    """Old alone, then both while the new one migrates, then new alone: every message once, no answer lost."""
    place = str(tmp_path / "hub" / "hub.db")
    if engine == "postgres":
        place = request.getfixturevalue("postgres").database()
    handled: dict[str, Counter[str]] = {B.role_id: Counter(), C.role_id: Counter()}
    meanwhile = range(BEFORE, BEFORE + MEANWHILE)
    both = range(meanwhile.stop, meanwhile.stop + MEANWHILE)
    after = range(both.stop, both.stop + AFTER)
    clock, old_ends, enough = SystemClock(), asyncio.Event(), asyncio.Event()
    async with AsyncExitStack() as stack:
        old = stack.enter_context(serving(older(place), PYTHONPATH=str(ZIP)))
        a_old, b_old, c_old = [await stack.enter_async_context(HubClient(old.url, key, clock)) for key in (A, B, C)]
        for each in (a_old, b_old, c_old):
            await each.register()
        contacts = [(await a_old.open_contact(f"open_{key.role_id}", key.role_id)).contact_id for key in (B, C)]
        polls = [asyncio.ensure_future(take(b_old, handled[B.role_id], old_ends))]
        for number in range(BEFORE):
            await send(a_old, contacts, number)
        steady = asyncio.ensure_future(_steadily(a_old, contacts, meanwhile))
        new = await asyncio.to_thread(lambda: stack.enter_context(serving(newer(place))))
        a_new, b_new, c_new = [await stack.enter_async_context(HubClient(new.url, key, clock)) for key in (A, B, C)]
        polls.append(asyncio.ensure_future(take(c_new, handled[C.role_id], enough)))
        for number in both:
            await send(a_new if number % 2 else a_old, contacts, number)
        await steady
        old_ends.set()
        await polls[0]
        await asyncio.to_thread(old.process.terminate)
        polls[0] = asyncio.ensure_future(take(b_new, handled[B.role_id], enough))
        for number in after:
            await send(a_new, contacts, number)
        async with asyncio.timeout(45):
            while min(map(len, handled.values())) < after.stop and not any(each.done() for each in polls):
                await asyncio.sleep(0.05)
        stored = [await _seqs(a_new, each) for each in contacts]
        enough.set()
        await asyncio.gather(*polls)

    assert [{f"message {number}": 1 for number in range(after.stop)}] * 2 == [dict(each) for each in handled.values()]
    assert [list(range(1, after.stop + 1))] * 2 == stored
    assert (await asyncio.to_thread(Old(engine, place).version)) == migrations("sqlite")[-1][0]


async def _seqs(client: HubClient, contact_id: str) -> list[int]:
    found: list[int] = []
    after, more = 0, True
    while more:
        page = await client.messages(contact_id, after=after)
        found += [each.seq for each in page.messages]
        after, more = page.next_after, page.truncated
    return found


async def _steadily(client: HubClient, contacts: list[str], numbers: range) -> None:
    for number in numbers:
        await send(client, contacts, number)
        await asyncio.sleep(0.03)
