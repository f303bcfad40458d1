"""The world of a receiver's case, seen and moved from outside only: real processes, a real hub, and what they show.

1. The receiver is `dragoman once|run|status|resolve …` as a process, or the same with its ports in hand (`at`). What it
   did is read from its answers, from the hub as the peer, from the road between them, and from what its handler and its
   notifier wrote down themselves, each line flushed to the disk.
2. Each process counts as a passage (`tests.cases.doors`); a test that started none shows nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey, create_key
from dragoman.clock import SystemClock
from tests import born
from tests.cases.doors import Passages
from tests.cases.receiver.road import Road
from tests.hub_process import HubProcess
from tests.receiver.world import World

NOTED = """
import json, os, pathlib, random, sys, time
here = pathlib.Path(__file__).parent
def note(name, line):
    with open(here / name, "a") as out:
        out.write(json.dumps(line) + "\\n")
        out.flush()
        os.fsync(out.fileno())
"""
HANDLER = (
    NOTED
    + """
asked = json.load(sys.stdin)
answer = json.loads((here / "answer").read_text())
note("calls.jsonl", asked | {"at": time.time()})
for word, other in answer.pop("by_word", {}).items():
    if any(word in message["text"] for message in asked["messages"][-1:]):
        answer = other
if asked["probe"] and not answer.pop("to_probe", False):
    answer = {"schema_version": 1, "action": "completed", "owner_summary": "I am here"}
answer.pop("to_probe", None)
while "UNIQUE" in answer.get("message", ""):
    word = "".join(random.choice("bcdfghjklmnp") for _ in range(12))
    answer["message"] = answer["message"].replace("UNIQUE", word, 1)
time.sleep(answer.pop("sleep", 0))
code = answer.pop("exit", 0)
sys.stdout.write(answer.pop("raw", None) or json.dumps(answer))
sys.stdout.flush()
note("ends.jsonl", {"contact_id": asked["contact_id"], "at": time.time()})
sys.exit(code)
"""
)
NOTIFIER = (
    NOTED
    + """
told = json.load(sys.stdin)
note("told.jsonl", told)
said = json.loads((here / "confirms").read_text())
time.sleep(said.pop("sleep", 0))
if "raw" in said:
    sys.stdout.write(said["raw"])
else:
    print(json.dumps({"schema_version": 1, "delivered": said["delivered"], "notification_id": told["notification_id"]}))
"""
)
YES = "Yes, we can meet."


class Done(NamedTuple):
    """How one process ended: its exit code, its last JSON answer, and all that it printed."""

    code: int
    answer: dict[str, Any]
    printed: str

    @property
    def error(self) -> str:
        """The code of its error; empty when it had none."""
        return str(self.answer.get("error", {}).get("code", ""))


class Held(NamedTuple):
    """What a lease holds; without a token, nothing."""

    token: str
    message_ids: list[str]


class Stage(World):
    """One role with a receiver, its peer, a contact between them, and the road to the hub.

    Args:
        key, peer: the keys of roles that stand already; made new when left out.
    """

    def __init__(
        self, passages: Passages, folder: Path, hub: HubProcess, road: Road, peer: RoleKey | None = None
    ) -> None:
        self._passages = passages
        self._given_peer = peer
        self.road = road
        self.hub = hub
        super().__init__(folder, hub.url)
        self.handler = self._script("handler.py", HANDLER)
        self.notifier = self._script("notifier.py", NOTIFIER)
        self.confirms()
        self.answers(YES)
        self.write()

    def write(self, **changed: Any) -> None:
        """The configuration, with what a test changes; the hub is at the end of the road."""
        hub = {"url": self.road.url, "role_id": self.key.role_id, "key_file": "us.key"}
        super().write(**{"hub": hub, **changed})

    def handled_by(self, *command: str, **more: Any) -> None:
        """Another handler, or another bound of it."""
        argv = list(command) or [sys.executable, "-S", str(self.handler)]
        self.write(handler={"command": argv, "timeout_seconds": 20, **more})

    def write_grant(self, grant_id: str, **changed: Any) -> None:
        """The configuration as it stands, with another grant, or other keys of it."""
        body = json.loads(self.config.read_text())
        body["autonomy"] |= {"grant_id": grant_id, **changed}
        self.config.write_text(json.dumps(body))

    def failure(self) -> str:
        """Why the newest failed turn failed, as the journal has it; empty when none did."""
        records = json.loads(self.command("journal", "show").stdout)["records"]
        return next((each["reason"] for each in reversed(records) if each["outcome"] == "turn_failed"), "")

    def passed(self) -> None:
        """A test started a process by itself."""
        self._passages.count += 1

    def script(self, name: str, text: str) -> str:
        """A private file beside the configuration; its path."""
        return str(self._script(name, text))

    def confirms(self, **said: Any) -> None:
        """What the notifier says from now on."""
        (self.folder / "confirms").write_text(json.dumps({"delivered": True, **said}))

    def ends(self) -> list[dict[str, Any]]:
        """When the handler came to an end, in order."""
        path = self.folder / "ends.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def asked(self) -> list[list[str]]:
        """The peer's messages that each call of the handler was asked about, those of earlier calls left out."""
        seen: set[str] = set()
        found = []
        for call in self.calls():
            new = [m for m in call["messages"] if m["from"] == "peer" and m["id"] not in seen]
            seen |= {m["id"] for m in new}
            found.append([m["text"] for m in new])
        return found

    def settled(self) -> list[list[str]]:
        """The messages that the hub was told are handled, by every request that says so: an ack, or the reply."""
        acks = [each.body["message_ids"] for each in self.road.of(r"^POST .*/leases/ack$")]
        with_replies = [each.body.get("ack_message_ids") for each in self.road.of(r"^POST .*/contacts/\w+/messages$")]
        return [*acks, *(each for each in with_replies if each)]

    # --- processes ---

    def command(self, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """One command line."""
        self._passages.count += 1
        return super().command(*words, **more)

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        """A process, left running."""
        self._passages.count += 1
        return super().start(*words, **more)

    def ran(self, *words: str, **more: Any) -> Done:
        """One command line to its end."""
        return _done(self.command(*words, **more))

    def at(self, ports: str, command: str = "once") -> Done:
        """The receiver with its ports in hand (`tests.cases.receiver.at`), to its end."""
        return self.ran(ports, command, entry="tests.cases.receiver.at")

    def on(self, ahead: float = 0) -> None:
        """One good cycle, `ahead` seconds from now."""
        done = self.at(f"ahead={ahead}") if ahead else self.ran("once")
        assert (done.code, done.answer.get("errors")) == (0, []), done.printed

    @contextlib.contextmanager
    def serving(self, ports: str = "") -> Iterator[subprocess.Popen[str]]:
        """A `run` that works until the block ends; it must end well then, unless the test ended it otherwise."""
        words = (ports, "run") if ports else ("run",)
        process = self.start(*words, entry="tests.cases.receiver.at" if ports else "dragoman.cli.main")
        assert process.stdout is not None
        try:
            assert "running" in process.stdout.readline()
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            out, err = process.communicate(timeout=60)
        if process.returncode != -9:
            assert process.returncode == 0, out + err

    def resolve(self, **said: Any) -> Done:  # type: ignore[override]
        """`dragoman resolve`, with the owner's word on standard input."""
        return self.ran("resolve", "--resolution", "-", stdin=json.dumps({"owner_confirmed": True, **said}))

    def task(self, contact: str | None = None) -> dict[str, Any]:
        """What `status` says of one task: its state, stop and turns."""
        where = contact or self.contact
        (found,) = (each for each in self.status()["autonomy"] if each["contact_id"] == where)
        return {name: found[name] for name in ("state", "stop_reason", "turns_used")}

    def doctor(self, ports: str = "-") -> dict[str, dict[str, Any]]:
        """What `doctor` found, by the name of the check."""
        return {check["name"]: check for check in self.at(ports, "doctor").answer["checks"]}

    # --- the hub, as a role sees it ---

    def delivery(self, key: RoleKey | None = None, contact: str | None = None) -> str:
        """Where the hub says that the conversation stands, to our role or to another."""
        where = contact or self.contact

        async def look(client: HubClient) -> wire.Communication:
            return await client.communication(where)

        return str(self.as_role(key or self.key, look).delivery.state)

    def says(self, key: RoleKey, contact: str, text: str) -> None:
        """Another role writes."""
        self.as_role(key, lambda client: client.send(contact, reply_id=f"rep_{os.urandom(16).hex()}", text=text))

    def sent(self, contact: str | None = None) -> list[tuple[str, str]]:
        """What we sent in a contact, as the hub holds it: to our peer, or to our role where another is the peer."""
        if contact in (None, self.contact):
            return super().sent()
        page = self.as_role(self.key, lambda client: client.messages(str(contact)))
        return [(each.reply_id, each.text) for each in page.messages if each.sender_role_id == self.key.role_id]

    def many_say(self, number: int) -> None:
        """The peer writes many messages."""

        async def write(client: HubClient) -> None:
            for each in range(number):
                await client.send(self.contact, reply_id=f"rep_{os.urandom(16).hex()}", text=f"Question {each}?")

        self.as_role(self.peer, write)

    def another(self, name: str) -> RoleKey:
        """Another role, known to the hub."""
        key = create_key(self.folder / f"{name}.key")
        self.as_role(key, lambda client: client.register())
        return key

    def opens(self, peer: RoleKey) -> str:
        """Our role opens a contact with another; its id."""

        async def open_contact(client: HubClient) -> wire.Contact:
            return await client.open_contact(f"opn_{os.urandom(16).hex()}", peer.role_id)

        return self.as_role(self.key, open_contact).contact_id

    def open_many(self, number: int) -> list[str]:
        """Our role opens contacts with as many new roles; their ids."""

        async def open_each(client: HubClient) -> list[str]:
            found = []
            for each in range(number):
                key = create_key(self.folder / f"many{each}.key")
                async with HubClient(self.url, key, SystemClock()) as other:
                    await other.register()
                opened = await client.open_contact(f"opn_{os.urandom(16).hex()}", key.role_id)
                found.append(opened.contact_id)
            return found

        return self.as_role(self.key, open_each)

    def taken_over(self) -> None:
        """Another instance of our role becomes the primary one, by the command."""
        other = self.folder / "other.key"
        held = json.loads((self.folder / "us.key").read_text()) | {"instance_id": f"ins_{os.urandom(16).hex()}"}
        other.write_text(json.dumps(held))
        other.chmod(0o600)
        words = ("hub", "login", "--url", self.url, "--key", str(other), "--takeover")
        born.run([sys.executable, "-m", "dragoman.cli.main", *words], check=True, capture_output=True)

    def leased(self, **asked: Any) -> Held:
        """Another client of the very same role and instance leases what is free."""
        found = self.as_role(self.key, lambda client: client.lease(**asked))
        return Held(found.lease.lease_token if found.lease else "", [each.message_id for each in found.messages])

    async def _open(self, client: HubClient) -> str:
        if self._given_peer is not None:
            self.peer = self._given_peer
        await client.register()
        async with HubClient(self.url, self.peer, SystemClock()) as other:
            await other.register()
        return (await client.open_contact(f"opn_{os.urandom(16).hex()}", self.peer.role_id)).contact_id


def _done(process: subprocess.CompletedProcess[str]) -> Done:
    lines = process.stdout.splitlines()
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError):
        answer = {}
    return Done(process.returncode, answer if isinstance(answer, dict) else {}, process.stdout + process.stderr)


def refused(stage: Stage, verb: Callable[[HubClient], Awaitable[object]], key: RoleKey | None = None) -> str:
    """The code with which the hub refuses one verb to a role; empty when it does not."""
    try:
        stage.as_role(key or stage.key, verb)
    except HubError as error:
        return error.wire_code
    return ""


def alive(words: str) -> int:
    """How many processes of this machine carry these words in their command line."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            zombie = "\nState:\tZ" in (path.parent / "status").read_text()
            found += words in path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace") and not zombie
    return found


def seconds(since: float) -> float:
    """How long ago a monotonic moment was."""
    return time.monotonic() - since
