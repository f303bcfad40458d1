"""Retention: what expires, what goes, what is told, and what can still be proven, on each engine."""

from __future__ import annotations

import asyncio

import pytest

from dragoman import wire
from dragoman.clock import DAY, MINUTE
from dragoman.hub.desk import Desk
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub
from dragoman.hub.store import Transaction
from dragoman.hub.upkeep import BATCH, old_enough
from tests.hub.world import ORIGIN, World, counted_ids

pytestmark = pytest.mark.anyio

WEEK = 7 * DAY
CAP = wire.Limits().lease_cap_ms


async def texts(world: World) -> list[str]:
    return [each.text for each in (await world.hub.messages.page(world.a1.token, world.contact_id, 0)).messages]


async def told(world: World) -> list[tuple[str, str | None, str | None]]:
    found = await world.hub.events.page(world.a1.token, 0, None)
    return [(each.kind, each.facts.contact_id, each.facts.reply_id) for each in found.events]


async def pass_time(world: World, ms: int) -> None:
    """Time passes, and everybody logs in again."""
    world.clock.pass_ms(ms)
    for each in (world.a1, world.a2, world.b):
        await each.log_in()


async def test_what_nobody_takes_expires_and_its_sender_is_told_once(world: World) -> None:
    """R085: seven days `awaiting_peer_pickup`; then the peer can fetch it no more, and after the longest lease it is
    swept: its words are gone, one event names it, and the conversation names it too. Sweeping again changes nothing."""
    await world.a1.send(world.contact_id, "reply-0001", "an offer")
    await pass_time(world, WEEK - MINUTE)
    waits = await world.a1.state(world.contact_id)
    await world.hub.upkeep.sweep()
    kept = await texts(world)
    await pass_time(world, 2 * MINUTE)
    taken = (await world.b.lease()).messages
    await world.hub.upkeep.sweep()
    early = await told(world)
    await pass_time(world, CAP)
    for _ in range(3):
        await world.hub.upkeep.sweep()
    after = await world.hub.communication.one(world.a1.token, world.contact_id)

    assert ("awaiting_peer_pickup", ["an offer"]) == (waits, kept)
    assert ([], []) == (taken, early)
    assert [("message_expired", world.contact_id, "reply-0001")] == await told(world)
    assert ["reply-0001"] == after.expired
    assert [] == (await world.hub.communication.one(world.b.token, world.contact_id)).expired
    assert ("awaiting_peer_reply", []) == (after.delivery.state, await texts(world))


async def test_what_was_settled_loses_its_words_and_nobody_is_told(world: World) -> None:
    """A message that was read is not expired; after the retention its words go all the same."""
    await world.a1.send(world.contact_id, "reply-0001", "read")
    leased = await world.b.lease()
    assert leased.lease is not None
    await world.b.ack(leased.lease.lease_token, leased.messages[0].message_id)
    await pass_time(world, WEEK + CAP + MINUTE)
    await world.hub.upkeep.sweep()

    assert ([], []) == (await told(world), await texts(world))
    assert "reply-0001" == (await world.hub.messages.reply(world.a1.token, "reply-0001")).reply_id


async def test_what_is_leased_in_the_last_moment_can_still_be_answered(world: World) -> None:
    """A lease of the last minute is renewed to its cap: sweeping beside it takes nothing away, and the answer that
    settles the message is taken."""
    await world.a1.send(world.contact_id, "reply-0001", "late")
    await pass_time(world, WEEK - MINUTE)
    leased = await world.b.lease()
    assert leased.lease is not None
    for _ in range(14):
        world.clock.pass_ms(2 * MINUTE - 1000)
        await world.b.log_in()
        await world.b.renew(leased.lease.lease_token)
        await world.hub.upkeep.sweep()
    sent = await world.b.send(
        world.contact_id,
        "answer-001",
        lease_token=leased.lease.lease_token,
        ack_message_ids=[leased.messages[0].message_id],
    )
    await pass_time(world, CAP)
    await world.hub.upkeep.sweep()

    assert not sent.replayed
    assert [] == await told(world)


async def test_what_can_be_proven_of_a_reply_and_for_how_long(world: World) -> None:
    """Present while its row stands; absent only where absence is proof; else the answer says that proof is gone."""
    minted = world.clock.now()
    ask = world.hub.messages.reply
    await world.a1.send(world.contact_id, "reply-0001")
    await world.a1.send(world.contact_id, "reply-0002")
    codes = []
    for passed in (0, 29 * DAY, 2 * DAY):
        await pass_time(world, passed)
        await world.hub.upkeep.sweep()
        for reply_id in ("reply-0001", "reply-0002", "reply-0003"):
            try:
                await ask(world.a1.token, reply_id, minted)
                codes.append("there")
            except Refusal as refusal:
                codes.append(refusal.code)
    with pytest.raises(Refusal) as young:
        await ask(world.a1.token, "reply-0001", world.clock.now() - DAY)

    assert ["there", "there", "reply_unknown"] * 2 == codes[:6]
    assert ["proof_gone", "there", "proof_gone"] == codes[6:]  # the newest of a sender stays
    assert "reply_unknown" == young.value.code


async def test_a_completed_talk_stays_completed(world: World) -> None:
    """Long after every word has gone, the end is still the end."""
    await world.a1.send(world.contact_id, "reply-0001")
    await world.b.send(world.contact_id, "reply-0002", complete=True)
    await pass_time(world, 60 * DAY)
    for _ in range(3):
        await world.hub.upkeep.sweep()

    assert ["completed", "completed"] == [
        await world.a1.state(world.contact_id),
        await world.b.state(world.contact_id),
    ]


async def test_many_messages_are_taken_in_bounded_steps(world: World) -> None:
    """More messages than one step holds: all of them expire, each told once, and nothing younger is touched."""
    bodies = [world.a1.message(f"reply-{number:04}") for number in range(BATCH + 20)]
    await asyncio.gather(*(world.hub.messages.send(world.a1.token, world.contact_id, body) for body in bodies))
    await pass_time(world, WEEK + CAP + MINUTE)
    await world.a1.send(world.contact_id, "reply-young", "young")
    looked = await world.hub.upkeep.sweep()
    found = await world.hub.communication.one(world.a1.token, world.contact_id)

    assert BATCH + 20 == looked
    assert 20 == len(found.expired)
    assert ["young"] == await texts(world)
    assert "awaiting_peer_pickup" == found.delivery.state


async def test_two_processes_sweep_without_telling_twice(world: World) -> None:
    """Two hubs over one database sweep at the same time: each message expires once and is told once."""
    for number in range(40):
        await world.a1.send(world.contact_id, f"reply-{number:04}")
    await pass_time(world, WEEK + CAP + MINUTE)
    desk = world.hub.desk
    other = Hub(Desk(desk.store, desk.clock, counted_ids(), desk.limits, frozenset({ORIGIN}), desk.bell))
    await asyncio.gather(*(hub.upkeep.sweep() for hub in (world.hub, other, world.hub, other)))
    await world.hub.upkeep.sweep()

    assert 40 == len(await told(world)) == len(set(await told(world)))


async def test_leases_nonces_and_tokens_that_are_over_go(world: World) -> None:
    """A day later nothing of them is left but what the last log-ins made."""
    await world.b.send(world.contact_id, "reply-0001")
    await world.a1.lease()
    world.clock.pass_ms(3 * DAY)
    await world.hub.upkeep.sweep()

    assert ["token_invalid"] * 2 == [await refusal(world, each.token) for each in (world.a1, world.b)]


async def refusal(world: World, token: str) -> str:
    with pytest.raises(Refusal) as refused:
        await world.hub.entrance.me(token)
    return refused.value.code


AGES = [
    ("none", [], []),
    ("all old", [(1, 10), (2, 20)], [1, 2]),
    ("as far as they are old", [(1, 10), (2, 99), (3, 120)], [1, 2]),
    ("an old one behind a young one waits", [(1, 10), (2, 120), (3, 20)], [1]),
    ("one of a clock that ran ahead goes with its neighbours", [(1, 10), (2, 9_999), (3, 20), (4, 150)], [1, 2, 3]),
    ("nothing old behind it: it stays", [(1, 10), (2, 9_999), (3, 150)], [1]),
    ("only such ones", [(1, 9_999)], []),
]


@pytest.mark.parametrize(("messages", "taken"), [row[1:] for row in AGES], ids=[row[0] for row in AGES])
async def test_which_messages_are_old_enough(messages: list[tuple[int, int]], taken: list[int]) -> None:
    """Messages are aged in their order of arrival, from before 100; now is 200."""
    assert taken == old_enough(messages, 100, 200)


async def test_what_is_heard_is_written_down_when_the_hub_ends(world: World) -> None:
    """A poll just before the end of the process is not lost with its memory."""
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    async with world.hub.upkeep.running(lambda: 0.0):
        pass

    async def work(tx: Transaction) -> int | None:
        row = await tx.one("pulse_get", role_id=world.a1.role_id)
        return None if row is None else row["polled_at"]

    assert world.clock.now() == await world.store.read(work)
