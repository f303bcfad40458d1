"""Where conversations stand, self-reports, readiness and marks, on a furnished hub of each engine."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dragoman import wire
from dragoman.clock import DAY, HOUR, MINUTE, SECOND
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub
from tests.hub.world import Instance, World

pytestmark = pytest.mark.anyio


async def report(world: World, who: Instance, **said: Any) -> wire.Receiver:
    """A whole report of `who` in perfect shape, changed by `said`."""
    now = world.clock.now()
    passed = {"at": now - DAY, "command": "h1", "command_now": "h1"}
    body = {
        "generation": who.generation,
        "sent_at": now,
        "version": "1.0",
        "mode": "autonomous",
        "background_at": now - MINUTE,
        "handler": passed,
        "notifier": passed,
        "scope_until": now + DAY,
        "may_reply": True,
    }
    return await world.hub.reports.put(who.token, msgspec.convert(body | said, wire.ReportReceiver))


async def seen(world: World, who: Instance, contact_id: str | None = None) -> wire.Communication:
    return await world.hub.communication.one(who.token, contact_id or world.contact_id)


async def level(world: World, who: Instance) -> tuple[str, list[str]]:
    found = (await world.hub.reports.readiness(who.token)).autonomy
    return found.level.value, found.blockers


async def both(world: World) -> tuple[str, str]:
    return await world.a1.state(world.contact_id), await world.b.state(world.contact_id)


# --- the states of a conversation ------------------------------------------------------------------------------------


async def test_a_conversation_from_both_sides(world: World) -> None:
    """From opening to closing, every state that needs no limits, as either side sees it."""
    a, b, contact = world.a1, world.b, world.contact_id
    walked = [await both(world)]
    await a.send(contact, "reply-0001")
    walked.append(await both(world))
    leased = await b.lease()
    walked.append(await both(world))
    waiting = [{"contact_id": contact, "waits_for": "gate", "since": world.clock.now()}]
    await report(world, b, waiting=waiting)
    walked.append(await both(world))
    await report(world, b, waiting=[waiting[0] | {"waits_for": "owner"}])
    walked.append(await both(world))
    assert leased.lease is not None
    await b.ack(leased.lease.lease_token, *(each.message_id for each in leased.messages))
    walked.append(await both(world))
    await report(world, b, waiting=[])
    walked.append(await both(world))
    await b.send(contact, "reply-0002", complete=True)
    walked.append(await both(world))
    await world.hub.contacts.close(b.token, contact, wire.CloseContact(generation=b.generation))
    walked.append(await both(world))

    assert [
        ("awaiting_local", "awaiting_peer_reply"),
        ("awaiting_peer_pickup", "awaiting_local"),
        ("peer_processing", "processing"),
        ("peer_processing", "waiting_owner"),
        ("peer_waiting_owner", "waiting_owner"),
        ("peer_waiting_owner", "waiting_owner"),
        ("awaiting_peer_reply", "awaiting_peer_reply"),
        ("completed", "completed"),
        ("closed", "closed"),
    ] == walked


async def test_a_wait_for_the_owner_does_not_end_by_time_but_by_a_takeover(world: World) -> None:
    """A week of silence changes nothing: an owner who is away does not answer by time. Another generation's word
    does."""
    waiting = [{"contact_id": world.contact_id, "waits_for": "owner", "since": world.clock.now()}]
    await report(world, world.a1, waiting=waiting)
    world.clock.pass_ms(7 * DAY)
    await world.a1.log_in()
    await world.b.log_in()
    after_a_week = await both(world)
    await world.a2.log_in(takeover=True)

    assert ("waiting_owner", "peer_waiting_owner") == after_a_week
    assert "awaiting_local" == await world.a2.state(world.contact_id)


async def test_nobody_reports_for_a_contact_of_others(world: World) -> None:
    """What a role says of a contact that is not its own is dropped; the report itself stands."""
    stranger = wire.Waiting(contact_id=f"con_{9:032x}", waits_for=wire.WaitsFor.OWNER)
    kept = await report(world, world.a1, waiting=[msgspec.to_builtins(stranger)])

    assert [] == kept.waiting


async def test_reply_limits_are_a_state_with_an_end(tmp_path: Any, engine: str, request: Any) -> None:
    """Six replies in an hour: the seventh would be refused, and the state says when it may go, but only while there is
    something to say."""
    from dragoman.hub.wake import Bell
    from tests.hub.world import store_for

    cluster = request.getfixturevalue("postgres") if engine == "postgres" else None
    bell = Bell()
    limited = World(store_for(engine, tmp_path / "limited", cluster, bell), bell, wire.Limits())
    await limited.furnish()
    a, b, contact = limited.a1, limited.b, limited.contact_id
    first = limited.clock.now()
    for number in range(6):
        await a.send(contact, f"reply-000{number}")
        limited.clock.pass_ms(MINUTE)
    nothing_to_say = await a.state(contact)
    await b.send(contact, "theirs-0001")
    delivery = (await seen(limited, a)).delivery
    with pytest.raises(Refusal) as refused:
        await a.send(contact, "reply-0006")
    limited.clock.pass_ms(first + HOUR - limited.clock.now())
    await a.log_in()
    later = await a.state(contact)
    await limited.store.close()

    assert "awaiting_peer_pickup" == nothing_to_say
    assert ("reply_limited", "回复限额", first + HOUR) == (delivery.state.value, delivery.state_zh, delivery.retry_at)
    assert ("reply_limited", first + HOUR) == (refused.value.code, refused.value.retry_at)
    assert "awaiting_local" == later


async def test_what_the_peer_may_know_of_a_receiver(world: World) -> None:
    """Whether its present primary instance reported itself lately; an old report and a superseded one say no."""
    before = (await seen(world, world.a1)).peer_receiver
    await report(world, world.b)
    reported = (await seen(world, world.a1)).peer_receiver
    world.clock.pass_ms(4 * MINUTE)
    aged = (await seen(world, world.a1)).peer_receiver

    assert [False, True, False] == [each.reported_recently for each in (before, reported, aged)]


async def test_the_status_shows_the_newest_fifty(world: World) -> None:
    """R088: 52 open conversations: the 50 with the newest word, newest first, and `truncated`; a closed one is not
    among them, and any other is asked for by its id."""
    a, b = world.a1, world.b
    contacts = [world.contact_id]
    for number in range(52):
        body = wire.OpenContact(open_id=f"open_x{number:04}", peer_role_id=b.role_id, generation=a.generation)
        contacts.append((await world.hub.contacts.open(a.token, body)).contact_id)
        world.clock.pass_ms(SECOND)
    await world.hub.contacts.close(a.token, contacts[-1], wire.CloseContact(generation=a.generation))
    await b.send(contacts[0], "theirs-0001")
    status = await world.hub.communication.newest(a.token)
    listed = [each.contact_id for each in status.conversations]
    missing = set(contacts[:-1]) - set(listed)

    assert (50, True) == (len(listed), status.truncated)
    assert [contacts[0], *reversed(contacts[3:-1])] == listed[: len(contacts) - 3]
    assert {contacts[1], contacts[2]} == missing
    assert "awaiting_local" == (await seen(world, a, contacts[1])).delivery.state
    assert "awaiting_local" == status.conversations[0].delivery.state


async def test_the_status_agrees_with_each_conversation(world: World) -> None:
    """Asked together or one by one, every conversation stands the same."""
    await world.a1.send(world.contact_id, "reply-0001")
    for who in (world.a1, world.b):
        status = await world.hub.communication.newest(who.token)
        alone = [await seen(world, who, each.contact_id) for each in status.conversations]
        assert alone == status.conversations
        assert not status.truncated


# --- readiness -------------------------------------------------------------------------------------------------------


async def test_readiness_climbs_by_evidence_and_falls_without_it(world: World) -> None:
    """Nothing, then a report, then a poll: all of it is there. R098: two minutes after the last poll it is
    `configured`, whatever else the role does."""
    nothing = await level(world, world.a1)
    await report(world, world.a1)
    configured = await level(world, world.a1)
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    whole = await level(world, world.a1)
    world.clock.pass_ms(121 * SECOND)
    await world.a1.send(world.contact_id, "reply-0001")
    await world.a1.log_in()
    await report(world, world.a1)
    fallen = await level(world, world.a1)

    assert "none" == nothing[0]
    assert ("configured", ["poll"]) == configured
    assert ("autonomous_reported", []) == whole
    assert ("configured", ["poll"]) == fallen


async def test_an_old_client_is_configured_and_no_more(world: World) -> None:
    """A report that names no version, with a poll a second ago: an old client, whatever it claims. One that names its
    version and claims nothing reaches what the hub itself has seen."""
    bare = {"handler": None, "notifier": None, "background_at": None, "scope_until": None, "may_reply": False}
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    await report(world, world.a1, version="")
    old = await level(world, world.a1)
    await report(world, world.a1, mode="attended", **bare)
    new = await level(world, world.a1)

    assert ("configured", []) == old
    assert ("reachable", ["notification", "background", "handler", "scope", "reply_authority"]) == new


async def test_renewing_a_lease_keeps_a_busy_receiver_reachable(world: World) -> None:
    """R099: a handler that works for ten minutes polls nothing; its renewals count, and being busy under a live lease
    stands for background cycles."""
    await world.b.send(world.contact_id, "theirs-0001")
    lease = (await world.a1.lease()).lease
    assert lease is not None
    for _ in range(10):
        world.clock.pass_ms(MINUTE)
        await world.a1.renew(lease.lease_token)
    await world.a1.log_in()
    await report(world, world.a1, background_at=world.clock.now() - 11 * MINUTE)
    busy = await level(world, world.a1)
    world.clock.pass_ms(3 * MINUTE)
    silent = await level(world, world.a1)

    assert ("autonomous_reported", []) == busy
    assert ("configured", ["poll", "background"]) == silent


async def test_a_takeover_ends_what_was_reported(world: World) -> None:
    """The old primary's report and polls say nothing of the new one; the old one can report no more."""
    await report(world, world.a1)
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    await world.a2.log_in(takeover=True)
    after = await level(world, world.a2)
    with pytest.raises(Refusal) as refused:
        await report(world, world.a1)

    assert ("none", ["primary_instance", "poll"]) == after
    assert "instance_superseded" == refused.value.code


async def test_a_read_only_instance_reports_nothing(world: World) -> None:
    """Only the primary instance speaks for the role; any of its instances may read what was said."""
    await report(world, world.a1)
    with pytest.raises(Refusal) as refused:
        await report(world, world.a2)

    assert "instance_read_only" == refused.value.code
    assert world.a1.instance_id == (await world.hub.reports.get(world.a2.token)).instance_id


async def test_a_wrong_clock_makes_evidence_no_newer(world: World) -> None:
    """A reporter a day ahead: its moments are moved by the difference; what it claims of the future is now, at most."""
    ahead = world.clock.now() + DAY
    passed = {"at": ahead - 8 * DAY, "command": "h", "command_now": "h"}
    await report(world, world.a1, sent_at=ahead, handler=passed, background_at=ahead + HOUR, scope_until=ahead + HOUR)
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    there = await level(world, world.a1)
    world.clock.pass_ms(4 * MINUTE)
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    fresh = await level(world, world.a1)
    world.clock.pass_ms(2 * MINUTE)
    await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    aged = await level(world, world.a1)

    assert ("attended", ["handler"]) == there == fresh
    assert ("attended", ["background", "handler", "scope", "reply_authority"]) == aged


async def test_polls_are_written_down_now_and_then(world: World) -> None:
    """A hundred polls are one row, written when the pulse is flushed; another process of the hub reads it there."""
    await report(world, world.a1)
    commits = world.store.commits
    for _ in range(100):
        await world.hub.leases.waiting(world.a1.token, wire.TakeLease(generation=world.a1.generation))
    idle = world.store.commits - commits
    other = Hub(world.hub.desk)
    before = (await other.reports.readiness(world.a1.token)).autonomy
    written = [await world.hub.pulse.flush(), await world.hub.pulse.flush()]
    after = (await other.reports.readiness(world.a1.token)).autonomy

    assert 0 == idle
    assert ["poll"] == before.blockers
    assert [1, 0] == written
    assert (world.clock.now(), []) == (after.polled_at, after.blockers)


async def test_a_pulse_of_a_clock_that_was_wrong_does_not_last(world: World) -> None:
    """A hub whose clock ran a day ahead for a moment: its pulse of tomorrow counts for nothing, and the next true one
    takes its place."""
    await report(world, world.a1)
    wanted = wire.TakeLease(generation=world.a1.generation)
    world.clock.pass_ms(5 * MINUTE)
    await world.hub.leases.waiting(world.a1.token, wanted)
    await world.hub.pulse.flush()
    world.clock.pass_ms(-5 * MINUTE)
    other = Hub(world.hub.desk)
    ahead = (await other.reports.readiness(world.a1.token)).autonomy.blockers
    await other.leases.waiting(world.a1.token, wanted)
    await other.pulse.flush()
    third = (await Hub(world.hub.desk).reports.readiness(world.a1.token)).autonomy.blockers

    assert (["poll"], []) == (ahead, third)


# --- marks -----------------------------------------------------------------------------------------------------------


def marks(who: Instance, grant_id: str, ledger: str, **counts: int) -> wire.RaiseMarks:
    return wire.RaiseMarks(generation=who.generation, grant_id=grant_id, ledger_id=ledger, counts=counts)


async def test_marks_only_rise(world: World) -> None:
    """Lower counts change nothing, the first ledger's name stays, and another grant has marks of its own."""
    put, get = world.hub.reports.raise_marks, world.hub.reports.marks
    never = await get(world.a1.token, "grant-1")
    first = await put(world.a1.token, marks(world.a1, "grant-1", "ledger-a", uses=5, all=9))
    lower = await put(world.a1.token, marks(world.a1, "grant-1", "ledger-b", uses=2, all=12))

    assert (None, {}) == (never.ledger_id, never.counts)
    assert ("ledger-a", {"uses": 5, "all": 9}) == (first.ledger_id, first.counts)
    assert ("ledger-a", {"uses": 5, "all": 12}) == (lower.ledger_id, lower.counts)
    assert lower == await get(world.a2.token, "grant-1")
    assert {} == (await get(world.a1.token, "grant-2")).counts
    assert {} == (await get(world.b.token, "grant-1")).counts


async def test_only_the_primary_raises_marks(world: World) -> None:
    """A superseded instance raises nothing."""
    await world.a2.log_in(takeover=True)
    with pytest.raises(Refusal) as refused:
        await world.hub.reports.raise_marks(world.a1.token, marks(world.a1, "grant-1", "ledger-a", uses=5))

    assert "instance_superseded" == refused.value.code
