"""One account on a real InspIRCd with services: who is who, what is proven of what went out, what never happens."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.channels.irc.adapter import IrcAccount
from dragoman.channels.irc.connection import Connection
from dragoman.errors import DragomanError
from dragoman.gate.event import AuthorKind, Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output
from dragoman.identity import Target
from dragoman.words import Fact
from tests.channels.irc.network import PASSWORD, Client, Network, client
from tests.channels.irc.place import CLOCK, account, section
from tests.channels.tcp import Way, certificate

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]


class Reader:
    """Reads an account in the background."""

    def __init__(self, ours: IrcAccount) -> None:
        self.events: list[Event] = []
        self._ours = ours
        self._task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for batch in self._ours.events(None):
            self.events += [self._ours.event(each.raw, each.received_at) for each in batch.arrivals]

    @property
    def texts(self) -> list[str]:
        """The bodies that came, in order."""
        return [event.body for event in self.events]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something is true of what came."""
        async with asyncio.timeout(45):
            while not true():
                if self._task.done():
                    self._task.result()
                await asyncio.sleep(0.02)

    async def close(self) -> None:
        """Stop."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, DragomanError):
            await self._task


@contextlib.asynccontextmanager
async def opened(ours: IrcAccount) -> AsyncIterator[Reader]:
    """An account that is open and read."""
    await ours.open()
    reader = Reader(ours)
    try:
        yield reader
    finally:
        await reader.close()
        await ours.close()


def send(to: str, key: str, text: str = "hello") -> Output:
    """One message."""
    return Output(operation=Operation.SEND, target=Target("irc", "desk@HomeTest", to), key=key, text=text)


def texts(person: Client, target: str) -> list[str]:
    """What somebody heard of us."""
    return [text for text, _ in person.lines_of("desk", target)]


async def test_a_nick_is_nobodys(network: Network, tmp_path: Path) -> None:
    """Who takes the nick of somebody that we spoke with gets nothing of what is for him, and is not he."""
    ours = account(tmp_path, network.port, "desk", "#nicks")
    kim = Client(network.port, "kim", "kim")
    thief = Client(network.port, "thief")
    await asyncio.gather(kim.open(), thief.open())
    async with opened(ours) as reader:
        await kim.join("#nicks")
        await kim.say("desk", "are you there?")
        await reader.until(lambda: reader.texts == ["are you there?"])
        await kim.rename("kim_away")
        await thief.rename("kim")
        await thief.say("desk", "and now?")
        await reader.until(lambda: len(reader.events) == 2)
        followed = await ours.perform(send("kim", "k1", "for the account"))
        await kim.put("PART #nicks")
        await kim.until(lambda: any(" PART " in line for line in kim.heard))
        lost = await ours.perform(send("buyer", "k2"))
    await asyncio.gather(kim.close(), thief.close())

    first, second = reader.events
    assert ("kim", AuthorKind.HUMAN) == (first.target.channel, first.author_kind)
    assert (False, AuthorKind.UNKNOWN) == (second.target.known, second.author_kind)
    assert ([], ["for the account"]) == (texts(thief, "kim"), texts(kim, "kim_away"))
    assert [Fact.YES, Fact.NO] == [followed.delivered, lost.delivered]


async def test_it_comes_back(network: Network, tmp_path: Path) -> None:
    """After the way was cut it is in its channels again, and hears and speaks; what was said meanwhile nobody kept."""
    way = Way(network.port)
    await way.open()
    ours = account(tmp_path, way.port, "desk", "#back")
    async with client(network, "kim", "#back") as kim, opened(ours) as reader:
        await kim.say("#back", "one")
        await reader.until(lambda: reader.texts == ["one"])
        await way.close()
        await kim.say("#back", "two")
        await way.open()
        await kim.until(lambda: sum("JOIN" in line and ":desk" in line for line in kim.heard) >= 2, 20)
        await kim.say("#back", "three")
        await reader.until(lambda: "three" in reader.texts)
        receipt = await ours.perform(send("#back", "k1"))
    await way.close()

    assert ["one", "three"] == reader.texts
    assert Fact.YES is receipt.delivered


async def test_a_lost_echo_is_uncertain(network: Network, tmp_path: Path) -> None:
    """It arrived, its echo did not: unknown, and nobody can be asked."""
    way = Way(network.port)
    await way.open()
    ours = account(tmp_path, way.port, "desk", "#echo", timeout=1.5)
    async with client(network, "kim", "#echo") as kim, opened(ours):
        way.to_client = False
        lost = await ours.perform(send("#echo", "k1"))
        await kim.until(lambda: texts(kim, "#echo") == ["hello"])
        proof = await ours.look_up(Target("irc", "desk@HomeTest", "#echo"), "k1", CLOCK.now())
    await way.close()

    assert (Fact.UNKNOWN, Fact.UNKNOWN, True) == (lost.delivered, proof.there, proof.gone)


async def test_what_it_says_and_what_not(network: Network, tmp_path: Path) -> None:
    """Away or not, a person is reached; commands, CTCP and other spellings do not leave; notices and CTCP are not
    answered; a playback is told as old, of nobody."""
    ours = account(tmp_path, network.port, "desk", "#says", spacing_ms=100)
    async with client(network, "kim", "#says") as kim:
        await kim.put("MODE #says +H 50:1h")
        await kim.say("#says", "desk: from before")
        async with opened(ours) as reader:
            await kim.put("AWAY :gone")
            await kim.say("desk", "\x01VERSION\x01")
            await kim.say("desk", "news", command="NOTICE")
            await kim.say("desk", "hello")
            await reader.until(lambda: "hello" in reader.texts)
            before = network.messages_of("desk")
            away = await ours.perform(send("kim", "k1"))
            bad = ["a\r\nQUIT :b", "a\0b", "\x01VERSION\x01", "\x02bold", "\n", "\ud800"]
            refused = [await ours.perform(send("#says", f"b{n}", text)) for n, text in enumerate(bad)]
            places = ["#SAYS", "#says,#other", "#other", "kim,buyer", "kim PRIVMSG", "#says x"]
            refused += [await ours.perform(send(place, f"p{n}")) for n, place in enumerate(places)]
            began = time.monotonic()
            flood = await ours.perform(send("#says", "k2", "\n".join("123456789")))
            took = time.monotonic() - began
            after = network.messages_of("desk")
            await kim.until(lambda: len(texts(kim, "#says")) == 9)

    assert Fact.YES is away.delivered
    assert {Fact.NO} == {receipt.delivered for receipt in refused}
    assert (Fact.YES, list("123456789")) == (flood.delivered, texts(kim, "#says"))
    assert took >= 0.4
    assert after - before == 10
    (old, *_) = reader.events
    assert ("desk: from before", AuthorKind.UNKNOWN) == (old.body, old.author_kind)


async def test_who_is_not_let_in(network: Network, tmp_path: Path) -> None:
    """A wrong password and another network are refused, nobody there is unreachable, a closed channel is told."""
    wrong = Connection(
        ("127.0.0.1", network.port), "desk", "wrong", "desk", in_the_clear=True, heard=lambda *_: None, timeout=5.0
    )
    reports: list[DragomanError] = []
    elsewhere = account(tmp_path, network.port, "desk", network="OtherNet")
    nobody = account(tmp_path, 1, "desk")
    closed = account(tmp_path, network.port, "desk", "#closed", reports=reports)
    codes = []
    for trying in (wrong.start, elsewhere.open, nobody.open):
        with pytest.raises(DragomanError) as failed:
            await trying()
        codes.append(failed.value.code)
    for each in (elsewhere, nobody):
        await each.close()
    async with client(network, "kim", "#closed") as kim:
        await kim.put("MODE #closed +k secret")
        await closed.open()
        await closed.close()

    assert ["channel_refused", "channel_refused", "channel_unreachable"] == codes
    assert ["irc channel #closed"] == [report.where for report in reports]


async def test_a_nick_that_is_taken_and_a_kick_are_told(network: Network, tmp_path: Path) -> None:
    """It goes by the nearest free nick, by which alone it is addressed; put out, it stays out and sends nothing."""
    reports: list[DragomanError] = []
    ours = account(tmp_path, network.port, "desk", "#kicks", reports=reports)
    squatter = Client(network.port, "desk")
    async with client(network, "kim", "#kicks") as kim:
        await squatter.open()
        async with opened(ours) as reader:
            await kim.say("#kicks", "desk: hello")
            await kim.say("#kicks", "desk_: hello")
            await reader.until(lambda: len(reader.events) == 2)
            await kim.put("KICK #kicks desk_ :enough")
            await kim.until(lambda: any(" KICK #kicks desk_ " in line for line in kim.heard))
            await kim.say("desk_", "are you there?")
            await reader.until(lambda: len(reader.events) == 3)
            receipt = await ours.perform(send("#kicks", "k1"))
        await squatter.close()

    assert [Fact.NO, Fact.YES] == [event.mentions_agent for event in reader.events[:2]]
    assert ["irc nick", "irc channel #kicks"] == [report.where for report in reports]
    assert Fact.NO is receipt.delivered


async def test_no_password_in_the_clear(network: Network) -> None:
    """Where the connection must be encrypted and the server speaks in the clear, nothing of the password leaves."""
    before = len(network.input())
    safe = Connection(
        ("127.0.0.1", network.port), "desk", PASSWORD, "desk", in_the_clear=False, heard=lambda *_: None, timeout=2.0
    )
    with pytest.raises(DragomanError) as failed:
        await safe.start()

    assert "channel_unreachable" == failed.value.code
    assert not any("AUTHENTICATE" in line for line in network.input()[before:])
    far = msgspec.structs.replace(section(1, "desk"), host="192.0.2.1")
    assert [True, False] == [section(1, "desk").in_the_clear, far.in_the_clear]


async def test_an_encrypted_connection(network: Network, tmp_path: Path) -> None:
    """With a certificate that is verified it signs in; with one that nobody vouches for it does not."""
    mine, other = certificate(tmp_path, "localhost"), certificate(tmp_path, "elsewhere.test")
    sealed = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    sealed.load_cert_chain(mine, f"{mine}.key")
    way = Way(network.port, sealed)
    await way.open()
    codes = []
    for ca_file in (mine, other, None):
        trying = Connection(
            ("localhost", way.port),
            "desk",
            PASSWORD,
            "desk",
            in_the_clear=False,
            heard=lambda *_: None,
            ca_file=ca_file,
            timeout=5.0,
        )
        try:
            await trying.start()
            codes.append("up" if trying.up else "")
        except DragomanError as failed:
            codes.append(failed.code)
        await trying.close()
    await way.close()

    assert ["up", "channel_unreachable", "channel_unreachable"] == codes
