"""The scripted peers of the unattended run: they ask, wait for an answer, ask again, and keep all that they could see.

A peer knows nothing but the hub's API. Each of its contacts has a script made from a seed: known and unknown questions,
one or two at a time, sometimes thanks and a farewell, once a closing of the contact in the middle.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time
from pathlib import Path

import msgspec

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey, create_key
from dragoman.clock import SystemClock

KNOWN = (
    "How many shelves do you have in stock?",
    "How many working days does delivery take?",
    "Are there 42 shelves in stock today?",
    "Is the delivery done in working days?",
    "Tell me about the shelves in stock.",
)
UNKNOWN = ("Which colour is the roof of the moon base?", "Who wrote the anthem of Peru?")
THANKS = ("Thank you, that is all, goodbye.", "Many thanks, bye!")


class Peer:
    """One counterparty with its contacts."""

    def __init__(self, folder: Path, url: str, name: str, seed: int) -> None:
        self.url = url
        self.name = name
        self.key: RoleKey = create_key(folder / f"{name}.key")
        self.contacts: dict[str, str] = {}
        self.seen: dict[str, dict[str, wire.Message]] = {}
        self.views: list[bytes] = []
        self.sent: dict[str, list[str]] = {}
        self.state: dict[str, str] = {}
        self._chance = random.Random(seed)

    async def open(self, role: str, count: int) -> list[str]:
        """Register and open `count` contacts with a role."""
        async with HubClient(self.url, self.key, SystemClock()) as client:
            await client.register()
            opened = [
                (await client.open_contact(f"opn_{secrets.token_hex(16)}", role)).contact_id for _ in range(count)
            ]
        self.contacts |= dict.fromkeys(opened, role)
        return opened

    async def talk(self, until: float, pause: float, closes: frozenset[str]) -> None:
        """Play every script until `until` (monotonic), with at most `pause` seconds before the next question."""
        async with HubClient(self.url, self.key, SystemClock()) as client:
            talks = [self._contact(client, each, until, pause, each in closes) for each in self.contacts]
            await asyncio.gather(*talks)

    async def last_look(self) -> None:
        """Read whatever is there in the end."""
        async with HubClient(self.url, self.key, SystemClock()) as client:
            for contact in self.contacts:
                await self._read(client, contact)

    async def _contact(self, client: HubClient, contact: str, until: float, pause: float, closes: bool) -> None:
        chance, rounds = random.Random(f"{self.name}{contact[-4:]}{self._chance.random()}"), 0
        await asyncio.sleep(chance.uniform(0, pause))
        while time.monotonic() < until:
            rounds += 1
            answers = len(self.seen.get(contact, {}))
            for text in self._texts(chance, rounds):
                if not await self._say(client, contact, text):
                    return
            if closes and rounds == 2:
                with contextlib.suppress(HubError):
                    await client.close_contact(contact)
                return
            while time.monotonic() < until and len(self.seen.get(contact, {})) == answers:
                await asyncio.sleep(chance.uniform(0.8, 1.6))
                with contextlib.suppress(HubError):
                    if await self._read(client, contact) in ("completed", "closed"):
                        return
            await asyncio.sleep(chance.uniform(pause / 10, pause))

    def _texts(self, chance: random.Random, rounds: int) -> list[str]:
        drawn = chance.random()
        if rounds > 1 and drawn < 0.04:
            return [chance.choice(UNKNOWN)]
        if rounds > 2 and drawn < 0.16:
            return [chance.choice(THANKS)]
        return chance.sample(KNOWN, chance.choice((1, 2, 2)))

    async def _say(self, client: HubClient, contact: str, text: str) -> bool:
        """Say one thing, repeated under one id while the hub cannot be reached; False when it is refused."""
        reply_id = f"rep_{secrets.token_hex(16)}"
        for _ in range(20):
            try:
                sent = await client.send(contact, reply_id=reply_id, text=text)
            except HubError as error:
                if error.code == "hub_refused":
                    return False
                await asyncio.sleep(0.5)
            else:
                self.sent.setdefault(contact, []).append(sent.message_id)
                return True
        return False

    async def _read(self, client: HubClient, contact: str) -> str:
        """Fetch, settle and keep what came; where the hub says the conversation stands."""
        leased = await client.lease(limit=50)
        if leased.lease is not None:
            await client.ack(leased.lease.lease_token, [each.message_id for each in leased.messages])
        for each in (await client.messages(contact)).messages:
            if each.sender_role_id != self.key.role_id:
                self.seen.setdefault(contact, {})[each.reply_id] = each
        found = await client.reports.communication(contact)
        self.views += [msgspec.json.encode(found), msgspec.json.encode(await client.contact(contact))]
        self.state[contact] = str(found.delivery.state)
        return self.state[contact]
