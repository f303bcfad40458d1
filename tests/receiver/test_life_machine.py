"""A message's life under every order of events: two machines with one role, a peer, deaths, takeovers, late leases,
clocks that jump.

The model is small: which questions were asked, which machine is primary, and which decisions each has saved. Whatever
happened, once everything is quiet every question has exactly one visible reply, no machine asked its handler again for
a decision that it had saved, and a machine that lost its place wrote nothing more.
"""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import uvicorn
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import HOUR, SECOND
from dragoman.hub.api import make_app
from dragoman.hub.desk import Desk
from dragoman.hub.serve import random_id
from dragoman.hub.service import Hub
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.wake import Bell
from dragoman.words import LifePoint
from tests.crash.rounds import word
from tests.hub.world import UNLIMITED, TestClock
from tests.receiver.stepped import Stepped

T = TypeVar("T")

LIMITS = msgspec.structs.replace(UNLIMITED, token_ms=10**12, nonce_ms=10**12)
DEATHS = 3
"""Of one machine in one story: more would park a message for the owner, which is another story."""
MACHINES = st.integers(0, 1)


class Served:
    """A hub on loopback in this process, over a fresh file, with a clock that the machine turns."""

    def __init__(self, folder: Path) -> None:
        self.clock = TestClock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._path = folder / "hub.db"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    async def _serve(self) -> None:
        bell = Bell()
        store = SqliteStore(self._path, bell)
        await store.open()
        hub = Hub(Desk(store, self.clock, random_id, LIMITS, frozenset({self.url}), bell))
        self._server = uvicorn.Server(uvicorn.Config(make_app(hub), log_level="critical", ws="none"))
        self._ready.set()
        await self._server.serve(sockets=[self._socket])
        await store.close()

    def close(self) -> None:
        """Stop."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(20)


class LifeMachine(RuleBasedStateMachine):
    """Two machines answer for one role what a peer asks in two contacts."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        place = Path(self.folder.name)
        place.chmod(0o700)
        self.hub = Served(place)
        self.clock = self.hub.clock
        secret = os.urandom(32).hex()
        self.key = RoleKey(bytes.fromhex(secret), f"ins_{1:032x}")
        self.peer = RoleKey(os.urandom(32), f"ins_{9:032x}")
        self.as_role(self.key, lambda client: client.register())
        self.as_role(self.peer, lambda client: client.register())
        self.machines = [
            Stepped(place / f"machine{n}", self.hub.url, secret, self.key.role_id, n + 1, self.clock) for n in (0, 1)
        ]
        self.machines[0].grant("grant-000")
        self.as_role(self.key, lambda client: client.log_in())
        self.primary = 0
        self.grants = 0
        self.contacts = [self._opened(n) for n in (0, 1)]
        self.asked: list[tuple[str, str]] = []
        self.deaths = 0

    def teardown(self) -> None:
        if not hasattr(self, "hub"):
            return
        try:
            self._come_to_rest()
            self._judge()
        finally:
            self.hub.close()
            self.folder.cleanup()

    def as_role(self, key: RoleKey, verb: Callable[[HubClient], Awaitable[T]]) -> T:
        async def work() -> T:
            async with HubClient(self.hub.url, key, self.clock) as client:
                return await verb(client)

        return asyncio.run(work())

    def _opened(self, number: int) -> str:
        opened = self.as_role(self.peer, lambda client: client.open_contact(f"open_{number:04}", self.key.role_id))
        return opened.contact_id

    # --- steps ---

    @precondition(lambda self: len(self.asked) < 6)
    @rule(which=st.integers(0, 1))
    def peer_asks(self, which: int) -> None:
        """One more question."""
        number = len(self.asked)
        text = f"What do you know about {word(number, which)}"
        contact = self.contacts[which]
        self.as_role(self.peer, lambda client: client.send(contact, reply_id=f"rep_{number:08}", text=text))
        self.asked.append((contact, text))

    @rule(seconds=st.sampled_from([1, 60, 130]))
    def time_passes(self, seconds: int) -> None:
        """Long enough, sometimes, for leases to end."""
        self.clock.pass_ms(seconds * SECOND)

    @rule(which=MACHINES, jump=st.sampled_from([-HOUR, HOUR, 0]))
    def a_clock_is_set(self, which: int, jump: int) -> None:
        """One machine's clock goes an hour wrong, or right again."""
        self.machines[which].clock.skew = jump

    @precondition(lambda self: self.machines[self.primary].at is None)
    @rule()
    def the_primary_begins(self) -> None:
        """A cycle starts and comes to its first arrow, or finds nothing to do."""
        self.machines[self.primary].begin()

    @precondition(lambda self: any(machine.at is not None for machine in self.machines))
    @rule(which=MACHINES, arrows=st.integers(1, 12))
    def goes_on(self, which: int, arrows: int) -> None:
        """Some arrows further."""
        machine = self.machines[which]
        for _ in range(arrows):
            if machine.at is not None:
                machine.go_on()

    @precondition(lambda self: self.deaths < DEATHS and any(machine.at is not None for machine in self.machines))
    @rule(which=MACHINES)
    def dies(self, which: int) -> None:
        """Where it stands."""
        machine = self.machines[which]
        if machine.at is None:
            return
        self.deaths += 1
        machine.go_on(dies=True)

    @precondition(lambda self: self.grants < 3 and self.machines[1 - self.primary].at is None)
    @rule()
    def the_other_takes_over(self) -> None:
        """The owner moves the role to the other machine and grants the matter anew there."""
        self.primary = 1 - self.primary
        self.grants += 1
        machine = self.machines[self.primary]
        machine.grant(f"grant-{self.grants:03}")
        key = RoleKey(self._secret(machine), machine.instance_id)
        self.as_role(key, lambda client: client.log_in(takeover=True))

    @invariant()
    def nothing_is_said_twice(self) -> None:
        """At no moment does a question have two visible replies."""
        if hasattr(self, "asked"):
            assert [] == [text for text, shown in self._shown().items() if shown > 1]

    # --- the end ---

    def _secret(self, machine: Stepped) -> bytes:
        stored = msgspec.json.decode((machine.folder / "role.key").read_bytes(), type=dict[str, object])
        return bytes.fromhex(str(stored["secret_key"]))

    def _come_to_rest(self) -> None:
        for machine in self.machines:
            while machine.at is not None:
                machine.go_on()
        machine = self.machines[self.primary]
        for _ in range(12):
            self.clock.pass_ms(130 * SECOND)
            machine.whole()
            if all(shown == 1 for shown in self._shown().values()):
                break
        self.clock.pass_ms(130 * SECOND)
        machine.whole()

    def _shown(self) -> dict[str, int]:
        """How many visible replies each question has."""
        found = {}
        for contact in self.contacts:
            questions = [text for where, text in self.asked if where == contact]
            if not questions:
                continue
            page = self.as_role(self.peer, lambda client, contact=contact: client.messages(contact))
            replies = [each.text.split() for each in page.messages if each.sender_role_id == self.key.role_id]
            found |= {text: sum(text.split()[-1] in reply for reply in replies) for text in questions}
        return found

    def _judge(self) -> None:
        assert {text: 1 for _, text in self.asked} == self._shown(), [machine.ended for machine in self.machines]
        for machine in self.machines:
            calls, broken_off = machine.calls(), sum(each != "done" for each in machine.ended)
            assert machine.saved == {text: calls.count(text) for text in machine.saved}
            assert all(calls.count(text) <= 1 + broken_off for text in calls), calls
            assert {"done", "died", "superseded", "not_ready", "grant_changed"} >= set(machine.ended)


LifeMachine.TestCase.settings = settings(
    max_examples=int(os.environ.get("DRAGOMAN_LIFE_EXAMPLES", "12")),
    stateful_step_count=30,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore::litestar.exceptions.LitestarDeprecationWarning")
class TestLives(LifeMachine.TestCase):
    """Hypothesis looks for an order of events that breaks a promise."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::litestar.exceptions.LitestarDeprecationWarning")
@pytest.mark.parametrize("point", [LifePoint.SENDING, LifePoint.POSTED, LifePoint.SENT], ids=str)
@pytest.mark.parametrize("dies", [True, False], ids=["dies", "hangs"])
def test_a_takeover_right_after_the_reply(point: LifePoint, dies: bool) -> None:
    """The old machine's reply is out, or about to be, when the role moves: the new machine does not answer again what
    was answered, and answers what was not."""
    story = LifeMachine()
    story.start()
    try:
        story.peer_asks(0)
        story.the_primary_begins()
        machine = story.machines[0]
        while machine.at is not point:
            machine.go_on()
        if dies:
            machine.go_on(dies=True)
        story.the_other_takes_over()
        story.machines[1].whole()
        shown = list(story._shown().values())
    finally:
        story.teardown()

    assert shown == [1]
