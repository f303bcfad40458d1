"""What many roles in one process cost: memory, processor time and open files, idle and when all are asked at once.

A real hub and a real `dragoman run --roles` over loopback, SQLite on this disk, a handler that is a shell script (so
that what is measured is the receiver). One role first, then `--count` of them. Usage: `python bench/many_roles.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey, create_key
from dragoman.clock import HOUR, SystemClock

COMMAND: Final = (sys.executable, "-m", "dragoman.cli")
HANDLER: Final = """\
cat > /dev/null
echo '{"schema_version":1,"action":"reply","message":"The desk is open."}'
"""


class Desk:
    """One role with its folder, and the peer that asks it."""

    def __init__(self, folder: Path, url: str) -> None:
        folder.mkdir(mode=0o700)
        self.folder, self.url = folder, url
        self.key = create_key(folder / "role.key")
        self.peer: RoleKey = create_key(folder / "peer.key")
        self.contact = ""

    async def open(self) -> None:
        """Register both, open a contact, write the configuration."""
        async with (
            HubClient(self.url, self.key, SystemClock()) as us,
            HubClient(self.url, self.peer, SystemClock()) as it,
        ):
            await us.register()
            await it.register()
            self.contact = (await it.open_contact(f"opn_{secrets.token_hex(16)}", self.key.role_id)).contact_id
        (self.folder / "handler.sh").write_text(HANDLER)
        config = {
            "state_dir": "state",
            "hub": {"url": self.url, "role_id": self.key.role_id, "key_file": "role.key"},
            "handler": {"command": ["/bin/sh", str(self.folder / "handler.sh")]},
            "owner_instruction": "Say whether the desk is open.",
            "autonomy": {
                "version": 1,
                "grant_id": f"grant-{secrets.token_hex(8)}",
                "expires_at": SystemClock().now() + HOUR,
                "contact_ids": [self.contact],
                "accept_inbound": False,
                "max_turns_per_contact": 10,
                "max_dispatches_per_day": 10,
                "wait_timeout_seconds": 1800,
            },
        }
        path = self.folder / "dragoman.json"
        path.touch(0o600)
        path.write_text(json.dumps(config))


class Cost:
    """What a process has used so far."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def cpu(self) -> float:
        """Seconds of processor time, children that were waited for included."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def memory(self, name: str = "VmRSS") -> float:
        """Megabytes."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

    def files(self) -> int:
        """Open files, sockets among them."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))


async def asked(desks: list[Desk]) -> tuple[float, float]:
    """Every peer asks at once; seconds until half and until all of the answers can be read."""

    async def one(desk: Desk) -> float:
        async with HubClient(desk.url, desk.peer, SystemClock()) as client:
            await client.log_in()
            ready.release()
            await go.wait()
            sent = await client.send(desk.contact, reply_id=f"rep_{secrets.token_hex(16)}", text="Is the desk open?")
            while True:
                found = await client.messages(desk.contact, after=sent.seq)
                if any(each.sender_role_id == desk.key.role_id for each in found.messages):
                    return time.monotonic() - began
                await asyncio.sleep(0.25)

    ready, go = asyncio.Semaphore(0), asyncio.Event()
    tasks = [asyncio.create_task(one(desk)) for desk in desks]
    for _ in desks:
        await ready.acquire()
    began = time.monotonic()
    go.set()
    took = sorted(await asyncio.gather(*tasks))
    return took[len(took) // 2], took[-1]


def measured(folder: Path, url: str, count: int, idle_seconds: float) -> dict[str, Any]:
    """One run with `count` roles."""
    folder.mkdir(mode=0o700)
    desks = [Desk(folder / f"role-{number:03}", url) for number in range(count)]

    async def set_up() -> None:
        for desk in desks:
            await desk.open()

    asyncio.run(set_up())
    began = time.monotonic()
    words = [*COMMAND, "run", "--roles", str(folder), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        running = 0
        while running < count:
            running += '"running":true' in process.stdout.readline()
        found: dict[str, Any] = {"roles": count, "all_running_s": round(time.monotonic() - began, 1)}
        cost = Cost(process.pid)
        time.sleep(3)
        used = cost.cpu()
        time.sleep(idle_seconds)
        found["idle_cpu_percent_of_a_core"] = round(100 * (cost.cpu() - used) / idle_seconds, 2)
        found["idle_rss_mb"], found["idle_files"] = round(cost.memory(), 1), cost.files()
        used = cost.cpu()
        half, last = asyncio.run(asked(desks))
        time.sleep(2)
        found["half_answered_s"], found["all_answered_s"] = round(half, 2), round(last, 2)
        found["cpu_ms_per_answer"] = round(1000 * (cost.cpu() - used) / count)
        found["peak_rss_mb"] = round(cost.memory("VmHWM"), 1)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        found["stopped_s"] = round(time.monotonic() - began, 2)
    return found


def main() -> None:
    """Print one JSON line per run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--idle-seconds", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hub = [*COMMAND, "hub", "serve", "--db", str(folder / "hub.db"), "--listen", "127.0.0.1:0", "--json"]
        with subprocess.Popen(hub, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["listening"]
            try:
                for count in (1, options.count):
                    found = measured(folder / f"roles-{count}", url, count, options.idle_seconds)
                    sys.stdout.write(json.dumps({**found, "load": os.getloadavg()[0]}) + "\n")
                    sys.stdout.flush()
            finally:
                process.terminate()


if __name__ == "__main__":
    main()
