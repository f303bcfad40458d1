"""Whoever reaches the address that platforms call: malformed HTTP, endless requests, callers who never finish. Nobody
gets more than a status, nothing is handled that did not arrive whole, and nothing is written into our output."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
import uvicorn

from dragoman.channels.doorstep import HEAD_BYTES, Doorstep
from dragoman.channels.inlet import Answer, Inlet, Request
from dragoman.testing import HandClock

pytestmark = pytest.mark.anyio

HOST = b"Host: desk.example\r\n"
POST = b"POST /hook HTTP/1.1\r\n" + HOST


class Hook:
    """The address with one account behind it, which keeps what it is given."""

    def __init__(self) -> None:
        self.taken: list[Request] = []
        self.reported: list[Exception] = []
        self.inlet = Inlet("127.0.0.1", 0, HandClock(), self.reported.append)
        self.inlet.on("POST", "/hook", self._take)

    async def _take(self, request: Request) -> Answer:
        self.taken.append(request)
        return Answer(body=b"taken")

    async def says(self, data: bytes, seconds: float = 5.0) -> bytes:
        """What comes back to `data` until the first answer is whole, or the connection ends."""
        return await exchanged(self.inlet.port, data, seconds)


async def exchanged(port: int, data: bytes, seconds: float = 5.0, answers: int = 1) -> bytes:
    """What comes back to bytes on a connection of their own, up to the end of so many heads."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    came = b""
    try:
        writer.write(data)
        async with asyncio.timeout(seconds):
            while came.count(b"\r\n\r\n") < answers and (part := await reader.read(65_536)):
                came += part
    except (ConnectionError, TimeoutError):
        pass
    finally:
        writer.close()
    return came


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    """A listening address."""
    made = Hook()
    await made.inlet.start()
    yield made
    await made.inlet.close()


SMUGGLED = POST + b"Content-Length: 4\r\n\r\nevil"
ODD: dict[str, bytes] = {
    "length and chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "two lengths": POST + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nevil!" + SMUGGLED,
    "a negative length": POST + b"Content-Length: -1\r\n\r\n" + SMUGGLED,
    "a length with a sign": POST + b"Content-Length: +4\r\n\r\nevil",
    "an unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a chunk beyond all numbers": POST + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nevil",
    "a chunk of no number": POST + b"Transfer-Encoding: chunked\r\n\r\nevil\r\n",
    "a folded header": POST + b"X-Proof: a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "a blank before the colon": POST + b"Content-Length : 4\r\n\r\nevil",
    "NUL in a header": POST + b"X-Proof: a\0b\r\nContent-Length: 0\r\n\r\n",
    "lines that end in LF": b"POST /hook HTTP/1.1\nHost: x\nContent-Length: 0\n\n",
    "no UTF-8 in the path": b"POST /\xff HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n",
    "TLS": b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
    "an endless address": b"POST /" + b"a" * (2 * HEAD_BYTES),
    "an endless header": POST + b"X-Proof: " + b"a" * (2 * HEAD_BYTES),
    "headers without end": POST + b"".join(b"X-%d: a\r\n" % number for number in range(HEAD_BYTES // 8)),
    "more fields in the query than anybody sends": b"POST /hook?%b HTTP/1.1\r\n" % b"&".join([b"a=1"] * 40)
    + HOST
    + b"Content-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
async def test_what_is_not_one_clear_request_is_400(hook: Hook, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    """A status, an empty body; nothing of it is handled, and not a line of it stands in our output."""
    answered = await hook.says(data)
    await asyncio.sleep(0.05)

    head, _, body = answered.partition(b"\r\n\r\n")
    assert (b"HTTP/1.1 400 Bad Request", b"") == (head.split(b"\r\n")[0], body)
    assert b"content-length: 0" in head
    assert ([], [], ("", "")) == (hook.taken, hook.reported, capfd.readouterr())


ELSEWHERE: dict[str, tuple[bytes, bytes]] = {
    "dots": (b"POST /x/../hook HTTP/1.1", b"404"),
    "a double slash": (b"POST //hook HTTP/1.1", b"404"),
    "another case": (b"POST /HOOK HTTP/1.1", b"404"),
    "a slash more": (b"POST /hook/ HTTP/1.1", b"404"),
    "NUL": (b"POST /hook%00 HTTP/1.1", b"404"),
    "an escape of none": (b"POST /%ff%fe HTTP/1.1", b"404"),
    "another method": (b"PUT /hook HTTP/1.1", b"405"),
    "a method of no one": (b"TRACE /hook HTTP/1.1", b"405"),
}


@pytest.mark.parametrize(("line", "status"), ELSEWHERE.values(), ids=ELSEWHERE)
async def test_only_the_path_itself(hook: Hook, line: bytes, status: bytes) -> None:
    """A path that only looks like an account's is nobody's."""
    answered = await hook.says(line + b"\r\n" + HOST + b"Content-Length: 0\r\n\r\n")

    assert status == answered.split(b" ")[1]
    assert [] == hook.taken


async def test_requests_in_a_row_are_handled_one_by_one(hook: Hook) -> None:
    """Pipelined requests are as many requests, each with its own body; nothing of one is read as another's."""
    one = POST + b"Content-Length: %d\r\n\r\n%b"
    rows = b"".join(one % (len(body), body) for body in (b"a", SMUGGLED, b"c"))
    answered = await exchanged(hook.inlet.port, rows, answers=3)

    assert [b"a", SMUGGLED, b"c"] == [request.body for request in hook.taken]
    assert 3 == answered.count(b"HTTP/1.1 200 OK")


async def test_what_is_said_behind_a_body_is_no_header(hook: Hook) -> None:
    """Trailers of a chunked body prove nothing."""
    await hook.says(POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Proof: v0\r\n\r\n")

    assert [(b"x", None)] == [(request.body, request.headers.get("x-proof")) for request in hook.taken]


async def test_a_body_stays_as_it_came(hook: Hook) -> None:
    """Nothing is unpacked: a bomb is as small as it was sent, and a signature is over these very bytes."""
    packed = b"\x1f\x8b\x08" + bytes(100)
    await hook.says(POST + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(packed), packed))

    assert [packed] == [request.body for request in hook.taken]


async def test_ten_megabytes(hook: Hook) -> None:
    """Refused before they are read, in one piece or in chunks without end."""
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    whole = await hook.says(POST + b"Content-Length: 10000000\r\n\r\n" + b"x" * 2_000_000)
    pieces = await hook.says(POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 3)

    assert [b"413", b"413"] == [answered.split(b" ")[1] for answered in (whole, pieces)]
    assert [] == hook.taken


class Hasty(Doorstep):
    """The same doorstep for a test that cannot wait half a minute."""

    arrival_seconds = 0.4


SLOW = {"says nothing": b"", "half a head": POST[:-9], "half a body": POST + b"Content-Length: 9\r\n\r\nx"}


@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW)
async def test_callers_who_never_finish_are_cut(data: bytes) -> None:
    """They hold their places for a time, and not for ever: then whoever comes next is heard."""
    loop = asyncio.get_running_loop()
    server: Any = uvicorn.Config(_answered, http=Hasty, lifespan="off", log_config=None, limit_concurrency=4)
    server.load()
    listening = await loop.create_server(
        lambda: Hasty(config=server, server_state=uvicorn.Server(server).server_state, app_state={}), "127.0.0.1", 0
    )
    port = listening.sockets[0].getsockname()[1]
    try:
        callers = [socket.create_connection(("127.0.0.1", port)) for _ in range(8)]
        for caller in callers:
            caller.sendall(data)
            caller.setblocking(False)
        async with asyncio.timeout(5):
            for caller in callers:
                while await _ended(caller) is False:
                    await asyncio.sleep(0.02)
        assert (await exchanged(port, POST + b"Content-Length: 0\r\n\r\n")).startswith(b"HTTP/1.1 200")
    finally:
        for caller in callers:
            caller.close()
        listening.close()


async def _ended(caller: socket.socket) -> bool:
    try:
        return caller.recv(4_096) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


async def _answered(scope: Any, receive: Any, send: Any) -> None:
    while scope["type"] == "http" and (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def test_a_host_of_somebody_else(hook: Hook) -> None:
    """The Host that a caller names decides nothing and is repeated nowhere."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{hook.inlet.port}") as client:
        answer = await client.post("/hook", headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"})

    assert b"taken" == answer.content
    assert "evil" not in str(answer.headers)
