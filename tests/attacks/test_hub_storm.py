"""Every verb at once, over few roles, on two hubs over one PostgreSQL: nobody waits in a circle, nobody is told of a
fault. Before the roles' rows were taken in one order and in one strength, such a storm stopped both hubs."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dragoman import wire
from dragoman.clock import DAY
from dragoman.hub.admin import Admin
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub
from tests.attacks.hubs import beside, contact_of, newcomer, second_hub, tight, world_with
from tests.hub.world import Instance
from tests.postgres import Cluster

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
SEED, SECONDS, WORKERS, ROLES = 20_261_130, 4.0, 32, 5
PLANNED = {
    *("ok", "contact_closed", "contact_blocked", "contact_unknown", "reply_id_conflict", "lease_lost", "role_unknown"),
    *("instance_superseded", "token_invalid", "signature_invalid", "key_replaced", "role_revoked", "role_erased"),
    *("too_many", "changes_limited", "entry_unknown", "delegation_ended", "subscription_unknown", "nonce_used"),
    *("publish_id_conflict", "reply_limited", "contacts_full", "marks_full"),
}
"""What a rule can answer; anything else is a fault."""


class Storm:
    """Few roles, two hubs, and what they have made so far."""

    def __init__(self, hubs: list[Hub], roles: list[Instance]) -> None:
        self.chance = random.Random(SEED)
        self.hubs, self.roles = hubs, roles
        self.contacts: list[str] = []
        self.held: list[tuple[str, list[str]]] = []
        self.numbers = 0
        self.seen: Counter[tuple[str, str]] = Counter()

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    def any(self) -> Instance:
        """One of the roles at one of the hubs."""
        return beside(self.chance.choice(self.roles), self.chance.choice(self.hubs))

    async def open(self, me: Instance, peer: Instance) -> None:
        self.contacts = [*self.contacts[-30:], await contact_of(me, peer, f"open_{self.number():08}")]

    async def send(self, me: Instance, peer: Instance) -> None:
        more: dict[str, object] = {}
        if self.held and self.chance.random() < 0.3:
            token, ids = self.held.pop()
            more = {"lease_token": token, "ack_message_ids": ids}
        reply_id = f"rep_{self.number() - self.chance.randrange(3):08}"
        await me.send(self.chance.choice(self.contacts), reply_id, **more)

    async def lease(self, me: Instance, peer: Instance) -> None:
        got = await me.lease(limit=self.chance.choice([1, 5, 50]))
        if got.lease is not None:
            ids = [each.message_id for each in got.messages]
            self.chance.shuffle(ids)
            self.held = [*self.held[-30:], (got.lease.lease_token, ids)]

    async def settle(self, me: Instance, peer: Instance) -> None:
        if self.held:
            token, ids = self.chance.choice(self.held)
            await self.chance.choice([me.ack, me.release])(token, *ids)

    async def close(self, me: Instance, peer: Instance) -> None:
        body = wire.CloseContact(generation=me.generation)
        await me.hub.contacts.close(me.token, self.chance.choice(self.contacts), body)

    async def stall(self, me: Instance, peer: Instance) -> None:
        body = wire.PutStall(generation=me.generation, title=f"word {self.number()}", tags=["words"])
        await me.hub.directory.put(me.token, body)

    async def subscribe(self, me: Instance, peer: Instance) -> None:
        body = wire.Subscribe(
            generation=me.generation, query=self.chance.choice(["word", "words", f"w{self.number()}"])
        )
        made = await me.hub.subscriptions.add(me.token, body)
        if self.chance.random() < 0.5:
            await me.hub.subscriptions.end(
                me.token, made.subscription_id, wire.EndSubscription(generation=me.generation)
            )

    async def delegate(self, me: Instance, peer: Instance) -> None:
        ends = me.hub.desk.clock.now() + DAY
        made = await me.hub.delegations.publish(
            me.token,
            wire.PublishDelegation(
                publish_id=f"pub_{self.number():08}", generation=me.generation, title="word", expires_at=ends
            ),
        )
        answer = wire.OpenContact(
            open_id=f"open_{self.number():08}",
            peer_role_id=me.role_id,
            generation=peer.generation,
            delegation_id=made.entry_id,
        )
        closing = me.hub.delegations.close(me.token, made.entry_id, wire.CloseDelegation(generation=me.generation))
        answers = await asyncio.gather(peer.hub.contacts.open(peer.token, answer), closing, return_exceptions=True)
        for each in answers:
            if isinstance(each, BaseException):
                raise each

    async def block(self, me: Instance, peer: Instance) -> None:
        await me.hub.blocks.set(me.token, wire.SetBlock(generation=me.generation, role_id=peer.role_id))

    async def lift(self, me: Instance, peer: Instance) -> None:
        await me.hub.blocks.lift(me.token, peer.role_id, wire.LiftBlock(generation=me.generation))

    async def report(self, me: Instance, peer: Instance) -> None:
        waiting = [
            wire.Waiting(contact_id=each, waits_for=wire.WaitsFor.OWNER)
            for each in self.chance.sample(self.contacts, min(3, len(self.contacts)))
        ]
        body = wire.ReportReceiver(generation=me.generation, sent_at=me.hub.desk.clock.now(), waiting=waiting)
        await me.hub.reports.put(me.token, body)

    async def mark(self, me: Instance, peer: Instance) -> None:
        body = wire.RaiseMarks(
            generation=me.generation,
            grant_id=f"grant_{self.number() % 9}",
            ledger_id="one",
            counts={"turns": self.number(), "calls": self.number()},
        )
        await me.hub.reports.raise_marks(me.token, body)

    async def enter(self, me: Instance, peer: Instance) -> None:
        role = next((each for each in self.roles if each.role_id == me.role_id), me)
        await role.log_in(takeover=self.chance.random() < 0.3)

    async def look(self, me: Instance, peer: Instance) -> None:
        await me.hub.communication.newest(me.token)
        await me.hub.events.page(me.token, 0, None)
        await me.hub.pulse.flush()

    async def sweep(self, me: Instance, peer: Instance) -> None:
        await me.hub.upkeep.sweep()

    async def end(self, me: Instance, peer: Instance) -> None:
        """One is erased in the midst of it, and another comes."""
        fresh = Instance(self.hubs[0], type(me.key)((9_000 + self.number()).to_bytes(32, "big")), me.instance_id)
        await fresh.register()
        await fresh.log_in()
        at = self.chance.randrange(len(self.roles))
        old, self.roles[at] = self.roles[at], fresh
        await Admin(me.hub.desk).erase(old.role_id)

    async def worker(self, until: float) -> None:
        """One after the other, whatever comes."""
        verbs: list[Callable[[Instance, Instance], Awaitable[None]]] = [
            *([self.send] * 8),
            *([self.lease] * 4),
            *([self.settle] * 3),
            *[self.open, self.open, self.close, self.stall, self.subscribe, self.delegate, self.block, self.lift],
            *[self.lift, self.report, self.mark, self.enter, self.look, self.sweep],
        ]
        while asyncio.get_running_loop().time() < until:
            verb = self.end if self.chance.random() < 0.005 else self.chance.choice(verbs)
            try:
                await verb(self.any(), self.any())
                code = "ok"
            except Refusal as refusal:
                code = refusal.code
            self.seen[verb.__name__, code] += 1


async def test_a_storm_of_every_verb(tmp_path: Path, postgres: Cluster) -> None:
    """Only planned refusals; PostgreSQL broke up no circle; and every verb has got through."""
    async with world_with("postgres", tmp_path, postgres, tight()) as world, second_hub(world) as other:
        roles = [world.a1, world.b, *[await newcomer(world, 30 + number) for number in range(ROLES - 2)]]
        storm = Storm([world.hub, other], roles)
        storm.contacts = [world.contact_id]
        until = asyncio.get_running_loop().time() + SECONDS
        await asyncio.gather(*(storm.worker(until) for _ in range(WORKERS)))
        assert isinstance(world.store, PostgresStore)
        database = world.store._dsn.rpartition("/")[2]
    await asyncio.sleep(0.5)  # PostgreSQL counts a moment later
    circles = postgres.sql(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{database}'")

    assert {} == {each: count for each, count in storm.seen.items() if each[1] not in PLANNED}
    assert "0" == circles
    assert {"send", "lease", "settle", "stall", "subscribe", "delegate", "block", "report", "mark", "enter"} <= {
        verb for verb, code in storm.seen if code == "ok"
    }
