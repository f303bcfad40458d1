"""The channel of a guarded client keeps the adapters' contract on servers by others: each operation that it declares
arrives, once, through the wall."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from slack_sdk import WebClient
from telegram import Bot

from dragoman.channels.discord.connection import discord
from dragoman.channels.slack import fences as slack_fences
from dragoman.testing import AdapterWorld
from dragoman.testing.channel_laws import ChannelLaws
from tests.channels.discord.server import Server
from tests.channels.discord.test_contract import Channel as DiscordPlace
from tests.channels.slack.server import TOKEN
from tests.channels.slack.server import running as slack_running
from tests.channels.slack.test_contract import SlackPlace
from tests.channels.telegram.server import running as telegram_running
from tests.channels.telegram.test_contract import TelegramPlace
from tests.guard.world import gate_at, stopped

from discord.http import Route  # isort: skip

pytestmark = [pytest.mark.platforms, pytest.mark.slow]
LAWS = (
    *("test_the_table_can_be_read", "test_what_is_declared_arrives_once", "test_a_file_arrives_as_it_is"),
    "test_what_is_not_declared_does_not_leave",
)
"""What the wall could break; the rest is the adapter's own, and held there."""


class _Laws(ChannelLaws):
    """The laws, in the worlds of a test; not collected."""

    def __init__(self, worlds: Any) -> None:
        self._worlds = worlds

    @contextlib.asynccontextmanager
    async def world(self) -> AsyncIterator[AdapterWorld]:
        """A fresh one."""
        async with self._worlds() as found:
            yield found


def kept(worlds: Any) -> None:
    """Hold a channel to the laws."""
    for law in LAWS:
        getattr(_Laws(worlds), law)()


def test_slacks_desk_keeps_the_contract(tmp_path: Path) -> None:
    """On the workspace that `emulate` runs."""
    gate, journal = gate_at(tmp_path, "slack", "T", "C")
    with slack_running() as slack:

        @contextlib.asynccontextmanager
        async def world() -> AsyncIterator[AdapterWorld]:
            slack_fences.WALLS.clear()
            place = SlackPlace(slack)
            own, place.channel = place.channel, gate.guard(WebClient(token=TOKEN, base_url=f"{slack.url}/api/"))
            try:
                yield place
            finally:
                await place.channel.close()  # type: ignore[attr-defined]
                place.channel = own
                await place.close()

        kept(world)
    assert [] == stopped(journal)


def test_telegrams_desk_keeps_the_contract(tmp_path: Path) -> None:
    """On the Bot API that `telegram-test-api` runs."""
    gate, journal = gate_at(tmp_path, "telegram", "1", "2")
    with telegram_running() as api:

        @contextlib.asynccontextmanager
        async def world() -> AsyncIterator[AdapterWorld]:
            place = TelegramPlace(api)
            own, place.channel = place.channel, gate.guard(Bot(place._token, base_url=f"{api.url}/bot"))
            try:
                yield place
            finally:
                await place.channel.close()  # type: ignore[attr-defined]
                place.channel = own
                await place.close()

        kept(world)
    assert [] == stopped(journal)


def test_discords_desk_keeps_the_contract(tmp_path: Path) -> None:
    """On simcord's model over sockets; the client has logged in, as it has when it hears anything."""
    gate, journal = gate_at(tmp_path, "discord", "1", "2")
    server, was, serial = Server(), Route.BASE, iter(range(100))
    Route.BASE = server.url

    @contextlib.asynccontextmanager
    async def world() -> AsyncIterator[AdapterWorld]:
        folder = tmp_path / str(next(serial))
        folder.mkdir()
        place = DiscordPlace(server, folder)
        client = discord.Client(intents=discord.Intents(guilds=True))
        await client.login(place.scene.town.token)
        place.channel = gate.guard(client)  # type: ignore[assignment]
        try:
            yield place
        finally:
            await place.channel.close()
            await client.close()

    try:
        kept(world)
    finally:
        Route.BASE = was
        server.close()
    assert [] == stopped(journal)
