"""The hub over HTTP, as a real process: its errors, its limits, its document, its long poll and its end."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.channels.hub.release import release
from dragoman.clock import SystemClock
from dragoman.hub.routes.waiting import LOOK_AGAIN_SECONDS
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.anyio
A, B = RoleKey(b"a" * 32, f"ins_{1:032x}"), RoleKey(b"b" * 32, f"ins_{2:032x}")
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("api") / "hub", "--text-bytes", "1000") as running:
        yield running


@pytest.fixture
async def roles(hub: HubProcess, anyio_backend: str) -> AsyncIterator[tuple[HubClient, HubClient]]:
    """Two registered roles."""
    async with HubClient(hub.url, A, SystemClock()) as a, HubClient(hub.url, B, SystemClock()) as b:
        await a.register()
        await b.register()
        yield a, b


NO_ROLE = json.dumps({"role_id": f"role_{0:032x}"})
ERRORS = [
    ("no such address", "GET", "/nope", {}, "", "route_unknown"),
    ("a path that climbs", "GET", "/api/v1/contacts/..%2f..%2fme", {}, "", "route_unknown"),
    ("a method that is not taken", "PUT", "/api/v1/me", JSON, "{}", "method_not_allowed"),
    ("no token", "GET", "/api/v1/me", {}, "", "token_missing"),
    ("another scheme", "GET", "/api/v1/me", {"authorization": "Basic eDp5"}, "", "token_missing"),
    ("a token of nobody", "GET", "/api/v1/me", {"authorization": "Bearer tok_1"}, "", "token_invalid"),
    ("an endless token", "GET", "/api/v1/me", {"authorization": "Bearer " + "x" * 5000}, "", "token_missing"),
    ("not JSON by its header", "POST", "/api/v1/nonces", {}, NO_ROLE, "media_type_unsupported"),
    ("broken JSON", "POST", "/api/v1/nonces", JSON, '{"role_id":', "bad_request"),
    ("no body", "POST", "/api/v1/nonces", JSON, "", "bad_request"),
    ("an unknown field", "POST", "/api/v1/nonces", JSON, NO_ROLE[:-1] + ',"x":1}', "bad_request"),
    ("a wrong type", "POST", "/api/v1/nonces", JSON, '{"role_id":5}', "bad_request"),
    ("a number as text", "POST", "/api/v1/leases", JSON, '{"generation":"1"}', "bad_request"),
    ("text as a truth", "POST", "/api/v1/leases", JSON, '{"generation":1,"wait_ms":true}', "bad_request"),
    ("a malformed id", "POST", "/api/v1/nonces", JSON, '{"role_id":"role_1"}', "bad_request"),
    ("a lone surrogate", "POST", "/api/v1/nonces", JSON, '{"role_id":"\\ud800"}', "bad_request"),
    ("deep nesting", "POST", "/api/v1/nonces", JSON, "[" * 4_000, "bad_request"),
    (
        "deep nesting in a large body",
        "POST",
        f"/api/v1/contacts/con_{0:032x}/messages",
        JSON,
        "[" * 500_000,
        "bad_request",
    ),
    ("a body too large for the entrance", "POST", "/api/v1/nonces", JSON, " " * 5_000, "body_too_large"),
    ("a body too large for a room", "POST", "/api/v1/leases", JSON, " " * 40_000, "body_too_large"),
    ("a huge number", "POST", "/api/v1/nonces", JSON, "9" * 4_000, "bad_request"),
    ("a body too large", "POST", "/api/v1/nonces", JSON, " " * 600_000, "body_too_large"),
    ("a cursor that is no number", "GET", "/api/v1/contacts?after=x", {}, "", "bad_request"),
    ("a cursor below nothing", "GET", "/api/v1/contacts?after=-1", {}, "", "bad_request"),
    ("a cursor with a point", "GET", "/api/v1/contacts?after=5.0", {}, "", "bad_request"),
    ("a cursor with a blank", "GET", "/api/v1/contacts?after=%205", {}, "", "bad_request"),
]


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "code"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS]
)
async def test_errors(hub: HubProcess, method: str, path: str, headers: dict[str, str], body: str, code: str) -> None:
    """Whatever is wrong with a request, the answer is its code, its status and its fixed sentence, nothing else."""
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        answer = await http.request(method, path, headers=headers, content=body.encode() or None)

    status, sentence = wire.ERRORS[code]
    assert (status, {"code": code, "message": sentence}) == (answer.status_code, answer.json())


async def test_a_chunked_body_is_counted_too(hub: HubProcess) -> None:
    """A body without a length is cut off at the same limit."""

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * 8192

    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        answer = await http.post("/api/v1/nonces", headers=JSON, content=endless())

    assert (413, "body_too_large") == (answer.status_code, answer.json()["code"])


async def test_the_document_says_what_the_hub_does(hub: HubProcess) -> None:
    """Every body in the OpenAPI document refuses unknown fields, and every error is the one error body."""
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        document = (await http.get("/schema/openapi.json")).json()
    schemas = document["components"]["schemas"]
    operations = [each for path in document["paths"].values() for each in path.values()]

    for kind in wire.Request.__subclasses__():
        assert schemas[kind.__name__]["additionalProperties"] is False
    assert sorted(wire.ERRORS) == schemas["ErrorBody"]["properties"]["code"]["enum"]
    for operation in operations:
        assert {"200", "500", "503"} <= set(operation["responses"])
    open_to_all = {each["operationId"] for each in operations if each.get("security", []) == []}
    assert len(open_to_all) == 10
    assert f"{wire.API}/leases/ack" in document["paths"]


async def test_the_hub_tells_of_itself(hub: HubProcess, roles: tuple[HubClient, HubClient]) -> None:
    """Protocol version and limits are public; health is a read of the store."""
    known = await roles[0].well_known()

    assert (wire.PROTOCOL_VERSION, 1000, 120_000) == (
        known.protocol_version,
        known.limits.text_bytes,
        known.limits.lease_ms,
    )
    assert known.client_releases == [release()], "a hub publishes the client that it is shipped with"
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        assert (await http.get("/healthz")).json() == {"status": "ok"}


async def test_a_poll_is_woken(roles: tuple[HubClient, HubClient]) -> None:
    """A poll that waits is answered when the message was sent, before it would have looked again by itself."""
    a, b = roles
    contact = await a.open_contact("open_wake1", b.role_id)
    await b.generation()
    waits = []
    for number in range(3):
        poll = asyncio.ensure_future(b.lease(wait_ms=20_000, contact_ids=[contact.contact_id]))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        sent = await a.send(contact.contact_id, reply_id=f"rep_wake0{number}", text="wake up")
        got = await poll
        waits.append(time.monotonic() - began)

        assert [sent.message_id] == [each.message_id for each in got.messages]
    assert min(waits) < LOOK_AGAIN_SECONDS / 2


async def test_a_poll_ends_empty(roles: tuple[HubClient, HubClient]) -> None:
    """Nothing came: no messages, no lease, after about the time that was asked for."""
    began = time.monotonic()
    got = await roles[0].lease(wait_ms=400)

    assert (None, []) == (got.lease, got.messages)
    assert 0.3 < time.monotonic() - began < 20


async def test_a_poller_that_has_gone_gets_nothing(hub: HubProcess, roles: tuple[HubClient, HubClient]) -> None:
    """A caller that hung up while waiting leases nothing, so the message is there for the next one at once."""
    a, b = roles
    contact = await a.open_contact("open_gone1", b.role_id)
    wanted = {"wait_ms": 20_000, "contact_ids": [contact.contact_id]}
    await b.generation()
    poll = asyncio.ensure_future(b.lease(**wanted))
    await asyncio.sleep(0.3)
    poll.cancel()
    await asyncio.gather(poll, return_exceptions=True)
    await asyncio.sleep(0.2)
    sent = await a.send(contact.contact_id, reply_id="rep_gone01", text="anyone?")
    got = await b.lease(contact_ids=[contact.contact_id])

    assert [sent.message_id] == [each.message_id for each in got.messages]


async def test_two_processes_over_one_file(hub: HubProcess, roles: tuple[HubClient, HubClient]) -> None:
    """R089: another hub process on the same file takes sends too; no bell crosses, so a poll looks again by itself."""
    a, b = roles
    contact = await a.open_contact("open_two01", b.role_id)
    with running_hub(hub.db.parent) as second:
        async with HubClient(second.url, A, SystemClock()) as elsewhere:
            await b.generation()
            poll = asyncio.ensure_future(b.lease(wait_ms=20_000, contact_ids=[contact.contact_id]))
            await asyncio.sleep(0.2)
            here = [a.send(contact.contact_id, reply_id=f"rep_here{n:02}", text="x") for n in range(20)]
            there = [elsewhere.send(contact.contact_id, reply_id=f"rep_ther{n:02}", text="x") for n in range(20)]
            first = await elsewhere.send(contact.contact_id, reply_id="rep_first1", text="x")
            got = await asyncio.wait_for(poll, 10)
            await asyncio.gather(*here, *there)
            stored = (await elsewhere.messages(contact.contact_id)).messages

    assert [first.message_id] == [each.message_id for each in got.messages]
    assert list(range(1, 42)) == [each.seq for each in stored]


async def test_text_limit(roles: tuple[HubClient, HubClient]) -> None:
    """The configured size holds to the byte, and one byte more is told by its code."""
    from dragoman.channels.hub.client import HubError

    a, b = roles
    contact = await a.open_contact("open_size1", b.role_id)
    await a.send(contact.contact_id, reply_id="rep_size01", text="x" * 1000)
    with pytest.raises(HubError) as caught:
        await a.send(contact.contact_id, reply_id="rep_size02", text="x" * 1001)

    assert ("text_too_large", 413, False) == (caught.value.wire_code, caught.value.status, caught.value.uncertain)


async def test_it_goes_down_in_order(tmp_path: Path) -> None:
    """On SIGTERM a waiting poll is answered empty, the process ends with 0 and leaves no write-ahead log behind."""
    with running_hub(tmp_path / "hub") as own:
        async with HubClient(own.url, A, SystemClock()) as client:
            await client.register()
            await client.generation()
            poll = asyncio.ensure_future(client.lease(wait_ms=25_000))
            await asyncio.sleep(0.3)
            began = time.monotonic()
            own.signal(signal.SIGTERM)
            got = await poll
        code = await asyncio.to_thread(own.terminate)

    assert (None, 0) == (got.lease, code)
    assert time.monotonic() - began < 15
    assert not (tmp_path / "hub" / "hub.db-wal").exists()
