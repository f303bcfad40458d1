"""The same life on Telegram: the receiver as a process, on telegram-test-api (`tests/channels/telegram/server.py`)."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.channels.telegram.server import BotApi, running
from tests.channels.telegram.world import USERNAME, entity
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.platforms, pytest.mark.timeout(120)]

POLICY = """
version = 1

[[targets]]
platform = "telegram"
workspace = "{bot}"
channel = "{group}"
audience = "external"
"""
SECRET = "s3cret-of-the-webhook_1"


@pytest.fixture(scope="module")
def api() -> Iterator[BotApi]:
    """The server, until the module's tests are over."""
    with running() as found:
        yield found


class Desk:
    """A receiver with one bot, in one group with a buyer."""

    def __init__(self, world: World, api: BotApi, *, webhook: bool = False) -> None:
        self.world, self.api = world, api
        self.bot, self.token = api.bot(USERNAME)
        self.buyer = api.user()
        self.group = api.group([self.buyer, self.bot])
        account: dict[str, Any] = {"bot_id": self.bot, "token_file": "telegram.token", "api_url": api.url}
        channels: dict[str, Any] = {"telegram": account}
        self._secret("telegram.token", self.token)
        if webhook:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.address = f"127.0.0.1:{free.getsockname()[1]}"
            self._secret("telegram.secret", SECRET)
            hook = {"webhook_url": f"http://{self.address}/telegram", "webhook_secret_file": "telegram.secret"}
            channels = {"listen": self.address, "telegram": account | hook}
        (world.folder / "policy.toml").write_text(POLICY.format(bot=self.bot, group=self.group))
        world.write(hub=None, autonomy=None, policy="policy.toml", channels=channels)

    def _secret(self, name: str, word: str) -> None:
        path = self.world.folder / name
        path.touch(0o600)
        path.write_text(word)

    def says(self, text: str, *, mentions: bool = False) -> int:
        """The buyer says it in the group."""
        named = f"@{USERNAME}"
        message = {
            "from": {"id": self.buyer, "is_bot": False, "first_name": "Kim"},
            "chat": {"id": self.group, "type": "supergroup", "title": "Shelf planning"},
            "text": f"{named} {text}" if mentions else text,
            "entities": [entity("mention", "", named)] if mentions else [],
        }
        return self.api.say(self.token, message)

    def said(self) -> list[str]:
        """What the bot said in the group, as the server holds it."""
        return [each["message"]["text"] for each in self.api.said(self.token, self.group)]

    def reads(self) -> bool:
        """Whether the receiver has written down where it reads from."""
        if not (self.world.folder / "state" / "ledger.db").exists():
            return False
        books = self.world.books()
        try:
            return books.cycles.position(f"telegram:{self.bot}") is not None
        finally:
            books.close()


def test_a_mention_is_answered_and_chatter_is_not(world: World, api: BotApi) -> None:
    """What was said before the first look is history; a mention is answered once, chatter not at all, and the server
    counts one writing request."""
    desk = Desk(world, api)
    desk.says("Are you there already?", mentions=True)
    running = world.running()
    assert until(desk.reads, 30)
    desk.says("Did you see the game?")
    desk.says("Can you come on Monday?", mentions=True)

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert desk.token not in out + err
    assert [f"@{USERNAME} Can you come on Monday?"] == [call["messages"][-1]["text"] for call in world.calls()]
    assert 1 == api.written(desk.bot)


@pytest.mark.parametrize(("point", "copies"), [("sending", 0), ("posted", 1)])
def test_killed_at(world: World, api: BotApi, point: str, copies: int) -> None:
    """Telegram cannot be asked what arrived: killed while sending, the answer is uncertain and never said again, and
    the owner is told."""
    desk = Desk(world, api)
    first = world.running()
    assert until(desk.reads, 30)
    first.kill()
    first.communicate()
    desk.says("Can you come on Monday?", mentions=True)
    killed = world.start(point, "run", entry="tests.crash.receiver_at")
    killed.communicate(timeout=60)
    assert killed.returncode == -9

    again = world.running()
    assert until(lambda: [told["milestone"] for told in world.told()] == ["decision_needed"], 40)
    again.terminate()
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, out + err
    assert ["Yes, we can meet."] * copies == desk.said()
    assert (copies, 1) == (api.written(desk.bot), len(world.calls()))


def test_a_webhook(world: World, api: BotApi) -> None:
    """Telegram calls us with the secret that it was given: a mention is answered. Who does not know it is turned away,
    and leaves no trace in the handler."""
    desk = Desk(world, api, webhook=True)
    running = world.running()
    assert until(lambda: "setWebhook" in api.requests(desk.bot), 30)
    forged = {"update_id": 9, "message": {"message_id": 9, "text": "stop"}}
    for secret in ({}, {"X-Telegram-Bot-Api-Secret-Token": SECRET[:-1]}):
        request = Request(f"http://{desk.address}/telegram", json.dumps(forged).encode(), secret)
        with pytest.raises(HTTPError, match="401") as turned_away:
            urlopen(request, timeout=10)
        turned_away.value.close()
    desk.says("Did you see the game?")
    desk.says("Can you come on Monday?", mentions=True)

    assert until(lambda: desk.said() == ["Yes, we can meet."], 30)
    assert until(lambda: world.stands()["messages"].get("done") == 1, 30)
    running.terminate()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, out + err
    assert (1, 1) == (api.written(desk.bot), len(world.calls()))
    assert "getUpdates" not in api.requests(desk.bot)
