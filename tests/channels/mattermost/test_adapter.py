"""The Mattermost account on the loopback server of our own: outages, restarts, lost answers, who comes and goes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from dragoman.channels.account import Batch, Place, Proof
from dragoman.channels.inlet import Inlet
from dragoman.channels.mattermost.account import account
from dragoman.channels.mattermost.adapter import MattermostChannel
from dragoman.channels.mattermost.check import checks
from dragoman.channels.mattermost.section import MattermostSection
from dragoman.channels.spool import Spool
from dragoman.clock import MINUTE, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import ChatKind, Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output
from dragoman.identity import Target
from dragoman.words import Fact
from tests.channels.mattermost.server import MattermostServer

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]
TEAM = "team0".ljust(26, "z")


class At:
    """A clock that is set."""

    def __init__(self) -> None:
        self.late = 0

    def now(self) -> int:
        """The real time, and `late` milliseconds."""
        return SystemClock().now() + self.late


class World:
    """A server, an account of ours in a channel and a direct message, and what arrived at it."""

    def __init__(self, server: MattermostServer, folder: Path) -> None:
        self.server, self.folder, self.clock = server, folder, At()
        self.desk, self.kim = server.user("desk", bot=True), server.user("kim")
        self.room = server.channel("O", TEAM, self.desk, self.kim)
        self.direct = server.channel("D", "", self.desk, self.kim)
        self.host = f"127.0.0.1:{server.port}"
        (folder / "token").touch(0o600)
        (folder / "token").write_text("token-desk")
        self.section = MattermostSection(server=server.url, user_id=self.desk, token_file="token")
        self.place = Place(
            clock=self.clock,
            at=lambda name: folder / name,
            spool=lambda name: Spool(folder / "inbox.db", self.clock),
            inlet=Inlet("127.0.0.1", 0, self.clock, lambda failed: None),
            report=lambda error: None,
        )
        self.position: str | None = None
        self.events: list[Event] = []
        self._channel: MattermostChannel | None = None
        self._stream: AsyncIterator[Batch] | None = None

    @property
    def channel(self) -> MattermostChannel:
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

    async def arrives(self, text: str) -> Event:
        """The event of a text, as soon as it arrives."""
        while True:
            for event in self.events:
                if event.body == text:
                    return event
            assert self._stream is not None
            batch = await asyncio.wait_for(anext(self._stream), 10)
            self.position = batch.position
            self.events += [self.channel.event(each.raw, each.received_at) for each in batch.arrivals]

    def target(self, channel: str) -> Target:
        """The room, or the direct message."""
        return Target("mattermost", f"{TEAM}@{self.host}" if channel == self.room else self.host, channel)

    def output(self, text: str, key: str) -> Output:
        """A text to send to the room."""
        return Output(operation=Operation.SEND, target=self.target(self.room), key=key, text=text)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A fresh server, and our account reading."""
    async with MattermostServer().running() as server:
        made = World(server, tmp_path)
        try:
            await made.connect()
            yield made
        finally:
            await made.leave()


async def cut(world: World) -> None:
    """Every websocket of ours is cut."""
    for socket in world.server.sockets:
        if socket.open is not None:
            await socket.open.close()


async def test_a_cut_connection_is_taken_up_where_it_was(world: World) -> None:
    """While the server remembers the connection nothing is lost: a mention made meanwhile is one."""
    await world.server.post(world.kim, world.room, "@desk one")
    await world.arrives("@desk one")
    await cut(world)
    await world.server.post(world.kim, world.room, "@desk two")

    assert Fact.YES is (await world.arrives("@desk two")).mentions_agent
    assert ["@desk one", "@desk two"] == [event.body for event in world.events]


async def test_what_the_server_forgot_is_read_back(world: World) -> None:
    """Afterwards all is read back; whether a group post mentions us is then not known, a direct one is direct."""
    await world.server.post(world.kim, world.room, "@desk one")
    await world.arrives("@desk one")
    world.server.remembers = False
    await world.server.stop()
    await world.server.post(world.kim, world.room, "@desk two")
    await world.server.post(world.kim, world.direct, "three")
    await world.server.start()

    assert Fact.UNKNOWN is (await world.arrives("@desk two")).mentions_agent
    assert ChatKind.DIRECT is (await world.arrives("three")).chat
    await world.server.post(world.kim, world.room, "@desk four")
    assert Fact.YES is (await world.arrives("@desk four")).mentions_agent


@pytest.mark.parametrize("remembers", [True, False], ids=["taken up", "read back"])
async def test_a_restart_goes_on_where_it_was(world: World, remembers: bool) -> None:
    """While the server remembers the connection, a mention made meanwhile is one; else that is not known. What was read
    before has the same dedupe key when it comes again."""
    await world.server.post(world.kim, world.room, "@desk one")
    first = await world.arrives("@desk one")
    await world.leave()
    world.server.remembers = remembers
    await world.server.post(world.kim, world.room, "@desk two")
    await world.server.post(world.kim, world.direct, "three")
    world.events = []
    await world.connect()

    assert (Fact.YES if remembers else Fact.UNKNOWN) is (await world.arrives("@desk two")).mentions_agent
    assert ChatKind.DIRECT is (await world.arrives("three")).chat
    again = [event for event in world.events if event.body == "@desk one"]
    assert ([] if remembers else [first.dedupe_key]) == [event.dedupe_key for event in again]


async def test_a_restart_before_anything_was_said(world: World) -> None:
    """The first position holds the connection too."""
    await world.leave()
    await world.server.post(world.kim, world.room, "@desk one")
    await world.connect()

    assert Fact.YES is (await world.arrives("@desk one")).mentions_agent


async def test_history_is_not_read(world: World) -> None:
    """Before the first look nothing was said to us."""
    await world.leave()
    world.position, world.events = None, []
    await world.server.post(world.kim, world.direct, "before")
    await world.connect()
    await world.server.post(world.kim, world.direct, "after")
    await world.arrives("after")

    assert ["after"] == [event.body for event in world.events]


async def test_who_comes_in_changes_the_channel(world: World) -> None:
    """A guest who joins makes it shared with the next message, and not after a minute."""
    await world.server.post(world.kim, world.room, "one")
    assert Fact.NO is (await world.arrives("one")).shared
    world.server.members[world.room].append(world.server.user("visitor", guest=True))
    await world.server.changed("user_added", world.room)
    await world.server.post(world.kim, world.room, "two")

    assert Fact.YES is (await world.arrives("two")).shared
    assert Fact.YES is (await world.channel.presence(world.target(world.room))).shared


async def test_a_lost_answer_is_found_by_its_key(world: World) -> None:
    """A post that stands there is found; it is said to be missing only when a slow request cannot come any more."""
    world.server.lose = lambda line: line == "POST /api/v4/posts"
    lost = await world.channel.perform(world.output("the list", "key-1"))
    world.server.lose = lambda line: False
    now = world.clock.now()
    target = world.target(world.room)

    assert Fact.UNKNOWN is lost.delivered
    found = await world.channel.look_up(target, "key-1", now)
    (post,) = world.server.of(world.room, world.desk)
    assert (Fact.YES, post["id"]) == (found.there, found.evidence)
    assert Fact.UNKNOWN is (await world.channel.look_up(target, "key-2", now)).there
    world.clock.late = 2 * MINUTE
    assert Fact.NO is (await world.channel.look_up(target, "key-2", now)).there
    world.server.before = lambda line: web.Response(status=500)
    assert Proof(Fact.UNKNOWN) == await world.channel.look_up(target, "key-2", now)
    world.server.before = lambda line: web.Response(status=403)
    assert Proof(Fact.UNKNOWN, gone=True) == await world.channel.look_up(target, "key-2", now)


async def test_nobody_is_rung_but_by_his_name(world: World) -> None:
    """A text that would ring everybody does not leave; one in code does."""
    ringing = await world.channel.perform(world.output("@all: the list", "key-1"))
    quiet = await world.channel.perform(world.output("write `@all` for everybody", "key-2"))

    assert (Fact.NO, Fact.YES) == (ringing.delivered, quiet.delivered)
    assert ["write `@all` for everybody"] == [post["message"] for post in world.server.of(world.room, world.desk)]


async def test_a_channel_of_another_team_is_not_spoken_to(world: World) -> None:
    """The server's word counts for which team a channel is of, not that of who asks."""
    other = Target("mattermost", f"{'another'.ljust(26, 'z')}@{world.host}", world.room)
    receipt = await world.channel.perform(Output(operation=Operation.SEND, target=other, key="k", text="the list"))

    assert (Fact.NO, 0) == (receipt.delivered, world.server.written.get(world.desk, 0))


async def test_a_token_that_is_refused_ends_the_stream(world: World) -> None:
    """It is not tried for ever; and a token of somebody else opens nothing."""
    world.server.tokens = {"token-desk": world.kim}
    stranger = account(world.section, world.place)
    with pytest.raises(DragomanError) as refused:
        await stranger.open()
    await stranger.close()
    assert "channel_refused" == refused.value.code
    world.server.tokens = {}
    await cut(world)
    with pytest.raises(DragomanError) as ended:
        await world.arrives("never")
    assert "channel_refused" == ended.value.code


async def test_what_doctor_is_told(world: World) -> None:
    """A bot in a channel is right; a wrong token blocks, a person's account and no channel are worth knowing."""
    states = {found.what: found.state for found in await checks(world.section, world.place)}
    assert {"token": "ok", "account": "ok", "channels": "ok", "mentions": "note"} == states
    world.server.users[world.desk].pop("is_bot")
    for members in world.server.members.values():
        members.remove(world.desk)
    states = {found.what: found.state for found in await checks(world.section, world.place)}
    assert {"token": "ok", "account": "note", "channels": "note", "mentions": "note"} == states
    world.server.tokens = {"token-desk": world.kim}
    assert ["blocker"] == [found.state for found in await checks(world.section, world.place)]
    with contextlib.suppress(OSError):
        (world.folder / "token").chmod(0o644)
    with pytest.raises(DragomanError):
        await checks(world.section, world.place)


@pytest.mark.parametrize(
    "server", ["http://chat.example.org", "ftp://localhost", "https://me:pw@chat.example.org", "https://"]
)
async def test_the_token_travels_to_an_address_only(world: World, server: str) -> None:
    """In the clear only on this machine, and never with words of its own in the address."""
    with pytest.raises(DragomanError) as refused:
        account(msgspec.structs.replace(world.section, server=server), world.place)
    assert "config_invalid" == refused.value.code
