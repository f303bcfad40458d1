"""A guarded Slack client sends nothing past the gate: every call of the SDK and of Bolt, on a server that counts."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import re
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import ClientSession
from slack_bolt import App, BoltRequest, BoltResponse
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_sdk import WebClient
from slack_sdk.rtm_v2 import RTMClient
from slack_sdk.scim import SCIMClient
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.legacy_client import LegacyWebClient
from slack_sdk.webhook import WebhookClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from dragoman import Gate, Turn, load_policy, open_state
from dragoman.channels.slack.calls import READS, SENDS
from dragoman.channels.slack.fences import WALLS
from dragoman.errors import DragomanError
from tests.guard.calls import api_names, methods, outcome, plain
from tests.guard.counter import Counter, counting
from tests.guard.world import gate_at, stopped

TOKEN = "xoxb-of-this-test"
MORE: dict[str, dict[str, Any]] = {
    "admin_apps_approve": {"app_id": "A001"},
    "admin_apps_restrict": {"app_id": "A001"},
    "apps_icon_set": {"url": "https://example.org/a.png"},
    "conversations_acceptSharedInvite": {"channel_id": "C001"},
    "conversations_inviteShared": {"emails": "kim@example.org"},
    "conversations_open": {"channel": "D1"},
    "files_upload": {"content": "x"},
    "files_upload_v2": {"content": "x", "filename": "a.txt"},
    "files_remote_share": {"external_id": "1"},
    "views_update": {"view_id": "V1"},
}
"""What a method asks for that its signature does not say."""
CLIENTS: list[type] = [WebClient, AsyncWebClient, LegacyWebClient]
NO_CALL = {"validate_slack_signature", "api_call", "chat_stream"}
"""What is no call of the API by itself; `chat_stream` hands out an object whose methods are."""
READING = re.compile(
    r"[.](list|info|history|replies|lookup|members|search|get|context|conversations|identity|accessLogs|billableInfo"
    r"|integrationLogs|teamInfo|lookupByEmail|listConnectInvites|listViews|listAssignments|listChannels|listGroups"
    r"|listOriginalConnectedChannelInfo|get[A-Z]\w+|test|validate|export|all|files|messages|userInfo)$"
)
CONNECTING = {
    *("apps.connections.open", "rtm.connect", "rtm.start", "oauth.access", "oauth.v2.access", "oauth.v2.exchange"),
    *("openid.connect.token", "tooling.tokens.rotate", "migration.exchange"),
}
NOT_OF_THE_API = {
    *("ack", "ack.empty", "files.upload_url", "rtm.message", "rtm.ping", "scim.change", "scim.read"),
    *("socket_mode.ack", "socket_mode.response", "webhook"),
}
"""Names of ours for what is no method of the Web API."""


def answer(method: str, path: str, body: bytes) -> Any:
    """Enough of Slack to be read."""
    said = {"ok": True, "team_id": "T001", "user_id": "U001", "bot_id": "B001", "ts": "1.0", "channel": {"id": "C001"}}
    if path.endswith("/bots.info"):
        said["bot"] = {"id": "B001", "app_id": "A001"}
    if path.endswith("/chat.postMessage"):
        said |= {"channel": parse_qs(body.decode()).get("channel", ["C001"])[0], "ts": "1700000000.000200"}
    return said


@pytest.fixture
def server() -> Iterator[Counter]:
    """Slack's API, as far as it counts."""
    with counting(answer) as counter:
        yield counter


def made(name: str, annotation: str) -> Any:
    """Arguments of the clients' methods."""
    if name in ("file", "photo", "image") or "IOBase" in annotation:
        return __file__
    if name == "users" and "Dict" in annotation:
        return [{"slack_id": "U002"}]
    if name in ("file_uploads", "files"):
        return [{"content": "x", "filename": "a.txt"}]
    return plain(name, annotation)


@pytest.mark.parametrize("kind", CLIENTS)
def test_every_method_of_the_sdk_is_in_one_table(kind: type) -> None:
    """A method that a newer SDK adds is in neither, and turns this red; what it dropped goes from the tables."""
    called = api_names(kind, r'api_call\(\s*f?"([A-Za-z0-9_.]+)"')

    assert set() == READS & SENDS
    assert called == (READS | SENDS) - NOT_OF_THE_API, sorted(called ^ ((READS | SENDS) - NOT_OF_THE_API))
    assert len(called) > 300


def test_what_passes_sounds_like_reading() -> None:
    """No name that says a change stands among those that pass; what connects us is listed here by hand."""
    last = {call for call in READS - NOT_OF_THE_API if not READING.search(call)}

    assert CONNECTING == last
    assert {"files.getUploadURLExternal", "chat.postMessage", "conversations.open", "users.setPresence"} <= SENDS


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.anyio
async def test_every_method_is_judged(kind: type, server: Counter, tmp_path: Path) -> None:
    """Called outside a turn, each method that can be noticed is stopped; those that read arrive, and nothing else."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    client = kind(token=TOKEN, base_url=f"{server.url}/api/")
    gate.guard(client)
    became: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SDK's own, for methods that Slack retired
        for name in methods(kind):
            if name not in NO_CALL:
                became[name] = await outcome(getattr(client, name), made, **MORE.get(name, {}))
    odd = {name: said for name, said in became.items() if said not in ("stopped", "passed")}
    arrived = {path.removeprefix("/api/") for _, path in server.requests}

    assert {} == odd
    assert set() == arrived - READS
    assert len(stopped(journal)) == sum(said == "stopped" for said in became.values()) > 200
    assert {"chat_postMessage", "files_upload_v2", "reactions_add", "views_open", "conversations_open"} <= {
        name for name, said in became.items() if said == "stopped"
    }


def test_a_call_that_no_table_knows_is_stopped(server: Counter, tmp_path: Path) -> None:
    """Unknown is never a yes: a method of tomorrow, one in other letters, one behind a slash, or with a query."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    client = WebClient(token=TOKEN, base_url=f"{server.url}/api/")
    gate.guard(client)
    for method in (
        "chat.tomorrow",
        "CHAT.POSTMESSAGE",
        "auth.test/../chat.postMessage",
        "chat.postMessage?a=auth.test",
    ):
        with pytest.raises(DragomanError) as stop:
            client.api_call(method)
        assert "ungated_send" == stop.value.code

    assert [] == server.requests
    assert 4 == len(stopped(journal))


def test_the_error_names_the_call_and_says_what_to_do(server: Counter, tmp_path: Path) -> None:
    """Whoever wrote the call reads which one it was and how to say it."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    client = WebClient(token=TOKEN, base_url=f"{server.url}/api/")
    gate.guard(client)
    with pytest.raises(DragomanError) as stop:
        client.chat_postMessage(channel="C001", text="a secret")
    entry = stopped(journal)[0]

    assert "ungated_send: slack: `chat.postMessage` sends; nothing left (fix: say it with the turn" in str(stop.value)
    assert ("output", "deny", "slack.chat.postMessage") == (entry.kind, entry.outcome, entry.consumer)
    assert "a secret" not in repr(entry)


@pytest.mark.anyio
async def test_webhooks_are_stopped(server: Counter, tmp_path: Path) -> None:
    """A `response_url` names no account: while any Slack client is guarded, nobody answers by one."""
    gate, _ = gate_at(tmp_path, "slack", "T001", "C001")
    gate.guard(WebClient(token=TOKEN, base_url=f"{server.url}/api/"))
    for way in (WebhookClient(server.url).send, WebhookClient(server.url).send_dict):
        assert "stopped" == await outcome(way, plain)
    for again in (AsyncWebhookClient(server.url).send, AsyncWebhookClient(server.url).send_dict):
        assert "stopped" == await outcome(again, plain)

    assert [] == server.requests


@pytest.mark.anyio
async def test_sockets_and_people_are_stopped(server: Counter, tmp_path: Path) -> None:
    """Words in a confirmation of Socket Mode, RTM, and changes by SCIM; a bare confirmation and reading pass."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    client = WebClient(token=TOKEN, base_url=f"{server.url}/api/")
    gate.guard(client)
    socket = SocketModeClient(app_token="xapp-1", web_client=client)
    words, bare = SocketModeResponse("e1", {"text": "hi"}), SocketModeResponse("e1")
    rtm = object.__new__(RTMClient)  # one that was made starts threads
    people = SCIMClient(token=TOKEN, base_url=f"{server.url}/")
    ways = [
        lambda: socket.send_socket_mode_response(words),
        lambda: socket.send_message('{"envelope_id": "e1", "payload": {"text": "hi"}}'),
        lambda: socket.send_message("hi"),
        lambda: rtm.send({"type": "message", "text": "hi", "channel": "C001"}),
        lambda: people.delete_user("U002"),
    ]
    try:
        became = [await outcome(way, plain) for way in ways]
        confirmed = await outcome(lambda: socket.send_socket_mode_response(bare), plain)
        read = await outcome(lambda: people.read_user("U002"), plain)
    finally:
        socket.close()

    assert ["stopped"] * 5 == became
    assert 5 == len(stopped(journal))
    assert "NoneType" in confirmed  # the SDK went on, to a socket that is not connected here
    assert ("passed", [("GET", "/Users/U002")]) == (read, server.requests)


@pytest.mark.anyio
async def test_the_clients_own_session_is_watched(server: Counter, tmp_path: Path) -> None:
    """A session that the bot made for its client sends nothing to Slack by itself; to others it does."""
    gate, _ = gate_at(tmp_path, "slack", "T001", "C001")
    async with ClientSession() as session:
        client = AsyncWebClient(token=TOKEN, base_url=f"{server.url}/api/", session=session)
        gate.guard(client)
        for method in ("POST", "GET"):
            with pytest.raises(DragomanError):
                await session.request(method, f"{server.url}/api/chat.postMessage", params={"channel": "C001"})
        await client.auth_test()
        async with session.post(f"{server.url}/elsewhere"):
            pass

    assert {"/api/auth.test", "/elsewhere"} == {path for _, path in server.requests}


def test_every_client_with_the_token_is_guarded_and_no_other(server: Counter, tmp_path: Path) -> None:
    """A second client with the same token speaks as the same account; a client of another account is nobody's here."""
    gate, _ = gate_at(tmp_path, "slack", "T001", "C001")
    gate.guard(WebClient(token=TOKEN, base_url=f"{server.url}/api/"))
    for second in (WebClient(token=TOKEN), WebClient(), WebClient(token="xoxb-other")):
        second.base_url = f"{server.url}/api/"
        with pytest.raises(DragomanError):
            second.chat_postMessage(channel="C001", text="x", token=TOKEN)
    WebClient(token="xoxb-other", base_url=f"{server.url}/api/").chat_postMessage(channel="C001", text="x")

    assert [("POST", "/api/chat.postMessage")] == server.requests


def test_a_client_is_guarded_once(server: Counter, tmp_path: Path) -> None:
    """Twice is a mistake that says so; what is no client is refused, and looks guarded to nobody."""
    gate, _ = gate_at(tmp_path, "slack", "T001", "C001")
    client = WebClient(token=TOKEN)
    gate.guard(client)
    for wrong, code in ((client, "conflict"), (object(), "input_invalid"), (SCIMClient(token=TOKEN), "input_invalid")):
        with pytest.raises(DragomanError) as refused:
            gate.guard(wrong)
        assert code == refused.value.code


def test_in_shadow_it_passes_and_is_told(server: Counter, tmp_path: Path) -> None:
    """Beside a live bot nothing is blocked; the journal says what would have been."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001", mode="shadow")
    client = WebClient(token=TOKEN, base_url=f"{server.url}/api/")
    gate.guard(client)
    client.chat_postMessage(channel="C001", text="x")
    (entry,) = stopped(journal)

    assert [("POST", "/api/chat.postMessage")] == server.requests
    assert {"shadow": "deny", "shadow_reason": "ungated_send"} == entry.facts


# --- a turn ----------------------------------------------------------------------------------------------------------


def envelope(text: str, *, asks: bool = True) -> dict[str, Any]:
    """What Slack's Events API brings of a message in C001."""
    elements: list[dict[str, Any]] = [{"type": "user", "user_id": "U001"}] if asks else []
    elements.append({"type": "text", "text": f" {text}"})
    said = {
        "type": "message",
        "channel": "C001",
        "channel_type": "channel",
        "user": "U002",
        "team": "T001",
        "ts": f"{time.time():.6f}",
        "text": f"<@U001> {text}" if asks else text,
        "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}],
    }
    return {
        "type": "event_callback",
        "api_app_id": "A001",
        "team_id": "T001",
        "event_id": "Ev1",
        "event": said,
        "authorizations": [{"team_id": "T001", "user_id": "U001", "is_bot": True}],
    }


def said(server: Counter) -> list[str]:
    """What was sent to Slack."""
    return [path.removeprefix("/api/") for _, path in server.requests if path.removeprefix("/api/") not in READS]


@pytest.mark.anyio
async def test_inside_a_turn_the_answer_arrives_and_nothing_else(server: Counter, tmp_path: Path) -> None:
    """The agent's reply leaves by the door; what it does beside the turn is stopped: the client itself, tasks, threads,
    copies of its context, and all of it while the reply is on its way."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    client, plain_client = AsyncWebClient(token=TOKEN, base_url=f"{server.url}/api/"), WebClient(token=TOKEN)
    plain_client.base_url = f"{server.url}/api/"
    desk = gate.guard(client)
    became: list[str] = []

    async def beside() -> None:
        became.append(await outcome(lambda: client.chat_postMessage(channel="C001", text="beside"), plain))

    def in_a_thread() -> None:
        try:
            plain_client.chat_postMessage(channel="C001", text="thread")
        except DragomanError as error:
            became.append("stopped" if error.code == "ungated_send" else error.code)

    async def during(reply: asyncio.Task[Any]) -> None:
        while not reply.done():
            await beside()
            await asyncio.sleep(0)

    async def agent(turn: Turn) -> None:
        await beside()
        await asyncio.create_task(beside())
        await asyncio.to_thread(in_a_thread)
        copied = contextvars.copy_context()
        thread = threading.Thread(target=copied.run, args=(in_a_thread,))
        thread.start()
        await asyncio.to_thread(thread.join)
        reply = asyncio.create_task(turn.reply("the answer"))
        await during(reply)
        delivered = await reply
        assert "yes" == delivered.delivered, delivered

    admission = await gate.handle(await desk.event(envelope("hello?")), desk, agent, report=_raise)
    silent = await gate.handle(await desk.event(envelope("hello?", asks=False)), desk, agent)
    await desk.close()
    for _ in range(5):
        await asyncio.sleep(0)  # what a thread told is written down on the gate's own

    assert ("respond", "silent") == (admission.outcome, silent.outcome)
    assert ["chat.postMessage"] == said(server)
    assert {"stopped"} == set(became)
    assert len(became) == len(stopped(journal)) > 4


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.anyio
async def test_a_pass_is_for_one_call_of_one_output(server: Counter, tmp_path: Path) -> None:
    """What one output takes is let through once, in the task that carries it out; a child of that task gets nothing."""
    gate, _ = gate_at(tmp_path, "slack", "T001", "C001")
    client = AsyncWebClient(token=TOKEN, base_url=f"{server.url}/api/")
    gate.guard(client)
    wall = WALLS.any()
    assert wall is not None
    post = lambda: client.chat_postMessage(channel="C001", text="x")  # noqa: E731
    with wall.open_for(("chat.postMessage",)):
        child = await asyncio.create_task(outcome(post, plain))
        other = await outcome(lambda: client.chat_update(channel="C001", ts="1.0", text="x"), plain)
        first, second = await outcome(post, plain), await outcome(post, plain)
    after = await outcome(post, plain)

    assert ["stopped", "stopped", "passed", "stopped", "stopped"] == [child, other, first, second, after]
    assert ["chat.postMessage"] == said(server)


@pytest.mark.anyio
async def test_a_files_bytes_are_a_call_of_their_own(server: Counter, tmp_path: Path) -> None:
    """Where to put a file may be known by an odd way; the bytes are stopped all the same."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    clients = [kind(token=TOKEN, base_url=f"{server.url}/api/") for kind in CLIENTS]
    gate.guard(clients[0])
    more = {"data": b"x", "logger": logging.getLogger("t"), "timeout": 5, "proxy": None, "ssl": None}
    became = [await outcome(one._upload_file, plain, url=f"{server.url}/upload", **more) for one in clients]

    assert ["stopped"] * 3 == became
    assert ["slack.files.upload_url"] * 3 == [entry.consumer for entry in stopped(journal)]
    assert [] == server.requests


# --- Bolt ------------------------------------------------------------------------------------------------------------


def test_bolts_helpers_are_stopped(server: Counter, tmp_path: Path) -> None:
    """`say`, `respond`, `ack` with words, and the client that a listener is handed; an `ack` without words confirms."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    app = App(
        client=WebClient(token=TOKEN, base_url=f"{server.url}/api/"),
        request_verification_enabled=False,
        token_verification_enabled=False,
        process_before_response=True,
    )
    gate.guard(app.client)
    became: list[str] = []

    def tried(way: Any) -> None:
        try:
            way()
            became.append("passed")
        except DragomanError as error:
            became.append(error.code)

    @app.command("/ask")
    def listener(ack: Any, say: Any, respond: Any, client: WebClient) -> None:
        tried(lambda: say("hi"))
        tried(lambda: respond("hi"))
        tried(lambda: client.reactions_add(channel="C001", timestamp="1.0", name="x"))
        tried(lambda: ack("hi"))
        tried(lambda: ack(blocks=[{"type": "divider"}]))
        tried(ack)

    form = (
        f"command=%2Fask&team_id=T001&user_id=U002&channel_id=C001&text=x&response_url={server.url}/hook&trigger_id=1"
    )
    headers = {"content-type": ["application/x-www-form-urlencoded"]}
    response = app.dispatch(BoltRequest(body=form, headers=headers))

    assert ["ungated_send"] * 5 + ["passed"] == became
    assert (200, "") == (response.status, response.body)
    assert [] == said(server)
    assert 5 == len(stopped(journal))


def test_a_listeners_own_response_is_stopped(server: Counter, tmp_path: Path) -> None:
    """Slack shows the body of an answer: one that says something is stopped; the echo of its challenge is not."""
    gate, journal = gate_at(tmp_path, "slack", "T001", "C001")
    app = App(
        client=WebClient(token=TOKEN, base_url=f"{server.url}/api/"),
        request_verification_enabled=False,
        token_verification_enabled=False,
        process_before_response=True,
    )
    gate.guard(app)

    @app.command("/ask")
    def listener() -> BoltResponse:
        return BoltResponse(status=200, body="hi")

    with pytest.raises(DragomanError, match="ungated_send"):
        app.dispatch(BoltRequest(body={"command": "/ask", "team_id": "T001", "user_id": "U002"}, mode="socket_mode"))
    challenged = app.dispatch(BoltRequest(body='{"type": "url_verification", "challenge": "c1"}'))

    assert ["slack.ack"] == [entry.consumer for entry in stopped(journal)]
    assert (200, '{"challenge": "c1"}') == (challenged.status, challenged.body)


@pytest.mark.anyio
async def test_async_bolt_and_an_app_of_many_workspaces(server: Counter, tmp_path: Path) -> None:
    """The asynchronous app likewise; a client without a token of its own guards every client, whatever its token."""
    gate, _ = gate_at(tmp_path, "slack", "T001", "C001")
    app = AsyncApp(
        client=AsyncWebClient(base_url=f"{server.url}/api/"),
        authorize=_installed,
        request_verification_enabled=False,
        process_before_response=True,
    )
    gate.guard(app.client)
    became: list[str] = []

    @app.event("message")
    async def listener(say: Any, client: AsyncWebClient) -> None:
        became.append(await outcome(lambda: say("hi"), plain))
        became.append(await outcome(lambda: client.chat_postMessage(channel="C001", text="x"), plain))

    await app.async_dispatch(AsyncBoltRequest(body=envelope("hi", asks=False), mode="socket_mode"))

    assert ["stopped", "stopped"] == became
    assert [] == said(server)


async def _installed(**_: Any) -> Any:
    from slack_bolt.authorization import AuthorizeResult

    return AuthorizeResult(
        enterprise_id=None, team_id="T001", bot_token="xoxb-of-a-workspace", bot_id="B9", bot_user_id="U9"
    )


# --- the journal -----------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_thread_is_written_down_on_the_gates_own(server: Counter, tmp_path: Path) -> None:
    """A ledger belongs to one thread; a call on another is stopped there, and its record made on the gate's."""
    gate_at(tmp_path, "slack", "T001", "C001")
    with open_state(tmp_path / "state") as state:
        gate = Gate(policy=load_policy(tmp_path / "enforce.toml"), **state)
        client = WebClient(token=TOKEN, base_url=f"{server.url}/api/")
        gate.guard(client)
        with pytest.raises(DragomanError, match="ungated_send"):
            await asyncio.to_thread(client.chat_postMessage, channel="C001", text="x")
        await asyncio.sleep(0)
        records = [(record.outcome, record.reason, record.consumer) for record in state.journal.every()]

    assert [("deny", "ungated_send", "slack.chat.postMessage")] == records
    assert [] == server.requests


class Full:
    """A journal that takes nothing more."""

    def record(self, entry: object) -> None:
        """Refuse it."""
        raise OSError("no space left")


def test_what_cannot_be_written_down_is_stopped_all_the_same(server: Counter, tmp_path: Path) -> None:
    """The record is lost, the call is not let out; in shadow mode it is, for shadow blocks nothing."""
    for mode, arrived in (("enforce", 0), ("shadow", 1)):
        gate_at(tmp_path, "slack", "T001", "C001", mode=mode)
        client = WebClient(token=f"{TOKEN}-{mode}", base_url=f"{server.url}/api/")
        Gate(policy=load_policy(tmp_path / f"{mode}.toml"), journal=Full()).guard(client)
        with contextlib.suppress(DragomanError):
            client.chat_postMessage(channel="C001", text="x")

        assert arrived == len(server.requests)
