"""Attachments that come one by one on a real homeserver: the request waits, and is answered once or not at all."""

from __future__ import annotations

import pytest

from dragoman.words import Outcome, Reason
from tests.e2e.counting import NOTHING, Counters
from tests.e2e.matrix_world import HELLO, MatrixWorld, text

pytestmark = [pytest.mark.synapse, pytest.mark.slow, pytest.mark.anyio]


def picture(name: str, *mentioned: str) -> dict[str, object]:
    """A picture that was uploaded before."""
    content: dict[str, object] = {"msgtype": "m.image", "body": name, "url": f"mxc://example.org/{name}"}
    return content | {"m.mentions": {"user_ids": list(mentioned)}}


async def test_pictures_of_a_one_to_one_are_one_request(world: MatrixWorld) -> None:
    """Three pictures and a question, one after the other: one turn about all of them, one message in the room."""
    await world.open("direct")
    for name in ("a.png", "b.png"):
        admission = await world.hears(world.says("buyer", "direct", picture(name)))
        assert (Outcome.DEFER, Reason.ATTACHMENT_BURST) == (admission.outcome, admission.reason)
    await world.hears(world.says("buyer", "direct", "which of these fit?"))
    assert [] == world.bodies("direct")
    await world.gate.settled()

    assert [HELLO] == world.bodies("direct")
    assert 1 == world.turns


async def test_a_waiting_request_costs_nothing_outside(world: MatrixWorld) -> None:
    """While it waits: no typing, no receipt, no download, no member list, no model."""
    await world.open("group")
    counters = Counters(world.synapse, world.agent)
    asking = world.says("buyer", "group", picture("a.png", world.agent.user_id))
    assert Outcome.DEFER is (await world.hears(asking)).outcome
    assert (NOTHING, 0) == (counters.take(), world.turns)
    await world.gate.settled()

    assert [HELLO] == world.bodies("group")


async def test_a_request_that_is_redacted_while_it_waits_is_not_answered(world: MatrixWorld) -> None:
    """The mentioning picture is taken back before it is quiet: nobody asked."""
    await world.open("group")
    asking = world.says("buyer", "group", picture("a.png", world.agent.user_id))
    await world.hears(asking)
    await world.hears(world.synapse.redact(world.buyer, world.rooms["group"], asking))
    await world.gate.settled()

    assert ([], 0) == (world.bodies("group"), world.turns)


async def test_stop_ends_what_waits(world: MatrixWorld) -> None:
    """The author says stop while his pictures arrive: they are neither answered nor merged into it."""
    await world.open("direct")
    await world.hears(world.says("buyer", "direct", picture("a.png")))
    await world.hears(world.says("buyer", "direct", "/stop"))
    await world.gate.settled()

    assert ([], 0) == (world.bodies("direct"), world.turns)


async def test_another_person_is_not_waited_for(world: MatrixWorld) -> None:
    """One person's pictures hold up nobody else's question."""
    await world.open("group")
    await world.hears(world.says("buyer", "group", picture("a.png", world.agent.user_id)))
    asked = await world.hears(world.says("jordan", "group", text("which dates?", world.agent)))
    assert (Outcome.RESPOND, 1) == (asked.outcome, world.turns)
    await world.gate.settled()

    assert 2 == world.turns
