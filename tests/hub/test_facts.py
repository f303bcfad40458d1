"""Several facts in one round trip are the facts asked for one by one, on both engines; plans for a full table."""

from __future__ import annotations

import asyncio

import pytest

from dragoman.hub import rows
from dragoman.hub.postgres import PostgresStore, is_replan
from dragoman.hub.store import Transaction
from tests.hub.world import World

pytestmark = pytest.mark.anyio


def asked(world: World) -> dict[str, dict[str, object]]:
    """Statements with few and many rows, with none, with locks, with values of every kind and names used twice."""
    contact_ids, now = [world.contact_id], world.clock.now()
    return {
        "session_hold": rows.callers_asked([world.a1.token, world.b.token, "tok_of_nobody"]),
        "contact_hold": {"contact_ids": contact_ids},
        "message_known": rows.known_asked([(world.a1.role_id, "reply_0001"), (world.b.role_id, "reply_0001")]),
        "message_list": {"contact_id": world.contact_id, "after": 0, "oldest": 0, "limit": 10},
        "standing_open": {"contact_ids": contact_ids, "now": now},
        "lease_get": {"lease_tokens": []},
    }


async def test_together_as_alone(world: World) -> None:
    """Each statement finds the same rows under the same names, whichever way it is asked."""
    for number, text in enumerate(("plain", '“quoted” \\ and "so"\n\t', "价格 €40 \U0001f600"), 1):
        await world.a1.send(world.contact_id, f"reply_{number:04}", text, packet='{"a":1}' if number == 2 else None)

    async def alone(tx: Transaction) -> dict[str, list[dict[str, object]]]:
        return {
            name: [{key: row[key] for key in row.keys()} for row in await tx.all(name, **values)]  # noqa: SIM118
            for name, values in asked(world).items()
        }

    async def together(tx: Transaction) -> dict[str, list[dict[str, object]]]:
        found = await tx.facts(asked(world))
        return {name: [{key: row[key] for key in row.keys()} for row in found[name]] for name in found}  # noqa: SIM118

    one, other = await world.store.write(alone), await world.store.write(together)
    assert one == other
    assert [2, 1, 1, 3, 1, 0] == [len(each) for each in other.values()]


async def test_a_plan_is_made_anew_as_its_table_grows(world: World) -> None:
    """On PostgreSQL a plan of an empty table may take the wrong one of two indexes; with hundreds of rows it does not,
    and a connection that was used so often has made its plans since."""
    if not isinstance(world.store, PostgresStore):
        pytest.skip("a question of PostgreSQL's planner")
    for at in range(0, 640, 32):
        await asyncio.gather(*(world.a1.send(world.contact_id, f"reply_{number:04}") for number in range(at, at + 32)))

    async def plan(tx: Transaction) -> str:
        text = tx._texts["message_known"]  # type: ignore[attr-defined]
        values = text.values(rows.known_asked([(world.a1.role_id, "reply_0001")]))
        found = await tx._connection.fetch(f"EXPLAIN {text.text}", *values)  # type: ignore[attr-defined]
        return "\n".join(row[0] for row in found)

    async def held(tx: Transaction) -> str:
        text = tx._texts["message_held"]  # type: ignore[attr-defined]
        found = await tx._connection.fetch(f"EXPLAIN {text.text}", ["msg_1"])  # type: ignore[attr-defined]
        return "\n".join(row[0] for row in found)

    assert "message_sender_reply_id_key" in await world.store.write(plan)
    assert "message_message_id_key" in await world.store.write(held)
    assert [4, 8, 16, 1024] == [uses for uses in (1, 2, 3, 4, 5, 8, 16, 1023, 1024) if is_replan(uses)]
