"""Delegations on both engines: published, found, answered by a contact that names one, closed, expired, forgotten."""

from __future__ import annotations

import msgspec
import pytest

from dragoman import wire
from dragoman.clock import DAY, HOUR
from dragoman.hub import finding
from tests.hub.test_directory import member, refused, subscribe, told
from tests.hub.world import Instance, World

pytestmark = pytest.mark.anyio


async def publish(
    who: Instance, publish_id: str = "pub_00001", title: str = "Need a translator 翻译", **more: object
) -> wire.Entry:
    """Publish a delegation for an hour."""
    asked = {"publish_id": publish_id, "generation": who.generation, "title": title, "expires_at": 0, **more}
    if not asked["expires_at"]:
        asked["expires_at"] = who.hub.desk.clock.now() + HOUR
    return await who.hub.delegations.publish(who.token, msgspec.convert(asked, wire.PublishDelegation))


async def answer(who: Instance, peer: Instance, delegation_id: str, open_id: str = "open_9001") -> wire.Contact:
    """Open a contact that names a delegation."""
    body = wire.OpenContact(
        open_id=open_id, peer_role_id=peer.role_id, generation=who.generation, delegation_id=delegation_id
    )
    return await who.hub.contacts.open(who.token, body)


async def close(who: Instance, delegation_id: str) -> wire.Entry:
    """Take a delegation back."""
    body = wire.CloseDelegation(generation=who.generation)
    return await who.hub.delegations.close(who.token, delegation_id, body)


async def found(who: Instance, query: str = "") -> list[str]:
    """The ids of the delegations that a search finds."""
    page = await who.hub.directory.search(who.token, wire.EntryKind.DELEGATION, query, [], None)
    return [each.entry_id for each in page.entries]


async def answers_told(who: Instance) -> list[tuple[str | None, str | None, str | None]]:
    """Which answers a role was told of."""
    page = await who.hub.events.page(who.token, 0, ["delegation_answered"])
    return [(each.facts.delegation_id, each.facts.contact_id, each.facts.role_id) for each in page.events]


async def test_a_delegation_is_found_and_answered(world: World) -> None:
    """Found like a stall but apart from stalls; its role is told of the contact that answers, once."""
    made = await publish(world.a1)
    assert [made.entry_id] == await found(world.b, "翻译 translator")
    assert [] == (await world.hub.directory.search(world.b.token, wire.EntryKind.STALL, "翻译", [], None)).entries

    contact = await answer(world.b, world.a1, made.entry_id)
    again = await answer(world.b, world.a1, made.entry_id)
    assert (made.entry_id, contact.contact_id, True) == (contact.delegation_id, again.contact_id, again.replayed)
    assert [(made.entry_id, contact.contact_id, world.b.role_id)] == await answers_told(world.a1)
    seen = await world.hub.contacts.one(world.a1.token, contact.contact_id)
    assert (made.entry_id, False) == (seen.delegation_id, seen.opened_by_me)


async def test_publishing_twice_is_one_delegation(world: World) -> None:
    """The same id with the same words is the first; with other words a conflict."""
    first = await publish(world.a1)
    again = await publish(world.a1)

    assert (first.entry_id, True) == (again.entry_id, again.replayed)
    assert "publish_id_conflict" == await refused(publish(world.a1, title="Something else"))
    assert 1 == len(await found(world.b))


async def test_an_ended_delegation_takes_no_answers(world: World) -> None:
    """Closed or expired it is not found, not shown to others and not answered; its contacts go on."""
    one, two = await publish(world.a1, "pub_00001"), await publish(world.a1, "pub_00002", "Another")
    contact = await answer(world.b, world.a1, one.entry_id)
    closed = await close(world.a1, one.entry_id)

    assert (False, [two.entry_id]) == (closed.open, await found(world.b))
    assert (await close(world.a1, one.entry_id)).replayed
    assert "delegation_ended" == await refused(answer(world.b, world.a1, one.entry_id, "open_9002"))
    assert "entry_unknown" == await refused(world.hub.delegations.one(world.b.token, one.entry_id))
    await world.b.send(contact.contact_id, "rep_00001")
    world.clock.pass_ms(HOUR)
    await world.a1.log_in()
    await world.b.log_in()
    assert [] == await found(world.b)
    assert "delegation_ended" == await refused(answer(world.b, world.a1, two.entry_id, "open_9003"))
    mine = (await world.hub.delegations.mine(world.a1.token, None)).entries
    assert [(two.entry_id, False), (one.entry_id, False)] == [(each.entry_id, each.open) for each in mine]


async def test_an_answer_goes_to_its_publisher_alone(world: World) -> None:
    """Naming a delegation towards another role, or one that does not exist, opens nothing; nor does one's own."""
    made = await publish(world.a1)
    third = await member(world, "third")

    assert "entry_unknown" == await refused(answer(world.b, third, made.entry_id))
    assert "entry_unknown" == await refused(answer(world.b, world.a1, f"del_{0:032x}"))
    assert "role_unknown" == await refused(answer(world.a1, world.a1, made.entry_id))
    assert "entry_unknown" == await refused(close(world.b, made.entry_id))
    assert [] == await answers_told(world.a1)


async def test_an_open_id_with_another_delegation_is_another_contact(world: World) -> None:
    """So an answer is never taken for a contact that was opened without one."""
    made = await publish(world.a1)
    await answer(world.b, world.a1, made.entry_id)
    plain = wire.OpenContact(open_id="open_9001", peer_role_id=world.a1.role_id, generation=world.b.generation)

    assert "open_id_conflict" == await refused(world.hub.contacts.open(world.b.token, plain))


async def test_subscribers_are_told_of_delegations_that_they_asked_for(world: World) -> None:
    """A saved search for delegations, and not one for stalls."""
    await subscribe(world.b, "翻译", kind="delegation")
    third = await member(world, "third")
    await subscribe(third, "翻译")
    await publish(world.a1)

    assert ([(world.a1.role_id, 1)], []) == (await told(world.b), await told(third))


async def test_expiry_is_ahead_but_not_far(world: World) -> None:
    """A delegation ends between now and the longest time."""
    now = world.clock.now()
    for ends in (now, now - HOUR, now + finding.DELEGATION_MS + 1):
        assert "expiry_invalid" == await refused(publish(world.a1, expires_at=ends))
    assert (await publish(world.a1, expires_at=now + finding.DELEGATION_MS)).open


async def test_open_delegations_are_bounded_and_old_ones_forgotten(world: World) -> None:
    """So many stand open at a time; what ended long ago makes room when its role publishes again."""
    for number in range(finding.DELEGATIONS):
        await publish(world.a1, f"pub_{number:05}")
    assert "too_many" == await refused(publish(world.a1, "pub_99999"))
    world.clock.pass_ms(HOUR)
    await world.a1.log_in()
    newest = await publish(world.a1, "pub_99998")
    assert finding.DELEGATIONS == len((await world.hub.delegations.mine(world.a1.token, None)).entries)
    world.clock.pass_ms(finding.ENDED_MS + DAY)
    await world.a1.log_in()
    await world.b.log_in()
    last = await publish(world.a1, "pub_99997")

    mine = (await world.hub.delegations.mine(world.a1.token, None)).entries
    assert [last.entry_id] == [each.entry_id for each in mine]
    assert newest.entry_id not in await found(world.b)
