"""A hub in this process with a clock that the test turns, and roles that sign for themselves."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import msgspec
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.hub.desk import Desk
from dragoman.hub.postgres import PostgresStore
from dragoman.hub.service import Hub
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.store import Store
from dragoman.hub.wake import Bell
from tests.postgres import Cluster

ORIGIN = "http://127.0.0.1:1"
START = 1_800_000_000_000
UNLIMITED = wire.Limits(replies_per_contact_hour=None, replies_per_role_day=None)


def store_for(engine: str, folder: Path, postgres: Cluster | None, bell: Bell) -> Store:
    """A fresh store of an engine, not open yet."""
    if engine == "sqlite":
        return SqliteStore(folder / "hub.db", bell)
    assert postgres is not None
    return PostgresStore(postgres.database(), bell)


class TestClock:
    """Time that stands still until it is moved."""

    __test__ = False

    def __init__(self, now: int = START) -> None:
        self.time = now

    def now(self) -> int:
        return self.time

    def pass_ms(self, ms: int) -> None:
        self.time += ms


def counted_ids() -> Callable[[str], str]:
    """Ids that count upwards, so that a failing test reads the same each time."""
    numbers = itertools.count(1)
    return lambda prefix: f"{prefix}{next(numbers):032x}"


class Instance:
    """One instance of one role, logged in."""

    def __init__(self, hub: Hub, key: SigningKey, instance_id: str) -> None:
        self.hub = hub
        self.key = key
        self.public = key.verify_key.encode().hex()
        self.role_id = wire.role_id_of(self.public)
        self.instance_id = instance_id
        self.token = ""
        self.generation = 0

    async def register(self) -> wire.Role:
        signature = self.key.sign(wire.register_input(ORIGIN, self.public)).signature.hex()
        return await self.hub.entrance.register(
            wire.RegisterRole(public_key=self.public, origin=ORIGIN, signature=signature)
        )

    async def request(self, *, takeover: bool = False) -> wire.LogIn:
        given = await self.hub.entrance.nonce(wire.AskNonce(role_id=self.role_id))
        signed = wire.login_input(ORIGIN, self.role_id, self.instance_id, given.nonce, takeover)
        return wire.LogIn(
            role_id=self.role_id,
            instance_id=self.instance_id,
            nonce=given.nonce,
            origin=ORIGIN,
            signature=self.key.sign(signed).signature.hex(),
            takeover=takeover,
        )

    async def log_in(self, *, takeover: bool = False) -> wire.Session:
        session = await self.hub.entrance.log_in(await self.request(takeover=takeover))
        self.token, self.generation = session.token, session.generation
        return session

    def message(self, reply_id: str, text: str = "hello", **more: object) -> wire.SendMessage:
        body = {"reply_id": reply_id, "generation": self.generation, "text": text, **more}
        return msgspec.convert(body, wire.SendMessage)

    async def send(self, contact_id: str, reply_id: str, text: str = "hello", **more: object) -> wire.Sent:
        return await self.hub.messages.send(self.token, contact_id, self.message(reply_id, text, **more))

    async def lease(self, **wanted: object) -> wire.Leased:
        body = msgspec.convert({"generation": self.generation, **wanted}, wire.TakeLease)
        return await self.hub.leases.take(self.token, body)

    async def renew(self, lease_token: str) -> wire.Lease:
        return await self.hub.leases.renew(
            self.token, wire.RenewLease(lease_token=lease_token, generation=self.generation)
        )

    async def ack(self, lease_token: str, *message_ids: str) -> wire.Settled:
        body = wire.AckMessages(lease_token=lease_token, generation=self.generation, message_ids=list(message_ids))
        return await self.hub.leases.ack(self.token, body)

    async def release(self, lease_token: str, *message_ids: str, not_before: int = 0) -> wire.Settled:
        body = wire.ReleaseMessages(
            lease_token=lease_token,
            generation=self.generation,
            message_ids=list(message_ids),
            not_before=not_before,
        )
        return await self.hub.leases.release(self.token, body)

    async def state(self, contact_id: str) -> str:
        return (await self.hub.communication.one(self.token, contact_id)).delivery.state.value


class World:
    """A hub over a fresh store, two roles that know it, and one contact between them.

    `a1` and `a2` are two instances of role A, `b` is the one instance of role B; `a1` opened the contact.
    """

    a1: Instance
    a2: Instance
    b: Instance
    contact_id: str

    def __init__(self, store: Store, bell: Bell, limits: wire.Limits = UNLIMITED) -> None:
        self.clock = TestClock()
        self.store = store
        self.hub = Hub(Desk(store, self.clock, counted_ids(), limits, frozenset({ORIGIN}), bell))

    @classmethod
    def on_sqlite(cls, folder: Path, limits: wire.Limits = UNLIMITED) -> World:
        """A world over a fresh file, not furnished yet."""
        bell = Bell()
        return cls(SqliteStore(folder / "hub.db", bell), bell, limits)

    async def furnish(self) -> None:
        await self.store.open()
        key_a, key_b = SigningKey(b"a" * 32), SigningKey(b"b" * 32)
        self.a1 = Instance(self.hub, key_a, f"ins_{1:032x}")
        self.a2 = Instance(self.hub, key_a, f"ins_{2:032x}")
        self.b = Instance(self.hub, key_b, f"ins_{3:032x}")
        for each in (self.a1, self.b):
            await each.register()
        for each in (self.a1, self.a2, self.b):
            await each.log_in()
        opened = await self.hub.contacts.open(
            self.a1.token,
            wire.OpenContact(open_id="open_0001", peer_role_id=self.b.role_id, generation=self.a1.generation),
        )
        self.contact_id = opened.contact_id
