"""The hot routes answer as the framework would, to the byte: one table of requests, put to both."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dragoman import wire
from dragoman.hub.api import ROOM_BYTES, HubApp, make_app
from tests.hub.world import World

pytestmark = pytest.mark.anyio
JSON = "application/json"
BIG = wire.Limits().body_bytes
SEND, LEASES, ACK = "/api/v1/contacts/{contact}/messages", "/api/v1/leases", "/api/v1/leases/ack"
UNDER_A_LEASE = '{"generation":1,"lease_token":"{lease}","message_ids":["{message}"]}'
UNDER_NO_LEASE = UNDER_A_LEASE.replace("{lease}", f"lse_{0:032x}").replace("{message}", f"msg_{0:032x}")


class Ask(NamedTuple):
    """One request of the table; `{b}` and such in path and body are filled in by the world."""

    name: str
    path: str
    body: str | bytes
    who: str = "a"
    kind: str | None = JSON
    method: str = "POST"
    pieces: int = 1
    announced: int | None = None
    authorization: str | None = None


def say(reply_id: str, text: str = "hello", **more: Any) -> str:
    """The body of a send."""
    return json.dumps({"reply_id": reply_id, "generation": 1, "text": text, **more})


TABLE = [
    Ask("a message", SEND, say("reply_001")),
    Ask("the same again", SEND, say("reply_001")),
    Ask("another under the same id", SEND, say("reply_001", "other")),
    Ask("one with a packet", SEND, say("reply_002", packet='{"a":1}', complete=True)),
    Ask("one in pieces", SEND, say("reply_003"), pieces=5),
    Ask("a media type with parameters", SEND, say("reply_004"), kind="Application/JSON; charset=utf-8"),
    Ask("no media type", SEND, say("reply_005"), kind=None),
    Ask("another media type", SEND, say("reply_005"), kind="text/plain"),
    Ask("no body", SEND, ""),
    Ask("no JSON", SEND, "{"),
    Ask("no UTF-8", SEND, b'{"reply_id":"\xff"}'),
    Ask("deep nesting", SEND, "[" * 100_000),
    Ask("an unknown field", SEND, say("reply_006", more=1)),
    Ask("a number as text", SEND, say("reply_006").replace(": 1", ': "1"')),
    Ask("text that is empty", SEND, say("reply_007", " ")),
    Ask("text with a zero", SEND, say("reply_007", "a\x00b")),
    Ask("text beyond the limit", SEND, say("reply_007", "x" * 20_000)),
    Ask("a packet that is no object", SEND, say("reply_007", packet="[]")),
    Ask("a body at the limit", SEND, say("reply_008").ljust(BIG)),
    Ask("a body beyond the limit", SEND, say("reply_009").ljust(BIG + 1)),
    Ask("the same in pieces, not announced", SEND, say("reply_009").ljust(BIG + 1), pieces=9, announced=-1),
    Ask("a length that is announced and does not come", SEND, say("reply_010"), announced=BIG + 1),
    Ask("an older generation", SEND, say("reply_011").replace(": 1,", ": 7,")),
    Ask("nobody", SEND, say("reply_012"), who=""),
    Ask("a scheme in capitals", SEND, say("reply_013"), authorization="BEARER {a}"),
    Ask("another scheme", SEND, say("reply_014"), authorization="Basic {a}"),
    Ask("a token that was changed", SEND, say("reply_014"), authorization="Bearer {a}0"),
    Ask("an endless token", SEND, say("reply_014"), authorization="Bearer " + "x" * 5_000),
    Ask("a token of no ASCII", SEND, say("reply_014"), authorization="Bearer tök"),
    Ask("an instance that may only read", SEND, say("reply_014"), who="a2"),
    Ask("a contact of nobody", f"/api/v1/contacts/con_{0:032x}/messages", say("reply_015")),
    Ask("an id that is none", "/api/v1/contacts/con_1/messages", say("reply_015")),
    Ask("an id in capitals", f"/api/v1/contacts/con_{'A' * 32}/messages", say("reply_015")),
    Ask("an address that ends in a line", SEND + "\n", say("reply_015")),
    Ask("an address that ends in a stroke", SEND + "/", say("reply_015")),
    Ask("another method", SEND, "", method="GET"),
    Ask("a method that is not taken", SEND, "{}", method="DELETE"),
    Ask("nothing for oneself", LEASES, '{"generation":1}'),
    Ask("a poll that waits for nothing", LEASES, '{"generation":1,"wait_ms":30}'),
    Ask("a poll of too many", LEASES, '{"generation":1,"limit":1000}', who="b"),
    Ask("a poll with a truth for a number", LEASES, '{"generation":1,"wait_ms":true}', who="b"),
    Ask("a poll beyond the limit of a room", LEASES, '{"generation":1}'.ljust(ROOM_BYTES + 1), who="b"),
    Ask("a poll of nobody", LEASES, '{"generation":1}', who=""),
    Ask("a poll of an instance that may only read", LEASES, '{"generation":1}', who="a2"),
    Ask("a poll", LEASES, '{"generation":1,"limit":2}', who="b"),
    Ask("a poll for the rest", LEASES, '{"generation":1,"wait_ms":5000}', who="b"),
    Ask("leases by another method", LEASES, "", method="GET"),
    Ask("an ack of nothing", ACK, UNDER_A_LEASE.replace('["{message}"]', "[]"), who="b"),
    Ask("an ack by somebody else", ACK, UNDER_A_LEASE),
    Ask("an ack", ACK, UNDER_A_LEASE, who="b"),
    Ask("the same ack", ACK, UNDER_A_LEASE, who="b"),
    Ask("an ack under no lease", ACK, UNDER_NO_LEASE),
    Ask("an ack beyond the limit of a room", ACK, "{}".ljust(ROOM_BYTES + 1), who="b"),
]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]


async def answers(world: World, app: HubApp) -> list[tuple[str, Answer]]:
    """Put the whole table to an application, in order."""
    tokens = {"a": world.a1.token, "a2": world.a2.token, "b": world.b.token}
    known = {"contact": world.contact_id, "lease": "", "message": "", **tokens}
    found = []
    for ask in TABLE:
        answer = await asked(app, ask, known)
        found.append((ask.name, answer))
        if ask.name == "a poll":
            leased = json.loads(answer[2])
            known["lease"] = leased["lease"]["lease_token"]
            known["message"] = leased["messages"][0]["message_id"]
    return found


async def asked(app: HubApp, ask: Ask, known: dict[str, str]) -> Answer:
    """One request, as a server hands it to an application."""

    def filled(text: str) -> str:
        for name, value in known.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    body = filled(ask.body).encode() if isinstance(ask.body, str) else ask.body
    headers = [(b"host", b"x")]
    if ask.announced != -1:
        headers.append((b"content-length", str(ask.announced or len(body)).encode()))
    if ask.kind is not None:
        headers.append((b"content-type", ask.kind.encode()))
    authorization = ask.authorization or ("Bearer {" + ask.who + "}" if ask.who else "")
    if authorization:
        headers.append((b"authorization", filled(authorization).encode("latin-1")))
    step = max(1, -(-len(body) // ask.pieces))
    pieces = [body[at : at + step] for at in range(0, len(body), step)] or [b""]
    events = [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces) - 1}
        for number, piece in enumerate(pieces)
    ]
    return await put(app, ask.method, filled(ask.path), headers, events)


async def put(app: HubApp, method: str, path: str, headers: list[tuple[bytes, bytes]], events: list[Any]) -> Answer:
    """The events of one request to the application; its answer."""
    sent: list[Any] = []

    async def receive() -> Any:
        if not events:
            await asyncio.sleep(60)
        return events.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    await app(scope, receive, send)
    if not sent:
        return 0, [], b""
    body = b"".join(each.get("body", b"") for each in sent[1:])
    return sent[0]["status"], [(bytes(name), bytes(value)) for name, value in sent[0]["headers"]], body


async def test_the_hot_routes_answer_as_the_framework_does(tmp_path: Path) -> None:
    """Status, headers and body of every request of the table are the same with and without the hot routes."""
    found = []
    for hot in (True, False):
        world = World.on_sqlite(tmp_path / str(hot))
        await world.furnish()
        found.append(await answers(world, make_app(world.hub, hot=hot)))
        await world.store.close()

    for one, other in zip(*found, strict=True):
        assert other == one
    assert {200, 400, 401, 403, 404, 405, 409, 413, 415} <= {answer[0] for _, answer in found[0]}


async def test_a_fault_of_a_verb_says_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever breaks below a hot route is `internal` outside and its cause in the log, as with the framework."""
    found = []
    for hot in (True, False):
        world = World.on_sqlite(tmp_path / str(hot))
        await world.furnish()
        app = make_app(world.hub, hot=hot)
        del world.hub.leases
        found.append(await asked(app, Ask("a poll", LEASES, '{"generation":1}'), {"a": world.a1.token}))
        await world.store.close()

    assert found[1] == found[0]
    assert (500, "internal") == (found[0][0], json.loads(found[0][2])["code"])
    assert ["AttributeError"] * 2 == [each.exc_info[0].__name__ for each in caplog.records if each.exc_info]


async def test_a_caller_that_has_gone_is_not_answered(tmp_path: Path) -> None:
    """Half a body and no caller: nothing is done and nothing is said."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    events = [{"type": "http.request", "body": b'{"gen', "more_body": True}, {"type": "http.disconnect"}]
    answer = await put(make_app(world.hub), "POST", LEASES, [(b"content-type", b"application/json")], events)
    await world.store.close()

    assert (0, [], b"") == answer
