"""Limits asked past by requests that come at once, from one process or two: each is exact."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dragoman import wire
from dragoman.clock import DAY, HOUR
from dragoman.hub import finding, reports
from dragoman.hub.service import Hub
from dragoman.hub.store import Transaction
from tests.attacks.hubs import beside, code_of, contact_of, ended, newcomer, second_hub, tight, world_with
from tests.hub.world import Instance, World
from tests.postgres import Cluster

pytestmark = pytest.mark.anyio


@pytest.fixture
def cluster(engine: str, request: pytest.FixtureRequest) -> Cluster | None:
    """A PostgreSQL for the engine that needs one."""
    return request.getfixturevalue("postgres") if engine == "postgres" else None


async def test_a_burst_into_an_empty_contact(engine: str, tmp_path: Path, cluster: Cluster | None) -> None:
    """Forty sends in one batch where nothing was said yet: six are taken, the others are told when to come back."""
    async with world_with(engine, tmp_path, cluster, tight(replies_per_contact_hour=6)) as world:
        sends = [world.a1.send(world.contact_id, f"rep_burst_{number:02}") for number in range(40)]
        answers = await asyncio.gather(*sends, return_exceptions=True)
        refused = next(each for each in answers if not isinstance(each, wire.Sent))

    assert {"ok": 6, "reply_limited": 34} == ended(answers)
    assert world.clock.now() + HOUR == refused.retry_at  # type: ignore[union-attr]


async def test_a_burst_of_a_role_into_many_contacts(engine: str, tmp_path: Path, cluster: Cluster | None) -> None:
    """The day's limit of a role holds over contacts that it writes into at once."""
    async with world_with(engine, tmp_path, cluster, tight(replies_per_role_day=7)) as world:
        contacts = [await contact_of(world.a1, world.b, f"open_{number:05}") for number in range(8)]
        sends = [world.a1.send(contact, f"rep_{number}_{contact[-4:]}") for number in range(3) for contact in contacts]
        answers = await asyncio.gather(*sends, return_exceptions=True)
        world.clock.pass_ms(DAY - 1)
        await world.a1.log_in()
        late = await code_of(world.a1.send(contacts[0], "rep_a_moment_early"))
        world.clock.pass_ms(1)
        again = await asyncio.gather(
            *(world.a1.send(contacts[0], f"rep_next_day_{number}") for number in range(9)), return_exceptions=True
        )

    assert {"ok": 7, "reply_limited": 17} == ended(answers)
    assert "reply_limited" == late
    assert {"ok": 7, "reply_limited": 2} == ended(again)


async def test_what_is_refused_uses_up_nothing(engine: str, tmp_path: Path, cluster: Cluster | None) -> None:
    """In one batch with empty texts, repeats and a read-only instance's tries, the good sends are all taken."""
    async with world_with(engine, tmp_path, cluster, tight(replies_per_contact_hour=6)) as world:
        for number in range(3):
            await world.a1.send(world.contact_id, f"rep_before_{number}")
        sends = []
        for number in range(3):
            sends += [
                world.a1.send(world.contact_id, f"rep_empty_{number}", " "),
                world.a2.send(world.contact_id, f"rep_reader_{number}"),
                world.a1.send(world.contact_id, f"rep_good_{number}"),
                world.a1.send(world.contact_id, f"rep_good_{number}"),
            ]
        answers = await asyncio.gather(*sends, return_exceptions=True)

    assert {"ok": 6, "text_empty": 3, "instance_read_only": 3} == ended(answers)


@pytest.mark.postgres
async def test_two_hubs_count_one_role(tmp_path: Path, postgres: Cluster) -> None:
    """On two processes at once, into contacts that share nothing but the sender: sixty are taken, not one more."""
    async with world_with("postgres", tmp_path, postgres, wire.Limits()) as world, second_hub(world) as other:
        a1s = (world.a1, beside(world.a1, other))
        contacts = [await contact_of(world.a1, world.b, f"open_{number:05}") for number in range(24)]
        sends = [
            a1s[(number + place) % 2].send(contact, f"rep_{place:02}_{number}")
            for number in range(8)
            for place, contact in enumerate(contacts)
        ]
        answers = await asyncio.gather(*sends, return_exceptions=True)

    assert {"ok": 60, "reply_limited": 132} == ended(answers)


@pytest.mark.postgres
async def test_one_reply_id_at_two_hubs_harms_nobody_else(tmp_path: Path, postgres: Cluster) -> None:
    """A role races itself under one reply id in two contacts: one is taken, one conflicts, and what others sent in the
    same batches is taken."""
    async with world_with("postgres", tmp_path, postgres, tight()) as world, second_hub(world) as other:
        third = await newcomer(world, 77)
        mine = [await contact_of(world.a1, world.b, f"open_{number:05}") for number in range(2)]
        theirs = [await contact_of(third, world.b, f"open_{number:05}") for number in range(2)]
        hubs = (world.hub, other)
        own, innocent = [], []
        for round_ in range(20):
            race = [beside(world.a1, hub).send(mine[at], f"rep_race_{round_:04}") for at, hub in enumerate(hubs)]
            calm = [beside(third, hub).send(theirs[at], f"rep_{at}_{round_:04}") for at, hub in enumerate(hubs)]
            answers = await asyncio.gather(*race, *calm, return_exceptions=True)
            own += answers[:2]
            innocent += answers[2:]

    assert {"ok": 20, "reply_id_conflict": 20} == ended(own)
    assert {"ok": 40} == ended(innocent)


Ask = Callable[[Instance, Hub, Instance, int], Awaitable[object]]


def _open(instance: Instance, hub: Hub, peer: Instance, number: int) -> Awaitable[object]:
    return contact_of(beside(instance, hub), peer, f"open_more_{number}")


def _subscribe(instance: Instance, hub: Hub, peer: Instance, number: int) -> Awaitable[object]:
    body = wire.Subscribe(generation=instance.generation, query=f"word{number}x")
    return hub.subscriptions.add(instance.token, body)


def _publish(instance: Instance, hub: Hub, peer: Instance, number: int) -> Awaitable[object]:
    ends = hub.desk.clock.now() + DAY
    body = wire.PublishDelegation(
        publish_id=f"publish_{number}", generation=instance.generation, title="wanted", expires_at=ends
    )
    return hub.delegations.publish(instance.token, body)


def _mark(instance: Instance, hub: Hub, peer: Instance, number: int) -> Awaitable[object]:
    body = wire.RaiseMarks(
        generation=instance.generation, grant_id=f"grant_{number}", ledger_id="one", counts={"turns": 1}
    )
    return hub.reports.raise_marks(instance.token, body)


def _block(instance: Instance, hub: Hub, peer: Instance, number: int) -> Awaitable[object]:
    body = wire.SetBlock(generation=instance.generation, role_id=f"role_{number:032x}")
    return hub.blocks.set(instance.token, body)


AT_ONCE = 16
COUNTED: list[tuple[str, Ask, int, str]] = [
    ("open contacts", _open, 5, "contacts_full"),
    ("subscriptions", _subscribe, finding.SUBSCRIPTIONS, "too_many"),
    ("open delegations", _publish, finding.DELEGATIONS, "too_many"),
    ("grants with marks", _mark, reports.GRANTS, "marks_full"),
    ("blocks", _block, finding.BLOCKS, "too_many"),
]


async def fill(world: World, member: Instance, most: int) -> None:
    """All but two of the grants and blocks that a role may have, and sixteen roles to block."""
    now = world.clock.now()
    role: dict[str, object] = {"role_id": member.role_id}
    marks = [
        {**role, "grant_id": f"older_{number}", "name": "turns", "ledger_id": "one", "n": 1} for number in range(most)
    ]
    blocks = [{"blocker": member.role_id, "blocked": f"role_f{number:031x}", "now": now} for number in range(most)]
    roles = [
        {"role_id": f"role_{number:032x}", "public_key": "", "now": now, "tenant_id": "default"}
        for number in range(AT_ONCE)
    ]

    async def work(tx: Transaction) -> None:
        await tx.many("role_add", roles)
        await tx.many("mark_raise" if most == reports.GRANTS - 2 else "block_add", marks if most < 9000 else blocks)

    await world.store.write(work)


@pytest.mark.postgres
@pytest.mark.parametrize(("ask", "most", "code"), [row[1:] for row in COUNTED], ids=[row[0] for row in COUNTED])
async def test_numbers_are_exact_on_two_hubs(ask: Ask, most: int, code: str, tmp_path: Path, postgres: Cluster) -> None:
    """More at once than are allowed, at two hubs: as many are made, and nobody waits for a deadlock to end."""
    async with (
        world_with("postgres", tmp_path, postgres, tight(contacts_per_role=5)) as world,
        second_hub(world) as other,
    ):
        member = await newcomer(world, 50)
        if most > 1000:
            await fill(world, member, most - 2)
        left = 2 if most > 1000 else most
        hubs = (world.hub, other)
        asks = [ask(member, hubs[number % 2], world.b, number) for number in range(left + AT_ONCE - 2)]
        async with asyncio.timeout(45):
            answers = await asyncio.gather(*asks, return_exceptions=True)

    assert {"ok": left, code: AT_ONCE - 2} == ended(answers)
