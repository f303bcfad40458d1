"""What doctor is told of a Discord application, and that it says nothing to anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from dragoman.channels.discord.check import checks
from dragoman.channels.discord.section import DiscordSection
from dragoman.clock import MINUTE, SystemClock
from tests.channels.discord.server import Server
from tests.channels.discord.world import Scene

pytestmark = pytest.mark.anyio
READY: Final[dict[str, Any]] = {"flags": 1 << 19, "bot_public": False}
KEY: Final = "ab" * 32
OK: Final = {"token": "ok", "intents": "ok", "invitations": "ok", "servers": "ok", "webhook": "ok", "clock": "ok"}


class Late:
    """A clock that is set ahead."""

    def __init__(self, ahead: int) -> None:
        self._ahead = ahead

    def now(self) -> int:
        """The time, and more."""
        return SystemClock().now() + self._ahead


class Row(NamedTuple):
    """How the portal and the section are set, and what is not `ok` then."""

    what: str
    portal: dict[str, Any]
    section: dict[str, Any]
    found: dict[str, str]
    ahead: int = 0


TABLE = [
    Row("all is well", READY, {}, {}),
    Row("the intent of a large bot", {**READY, "flags": 1 << 18}, {}, {}),
    Row("no intent", {**READY, "flags": 0}, {}, {"intents": "blocker"}),
    Row("no intent, and none wanted", {**READY, "flags": 0}, {"message_content": False}, {"intents": "note"}),
    Row("anybody may invite it", {**READY, "bot_public": True}, {}, {"invitations": "note"}),
    Row("commands over HTTP", {**READY, "interactions_endpoint_url": "https://a.example/d", "verify_key": KEY},
        {"public_key": KEY}, {}),
    Row("an address that is not ours", {**READY, "interactions_endpoint_url": "https://a.example/d"}, {},
        {"webhook": "note"}),
    Row("a key and no address", {**READY, "verify_key": KEY}, {"public_key": KEY}, {"webhook": "note"}),
    Row("another key", READY, {"public_key": KEY}, {"webhook": "blocker"}),
    Row("a clock that is ahead", READY, {}, {"clock": "note"}, 10 * MINUTE),
    Row("another application", READY, {"application_id": "1310200000000000999"}, {"token": "blocker"}),
    Row("another token", READY, {"token": "MTMx.nobody"}, {"token": "blocker"}),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what)
async def test_what_doctor_is_told(discord_server: Server, tmp_path: Path, row: Row) -> None:
    """Each thing that is not right is named, with what to click; a wrong token ends the looking."""
    scene, section = Scene(discord_server), dict(row.section)
    scene.town.application = row.portal
    if token := section.pop("token", None):
        scene.town.token = token
    place = scene.place(tmp_path, Late(row.ahead))
    found = await checks(DiscordSection(**scene.section(tmp_path, **section)), place)

    states = {each.what: each.state for each in found}
    assert (row.found if "token" in row.found else OK | row.found) == states
    assert all(all(each.said) and bool(all(each.fix)) == (each.state != "ok") for each in found)
    assert [] == scene.town.written


async def test_in_no_server_the_invitation_is_told(discord_server: Server, tmp_path: Path) -> None:
    """The address to open has the application's id and the rights that it needs."""
    scene = Scene(discord_server)
    backend = scene.town.backend
    for guild in (scene.guild, scene.open_guild):
        scene.server.do(lambda guild=guild: backend.remove_guild(guild.id))  # type: ignore[misc]
    scene.town.application = READY
    found = await checks(DiscordSection(**scene.section(tmp_path)), scene.place(tmp_path, Late(0)))
    (servers,) = [each for each in found if each.what == "servers"]
    assert "note" == servers.state
    assert f"client_id={scene.town.application_id}&scope=bot+applications.commands&permissions=" in servers.fix[0]
