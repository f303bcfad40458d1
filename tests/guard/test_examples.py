"""The three example bots and their ungated twins, as processes, on servers by others: a few lines apart, and what those
lines change is what leaves."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.channels.discord.server import Server
from tests.channels.discord.world import Scene
from tests.channels.slack.server import DESK, SECRET, TEAM, TOKEN, Slack
from tests.channels.slack.server import running as slack_running
from tests.channels.telegram.server import running as telegram_running
from tests.channels.telegram.world import entity
from tests.guard.world import POLICY
from tests.postgres import free_port

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
TWINS = [("slack_bot.py", "slack_bot_ungated.py"), ("telegram_bot.py", "telegram_bot_ungated.py")]
TWINS += [("discord_bot.py", "discord_bot_ungated.py")]
pytestmark = [pytest.mark.platforms, pytest.mark.slow]

AT_LOOPBACK = """
import runpy, sys, warnings
warnings.simplefilter("ignore")
import discord.gateway, discord.http, yarl
discord.http.Route.BASE = sys.argv[1]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(sys.argv[2])
sys.argv = sys.argv[3:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""discord.py has no setting for another Discord."""


@pytest.mark.parametrize(("gated", "ungated"), TWINS)
def test_the_gate_is_a_few_lines(gated: str, ungated: str) -> None:
    """Less than ten lines of code lie between a bot and the same bot with a gate."""
    before, after = ((EXAMPLES / name).read_text().splitlines() for name in (ungated, gated))
    changed = [line for line in difflib.ndiff(before, after) if line[:2] in ("+ ", "- ") and line[2:].strip()]

    assert 1 <= len(changed) < 10, changed


@contextmanager
def bot(folder: Path, *words: str) -> Iterator[Callable[[], str]]:
    """An example as a process, and how to read what it printed so far; it is ended in any case."""
    output = folder / "output"
    with output.open("wb") as stream:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            [sys.executable, *words], cwd=folder, stdout=stream, stderr=subprocess.STDOUT, env=environment
        )
        try:
            yield output.read_text
            assert process.poll() is None, output.read_text()
        finally:
            process.kill()
            process.wait()


def until(true: Callable[[], bool], told: Callable[[], str], seconds: float = 45.0) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, told()
        time.sleep(0.05)


def prepared(folder: Path, platform: str, workspace: str, channel: str, **files: str) -> None:
    """The working folder of a bot: its policy and its private files."""
    folder.mkdir(exist_ok=True)
    policy = POLICY.format(mode="enforce", platform=platform, workspace=workspace, channel=channel)
    for name, text in {"policy.toml": policy, **files}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)


EXPECTED = {True: ["I read: hello?"], False: ["I read: nobody asked", "I read: hello?"]}
"""What a gated bot says, and what its twin says, to "nobody asked" and then to a question."""


@pytest.mark.parametrize("name", TWINS[1])
def test_on_telegram(name: str, tmp_path: Path) -> None:
    """Chatter in a group is met with silence by the gate, and answered by the twin."""
    with telegram_running() as api:
        id, token = api.bot("desk_bot")
        kim = api.user()
        chat = api.group([kim, id])
        prepared(tmp_path, "telegram", str(id), str(chat), token=token)
        place = {"from": {"id": kim, "is_bot": False, "first_name": "Kim"}, "chat": {"id": chat, "type": "supergroup"}}
        with bot(tmp_path, str(EXAMPLES / name), "token", api.url) as told:
            mention = [entity("mention", "", "@desk_bot")]
            api.say(token, {**place, "text": "nobody asked", "entities": []})
            api.say(token, {**place, "text": "@desk_bot hello?", "entities": mention})
            gated = name == TWINS[1][0]
            until(lambda: len(api.said(token, chat)) >= len(EXPECTED[gated]), told)
            time.sleep(0.3)
            said = [each["message"]["text"].replace("@desk_bot ", "") for each in api.said(token, chat)]

    assert sorted(EXPECTED[gated]) == sorted(said), told()


@pytest.mark.parametrize("name", TWINS[2])
def test_on_discord(name: str, tmp_path: Path) -> None:
    """Chatter in a channel is met with silence by the gate, and answered by the twin."""
    server = Server()
    try:
        scene = Scene(server)
        target = scene.target("group")
        prepared(tmp_path, "discord", target.workspace, target.channel, token=scene.town.token)
        gateway = server.url.replace("http://", "ws://").partition("/api")[0] + "/gateway"
        words = ("-c", AT_LOOPBACK, server.url, gateway, str(EXAMPLES / name), "token")
        with bot(tmp_path, *words) as told:
            until(lambda: scene.town.sessions > 0, told)
            time.sleep(0.5)
            scene.says("buyer", "group", "nobody asked")
            scene.says("buyer", "group", f"<@{scene.town.bot_id}> hello?")
            gated = name == TWINS[2][0]
            until(lambda: len(scene.ours("group")) >= len(EXPECTED[gated]), told)
            time.sleep(0.3)
            said = [each.content.replace(f"<@{scene.town.bot_id}> ", "") for each in scene.ours("group")]
    finally:
        server.close()

    assert sorted(EXPECTED[gated]) == sorted(said), told()


@pytest.mark.parametrize("name", TWINS[0])
def test_on_slack(name: str, tmp_path: Path) -> None:
    """Chatter in a channel is met with silence by the gate, and answered by the twin."""
    with slack_running() as slack:
        channel, port = slack.channel("buyer", "desk"), free_port()
        prepared(tmp_path, "slack", TEAM, channel, token=TOKEN, secret=SECRET)
        words = (str(EXAMPLES / name), "token", "secret", str(port), f"{slack.url}/api/")
        with bot(tmp_path, *words) as told:
            until(lambda: "is running" in told() or "Running on" in told(), told)
            slack.world("subscribe", url=f"http://127.0.0.1:{port}/slack/events")
            tell(slack, channel, "nobody asked", mentions=False)
            tell(slack, channel, "hello?", mentions=True)
            gated = name == TWINS[0][0]
            until(lambda: len(ours(slack, channel)) >= len(EXPECTED[gated]), told)
            time.sleep(0.3)
            said = ours(slack, channel)
            slack.world("unsubscribe", all=True)

    assert sorted(EXPECTED[gated]) == sorted(said), told()


def tell(slack: Slack, channel: str, text: str, *, mentions: bool) -> None:
    """The buyer posts it, with the blocks that a client writes."""
    elements: list[dict[str, str]] = [{"type": "user", "user_id": DESK}] if mentions else []
    elements.append({"type": "text", "text": f" {text}" if mentions else text})
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}]
    said = f"<@{DESK}> {text}" if mentions else text
    slack.call("xoxp-buyer", "chat.postMessage", channel=channel, text=said, blocks=blocks)


def ours(slack: Slack, channel: str) -> list[str]:
    """What stands there of us."""
    mine = [message for message in slack.said(channel, "xoxp-buyer") if message["user"] == DESK]
    return [str(message["text"]).replace(f"<@{DESK}> ", "") for message in mine if message.get("subtype") is None]
