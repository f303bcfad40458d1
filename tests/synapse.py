"""A real Matrix homeserver (Synapse) on the loopback, for every test that wants to see what a room saw.

    @pytest.mark.synapse
    def test_x(synapse: Synapse) -> None: ...

One server serves the session (`synapse_server`); `synapse` starts it again if a test left it dead. It runs from the
Python named by `DRAGOMAN_SYNAPSE_PYTHON`, or from `.venv-synapse/bin/python` beside the project; without one the test
is skipped, but fails where `CI` is `true`. The server has its own folder, port and SQLite file, federates with nobody,
and is killed at the end. Accounts and rooms stay: use names of your own.

    synapse.user("buyer")                      a User (user_id, token), registered on first use
    synapse.room(owner, a, b, direct=False)    the id of a room that `owner` made and the others joined
    synapse.invite/join/leave(user, room)      membership, step by step
    synapse.mark_direct(user, other, room)     account data `m.direct`
    synapse.say(user, room, "text" | content)  a message (raw content; any event type), its event id
    synapse.redact(user, room, event_id)
    synapse.messages(user, room)               the room's `m.room.message` events as `user` sees them, oldest first
    synapse.event(user, room, event_id)        one event
    synapse.requests(user, kind)               what the access log holds: requests of `user` of one of `KINDS`
    synapse.freeze() / .thaw()                 stop answering, with connections open / go on
    synapse.stop() / .kill() / .start()        end in order / at once / again, same port and data

Counts come from the server's own access log, outside of what is tested; `requests` first waits for the log to catch up.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec
import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
SERVER_NAME: Final = "home.test"
_LINE: Final = re.compile(
    r'\{(?P<user>[^}]*)\} Processed request: .* (?P<status>\d{3}) "(?P<method>[A-Z]+) (?P<path>\S+)'
)

KINDS: Final[dict[str, re.Pattern[str]]] = {
    "send": re.compile(r"PUT .*/rooms/[^/]+/send/"),
    "redact": re.compile(r"PUT .*/rooms/[^/]+/redact/"),
    "typing": re.compile(r"PUT .*/rooms/[^/]+/typing/"),
    "receipt": re.compile(r"POST .*/rooms/[^/]+/(receipt|read_markers)"),
    "state": re.compile(r"PUT .*/rooms/[^/]+/state/"),
    "media": re.compile(r"[A-Z]+ .*/media/"),
    "profile": re.compile(r"[A-Z]+ .*/profile/"),
    "presence": re.compile(r"[A-Z]+ .*/presence/"),
    "members": re.compile(r"GET .*/rooms/[^/]+/(joined_members|members)"),
    "event": re.compile(r"GET .*/rooms/[^/]+/event/"),
    "history": re.compile(r"GET .*/rooms/[^/]+/messages"),
    "sync": re.compile(r"GET .*/sync"),
    "any": re.compile(r""),
}
"""What `requests` can count, by method and path. `send` includes edits and reactions: all leave by one address."""

VISIBLE: Final = ("send", "redact", "typing", "receipt", "state", "media", "profile", "presence")
"""Kinds that somebody else could notice, or that cost more than reading: zero of each is silence."""


class User(msgspec.Struct, frozen=True):
    """A registered account."""

    user_id: str
    token: str


class Request(msgspec.Struct, frozen=True):
    """One line of the access log."""

    user: str
    method: str
    path: str
    status: int


class Synapse:
    """The running server; see the top of this file."""

    def __init__(self, python: Path, folder: Path) -> None:
        self._python, self._folder = python, folder
        self._port = _free_port()
        self._users: dict[str, User] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._counter = 0
        self._configure()

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self._port}"

    # --- the process -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [self._python, "-m", "synapse.app.homeserver", "-c", "homeserver.yaml", "-c", "override.yaml"]
        with (self._folder / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                list(map(str, command)), cwd=self._folder, stdout=output, stderr=output, env=_environment()
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                self.call(None, "GET", "/_matrix/client/versions")
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError((self._folder / "output.log").read_text()[-4000:])

    def stop(self) -> None:
        """End in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End at once, as a crash does."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Answer nothing more, while connections are still accepted by the kernel."""
        self._running().send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on after `freeze`."""
        self._running().send_signal(signal.SIGCONT)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        assert self._process.poll() is None
        return self._process

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    # --- people and rooms --------------------------------------------------------------------------------------------

    def user(self, name: str) -> User:
        """The account `@name:home.test`, registered on first use."""
        if name not in self._users:
            nonce = self.call(None, "GET", "/_synapse/admin/v1/register")["nonce"]
            parts = (nonce, name, "password", "notadmin")
            mac = hmac.new(b"shared", b"\x00".join(part.encode() for part in parts), hashlib.sha1).hexdigest()
            body = {"nonce": nonce, "username": name, "password": "password", "admin": False, "mac": mac}
            answer = self.call(None, "POST", "/_synapse/admin/v1/register", body)
            self._users[name] = User(answer["user_id"], answer["access_token"])
        return self._users[name]

    def room(self, owner: User, *others: User, direct: bool = False, **options: Any) -> str:
        """A private room made by `owner`, which `others` were invited to (with the direct flag or not) and joined."""
        body = {
            "preset": "private_chat",
            "is_direct": direct,
            "invite": [other.user_id for other in others],
            **options,
        }
        room = str(self.call(owner, "POST", "/_matrix/client/v3/createRoom", body)["room_id"])
        for other in others:
            self.join(other, room)
        return room

    def invite(self, user: User, room: str, other: User) -> None:
        """`user` invites `other`."""
        self.call(user, "POST", f"/_matrix/client/v3/rooms/{quote(room)}/invite", {"user_id": other.user_id})

    def join(self, user: User, room: str) -> None:
        """`user` comes in."""
        self.call(user, "POST", f"/_matrix/client/v3/rooms/{quote(room)}/join", {})

    def leave(self, user: User, room: str) -> None:
        """`user` goes."""
        self.call(user, "POST", f"/_matrix/client/v3/rooms/{quote(room)}/leave", {})

    def mark_direct(self, user: User, other: User, room: str) -> None:
        """`user`'s own account data calls `room` a direct chat with `other`."""
        path = f"/_matrix/client/v3/user/{quote(user.user_id)}/account_data/m.direct"
        self.call(user, "PUT", path, {other.user_id: [room]})

    def say(self, user: User, room: str, content: str | dict[str, Any], type: str = "m.room.message") -> str:
        """Send text, or any raw content, as `user`; the new event's id."""
        self._counter += 1
        body = {"msgtype": "m.text", "body": content, "m.mentions": {}} if isinstance(content, str) else content
        path = f"/_matrix/client/v3/rooms/{quote(room)}/send/{type}/say-{os.getpid()}-{self._counter}"
        return str(self.call(user, "PUT", path, body)["event_id"])

    def redact(self, user: User, room: str, event_id: str) -> str:
        """Take an event back; the id of the event that says so."""
        self._counter += 1
        path = f"/_matrix/client/v3/rooms/{quote(room)}/redact/{quote(event_id)}/redact-{self._counter}"
        return str(self.call(user, "PUT", path, {})["event_id"])

    def event(self, user: User, room: str, event_id: str) -> dict[str, Any]:
        """One event as `user` sees it."""
        return self.call(user, "GET", f"/_matrix/client/v3/rooms/{quote(room)}/event/{quote(event_id)}")

    def messages(self, user: User, room: str) -> list[dict[str, Any]]:
        """The last 100 messages of a room, oldest first."""
        answer = self.call(user, "GET", f"/_matrix/client/v3/rooms/{quote(room)}/messages?dir=b&limit=100")
        return [event for event in reversed(answer["chunk"]) if event["type"] == "m.room.message"]

    # --- what was asked of it ----------------------------------------------------------------------------------------

    def requests(self, user: User, kind: str = "any") -> list[Request]:
        """The finished requests of `user` that are of `kind`, in order; a long poll still open is not among them."""
        self._catch_up()
        seen = map(_LINE.search, self._access_log().splitlines())
        lines = [
            Request(line["user"], line["method"], line["path"], int(line["status"]))
            for line in seen
            if line is not None
        ]
        wanted = KINDS[kind]
        return [
            line
            for line in lines
            if line.user == user.user_id and wanted.match(f"{line.method} {line.path}") is not None
        ]

    def visible(self, user: User) -> dict[str, int]:
        """How many requests of each kind in `VISIBLE` the user made."""
        return {kind: len(self.requests(user, kind)) for kind in VISIBLE}

    def _catch_up(self) -> None:
        self._counter += 1
        mark = f"/_matrix/client/versions?mark={self._counter}"
        self.call(None, "GET", mark)
        deadline = time.monotonic() + 10
        while f"{mark} " not in self._access_log():
            assert time.monotonic() < deadline, "the access log does not grow"
            time.sleep(0.01)

    def _access_log(self) -> str:
        return (self._folder / "access.log").read_text()

    def call(self, user: User | None, method: str, path: str, body: object = None) -> dict[str, Any]:
        """One raw request as `user`; its JSON answer.

        Raises:
            AssertionError: the status was not 200. OSError: nobody answered.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        headers = {"Authorization": f"Bearer {user.token}"} if user else {}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        assert response.status == 200, f"{method} {path}: {response.status} {answer}"
        return dict(answer)

    def _configure(self) -> None:
        command = ["-m", "synapse.app.homeserver", "--server-name", SERVER_NAME, "-c", "homeserver.yaml"]
        subprocess.run(
            [str(self._python), *command, "--generate-config", "--report-stats=no"],
            cwd=self._folder,
            check=True,
            capture_output=True,
            env=_environment(),
        )
        freely = {"per_second": 100_000, "burst_count": 100_000}
        override = {
            "listeners": [
                {
                    "port": self._port,
                    "bind_addresses": ["127.0.0.1"],
                    "type": "http",
                    "resources": [{"names": ["client"]}],
                }
            ],
            "trusted_key_servers": [],
            "registration_shared_secret": "shared",
            "presence": {"enabled": False},
            "bcrypt_rounds": 4,
            "log_config": str(self._folder / "log.yaml"),
            "federation_domain_whitelist": [],
            "rc_message": freely,
            "rc_joins": {"local": freely, "remote": freely},
            "rc_invites": {"per_room": freely, "per_user": freely, "per_issuer": freely},
            "rc_room_creation": freely,
            "rc_registration": freely,
        }
        logging = {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"plain": {"format": "%(message)s"}},
            "handlers": {
                "access": {
                    "class": "logging.FileHandler",
                    "formatter": "plain",
                    "filename": str(self._folder / "access.log"),
                }
            },
            "loggers": {"synapse.access": {"level": "INFO", "handlers": ["access"], "propagate": False}},
            "root": {"level": "ERROR"},
        }
        # JSON is YAML
        (self._folder / "override.yaml").write_text(json.dumps(override))
        (self._folder / "log.yaml").write_text(json.dumps(logging))


@pytest.fixture(scope="session")
def synapse_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synapse]:
    """The server of the whole session."""
    python = Path(os.environ.get("DRAGOMAN_SYNAPSE_PYTHON") or ROOT / ".venv-synapse" / "bin" / "python")
    if not python.exists():
        reason = "no Synapse: set DRAGOMAN_SYNAPSE_PYTHON, or make .venv-synapse with `pip install matrix-synapse`"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("synapse")
    server = Synapse(python, folder)
    server.start()
    try:
        yield server
    finally:
        if server.alive:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def synapse(synapse_server: Synapse) -> Iterator[Synapse]:
    """The server of the session, running, whatever the test before did to it."""
    if not synapse_server.alive:
        synapse_server.start()
    yield synapse_server
    if synapse_server.alive:
        synapse_server.thaw()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", ""), "PYTHONDONTWRITEBYTECODE": "1"}
