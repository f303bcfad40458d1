"""The Zulip account on the loopback server of our own: outages, restarts, lost answers, who comes and goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from dragoman.channels.account import Batch, Place, Proof
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.channels.zulip.account import account
from dragoman.channels.zulip.adapter import ZulipChannel
from dragoman.channels.zulip.check import checks
from dragoman.channels.zulip.section import ZulipSection
from dragoman.clock import MINUTE, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import ChatKind, Event, EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output
from dragoman.identity import Target
from dragoman.words import Fact
from tests.channels.zulip.server import ZulipServer

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]


class At:
    """A clock that is set."""

    def __init__(self) -> None:
        self.late = 0

    def now(self) -> int:
        """The real time, and `late` milliseconds."""
        return SystemClock().now() + self.late


class World:
    """A realm, a bot of ours in a stream, and what arrived at it."""

    def __init__(self, server: ZulipServer, folder: Path) -> None:
        self.server, self.folder, self.clock = server, folder, At()
        self.desk, self.kim = server.user("desk", bot=True), server.user("kim")
        self.stream = server.stream(self.desk, self.kim)
        self.host = f"127.0.0.1:{server.port}"
        (folder / "key").touch(0o600)
        (folder / "key").write_text("key-desk")
        self.section = ZulipSection(
            realm=server.url, email="desk@zulip.test", user_id=self.desk, key_file="key", topic="unasked"
        )
        self.place = Place(
            clock=self.clock,
            at=lambda name: folder / name,
            spool=lambda name: Spool(folder / "inbox.db", self.clock),
            inlet=Inlet("127.0.0.1", 0, self.clock, lambda failed: None),
            report=lambda error: None,
        )
        self.position: str | None = None
        self.events: list[Event] = []
        self._channel: ZulipChannel | None = None
        self._stream: AsyncIterator[Batch] | None = None
        self.target = Target("zulip", self.host, f"stream:{self.stream}")

    @property
    def channel(self) -> ZulipChannel:
        """Our account, as the receiver makes it."""
        assert self._channel is not None
        return self._channel

    async def connect(self) -> None:
        """Open the account, and begin to read where it was left."""
        self._channel = account(self.section, self.place)
        await self.channel.open()
        self._stream = self.channel.events(self.position)
        if self.position is None:
            self.position = (await anext(self._stream)).position

    async def leave(self) -> None:
        """Close the account."""
        if self._stream is not None:
            await self._stream.aclose()  # type: ignore[attr-defined]
        if self._channel is not None:
            await self._channel.close()

    async def read(self) -> None:
        """One more batch."""
        assert self._stream is not None
        batch = await asyncio.wait_for(anext(self._stream), 10)
        self.position = batch.position
        self.events += [self.channel.event(each.raw, each.received_at) for each in batch.arrivals]

    async def arrives(self, text: str) -> Event:
        """The event of a text, as soon as it arrives."""
        while not (found := [event for event in self.events if event.body == text]):
            await self.read()
        return found[0]

    def say(self, text: str, topic: str = "returns") -> None:
        """Kim says something in the stream."""
        self.server.say(self.kim, text, stream=self.stream, topic=topic)

    def output(self, text: str, key: str, thread: str | None = None) -> Output:
        """A text to send to the stream."""
        return Output(operation=Operation.SEND, target=self.target, key=key, text=text, thread=thread)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A fresh realm, and our account reading."""
    async with ZulipServer().running() as server:
        made = World(server, tmp_path)
        try:
            await made.connect()
            yield made
        finally:
            await made.leave()


async def test_a_restart_goes_on_in_the_same_queue(world: World) -> None:
    """While the server keeps the queue, nothing that happened meanwhile is lost: not even an edit."""
    world.say("one")
    await world.arrives("one")
    await world.leave()
    world.say("@**desk** two")
    world.server.edit(max(world.server.messages), "@**desk** three")
    await world.connect()

    assert Fact.YES is (await world.arrives("@desk two")).mentions_agent
    assert EventKind.EDIT is (await world.arrives("@desk three")).kind
    assert 1 == len(world.server.queues)


async def test_a_queue_that_was_forgotten_is_made_anew(world: World) -> None:
    """What was said meanwhile is read back, with its flags, and once."""
    world.say("one")
    await world.arrives("one")
    world.server.queues.clear()
    world.say("@**desk** two")
    world.server.say(world.kim, "three", people=[world.desk])

    assert Fact.YES is (await world.arrives("@desk two")).mentions_agent
    assert ChatKind.DIRECT is (await world.arrives("three")).chat
    world.say("four")
    await world.arrives("four")
    assert ["one", "@desk two", "three", "four"] == [event.body for event in world.events]


async def test_events_that_were_dropped_are_read_back(world: World) -> None:
    """The server drops what its reader said to have; a process that died before it stored that reads it back."""
    stored = world.position
    world.say("@**desk** one")
    await world.arrives("@desk one")
    world.say("two")
    await world.arrives("two")
    await world.leave()
    world.position, world.events = stored, []
    await world.connect()

    assert Fact.YES is (await world.arrives("@desk one")).mentions_agent
    await world.arrives("two")


async def test_an_outage_is_waited_out(world: World) -> None:
    """The server goes and comes: what is said afterwards arrives."""
    await world.server.stop()
    reading = asyncio.ensure_future(world.arrives("back"))
    await asyncio.sleep(0.3)
    await world.server.start()
    world.say("back")

    assert "back" == (await reading).body


async def test_history_is_not_read(world: World) -> None:
    """Before the first look nothing was said to us."""
    await world.leave()
    world.position, world.events = None, []
    world.say("before")
    await world.connect()
    world.say("after")
    await world.arrives("after")

    assert ["after"] == [event.body for event in world.events]


async def test_who_comes_in_changes_the_channel(world: World) -> None:
    """A guest who is subscribed makes it shared with the next message; somebody new is asked for at once."""
    world.say("one")
    assert Fact.NO is (await world.arrives("one")).shared
    guest = world.server.user("visitor", guest=True)
    world.server.subscribers[world.stream].append(guest)
    world.server.changed("subscription")
    world.say("two")

    assert Fact.YES is (await world.arrives("two")).shared
    assert Fact.YES is (await world.channel.presence(world.target)).shared
    world.server.say(world.server.user("newcomer"), "three", people=[world.desk])
    assert "human" == (await world.arrives("three")).author_kind


async def test_topics_are_threads(world: World) -> None:
    """An answer goes into the topic that was asked in; what is said unasked into the configured one."""
    world.say("@**desk** hello", topic="Returns, May")
    asked = await world.arrives("@desk hello")
    await world.channel.perform(world.output("hello", "key-1", asked.thread))
    await world.channel.perform(world.output("unasked", "key-2"))

    found = world.server.of(world.desk, world.target.channel)
    assert [("Returns, May", "hello"), ("unasked", "unasked")] == [(m["subject"], m["raw"]) for m in found]


async def lost(world: World, key: str) -> None:
    """A message arrives, but its answer does not."""
    world.server.lose = lambda line: line == "POST /api/v1/messages"
    receipt = await world.channel.perform(world.output("the list", key))
    world.server.lose = lambda line: False
    assert Fact.UNKNOWN is receipt.delivered


async def test_a_lost_answer_comes_back_in_the_queue(world: World) -> None:
    """Proven by its key as soon as it was read; also by a process that begins anew in the same queue."""
    minted = world.clock.now()
    await lost(world, "key-1")
    assert Proof(Fact.UNKNOWN) == await world.channel.look_up(world.target, "key-1", minted)
    await world.leave()
    await world.connect()
    await world.arrives("the list")

    (message,) = world.server.of(world.desk, world.target.channel)
    assert Proof(Fact.YES, str(message["id"])) == await world.channel.look_up(world.target, "key-1", minted)


async def test_what_never_came_is_missing_only_after_a_while(world: World) -> None:
    """With the queue read without a gap, a minute after the attempt; not before, and not while nothing was read."""
    await asyncio.sleep(0.01)
    minted = world.clock.now()
    world.server.vanish = lambda line: line == "POST /api/v1/messages"
    assert Fact.UNKNOWN is (await world.channel.perform(world.output("the list", "key-1"))).delivered
    world.clock.late = 2 * MINUTE
    assert Proof(Fact.UNKNOWN) == await world.channel.look_up(world.target, "key-1", minted)
    world.say("one")
    await world.arrives("one")

    assert Proof(Fact.NO) == await world.channel.look_up(world.target, "key-1", minted)


@pytest.mark.parametrize(
    ("said", "proof"), [(False, Proof(Fact.NO)), (True, Proof(Fact.UNKNOWN, gone=True))], ids=["nothing", "something"]
)
async def test_after_a_restart_in_another_queue(world: World, said: bool, proof: Proof) -> None:
    """Nothing of ours stands there: it is not there. Something does, of the last minutes: nobody can tell."""
    minted = world.clock.now()
    if said:
        await world.channel.perform(world.output("the list", "key-1"))
    world.server.queues.clear()
    await world.leave()
    await world.connect()
    world.clock.late = 2 * MINUTE
    world.say("one")
    await world.arrives("one")

    assert proof == await world.channel.look_up(world.target, "key-2", minted)
    world.server.before = lambda line: web.Response(status=500)
    assert Proof(Fact.UNKNOWN) == await world.channel.look_up(world.target, "key-2", minted)
    world.server.before = lambda line: web.Response(status=400)
    assert Proof(Fact.UNKNOWN, gone=True) == await world.channel.look_up(world.target, "key-2", minted)


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("@**all**: the list", Fact.NO),
        ("@**Everyone** look", Fact.NO),
        ("/poll which?", Fact.NO),
        ("the /poll", Fact.YES),
        ("@all: the list", Fact.YES),
    ],
)
async def test_what_would_ring_everybody_does_not_leave(world: World, text: str, leaves: Fact) -> None:
    """Wildcard mentions and widgets are refused before anything leaves; words that only look so are words."""
    assert leaves is (await world.channel.perform(world.output(text, "key-1"))).delivered
    assert [text] * (leaves is Fact.YES) == [m["raw"] for m in world.server.of(world.desk, world.target.channel)]


async def test_a_rate_limit_says_when(world: World) -> None:
    """The header counts before the body; both are seconds, with a fraction."""
    before = world.clock.now()
    world.server.before = lambda line: web.json_response(
        {"code": "RATE_LIMIT_HIT"}, status=429, headers={"Retry-After": "3.5"}
    )
    receipt = await world.channel.perform(world.output("the list", "key-1"))

    assert Fact.NO is receipt.delivered
    assert 3_500 <= (receipt.retry_at or 0) - before < 6_000


async def test_a_key_that_is_refused_ends_the_stream(world: World) -> None:
    """It is not tried for ever; and a key of somebody else opens nothing."""
    (world.folder / "key").write_text("key-kim")
    stranger = account(world.section, world.place)
    with pytest.raises(DragomanError) as refused:
        await stranger.open()
    await stranger.close()
    assert "channel_refused" == refused.value.code
    world.server.users[world.desk]["email"] = "gone@zulip.test"
    with pytest.raises(DragomanError) as ended:
        await world.arrives("never")
    assert "channel_refused" == ended.value.code


async def test_what_doctor_is_told(world: World) -> None:
    """A bot in a channel is right; a wrong key blocks, a person's account and no channel are worth knowing."""
    states = {found.what: found.state for found in await checks(world.section, world.place)}
    assert {"key": "ok", "account": "ok", "channels": "ok", "mentions": "note"} == states
    world.server.users[world.desk]["is_bot"] = False
    world.server.subscribers[world.stream].remove(world.desk)
    states = {found.what: found.state for found in await checks(world.section, world.place)}
    assert {"key": "ok", "account": "note", "channels": "note", "mentions": "note"} == states
    (world.folder / "key").write_text("key-kim")
    assert ["blocker"] == [found.state for found in await checks(world.section, world.place)]


@pytest.mark.parametrize(
    "realm", ["http://chat.example.org", "ftp://localhost", "https://me:pw@chat.example.org", "https://"]
)
async def test_the_key_travels_to_an_address_only(world: World, realm: str) -> None:
    """In the clear only on this machine, and never with words of its own in the address."""
    with pytest.raises(DragomanError) as refused:
        account(msgspec.structs.replace(world.section, realm=realm), world.place)
    assert "config_invalid" == refused.value.code
