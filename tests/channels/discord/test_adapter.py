"""The Discord account on simcord's model over sockets: what is heard and kept, what leaves, what is claimed of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from nacl.signing import SigningKey

from dragoman.channels.account import Account, Proof
from dragoman.channels.discord.adapter import DiscordAccount
from dragoman.channels.discord.connection import checked, wait_of
from dragoman.channels.discord.outgoing import NONCE_KEPT, id_at, nonce
from dragoman.clock import SECOND, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.gate.operations import Operation
from dragoman.gate.parts import File, Parts
from dragoman.gate.ports import Output, Presence
from dragoman.identity import Party, Target
from dragoman.words import Fact
from tests.channels.discord.server import Server
from tests.channels.discord.test_verify import KEY, signed
from tests.channels.discord.world import PRIVATE_THREAD, PUBLIC_THREAD, Scene

pytestmark = pytest.mark.anyio
NOTE: Final = File(
    name="list.txt", content=b"Regal 4: Kisten\n", media_type="text/plain", caption="The list.", alt="A list"
)
NOW: Final = SystemClock().now


class Desk:
    """A scene, our account in it, and the events that came so far."""

    def __init__(self, scene: Scene, account: DiscordAccount) -> None:
        self.scene, self.account = scene, account
        self.events: list[Event] = []
        self.position: str | None = None

    async def listen(self, since: str | None = None) -> None:
        """Read, until cancelled."""
        async for batch in self.account.events(since):
            self.position = batch.position
            self.events += [self.account.event(arrival.raw, arrival.received_at) for arrival in batch.arrivals]

    async def until(self, number: int) -> list[Event]:
        """The events, once there are so many."""
        async with asyncio.timeout(45):
            while len(self.events) < number:
                await asyncio.sleep(0.02)
        return self.events

    def says(self, text: str, **more: Any) -> str:
        """The buyer says something in the group."""
        return self.scene.says("buyer", "group", text, **more)

    def output(self, text: str = "hello", key: str = "k1", **more: Any) -> Output:
        """One output to the group."""
        named: dict[str, Any] = {"operation": Operation.SEND, "target": self.scene.target("group"), "text": text}
        return Output(key=key, **(named | more))


@contextlib.asynccontextmanager
async def desk(server: Server, folder: Path, **more: Any) -> AsyncIterator[Desk]:
    """An opened account."""
    scene = Scene(server)
    made = Desk(scene, scene.account(folder, **more))
    await made.account.open()
    try:
        yield made
    finally:
        await made.account.close()


@contextlib.asynccontextmanager
async def listening(server: Server, folder: Path, **more: Any) -> AsyncIterator[Desk]:
    """An opened account whose gateway listens."""
    async with desk(server, folder, **more) as made:
        reading = asyncio.ensure_future(made.listen())
        try:
            async with asyncio.timeout(45):
                while not made.scene.town.sessions:
                    await asyncio.sleep(0.02)
            yield made
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await made.scene.inlet.close()


# --- in --------------------------------------------------------------------------------------------------------------


async def test_what_the_gateway_says_is_kept_with_its_place(discord_server: Server, tmp_path: Path) -> None:
    """Messages, edits and deletions come in order; hearing them writes nothing and fetches nobody."""
    async with listening(discord_server, tmp_path) as made:
        as_port: Account = made.account
        first = made.says(f"<@{made.scene.town.bot_id}> which dates?")
        made.says("did you see the game?")
        backend, group = made.scene.town.backend, made.scene.places["group"]
        made.scene.server.do(lambda: backend.edit_message(group, int(first), {"content": "never mind"}))
        made.scene.server.do(lambda: backend.bulk_delete_messages(group, [int(first)]))
        asked, chatter, edit, deleted = await made.until(4)
        requests = [each.path for each in backend.http_requests]

    assert f"discord:{made.scene.town.application_id}" == as_port.name
    assert [EventKind.MESSAGE, EventKind.MESSAGE, EventKind.EDIT] == [event.kind for event in (asked, chatter, edit)]
    assert (Fact.YES, Fact.NO, Fact.NO) == (asked.mentions_agent, chatter.mentions_agent, edit.mentions_agent)
    assert (Fact.YES, Fact.NO, AuthorKind.HUMAN) == (asked.authenticated, asked.shared, asked.author_kind)
    assert (first, first) == (asked.event_id, deleted.deletes)
    assert () == asked.malformed
    assert ["/users/@me", "/oauth2/applications/@me"] == requests
    assert [] == made.scene.town.written


async def test_a_direct_message_is_looked_at_once(discord_server: Server, tmp_path: Path) -> None:
    """The gateway does not say what kind of channel it is: one look, remembered."""
    async with listening(discord_server, tmp_path) as made:
        made.scene.says("buyer", "direct", "are you there?")
        made.scene.says("buyer", "direct", "hello?")
        events = await made.until(2)
        looks = [each.path for each in made.scene.town.backend.http_requests if each.path.startswith("/channels/")]

    assert [ChatKind.DIRECT] * 2 == [event.chat for event in events]
    assert made.scene.target("direct") == events[0].target
    assert 1 == len(looks)


async def test_threads(discord_server: Server, tmp_path: Path) -> None:
    """An open thread is its channel's place and is answered in the thread; a private one is a place of its own, and
    nothing goes into a thread that is not under the target."""
    async with listening(discord_server, tmp_path) as made:
        scene, backend = made.scene, made.scene.town.backend
        group, buyer = scene.places["group"], scene.people["buyer"].id
        scene.places["open"] = scene.server.do(lambda: backend.create_thread(group, "May", buyer).id)
        scene.places["closed"] = scene.server.do(
            lambda: backend.create_thread(group, "June", buyer, type=PRIVATE_THREAD).id
        )
        scene.places["other"] = scene.server.do(lambda: backend.create_thread(scene.places["inside"], "July", buyer).id)
        scene.says("buyer", "open", "in May")
        scene.says("buyer", "closed", "in June")
        said = [event for event in await made.until(2) if event.kind is EventKind.MESSAGE]
        while len(said) < 2:
            said = [event for event in await made.until(len(made.events) + 1) if event.kind is EventKind.MESSAGE]
        open_, closed, other = (str(scene.places[name]) for name in ("open", "closed", "other"))
        sent = await made.account.perform(made.output("here", thread=open_))
        astray = [await made.account.perform(made.output("x", thread=thread)) for thread in (other, closed, "9", "x")]

    assert PUBLIC_THREAD == backend.channels[scene.places["open"]].type
    assert [(str(group), open_), (closed, None)] == [(event.target.channel, event.thread) for event in said]
    assert (Fact.YES, ["here"]) == (sent.delivered, [each.content for each in scene.ours("open")])
    assert [Fact.NO] * 4 == [receipt.delivered for receipt in astray]


async def test_a_broken_gateway_is_connected_again(discord_server: Server, tmp_path: Path) -> None:
    """The connection ends and comes back by itself; what is said after that is heard."""
    async with listening(discord_server, tmp_path) as made:
        discord_server.hang_up(made.scene.town)
        async with asyncio.timeout(45):
            while made.scene.town.sessions:
                await asyncio.sleep(0.02)
            while not made.scene.town.sessions:
                await asyncio.sleep(0.02)
        made.says("still there?")
        assert "still there?" == (await made.until(1))[0].text


async def test_what_was_kept_is_read_from_the_position(discord_server: Server, tmp_path: Path) -> None:
    """A later run goes on after the position it stored; what it stored is not read twice."""
    async with listening(discord_server, tmp_path) as made:
        made.says("one")
        await made.until(1)
        first = made.position
        made.says("two")
        await made.until(2)
    again = Desk(made.scene, made.scene.account(tmp_path))
    await again.account.open()
    reading = asyncio.ensure_future(again.listen(first))
    texts = [event.text for event in await again.until(1)]
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await again.account.close()

    assert ["two"] == texts


async def test_what_was_said_while_nobody_listened(discord_server: Server, tmp_path: Path) -> None:
    """The next run reads the servers' channels back to the newest message that was kept, threads too, and no further;
    what was deleted meanwhile was never said."""
    async with listening(discord_server, tmp_path) as made:
        made.says("before")
        await made.until(1)
        stored = made.position
    scene, backend = made.scene, made.scene.town.backend
    group, buyer = scene.places["group"], scene.people["buyer"].id
    scene.places["open"] = scene.server.do(lambda: backend.create_thread(group, "May", buyer).id)
    for number in range(101):
        made.says(f"meanwhile {number}")
    scene.says("jordan", "inside", f"<@{scene.town.bot_id}> are you there?")
    scene.says("buyer", "open", "in May")
    gone = made.says("never mind")
    scene.server.do(lambda: backend.delete_message(group, int(gone)))

    again = Desk(scene, scene.account(tmp_path))
    await again.account.open()
    reading = asyncio.ensure_future(again.listen(stored))
    events = await again.until(104)
    await asyncio.sleep(0.1)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await again.account.close()

    said = {event.text: event for event in events if event.kind is EventKind.MESSAGE}
    assert [f"meanwhile {number}" for number in range(101)] == [text for text in said if text.startswith("meanwhile")]
    assert not {"before", "never mind"} & said.keys()
    asked, thread = said["are you there?"], said["in May"]
    assert (scene.target("inside"), Fact.YES, Fact.NO) == (asked.target, asked.mentions_agent, asked.shared)
    assert (str(group), str(scene.places["open"])) == (thread.target.channel, thread.thread)
    assert not any(event.malformed for event in events)
    assert [] == scene.town.written


async def test_a_first_run_reads_no_history(discord_server: Server, tmp_path: Path) -> None:
    """What was said before the first look is history, and the first position says so."""
    async with desk(discord_server, tmp_path) as made:
        made.says("long ago")
        reading = asyncio.ensure_future(made.listen())
        async with asyncio.timeout(45):
            while made.position is None or not made.scene.town.sessions:
                await asyncio.sleep(0.02)
        await asyncio.sleep(2.5)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        assert [] == made.events
        assert made.position.startswith("0 ")


async def test_without_the_intent_hidden_text_is_malformed(discord_server: Server, tmp_path: Path) -> None:
    """`message_content = false`: only what mentions us can be read; the rest is unknown, not empty."""
    async with listening(discord_server, tmp_path, message_content=False) as made:
        made.says("the price is not for everybody")
        made.says(f"<@{made.scene.town.bot_id}> which dates?")
        hidden, asked = await made.until(2)

    assert (("d.content",), "") == (hidden.malformed, hidden.body)
    assert ((), "which dates?", Fact.YES) == (asked.malformed, asked.text, asked.mentions_agent)


@pytest.mark.parametrize("why", ["token", "application", "nobody"])
async def test_whose_credentials_they_are(discord_server: Server, tmp_path: Path, why: str) -> None:
    """A wrong token and another application's are refused; nobody there is unreachable."""
    scene = Scene(discord_server)
    more: dict[str, Any] = {}
    if why == "application":
        more["application_id"] = "1310200000000000999"
    if why == "nobody":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            more["api_url"] = f"http://127.0.0.1:{free.getsockname()[1]}/api/v10"
    if why == "token":
        scene.town.token = "another"
    with pytest.raises(DragomanError) as refused:
        await scene.account(tmp_path, **more).open()
    assert ("channel_unreachable" if why == "nobody" else "channel_refused") == refused.value.code


async def test_a_missing_intent_ends_the_reading(discord_server: Server, tmp_path: Path) -> None:
    """Discord closes the gateway with its own code; the error says what to switch on."""
    async with desk(discord_server, tmp_path) as made:
        made.scene.town.approved_content = False
        with pytest.raises(DragomanError) as refused:
            await asyncio.wait_for(made.listen(), 10)
    assert "channel_refused" == refused.value.code
    assert "developer portal" in refused.value.fix


# --- interactions over HTTP ------------------------------------------------------------------------------------------


async def test_signed_requests(discord_server: Server, tmp_path: Path) -> None:
    """Discord's own test is answered, a command is kept and answered without a word, a forgery is 401."""
    command = json.loads((Path(__file__).parent / "payloads" / "slash_command.json").read_text())["raw"]["d"]
    async with listening(discord_server, tmp_path, public_key=KEY.verify_key.encode().hex()) as made:
        async with asyncio.timeout(45):
            while not made.scene.inlet.port:
                await asyncio.sleep(0.01)
        port, path = made.scene.inlet.port, f"/discord/{made.scene.town.application_id}"
        answers = [
            await post(port, path, json.dumps({"type": 1}).encode()),
            await post(port, path, json.dumps(command).encode()),
            await post(port, path, json.dumps(command).encode(), SigningKey(bytes(32))),
            await post(port, path, b"[]"),
        ]
        (event,) = await made.until(1)

    assert [(200, b'{"type":1}'), (202, b""), (401, b""), (400, b"")] == answers
    assert ("find", Fact.YES, Fact.YES) == (
        event.command and event.command.name,
        event.command and event.command.directed,
        event.authenticated,
    )
    assert [] == made.scene.town.written


async def post(port: int, path: str, body: bytes, key: SigningKey = KEY) -> tuple[int, bytes]:
    """A request as Discord makes it."""
    headers = signed(body, str(NOW() // SECOND), key) | {"Content-Length": str(len(body)), "Connection": "close"}
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, told = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), told


# --- out -------------------------------------------------------------------------------------------------------------


async def test_what_a_message_carries(discord_server: Server, tmp_path: Path) -> None:
    """It answers, pings nobody, shows no preview, and carries the nonce of its key, enforced."""
    async with desk(discord_server, tmp_path) as made:
        asked = made.says("which dates?")
        bold = await made.account.perform(
            made.output("@everyone <@1> *6* and 13: https://acme.example", reply_to=asked)
        )
        alone = await made.account.perform(made.output("late", key="k2", reply_to="1310200000000000999"))
        (first, second) = made.scene.ours("group")
        body = made.scene.town.written[0].body

    assert [Fact.YES, Fact.YES] == [bold.delivered, alone.delivered]
    assert "@everyone <@1> *6* and 13: https://acme.example" == first.content
    assert (False, [], asked) == (first.mention_everyone, list(first.ping_user_ids), first.reference["message_id"])
    assert (4, {"parse": [], "replied_user": False}) == (body["flags"], body["allowed_mentions"])
    assert (nonce("k1"), True) == (body["nonce"], body["enforce_nonce"])
    assert (24, None) == (len(nonce("k1")), second.reference)


async def test_a_file_has_its_name_caption_and_description(discord_server: Server, tmp_path: Path) -> None:
    """One request; what was said beside it is its text."""
    async with desk(discord_server, tmp_path) as made:
        output = made.output("", operation=Operation.UPLOAD, parts=Parts(files=(NOTE,)))
        receipts = [await made.account.perform(output), await made.account.perform(output)]
        (message,) = made.scene.ours("group")
        (attached,) = message.attachments

    assert receipts[0] == receipts[1]
    assert ("The list.", "list.txt", "A list") == (message.content, attached["filename"], attached["description"])


async def test_a_rate_limit_has_its_time(discord_server: Server, tmp_path: Path) -> None:
    """The library would wait and send again; here the first answer counts."""
    async with desk(discord_server, tmp_path) as made:
        attempts: list[str] = []

        def later(method: str, path: str) -> str:
            attempts.append(f"{method} {path}")
            return "later" if method == "POST" else ""

        made.scene.town.fails = later
        before = NOW()
        receipt = await made.account.perform(made.output())

    assert (Fact.NO, 1) == (receipt.delivered, sum(attempt.startswith("POST") for attempt in attempts))
    assert receipt.retry_at is not None
    assert 2_000 <= receipt.retry_at - before <= 5_000


async def test_a_broken_answer_is_unknown_at_once(discord_server: Server, tmp_path: Path) -> None:
    """A page of a proxy with a 5xx says nothing; the library would try again, and here nothing is tried again."""
    async with desk(discord_server, tmp_path) as made:
        attempts: list[str] = []

        def broken(method: str, path: str) -> str:
            attempts.append(method)
            return "broken" if method == "POST" else ""

        made.scene.town.fails = broken
        receipt = await made.account.perform(made.output())

    assert (Fact.UNKNOWN, 1) == (receipt.delivered, attempts.count("POST"))


async def test_a_target_is_where_discord_says(discord_server: Server, tmp_path: Path) -> None:
    """A server's id as a channel, another server's channel, somebody else's direct message: nothing leaves."""
    async with desk(discord_server, tmp_path) as made:
        group, shared, direct = (made.scene.target(place) for place in ("group", "shared", "direct"))
        wrong = [
            Target("discord", group.workspace, group.workspace),
            Target("discord", group.workspace, shared.channel),
            Target("discord", group.workspace, direct.channel),
            Target("discord", direct.workspace, group.channel),
            Target("discord", group.workspace, "1310200000000000999"),
            Target("slack", group.workspace, group.channel),
        ]
        receipts = [await made.account.perform(made.output(target=target)) for target in wrong]
        right = await made.account.perform(made.output(target=direct))

    assert [Fact.NO] * len(wrong) == [receipt.delivered for receipt in receipts]
    assert (Fact.YES, 1) == (right.delivered, len(made.scene.town.written))


async def test_who_is_there(discord_server: Server, tmp_path: Path) -> None:
    """A server's members are not known; one that anybody may look into is shared; a direct message is one person."""
    async with desk(discord_server, tmp_path) as made:
        places = ("group", "shared", "direct")
        found = [await made.account.presence(made.scene.target(place)) for place in places]
        nowhere = await made.account.presence(Target("discord", "1310200000000000998", "1310200000000000999"))
        buyer = Party("discord", made.scene.town.application_id, str(made.scene.people["buyer"].id))

    assert [Presence(Fact.NO), Presence(Fact.YES), Presence(Fact.NO, frozenset({buyer}))] == found
    assert Presence(Fact.UNKNOWN) == nowhere


async def test_a_lost_answer(discord_server: Server, tmp_path: Path) -> None:
    """While the nonce holds, saying it again is harmless; later nothing proves whether it arrived."""
    async with desk(discord_server, tmp_path) as made:
        target, town, before = made.scene.target("group"), made.scene.town, NOW()
        town.fails = lambda method, path: "lose" if method == "POST" else ""
        lost = await made.account.perform(made.output())
        town.fails = lambda method, path: ""
        proofs = [await made.account.look_up(target, "k1", before - age) for age in (0, NONCE_KEPT, -10 * SECOND)]
        again = await made.account.perform(made.output())
        (message,) = made.scene.ours("group")

    assert (Fact.UNKNOWN, Fact.YES, str(message.id)) == (lost.delivered, again.delivered, again.evidence)
    gone = Proof(Fact.UNKNOWN, gone=True)
    assert [Proof(Fact.NO), gone, gone] == proofs


async def test_a_closed_port_is_a_no(tmp_path: Path) -> None:
    """The place was known, then nobody listens: not a byte left."""
    server = Server()
    try:
        async with desk(server, tmp_path) as made:
            there = await made.account.perform(made.output())
            await asyncio.to_thread(server.close)
            gone = await made.account.perform(made.output(key="k2"))
    finally:
        server.close()
    assert (Fact.YES, Fact.NO) == (there.delivered, gone.delivered)


@pytest.mark.parametrize(
    "url", ["http://discord.example/api", "https://127.0.0.1/api", "http://127.0.0.1.evil.example"]
)
async def test_the_token_goes_to_discord_only(url: str) -> None:
    """Another address is taken on the loopback only."""
    with pytest.raises(DragomanError) as refused:
        checked(url)
    assert "config_invalid" == refused.value.code


@pytest.mark.parametrize(
    ("header", "wait"), [("2", 2_001), ("0.5", 501), (None, 5_000), ("soon", 5_000), ("nan", 5_000), ("1e9", 3_600_000)]
)
async def test_how_long_a_limit_lasts(header: str | None, wait: int) -> None:
    """Seconds, possibly broken; nothing that can be read is five."""
    assert wait == wait_of(header)


async def test_an_id_holds_its_time() -> None:
    """The documentation's own example of an id: 175928847299117063 is of 2016-04-30T11:18:25.796Z."""
    assert 175928847299117063 >> 22 == int(id_at(1_462_015_105_796)) >> 22


async def test_a_reply_to_us_is_seen(discord_server: Server, tmp_path: Path) -> None:
    """What we said is heard as our own, and a reply to it as one."""
    async with listening(discord_server, tmp_path) as made:
        sent = await made.account.perform(made.output())
        made.says("thanks, and the 13th?", reference={"message_id": sent.evidence})
        own, reply = await made.until(2)
    assert (AuthorKind.SELF, ReplyTo.AGENT) == (own.author_kind, reply.reply_to)
