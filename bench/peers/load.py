"""The load generator: so many keep-alive connections, each one script of requests, on a CPU of its own.

    Plan (JSON on stdin) → `{"units":…, "seconds":…, "p50_ms":…, "p99_ms":…, "failed":…, "first_failure":…}` on stdout

1. A connection sends its next request when the answer to the last one is whole; there is no think time.
2. A unit is one request, or one whole turn where the script is a turn. Units of the first second are not counted.
3. An answer that the plan does not expect is a failure; a run with failures is no measurement.

It is the same for every contender, needs nothing but uvloop, and takes about 20 µs of its CPU for a request.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Generator
from typing import Any

import uvloop

Script = Generator[bytes, tuple[int, bytes], None]
WARM_SECONDS = 1.0


def post(host: str, path: str, headers: dict[str, str], body: bytes, method: str = "POST") -> bytes:
    """One HTTP request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", f"host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
    if method != "GET":
        lines += ["content-type: application/json", f"content-length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Tally:
    """What was counted so far."""

    def __init__(self) -> None:
        self.counting = False
        self.units: list[float] = []
        self.failed = 0
        self.first_failure = ""

    def unit(self, seconds: float) -> None:
        """One unit is done."""
        if self.counting:
            self.units.append(seconds)

    def failure(self, status: int, body: bytes) -> None:
        """An answer that was not expected."""
        self.failed += 1
        self.first_failure = self.first_failure or f"{status} {body[:300]!r}"


class Connection(asyncio.Protocol):
    """One connection that plays its script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._transport: Any = None
        self._buffer = b""
        self._whole = -1
        self._body = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._transport.write(next(self._script))

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer = self._buffer + data if self._buffer else data
        if self._whole < 0:
            head = buffer.find(b"\r\n\r\n")
            if head < 0:
                return
            self._body = head + 4
            length = _length(buffer[:head])
            self._whole = self._body + length if length is not None else 0
        if len(buffer) < self._whole or (self._whole == 0 and not buffer.endswith(b"0\r\n\r\n")):
            return
        answer = int(buffer[9:12]), buffer[self._body : self._whole or len(buffer)]
        self._buffer, self._whole = b"", -1
        self._transport.write(self._script.send(answer))

    def connection_lost(self, exc: Exception | None) -> None:
        self._script.close()


def _length(head: bytes) -> int | None:
    """How long the body is; None when it comes in chunks, whose framing is then left in it."""
    lowered = head.lower()
    start = lowered.find(b"content-length:")
    return None if start < 0 else int(lowered[start + 15 :].split(b"\r\n", 1)[0])


def each_alone(plan: dict[str, Any], number: int, tally: Tally) -> Script:
    """One request after the other; `@@` in path and body is a number that never comes again."""
    place = plan["places"][number % len(plan["places"])]
    method = plan.get("method", "POST")
    mark, n = secrets.token_hex(6), 0
    while True:
        n += 1
        fresh = f"{mark}{number:03}{n:09}"
        body = place["body"].replace("@@", fresh).encode()
        request = post(plan["host"], place["path"].replace("@@", fresh), place["headers"], body, method)
        began = time.perf_counter()
        status, answer = yield request
        if status == 200 and plan["expect"].encode() in answer:
            tally.unit(time.perf_counter() - began)
        else:
            tally.failure(status, answer)


def turns(plan: dict[str, Any], number: int, tally: Tally) -> Script:
    """Whole turns of two roles: A sends, B polls, B replies with its ack, A asks where it stands; then A polls, and its
    next send acks the reply, so that no mailbox grows. Five requests; the unit is all of them."""
    place = plan["places"][number % len(plan["places"])]
    host, contact = plan["host"], place["contact"]
    a, b = place["a"], place["b"]
    mark, n = secrets.token_hex(6), 0
    held: dict[str, Any] = {}
    text = plan["text"]

    def say(who: dict[str, Any], held: dict[str, Any]) -> bytes:
        body = {"reply_id": f"{mark}{number:03}{n:09}", "generation": who["generation"], "text": text, **held}
        return post(host, f"/api/v1/contacts/{contact}/messages", who["headers"], json.dumps(body).encode())

    def poll(who: dict[str, Any]) -> bytes:
        wanted = {"generation": who["generation"], "contact_ids": [contact]}
        return post(host, "/api/v1/leases", who["headers"], json.dumps(wanted).encode())

    def taken(answer: tuple[int, bytes]) -> dict[str, Any]:
        found = json.loads(answer[1]) if answer[0] == 200 else {}
        if not found.get("messages"):
            tally.failure(*answer)
            return {}
        ids = [each["message_id"] for each in found["messages"]]
        return {"lease_token": found["lease"]["lease_token"], "ack_message_ids": ids}

    while True:
        n += 1
        began = time.perf_counter()
        answers = [(yield say(a, held))]
        held = taken((yield poll(b)))
        answers.append((yield say(b, held)))
        answers.append((yield post(host, f"/api/v1/contacts/{contact}/communication", a["headers"], b"", "GET")))
        held = taken((yield poll(a)))
        wrong = [each for each in answers if each[0] != 200]
        if wrong:
            tally.failure(*wrong[0])
        else:
            tally.unit(time.perf_counter() - began)


SCRIPTS: dict[str, Callable[[dict[str, Any], int, Tally], Script]] = {"each": each_alone, "turns": turns}


async def play(plan: dict[str, Any]) -> dict[str, Any]:
    """Play the plan; returns what was counted."""
    loop, tally = asyncio.get_running_loop(), Tally()
    made = []
    for number in range(plan["connections"]):
        script = SCRIPTS[plan["script"]](plan, number, tally)
        made.append(
            await loop.create_connection(
                lambda script=script: Connection(script),  # type: ignore[misc]
                plan["address"],
                plan["port"],
            )
        )
    await asyncio.sleep(WARM_SECONDS)
    tally.counting, began = True, time.perf_counter()
    print(json.dumps("counting"), flush=True)
    await asyncio.sleep(plan["seconds"])
    tally.counting, seconds = False, time.perf_counter() - began
    for transport, _ in made:
        transport.abort()
    found = sorted(tally.units) or [0.0]
    return {
        "units": len(tally.units),
        "seconds": seconds,
        "p50_ms": found[len(found) // 2] * 1000,
        "p99_ms": found[min(len(found) - 1, len(found) * 99 // 100)] * 1000,
        "failed": tally.failed,
        "first_failure": tally.first_failure,
    }


def main() -> None:
    """Read the plan, take the named CPU, play."""
    plan = json.loads(sys.stdin.readline())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {plan["cpu"]})
    print(json.dumps(uvloop.run(play(plan))), flush=True)


if __name__ == "__main__":
    main()
