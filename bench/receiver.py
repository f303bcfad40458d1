"""What the receiver's books cost beside other durable queues: `python bench/receiver.py [--quick]`.

Targets R1, R2 and R4 of `docs/reference/performance.md`. The control is how often this disk flushes an appended 8 KB;
huey, persist-queue and DBOS run in the same round, each in its documented way. `once` runs against a hub with nothing
to do, as a scheduler would start it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.peers import place  # noqa: E402
from tests.postgres import binaries, running_cluster  # noqa: E402

from dragoman.channels.hub.keys import create_key  # noqa: E402
from dragoman.grants import Grant  # noqa: E402
from dragoman.identity import Target  # noqa: E402
from dragoman.ledger.turns import Decided, TurnRow, TurnState  # noqa: E402
from dragoman.receiver.books import Books, open_books  # noqa: E402
from dragoman.words import Action, Purpose, SendState  # noqa: E402

TELL_PEAK = """
import atexit, sys
atexit.register(lambda: sys.stderr.write(next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))))
"""
NOW = 1_800_000_000_000
TEXT = "x" * 1000
TARGET = Target("hub", "role_1", "con_1")
GRANT = Grant(
    id="bench-1",
    purpose=Purpose.AUTONOMY,
    targets=frozenset({TARGET}),
    given_by="oper",
    expires_at=NOW * 2,
    max_per_target=10_000_000,
    max_per_day=10_000_000,
)


class Turns:
    """The books of one receiver, and how a turn is written into them."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._n = 0

    def charge(self) -> None:
        """R1: two counters with their limits and the line that says so, one commit."""
        if not self._books.charges.charge(GRANT, TARGET, NOW):
            raise RuntimeError("not charged")

    def turn(self) -> str:
        """R2: charge and turn in one commit before the model, decision in one after it."""
        self._n += 1
        turn = TurnRow(
            id=f"t{self._n}",
            target=TARGET,
            grant_id=GRANT.id,
            generation=1,
            correlation_id=f"c{self._n}",
            admission=b"{}",
            attempts=1,
            state=TurnState.RUNNING,
            next_at=0,
            failure="",
            note="",
            created_at=NOW,
        )
        reply_id = f"reply-{self._n}"
        with self._books.ledger.write():
            self.charge()
            self._books.turns.open(turn)
        decided = Decided(turn_id=turn.id, reply_id=reply_id, target=TARGET, action=Action.REPLY, text=TEXT)
        self._books.turns.decide(decided, NOW)
        return reply_id

    def whole(self) -> None:
        """All that a real turn flushes: the side file and the marks around the POST as well."""
        reply_id = self.turn()
        self._books.note_use(GRANT.id)
        for state in (SendState.SENDING, SendState.SENT):
            self._books.turns.mark(reply_id, state, now=NOW)


def rate(step: object, seconds: float) -> float:
    """Steps per second."""
    assert callable(step)
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        step()
        done += 1
    return done / spent


def peer(name: str, seconds: float, where: str) -> float:
    """A peer's units per second, in its own process."""
    command = [str(place.PEERS), str(place.HERE / "queues.py"), name, str(seconds), where]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def cost(python: str, code: str) -> tuple[float, float]:
    """CPU seconds and peak MiB of a Python program that ends well.

    It tells its own peak: what the system says of a child begins with the memory of its parent.
    """
    command = [python, "-c", TELL_PEAK + code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    assert process.stderr is not None
    said = process.stdout.read() + process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command}: {said.decode()[-1000:]}")
    return used.ru_utime + used.ru_stime, int(re.findall(rb"VmHWM:\s+(\d+)", said)[-1]) / 1024


def once(folder: Path, url: str) -> str:
    """A receiver with one contact and nothing to do, and the program that runs it once."""
    made = create_key(folder / "role.key")
    subprocess.run(
        [sys.executable, "-m", "dragoman.cli.main", "hub", "register", "--url", url, "--key", str(folder / "role.key")],
        check=True,
        capture_output=True,
    )
    handler = folder / "handler.py"
    handler.write_text("#!/usr/bin/env python3\n")
    handler.chmod(0o700)
    config = {
        "state_dir": "state",
        "owner_instruction": "Answer what is asked.",
        "hub": {"url": url, "role_id": made.role_id, "key_file": "role.key"},
        "handler": {"command": [str(handler)]},
        "policy": "policy.toml",
        "autonomy": {
            "version": 1,
            "grant_id": "bench-once-1",
            "expires_at": int(time.time() * 1000) + 86_400_000,
            "contact_ids": [f"con_{os.urandom(16).hex()}"],
            "accept_inbound": False,
            "max_turns_per_contact": 12,
            "max_dispatches_per_day": 40,
            "wait_timeout_seconds": 86_400,
        },
    }
    (folder / "policy.toml").write_text("version = 1\n")
    (folder / "config.json").write_text(json.dumps(config))
    for each in ("policy.toml", "config.json"):
        (folder / each).chmod(0o600)
    argv = ["dragoman", "once", "--config", str(folder / "config.json")]
    return f"import sys; sys.argv = {argv!r}\nfrom dragoman.cli.main import main\nmain()"


def measure(folder: Path, dsn: str, rounds: int, seconds: float) -> dict[str, list[float]]:
    """Everything, interleaved."""
    found: dict[str, list[float]] = defaultdict(list)
    books = open_books(folder / "state", folder / "high-water.json", may_create=True)
    turns = Turns(books)
    for _ in range(rounds):
        found["flushes"].append(place.flushes(folder, seconds / 2, append=True))
        for name, step in (("charge", turns.charge), ("turn", turns.turn), ("whole turn", turns.whole)):
            found[name].append(rate(step, seconds))
        if place.PEERS.exists():
            found["huey"].append(peer("huey", seconds, str(folder)))
            found["persist-queue"].append(peer("persist", seconds, str(folder)))
            if dsn:
                found["dbos"].append(peer("dbos", seconds, dsn))
    books.close()
    return found


def cold(folder: Path, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """R4: `once` beside the import of the A2A project's request handlers."""
    folder.mkdir(mode=0o700)
    command = [sys.executable, "-m", "dragoman.cli.main", "hub", "serve", "--listen", "127.0.0.1:0", "--json"]
    hub = place.Server("hub", [*command, "--db", f"sqlite://{folder}/hub.db"], 0, ready="listening")
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    try:
        receiver = once(folder, f"http://127.0.0.1:{hub.port}")
        cost(sys.executable, receiver)
        for _ in range(rounds):
            found["once"].append(cost(sys.executable, receiver))
            if place.PEERS.exists():
                found["a2a"].append(cost(str(place.PEERS), "import a2a.server.request_handlers"))
    finally:
        hub.stop()
    return found


def main() -> int:
    """Measure; 1 when a target is missed by far."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one short round")
    given = parser.parse_args()
    rounds, seconds = (1, 0.6) if given.quick else (5, 1.5)
    verdicts = place.Verdicts()
    with place.folder() as folder:
        folder.chmod(0o700)
        if binaries() is None:
            found = measure(folder, "", rounds, seconds)
        else:
            with running_cluster(fsync="on") as cluster:
                found = measure(folder, cluster.database(), rounds, seconds)
        starts = cold(folder / "once", rounds + 2)
    for name, rates in found.items():
        print(f"{name:16}{place.median(rates):8.0f}/s")
    for name, costs in starts.items():
        cpu, peak = (place.median([each[n] for each in costs]) for n in (0, 1))
        print(f"{name:16}{cpu:8.2f} s CPU {peak:8.1f} MiB")

    def over(one: str, other: str) -> list[float]:
        return [a / b for a, b in zip(found[one], found[other], strict=True)]

    verdicts.ratio("R1", over("charge", "flushes"), 0.8, "charge against flushes of 8 KB, appended")
    verdicts.ratio("R2", over("turn", "flushes"), 0.45, "bookkeeping of a turn against flushes")
    for name, target in (("huey", 1.4), ("persist-queue", 1.6), ("dbos", 5.0)):
        if name in found:
            verdicts.ratio("R2", over("turn", name), target, f"bookkeeping of a turn against {name}")
    if "a2a" in starts:
        ratios = [a[0] / b[0] for a, b in zip(starts["a2a"], starts["once"], strict=True)]
        verdicts.ratio("R4", ratios, 4.0, "CPU of importing a2a's handlers over `once` with nothing to do")
    verdicts.ratio("R4", [35 / each[1] for each in starts["once"]], 1.0, "35 MiB over the peak of `once`")
    return int(verdicts.failed)


if __name__ == "__main__":
    sys.exit(main())
