"""Two thousand idle long polls on one hub process: `python bench/polls.py [--quick]`.

Memory of each poll, CPU while all of them wait, how long a message takes to wake one, and how everybody comes back
after `kill -9` of the hub: with the waits of `channels.hub.again`, and, to see what those are good for, at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import uvloop

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.peers import hub_roles, place  # noqa: E402

from dragoman.channels.hub.again import wait_ms  # noqa: E402
from dragoman.channels.hub.answers import HubError  # noqa: E402

WAIT_MS = 30_000
LOST = HubError("hub_unreachable", sent=False)
TICK = os.sysconf("SC_CLK_TCK")


class Hub:
    """One hub process that is killed and started again on its port."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, place.free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it accepts connections."""
        db, listen = f"sqlite://{self._folder}/hub.db", f"127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "dragoman.cli.main", "hub", "serve", "--db", db, "--listen", listen, "--json"]
        self.process = subprocess.Popen([*command, "--replies-per-contact-hour", "0"], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def kill(self) -> None:
        """`kill -9`."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def resident_kib(self) -> int:
        """Memory of the process."""
        assert self.process is not None
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found is not None
        return int(found[1])

    def cpu_seconds(self) -> float:
        """CPU time of the process so far."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK


class Crowd:
    """Everybody who polls."""

    def __init__(self, port: int, roles: list[hub_roles.Role], count: int, jitter: bool) -> None:
        self._port, self._roles, self._count, self._jitter = port, roles, count, jitter
        self.waiting = 0
        self.answered = 0
        self.refused = 0
        self.failed = 0

    async def one(self, number: int) -> None:
        """Poll for ever; after a lost connection wait as the client does, or not at all."""
        role, attempt, chance = self._roles[number % len(self._roles)], 0, random.Random(number).random
        body = json.dumps({"generation": role.generation, "wait_ms": WAIT_MS}).encode()
        head = f"POST /api/v1/leases HTTP/1.1\r\nhost: x\r\nauthorization: {role.headers['authorization']}\r\n"
        request = f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        while True:
            attempt += 1
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=16_384)
                try:
                    while True:
                        writer.write(request)
                        self.waiting += 1
                        try:
                            status = await reader.readuntil(b"\r\n\r\n")
                        finally:
                            self.waiting -= 1
                        length = re.search(rb"content-length: (\d+)", status)
                        await reader.readexactly(int(length[1]) if length else 0)
                        self.answered += status.startswith(b"HTTP/1.1 200")
                        self.refused += not status.startswith(b"HTTP/1.1 200")
                        attempt = 0
                finally:
                    writer.close()
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self.failed += 1
            wait = wait_ms(LOST, max(1, attempt), 0, 0, chance()) if self._jitter else 20
            await asyncio.sleep((wait or 0) / 1000)

    async def settled(self, seconds: float) -> float:
        """How long until everybody waits at the hub, as the kernel sees it; at most `seconds`."""
        began = time.perf_counter()
        while self.waiting < self._count and time.perf_counter() - began < seconds:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        return time.perf_counter() - began


async def woken(url: str, pair: hub_roles.Pair) -> float:
    """Milliseconds from sending a message to the answer of a poll that waits for it, all others waiting too."""
    async with hub_roles.client(url, "wakea0") as a, hub_roles.client(url, "wakeb0") as b:
        await a.generation()
        await b.generation()
        poll = asyncio.ensure_future(b.lease(wait_ms=WAIT_MS, contact_ids=[pair.contact]))
        await asyncio.sleep(0.3)
        began = time.perf_counter()
        await a.send(pair.contact, reply_id=f"wake_{random.getrandbits(64):016x}", text="wake up")
        await poll
        return (time.perf_counter() - began) * 1000


async def measure(hub: Hub, count: int, seconds: float) -> None:
    """Everything once, with and without chance in the waits."""
    url = f"http://127.0.0.1:{hub.port}"
    empty = hub.resident_kib()
    made = await hub_roles.make(url, max(2, count // 40), "poll")
    roles = [role for pair in made for role in (pair.a, pair.b)]
    wake = (await hub_roles.make(url, 1, "wake"))[0]
    for jitter in (True, False):
        before = hub.resident_kib()
        crowd = Crowd(hub.port, roles, count, jitter)
        polls = [asyncio.ensure_future(crowd.one(number)) for number in range(count)]
        came = await crowd.settled(60)
        await asyncio.sleep(2)
        spent, resident = hub.cpu_seconds(), hub.resident_kib()
        await asyncio.sleep(seconds)
        cpu = (hub.cpu_seconds() - spent) / seconds
        latency = [await woken(url, wake) for _ in range(5)]
        print(
            f"{crowd.waiting} polls wait after {came:.1f} s: hub {resident / 1024:.0f} MiB (empty {empty / 1024:.0f}), "
            f"{(resident - before) / count:.1f} KiB a poll, {cpu * 100:.0f} % of a CPU, "
            f"a message wakes one in {place.median(latency):.0f} ms, {crowd.refused} refused"
        )
        hub.kill()
        await asyncio.sleep(1)
        crowd.failed = crowd.refused = 0
        await asyncio.to_thread(hub.start)
        spent, began = hub.cpu_seconds(), time.perf_counter()
        back = await crowd.settled(90)
        await asyncio.sleep(3)
        print(
            f"  after `kill -9` and {'waits by chance' if jitter else 'no wait'}: all {crowd.waiting} are back "
            f"{back:.1f} s after the hub listens again; {crowd.failed} lost connections, {crowd.refused} refused, "
            f"{hub.cpu_seconds() - spent:.1f} s of CPU in {time.perf_counter() - began:.1f} s",
            flush=True,
        )
        for poll in polls:
            poll.cancel()
        await asyncio.gather(*polls, return_exceptions=True)
        await asyncio.sleep(1)


def main() -> int:
    """Measure and say; nothing here is a target."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="two hundred polls")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 16_384), most))
    socket.setdefaulttimeout(30)
    with place.folder() as folder:
        (folder / "polls").mkdir(mode=0o700)
        hub = Hub(folder / "polls")
        hub.start()
        try:
            uvloop.run(measure(hub, *((200, 3.0) if given.quick else (2_000, 10.0))))
        finally:
            hub.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
