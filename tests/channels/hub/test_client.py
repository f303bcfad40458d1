"""The client: against a real hub process, and against servers that misbehave in every way we could think of."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError, checked_origin
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.anyio
A, B = RoleKey(b"a" * 32, f"ins_{1:032x}"), RoleKey(b"b" * 32, f"ins_{2:032x}")
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class TestClock:
    """The machine's clock, some time ahead."""

    __test__ = False

    def __init__(self) -> None:
        self.ahead = 0

    def now(self) -> int:
        return SystemClock().now() + self.ahead


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("client") / "hub") as running:
        yield running


@pytest.fixture
async def pair(hub: HubProcess, anyio_backend: str) -> AsyncIterator[tuple[HubClient, HubClient]]:
    """Two registered roles."""
    async with HubClient(hub.url, A, SystemClock()) as a, HubClient(hub.url, B, SystemClock()) as b:
        await a.register()
        await b.register()
        yield a, b


# --- with a hub ---


async def test_one_exchange(pair: tuple[HubClient, HubClient]) -> None:
    """Open, send, lease, renew, reply, ack, read back: every verb once, typed at both ends."""
    a, b = pair
    contact = await a.open_contact("open_exch1", b.role_id)
    sent = await a.send(contact.contact_id, reply_id="rep_a00001", text="你好", packet='{"kind":"x"}')
    got = await b.lease(limit=5, contact_ids=[contact.contact_id])
    assert got.lease is not None
    renewed = await b.renew(got.lease.lease_token)
    await b.send(
        contact.contact_id,
        reply_id="rep_b00001",
        text="done",
        complete=True,
        lease_token=got.lease.lease_token,
    )
    await b.ack(got.lease.lease_token, [sent.message_id])
    read = await a.messages(contact.contact_id)

    assert [("你好", '{"kind":"x"}', False), ("done", None, True)] == [
        (each.text, each.packet, each.complete) for each in read.messages
    ]
    assert got.lease.expires_at <= renewed.expires_at <= renewed.cap_at
    assert (await a.communication(contact.contact_id)).delivery.state_zh == "完成"
    assert contact.contact_id in {each.contact_id for each in (await b.contacts()).contacts}
    assert (await a.close_contact(contact.contact_id)).closed_at is not None


async def test_reconciling_by_reply_id(pair: tuple[HubClient, HubClient]) -> None:
    """A row left `sending` is settled by asking: present with the original result, or proven absent."""
    a, b = pair
    contact = await a.open_contact("open_reco1", b.role_id)
    assert await a.reply("rep_reco01") is None
    sent = await a.send(contact.contact_id, reply_id="rep_reco01", text="once")

    assert msgspec.structs.replace(sent, replayed=True) == await a.reply("rep_reco01")


async def test_the_token_is_renewed(hub: HubProcess) -> None:
    """When the token nears its end by our clock, or the hub has forgotten it, the next request logs in again."""
    clock = TestClock()
    async with HubClient(hub.url, A, clock) as client:
        await client.register()
        first = await client.log_in()
        await client.me()
        assert client._session is first
        clock.ahead = 20 * 60_000
        await client.me()
        assert client._session is not first
        client._session = msgspec.structs.replace(first, token="tok_forgotten")
        clock.ahead = 0

        assert (await client.me()).role_id == client.role_id


async def test_a_takeover_is_found_out(hub: HubProcess) -> None:
    """After a takeover the old client is refused for good; even a fresh token does not revive its writes."""
    other = RoleKey(b"a" * 32, f"ins_{9:032x}")
    async with HubClient(hub.url, A, SystemClock()) as old, HubClient(hub.url, other, SystemClock()) as new:
        await old.register()
        await old.log_in(takeover=True)
        contact = (await old.contacts()).contacts
        await new.log_in(takeover=True)
        for _ in range(3):
            with pytest.raises(HubError) as caught:
                await old.lease()
            assert ("hub_refused", "instance_superseded", 409) == (
                caught.value.code,
                caught.value.wire_code,
                caught.value.status,
            )
            assert not caught.value.uncertain
            old._session = None

        assert contact == (await old.contacts()).contacts
        assert not (await old.me()).primary


async def test_many_requests_log_in_once(hub: HubProcess) -> None:
    """Twenty first requests at a time share one log-in."""
    async with HubClient(hub.url, A, SystemClock()) as client:
        await client.register()
        await asyncio.gather(*(client.me() for _ in range(20)))
        session = client._session
        await client.me()

        assert session is client._session


async def test_the_hub_is_not_there() -> None:
    """A refused connection is `hub_unreachable`, certainly not sent."""
    async with HubClient("http://127.0.0.1:9", A, SystemClock()) as client:
        with pytest.raises(HubError) as caught:
            await client.register()

    assert ("hub_unreachable", False, False) == (caught.value.code, caught.value.sent, caught.value.uncertain)


# --- with servers that misbehave ---


@contextlib.asynccontextmanager
async def server(talk: Talk) -> AsyncIterator[str]:
    """A TCP server on loopback; its address."""
    open_talks: set[asyncio.Task[None]] = set()

    async def talk_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_talks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await talk(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    listening = await asyncio.start_server(talk_and_close, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        listening.close()
        await asyncio.gather(*open_talks)


def says(answer: bytes) -> Talk:
    """Read one request's head, then say `answer` and hang up."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    return talk


def http(status: str, body: bytes, kind: str = "application/json", more: str = "") -> bytes:
    """One HTTP answer."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


GOOD = b'{"protocol_version":1,"limits":{},"server_time":1}'
HUGE = b'{"protocol_version":1,"limits":{},"server_time":1,"x":"' + b"y" * 70_000 + b'"}'
DEEP = b'{"protocol_version":1,"limits":{},"server_time":1,"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
MISBEHAVIOUR = [
    ("hangs up at once", b"", 0, ""),
    ("speaks no HTTP", b"220 mail.example ESMTP\r\n", 0, ""),
    ("redirects", http("302 Found", b"", more="location: http://127.0.0.1:9/\r\n"), 302, ""),
    ("an HTML page of a proxy", http("502 Bad Gateway", b"<html>", "text/html"), 502, ""),
    ("success as HTML", http("200 OK", GOOD, "text/html"), 200, ""),
    ("an error body as success", http("200 OK", b'{"code":"internal","message":"x"}'), 200, ""),
    ("a short body", http("200 OK", GOOD)[:-5], 0, ""),
    ("a body that is too large", http("200 OK", HUGE), 200, ""),
    ("a body that is too deep", http("200 OK", DEEP), 200, ""),
    ("a wrong type", http("200 OK", GOOD.replace(b"1", b'"1"')), 200, ""),
    ("a huge number", http("200 OK", GOOD.replace(b"1}", b"9" * 5000 + b"}")), 200, ""),
    ("not UTF-8", http("200 OK", GOOD + b"\xff"), 200, ""),
    ("two values", http("200 OK", GOOD + GOOD), 200, ""),
    ("an error of no known code", http("409 Conflict", b'{"code":"nope","message":"x"}'), 409, ""),
    ("a code under another status", http("500 x", b'{"code":"contact_closed","message":"x"}'), 500, ""),
    ("internal", http("500 x", b'{"code":"internal","message":"x"}'), 500, "internal"),
]


@pytest.mark.parametrize(
    ("answer", "status", "wire_code"), [row[1:] for row in MISBEHAVIOUR], ids=[row[0] for row in MISBEHAVIOUR]
)
async def test_misbehaviour_leaves_it_open(answer: bytes, status: int, wire_code: str) -> None:
    """R006, R080, R081, R087: whatever comes back that is not the hub's word, the request may have been done."""
    async with server(says(answer)) as url, HubClient(url, A, SystemClock(), answer_bytes=65_536) as client:
        with pytest.raises(HubError) as caught:
            await client.well_known()

    assert ("hub_unreachable", status, wire_code) == (caught.value.code, caught.value.status, caught.value.wire_code)
    assert caught.value.sent
    assert caught.value.uncertain


async def test_good_answer_of_the_same_kind() -> None:
    """The control of the table above: the same road, nothing wrong, and it is taken."""
    async with server(says(http("200 OK", GOOD))) as url, HubClient(url, A, SystemClock()) as client:
        known = await client.well_known()

    assert known.server_time == 1


async def test_a_refusal_is_certain_and_says_when() -> None:
    """A coded refusal keeps its code, its status and its time to try again, and leaves nothing open."""
    body = b'{"code":"overloaded","message":"x","retry_at":17}'
    async with server(says(http("503 x", body))) as url, HubClient(url, A, SystemClock()) as client:
        with pytest.raises(HubError) as caught:
            await client.well_known()

    assert ("hub_unreachable", "overloaded", 503, 17, False) == (
        caught.value.code,
        caught.value.wire_code,
        caught.value.status,
        caught.value.retry_at,
        caught.value.uncertain,
    )


async def test_no_redirect_takes_the_token_along() -> None:
    """R081: the other host of a redirect is never spoken to."""
    spoken: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        spoken.append(await reader.read(10))

    async with server(listen) as other:
        redirect = http("307 x", b"", more=f"location: {other}/\r\n")
        async with server(says(redirect)) as url, HubClient(url, A, SystemClock()) as client:
            with pytest.raises(HubError):
                await client.well_known()

    assert spoken == []


async def test_a_silent_server_costs_bounded_time() -> None:
    """A server that drips for ever is left after the whole request's time, and the request is uncertain."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n")
        for _ in range(100):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    async with server(drip) as url, HubClient(url, A, SystemClock(), total_seconds=0.4) as client:
        with pytest.raises(HubError) as caught:
            await asyncio.wait_for(client.well_known(), 3)

    assert ("hub_unreachable", True) == (caught.value.code, caught.value.uncertain)


# --- where it may speak ---


@pytest.mark.parametrize(
    "url", ["https://hub.example", "http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "http://127.9.9.9"]
)
def test_allowed_origins(url: str) -> None:
    """HTTPS anywhere, plain HTTP on this machine."""
    assert url == checked_origin(url)


@pytest.mark.parametrize(
    "url", ["http://hub.example", "http://10.0.0.1", "http://localhost.evil.example", "ws://127.0.0.1", "127.0.0.1:1"]
)
def test_refused_origins(url: str) -> None:
    """Plain HTTP off this machine is refused before anything is sent."""
    with pytest.raises(DragomanError) as caught:
        checked_origin(url)

    assert caught.value.code == "config_invalid"


@pytest.mark.parametrize("contact_id", ["", "..", "con_1/close", "con_1?x", "con_1#", "con 1", "ｃon", "x" * 200])
async def test_an_id_is_never_a_path(contact_id: str) -> None:
    """What is not an id names no address: it is refused before a connection is made."""
    async with HubClient("http://127.0.0.1:9", A, SystemClock()) as client:
        with pytest.raises(DragomanError) as caught:
            await client.contact(contact_id)

    assert caught.value.code == "input_invalid"


def test_wire_answers_are_what_the_client_returns(tmp_path: Path) -> None:
    """Both ends share the structs: the client has no types of its own to drift."""
    assert HubClient.send.__annotations__["return"] == "wire.Sent"
    assert issubclass(wire.Sent, wire.Answer)
