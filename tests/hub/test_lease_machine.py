"""Leases under every order of events: two instances of one role, a peer, a clock, and zombies that write late.

The machine keeps a plain model: which messages are settled, which token holds which message until when, and which
instance is primary under which generation. After each step the hub must agree with it.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dragoman.hub.refusal import Refusal
from tests.hub.world import UNLIMITED, Instance, World

T = TypeVar("T")
LIMITS = msgspec.structs.replace(UNLIMITED, lease_ms=100, lease_cap_ms=300, token_ms=10**9, nonce_ms=10**9)
STEP = st.sampled_from([100, 40, 99, 1, 250])
WHO = st.sampled_from(["primary", "primary", "primary", "other"])


class Hold(msgspec.Struct):
    """What one lease may still do, by the model."""

    instance: int
    generation: int
    ends: int
    cap: int
    messages: list[str]


class LeaseMachine(RuleBasedStateMachine):
    """Two instances of role A fetch what role B sends."""

    @initialize()
    def start(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.world = World.on_sqlite(Path(self.folder.name) / "hub", LIMITS)
        self.run(self.world.furnish())
        self.instances = [self.world.a1, self.world.a2]
        self.generation, self.primary = 1, 0
        self.waiting: dict[str, int] = {}
        """Not settled: message id → the moment from which it may be leased."""
        self.settled: dict[str, str] = {}
        """Settled: message id → the token that settled it."""
        self.holds: dict[str, Hold] = {}
        self.holder: dict[str, str] = {}
        self.sent = 0
        self.replies = 0

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.run(self.world.store.close())
            self.folder.cleanup()
            self.loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def code(self, work: Coroutine[Any, Any, object]) -> str:
        try:
            self.run(work)
        except Refusal as refusal:
            return refusal.code
        return "done"

    def now(self) -> int:
        return self.world.clock.now()

    def may(self, instance: int) -> str:
        """What any write of this instance is told before its lease is looked at."""
        if self.instances[instance].generation != self.generation:
            return "instance_superseded"
        return "done" if instance == self.primary else "instance_read_only"

    def which(self, who: str) -> int:
        return self.primary if who == "primary" else 1 - self.primary

    def live(self, token: str) -> bool:
        hold = self.holds[token]
        return self.now() < hold.ends and hold.generation == self.generation

    def free(self) -> list[str]:
        """What may be leased now, oldest first."""
        return [
            message
            for message, due in self.waiting.items()
            if due <= self.now() and not (message in self.holder and self.live(self.holder[message]))
        ]

    # --- steps ---

    @rule(ms=STEP)
    def time_passes(self, ms: int) -> None:
        """The clock moves on."""
        self.world.clock.pass_ms(ms)

    @rule()
    def peer_sends(self) -> None:
        """One more message for role A."""
        self.sent += 1
        sent = self.run(self.world.b.send(self.world.contact_id, f"rep_b{self.sent:05}"))
        self.waiting[sent.message_id] = 0

    @rule(instance=st.integers(0, 1))
    def logs_in(self, instance: int) -> None:
        """An instance logs in again; nothing changes but its own token."""
        session = self.run(self.instances[instance].log_in())
        assert (self.generation, self.primary == instance) == (session.generation, session.primary)

    @rule(who=WHO)
    def takes_over(self, who: str) -> None:
        """An instance becomes primary under a new generation, its copy included."""
        self.primary = 1 - self.which(who)
        self.generation += 1
        session = self.run(self.instances[self.primary].log_in(takeover=True))
        assert (self.generation, True) == (session.generation, session.primary)

    @rule(who=WHO, limit=st.integers(1, 3))
    def leases(self, who: str, limit: int) -> None:
        """A poll gets the oldest free messages, and only those."""
        instance = self.which(who)
        expected = self.may(instance)
        if expected != "done":
            assert expected == self.code(self.instances[instance].lease(limit=limit))
            return
        wanted = self.free()[:limit]
        got = self.run(self.instances[instance].lease(limit=limit))
        assert wanted == [each.message_id for each in got.messages]
        if got.lease is not None:
            token = got.lease.lease_token
            self.holds[token] = Hold(instance, self.generation, got.lease.expires_at, got.lease.cap_at, wanted)
            self.holder.update(dict.fromkeys(wanted, token))

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), who=WHO)
    def renews(self, data: st.DataObject, who: str) -> None:
        """Any instance renews any lease it knows of."""
        instance = self.which(who)
        token = data.draw(st.sampled_from(sorted(self.holds)))
        expected = self.may(instance)
        if expected == "done" and not self.live(token):
            expected = "lease_lost"
        assert expected == self.code(self.instances[instance].renew(token))
        if expected == "done":
            hold = self.holds[token]
            hold.ends = max(hold.ends, min(self.now() + LIMITS.lease_ms, hold.cap))

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), who=WHO)
    def acks(self, data: st.DataObject, who: str) -> None:
        """Any instance acks any messages under any token, zombies included."""
        instance = self.which(who)
        token, messages = self.some(data)
        under = all(self.holder.get(each) == token or self.settled.get(each) == token for each in messages)
        finished = all(self.settled.get(each) == token for each in messages)
        expected = self.may(instance)
        if expected == "done" and not (under and (finished or self.live(token))):
            expected = "lease_lost"
        assert expected == self.code(self.instances[instance].ack(token, *messages))
        if expected == "done":
            for each in messages:
                self.waiting.pop(each, None)
                self.holder.pop(each, None)
                self.settled[each] = token

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), who=WHO, later=STEP)
    def releases(self, data: st.DataObject, who: str, later: int) -> None:
        """Any instance gives back any messages under any token."""
        instance = self.which(who)
        token, messages = self.some(data)
        expected = self.may(instance)
        if expected == "done" and not (self.live(token) and all(self.holder.get(each) == token for each in messages)):
            expected = "lease_lost"
        due = self.now() + later
        assert expected == self.code(self.instances[instance].release(token, *messages, not_before=due))
        if expected == "done":
            for each in messages:
                self.waiting[each] = due
                self.holder.pop(each, None)

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), who=WHO)
    def replies_under_a_lease(self, data: st.DataObject, who: str) -> None:
        """A reply that names a lease is stored only while that lease is live."""
        instance = self.which(who)
        token = data.draw(st.sampled_from(sorted(self.holds)))
        expected = self.may(instance)
        if expected == "done" and not self.live(token):
            expected = "lease_lost"
        number = self.replies + 1
        send = self.instances[instance].send(self.world.contact_id, f"rep_a{number:05}", lease_token=token)
        assert expected == self.code(send)
        self.replies += expected == "done"

    def some(self, data: st.DataObject) -> tuple[str, list[str]]:
        """A token, and messages that it holds or that it does not."""
        token = data.draw(st.sampled_from(sorted(self.holds)))
        known = sorted({*self.waiting, *self.settled})
        own = st.lists(st.sampled_from(self.holds[token].messages), min_size=1, max_size=3, unique=True)
        other = st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True)
        return token, data.draw(st.one_of(own, own, other))

    @invariant()
    def nothing_is_lost_and_nothing_was_written_by_a_zombie(self) -> None:
        """Every message is either waiting or settled, and the peer sees exactly the replies that were accepted."""
        if not hasattr(self, "world"):
            return
        assert self.sent == len(self.waiting) + len(self.settled)
        seen = self.run(self.world.hub.messages.page(self.world.b.token, self.world.contact_id, 0))
        mine = [each for each in seen.messages if each.sender_role_id == self.world.a1.role_id]
        assert self.replies == len(mine)

    @invariant()
    def the_state_says_the_same(self) -> None:
        """`delivery.state` of the reader follows from the model."""
        if not hasattr(self, "world"):
            return
        reader: Instance = self.instances[0]
        leased = [each for each in self.waiting if each in self.holder and self.live(self.holder[each])]
        state = self.run(reader.state(self.world.contact_id))
        assert (state == "processing") == bool(leased)
        assert (state == "awaiting_local") == (not leased and bool(self.waiting or not (self.sent or self.replies)))


class TestLeasesBriefly(LeaseMachine.TestCase):  # type: ignore[misc]
    """A few walks, for the quick suite."""

    settings = settings(max_examples=10, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
class TestLeases(LeaseMachine.TestCase):  # type: ignore[misc]
    """Many walks."""

    settings = settings(
        max_examples=100, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
    )
