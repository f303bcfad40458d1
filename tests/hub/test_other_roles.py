"""What one role can do with another's things, over HTTP: nothing, and it cannot even tell that they exist."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import httpx2
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.anyio
KEYS = {name: RoleKey(name.encode() * 32, f"ins_{number:032x}") for number, name in enumerate("abc", 1)}
FRESH = itertools.count()
NOWHERE = {
    "contact": f"con_{0:032x}",
    "message": f"msg_{0:032x}",
    "lease": f"lse_{0:032x}",
    "reply": "reply_that_is_none",
}


class Theirs(NamedTuple):
    """What A and B have, and the token of C, who is nobody to them."""

    ids: dict[str, str]
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("others") / "hub") as running:
        yield running


@pytest.fixture
async def http(hub: HubProcess, anyio_backend: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A bare client of the hub."""
    async with httpx2.AsyncClient(base_url=hub.url + wire.API, trust_env=False) as made:
        yield made


@pytest.fixture
async def theirs(hub: HubProcess, http: httpx2.AsyncClient) -> Theirs:
    """A has a contact with B and a message that B has leased; C has only a token."""
    tokens, roles = {}, {}
    for name, key in KEYS.items():
        async with HubClient(hub.url, key, SystemClock()) as client:
            await client.register()
            tokens[name], roles[name] = (await client.log_in()).token, client.role_id
    ids = {"role_b": roles["b"]}

    async def told(who: str, path: str, body: dict[str, Any]) -> Any:
        answer = await asks(http, "POST", path, tokens[who], {"generation": 1, **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    opened = await told("a", "/contacts", {"open_id": "open_0001", "peer_role_id": roles["b"]})
    ids["contact"], ids["reply"] = opened["contact_id"], f"reply_secret_{next(FRESH)}"
    said = {"reply_id": ids["reply"], "text": "between us"}
    await told("a", f"/contacts/{ids['contact']}/messages", said)
    leased = await told("b", "/leases", {"contact_ids": [ids["contact"]]})
    ids["lease"], ids["message"] = leased["lease"]["lease_token"], leased["messages"][0]["message_id"]
    return Theirs(ids, tokens)


async def asks(http: httpx2.AsyncClient, method: str, path: str, token: str, body: Any = None) -> httpx2.Response:
    """One request as whoever has the token."""
    headers = {"authorization": f"Bearer {token}"}
    if body is not None:
        headers["content-type"] = "application/json"
    return await http.request(method, path, headers=headers, content=None if body is None else json.dumps(body))


HANDS_OFF = [
    ("reads a contact", "GET", "/contacts/{contact}", None, "contact_unknown"),
    ("reads its messages", "GET", "/contacts/{contact}/messages", None, "contact_unknown"),
    ("asks where it stands", "GET", "/contacts/{contact}/communication", None, "contact_unknown"),
    ("closes it", "POST", "/contacts/{contact}/close", {}, "contact_unknown"),
    (
        "speaks in it",
        "POST",
        "/contacts/{contact}/messages",
        {"reply_id": "reply_of_c_01", "text": "hello"},
        "contact_unknown",
    ),
    ("asks for a reply of another", "GET", "/replies/{reply}", None, "reply_unknown"),
    ("acks", "POST", "/leases/ack", {"lease_token": "{lease}", "message_ids": ["{message}"]}, "lease_lost"),
    ("gives back", "POST", "/leases/release", {"lease_token": "{lease}", "message_ids": ["{message}"]}, "lease_lost"),
    ("renews", "POST", "/leases/renew", {"lease_token": "{lease}"}, "lease_lost"),
]


@pytest.mark.parametrize(
    ("method", "path", "body", "code"), [row[1:] for row in HANDS_OFF], ids=[row[0] for row in HANDS_OFF]
)
async def test_nobody_else_can(
    http: httpx2.AsyncClient, theirs: Theirs, method: str, path: str, body: dict[str, Any] | None, code: str
) -> None:
    """C is refused, with the very bytes that it would get for something that does not exist."""

    async def answer(ids: dict[str, str]) -> tuple[int, bytes]:
        text = None if body is None else json.dumps({"generation": 1, **body})
        for name, id in ids.items():
            text = text and text.replace(f"{{{name}}}", id)
        place = path.format(**ids)
        found = await asks(http, method, place, theirs.tokens["c"], text and json.loads(text))
        return found.status_code, found.content

    theirs_, nowhere = await answer({**NOWHERE, **theirs.ids}), await answer(NOWHERE)
    assert nowhere == theirs_
    assert (wire.ERRORS[code][0], code) == (theirs_[0], json.loads(theirs_[1])["code"])


async def test_a_poll_by_name_brings_nothing_of_others(http: httpx2.AsyncClient, theirs: Theirs) -> None:
    """Asking for another's contact or message by its id leases nothing."""
    for wanted in ({"contact_ids": [theirs.ids["contact"]]}, {"message_ids": [theirs.ids["message"]]}):
        answer = await asks(http, "POST", "/leases", theirs.tokens["c"], {"generation": 1, **wanted})
        assert (None, []) == (answer.json()["lease"], answer.json()["messages"])


async def test_a_reply_may_ack_only_its_own(http: httpx2.AsyncClient, theirs: Theirs) -> None:
    """C opens a contact of its own; a reply there does not settle what B holds, and is not sent either."""
    tokens, ids = theirs.tokens, theirs.ids
    body = {"open_id": "open_of_c_1", "peer_role_id": ids["role_b"], "generation": 1}
    contact = (await asks(http, "POST", "/contacts", tokens["c"], body)).json()["contact_id"]
    reply = {"reply_id": "reply_of_c_02", "text": "mine", "generation": 1, "lease_token": ids["lease"]}
    answer = await asks(
        http, "POST", f"/contacts/{contact}/messages", tokens["c"], {**reply, "ack_message_ids": [ids["message"]]}
    )
    said = await asks(http, "GET", f"/contacts/{contact}/messages", tokens["c"])

    assert ("lease_lost", []) == (answer.json()["code"], said.json()["messages"])


async def test_tampered_tokens_are_nobodys(http: httpx2.AsyncClient, theirs: Theirs) -> None:
    """Every single character of a token counts: changed, dropped, doubled, in capitals, or with something behind it."""
    token = theirs.tokens["a"]
    changed = [token[:at] + ("0" if token[at] != "0" else "1") + token[at + 1 :] for at in range(4, len(token))]
    others = [token[:-1], token + token[-1], token.upper(), token.replace("tok_", ""), token + ",", token + " x"]
    answers = await asyncio.gather(*(asks(http, "GET", "/me", each) for each in [*changed, *others]))

    assert {401} == {each.status_code for each in answers}
    assert {"token_invalid"} == {each.json()["code"] for each in answers}
    assert 200 == (await asks(http, "GET", "/me", token)).status_code


async def test_a_token_of_before_a_takeover_writes_nothing(hub: HubProcess, http: httpx2.AsyncClient) -> None:
    """After a takeover the older token still reads, as a superseded one, and every write of it is refused."""
    key = RoleKey(b"d" * 32, f"ins_{4:032x}")
    async with HubClient(hub.url, key, SystemClock()) as first:
        await first.register()
        older = (await first.log_in()).token
    async with HubClient(hub.url, RoleKey(b"d" * 32, f"ins_{5:032x}"), SystemClock()) as second:
        await second.log_in(takeover=True)
    for generation in (1, 2):
        answer = await asks(http, "POST", "/leases", older, {"generation": generation})
        assert (409, "instance_superseded") == (answer.status_code, answer.json()["code"])

    assert (await asks(http, "GET", "/me", older)).json()["superseded"]


async def test_a_log_in_cannot_be_replayed(hub: HubProcess, http: httpx2.AsyncClient) -> None:
    """The recorded bytes of a log-in, sent again by whoever saw them, give no token."""
    key = RoleKey(b"e" * 32, f"ins_{6:032x}")
    async with HubClient(hub.url, key, SystemClock()) as client:
        await client.register()
    given = (await http.post("/nonces", json={"role_id": key.role_id})).json()
    signed = wire.login_input(hub.url, key.role_id, key.instance_id, given["nonce"], False)
    body = {
        "role_id": key.role_id,
        "instance_id": key.instance_id,
        "nonce": given["nonce"],
        "origin": hub.url,
        "signature": key.sign(signed),
        "takeover": False,
    }
    answers = [await http.post("/sessions", json=body) for _ in range(3)]
    other = await http.post("/sessions", json={**body, "takeover": True})

    assert [200, 401, 401] == [each.status_code for each in answers]
    assert {"nonce_used"} == {each.json()["code"] for each in answers[1:]}
    assert "signature_invalid" == other.json()["code"]


@pytest.mark.parametrize(
    "path", ["/nonces", "/contacts", "/leases", f"/contacts/con_{0:032x}/messages", "/packets/validate"]
)
async def test_ten_megabytes_are_refused_unread(http: httpx2.AsyncClient, theirs: Theirs, path: str) -> None:
    """A body of 10 MB is 413, announced or not, with a token or without."""

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(160):
            yield b" " * 65_536

    for token in (theirs.tokens["a"], ""):
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
        for content in (b" " * 10_485_760, pieces()):
            answer = await http.post(path, content=content, headers=headers)
            assert (413, "body_too_large") == (answer.status_code, answer.json()["code"])
