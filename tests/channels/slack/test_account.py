"""The two ways in: signed requests, on a Slack by others and by hand; Socket Mode, on a server of our own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import msgspec
import pytest
from slack_sdk.signature import SignatureVerifier

from dragoman.channels.account import Batch, Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.slack.account import SlackAccount
from dragoman.channels.slack.outgoing import metadata
from dragoman.channels.slack.section import SlackSection
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output
from dragoman.identity import Target, party
from dragoman.words import Fact
from tests.channels.slack.server import APP, CRIER, DESK, SECRET, TEAM, TOKEN, Slack
from tests.channels.slack.socket_server import APP_TOKEN, SocketServer
from tests.channels.slack.world import SlackWorld
from tests.platforms.world import Saying

pytestmark = pytest.mark.anyio


def place(folder: Path, reported: list[DragomanError] | None = None) -> Place:
    """A place in a folder of its own, with the secrets of all sorts in it."""
    clock = SystemClock()
    for name, secret in (("bot", TOKEN), ("secret", SECRET), ("app", APP_TOKEN)):
        (folder / name).touch(0o600)
        (folder / name).write_text(secret)
    return Place(
        clock=clock,
        at=folder.joinpath,
        spool=lambda name: Spool(folder / "inbox.db", clock),
        inlet=Inlet("127.0.0.1", 0, clock, lambda failed: None),
        report=(reported if reported is not None else []).append,
    )


def section(url: str, **more: str) -> SlackSection:
    """Our account at a server."""
    return SlackSection(team_id=TEAM, app_id=APP, bot_token_file="bot", api_url=url, **more)


def envelope(text: str, ts: str = "", **more: Any) -> dict[str, Any]:
    """One message of a channel, as the Events API sends it."""
    stamp = ts or f"{time.time():.6f}"
    event = {"type": "message", "channel": "C0SHELVES1", "user": "U0BUYERAA1", "text": text, "ts": stamp, **more}
    about = {"team_id": TEAM, "api_app_id": APP, "type": "event_callback", "event_id": f"Ev{stamp}"}
    return {**about, "event": {"channel_type": "channel", "event_ts": stamp, **event}, "is_ext_shared_channel": False}


class Door:
    """An account that reads, and its door for requests."""

    def __init__(self, given: Place, account: SlackAccount) -> None:
        self.given, self.account = given, account
        self.events: list[Event] = []
        self.position = ""

    async def read(self) -> None:
        """Read on, until it is cancelled."""
        async for batch in self.account.events(None):
            self._took(batch)

    def _took(self, batch: Batch) -> None:
        self.position = batch.position
        self.events += [self.account.event(one.raw, one.received_at) for one in batch.arrivals]

    async def post(self, body: bytes, headers: dict[str, str] | None = None, **more: str) -> tuple[int, str]:
        """One request, with Slack's signature unless other headers are given."""
        stamp = str(int(time.time()))
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=body)
        signed = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature or ""}
        url = f"http://127.0.0.1:{self.given.inlet.port}/slack/events"
        kind = {"content-type": "application/json"} | more
        sent = (signed if headers is None else headers) | kind
        async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=sent) as got:
            return got.status, await got.text()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait."""
        async with asyncio.timeout(45):
            while not true():
                await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def door(folder: Path, url: str, reported: list[DragomanError] | None = None) -> AsyncIterator[Door]:
    """An account that listens for requests."""
    given = place(folder, reported)
    account = SlackAccount(section(url, signing_secret_file="secret"), given, timeout=2.0, pace=0.0)
    await account.open()
    opened = Door(given, account)
    reading = asyncio.ensure_future(opened.read())
    try:
        await opened.until(lambda: given.inlet.port != 0)
        yield opened
    finally:
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        await given.inlet.close()
        await account.close()


async def test_only_what_slack_signed_comes_in(tmp_path: Path) -> None:
    """A challenge is echoed and an event is kept under a signature; without one nothing is read, not even the form."""
    async with SocketServer() as server, door(tmp_path, server.url) as desk:
        challenge = json.dumps({"type": "url_verification", "challenge": "3eZbrw1aB10FEMAGAZd4FyFQ"}).encode()
        assert (200, "3eZbrw1aB10FEMAGAZd4FyFQ") == await desk.post(challenge)
        assert (401, "") == await desk.post(challenge, headers={})
        old = str(int(time.time()) - 301)
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=old, body=challenge)
        stale = {"X-Slack-Request-Timestamp": old, "X-Slack-Signature": signature or ""}
        assert (401, "") == await desk.post(challenge, headers=stale)
        said = json.dumps(envelope("hello")).encode()
        assert (401, "") == await desk.post(said, headers={})
        assert (200, "") == await desk.post(said)
        for odd in (b"", b"[]", b"{", b"[" * 100_000, b'{"type": "url_verification", "challenge": 5}'):
            assert (400, "") == await desk.post(odd)
        await desk.until(lambda: len(desk.events) == 1)
        assert ("hello", Fact.YES) == (desk.events[0].text, desk.events[0].authenticated)


async def test_retries_and_twins_are_copies(tmp_path: Path) -> None:
    """A retry, its twin under another event id, and a second app's copy: the same key but for the last."""
    async with SocketServer() as server, door(tmp_path, server.url) as desk:
        first = envelope("hello", "1790000000.000100")
        retry = {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}
        twin = msgspec.json.decode(msgspec.json.encode(first)) | {"event_id": "Ev0OTHER001"}
        twin["event"]["type"] = "app_mention"
        for body, headers in ((first, {}), (first, retry), (twin, {})):
            assert (200, "") == await desk.post(json.dumps(body).encode(), **headers)
        await desk.until(lambda: len(desk.events) == 3)
        assert 1 == len({event.dedupe_key for event in desk.events})


async def test_a_form_and_what_is_no_message(tmp_path: Path) -> None:
    """A slash command is one event; reactions, forms of other kinds and rate notices are taken and kept out."""
    async with SocketServer() as server, door(tmp_path, server.url) as desk:
        form = {"command": "/dates", "text": "October", "team_id": TEAM, "channel_id": "C0SHELVES1", "api_app_id": APP}
        form |= {"user_id": "U0BUYERAA1", "trigger_id": "1.2.abc", "response_url": "https://hooks.example/1"}
        kind = {"content-type": "application/x-www-form-urlencoded"}
        assert (200, "") == await desk.post(urlencode(form).encode(), **kind)
        assert (200, "") == await desk.post(urlencode({"payload": "{}"}).encode(), **kind)
        assert (200, "") == await desk.post(b'{"type": "app_rate_limited", "minute_rate_limited": 1518467820}')
        assert (200, "") == await desk.post(json.dumps(envelope("x", type="reaction_added")).encode())
        assert (200, "") == await desk.post(json.dumps(envelope("last")).encode())
        await desk.until(lambda: len(desk.events) == 2)
        command, last = desk.events
        assert ("/dates October", "dates", Fact.YES) == (
            command.text,
            command.command.name if command.command else "",
            command.command.directed if command.command else "",
        )
        assert "last" == last.text


async def test_a_token_that_was_taken_back_is_told(tmp_path: Path) -> None:
    """The app was removed, or its token revoked: no message, and the owner is told."""
    reported: list[DragomanError] = []
    async with SocketServer() as server, door(tmp_path, server.url, reported) as desk:
        for kind in ("app_uninstalled", "tokens_revoked"):
            body = {**envelope("x"), "event": {"type": kind}}
            assert (200, "") == await desk.post(json.dumps(body).encode())
        assert ["channel_refused"] * 2 == [each.code for each in reported]


async def test_a_look_up_that_hangs_leaves_unknown(tmp_path: Path) -> None:
    """Slack got its 200 at once; the event comes after a while, and nothing that was not told is known of it."""
    async with SocketServer() as server, door(tmp_path, server.url) as desk:
        server.hanging = frozenset({"users.info"})
        assert (200, "") == await desk.post(json.dumps(envelope(f"<@{DESK}> hello")).encode())
        assert [] == desk.events
        await desk.until(lambda: len(desk.events) == 1)
        assert (Fact.YES, Fact.UNKNOWN) == (desk.events[0].mentions_agent, desk.events[0].shared)


async def test_what_was_kept_outlives_us(tmp_path: Path) -> None:
    """What was answered with 200 is there for the next process, even when nobody read it; it reads on after it."""
    async with SocketServer() as server:
        async with door(tmp_path, server.url) as desk:
            await desk.post(json.dumps(envelope("one")).encode())
            await desk.until(lambda: len(desk.events) == 1)
            position = desk.position
        given = place(tmp_path)
        account = SlackAccount(section(server.url, signing_secret_file="secret"), given)
        await account.open()
        await given.spool("").put(msgspec.json.encode({"envelope": envelope("two"), "lookup": None}))
        stream = account.events(position)
        (arrival,) = (await anext(stream)).arrivals
        assert "two" == account.event(arrival.raw, 0).text
        async with asyncio.timeout(5):
            while not given.inlet.port:
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        await stream.aclose()  # type: ignore[attr-defined]
        await given.inlet.close()
        await account.close()


# --- what an answer proves, on a server of our own -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "answer", "headers", "delivered", "wait"),
    [
        (200, {"ok": True, "ts": "1790000000.000100"}, {}, "yes", None),
        (200, {"ok": True}, {}, "unknown", None),
        (200, {"ok": True, "ts": 5}, {}, "unknown", None),
        (200, {"ok": False, "error": "channel_not_found"}, {}, "no", None),
        (200, {"ok": False, "error": "internal_error"}, {}, "unknown", None),
        (200, {"ok": False, "error": "fatal_error"}, {}, "unknown", None),
        (200, {"ok": False, "error": "ratelimited"}, {"Retry-After": "7"}, "no", 7_000),
        (429, {"ok": False, "error": "ratelimited"}, {"Retry-After": "7"}, "no", 7_000),
        (429, {}, {"Retry-After": "soon"}, "no", 5_000),
        (429, {}, {"Retry-After": "999999"}, "no", 3_600_000),
        (403, {"ok": False}, {}, "no", None),
        (408, {"ok": False}, {}, "unknown", None),
        (500, {"ok": True, "ts": "1790000000.000100"}, {}, "unknown", None),
        (503, {}, {}, "unknown", None),
    ],
)
async def test_what_an_answer_proves(
    tmp_path: Path, status: int, answer: dict[str, Any], headers: dict[str, str], delivered: str, wait: int | None
) -> None:
    """YES with Slack's own id, NO when it refused or said later, else unknown; it is asked once, whatever it says."""
    async with SocketServer() as server:
        account = SlackAccount(section(server.url, signing_secret_file="secret"), place(tmp_path), timeout=2.0)
        await account.open()
        server.answers, server.headers, server.status = {"chat.postMessage": answer}, headers, status
        before = SystemClock().now()
        target = Target("slack", TEAM, "C0SHELVES1")
        receipt = await account.perform(Output(operation=Operation.SEND, target=target, key="k", text="<!here> & *x*"))
        await account.close()

    assert delivered == receipt.delivered
    assert (wait is None) == (receipt.retry_at is None)
    assert receipt.retry_at is None or 0 <= receipt.retry_at - before - (wait or 0) < 2_000
    assert ["auth.test", "chat.postMessage"] == [method for method, _ in server.calls]
    (said,) = server.bodies
    off = {"mrkdwn": False, "unfurl_links": False, "unfurl_media": False, "link_names": False, "parse": "none"}
    assert off == {name: said[name] for name in off}
    assert "&lt;!here&gt; &amp; *x*" == said["text"]
    assert {"type": "text", "text": "<!here> & *x*"} == said["blocks"][0]["elements"][0]["elements"][0]
    assert "k" not in said["metadata"]["event_payload"].values()


# --- a Slack by others -----------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def reading(slack: Slack, folder: Path, *, old: bool = False) -> AsyncIterator[tuple[SlackWorld, list[Event]]]:
    """The world of the story, and the events that came."""
    world = SlackWorld(slack, folder, old=old)
    await world.account.open()
    world.listen()
    events: list[Event] = []

    async def read() -> None:
        async for batch in world.account.events(None):
            events.extend(world.account.event(one.raw, one.received_at) for one in batch.arrivals)

    task = asyncio.ensure_future(read())
    await asyncio.sleep(0.2)
    try:
        yield world, events
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await world.close()


async def until(true: Callable[[], bool]) -> None:
    """Wait."""
    async with asyncio.timeout(45):
        while not true():
            await asyncio.sleep(0.02)


async def settled(slack: Slack) -> list[str]:
    """The requests that the server has counted, once no more come."""
    found: list[str] = []
    while found != slack.requests() or not found:
        found = list(slack.requests())
        await asyncio.sleep(0.15)
    return found


@pytest.mark.platforms
@pytest.mark.parametrize("old", [False, True], ids=["blocks", "text"])
async def test_what_a_silent_message_costs(slack: Slack, tmp_path: Path, old: bool) -> None:
    """Chatter costs what tells a group from a one-to-one, once; a request is looked up; neither writes anything."""
    async with reading(slack, tmp_path, old=old) as (world, events):
        before, written = len(await settled(slack)), await world.written()
        for text in ("did you see the game?", "which one?"):
            await world.say(Saying(text=text))
        await until(lambda: len(events) == 2)
        assert ["conversations.info"] == (await settled(slack))[before:]
        await world.say(Saying(text="where is list B?", mentions=True))
        await until(lambda: len(events) == 3)
        assert ["conversations.info", "users.info"] == (await settled(slack))[before:]
        assert ["no", "no", "yes"] == [event.mentions_agent for event in events]
        assert ["unknown", "unknown", "no"] == [event.shared for event in events]
        assert written == await world.written()


@pytest.mark.platforms
async def test_presence_of_places(slack: Slack, tmp_path: Path) -> None:
    """Who is there, and whether outsiders are, is known of every place; who comes in changes it at once."""
    async with reading(slack, tmp_path) as (world, _):
        inside = await world.account.presence(world.target("inside"))
        assert (Fact.NO, {slack.users["oper"]}) == (inside.shared, {each.id for each in inside.parties or ()})
        shared = await world.account.presence(world.target("shared"))
        assert Fact.YES is shared.shared
        group = await world.account.presence(world.target("group"))
        everybody = {slack.users["buyer"], slack.users["jordan"], slack.users["oper"], CRIER}
        assert (Fact.NO, everybody) == (group.shared, {each.id for each in group.parties or ()})
        assert Fact.NO is (await world.account.presence(world.target("direct"))).shared
        inside_id, guest = world.target("inside").channel, slack.users["guest"]
        await asyncio.to_thread(slack.call, "xoxp-oper", "conversations.invite", channel=inside_id, users=guest)
        await asyncio.sleep(0.1)
        assert Fact.YES is (await world.account.presence(world.target("inside"))).shared
        nowhere = await world.account.presence(Target("slack", TEAM, "C0NOWHERE1"))
        assert (Fact.UNKNOWN, None) == (nowhere.shared, nowhere.parties)


@pytest.mark.platforms
async def test_a_lost_answer_is_read_back(slack: Slack, tmp_path: Path) -> None:
    """The answer is lost: unknown. Looked up, it is there by its key, in a thread too; another key proves nothing."""
    async with reading(slack, tmp_path) as (world, _):
        asked = await world.say(Saying(text="where?", mentions=True))
        now = SystemClock().now()
        for key, thread in (("key-1", None), ("key-2", asked)):
            await world.lose_answer()
            output = Output(operation=Operation.SEND, target=world.target("group"), key=key, text="here", thread=thread)
            assert Fact.UNKNOWN is (await world.account.perform(output)).delivered
            proof = await world.account.look_up(world.target("group"), key, now)
            assert (Fact.YES, True) == (proof.there, proof.evidence > asked)
        forged = metadata("key-3")
        await asyncio.to_thread(
            slack.call,
            "xoxp-buyer",
            "chat.postMessage",
            channel=world.target("group").channel,
            text="x",
            metadata=forged,
        )
        absent = await world.account.look_up(world.target("group"), "key-3", now)
        assert (Fact.UNKNOWN, True) == (absent.there, absent.gone)


@pytest.mark.platforms
async def test_what_is_for_one_goes_to_one(slack: Slack, tmp_path: Path) -> None:
    """A private message to somebody who is not there is a no, and nothing is shown to anybody."""
    async with reading(slack, tmp_path) as (world, _):
        output = Output(
            operation=Operation.PRIVATE,
            target=world.target("inside"),
            key="k",
            text="for one",
            only_for=party("slack", TEAM, slack.users["buyer"]),
        )
        receipt = await world.account.perform(output)
        assert (Fact.NO, []) == (receipt.delivered, await world.shown("inside"))
        assert receipt.detail == "200 user_not_in_channel"


@pytest.mark.platforms
async def test_messages_of_one_place_are_paced(slack: Slack, tmp_path: Path) -> None:
    """After a few at once, one after the other with the pause between them, in the order in which they were said."""
    async with contextlib.AsyncExitStack() as stack:
        world = SlackWorld(slack, tmp_path, pace=0.2)
        stack.push_async_callback(world.close)
        await world.account.open()
        texts = [f"number {number}" for number in range(8)]
        outputs = [Output(operation=Operation.SEND, target=world.target("group"), key=t, text=t) for t in texts]
        began = time.monotonic()
        await asyncio.gather(*(world.account.perform(output) for output in outputs))
        took = time.monotonic() - began
        assert texts == await world.shown("group")
        assert 0.55 < took


@pytest.mark.platforms
@pytest.mark.parametrize(
    ("token", "more", "code"),
    [
        ("xoxb-nobody", {}, "channel_refused"),
        ("xoxp-buyer", {}, "channel_refused"),
        ("xoxb-crier", {}, "channel_refused"),
        (TOKEN, {"team_id": "T0OTHERORG"}, "channel_refused"),
        (TOKEN, {"api_url": "http://127.0.0.1:9/api/"}, "channel_unreachable"),
        (TOKEN, {"api_url": "http://slack.example.org/api/"}, "config_invalid"),
    ],
)
async def test_whose_credentials(slack: Slack, tmp_path: Path, token: str, more: dict[str, Any], code: str) -> None:
    """Nobody's token, a person's, another app's, another workspace's: refused at the start; no token in the clear."""
    given = place(tmp_path)
    (tmp_path / "bot").write_text(token)
    configured = msgspec.structs.replace(section(f"{slack.url}/api/", signing_secret_file="secret"), **more)

    async def opened() -> None:
        async with contextlib.AsyncExitStack() as stack:
            account = SlackAccount(configured, given, timeout=2.0)
            stack.push_async_callback(account.close)
            await account.open()

    with pytest.raises(DragomanError) as failed:
        await opened()
    assert code == failed.value.code


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"signing_secret_file": "secret", "app_token_file": "app"},
        {"signing_secret_file": "secret", "team_id": "acme"},
    ],
)
def test_a_section_is_strict(more: dict[str, str]) -> None:
    """One way in, exactly; ids are ids."""
    whole = {"team_id": TEAM, "app_id": APP, "bot_token_file": "bot"} | more
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(whole, SlackSection)


@pytest.mark.parametrize("secret", ["", " \n"])
def test_an_empty_secret_does_not_start(tmp_path: Path, secret: str) -> None:
    """A file without a signing secret is refused when the account is made."""
    given = place(tmp_path)
    (tmp_path / "secret").write_text(secret)
    with pytest.raises(DragomanError) as failed:
        SlackAccount(section("https://slack.com/api/", signing_secret_file="secret"), given)
    assert "config_invalid" == failed.value.code


# --- Socket Mode, on a server of our own -----------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def linked(
    folder: Path, server: SocketServer, reported: list[DragomanError] | None = None
) -> AsyncIterator[Door]:
    """An account that reads by Socket Mode."""
    given = place(folder, reported)
    account = SlackAccount(section(server.url, app_token_file="app"), given, timeout=2.0)
    await account.open()
    opened = Door(given, account)
    task = asyncio.ensure_future(opened.read())
    try:
        yield opened
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await account.close()


async def test_an_envelope_is_acknowledged_when_it_is_kept(tmp_path: Path) -> None:
    """Every envelope is acknowledged once, without words; messages are kept in their order, and nothing else is."""
    async with SocketServer() as server, linked(tmp_path, server) as desk:
        await server.connected()
        sent = [await server.send(envelope(f"number {number}")) for number in range(5)]
        sent.append(await server.send(envelope("x", type="reaction_added")))
        sent.append(await server.send({"command": "/dates", "trigger_id": "1"}, "slash_commands"))
        await desk.until(lambda: len(server.acknowledged) == 7 and len(desk.events) == 6)
        assert [f"number {number}" for number in range(5)] == [event.text for event in desk.events[:5]]
        assert sorted(sent) == sorted(each["envelope_id"] for each in server.acknowledged)
        assert all(set(each) == {"envelope_id"} for each in server.acknowledged)
        assert 0 == desk.given.inlet.port
        assert ("apps.connections.open", APP_TOKEN) in server.calls
        assert ("auth.test", TOKEN) in server.calls


async def test_what_could_not_be_kept_is_not_acknowledged(tmp_path: Path) -> None:
    """The inbox is full or broken: Slack is told nothing, and offers it again; the owner is told."""
    reported: list[DragomanError] = []
    async with SocketServer() as server, linked(tmp_path, server, reported) as desk:
        await server.connected()
        first = await server.send(envelope("kept"))
        await desk.until(lambda: len(desk.events) == 1 and len(server.acknowledged) == 1)
        await asyncio.sleep(0.1)
        with contextlib.closing(sqlite3.connect(tmp_path / "inbox.db", isolation_level=None)) as file:
            file.execute("DROP TABLE arrivals")
        await server.send(envelope("lost?"))
        await asyncio.sleep(0.3)
        assert ["inbox_broken"] == [each.code for each in reported]
        assert [first] == [each["envelope_id"] for each in server.acknowledged]


async def test_a_link_that_ends_is_followed_by_another(tmp_path: Path) -> None:
    """Asked to go, or cut: another connection with another address, and what comes by it is read."""
    async with SocketServer() as server, linked(tmp_path, server) as desk:
        await server.connected()
        await server.ask_to_go()
        await server.connected(2)
        await asyncio.sleep(0.1)
        await server.send(envelope("by the second"))
        await desk.until(lambda: [event.text for event in desk.events] == ["by the second"])
        await server.cut()
        await server.connected(3)
        await asyncio.sleep(0.1)
        await server.send(envelope("by the third"))
        await desk.until(lambda: len(desk.events) == 2)
        assert len(set(server.opened)) == len(server.opened)
        assert EventKind.MESSAGE is desk.events[1].kind


@pytest.mark.parametrize("refusal", ["invalid_auth", "missing_scope"])
async def test_a_token_that_is_refused_ends_it(tmp_path: Path, refusal: str) -> None:
    """No waiting mends that."""
    async with SocketServer() as server:
        server.refuse = refusal
        account = SlackAccount(section(server.url, app_token_file="app"), place(tmp_path), timeout=2.0)
        await account.open()
        with pytest.raises(DragomanError) as failed:
            async with asyncio.timeout(5):
                await anext(account.events(None))
        assert "channel_refused" == failed.value.code
        await account.close()


async def test_an_outage_is_waited_out(tmp_path: Path) -> None:
    """A server that answers with errors, or with an address in the clear, is told once and asked again."""
    reported: list[DragomanError] = []
    async with SocketServer() as server:
        server.refuse = "internal_error"
        account = SlackAccount(section(server.url, app_token_file="app"), place(tmp_path, reported), timeout=2.0)
        await account.open()
        coming = asyncio.ensure_future(anext(account.events(None)))
        await asyncio.sleep(0.3)
        server.refuse, server.insecure = "", True
        await asyncio.sleep(1.2)
        assert (["channel_unreachable"], []) == ([each.code for each in reported], server.opened)
        server.insecure = False
        await server.connected()
        await server.send(envelope("at last"))
        assert "at last" == account.event((await coming).arrivals[0].raw, 0).text
        await account.close()
