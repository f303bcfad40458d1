"""What `doctor` says of a Telegram bot, each against the server's answers; and the page on setting one up."""

from __future__ import annotations

import json
import re
from email.utils import formatdate
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.channels.account import Place
from dragoman.channels.telegram.check import _clock, _off, checks
from dragoman.channels.telegram.section import TelegramSection
from dragoman.clock import MINUTE, SECOND, SystemClock
from dragoman.errors import CODES, DragomanError
from dragoman.gate.policy_file import parse_policy
from dragoman.identity import Target
from dragoman.receiver.config import ChannelsSection
from tests.channels.how_to import set_up
from tests.channels.telegram.server import BotApi
from tests.e2e.counting import proxy

PAGE = (Path(__file__).parents[3] / "docs/how-to/telegram.md").read_text()
SEES = {"can_read_all_group_messages": True}
HOOK = {"webhook_url": "https://desk.example/telegram", "webhook_secret_file": "secret"}


def answer(result: Any) -> tuple[int, bytes]:
    """One answer of the Bot API."""
    return 200, json.dumps({"ok": True, "result": result}).encode()


ROWS = [
    ("all is well", SEES, {"url": ""}, {}, {"token": "ok", "privacy": "ok", "webhook": "ok", "clock": "ok"}),
    ("privacy mode", {"can_read_all_group_messages": False}, {"url": ""}, {}, {"privacy": "note"}),
    ("privacy not told", {}, {"url": ""}, {}, {"privacy": "not_checked"}),
    ("polling, but hooked", SEES, {"url": "https://other.example/"}, {}, {"webhook": "blocker"}),
    ("hooked as it should", SEES, {"url": HOOK["webhook_url"]}, HOOK, {"webhook": "ok"}),
    ("hooked elsewhere", SEES, {"url": "https://other.example/"}, HOOK, {"webhook": "note"}),
    ("calls fail", SEES, {"url": HOOK["webhook_url"], "last_error_message": "Wrong response: 502"}, HOOK,
     {"webhook": "note"}),
    ("webhook not told", SEES, None, {}, {"webhook": "not_checked"}),
]  # fmt: skip


@pytest.mark.platforms
@pytest.mark.anyio
@pytest.mark.parametrize(("more", "hook", "keys", "states"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
async def test_what_is_said(
    api: BotApi, tmp_path: Path, more: Any, hook: Any, keys: Any, states: dict[str, str]
) -> None:
    """Each thing has a row of its own; what cannot work is a blocker with a code and something to click."""
    bot, token = api.bot("desk_bot")
    with proxy(api.url) as way:
        me = {"id": bot, "is_bot": True, "first_name": "Desk", "username": "desk_bot", **more}
        way.instead = lambda request: answer(hook) if request.endswith("getWebhookInfo") else answer(me)
        section = TelegramSection(bot_id=bot, token_file="token", api_url=way.url, **keys)
        found = {each.what: each for each in await checks(section, place(tmp_path, token))}

    assert states == {what: found[what].state for what in states}
    for each in found.values():
        assert all(each.said)
        assert (each.state == "blocker") == bool(each.code)
        assert not each.code or (each.code in CODES and all(each.fix))


@pytest.mark.platforms
@pytest.mark.anyio
async def test_a_token_that_is_not_taken(api: BotApi, tmp_path: Path) -> None:
    """With a wrong token nothing else is looked at; when nobody answers that is not the token's fault."""
    bot, _ = api.bot("desk_bot")
    there = place(tmp_path, f"{bot}:EXAMPLE-revoked-token")
    (found,) = await checks(TelegramSection(bot_id=bot, token_file="token", api_url=api.url), there)

    assert ("token", "blocker", "channel_refused") == (found.what, found.state, found.code)
    with pytest.raises(DragomanError, match="channel_unreachable"):
        await checks(TelegramSection(bot_id=bot, token_file="token", api_url="http://127.0.0.1:9"), there)


@pytest.mark.platforms
@pytest.mark.anyio
async def test_looking_shows_nothing(api: BotApi, tmp_path: Path) -> None:
    """Doctor asks two questions of the server and writes nothing."""
    bot, token = api.bot("desk_bot")
    await checks(TelegramSection(bot_id=bot, token_file="token", api_url=api.url), place(tmp_path, token))

    assert ["getMe", "getWebhookInfo"] == api.requests(bot)


@pytest.mark.parametrize(
    ("ahead", "state"), [(0, "ok"), (50 * SECOND, "ok"), (-50 * SECOND, "ok"), (6 * MINUTE, "blocker"),
                         (-6 * MINUTE, "blocker")]
)  # fmt: skip
def test_the_clock(ahead: int, state: str) -> None:
    """A clock that is minutes off makes every message stale or not sent yet."""
    now = SystemClock().now()

    assert state == _clock(_off(formatdate(now // SECOND, usegmt=True), now + ahead)).state
    assert "not_checked" == _clock(_off("", now)).state == _clock(_off("soon", now)).state


def test_the_blocks_of_the_page() -> None:
    """The sections of the page are read, and serve the targets that its policy lists."""
    blocks = dict(re.findall(r'```toml title="([\w.-]+)"\n(.*?)```', PAGE, re.DOTALL))
    read = {
        name: msgspec.convert(msgspec.toml.decode(blocks[name])["channels"], ChannelsSection)
        for name in ("dragoman.toml", "webhook.toml")
    }
    policy = parse_policy(blocks["policy.toml"].encode())

    for channels in read.values():
        for chat in ("-1002000000001", "5100000001"):
            target = Target("telegram", "7000000001", chat)
            assert "telegram:7000000001" == channels.serving(target)
            assert target in policy.targets


def test_the_page_is_a_whole_configuration(tmp_path: Path) -> None:
    """Who has nothing but the page has a configuration that loads, with its policy."""
    config, policy = set_up("telegram.md", tmp_path)

    assert ["telegram:7000000001"] == [f"{name}:{each.account}" for name, each in config.file.channels.accounts()]
    assert 3 == len(policy.targets)


def place(folder: Path, token: str) -> Place:
    """What a check is given: private files in a folder."""
    for name, text in (("token", token), ("secret", "s3cret_A-1")):
        (folder / name).touch(0o600)
        (folder / name).write_text(text)
    nothing: Any = None
    return Place(clock=SystemClock(), at=lambda name: folder / name, spool=nothing, inlet=nothing, report=nothing)
