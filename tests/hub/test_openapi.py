"""The OpenAPI document of a running hub: complete, strict, and the validator's second door."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock
from dragoman.hub.routes.document import OWN
from dragoman.packets.examples import example
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.anyio
A = RoleKey(b"a" * 32, f"ins_{1:032x}")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("openapi") / "hub") as running:
        yield running


@pytest.fixture
async def http(hub: HubProcess, anyio_backend: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A bare client of the hub."""
    async with httpx2.AsyncClient(base_url=hub.url, trust_env=False) as made:
        yield made


@pytest.fixture
async def token(hub: HubProcess, anyio_backend: str) -> str:
    """A role's token."""
    async with HubClient(hub.url, A, SystemClock()) as client:
        await client.register()
        return (await client.log_in()).token


async def document(http: httpx2.AsyncClient) -> dict[str, Any]:
    """The document as the hub serves it."""
    found: dict[str, Any] = (await http.get("/schema/openapi.json")).json()
    return found


def operations(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Every operation, by method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, item in found["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
    }


def codes(operation: dict[str, Any]) -> set[str]:
    """Every code that an operation says it may answer."""
    schemas = [
        response["content"]["application/json"]["schema"]
        for status, response in operation["responses"].items()
        if status != "200"
    ]
    return {code for schema in schemas for code in schema["allOf"][1]["properties"]["code"]["enum"]}


async def test_every_operation_is_described(http: httpx2.AsyncClient) -> None:
    """Each operation has a sentence, its own line in the table of codes, and a success of 200."""
    found = operations(await document(http))

    for name, operation in found.items():
        assert "200" in operation["responses"], name
        assert (operation.get("description") or operation.get("summary") or "").strip(), name
        assert any(operation["operationId"].endswith(own) for own in OWN), f"{name} has no line in `document.OWN`"
    assert len(OWN) == len(found), "a line of `document.OWN` without an operation"


async def test_every_code_stands_under_its_status(http: httpx2.AsyncClient) -> None:
    """A code is listed under the status that `wire.ERRORS` gives it, and no code of the hub is listed nowhere."""
    found = operations(await document(http))

    for operation in found.values():
        for status, response in operation["responses"].items():
            if status == "200":
                continue
            listed = response["content"]["application/json"]["schema"]["allOf"][1]["properties"]["code"]["enum"]
            assert {int(status)} == {wire.ERRORS[code][0] for code in listed}
    assert set(wire.ERRORS) == set().union(*(codes(each) for each in found.values()))


async def test_bodies_refuse_what_they_do_not_know(http: httpx2.AsyncClient) -> None:
    """Every body, and what is in it, takes no further fields; no answer says so, for answers may grow."""
    found = await document(http)
    schemas = found["components"]["schemas"]
    asked = {
        media["schema"]["$ref"].rpartition("/")[2]
        for operation in operations(found).values()
        for media in operation.get("requestBody", {}).get("content", {}).values()
        if "$ref" in media["schema"]
    }

    strict = {name for name, schema in schemas.items() if schema.get("additionalProperties") is False}
    assert {name for name in schemas if issubclass(getattr(wire, name, object), wire.Request)} == strict
    assert asked <= strict


PACKETS: list[tuple[str, bytes]] = [
    (
        "a packet",
        example(
            "uai.agent.message.v1",
            now=SystemClock().now(),
            new_id=lambda kind: f"{kind}-0123456789abcdef0123456789abcdef",
        ),
    ),
    ("no packet", b"{}"),
    ("no JSON", b"{"),
    ("nothing", b""),
    ("no UTF-8", b"\xff\xfe"),
    ("a lone surrogate", b'{"a":"\\ud800"}'),
    ("a list", b"[1]"),
    ("names twice", b'{"a":1,"a":2}'),
    ("deep nesting", b"[" * 10_000),
    ("text that writes backwards", '{"uai_version":"\u202e"}'.encode()),
]


@pytest.mark.parametrize("packet", [row[1] for row in PACKETS], ids=[row[0] for row in PACKETS])
async def test_one_validator_two_doors(http: httpx2.AsyncClient, token: str, packet: bytes) -> None:
    """`POST /packets/validate` answers, byte for byte, what the command line prints for the same bytes."""
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    answer = await http.post("/api/v1/packets/validate", content=packet, headers=headers)
    command = [sys.executable, "-m", "dragoman.cli.main", "packet", "validate", "--json", "-"]
    printed = subprocess.run(command, input=packet, capture_output=True, check=False)

    assert (200, printed.stdout.rstrip(b"\n")) == (answer.status_code, answer.content)


@pytest.mark.parametrize(
    ("headers", "size", "code"),
    [
        ({"content-type": "application/json"}, 2, "token_missing"),
        ({"content-type": "application/json", "authorization": "Bearer tok_1"}, 2, "token_invalid"),
        ({"content-type": "text/plain"}, 2, "media_type_unsupported"),
        ({"content-type": "application/json"}, 600_000, "body_too_large"),
        ({"content-type": "application/json"}, 10_000_000, "body_too_large"),
    ],
)
async def test_the_validator_is_for_those_who_are_known(
    http: httpx2.AsyncClient, headers: dict[str, str], size: int, code: str
) -> None:
    """Nobody without a token has the hub read his bytes, and nobody has it read too many."""
    answer = await http.post("/api/v1/packets/validate", content=b" " * size, headers=headers)

    assert (wire.ERRORS[code][0], code) == (answer.status_code, answer.json()["code"])
