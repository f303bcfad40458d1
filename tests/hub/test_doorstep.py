"""Callers that never finish, never read, or take every place: each is bounded before anybody knows who it is."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import uvicorn

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from dragoman.hub.api import make_app
from dragoman.hub.doorstep import HEAD_BYTES, Doorstep
from dragoman.hub.entrance import TOKENS
from dragoman.hub.routes.waiting import POLLS
from tests.hub.world import World
from tests.hub_process import HubProcess, running_hub

A = RoleKey(b"a" * 32, f"ins_{1:032x}")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("doorstep") / "hub") as running:
        yield running


def resident(hub: HubProcess) -> int:
    """The hub's memory in MiB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{hub.pid}/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


@pytest.mark.parametrize(
    ("begin", "part"),
    [(b"GET /healthz HTTP/1.1\r\nHost: x\r\n", b"X-More: " + b"a" * 30_000 + b"\r\n"), (b"GET /", b"a" * 65_536)],
    ids=["headers", "address"],
)
def test_an_endless_head_is_cut_off(hub: HubProcess, begin: bytes, part: bytes) -> None:
    """Headers or an address without an end are refused in the words of every error, and nothing of them is kept."""
    before, sent = resident(hub), 0
    with socket.create_connection(("127.0.0.1", hub.port), timeout=5) as caller:
        try:
            caller.sendall(begin)
            while sent < 50_000_000:
                caller.sendall(part)
                sent += len(part)
        except OSError:
            pass

    assert sent < 8_000_000, "the kernel's own buffers hold some; the hub must not take the rest"
    assert resident(hub) - before < 16


@pytest.mark.parametrize(
    "request_bytes",
    [b"\x16\x03\x01 hello", b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_BYTES],
    ids=["TLS on a plain port", "an address that is not ASCII", "a head too large"],
)
def test_what_is_not_http_gets_the_one_body_of_errors(hub: HubProcess, request_bytes: bytes) -> None:
    """Below the application too an error is a code and its sentence, and the connection ends."""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=5) as caller:
        caller.sendall(request_bytes)
        answer = b"".join(iter(lambda: caller.recv(65_536), b""))

    head, _, body = answer.partition(b"\r\n\r\n")
    assert (b"HTTP/1.1 400 Bad Request", {"code": "bad_request", "message": wire.ERRORS["bad_request"][1]}) == (
        head.partition(b"\r\n")[0],
        json.loads(body),
    )


class _Hasty(Doorstep):
    """The same bounds, short enough for a test."""

    arrival_seconds = 0.3
    reading_seconds = 0.3


@pytest.mark.slow
@pytest.mark.anyio
async def test_who_does_not_finish_or_does_not_read_is_let_go(tmp_path: Path) -> None:
    """A connection without a request, half a head, half a body, and an answer that nobody reads all end in time,
    while a long poll and a kept connection do not."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    for number in range(120):
        await world.a1.send(world.contact_id, f"rep_{number:08}", "x" * 16_000)
    server = uvicorn.Server(uvicorn.Config(make_app(world.hub), http=_Hasty, ws="none", log_level="critical"))
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    port = sock.getsockname()[1]
    serving = asyncio.ensure_future(server.serve(sockets=[sock]))
    auth = f"authorization: Bearer {world.b.token}\r\nhost: x\r\n"
    json_head = f"{auth}content-type: application/json\r\n"
    poll = msgspec.json.encode({"generation": 1, "wait_ms": 4_500, "contact_ids": [f"con_{9:032x}"]}).decode()
    try:
        ends = await asyncio.gather(
            *(
                _ended(port, text, read=read)
                for text, read in (
                    ("", True),
                    ("GET /healthz HTT", True),
                    (f"POST /api/v1/leases HTTP/1.1\r\n{json_head}content-length: 1000\r\n\r\n{{", True),
                    (f"GET /api/v1/contacts/{world.contact_id}/messages HTTP/1.1\r\n{auth}\r\n", False),
                    (
                        f"POST /api/v1/leases HTTP/1.1\r\n{json_head}content-length: {len(poll)}\r\n\r\n{poll}",
                        True,
                    ),
                )
            )
        )
    finally:
        server.should_exit = True
        server.force_exit = True
        await serving
        await world.store.close()

    assert [True, True, True, True, False] == [seconds < 4 for seconds in ends]


async def _ended(port: int, text: str, *, read: bool) -> float:
    """How long the connection stood, at most five seconds."""
    began = time.monotonic()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=raw, limit=1024)
    writer.write(text.encode())
    try:
        async with asyncio.timeout(5):
            if read:
                while await reader.read(65_536):
                    pass
            else:
                await asyncio.sleep(1.2)
                while await reader.read(65_536):
                    pass
                assert time.monotonic() - began < 4.5
                return 1.2
    except (TimeoutError, ConnectionError):
        pass
    finally:
        writer.close()
    return time.monotonic() - began


@pytest.mark.anyio
async def test_one_role_does_not_take_every_place(hub: HubProcess) -> None:
    """More than `POLLS` waiting polls of one role are told `overloaded`; the others wait on."""
    async with HubClient(hub.url, A, SystemClock()) as client:
        await client.register()
        await client.log_in()
        polls = [asyncio.ensure_future(client.lease(wait_ms=1_500)) for _ in range(POLLS + 5)]
        ends = await asyncio.gather(*polls, return_exceptions=True)

    refused = [end.wire_code for end in ends if isinstance(end, HubError)]
    assert (["overloaded"] * 5, POLLS) == (refused, sum(isinstance(end, wire.Leased) for end in ends))


@pytest.mark.anyio
async def test_logging_in_does_not_fill_the_store(tmp_path: Path) -> None:
    """A role has at most `TOKENS` tokens; the newest works, and another role's are not touched."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    for _ in range(TOKENS + 10):
        world.clock.pass_ms(1)
        await world.a1.log_in()

    me = await world.hub.entrance.me(world.a1.token)
    await world.store.close()
    with contextlib.closing(sqlite3.connect(world.store.path)) as file:
        held = [row[0] for row in file.execute("SELECT role_id FROM session")]
    assert (TOKENS, 1, True) == (held.count(world.a1.role_id), held.count(world.b.role_id), me.primary)
