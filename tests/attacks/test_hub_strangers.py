"""One role at the things of two others, with every id that it could have learnt: attempts, and the no that they get.

The attacker C is a logged-in role; A and B talk to each other, A has published, subscribed, blocked, reported. C knows
every id of theirs. Afterwards all that A and B have is as it was.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from dragoman import wire
from dragoman.clock import DAY
from dragoman.hub.admin import Admin
from dragoman.hub.porter import FACE_MS, Porter
from dragoman.hub.rates import Rate, Rates, address_of, is_here
from tests.attacks.hubs import code_of, ended, newcomer
from tests.hub.test_keys import NEW, ending, recovery
from tests.hub.world import Instance, World

pytestmark = pytest.mark.anyio


class Theirs:
    """What A and B have, and C's knowledge of it."""

    def __init__(self, world: World, c: Instance) -> None:
        self.world, self.c = world, c
        self.a, self.b, self.hub = world.a1, world.b, world.hub
        self.contact_id = world.contact_id
        self.lease = ""
        self.message_id = ""
        self.subscription_id = ""
        self.delegation_id = ""
        self.hidden_id = ""

    async def furnish(self) -> None:
        a, hub, common = self.a, self.hub, {"generation": self.a.generation}
        await a.send(self.contact_id, "rep_of_a_0001", "a word of A")
        got = await self.b.lease()
        assert got.lease is not None
        self.lease, self.message_id = got.lease.lease_token, got.messages[0].message_id
        await hub.directory.put(a.token, wire.PutStall(title="closed", open=False, **common))
        made = await hub.subscriptions.add(a.token, wire.Subscribe(query="secret search", **common))
        self.subscription_id = made.subscription_id
        ends = self.world.clock.now() + DAY
        for name in ("open", "hidden"):
            body = wire.PublishDelegation(publish_id=f"pub_{name}_01", title=name, expires_at=ends, **common)
            entry = await hub.delegations.publish(a.token, body)
            if name == "open":
                self.delegation_id = entry.entry_id
            else:
                self.hidden_id = entry.entry_id
                await hub.delegations.close(a.token, entry.entry_id, wire.CloseDelegation(**common))
        await hub.reports.put(a.token, wire.ReportReceiver(sent_at=self.world.clock.now(), version="1", **common))
        marks = wire.RaiseMarks(grant_id="grant_of_a", ledger_id="one", counts={"turns": 3}, **common)
        await hub.reports.raise_marks(a.token, marks)

    async def everything(self) -> list[bytes]:
        """All that A and B can see of their own, as it stands."""
        hub, found = self.hub, []
        for me in (self.a, self.b):
            found += [
                await hub.contacts.page(me.token, 0),
                await hub.messages.page(me.token, self.contact_id, 0),
                await hub.communication.one(me.token, self.contact_id),
                await hub.subscriptions.all(me.token),
                await hub.delegations.mine(me.token, None),
                await hub.blocks.page(me.token, ""),
                await hub.reports.get(me.token),
                await hub.reports.marks(me.token, "grant_of_a"),
                await hub.events.page(me.token, 0, None),
                await hub.entrance.me(me.token),
            ]
        return [msgspec.json.encode(each) for each in found]


Attempt = Callable[[Theirs, Instance], Awaitable[Any]]


def _send(t: Theirs, c: Instance, **more: object) -> Awaitable[Any]:
    return c.send(t.contact_id, "rep_of_c_0001", **more)


ATTEMPTS: list[tuple[str, Attempt, str]] = [
    ("see a contact", lambda t, c: t.hub.contacts.one(c.token, t.contact_id), "contact_unknown"),
    ("read its messages", lambda t, c: t.hub.messages.page(c.token, t.contact_id, 0), "contact_unknown"),
    ("ask where it stands", lambda t, c: t.hub.communication.one(c.token, t.contact_id), "contact_unknown"),
    ("write into it", _send, "contact_unknown"),
    ("write into it under their lease", lambda t, c: _send(t, c, lease_token=t.lease), "contact_unknown"),
    (
        "close it",
        lambda t, c: t.hub.contacts.close(c.token, t.contact_id, wire.CloseContact(generation=c.generation)),
        "contact_unknown",
    ),
    ("ask for a reply id", lambda t, c: t.hub.messages.reply(c.token, "rep_of_a_0001"), "reply_unknown"),
    ("ack a message", lambda t, c: c.ack(t.lease, t.message_id), "lease_lost"),
    ("release a message", lambda t, c: c.release(t.lease, t.message_id), "lease_lost"),
    ("renew a lease", lambda t, c: c.renew(t.lease), "lease_lost"),
    ("ack as the one who sent it", lambda t, c: t.a.ack(t.lease, t.message_id), "lease_lost"),
    ("see a closed stall", lambda t, c: t.hub.directory.of_role(c.token, t.a.role_id), "entry_unknown"),
    ("see a closed delegation", lambda t, c: t.hub.delegations.one(c.token, t.hidden_id), "entry_unknown"),
    (
        "close a delegation",
        lambda t, c: t.hub.delegations.close(c.token, t.delegation_id, wire.CloseDelegation(generation=c.generation)),
        "entry_unknown",
    ),
    (
        "answer a delegation towards another role",
        lambda t, c: t.hub.contacts.open(
            c.token,
            wire.OpenContact(
                open_id="open_of_c_01",
                peer_role_id=t.b.role_id,
                generation=c.generation,
                delegation_id=t.delegation_id,
            ),
        ),
        "entry_unknown",
    ),
    (
        "end a subscription",
        lambda t, c: t.hub.subscriptions.end(c.token, t.subscription_id, wire.EndSubscription(generation=c.generation)),
        "subscription_unknown",
    ),
    (
        "write under a generation of theirs",
        lambda t, c: t.hub.messages.send(
            c.token, t.contact_id, wire.SendMessage(reply_id="rep_of_c_0002", generation=2, text="x")
        ),
        "instance_superseded",
    ),
    ("a token one character off", lambda t, c: t.hub.entrance.me(t.a.token[:-1] + "x"), "token_invalid"),
    ("a token in capitals", lambda t, c: t.hub.entrance.me(t.a.token.upper()), "token_invalid"),
    ("the hash of a token", lambda t, c: t.hub.entrance.me("0" * 64), "token_invalid"),
    ("no token", lambda t, c: t.hub.entrance.me(None), "token_missing"),
]


@pytest.fixture
async def theirs(world: World) -> Theirs:
    """A and B with all they have, and C beside them."""
    made = Theirs(world, await newcomer(world, 33))
    await made.furnish()
    return made


async def test_a_stranger_gets_nowhere(theirs: Theirs) -> None:
    """Every attempt has its refusal, the same as for a thing that is not there, and changes nothing."""
    before = await theirs.everything()
    got = [(name, await code_of(attempt(theirs, theirs.c))) for name, attempt, _ in ATTEMPTS]

    assert [(name, code) for name, _, code in ATTEMPTS] == got
    assert before == await theirs.everything()


async def test_a_stranger_counts_nothing(theirs: Theirs) -> None:
    """What C sees of the hub is empty but for what is published; leasing by their ids brings nothing."""
    t, c = theirs, theirs.c
    named = wire.TakeLease(generation=c.generation, message_ids=[t.message_id], contact_ids=[t.contact_id])
    waits = [wire.Waiting(contact_id=t.contact_id, waits_for=wire.WaitsFor.OWNER)]
    report = wire.ReportReceiver(generation=c.generation, sent_at=0, waiting=waits)
    reported = await t.hub.reports.put(c.token, report)
    found = await t.hub.directory.search(c.token, wire.EntryKind.DELEGATION, "", [], None)

    assert [] == (await t.hub.leases.take(c.token, named)).messages
    assert c.role_id == await t.hub.leases.waiting(c.token, named)
    assert [] == (await t.hub.contacts.page(c.token, 0)).contacts
    assert [] == (await t.hub.communication.newest(c.token)).conversations
    assert [] == (await t.hub.events.page(c.token, 0, None)).events
    assert [] == reported.waiting
    assert {} == (await t.hub.reports.marks(c.token, "grant_of_a")).counts
    assert [t.delegation_id] == [each.entry_id for each in found.entries]
    assert "processing" == await t.b.state(t.contact_id)


async def test_their_ids_are_not_taken_by_using_them_first(theirs: Theirs) -> None:
    """Reply ids, open ids, publish ids and grants are each role's own: C uses A's and neither learns of the other."""
    t, c = theirs, theirs.c
    mine = await t.hub.contacts.open(
        c.token, wire.OpenContact(open_id="open_0001", peer_role_id=t.b.role_id, generation=c.generation)
    )
    sent = await c.send(mine.contact_id, "rep_of_a_0001", "of C")
    again = await t.a.send(t.contact_id, "rep_of_a_0001", "a word of A")

    assert (False, False, True) == (mine.replayed, sent.replayed, again.replayed)
    assert t.contact_id != mine.contact_id


async def test_a_stranger_in_a_batch(theirs: Theirs) -> None:
    """Refused sends, acks and polls of C arrive with good ones of A and B: theirs are done as if alone."""
    t, c = theirs, theirs.c
    asks: list[Awaitable[Any]] = []
    for number in range(6):
        asks += [
            t.a.send(t.contact_id, f"rep_good_{number}"),
            c.send(t.contact_id, f"rep_bad_{number}", ack_message_ids=[t.message_id], lease_token=t.lease),
            t.hub.messages.send(None, t.contact_id, c.message(f"rep_none_{number}")),
            t.b.send(t.contact_id, f"rep_back_{number}"),
            c.lease(contact_ids=[t.contact_id]),
            c.ack(t.lease, t.message_id),
        ]
    asks.append(t.b.ack(t.lease, t.message_id))
    answers = await asyncio.gather(*asks, return_exceptions=True)

    assert {"ok": 19, "contact_unknown": 6, "token_missing": 6, "lease_lost": 6} == ended(answers)


async def _revoked(world: World) -> None:
    await world.hub.keys.revoke(await ending(world, world.a1, "revoke"))


async def _recovered(world: World) -> None:
    code = (await Admin(world.hub.desk).recovery_code(world.a1.role_id, DAY)).code
    await world.hub.keys.recover(await recovery(world, world.a1, NEW, code=code))


async def _passed(world: World, ms: int) -> None:
    world.clock.pass_ms(ms)


ENDED: list[tuple[str, Callable[[World], Awaitable[Any]], str]] = [
    ("a takeover", lambda w: w.a2.log_in(takeover=True), "instance_superseded"),
    ("revocation", _revoked, "token_invalid"),
    ("recovery", _recovered, "token_invalid"),
    ("erasure", lambda w: Admin(w.hub.desk).erase(w.a1.role_id), "token_invalid"),
    ("its end", lambda w: _passed(w, 15 * 60_000), "token_expired"),
    ("its end long ago", lambda w: _passed(w, 15 * 60_000 + 2 * DAY), "token_expired"),
]


@pytest.mark.parametrize(("end", "code"), [row[1:] for row in ENDED], ids=[row[0] for row in ENDED])
async def test_a_token_after(world: World, end: Callable[[World], Awaitable[Any]], code: str) -> None:
    """An old token writes nothing, whatever it asks for and whichever generation it names."""
    old, generation = world.a1.token, world.a1.generation
    await world.a1.send(world.contact_id, "rep_before_01")
    got = await world.a1.lease()
    await end(world)
    codes = set()
    for named in (generation, generation + 1, generation + 2):
        message = wire.SendMessage(reply_id="rep_after_001", generation=named, text="x")
        codes |= {
            await code_of(world.hub.messages.send(old, world.contact_id, message)),
            await code_of(world.hub.leases.take(old, wire.TakeLease(generation=named))),
            await code_of(world.hub.blocks.set(old, wire.SetBlock(generation=named, role_id=world.b.role_id))),
            await code_of(world.hub.directory.put(old, wire.PutStall(generation=named, title="x"))),
        }

    assert {code} == codes
    assert got.messages == []


async def test_a_former_token_uses_up_nothing(world: World) -> None:
    """Who was thrown out asks as often as he can: a moment later it is no more the role's rate that he uses."""
    rates = Rates(address=Rate(0.0, 1), role=Rate(1.0, 5))
    porter = Porter(world.store, world.clock, rates=rates, here_only=False)
    thief = world.a1.token
    first = await porter.in_room("203.0.113.7", [], thief)
    await Admin(world.hub.desk).revoke(world.a1.role_id)
    world.clock.pass_ms(FACE_MS)
    afterwards = [await porter.in_room("203.0.113.7", [], thief) for _ in range(20)]

    assert world.a1.role_id == first
    assert {None} == set(afterwards)


ADDRESSES = [
    ("IPv4", "203.0.113.7", [], "203.0.113.7"),
    ("IPv4 by a socket of both kinds", "::ffff:203.0.113.7", [], "203.0.113.7"),
    ("its neighbour", "::ffff:203.0.113.8", [], "203.0.113.8"),
    ("IPv6", "2001:db8::1", [], "2001:db8::"),
    ("a proxy by such a socket", "::ffff:127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
    ("what a caller makes up", "127.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
    ("what a stranger makes up", "203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
    ("not an address", "127.0.0.1", ["a\x00b"], "?"),
]


@pytest.mark.parametrize(("peer", "forwarded", "bucket"), [row[1:] for row in ADDRESSES], ids=[r[0] for r in ADDRESSES])
def test_whose_bucket_it_is(peer: str, forwarded: list[str], bucket: str) -> None:
    """Nobody takes another's, and not all share one, however an address is written."""
    assert bucket == address_of(peer, forwarded, {"127.0.0.1"})


def test_this_machine_by_a_socket_of_both_kinds() -> None:
    """It is this machine."""
    assert (True, False) == (is_here("::ffff:127.0.0.1"), is_here("::ffff:203.0.113.7"))


async def test_many_ask_for_health_at_once(world: World) -> None:
    """A hundred askers in one moment cost the store one write, also when some of them hang up."""
    before = world.store.commits
    asking = [asyncio.ensure_future(world.hub.health()) for _ in range(100)]
    await asyncio.sleep(0)
    asking[0].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking[0]
    answers = await asyncio.gather(*asking[1:])

    assert {"ok"} == {each.status for each in answers}
    assert 1 == world.store.commits - before


async def test_time_is_not_the_callers(world: World) -> None:
    """Renewals end at the cap, however many; a release to the end of time is one to the end of the message's."""
    sent = await world.a1.send(world.contact_id, "rep_of_time_1")
    got = await world.b.lease()
    assert got.lease is not None
    for _ in range(40):
        world.clock.pass_ms(60_000)
        ended_at = await code_of(world.b.renew(got.lease.lease_token))
        if ended_at != "ok":
            break
        await world.b.log_in()
    cap = world.clock.now() - got.server_time
    again = await world.b.lease()
    assert again.lease is not None
    await world.b.release(again.lease.lease_token, again.messages[0].message_id, not_before=2**53 - 1)

    world.clock.pass_ms(7 * DAY - (world.clock.now() - sent.created_at) - 1)
    await world.b.log_in()

    assert ("lease_lost", 30 * 60_000) == (ended_at, cap)
    assert [] == (await world.b.lease()).messages
