"""Hostile values in every place of a request, over real hub processes of both engines: a planned no, never a fault."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from tests.hub.conftest import ENGINES
from tests.hub_process import HubProcess
from tests.postgres import Cluster

pytestmark = pytest.mark.anyio
A, B = RoleKey(b"a" * 32, f"ins_{1:032x}"), RoleKey(b"b" * 32, f"ins_{2:032x}")


@pytest.fixture(scope="module", params=ENGINES)
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process of each engine for the whole file."""
    cluster: Cluster | None = request.getfixturevalue("postgres") if request.param == "postgres" else None
    made = HubProcess(tmp_path_factory.mktemp("inputs") / "hub", db=cluster.database() if cluster else "")
    made.start()
    yield made
    made.kill()


class Door:
    """A's token, the address of a contact with B, and a connection that sends what nobody checks."""

    def __init__(self, http: httpx2.AsyncClient, contact_id: str, token: str, generation: int) -> None:
        self.http, self.contact_id, self.token, self.generation = http, contact_id, token, generation

    async def ask(self, method: str, path: str, body: bytes | dict[str, Any] | None = None) -> str:
        """The code of the answer, or its status when it is none of ours."""
        headers = {"authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["content-type"] = "application/json"
        if isinstance(body, dict):
            body = json.dumps({"generation": self.generation, **body}).encode()
        answer = await self.http.request(method, path, headers=headers, content=body)
        return "ok" if answer.status_code < 300 else str(answer.json()["code"])


@pytest.fixture
async def door(hub: HubProcess, anyio_backend: str, known: dict[str, tuple[str, str, int]]) -> AsyncIterator[Door]:
    """A logged-in attacker, the same for all attempts at a hub."""
    if hub.url not in known:
        async with HubClient(hub.url, A, SystemClock()) as a, HubClient(hub.url, B, SystemClock()) as b:
            await a.register()
            await b.register()
            contact = await a.open_contact("open_hostile_1", b.role_id)
            session = await a.log_in()
            known[hub.url] = contact.contact_id, session.token, session.generation
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        yield Door(http, *known[hub.url])


@pytest.fixture(scope="module")
def known() -> dict[str, tuple[str, str, int]]:
    """By a hub's address: a contact, A's token, its generation."""
    return {}


ADDRESSES = [
    ("GET", "stalls/%00", "entry_unknown"),
    ("GET", "stalls/role_%ED%A0%80", "entry_unknown"),
    ("GET", "stalls/%zz", "entry_unknown"),
    ("GET", "delegations/%00", "entry_unknown"),
    ("GET", "replies/rep_12345%00", "reply_unknown"),
    ("GET", "replies/rep_12345%0A", "reply_unknown"),
    ("GET", "contacts/%00", "contact_unknown"),
    ("GET", "contacts/%00/messages", "contact_unknown"),
    ("GET", "contacts/%00/communication", "contact_unknown"),
    ("GET", "contacts/..%2F..%2Fme", "route_unknown"),
    ("GET", "../../etc/passwd", "route_unknown"),
    ("GET", "marks?grant_id=abcd%0A", "bad_request"),
    ("GET", "marks?grant_id=%00abcd", "bad_request"),
    ("GET", "blocks?after=%0A", "bad_request"),
    ("GET", "blocks?after=%00", "bad_request"),
    ("GET", "directory/stalls?query=%00", "ok"),
    ("GET", "directory/stalls?query=%ED%A0%80%FF", "ok"),
    ("GET", "directory/stalls?query=%22%20OR%20tokens:a*%20NEAR(a%20b)%20-%20%5E%22", "ok"),
    ("GET", "directory/stalls?query=%27%29%3B%20DROP%20TABLE%20entry%3B--%20%25_", "ok"),
    ("GET", "directory/stalls?query=%CC%81", "ok"),
    ("GET", "directory/stalls?query=" + "%EF%B7%BA" * 200, "ok"),
    ("GET", "directory/stalls?query=" + "a" * 201, "bad_request"),
    ("GET", "directory/stalls?tag=%22%00%2A", "tag_invalid"),
    ("GET", "directory/stalls?before=9007199254740992", "bad_request"),
    ("GET", "directory/stalls?before=9223372036854775808", "bad_request"),
    ("GET", "directory/stalls?before=1e3", "bad_request"),
    ("GET", "contacts?after=-1", "bad_request"),
    ("GET", "contacts?after=9007199254740991", "ok"),
    ("GET", "events?after=0&kind=trade%00", "bad_request"),
    ("GET", "events?wait_ms=30001", "bad_request"),
    ("DELETE", "me", "method_not_allowed"),
    ("TRACE", "me", "method_not_allowed"),
    ("GET", "leases", "method_not_allowed"),
    ("GET", "%6De", "ok"),
    ("GET", "me/", "ok"),
]
ENDINGS = [
    ("subscriptions/%00/end", "subscription_unknown"),
    ("blocks/%00/lift", "role_unknown"),
    ("delegations/%00/close", "entry_unknown"),
    ("contacts/%00/close", "contact_unknown"),
]


@pytest.mark.parametrize(("method", "path", "code"), ADDRESSES, ids=[row[1][:40] for row in ADDRESSES])
async def test_hostile_addresses(door: Door, method: str, path: str, code: str) -> None:
    """Ids, queries and numbers that no row and no rule can have, methods that are not there, ways out of the folder."""
    assert code == await door.ask(method, f"/api/v1/{path}")


@pytest.mark.parametrize(("path", "code"), ENDINGS, ids=[row[0] for row in ENDINGS])
async def test_hostile_addresses_of_writes(door: Door, path: str, code: str) -> None:
    """The same for what ends something."""
    assert code == await door.ask("POST", f"/api/v1/{path}", {})


def message(**fields: object) -> dict[str, object]:
    return {"reply_id": "rep_hostile_1", "text": "x", **fields}


MESSAGES: list[tuple[str, bytes | dict[str, Any], str]] = [
    ("a line break after an id", message(reply_id="rep_hostile_1\n"), "bad_request"),
    ("an id of other letters", message(reply_id="rep_éééééé"), "bad_request"),
    ("an id of other digits", message(reply_id="rep_١٢٣٤٥"), "bad_request"),
    ("U+0000", message(text="a\x00b"), "text_invalid"),
    ("a lone surrogate, escaped", b'{"reply_id":"rep_hostile_1","generation":1,"text":"\\ud800"}', "bad_request"),
    ("a lone surrogate, encoded", b'{"reply_id":"rep_hostile_1","generation":1,"text":"\xed\xa0\x80"}', "bad_request"),
    ("only blanks of every kind", message(text=" \u3000\u00a0\n\t"), "text_empty"),
    ("2^53 - 1", message(generation=2**53 - 1), "instance_superseded"),
    ("2^53", message(generation=2**53), "bad_request"),
    ("2^63", message(generation=2**63), "bad_request"),
    ("minus one", message(generation=-1), "bad_request"),
    ("a float", message(generation=1.5), "bad_request"),
    ("an endless number", b'{"reply_id":"rep_hostile_1","generation":1e999,"text":"x"}', "bad_request"),
    ("a number as text", message(generation="1"), "bad_request"),
    ("depth", b"[" * 200_000, "bad_request"),
    ("depth in a packet", message(packet="[" * 40_000), "packet_invalid"),
    ("a packet of objects in objects", message(packet='{"a":' * 9_000 + "1" + "}" * 9_000), "packet_invalid"),
    ("a key twice in a packet", message(packet='{"a":1,"\\u0061":2}'), "packet_invalid"),
    ("2^53 + 1 in a packet", message(packet='{"a":9007199254740993}'), "packet_invalid"),
    ("a lone surrogate in a packet", message(packet='{"a":"\\ud800"}'), "packet_invalid"),
    ("ten megabytes", b"x" * 10_000_000, "body_too_large"),
    ("nothing", b"", "bad_request"),
    ("a byte order mark", b"\xef\xbb\xbf{}", "bad_request"),
    ("more behind it", b'{"reply_id":"rep_hostile_1","generation":1,"text":"x"} {}', "bad_request"),
    ("a field that is not known", message(sender="role_x"), "bad_request"),
]


@pytest.mark.parametrize(("body", "code"), [row[1:] for row in MESSAGES], ids=[row[0] for row in MESSAGES])
async def test_hostile_messages(door: Door, body: bytes | dict[str, Any], code: str) -> None:
    """Each is refused with its code, and nothing of it is taken."""
    path = f"/api/v1/contacts/{door.contact_id}/messages"

    assert code == await door.ask("POST", path, body)
    assert "reply_unknown" == await door.ask("GET", "/api/v1/replies/rep_hostile_1")


REPORTS: list[tuple[str, dict[str, Any], str]] = [
    ("U+0000 in a version", {"version": "\x00"}, "bad_request"),
    ("an escape in a version", {"version": "1\x1b[2J"}, "bad_request"),
    ("a line break after a mode", {"mode": "attended\n"}, "bad_request"),
    ("moments at the end of time", {"sent_at": 0, "background_at": 2**53 - 1, "scope_until": 2**53 - 1}, "ok"),
    ("moments before all time", {"sent_at": 2**53 - 1, "background_at": 0, "scope_until": 0}, "ok"),
    ("a hash of anything", {"handler": {"at": 0, "command": "\x00", "command_now": "\x00"}}, "ok"),
    ("one contact thrice", {"waiting": [{"contact_id": f"con_{9:032x}", "waits_for": "owner"}] * 3}, "ok"),
    ("a contact that is none", {"waiting": [{"contact_id": "%", "waits_for": "owner"}]}, "bad_request"),
]


@pytest.mark.parametrize(("body", "code"), [row[1:] for row in REPORTS], ids=[row[0] for row in REPORTS])
async def test_hostile_reports(door: Door, body: dict[str, Any], code: str) -> None:
    """What a receiver says of itself is bounded in every field."""
    assert code == await door.ask("PUT", "/api/v1/communication/receiver", {"sent_at": 1, **body})


MARKS: list[tuple[str, dict[str, Any], str]] = [
    ("a line break after the grant", {"grant_id": "grant_1\n"}, "bad_request"),
    ("a line break after the ledger", {"ledger_id": "one\n"}, "bad_request"),
    ("a line break after a name", {"counts": {"turns\n": 1}}, "bad_request"),
    ("2^53", {"counts": {"turns": 2**53}}, "bad_request"),
    ("nothing to count", {"counts": {}}, "bad_request"),
    ("nine names", {"counts": dict.fromkeys("abcdefghi", 1)}, "bad_request"),
]


@pytest.mark.parametrize(("body", "code"), [row[1:] for row in MARKS], ids=[row[0] for row in MARKS])
async def test_hostile_marks(door: Door, body: dict[str, Any], code: str) -> None:
    """So are its marks."""
    usual = {"grant_id": "grant_1", "ledger_id": "one", "counts": {"turns": 1}}

    assert code == await door.ask("PUT", "/api/v1/marks", {**usual, **body})


async def test_marks_of_one_grant_do_not_grow_without_end(door: Door) -> None:
    """A grant has a few marks, however often new ones are named for it."""
    codes = []
    for letter in "abcdef":
        counts = {f"{letter}_{other}": 1 for other in "abcd"}
        body = {"grant_id": "grant_names", "ledger_id": "one", "counts": counts}
        codes.append(await door.ask("PUT", "/api/v1/marks", body))

    assert ["ok"] * 4 + ["marks_full"] * 2 == codes


PUBLISHED: list[tuple[str, dict[str, Any], str]] = [
    ("U+0000 in a title", {"title": "a\x00"}, "text_invalid"),
    ("U+0000 in a text", {"title": "a", "text": "\x00"}, "text_invalid"),
    ("a tag of nothing", {"title": "a", "tags": ["\x00*"]}, "tag_invalid"),
    (
        "query syntax",
        {"title": 'OR NOT NEAR "', "text": "tokens:a* ^b - ' ; DROP TABLE entry; --", "tags": ["a*b"]},
        "ok",
    ),
    ("letters that grow when folded", {"title": "ﷺ" * 120, "text": "ﷺ" * 4000}, "ok"),
    ("one word of four thousand letters", {"title": "x" * 120, "text": "x" * 4000}, "ok"),
    ("marks without letters", {"title": "\u0301", "text": "\u0301 \u20dd", "tags": ["\u0301"]}, "ok"),
    ("four thousand different characters", {"title": "字", "text": "".join(map(chr, range(0x4E00, 0x5DA0)))}, "ok"),
]


@pytest.mark.parametrize(("body", "code"), [row[1:] for row in PUBLISHED], ids=[row[0] for row in PUBLISHED])
async def test_hostile_entries(door: Door, body: dict[str, Any], code: str) -> None:
    """What is published is words to the index, never syntax; and the hub finds on."""
    assert code == await door.ask("POST", "/api/v1/stall", body)
    assert "ok" == await door.ask("GET", "/api/v1/directory/stalls?query=%22%20OR%20%22")


def spoken(hub: HubProcess, request: bytes) -> tuple[int, bytes]:
    """The status of the first answer to raw bytes, and all that came within a moment."""
    got = b""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=5) as caller:
        caller.sendall(request)
        try:
            while part := caller.recv(65_536):
                got += part
                caller.settimeout(0.15)
        except TimeoutError:
            pass
    return int(got[9:12] or b"0"), got


POST = b"POST /api/v1/nonces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
RAW = [
    ("length and chunks", POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("two lengths", POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ", 400),
    ("one length twice", POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    ("a blank before the colon", POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
    ("chunks by another name", POST + b"Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}", 400),
    ("a length with a sign", POST + b"Content-Length: +2\r\n\r\n{}", 400),
    ("a folded header", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n", 400),
    ("U+0000 in a header", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n", 400),
    ("lines without CR", b"GET /healthz HTTP/1.1\nHost: x\n\n", 400),
    ("a tunnel", b"CONNECT evil:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("another protocol", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    ("bytes in an address", b"GET /api/v1/stalls/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("bytes in a token", b"GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\xfe\r\n\r\n", 401),
    ("a long chunk extension", CHUNKED + b"2;" + b"x" * 100_000 + b"\r\n{}\r\n0\r\n\r\n", 400),
    ("a request within a body", POST + b"Content-Length: 99999\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 413),
    ("metrics for a proxy", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n", 404),
]


@pytest.mark.parametrize(("request_bytes", "status"), [row[1:] for row in RAW], ids=[row[0] for row in RAW])
def test_hostile_http(hub: HubProcess, request_bytes: bytes, status: int) -> None:
    """What two programs could read differently is refused; there is one answer, and nothing of ours in it."""
    found, said = spoken(hub, request_bytes)

    assert (status, 1) == (found, said.count(b"HTTP/1.1 "))
    assert [] == [word for word in (b"Traceback", b"dragoman_hub_", b"sqlite", b"asyncpg") if word in said]


async def test_two_tokens_in_one_request(hub: HubProcess, door: Door) -> None:
    """The first is the one that is counted and the one that is asked; the second is not looked at."""
    good, bad = f"Authorization: Bearer {door.token}\r\n", "Authorization: Bearer tok_of_nobody\r\n"
    head = "GET /api/v1/me HTTP/1.1\r\nHost: x\r\n"

    assert [200, 401] == [spoken(hub, f"{head}{each}\r\n".encode())[0] for each in (good + bad, bad + good)]
