"""A whole small world for receiver tests: a real hub process, our role with a private configuration, and a peer.

The handler is a real command: it appends what it was asked to `calls.jsonl` and answers with what stands in `answer`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey, create_key
from dragoman.clock import DAY, SystemClock
from dragoman.receiver.books import Books, open_books, side_file
from dragoman.receiver.config import load_config
from dragoman.receiver.lock import StateLock
from dragoman.receiver.policy import policy_of
from dragoman.receiver.resolve import Resolution, Resolver
from dragoman.receiver.status import status
from dragoman.receiver.wiring import new_id, opened
from tests import born

T = TypeVar("T")

HANDLER = """
import json, pathlib, random, sys, time
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
with open(here / "calls.jsonl", "a") as calls:
    calls.write(json.dumps(asked) + "\\n")
answers = json.loads((here / "answer").read_text())
if asked["probe"]:
    answers = {"schema_version": 1, "action": "completed", "owner_summary": "I am here"}
if "UNIQUE" in answers.get("message", ""):
    word = "".join(random.choice("bcdfghjklmnp") for _ in range(12))
    answers["message"] = answers["message"].replace("UNIQUE", word)
time.sleep(answers.pop("sleep", 0))
sys.stdout.write(answers.pop("raw", None) or json.dumps(answers))
sys.exit(answers.pop("exit", 0))
"""

NOTIFIER = """
import json, pathlib, sys
here = pathlib.Path(__file__).parent
told = json.load(sys.stdin)
with open(here / "told.jsonl", "a") as out:
    out.write(json.dumps(told) + "\\n")
print(json.dumps({"schema_version": 1, "delivered": True, "notification_id": told["notification_id"]}))
"""


class Shifted:
    """The real clock, set ahead or back."""

    def __init__(self, shift: int) -> None:
        self._shift = shift

    def now(self) -> int:
        """Milliseconds since the epoch, shifted."""
        return SystemClock().now() + self._shift


class World:
    """Our role, a peer, one contact between them, and everything around."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        self.config = folder / "dragoman.json"
        self.handler = self._script("handler.py", HANDLER)
        self.notifier = self._script("notifier.py", NOTIFIER)
        self.key = create_key(folder / "us.key")
        self.peer = create_key(folder / "peer.key")
        self.contact = self.as_role(self.key, self._open)
        self.answers("Yes, we can meet.")
        self.write()

    # --- the owner's side ---

    def write(self, **changed: Any) -> None:
        """Write the configuration, with what a test changes; `autonomy__x` changes one of its keys."""
        autonomy: dict[str, Any] = {
            "version": 1,
            "grant_id": "grant-7f3a",
            "expires_at": SystemClock().now() // DAY * DAY + 30 * DAY,
            "contact_ids": [self.contact],
            "accept_inbound": False,
            "max_turns_per_contact": 12,
            "max_dispatches_per_day": 80,
            "wait_timeout_seconds": 1800,
            "notification_mode": "milestones",
        }
        autonomy |= {key.removeprefix("autonomy__"): changed.pop(key) for key in list(changed) if "__" in key}
        body: dict[str, Any] = {
            "version": 1,
            "state_dir": "state",
            "hub": {"url": self.url, "role_id": self.key.role_id, "key_file": "us.key"},
            "handler": {"command": [sys.executable, str(self.handler)], "timeout_seconds": 20},
            "notifier": {"command": [sys.executable, str(self.notifier)], "timeout_seconds": 20},
            "autonomy": autonomy,
            "owner_instruction": "Find a day to meet; disclose nothing else.",
        }
        body |= changed
        self.config.write_text(json.dumps(body))
        self.config.chmod(0o600)

    def answers(self, message: str = "", **fields: Any) -> None:
        """What the handler says from now on."""
        said: dict[str, Any] = {"schema_version": 1, "action": "reply" if message else "no_reply"}
        if message:
            said["message"] = message
        (self.folder / "answer").write_text(json.dumps(said | fields))

    def calls(self) -> list[dict[str, Any]]:
        """What the handler was asked, in order."""
        return _lines(self.folder / "calls.jsonl")

    def told(self) -> list[dict[str, Any]]:
        """What the owner was told, in order."""
        return _lines(self.folder / "told.jsonl")

    # --- the receiver ---

    def command(
        self, *words: str, stdin: str | None = None, entry: str = "dragoman.cli.main", json: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """One command line, with `--config`, and `--json` unless it is to be read by a person."""
        return born.run(
            [sys.executable, "-m", entry, *words, "--config", str(self.config), *(["--json"] if json else [])],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
            env=_environment(),
        )

    def cycle(self, shift: int = 0) -> list[str]:
        """One cycle in this process, our clock `shift` milliseconds ahead; the codes of what went wrong."""

        async def work() -> list[str]:
            async with opened(
                load_config(self.config), clock=Shifted(shift), started_by="once", stop=asyncio.Event()
            ) as receiver:
                ends = [await cycle.once(0) for cycle in receiver.cycles]
                await receiver.notices.deliver()
                return [code for end in ends for code in end.errors]

        with StateLock(self.folder / "state", "once"):
            return asyncio.run(work())

    def stands(self, shift: int = 0) -> dict[str, Any]:
        """What the status holds."""
        books = self.books()
        try:
            found = status(books, load_config(self.config), SystemClock().now() + shift)
            return msgspec.json.decode(msgspec.json.encode(found), type=dict[str, Any])
        finally:
            books.close()

    def once(self) -> dict[str, Any]:
        """One cycle; its answer, or its error."""
        done = self.command("once")
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout else {"stderr": done.stderr}

    def status(self) -> dict[str, Any]:
        """What `dragoman status` says, as a process."""
        return msgspec.json.decode(self.command("status").stdout, type=dict[str, Any])

    def resolve(self, **said: Any) -> dict[str, Any]:
        """Enter the owner's word."""
        config = load_config(self.config)
        books = self.books()
        try:
            resolution = msgspec.convert({"owner_confirmed": True} | said, Resolution)
            return Resolver(books, policy_of(config), SystemClock().now(), new_id).resolve(resolution)
        finally:
            books.close()

    def start(self, *words: str, entry: str = "dragoman.cli.main", **environment: str) -> subprocess.Popen[str]:
        """A receiver process, left running."""
        return born.Popen(
            [sys.executable, "-m", entry, *words, "--config", str(self.config), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment() | environment,
        )

    def running(self) -> subprocess.Popen[str]:
        """A `run` that says that it runs (before that, SIGTERM would only end a starting interpreter)."""
        process = self.start("run")
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "running" in line, line
        return process

    def books(self) -> Books:
        """The ledger, opened beside whoever runs it."""
        config = load_config(self.config)
        return open_books(config.state_dir, side_file(config.path), may_create=False)

    # --- the peer ---

    def peer_says(self, text: str, contact: str | None = None, **fields: Any) -> str:
        """The peer writes; the message's id."""
        where = contact or self.contact

        async def send(client: HubClient) -> wire.Sent:
            return await client.send(where, reply_id=f"rep_{os.urandom(16).hex()}", text=text, **fields)

        return self.as_role(self.peer, send).message_id

    def sent(self, contact: str | None = None) -> list[tuple[str, str]]:
        """What we sent in the contact, as the hub holds it: pairs of reply id and text."""
        where = contact or self.contact

        async def read(client: HubClient) -> wire.Messages:
            return await client.messages(where)

        page = self.as_role(self.peer, read)
        return [(each.reply_id, each.text) for each in page.messages if each.sender_role_id == self.key.role_id]

    def texts(self, contact: str | None = None) -> list[str]:
        """The texts that we sent."""
        return [text for _, text in self.sent(contact)]

    def unacked(self) -> bool:
        """Whether the hub still waits for us to settle something."""

        async def look(client: HubClient) -> wire.Communication:
            return await client.communication(self.contact)

        return self.as_role(self.key, look).delivery.state in ("awaiting_local", "processing")

    def peer_opens(self) -> str:
        """The peer opens another contact with us; its id."""

        async def open_contact(client: HubClient) -> wire.Contact:
            return await client.open_contact(f"opn_{os.urandom(16).hex()}", self.key.role_id)

        return self.as_role(self.peer, open_contact).contact_id

    def as_role(self, key: RoleKey, verb: Callable[[HubClient], Awaitable[T]]) -> T:
        """Do one thing at the hub as a role."""

        async def work() -> T:
            async with HubClient(self.url, key, SystemClock()) as client:
                return await verb(client)

        return asyncio.run(work())

    async def _open(self, client: HubClient) -> str:
        await client.register()
        async with HubClient(self.url, self.peer, SystemClock()) as other:
            await other.register()
        contact = await client.open_contact(f"opn_{os.urandom(16).hex()}", self.peer.role_id)
        return contact.contact_id

    def _script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)
        return path


def until(holds: Callable[[], bool], seconds: float = 45) -> bool:
    """Wait until something holds; whether it did."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("DRAGOMAN_")}
