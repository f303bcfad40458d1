"""`kill -9` of the hub at any moment under load: what was answered is there, once; every id answers the same again."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from tests.hub_process import HubProcess, running_hub

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
ROUNDS = 10
SENDERS = 6


class Load:
    """Role A sends from many tasks, role B leases, replies and acks; both remember what they were promised."""

    def __init__(self, hub: HubProcess) -> None:
        self.hub = hub
        self.a = HubClient(hub.url, RoleKey(b"a" * 32, f"ins_{1:032x}"), SystemClock())
        self.b = HubClient(hub.url, RoleKey(b"b" * 32, f"ins_{2:032x}"), SystemClock())
        self.contact_id = ""
        self.promised: dict[str, wire.Sent] = {}
        self.open: set[str] = set()
        self.acked: set[str] = set()
        self.seen_after_ack: set[str] = set()
        self.numbers = iter(range(10**6))
        self.stop = False

    async def furnish(self) -> None:
        await self.a.register()
        await self.b.register()
        self.contact_id = (await self.a.open_contact("open_0001", self.b.role_id)).contact_id

    async def send(self) -> None:
        """Send until told to stop; an id of unknown fate is kept and sent again as it was."""
        while not self.stop:
            reply_id = f"rep_{next(self.numbers):06}"
            self.open.add(reply_id)
            while not self.stop and reply_id in self.open:
                await self.try_send(reply_id)

    async def try_send(self, reply_id: str) -> None:
        try:
            sent = await self.a.send(self.contact_id, reply_id=reply_id, text=f"text of {reply_id}")
        except HubError as error:
            if error.code != "hub_unreachable":
                raise
            await asyncio.sleep(0.02)
        else:
            self.promised[reply_id] = sent
            self.open.discard(reply_id)

    async def receive(self) -> None:
        """Lease and ack until told to stop; a message acked with an answer must never come again."""
        while not self.stop:
            try:
                await self.receive_once()
            except HubError as error:
                if error.code != "hub_unreachable" and error.wire_code != "lease_lost":
                    raise
                await asyncio.sleep(0.02)

    async def receive_once(self) -> None:
        got = await self.b.lease(limit=5, wait_ms=200)
        ids = [each.message_id for each in got.messages]
        self.seen_after_ack |= set(ids) & self.acked
        if got.lease is not None:
            await self.b.ack(got.lease.lease_token, ids)
            self.acked |= set(ids)

    async def round(self, seconds: float) -> None:
        """Load, a kill in the midst of it, and a new start."""
        self.stop = False
        tasks = [asyncio.ensure_future(self.send()) for _ in range(SENDERS)]
        tasks.append(asyncio.ensure_future(self.receive()))
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.hub.kill)
        await asyncio.sleep(0.05)
        await asyncio.to_thread(self.hub.start)
        await asyncio.sleep(0.1)
        self.stop = True
        await asyncio.gather(*tasks)

    async def all_messages(self) -> list[wire.Message]:
        found: list[wire.Message] = []
        after, more = 0, True
        while more:
            page = await self.b.messages(self.contact_id, after=after)
            found += page.messages
            after, more = page.next_after, page.truncated
        return found


@pytest.mark.timeout(300)
@pytest.mark.slow
async def test_nothing_answered_is_lost(tmp_path: Path) -> None:
    """Ten kills under load: each answered send is stored once and answers the same again; no acked message returns."""
    chance = random.Random(20261)
    with running_hub(tmp_path / "hub", "--lease-seconds", "1") as hub:
        load = Load(hub)
        await load.furnish()
        for _ in range(ROUNDS):
            await load.round(chance.uniform(0.05, 0.5))
        for reply_id in sorted(load.open):
            await load.try_send(reply_id)
        stored = await load.all_messages()
        by_reply = {each.reply_id: each for each in stored}

        assert load.open == set()
        assert len(load.promised) > ROUNDS
        assert len(by_reply) == len(stored) == len(load.promised)
        assert [each.seq for each in stored] == list(range(1, len(stored) + 1))
        for reply_id, sent in load.promised.items():
            assert sent.message_id == by_reply[reply_id].message_id
            assert by_reply[reply_id].text == f"text of {reply_id}"
        for reply_id in list(load.promised)[:: max(1, len(load.promised) // 20)]:
            again = await load.a.send(load.contact_id, reply_id=reply_id, text=f"text of {reply_id}")
            assert again.replayed
            assert again.message_id == load.promised[reply_id].message_id
        assert load.acked
        assert load.seen_after_ack == set()
        await load.a.close()
        await load.b.close()


async def test_a_used_nonce_stays_used(tmp_path: Path) -> None:
    """R084: a log-in overheard before a restart is refused after it."""
    with running_hub(tmp_path / "hub") as hub:
        key = RoleKey(b"a" * 32, f"ins_{1:032x}")
        async with HubClient(hub.url, key, SystemClock()) as client:
            await client.register()
            given = await client._ask(
                "POST", "/nonces", wire.GivenNonce, wire.AskNonce(role_id=key.role_id), token=None
            )
            signed = wire.login_input(client.origin, key.role_id, key.instance_id, given.nonce, False)
            body = wire.LogIn(
                role_id=key.role_id,
                instance_id=key.instance_id,
                nonce=given.nonce,
                origin=client.origin,
                signature=key.sign(signed),
            )
            await client._ask("POST", "/sessions", wire.Session, body, token=None)
            hub.kill()
            hub.start()
            with pytest.raises(HubError) as caught:
                await client._ask("POST", "/sessions", wire.Session, body, token=None)

            assert caught.value.wire_code == "nonce_used"
