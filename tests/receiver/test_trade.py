"""Trade events reach the owner once, in every mode, and nothing else happens because of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import create_key, read_key
from dragoman.clock import SystemClock
from dragoman.hub.sqlite import SqliteStore
from dragoman.hub.trade import Trade, record
from dragoman.receiver.books import Books, open_books
from dragoman.receiver.notify import Notices
from dragoman.receiver.trade import TRADE, tell_trades
from dragoman.receiver.wiring import new_id
from dragoman.words import Milestone
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.slow


def trade(hub: HubProcess, role_id: str, event_id: str, text: str = "") -> bool:
    """Write one trade event as the hub's operator does, beside the running hub."""

    async def work() -> bool:
        store = SqliteStore(hub.db)
        await store.open()
        try:
            told = Trade(role_id=role_id, kind="order_placed", event_id=event_id, reference="A-17", text=text)
            return await record(store, SystemClock(), told)
        finally:
            await store.close()

    return asyncio.run(work())


def looked(hub: HubProcess, folder: Path, books: Books, language: str = "en", leak: str = "no such word") -> int:
    """One look of the receiver at its trade events."""
    key = read_key(folder / "us.key")

    async def work() -> int:
        async with HubClient(hub.url, key, SystemClock()) as client:
            await client.register()
            notices = Notices(books, None, SystemClock(), new_id, leaks=lambda text: leak in text)
            return await tell_trades(client, books, notices, SystemClock(), language)

    return asyncio.run(work())


def test_a_trade_event_is_told_once_and_nothing_else_happens(tmp_path: Path) -> None:
    """The owner reads what happened to which trade; a second look tells nothing; guarded words stay here."""
    tmp_path.chmod(0o700)
    with running_hub(tmp_path / "hub") as hub:
        books = open_books(tmp_path / "state", tmp_path / "side", may_create=True)
        role_id = create_key(tmp_path / "us.key").role_id
        assert 0 == looked(hub, tmp_path, books)
        assert trade(hub, role_id, "evt_00000001", "Two lamps.")
        assert not trade(hub, role_id, "evt_00000001", "Two lamps.")
        assert 1 == looked(hub, tmp_path, books, "zh")
        assert 0 == looked(hub, tmp_path, books, "zh")
        assert trade(hub, role_id, "evt_00000002", "the secret price")
        assert 1 == looked(hub, tmp_path, books, leak="secret")

        told = books.notifications.listed()
        assert [Milestone.TRADE, Milestone.TRADE] == [each.milestone for each in told]
        assert {f"{TRADE[1]}\norder_placed A-17\nTwo lamps.", TRADE[0]} == {each.summary for each in told}
        assert [] == books.conversations.all()
        books.close()
