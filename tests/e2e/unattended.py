"""The unattended run: three roles in two processes, a real small model, scripted peers, `kill -9`; nobody touches it.

Usage: `python -m tests.e2e.unattended [--minutes 10] [--contacts 24] [--messages 100] [--kills 4] [--folder F]`.

One process is `dragoman run --config`, the other `dragoman run --roles` with two roles. Their grants differ in turns
and dispatches per day and end shortly before the run does. At random moments one of both processes is killed and
started again, as a service manager would. The table at the end is written to `FOLDER/unattended.txt`; the exit code is
1 when the judge complains.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from dragoman.cli.demo_stage import COMMAND, Stage
from dragoman.cli.demo_story import write_private
from dragoman.clock import SECOND, SystemClock
from dragoman.errors import DragomanError
from tests.e2e.unattended_judge import Ending, Side, calls_of, judged, told_of
from tests.e2e.unattended_peers import Peer

HANDLER: Final = Path(__file__).with_name("unattended_handler.py")
FACTS: Final = ("We have 42 shelves in stock.", "Delivery takes 3 working days.")
GRANTS: Final = (("anna", 10, 200), ("bert", 6, 200), ("cleo", 10, 30))
"""Role, turns per contact, dispatches per day."""
INSTRUCTION: Final = (
    "Answer a buyer's questions about stock and delivery from the facts given, and nothing else. Ask me when no fact "
    "answers. A matter is done when the buyer says so."
)
HUB: Final = ("--replies-per-contact-hour", "30", "--replies-per-role-day", "0", "--lease-seconds", "30")
_POLICY: Final = """\
version = 1
agent_names = ["Desk"]

[[counterparties]]
id = "buyer"

[[counterparties]]
id = "zenith"
terms = ["Kestrel-7"]

[[records]]
counterparty = "buyer"
facts = {facts}
"""
_CONTACT: Final = """
[[targets]]
platform = "hub"
workspace = "{role}"
channel = "{contact}"
audience = "external"
counterparty = "buyer"
"""


class Options(argparse.Namespace):
    """What a run is like."""

    minutes: float
    contacts: int
    messages: int
    kills: int
    seed: int
    folder: Path | None
    stand_in: bool


class Run:
    """One run, from its services to its judge."""

    def __init__(self, stage: Stage, options: Options) -> None:
        self.stage = stage
        self.options = options
        self.url = ""
        self.sides: list[Side] = []
        self.peers: list[Peer] = []
        self.killed: list[str] = []
        self._chance = random.Random(options.seed)
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self._models: dict[str, str] = {}

    # --- setting up ---

    def set_up(self) -> None:
        """Hub, models, roles, contacts, configurations; both receivers are started."""
        stage, grants = self.stage, GRANTS[: 1 if self.options.contacts < 3 else 3]
        (stage.folder / "hub").mkdir(mode=0o700)
        serve = ("hub", "serve", "--db", str(stage.folder / "hub/hub.sqlite3"), "--listen", "127.0.0.1:0", "--json")
        _, listening = stage.start("hub-process", *COMMAND, *serve, *HUB)
        self.url = str(listening["listening"])
        (stage.folder / "roles").mkdir(mode=0o700)
        for number, (name, turns, per_day) in enumerate(grants):
            folder = stage.folder / (name if number == 0 else f"roles/{name}")
            folder.mkdir(mode=0o700)
            (folder / "witness").mkdir(mode=0o700)
            key = stage.ask("hub", "keygen", "--out", str(folder / "role.key"))
            stage.ask("hub", "register", "--url", self.url, "--key", str(folder / "role.key"))
            self.sides.append(Side(name, folder, str(key["role_id"]), turns, per_day))
        asyncio.run(self._open())
        for number, side in enumerate(self.sides):
            self._configure(side, self._model(f"model-{min(number, 1)}"))
        self._words["one"] = ("run", "--config", self.sides[0].config)
        if len(self.sides) > 1:
            self._words["many"] = ("run", "--roles", str(stage.folder / "roles"))
        for which in self._words:
            self._start(which)

    async def _open(self) -> None:
        folder = self.stage.folder / "peers"
        folder.mkdir(mode=0o700)
        share = self.options.contacts // len(self.sides)
        for number, side in enumerate(self.sides):
            peer = Peer(folder, self.url, f"peer-{number}", self.options.seed + number)
            await peer.open(side.role_id, share)
            self.peers.append(peer)

    def _model(self, name: str) -> str:
        if self.options.stand_in:
            return "-"
        if name not in self._models:
            _, said = self.stage.start(name, sys.executable, "-m", "dragoman.agents.local", "--port", "0")
            self._models[name] = str(said["base_url"])
        return self._models[name]

    def _configure(self, side: Side, model: str) -> None:
        contacts = [each for peer in self.peers for each, role in peer.contacts.items() if role == side.role_id]
        invited = side.name == "cleo"
        expires = SystemClock().now() + int((self.options.minutes * 60 - self._closing()) * SECOND)
        config: dict[str, Any] = {
            "state_dir": "state",
            "policy": "policy.toml",
            "hub": {"url": self.url, "role_id": side.role_id, "key_file": "role.key"},
            "handler": {
                "command": [sys.executable, str(side.folder / "handler.py"), str(side.folder / "witness"), model],
                "timeout_seconds": 120,
            },
            "notifier": {"command": [sys.executable, "-m", "dragoman.cli.demo_notifier", str(side.folder)]},
            "owner_instruction": INSTRUCTION,
            "autonomy": {
                "version": 1,
                "grant_id": f"grant-{secrets.token_hex(8)}",
                "expires_at": expires,
                "contact_ids": [] if invited else contacts,
                "accept_inbound": invited,
                "max_turns_per_contact": side.turns,
                "max_dispatches_per_day": side.per_day,
                "wait_timeout_seconds": 1800,
            },
        }
        policy = _POLICY.format(facts=json.dumps(FACTS))
        policy += "".join(_CONTACT.format(role=side.role_id, contact=contact) for contact in contacts)
        # a copy: whoever edits the original during a run has changed the grant's scope, and everything stops
        write_private(side.folder / "handler.py", HANDLER.read_text())
        write_private(side.folder / "policy.toml", policy)
        write_private(Path(side.config), json.dumps(config, indent=1))

    def _closing(self) -> float:
        """Seconds before the end at which the grants are over."""
        return min(45.0, self.options.minutes * 60 / 3)

    # --- playing ---

    def play(self) -> None:
        """Until the time is over."""
        asyncio.run(self._play())

    async def _play(self) -> None:
        end = time.monotonic() + self.options.minutes * 60
        closes = frozenset(list(self.peers[0].contacts)[1:2]) if self.options.contacts > 3 else frozenset()
        talks_until, pause = end - self._closing() / 2, self.options.minutes
        talking = [asyncio.create_task(peer.talk(talks_until, pause, closes)) for peer in self.peers]
        killing = asyncio.create_task(self._kills(end - self._closing()))
        while time.monotonic() < end:
            await asyncio.sleep(min(30.0, max(0.1, end - time.monotonic())))
            self.stage.say(f"{self.handled()} messages handled, {len(self.killed)} kills")
        await asyncio.gather(*talking, killing)
        for peer in self.peers:
            await peer.last_look()

    async def _kills(self, end: float) -> None:
        """`kill -9` at random moments, both processes in turn; each is started again two seconds later."""
        began = time.monotonic()
        moments = sorted(self._chance.uniform(began + (end - began) / 12, end - 5) for _ in range(self.options.kills))
        names = [name for name in ("one", "many") if name in self._words]
        for number, moment in enumerate(moments):
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            name = names[number % len(names)]
            victim = self._running[name]
            await asyncio.to_thread(self.stage.kill, victim)
            assert victim.stdout is not None
            victim.stdout.close()
            self.killed.append(f"{name} after {time.monotonic() - began:.0f} s")
            self.stage.say(f"kill -9: {self.killed[-1]}")
            await asyncio.sleep(2 if self.options.minutes > 1 else 0.2)
            await asyncio.to_thread(self._start, name)

    def _start(self, name: str) -> None:
        self._running[name], said = self.stage.start(name, *COMMAND, *self._words[name], "--json")
        assert "running" in said, said

    def handled(self) -> int:
        """How many different messages the handler was asked about."""
        return len({id for side in self.sides for each in calls_of(side) for id in each["asked"]})

    # --- the end ---

    def end(self) -> tuple[list[Ending], list[str]]:
        """Ask both receivers to stop once the owner has been told that the grants are over, then judge."""
        complaints = []
        with contextlib.suppress(DragomanError):  # the judge complains of it
            self.stage.until("the owner to be told", lambda: all(map(_limit_told, self.sides)))
        for name in ("one", "many"):
            if name in self._running:
                self._running[name].terminate()
                code = self._running[name].wait(90)
                if code != 0:
                    complaints.append(f"{name} ended with {code}")
        endings, found = judged(self.stage, self.url, self.sides, self.peers)
        complaints += found
        if self.handled() < self.options.messages:
            complaints.append(f"only {self.handled()} messages were handled")
        return endings, complaints


def _limit_told(side: Side) -> bool:
    return any(each["milestone"] == "limit_hit" for each in told_of(side))


def page(run: Run, endings: list[Ending], complaints: list[str]) -> str:
    """The table and the verdict, as text."""
    stops: dict[str, int] = {}
    for each in endings:
        stops[each.stop] = stops.get(each.stop, 0) + 1
    spoilt = sum(bool(each["spoilt"]) for side in run.sides for each in calls_of(side))
    calls = sum(len(calls_of(side)) for side in run.sides)
    lines = [
        "| role | contact | messages | turns | replies | stop | packets | summary |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in sorted(endings, key=lambda ending: (ending.side, ending.stop)):
        summary = " / ".join(each.summary.splitlines())[:110].replace("|", "/")
        lines.append(
            f"| {each.side} | {each.contact[:12]} | {each.asked} | {each.turns} | {each.replies} | {each.stop} "
            f"| {each.packets} | {summary} |"
        )
    lines += [
        "",
        f"{len(endings)} contacts, {run.handled()} messages handled, {calls} calls ({spoilt} spoilt on purpose), "
        f"{sum(each.replies for each in endings)} replies read by peers",
        f"stops: {', '.join(f'{count} {stop}' for stop, count in sorted(stops.items()))}",
        f"kill -9: {', '.join(run.killed) or 'none'}",
        f"minutes {run.options.minutes}, seed {run.options.seed}",
        *(f"COMPLAINT: {each}" for each in complaints),
        "no complaints" if not complaints else f"{len(complaints)} complaints",
    ]
    return "\n".join(lines) + "\n"


def options(words: list[str]) -> Options:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.unattended", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--contacts", type=int, default=24)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=None, help="must not exist; kept")
    parser.add_argument("--stand-in", action="store_true", help="no model: a handler that looks for shared words")
    return parser.parse_args(words, namespace=Options())


def main(words: list[str]) -> int:
    """Run, print and write the page; 1 when there is a complaint."""
    asked, began = options(words), time.monotonic()

    def say(line: str) -> None:
        sys.stdout.write(f"[{time.monotonic() - began:5.0f} s] {line}\n")
        sys.stdout.flush()

    stage = Stage(asked.folder or Path(tempfile.mkdtemp()) / "unattended", say)
    run = Run(stage, asked)
    try:
        run.set_up()
        say(f"{len(run.sides)} roles, {sum(len(peer.contacts) for peer in run.peers)} contacts")
        run.play()
        endings, complaints = run.end()
    finally:
        stage.close()
    text = page(run, endings, complaints)
    (stage.folder / "unattended.txt").write_text(text)
    sys.stdout.write(f"{text}everything is in {stage.folder}\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
