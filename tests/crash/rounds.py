"""Crash rounds: a real hub and a real receiver, one of them or both killed at a named arrow, and a judge after each.

The judge believes only two witnesses: the observer process, which reads through the hub's API as the peer, and the
files that the handler makes and flushes, one per call. Of every question of a round it demands:

1. it is answered by exactly one visible reply;
2. the handler was called for it once, and once more at most for every kill that may have come between its charge and
   its saved decision;
3. what was charged for the contact is never less than the calls, and at most one more for every kill of the receiver.

After the last round the packets of every contact must verify and name each reply that was sent.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.clock import SECOND
from dragoman.words import LifePoint
from tests.receiver.evidence_of import complaints as packet_complaints
from tests.receiver.world import World, until

HANDLER = """
import json, os, pathlib, sys
asked = json.load(sys.stdin)
folder = pathlib.Path(__file__).parent / "counted"
questions = [each["text"] for each in asked["messages"] if each["new"]]
name = os.urandom(8).hex()
fd = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
os.write(fd, json.dumps(questions).encode())
os.fsync(fd)
os.close(fd)
fd = os.open(folder, os.O_RDONLY)
os.fsync(fd)
message = "Here is something about " + " and ".join(each.split()[-1] for each in questions)
print(json.dumps({"schema_version": 1, "action": "reply", "message": message}))
"""
LEASE_SECONDS = 1
RECEIVER = tuple(str(point) for point in LifePoint)
HUB = tuple(f"{verb}:{point}" for verb in ("send", "take", "ack") for point in ("begun", "written", "committed"))
UNSAVED = frozenset({"charged", "handled"})
"""Where a kill of the receiver may cost another call or charge."""
FAILED_SECONDS = 1.0
"""After this the restarted receiver is killed once more, and its clock set past the wait of its failed turn."""


class Plan(NamedTuple):
    """One round: where receiver and hub die (None: not at all), at which passing, and how many questions are asked."""

    receiver: str | None
    hub: str | None
    times: int
    questions: int


def plans(seed: int, count: int) -> list[Plan]:
    """Every named arrow of both sides, in random order, over and over; sometimes both in one round."""
    chance = random.Random(seed)
    points: list[tuple[str | None, str | None]] = []
    while len(points) < count:
        one_pass = [(point, None) for point in RECEIVER] + [(None, point) for point in HUB]
        one_pass += [(chance.choice(RECEIVER), chance.choice(HUB)) for _ in range(6)]
        chance.shuffle(one_pass)
        points += one_pass
    return [Plan(mine, theirs, chance.choice((1, 1, 2)), chance.choice((1, 1, 2))) for mine, theirs in points[:count]]


class Nursery:
    """Real processes, forked within milliseconds; see `nursery`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._talker = talker("tests.crash.nursery")
        self._pids: dict[str, int] = {}

    def start(self, name: str, what: str, arguments: dict[str, Any], die: str | None, times: int = 1) -> None:
        """Start a hub or a receiver under a name of its own."""
        log = str(self.folder / f"{name}.log")
        asked = {"start": what, "arguments": arguments, "die": die, "times": times, "log": log}
        self._pids[name] = ask(self._talker, asked)["pid"]

    def kill(self, name: str) -> None:
        """`kill -9`, if it still lives; either way it is gone afterwards."""
        pid = self._pids.pop(name, None)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            status = ask(self._talker, {"wait": pid})["status"]
            assert status == -signal.SIGKILL, f"{name} ended with {status}: {self.log(name)}"

    def dead(self, name: str) -> bool:
        """Whether it has died (and waits to be collected)."""
        pid = self._pids.get(name)
        return pid is None or Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"

    def log(self, name: str) -> str:
        """The end of what a process printed."""
        path = self.folder / f"{name}.log"
        return path.read_text()[-2000:] if path.exists() else ""

    def close(self) -> None:
        """End everything."""
        for name in list(self._pids):
            self.kill(name)
        end(self._talker)


class Arena:
    """The hub, the receiver, the observer and the nursery of one run."""

    def __init__(self, folder: Path, db: str) -> None:
        self.folder = folder
        self.db = db
        self._nursery = Nursery(folder)
        self._port = 0
        self.ahead = 0
        self._wait_until = 0.0
        self.start_hub(None)
        self.world = World(folder / "world", self.url)
        (self.world.folder / "counted").mkdir()
        self.world.handler.write_text(HANDLER)
        self.world.write(
            autonomy__accept_inbound=True,
            autonomy__contact_ids=[],
            autonomy__max_turns_per_contact=1000,
            autonomy__max_dispatches_per_day=100_000,
        )
        peer_file = self.world.folder / "peer.key"
        self._observer = talker("tests.crash.observer", self.url, str(peer_file), self.world.key.role_id)

    # --- processes ---

    def start_hub(self, die: str | None, times: int = 1) -> None:
        """A hub, killed at its arrow `die`."""
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        arguments = {"db": self.db, "port": self._port, "lease_seconds": LEASE_SECONDS, "ready": str(ready)}
        self._nursery.start("hub", "hub", arguments, die, times)
        assert until(lambda: ready.exists() and ready.read_text() != "", 45), self._nursery.log("hub")
        self.url = ready.read_text()
        self._port = int(self.url.rpartition(":")[2])

    def start_receiver(self, die: str | None, times: int = 1, **planted: str) -> None:
        """A receiver, killed at its arrow `die`."""
        arguments = {"config": str(self.world.config), "ahead": self.ahead, **planted}
        self._nursery.start("receiver", "receiver", arguments, die, times)

    def close(self) -> None:
        """End everything."""
        self._nursery.close()
        end(self._observer)

    # --- rounds ---

    def rounds(self, seed: int, count: int) -> list[str]:
        """That many rounds; what the judge complains about in the first that it does not like."""
        for number, plan in enumerate(plans(seed, count)):
            complaints = self.play(number, plan)
            if complaints:
                return [f"round {number} of seed {seed}", *complaints]
        return self.packets()

    def packets(self) -> list[str]:
        """What is wrong with the packets of all contacts, as they would be exported; each must have left some."""
        books = self.world.books()
        talks = {each.target for each in books.conversations.all()}
        silent = talks - set(books.packets.targets())
        books.close()
        return [*(f"{target} left no packet" for target in silent), *packet_complaints(self.world.folder)]

    def play(self, number: int, plan: Plan, **planted: str) -> list[str]:
        """One round; what the judge complains about."""
        self._nursery.kill("receiver")
        self._wait_until = 0
        if plan.hub is not None:
            self._nursery.kill("hub")
            self.start_hub(plan.hub, plan.times)
        contact = ask(self._observer, {"open": f"open_{number:08}"})["contact"]
        self.start_receiver(plan.receiver, plan.times, **({"says_twice_in": contact} if planted else {}))
        questions = [f"What do you know about {word(number, which)}" for which in range(plan.questions)]
        for which, text in enumerate(questions):
            if which and self._nursery.dead("hub"):
                self._again(plan)
            self._say(contact, text, f"rep_{number:06}_{which:02}", plan)
        settled = until(lambda: self._settled(contact, questions, plan), 25)
        if not settled:
            return [f"not settled: {self._read(contact)} {self._nursery.log('receiver')} {self._nursery.log('hub')}"]
        return self._judge(contact, questions, plan)

    def _say(self, contact: str, text: str, reply_id: str, plan: Plan) -> None:
        asked = {"say": text, "contact": contact, "reply_id": reply_id}
        assert self._observer.stdin is not None
        self._observer.stdin.write(json.dumps(asked) + "\n")
        self._observer.stdin.flush()
        self._answer(plan)

    def _answer(self, plan: Plan) -> dict[str, Any]:
        """The observer's answer; the hub is started again if that is what it waits for."""

        assert self._observer.stdout is not None
        while not select.select([self._observer.stdout], [], [], 0.05)[0]:
            self._again(plan)
        return dict(json.loads(self._observer.stdout.readline()))

    def _again(self, plan: Plan) -> None:
        """Whoever died is collected and started again, to live this time."""
        if self._nursery.dead("hub"):
            self._nursery.kill("hub")
            self.start_hub(None)
        if self._nursery.dead("receiver"):
            self._nursery.kill("receiver")
            self.start_receiver(None)
            self._wait_until = time.monotonic() + FAILED_SECONDS if plan.receiver in UNSAVED else 0
        elif self._wait_until and time.monotonic() > self._wait_until:
            self._nursery.kill("receiver")
            self.ahead += 6 * SECOND  # the failed turn has been noted; now its wait is over
            self.start_receiver(None)
            self._wait_until = 0

    def _read(self, contact: str) -> dict[str, Any]:
        assert self._observer.stdin is not None
        self._observer.stdin.write(json.dumps({"read": contact}) + "\n")
        self._observer.stdin.flush()
        return self._answer(Plan(None, None, 1, 1))

    def _settled(self, contact: str, questions: list[str], plan: Plan) -> bool:
        self._again(plan)
        seen = self._read(contact)
        said = " ".join(seen["texts"])
        return bool(seen["settled"]) and all(text.split()[-1] in said for text in questions)

    def _judge(self, contact: str, questions: list[str], plan: Plan) -> list[str]:
        time.sleep(0.05)
        texts = self._read(contact)["texts"]
        words = {text: text.split()[-1] for text in questions}
        complaints = [
            f"{word} is in {shown} replies"
            for word in words.values()
            if (shown := sum(word in text.split() for text in texts)) != 1
        ]
        calls = [json.loads(path.read_text()) for path in (self.world.folder / "counted").iterdir()]
        mine = [call for call in calls if set(call) & set(questions)]
        more = 2 if plan.receiver in UNSAVED else 0
        for text in questions:
            count = sum(text in call for call in mine)
            if not 1 <= count <= 1 + more:
                complaints.append(f"{words[text]}: {count} calls")
        charged = next(
            (task["turns_used"] for task in self.world.stands()["autonomy"] if task["contact_id"] == contact), 0
        )
        if not len(mine) <= charged <= len(mine) + more + (1 if plan.receiver is not None else 0):
            complaints.append(f"{charged} charged for {len(mine)} calls")
        return [f"{plan}: {complaint}" for complaint in complaints]


def word(number: int, which: int) -> str:
    """A word that no other question has; letters only, for a number in a reply would be a claim."""
    digits = f"{number:04}{which}"
    return "".join("bdfgklmnps"[int(digit)] + "aeiou"[int(digit) % 5] for digit in digits)


def end(process: subprocess.Popen[str]) -> None:
    """Let a process that reads requests end."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait(60)
    assert process.stdout is not None
    process.stdout.close()


def talker(module: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that answers requests, line by line."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def ask(talker: subprocess.Popen[str], asked: dict[str, Any]) -> dict[str, Any]:
    """One request and its answer."""
    assert talker.stdin is not None
    assert talker.stdout is not None
    talker.stdin.write(json.dumps(asked) + "\n")
    talker.stdin.flush()
    return dict(json.loads(talker.stdout.readline()))
