"""The hub's speed beside others that keep what they are sent: `python bench/hub.py [--quick] [--only http]`.

Targets H1 to H7 of `docs/reference/performance.md`. Every contender runs in the same round: the hub on PostgreSQL and
on SQLite, the A2A project's server over PostgreSQL and in memory, Starlette with one plain INSERT, Synapse where it is
installed, and how often the disk flushes. Servers on CPU 0, load on CPU 1, PostgreSQL where it likes, with fsync on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.peers import hub_roles, place, storage  # noqa: E402
from tests.postgres import Cluster, binaries, running_cluster  # noqa: E402

TEXT = "The open start dates are 6 October 2026 and 13 October 2026; which one suits your team? " * 3
PACKET = json.dumps({"profile_id": "x.note.v1", "notes": ["twelve desks by the window, no deposit"] * 14})
OURS = "hub, PostgreSQL"
NAMES = (OURS, "hub, SQLite", "a2a, PostgreSQL", "a2a, memory", "insert", "synapse")
Runs = list[dict[str, float]]
Found = dict[str, dict[int, Runs]]


def hub_server(name: str, db: str) -> place.Server:
    """A hub process of ours; the reply limits of 6 and 60 are lifted, or nothing could be measured."""
    command = [sys.executable, "-m", "dragoman.cli.main", "hub", "serve", "--db", db, "--listen", "127.0.0.1:0"]
    lifted = ["--replies-per-contact-hour", "0", "--replies-per-role-day", "0", "--json"]
    return place.Server(name, [*command, *lifted], 0, ready="listening")


def send_plan(made: list[hub_roles.Pair]) -> dict[str, Any]:
    """Validated sends: a text and a packet, one contact for each connection."""
    body = {"reply_id": "@@", "text": TEXT, "packet": PACKET}
    places = [
        {
            "path": f"/api/v1/contacts/{pair.contact}/messages",
            "headers": pair.a.headers,
            "body": json.dumps({**body, "generation": pair.a.generation}),
        }
        for pair in made
    ]
    return {"script": "each", "places": places, "expect": '"replayed":false'}


def a2a_plan() -> dict[str, Any]:
    """One message that becomes a completed task."""
    message = {"messageId": "@@", "role": "ROLE_USER", "parts": [{"text": TEXT + PACKET}]}
    body = {"jsonrpc": "2.0", "id": "@@", "method": "SendMessage", "params": {"message": message}}
    places = [{"path": "/", "headers": {"a2a-version": "1.0"}, "body": json.dumps(body)}]
    return {"script": "each", "places": places, "expect": "TASK_STATE_COMPLETED"}


def insert_plan() -> dict[str, Any]:
    """The same body, kept as it is."""
    body = json.dumps({"reply_id": "@@", "generation": 1, "text": TEXT, "packet": PACKET})
    places = [{"path": f"/contacts/con_{n:032x}", "headers": {}, "body": body} for n in range(32)]
    return {"script": "each", "places": places, "expect": "message_id"}


@contextlib.contextmanager
def contenders(folder: Path, cluster: Cluster, names: tuple[str, ...]) -> Iterator[dict[str, tuple[place.Server, Any]]]:
    """Start every contender that is asked for, with its plan."""
    made: dict[str, tuple[place.Server, Any]] = {}
    quiet = {"OTEL_INSTRUMENTATION_A2A_SDK_ENABLED": "false"}
    with contextlib.ExitStack() as stack:

        def add(server: place.Server, plan: Any) -> None:
            stack.callback(server.stop)
            made[server.name] = (server, plan)

        def peer(name: str, program: str, where: str, plan: dict[str, Any]) -> None:
            port = place.free_port()
            command = [str(place.PEERS), str(place.HERE / program), str(port), where]
            add(place.Server(name, command, port, **quiet), {"send": plan})

        for name in names:
            if name.startswith("hub"):
                server = hub_server(name, cluster.database() if name == OURS else f"sqlite://{folder}/hub.db")
                url = f"http://127.0.0.1:{server.port}"
                sending, turning = hub_roles.pairs(url, 32), hub_roles.pairs(url, 8, "turn")
                add(server, {"send": send_plan(sending), "turn": hub_roles.turn_plan(turning, TEXT)})
            elif name == "synapse":
                if (ROOT / ".venv-synapse" / "bin" / "python").exists():
                    from bench.peers import rooms

                    add(*rooms.synapse(folder / "synapse", TEXT + PACKET))
            elif not place.PEERS.exists():
                print(f"{name}: left out, `make .venv-peers/.installed` installs it")
            elif name == "insert":
                peer(name, "insert.py", cluster.database(), insert_plan())
            else:
                peer(name, "a2a_echo.py", cluster.database() if "PostgreSQL" in name else "memory", a2a_plan())
        yield made


def measure(folder: Path, cluster: Cluster, rounds: int, seconds: float, verdicts: place.Verdicts) -> None:
    """H1, H2, H3, H4 and H7: everything over HTTP, interleaved."""
    found: Found = defaultdict(lambda: defaultdict(list))
    turns: dict[str, Runs] = defaultdict(list)
    disk: list[float] = []
    with contenders(folder, cluster, NAMES) as made:
        for _ in range(rounds):
            disk.append(place.flushes(folder))
            for name, (server, plan) in made.items():
                for connections in (8, 32):
                    found[name][connections].append(place.play(server, plan["send"], connections, seconds))
                if "turn" in plan:
                    turns[name].append(place.play(server, plan["turn"], 8, seconds))
    report(found, turns, disk)
    judge(found, turns, disk, verdicts)


def report(found: Found, turns: dict[str, Runs], disk: list[float]) -> None:
    """The medians."""
    print(f"fdatasync of 8 KB: {place.median(disk):.0f}/s ({min(disk):.0f}–{max(disk):.0f})")
    print(f"{'':22}{'c':>4}{'units/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'server CPU µs':>15}")
    rows = [(name, c, runs) for name, by in found.items() for c, runs in by.items()]
    rows += [(f"{name}: turn", 8, runs) for name, runs in turns.items()]
    for name, connections, runs in rows:
        rate, p50, p99, cpu = (
            place.median([run[key] for run in runs]) for key in ("per_second", "p50_ms", "p99_ms", "cpu_us")
        )
        print(f"{name:22}{connections:4}{rate:9.0f}{p50:9.1f}{p99:9.1f}{cpu:15.0f}")


def judge(found: Found, turns: dict[str, Runs], disk: list[float], verdicts: place.Verdicts) -> None:
    """Ratios round by round."""

    def over(one: Runs, other: Runs, key: str = "per_second") -> list[float]:
        return [a[key] / b[key] for a, b in zip(one, other, strict=True)]

    for connections in (8, 32):
        ours = found[OURS][connections]
        for name, target in (("a2a, PostgreSQL", 40), ("a2a, memory", 8), ("synapse", 60)):
            if name in found:
                said = f"send against {name}, c={connections}"
                verdicts.ratio("H1", over(ours, found[name][connections]), target, said)
        if "insert" in found:
            insert, target = found["insert"][connections], 1.2 if connections == 32 else 1.0
            verdicts.ratio("H2", over(ours, insert), target, f"send against insert, c={connections}")
            verdicts.ratio("H2", over(insert, ours, "p99_ms"), 1.0, f"p99 of insert over ours, c={connections}")
    sends = [run["per_second"] / one for run, one in zip(found[OURS][32], disk, strict=True)]
    slow = place.median(disk) < 1000
    verdicts.ratio("H3", sends, 5.0 if slow else 0.4, f"sends over flushes, c=32, {'slow' if slow else 'fast'} disk")
    if "a2a, PostgreSQL" in found:
        for name, runs in turns.items():
            said = f"whole turns against a2a tasks in PostgreSQL, c=8, {name}"
            verdicts.ratio("H4", over(runs, found["a2a, PostgreSQL"][8]), 10.0, said)
    verdicts.ratio("H7", over(found["hub, SQLite"][32], found[OURS][32]), 0.6, "SQLite against PostgreSQL, sends, c=32")


def main() -> int:
    """Measure; 1 when a target is missed by far."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--only", default="http,storage", help="http, storage")
    given = parser.parse_args()
    rounds, seconds = (1, 1.5) if given.quick else (3, 3.0)
    verdicts = place.Verdicts()
    if binaries() is None:
        print("PostgreSQL is not installed (Debian: postgresql): nothing to compare with")
        return 0
    with place.folder() as folder, running_cluster(fsync="on", shared_buffers="256MB") as cluster:
        if "http" in given.only:
            measure(folder, cluster, rounds, seconds, verdicts)
        if "storage" in given.only:
            storage.measure(folder, cluster, rounds, seconds, verdicts)
    return int(verdicts.failed)


if __name__ == "__main__":
    sys.exit(main())
