"""Roles on a running hub for a benchmark: so many pairs that know each other, logged in through the usual client."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any, NamedTuple

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock


class Role(NamedTuple):
    """One logged-in role."""

    role_id: str
    headers: dict[str, str]
    generation: int


class Pair(NamedTuple):
    """Two roles and the contact that `a` opened."""

    a: Role
    b: Role
    contact: str


def pairs(url: str, count: int, salt: str = "") -> list[Pair]:
    """Make or find so many pairs at a hub."""
    return asyncio.run(make(url, count, salt))


async def make(url: str, count: int, salt: str) -> list[Pair]:
    """The same, in a running loop."""
    made = []
    for number in range(count):
        async with client(url, f"{salt}a{number}") as a, client(url, f"{salt}b{number}") as b:
            one, other = await _enter(a), await _enter(b)
            contact = await a.open_contact(f"open_{number:08}", b.role_id)
            made.append(Pair(one, other, contact.contact_id))
    return made


def client(url: str, name: str) -> HubClient:
    """The client of a role that its name makes."""
    digest = hashlib.sha256(name.encode()).digest()
    return HubClient(url, RoleKey(digest, f"ins_{digest.hex()[:32]}"), SystemClock())


async def _enter(client: HubClient) -> Role:
    await client.register()
    session = await client.log_in()
    return Role(client.role_id, {"authorization": f"Bearer {session.token}"}, session.generation)


def turn_plan(made: list[Pair], text: str) -> dict[str, Any]:
    """Whole turns, each connection in a contact of its own."""
    places = [
        {
            "contact": pair.contact,
            "a": {"headers": pair.a.headers, "generation": pair.a.generation},
            "b": {"headers": pair.b.headers, "generation": pair.b.generation},
        }
        for pair in made
    ]
    return {"script": "turns", "places": places, "text": text}
