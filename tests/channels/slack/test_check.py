"""What `doctor` says of a Slack app, against answers as Slack documents them, on a server of our own."""

from __future__ import annotations

import time
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final

import pytest

from dragoman.channels.slack.check import NEEDED, PARTS, checks
from dragoman.errors import CODES
from tests.channels.slack.server import APP, DESK_BOT, TEAM, TOKEN
from tests.channels.slack.socket_server import SocketServer
from tests.channels.slack.test_account import place, section

pytestmark = pytest.mark.anyio

ME: Final = {"ok": True, "team_id": TEAM, "user_id": "U0DESKBT01", "bot_id": DESK_BOT}
BOT: Final = {"ok": True, "bot": {"id": DESK_BOT, "app_id": APP}}
ALL: Final = ",".join(sorted(NEEDED | PARTS))
WELL: Final = {"token": "ok", "app": "ok", "scopes": "ok", "clock": "ok"}
CALLED, LINKED = {"signing_secret_file": "secret"}, {"app_token_file": "app"}


@pytest.mark.parametrize(
    ("answers", "scopes", "late", "way", "states"),
    [
        ({}, ALL, 0, CALLED, WELL | {"webhook": "not_checked"}),
        ({}, ALL, 0, LINKED, WELL | {"socket": "ok"}),
        ({"apps.connections.open": {"ok": False, "error": "missing_scope"}}, ALL, 0, LINKED, {"socket": "blocker"}),
        ({"auth.test": {"ok": False, "error": "invalid_auth"}}, ALL, 0, CALLED, {"token": "blocker"}),
        ({"auth.test": {"ok": False, "error": "ratelimited"}}, ALL, 0, CALLED, {"token": "not_checked"}),
        ({"auth.test": ME | {"team_id": "T0OTHERORG"}}, ALL, 0, CALLED, {"token": "blocker"}),
        ({"auth.test": ME | {"bot_id": None}}, ALL, 0, CALLED, {"token": "blocker"}),
        ({"bots.info": {"ok": True, "bot": {"app_id": "A0OTHERAP1"}}}, ALL, 0, CALLED, {"app": "blocker"}),
        ({"bots.info": {"ok": False, "error": "missing_scope"}}, ALL, 0, CALLED, {"app": "not_checked"}),
        ({}, "chat:write,users:read,im:history", 0, CALLED, {"scopes": "note"}),
        ({}, "users:read", 0, CALLED, {"scopes": "blocker"}),
        ({}, None, 0, CALLED, {"scopes": "not_checked"}),
        ({}, ALL, 400, CALLED, {"clock": "blocker"}),
        ({}, ALL, -400, CALLED, {"clock": "blocker"}),
    ],
)
async def test_what_is_said(
    tmp_path: Path,
    answers: dict[str, Any],
    scopes: str | None,
    late: int,
    way: dict[str, str],
    states: dict[str, str],
) -> None:
    """Each thing has a row of its own; what cannot work is a blocker with a code and something to click."""
    async with SocketServer() as server:
        server.answers = {"auth.test": ME, "bots.info": BOT} | answers
        server.headers = {"Date": formatdate(time.time() + late)} | (
            {} if scopes is None else {"x-oauth-scopes": scopes}
        )
        found = {each.what: each for each in await checks(section(server.url, **way), place(tmp_path))}

    assert states == {what: found[what].state for what in states}
    blockers = [each for each in found.values() if each.state == "blocker"]
    assert all(each.code in CODES and all(each.fix) for each in blockers)
    assert all(all(each.said) for each in found.values())
    assert {"auth.test", "bots.info", "apps.connections.open"} >= {method for method, _ in server.calls}
    assert TOKEN not in str(found)
