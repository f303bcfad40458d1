"""Blocks on both engines: nothing passes between two roles while one stands, and neither is told more than that."""

from __future__ import annotations

import asyncio

import pytest

from dragoman import wire
from dragoman.hub import rows
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Transaction
from tests.hub.test_delegations import answer, found, publish
from tests.hub.test_directory import member, put, refused, search, subscribe, told
from tests.hub.world import Instance, World

pytestmark = pytest.mark.anyio


async def block(who: Instance, other: Instance) -> wire.Block:
    """Block a role."""
    return await who.hub.blocks.set(who.token, wire.SetBlock(generation=who.generation, role_id=other.role_id))


async def lift(who: Instance, other: Instance) -> wire.Block:
    """Lift a block."""
    return await who.hub.blocks.lift(who.token, other.role_id, wire.LiftBlock(generation=who.generation))


async def open_contact(who: Instance, other: Instance, open_id: str) -> wire.Contact:
    """Open a contact."""
    body = wire.OpenContact(open_id=open_id, peer_role_id=other.role_id, generation=who.generation)
    return await who.hub.contacts.open(who.token, body)


async def test_nothing_passes_while_a_block_stands(world: World) -> None:
    """No new contact and no message, in either direction; what was taken before can still be fetched."""
    await world.b.send(world.contact_id, "rep_00001", "before")
    await block(world.a1, world.b)

    for who, other in ((world.b, world.a1), (world.a1, world.b)):
        assert "contact_blocked" == await refused(who.send(world.contact_id, "rep_00002"))
        assert "contact_blocked" == await refused(open_contact(who, other, "open_0002"))
    assert ["before"] == [each.text for each in (await world.a1.lease()).messages]
    third = await member(world, "third")
    assert (await open_contact(world.b, third, "open_0003")).contact_id


async def test_a_repeated_request_is_answered_as_before(world: World) -> None:
    """What was accepted before the block was accepted: the same id tells so, and adds nothing."""
    first = await world.b.send(world.contact_id, "rep_00001")
    await block(world.a1, world.b)
    again = await world.b.send(world.contact_id, "rep_00001")

    assert (first.message_id, True) == (again.message_id, again.replayed)
    assert (await open_contact(world.a1, world.b, "open_0001")).replayed


async def test_a_block_beats_a_delegation_and_a_search(world: World) -> None:
    """Neither finds the other's entries, is told of them, or may answer them."""
    made = await publish(world.a1)
    await put(world.a1, "tea")
    await subscribe(world.b, "coffee")
    await subscribe(world.a1, "juice")
    await block(world.a1, world.b)
    await put(world.a1, "coffee")
    await put(world.b, "juice")

    assert (["juice"], []) == ([each.title for each in (await search(world.b)).entries], await found(world.b))
    assert ["coffee"] == [each.title for each in (await search(world.a1)).entries]
    assert ([], []) == (await told(world.b), await told(world.a1))
    assert "contact_blocked" == await refused(answer(world.b, world.a1, made.entry_id))
    assert "entry_unknown" == await refused(world.hub.delegations.one(world.b.token, made.entry_id))
    assert "entry_unknown" == await refused(world.hub.directory.of_role(world.b.token, world.a1.role_id))
    third = await member(world, "third")
    assert 2 == len((await search(third)).entries)


async def test_lifting_a_block_opens_the_way_again(world: World) -> None:
    """Once both sides' blocks are gone messages are taken as before; lifting twice changes nothing."""
    await block(world.a1, world.b)
    await block(world.b, world.a1)
    assert (await block(world.a1, world.b)).replayed
    await lift(world.a1, world.b)
    assert "contact_blocked" == await refused(world.b.send(world.contact_id, "rep_00001"))
    await lift(world.b, world.a1)

    assert (await world.b.send(world.contact_id, "rep_00001")).seq == 1
    assert (await lift(world.b, world.a1)).replayed


async def test_only_the_one_who_blocks_sees_it(world: World) -> None:
    """The other's list is empty, and the contact looks as it did."""
    before = await world.hub.contacts.one(world.b.token, world.contact_id)
    await block(world.a1, world.b)

    assert [(world.b.role_id, True)] == [
        (each.role_id, each.blocked) for each in (await world.hub.blocks.page(world.a2.token, "")).blocks
    ]
    assert [] == (await world.hub.blocks.page(world.b.token, "")).blocks
    assert before == await world.hub.contacts.one(world.b.token, world.contact_id)


async def test_who_may_block(world: World) -> None:
    """The primary instance, a role that exists, not itself."""
    assert "instance_read_only" == await refused(block(world.a2, world.b))
    assert "role_unknown" == await refused(block(world.a1, world.a1))
    nobody = wire.SetBlock(generation=world.a1.generation, role_id=f"role_{0:032x}")
    assert "role_unknown" == await refused(world.hub.blocks.set(world.a1.token, nobody))


async def test_sends_that_come_together_are_blocked_each_by_itself(world: World) -> None:
    """One batch holds sends into a blocked contact and into another: only the former are refused."""
    third = await member(world, "third")
    other = await open_contact(world.b, third, "open_0004")
    await block(world.a1, world.b)
    sends = [
        world.b.send(contact, f"rep_{number:05}")
        for number, contact in enumerate([world.contact_id, other.contact_id] * 5)
    ]
    ended = await asyncio.gather(*sends, return_exceptions=True)

    expected = ["contact_blocked", "sent"] * 5
    assert expected == [each.code if isinstance(each, Refusal) else "sent" for each in ended]


async def test_a_block_waits_for_the_writes_under_way(world: World, engine: str) -> None:
    """With several writers a block is answered only after what the blocked role has begun to write is committed."""
    if engine == "sqlite":
        return  # one writer: nothing is under way beside it
    begun, end = asyncio.Event(), asyncio.Event()

    async def write(tx: Transaction) -> None:
        await rows.callers(tx, [world.b.token])
        begun.set()
        await end.wait()

    writing = asyncio.ensure_future(world.store.write(write))
    await begun.wait()
    blocking = asyncio.ensure_future(block(world.a1, world.b))
    await asyncio.sleep(0.3)
    waited = not blocking.done()
    end.set()
    await asyncio.gather(writing, blocking)

    assert waited


async def test_after_a_block_is_answered_no_send_gets_through(world: World) -> None:
    """Sends race with the block: what was taken, was taken before the block's answer; afterwards nothing is."""
    sends = [asyncio.ensure_future(world.b.send(world.contact_id, f"rep_{number:05}")) for number in range(40)]
    await block(world.a1, world.b)
    at_answer = (await world.hub.messages.page(world.a1.token, world.contact_id, 0)).messages
    ended = await asyncio.gather(*sends, return_exceptions=True)
    taken = [each for each in ended if isinstance(each, wire.Sent)]

    assert len(at_answer) == len(taken)
    assert {"contact_blocked"} >= {each.code for each in ended if isinstance(each, Refusal)}
