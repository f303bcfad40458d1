"""The finding rooms over HTTP, as a real process: strict bodies and queries, documented, waiting, closed to others."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient, HubError
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from dragoman.hub.routes.waiting import LOOK_AGAIN_SECONDS
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.anyio
A, B = RoleKey(b"c" * 32, f"ins_{1:032x}"), RoleKey(b"d" * 32, f"ins_{2:032x}")
NOBODY = f"role_{0:032x}"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("api") / "hub") as running:
        yield running


@pytest.fixture
async def roles(hub: HubProcess, anyio_backend: str) -> AsyncIterator[tuple[HubClient, HubClient]]:
    """Two registered roles."""
    async with HubClient(hub.url, A, SystemClock()) as a, HubClient(hub.url, B, SystemClock()) as b:
        await a.register()
        await b.register()
        yield a, b


async def answered(hub: HubProcess, client: HubClient, method: str, path: str, body: object = None) -> tuple[int, str]:
    """Status and code of one raw request with the client's token."""
    token = (await client.log_in()).token
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        content = None if body is None else json.dumps(body).encode()
        answer = await http.request(method, wire.API + path, headers=headers, content=content)
    return answer.status_code, answer.json().get("code", "")


STALL = {"generation": 1, "title": "Tea"}
BAD = [
    ("a title too long", "POST", "/stall", {**STALL, "title": "x" * 121}, (400, "bad_request")),
    ("no title", "POST", "/stall", {"generation": 1}, (400, "bad_request")),
    ("a text too long", "POST", "/stall", {**STALL, "text": "x" * 4001}, (400, "bad_request")),
    ("too many tags", "POST", "/stall", {**STALL, "tags": ["x"] * 11}, (400, "bad_request")),
    ("an unknown field", "POST", "/stall", {**STALL, "colour": "red"}, (400, "bad_request")),
    ("a truth as a number", "POST", "/stall", {**STALL, "open": 1}, (400, "bad_request")),
    ("an older generation", "POST", "/stall", {**STALL, "generation": 7}, (409, "instance_superseded")),
    ("a tag of signs", "POST", "/stall", {**STALL, "tags": ["!!"]}, (400, "tag_invalid")),
    ("a kind of nothing", "POST", "/subscriptions", {"generation": 1, "kind": "gossip"}, (400, "bad_request")),
    ("a search for nothing", "POST", "/subscriptions", {"generation": 1}, (400, "query_empty")),
    ("no subscription", "POST", f"/subscriptions/sub_{0:032x}/end", {"generation": 1}, (404, "subscription_unknown")),
    ("a delegation of nobody", "GET", f"/delegations/del_{0:032x}", None, (404, "entry_unknown")),
    ("a delegation that is no id", "GET", "/delegations/x", None, (404, "entry_unknown")),
    ("a stall of nobody", "GET", f"/stalls/{NOBODY}", None, (404, "entry_unknown")),
    ("a block of nobody", "POST", "/blocks", {"generation": 1, "role_id": NOBODY}, (404, "role_unknown")),
    ("a block that is no id", "POST", "/blocks", {"generation": 1, "role_id": "x"}, (400, "bad_request")),
    ("a lift of nobody", "POST", f"/blocks/{NOBODY}/lift", {"generation": 1}, (404, "role_unknown")),
    ("a query too long", "GET", f"/directory/stalls?query={'x' * 201}", None, (400, "bad_request")),
    ("too many tags asked", "GET", f"/directory/stalls?{'tag=x&' * 11}", None, (400, "bad_request")),
    ("a zero character asked", "GET", "/directory/stalls?query=a%00b&tag=%00", None, (400, "tag_invalid")),
    ("a cursor of nothing", "GET", "/directory/stalls?before=0", None, (400, "bad_request")),
    ("a kind of no event", "GET", "/events?kind=gossip", None, (400, "bad_request")),
    ("a wait too long", "GET", "/events?wait_ms=30001", None, (400, "bad_request")),
    ("an event that a role writes", "POST", "/events", {"generation": 1, "kind": "trade"}, (405, "method_not_allowed")),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "expected"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
async def test_errors(
    hub: HubProcess,
    roles: tuple[HubClient, HubClient],
    method: str,
    path: str,
    body: dict[str, object] | None,
    expected: tuple[int, str],
) -> None:
    """Whatever is wrong with a request ends in its code and status; nothing is written."""
    assert expected == await answered(hub, roles[0], method, path, body)


async def test_nothing_is_shown_to_strangers(hub: HubProcess) -> None:
    """Every route of these rooms, by the document, asks for a token first."""
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as http:
        document = (await http.get("/schema/openapi.json")).json()
        rooms = ("stall", "directory", "delegations", "subscriptions", "blocks", "events")
        asked = [
            (method, path)
            for path, methods in document["paths"].items()
            for method in methods
            if path.startswith(tuple(f"{wire.API}/{room}" for room in rooms))
        ]
        for method, path in asked:
            body = {"post": b"{}"}.get(method)
            answer = await http.request(
                method,
                path.replace("{", "").replace("}", ""),
                content=body,
                headers={"content-type": "application/json"},
            )
            assert answer.json()["code"] in ("token_missing", "bad_request"), path
            if method == "get":
                assert 401 == answer.status_code
    assert 16 == len(asked)


async def test_a_waiting_reader_is_woken(roles: tuple[HubClient, HubClient]) -> None:
    """An event is read when it is committed, before the reader would have looked again by itself."""
    a, b = roles
    await a.finding.subscribe("woken")
    waits = []
    after = (await a.finding.events()).next_after
    for number in range(3):
        reading = asyncio.ensure_future(a.finding.events(after=after, wait_ms=20_000))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        put = await b.finding.put_stall(f"woken {number}")
        page = await reading
        waits.append(time.monotonic() - began)
        after = page.next_after
        assert [put.version] == [each.facts.version for each in page.events]
    assert min(waits) < LOOK_AGAIN_SECONDS / 2


async def test_a_waiting_reader_ends_empty(roles: tuple[HubClient, HubClient]) -> None:
    """Nothing came: no events, after about the time that was asked for."""
    after = (await roles[0].finding.events()).next_after
    began = time.monotonic()
    page = await roles[0].finding.events(after=after, kinds=[wire.EventKind.TRADE], wait_ms=400)

    assert ([], after) == (page.events, page.next_after)
    assert 0.3 < time.monotonic() - began < 20


async def test_the_client_speaks_every_verb(roles: tuple[HubClient, HubClient]) -> None:
    """Each typed method once, in the order in which an owner's agent uses them."""
    a, b = roles
    room, other = a.finding, b.finding
    put = await other.put_stall("Green tea 绿茶", "Fresh.", ["tea", "茶"])
    assert put == await other.my_stall() == await a.finding.stall(b.role_id)
    assert [put] == (await room.search("绿茶 fresh", ["茶"])).entries
    saved = await room.subscribe("coffee", kind=wire.EntryKind.DELEGATION)
    assert saved in (await room.subscriptions()).subscriptions
    ends = SystemClock().now() + 60_000
    made = await other.publish("pub_client1", "Coffee wanted", ends, tags=["coffee"])
    assert [made] == (await room.search("coffee", kind=wire.EntryKind.DELEGATION)).entries
    assert made == await room.delegation(made.entry_id)
    contact = await a.open_contact("open_client1", b.role_id, delegation_id=made.entry_id)
    assert made.entry_id == contact.delegation_id
    assert not (await other.close_delegation(made.entry_id)).open
    assert [made.entry_id] == [each.entry_id for each in (await other.delegations()).entries]
    assert saved not in (await room.end_subscription(saved.subscription_id)).subscriptions
    assert (await other.block(a.role_id)).blocked
    with pytest.raises(HubError) as caught:
        await a.send(contact.contact_id, reply_id="rep_client1", text="hello")
    assert ("contact_blocked", 403, False) == (caught.value.wire_code, caught.value.status, caught.value.uncertain)
    assert [a.role_id] == [each.role_id for each in (await other.blocks()).blocks]
    assert not (await other.unblock(a.role_id)).blocked
    assert not (await other.put_stall("Green tea 绿茶", open_to_all=False)).open
