"""The private token, the addresses that are refused, and what a receipt claims when a scripted server misbehaves."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from dragoman.channels.matrix.adapter import MatrixChannel
from dragoman.channels.matrix.connection import read_token
from dragoman.channels.matrix.state import MatrixAgent
from dragoman.errors import DragomanError
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact

AGENT = MatrixAgent(user_id="@desk:desk.example")
OUTPUT = Output(operation=Operation.SEND, target=Target("matrix", "@desk:desk.example", "!r:x"), key="k1", text="hello")
Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class At:
    """A clock that stands."""

    def now(self) -> int:
        """Always the same moment."""
        return 1_000


@pytest.mark.parametrize(("mode", "taken"), [(0o600, True), (0o400, True), (0o644, False), (0o660, False)])
def test_the_token_file_must_be_private(tmp_path: Path, mode: int, taken: bool) -> None:
    """A token that others can read is refused, with the way to mend it."""
    path = tmp_path / "token"
    path.write_text("syt_abc\n")
    path.chmod(mode)
    if taken:
        assert read_token(path) == "syt_abc"
        return
    with pytest.raises(DragomanError) as refused:
        read_token(path)
    assert (refused.value.code, "chmod 600" in refused.value.fix) == ("config_not_private", True)


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "config_invalid"), (b"a b", "config_invalid"), (b"x" * 5000, "config_invalid")]
)
def test_the_token_file_holds_one_token(tmp_path: Path, content: bytes, code: str) -> None:
    """Anything but one word is refused."""
    path = tmp_path / "token"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(DragomanError) as refused:
        read_token(path)
    assert refused.value.code == code


def test_no_link_and_no_device_is_a_token_file(tmp_path: Path) -> None:
    """A missing file, a link and a pipe are refused without hanging."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    codes = []
    for name in ("none", "link", "pipe"):
        with pytest.raises(DragomanError) as refused:
            read_token(tmp_path / name)
        codes.append(refused.value.code)
    assert codes == ["config_missing", "config_unreadable", "config_not_private"]


@pytest.mark.parametrize("address", ["http://desk.example", "ftp://127.0.0.1", "desk.example", "http://127.0.0.1.evil"])
def test_the_token_never_travels_in_the_clear(address: str) -> None:
    """Without TLS only the loopback is spoken to."""
    with pytest.raises(DragomanError) as refused:
        MatrixChannel(address, "t", AGENT, clock=At())
    assert refused.value.code == "config_invalid"


@asynccontextmanager
async def server(script: Script) -> AsyncIterator[MatrixChannel]:
    """A channel to a server that tells every room is not encrypted, and plays `script` for the send."""
    running: list[asyncio.Task[None]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.append(asyncio.current_task())  # type: ignore[arg-type]
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while b"/send/" not in (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0]:
                writer.write(http(404, b'{"errcode":"M_NOT_FOUND","error":"no"}'))
            await script(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    channel = MatrixChannel(f"http://127.0.0.1:{port}", "t", AGENT, clock=At(), timeout=1.0)
    try:
        yield channel
    finally:
        await channel.close()
        listening.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running)


def http(status: int, body: bytes, *headers: str) -> bytes:
    """One HTTP answer."""
    lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def answering(data: bytes) -> Script:
    """A server that says exactly this, then closes."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return play


async def nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that takes the request and never answers."""
    await asyncio.sleep(5)


LIMITED = b'{"errcode":"M_LIMIT_EXCEEDED","error":"slow","retry_after_ms":2500}'
ANSWERS = [
    ("event id", answering(http(200, b'{"event_id":"$e1"}')), Fact.YES, None),
    ("200 without an event id", answering(http(200, b"{}")), Fact.UNKNOWN, None),
    ("200 that is no JSON", answering(http(200, b"<html>")), Fact.UNKNOWN, None),
    ("200 cut in the middle", answering(http(200, b'{"event_id":"$e1"}')[:-5]), Fact.UNKNOWN, None),
    ("no answer", answering(b""), Fact.UNKNOWN, None),
    ("no answer in time", nothing, Fact.UNKNOWN, None),
    ("not HTTP", answering(b"SSH-2.0-x\r\n"), Fact.UNKNOWN, None),
    ("bad gateway", answering(http(502, b"")), Fact.UNKNOWN, None),
    ("server error", answering(http(500, b'{"errcode":"M_UNKNOWN","error":"x"}')), Fact.UNKNOWN, None),
    ("forbidden", answering(http(403, b'{"errcode":"M_FORBIDDEN","error":"x"}')), Fact.NO, None),
    ("rate limit with header", answering(http(429, LIMITED, "Retry-After: 3")), Fact.NO, 4_000),
    ("rate limit in the old form", answering(http(429, LIMITED)), Fact.NO, 3_500),
    ("rate limit of a proxy", answering(http(429, b"slow down")), Fact.NO, 6_000),
]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("script", "delivered", "retry_at"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
async def test_what_a_receipt_claims(script: Script, delivered: Fact, retry_at: int | None) -> None:
    """Yes only with the event id, no only with a refusal, everything else unknown."""
    async with server(script) as channel:
        receipt = await channel.perform(OUTPUT)
    assert (receipt.delivered, receipt.retry_at) == (delivered, retry_at)
    assert (receipt.evidence == "$e1") is (delivered is Fact.YES)


@pytest.mark.anyio
async def test_refused_after_a_cut_is_not_a_no() -> None:
    """A cut request that the HTTP library repeats by itself, against a server then gone, stays unknown."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(http(404, b'{"errcode":"M_NOT_FOUND","error":"no"}'))
            await reader.readuntil(b"\r\n\r\n")
            listening.close()
        writer.transport.abort()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    channel = MatrixChannel(f"http://127.0.0.1:{port}", "t", AGENT, clock=At(), timeout=2.0)
    receipt = await channel.perform(OUTPUT)
    await channel.close()
    assert receipt == Receipt(delivered=Fact.UNKNOWN, detail="ClientConnectorError")


@pytest.mark.anyio
async def test_nobody_listening_is_a_no() -> None:
    """No connection, no byte: certainly not delivered."""
    channel = MatrixChannel("http://127.0.0.1:9", "t", AGENT, clock=At(), timeout=1.0)
    channel._rooms.apply(  # a room known not to be encrypted, so that the send itself is reached
        {"rooms": {"join": {"!r:x": {"state": {"events": [{"type": "m.room.create", "state_key": ""}]}}}}}, 0
    )
    receipt = await channel.perform(OUTPUT)
    await channel.close()
    assert receipt == Receipt(delivered=Fact.NO, detail="ClientConnectorError")
