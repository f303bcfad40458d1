"""The hub as its operator runs it, as real processes: rates, log, metrics, readiness, and an end that loses nothing."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import signal
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from dragoman.hub import logs
from dragoman.hub.refusal import Refusal
from dragoman.hub.sqlite import SqliteTransaction
from dragoman.hub.store import Transaction
from tests.hub.world import World
from tests.hub_process import running_hub
from tests.postgres import free_port

pytestmark = pytest.mark.anyio
A, B = RoleKey(b"a" * 32, f"ins_{1:032x}"), RoleKey(b"b" * 32, f"ins_{2:032x}")
JSON = {"content-type": "application/json"}


class Overheard(httpx2.AsyncHTTPTransport):
    """The real transport, which keeps all that went over it."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.said.add(request.headers.get("authorization", "").removeprefix("Bearer "))
        self.said.update(strings_in(json.loads(request.content)) if request.content else ())
        self.said.update(part for part in request.url.path.split("/") if "_" in part)
        answer = await super().handle_async_request(request)
        raw = await answer.aread()
        self.said.update(strings_in(json.loads(raw)))
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=httpx2.ByteStream(raw))


def strings_in(value: Any) -> Iterator[str]:
    """Every string of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings_in(each)


async def test_the_log_of_a_busy_hub_holds_nothing_that_was_said(tmp_path: Path) -> None:
    """Ids, keys, tokens, nonces, signatures, texts, packets, reply ids: none of what went over the wire is in it."""
    heard = Overheard()
    log = tmp_path / "requests.log"
    packet = json.dumps({"profile": "a packet of ours", "secret": "sk-live-0123456789abcdef"})
    with running_hub(tmp_path / "hub", "--log", str(log)) as hub:
        async with (
            HubClient(hub.url, A, SystemClock(), transport=heard) as a,
            HubClient(hub.url, B, SystemClock(), transport=heard) as b,
        ):
            await a.register()
            await b.register()
            contact = await a.open_contact("open_secret_name", b.role_id)
            for number in range(30):
                reply_id = f"rep_secret_{number:04}"
                await a.send(contact.contact_id, reply_id=reply_id, text=f"the password is {number:08}", packet=packet)
            got = await b.lease(limit=50)
            assert got.lease is not None
            await b.ack(got.lease.lease_token, [each.message_id for each in got.messages])
            await b.messages(contact.contact_id)
            await a.me()
            for wrong in ("", "x" * 40_000):
                with pytest.raises(HubError):
                    await a.send(contact.contact_id, reply_id="rep_wrong_text", text=wrong)
            with pytest.raises(HubError):
                await b.contact(f"con_{7:032x}")
        async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
            await http.get("/api/v1/me?secret=query-secret", headers={"authorization": "Bearer tok_nobody_at_all"})
            await http.get("/a-secret-path/of-mine")
            await http.post("/api/v1/nonces", headers=JSON, content=b'{"role_id": "broken-secret-body')
        hub.terminate()
    text = log.read_text()
    lines = [json.loads(each) for each in text.splitlines()]
    # Codes and fixed words are the hub's own; what is short enough to be a number or a word proves nothing.
    said = {each for each in heard.said if len(each) >= 8 and each not in wire.ERRORS}
    said |= {"query-secret", "tok_nobody_at_all", "a-secret-path", "broken-secret-body", "sk-live", "password"}

    assert len(said) > 100
    assert [] == [each for each in said if each in text]
    assert set() == {name for line in lines for name in line} - set(logs.FIELDS)
    assert {"/api/v1/contacts/{contact_id}/messages", "/api/v1/leases", "/api/v1/me", "unknown"} <= {
        each["route"] for each in lines
    }
    assert {logs.role_hash(A.role_id), logs.role_hash(B.role_id)} == {each["role"] for each in lines if "role" in each}
    assert {"text_empty": 400, "text_too_large": 413, "contact_unknown": 404} == {
        each["code"]: each["status"] for each in lines if each.get("code", "")[:7] in ("text_em", "text_to", "contact")
    }
    assert len({each["request_id"] for each in lines}) == len(lines)
    assert log.stat().st_mode & 0o777 == 0o600


class _Value(Exception):
    """An error as a database driver makes it: its text quotes a value."""

    sqlstate = "23505"


def test_a_fault_is_told_without_its_values() -> None:
    """Types, places and what cannot quote anybody; the text of an error that may is left out."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.FaultFormat())
    try:
        try:
            raise _Value("Key (text)=(the secret text) already exists")
        except _Value as error:
            raise sqlite3.OperationalError("database or disk is full") from error
    except sqlite3.OperationalError:
        record = logging.LogRecord("dragoman.hub", logging.ERROR, __file__, 1, "refused with %s", ("internal",), None)
        record.exc_info = sys.exc_info()
        handler.emit(record)
        handler.emit(logging.LogRecord("uvicorn.error", logging.ERROR, __file__, 1, "Bad %s", ("the secret",), None))
        handler.emit(logging.LogRecord("asyncio", logging.ERROR, __file__, 1, "Task with a secret", (), None))
    first, second, third = (json.loads(each) for each in stream.getvalue().splitlines())

    assert "secret" not in stream.getvalue()
    assert ("fault", "refused with internal") == (first["event"], first["said"])
    assert ("uvicorn.error: Bad %s", "asyncio") == (second["said"], third["said"])
    assert [("OperationalError", "database or disk is full", None), ("_Value", None, "23505")] == [
        (each["type"], each.get("text"), each.get("sqlstate")) for each in first["errors"]
    ]
    assert first["errors"][0]["at"][0].startswith("test_front.py:")


async def test_metrics_on_this_machine(tmp_path: Path) -> None:
    """Counts by route and code, without a role or an id; not shown to what a proxy passes on."""
    with running_hub(tmp_path / "hub") as hub:
        async with HubClient(hub.url, A, SystemClock()) as a:
            await a.register()
            await a.me()
            with pytest.raises(HubError):
                await a.contact(f"con_{7:032x}")
        async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
            shown = (await http.get("/metrics")).text
            passed_on = await http.get("/metrics", headers={"x-forwarded-for": "203.0.113.7"})
            document = (await http.get("/schema/openapi.json")).json()

    assert (404, "route_unknown") == (passed_on.status_code, passed_on.json()["code"])
    assert 'dragoman_hub_requests_total{code="",method="POST",route="/api/v1/roles",status="200"} 1.0' in shown
    assert (
        'dragoman_hub_requests_total{code="contact_unknown",method="GET",'
        'route="/api/v1/contacts/{contact_id}",status="404"} 1.0' in shown
    )
    assert "dragoman_hub_commits" in shown
    assert [] == [each for each in (A.role_id, f"con_{7:032x}", "tok_", "ins_") if each in shown]
    assert "/metrics" not in document["paths"]


async def test_metrics_on_their_own_address(tmp_path: Path) -> None:
    """Behind a proxy the hub's address shows none; the one that the operator names shows nothing else."""
    port = free_port()
    options = ("--origin", "https://hub.example", "--metrics-listen", f"127.0.0.1:{port}")
    with running_hub(tmp_path / "hub", *options) as hub:
        async with httpx2.AsyncClient(trust_env=False) as http:
            hidden = await http.get(f"{hub.url}/metrics")
            shown = await http.get(f"http://127.0.0.1:{port}/metrics")
            anything = await http.get(f"http://127.0.0.1:{port}/api/v1/me")
        code = hub.terminate()

    assert (404, 200, 0) == (hidden.status_code, shown.status_code, code)
    assert "dragoman_hub_info" in shown.text
    assert "dragoman_hub_info" in anything.text


async def asked(http: httpx2.AsyncClient, address: str, number: int = 60) -> list[httpx2.Response]:
    """So many requests for a nonce, as a proxy passes them on."""
    body = json.dumps({"role_id": A.role_id}).encode()
    headers = {**JSON, "x-forwarded-for": address}
    return [await http.post("/api/v1/nonces", headers=headers, content=body) for _ in range(number)]


async def test_addresses_are_limited_at_the_entrance(tmp_path: Path) -> None:
    """A burst passes, then 429 with its code, `retry_at` and `Retry-After`; another address is not touched; after the
    time that was told it may ask again."""
    options = ("--trusted-proxy", "127.0.0.1", "--rate-entrance", "1", "--rate-address", "20")
    with running_hub(tmp_path / "hub", *options) as hub:
        async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
            answers = await asked(http, "203.0.113.7")
            other = await asked(http, "203.0.113.8", 1)
            refused = next(each for each in answers if each.status_code == 429)
            spoofed = await http.get("/healthz", headers={"x-forwarded-for": "203.0.113.9, 203.0.113.7"})
            await asyncio.sleep(float(refused.headers["retry-after"]) + 0.1)
            again = await asked(http, "203.0.113.7", 1)
            log_ins = [each.status_code for each in answers]

    passed = log_ins.count(200)
    assert 40 <= passed <= 45
    assert "rate_limited" == refused.json()["code"]
    assert refused.json()["retry_at"] > 0
    assert 1 <= int(refused.headers["retry-after"]) <= 2
    assert refused.headers["x-request-id"].startswith("req_")
    assert [200, 200, 200] == [other[0].status_code, spoofed.status_code, again[0].status_code]


async def test_roles_are_limited_by_themselves(tmp_path: Path) -> None:
    """A role that asks too often from many addresses is told so, and so is one that logs in too often; others go on."""
    options = ("--trusted-proxy", "127.0.0.1", "--rate-role", "1", "--rate-log-in", "0.02", "--rate-address", "0")
    with running_hub(tmp_path / "hub", *options) as hub:
        async with HubClient(hub.url, A, SystemClock()) as a, HubClient(hub.url, B, SystemClock()) as b:
            await a.register()
            await b.register()
            token = (await a.log_in()).token
            async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
                codes = []
                for number in range(12):
                    headers = {"authorization": f"Bearer {token}", "x-forwarded-for": f"203.0.113.{number}"}
                    answer = await http.get("/api/v1/me", headers=headers)
                    codes.append("ok" if answer.status_code == 200 else answer.json()["code"])
            me = await b.me()
            entered = []
            for _ in range(5):
                try:
                    await a.log_in()
                    entered.append("ok")
                except HubError as error:
                    entered.append(error.wire_code)

    assert (["ok"] * 6, {"rate_limited"}) == (codes[:6], set(codes[8:]))
    assert me.primary
    assert (["ok"] * 2, {"rate_limited"}) == (entered[:2], set(entered[2:]))


async def test_this_machine_is_not_limited(tmp_path: Path) -> None:
    """A hub that only its own machine speaks to counts nobody's requests."""
    with running_hub(tmp_path / "hub", "--rate-entrance", "1", "--rate-address", "1") as hub:
        async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
            answers = await asked(http, "203.0.113.7", 100)

    assert {200} == {each.status_code for each in answers}


async def test_ready_means_writable(tmp_path: Path) -> None:
    """A store that can be read but not written is not ready; nor is a hub that goes down."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    assert "ok" == (await world.hub.health()).status

    async def only_reading(tx: Transaction) -> None:
        assert isinstance(tx, SqliteTransaction)
        tx._connection.execute("PRAGMA query_only = 1")

    await world.store.write(only_reading)
    world.clock.pass_ms(2_000)
    with pytest.raises(Refusal, match="overloaded"):
        await world.hub.health()
    world.hub.closing = True
    with pytest.raises(Refusal, match="shutting_down"):
        await world.hub.health()
    await world.store.close()


async def test_a_request_under_way_is_answered_at_the_end(tmp_path: Path) -> None:
    """SIGTERM comes while a body is on its way: the rest is taken and answered, and the process ends with 0."""
    body = json.dumps({"role_id": A.role_id}).encode()
    with running_hub(tmp_path / "hub") as hub:
        with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as caller:
            head = "POST /api/v1/nonces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            head += f"content-length: {len(body)}"
            caller.sendall(head.encode() + b"\r\n\r\n" + body[:5])
            await asyncio.sleep(0.3)
            hub.signal(signal.SIGTERM)
            await asyncio.sleep(0.3)
            caller.sendall(body[5:])
            answer = b"".join(iter(lambda: caller.recv(65_536), b""))
        code = await asyncio.to_thread(hub.terminate)

    assert (b"HTTP/1.1 200 OK", 0) == (answer.partition(b"\r\n")[0], code)


async def test_told_again_and_again_it_ends_by_itself(tmp_path: Path) -> None:
    """SIGTERM comes until the process is gone, while it closes its store and after that too: it ends with 0."""
    with running_hub(tmp_path / "hub") as hub:
        assert 0 == await asyncio.to_thread(hub.terminate, every_seconds=0.003)
