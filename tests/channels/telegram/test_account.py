"""The account at its server: what it keeps, what it asks for and when, how fast it speaks, and what it never tells."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request as Urls
from urllib.request import urlopen

import msgspec
import pytest

from dragoman.channels.account import Batch, Place, Proof
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.channels.telegram.account import account
from dragoman.channels.telegram.adapter import TelegramAccount
from dragoman.channels.telegram.connection import Connection
from dragoman.channels.telegram.section import TelegramSection
from dragoman.clock import HOUR, SECOND, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import EventKind
from dragoman.gate.operations import Operation
from dragoman.gate.parts import File, Parts
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Party, Target
from dragoman.words import Fact
from tests.channels.telegram.server import BotApi
from tests.channels.telegram.world import TelegramWorld, entity
from tests.e2e.counting import proxy
from tests.platforms.world import Saying

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]
SECRET = "s3cret_A-1"
URL = "http://127.0.0.1:9/telegram"


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.ahead = 0

    def now(self) -> int:
        """Epoch milliseconds."""
        return SystemClock().now() + self.ahead


@contextlib.asynccontextmanager
async def opened(api: BotApi) -> AsyncIterator[TelegramWorld]:
    """A world whose account is open."""
    world = TelegramWorld(api)
    try:
        await world.account.open()
        yield world
    finally:
        await world.close()


async def first(batches: AsyncIterator[Batch]) -> Batch:
    """The next batch."""
    return await asyncio.wait_for(anext(batches), 10)


def send(world: TelegramWorld, text: str = "hello", place: str = "group", **more: Any) -> Output:
    """One output to a place."""
    return Output(**{"operation": Operation.SEND, "target": world.target(place), "key": "k", "text": text, **more})


# --- what comes in ----------------------------------------------------------------------------------------------------


async def test_nothing_is_lost_between_two_runs(api: BotApi) -> None:
    """What was said before the first look is history. From then on Telegram forgets only what was stored: a batch whose
    position was not comes again."""
    async with opened(api) as world:
        await world.say(Saying(text="before"))
        begun = await first(world.account.events(None))
        assert () == begun.arrivals
        ids = [await world.say(Saying(text=text)) for text in ("one", "two")]

        for _ in range(2):
            batch = await first(world.account.events(begun.position))
            events = [world.account.event(each.raw, each.received_at) for each in batch.arrivals]
            assert ids == [event.event_id for event in events]
        later = await world.say(Saying(text="three"))
        (arrival,) = (await first(world.account.events(batch.position))).arrivals

        assert later == world.account.event(arrival.raw, arrival.received_at).event_id


async def test_an_odd_update_stops_nothing(api: BotApi) -> None:
    """Updates that nobody foresaw come through as what they are, and the next message is read."""
    async with opened(api) as world:
        begun = await first(world.account.events(None))
        for kind, told in (("message", {"chat": "x"}), ("quantum_poll", {"a": [1]}), ("message_reaction", {})):
            await asyncio.to_thread(api.update, world.token, kind, 1, told)
        said = await world.say(Saying(text="hello"))

        batch = await first(world.account.events(begun.position))
        events = [world.account.event(each.raw, each.received_at) for each in batch.arrivals]
        assert [EventKind.OTHER] * 3 == [event.kind for event in events[:3]]
        assert said == events[3].event_id


async def test_members_are_asked_for_only_where_they_decide(api: BotApi) -> None:
    """Chatter of outsiders and one-to-ones cost no look-up. What a colleague says in a group is told with who is there,
    so that it can be ours; the arrival holds it, and the event is the same whenever it is made."""
    async with opened(api) as world:
        begun = await first(world.account.events(None))
        await world.say(Saying(text="chatter"))
        await world.say(Saying(place="direct", text="hello"))
        quiet = await first(world.account.events(begun.position))
        assert not [method for method in api.requests(world.bot) if method.startswith("getChat")]

        await world.say(Saying(who="oper", place="inside", text="among us"))
        await world.say(Saying(who="oper", place="shared", text="not among us"))
        batch = await first(world.account.events(quiet.position))
        shared = [world.account.event(each.raw, 0).shared for each in batch.arrivals]
        assert [Fact.NO, Fact.YES] == shared
        before = api.requests(world.bot)
        assert shared == [world.account.event(each.raw, 0).shared for each in batch.arrivals]
        assert before == api.requests(world.bot)


async def test_another_name_is_learnt(api: BotApi) -> None:
    """The owner gives the bot another username: within the hour mentions are compared with the new one, and what came
    under the old one stays what it was."""
    async with opened(api) as world:
        clock = Clock()
        section = TelegramSection(bot_id=world.bot, token_file="t", api_url=api.url)
        place = msgspec.structs.replace(world.given(), clock=clock)
        bot = TelegramAccount(section, world.token, "", place, wait=1)
        await bot.open()
        begun = await first(bot.events(None))
        await world.say(Saying(text="which dates?", mentions=True))
        batch = await first(bot.events(begun.position))
        answer = {"id": world.bot, "first_name": "Desk", "username": "front_desk_bot"}
        await asyncio.to_thread(api.post, "/shim/bot", {"token": world.token, "bot": answer})
        clock.ahead = HOUR
        await world.say(Saying(text="which dates?", mentions=True))
        await world._tell({**world._message("buyer", "group"), "text": "@front_desk_bot hi",
                           "entities": [entity("mention", "", "@front_desk_bot")]})  # fmt: skip
        (old, new) = (await first(bot.events(batch.position))).arrivals

        told = [bot.event(each.raw, 0) for each in (*batch.arrivals, old, new)]
        assert [Fact.YES, Fact.NO, Fact.YES] == [event.mentions_agent for event in told]
        await bot.close()


async def test_an_outage_is_waited_out(api: BotApi) -> None:
    """While nothing answers, reading waits; the owner is told once, without the token; then it goes on."""
    told: list[DragomanError] = []
    with proxy(api.url) as way:
        world = TelegramWorld(api)
        section = TelegramSection(bot_id=world.bot, token_file="t", api_url=way.url)
        place = msgspec.structs.replace(world.given(), report=told.append)
        bot = TelegramAccount(section, world.token, "", place, wait=1, timeout=2.0)
        await bot.open()
        begun = await first(bot.events(None))
        way.instead = lambda request: (409, b'{"ok":false,"error_code":409,"description":"Conflict: terminated"}')
        said = await world.say(Saying(text="hello"))
        batches = bot.events(begun.position)
        reading = asyncio.ensure_future(first(batches))
        await asyncio.sleep(1.4)
        assert ["channel_unreachable"] == [error.code for error in told]
        assert "webhook" in told[0].fix
        assert world.token not in str(told[0])
        way.instead = lambda request: None
        (arrival,) = (await reading).arrivals
        assert said == bot.event(arrival.raw, 0).event_id
        await bot.close()
        await world.close()


async def test_a_token_that_is_not_taken_any_more(api: BotApi) -> None:
    """A revoked token ends the reading, and says where to look."""
    world = TelegramWorld(api)
    section = TelegramSection(bot_id=world.bot, token_file="t", api_url=api.url)
    bot = TelegramAccount(section, f"{world.bot}:EXAMPLE-revoked-token", "", world.given())

    with pytest.raises(DragomanError, match="channel_refused") as refused:
        await bot.open()
    with pytest.raises(DragomanError, match="channel_refused"):
        await first(bot.events("5"))
    assert "revoked" not in str(refused.value)
    await bot.close()
    await world.close()


# --- webhooks ---------------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def called(
    api: BotApi, folder: Path, kept: list[Spool] | None = None
) -> AsyncIterator[tuple[TelegramWorld, TelegramAccount, Inlet]]:
    """A bot that Telegram calls, on a real port."""
    world, clock = TelegramWorld(api), SystemClock()
    inlet = Inlet("127.0.0.1", 0, clock, print)
    spools = [] if kept is None else kept

    def spool(name: str) -> Spool:
        spools.append(Spool(folder / "inbox.db", clock))
        return spools[-1]

    place = Place(clock=clock, at=Path, spool=spool, inlet=inlet, report=print)
    section = TelegramSection(
        bot_id=world.bot,
        token_file="t",
        api_url=api.url,
        webhook_url=URL,
        webhook_secret_file="s",
    )
    bot = TelegramAccount(section, world.token, SECRET, place)
    try:
        await bot.open()
        yield world, bot, inlet
    finally:
        await inlet.close()
        await bot.close()
        await world.close()


async def calls(inlet: Inlet, secret: str, body: bytes) -> int:
    """The status that one call of our address is answered with."""
    request = Urls(f"http://127.0.0.1:{inlet.port}/telegram", body, {"X-Telegram-Bot-Api-Secret-Token": secret})
    try:
        with await asyncio.to_thread(urlopen, request, timeout=10) as answered:
            return int(answered.status)
    except HTTPError as turned_away:
        with turned_away:
            return turned_away.code


async def test_a_call_is_kept_before_it_is_confirmed(api: BotApi, tmp_path: Path) -> None:
    """Only who knows the secret is heard. What was confirmed is on the disk: reading from the old position, after a
    restart too, brings it again, byte for byte."""
    update = b'{"update_id": 77, "message": {"message_id": 5}}'
    async with called(api, tmp_path) as (world, bot, inlet):
        assert "setWebhook" not in api.requests(world.bot)
        reading = asyncio.ensure_future(first(bot.events(None)))
        while "setWebhook" not in api.requests(world.bot):
            await asyncio.sleep(0.02)
        assert [401, 401, 400, 200] == [
            await calls(inlet, secret, body)
            for secret, body in (("", update), ("s3cret_A-2", update), (SECRET, b"[1]"), (SECRET, update))
        ]
        batch = await reading
    async with called(api, tmp_path) as (_, again, _):
        (arrival,) = (await first(again.events("spool:0"))).arrivals
        assert batch.arrivals[0].raw == arrival.raw
        assert update in arrival.raw
        assert "spool:1" == batch.position


async def test_what_cannot_be_kept_is_not_confirmed(api: BotApi, tmp_path: Path) -> None:
    """Where the inbox fails Telegram is told so, and offers the update again."""
    kept: list[Spool] = []
    async with called(api, tmp_path, kept) as (world, bot, inlet):
        reading = asyncio.ensure_future(first(bot.events(None)))
        while "setWebhook" not in api.requests(world.bot):
            await asyncio.sleep(0.02)
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        kept[0].close()

        assert 500 == await calls(inlet, SECRET, b'{"update_id": 78}')


async def test_telegram_is_told_where_to_call(api: BotApi, tmp_path: Path) -> None:
    """The address and the secret are set each time that reading begins; what waited from before is dropped only the
    first time. The server's own calls say the secret, and reach us."""
    async with called(api, tmp_path) as (world, bot, _):
        for since, dropped in ((None, "true"), ("spool:0", "false")):
            reading = asyncio.ensure_future(first(bot.events(since)))
            hooks: list[dict[str, str]] = []
            while [each["drop_pending_updates"] for each in hooks][-1:] != [dropped]:
                await asyncio.sleep(0.02)
                hooks = api.hooks(world.token)
            said = ("url", "secret_token", "allowed_updates")
            assert [URL, SECRET, '["message","edited_message"]'] == [hooks[-1][key] for key in said]
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading


async def test_an_empty_secret_is_no_secret(tmp_path: Path) -> None:
    """I10: without a secret there is no webhook: an empty file, or none, is an error when the account is made."""
    for name, text in (("token", "7000000001:EXAMPLE-not-a-token"), ("empty", ""), ("odd", "not:allowed")):
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text(text)
    nothing: Any = None
    place = Place(
        clock=SystemClock(), at=lambda name: tmp_path / name, spool=nothing, inlet=nothing, report=print
    )  # fmt: skip
    for secret in ("empty", "odd"):
        section = TelegramSection(
            bot_id=7000000001,
            token_file="token",
            webhook_url="https://desk.example/telegram",
            webhook_secret_file=secret,
        )
        with pytest.raises(DragomanError, match="config_invalid"):
            account(section, place)
    with pytest.raises(ValueError, match="need one another"):
        TelegramSection(bot_id=7000000001, token_file="token", webhook_url="https://desk.example/telegram")


# --- what leaves ------------------------------------------------------------------------------------------------------


async def test_where_it_is_said(api: BotApi) -> None:
    """An answer points at the message that it answers and stands in its topic; a schedule's points at nothing. Nothing
    is read as markup, no link is previewed, and a name is shown as code, which calls nobody."""
    async with opened(api) as world:
        asked = await world.say(Saying(text="which dates?", mentions=True))
        await world.account.perform(send(world, "🙂 ask @jordan_r, not x@y.zz: *now*", reply_to=asked, thread="7"))
        await world.account.perform(send(world, "good morning", reply_to="schedule-1"))
        answer, schedule = (each["message"] for each in api.said(world.token, world._chats["group"]))

        assert {"message_id": int(asked), "allow_sending_without_reply": True} == json.loads(answer["reply_parameters"])
        assert ("7", {"is_disabled": True}) == (answer["message_thread_id"], json.loads(answer["link_preview_options"]))
        marks = [(each["type"], each["offset"], each["length"]) for each in answer["entities"]]
        assert [("code", 7, 9)] == marks
        assert not {"reply_parameters", "message_thread_id", "entities", "parse_mode"} & set(schedule)


async def test_a_file_with_its_caption(api: BotApi) -> None:
    """A file is a document with its name and caption; without a caption its alternative text is shown."""
    async with opened(api) as world:
        for file in (
            File(name="plan.png", content=b"\x89PNG", media_type="image/png", caption="The plan."),
            File(name="plan.png", content=b"\x89PNG", media_type="image/png", alt="A plan of the hall."),
        ):
            output = send(world, "", operation=Operation.UPLOAD, parts=Parts(files=(file,)))
            assert Fact.YES is (await world.account.perform(output)).delivered
        assert ["The plan.", "A plan of the hall."] == await world.shown("group")
        held = [each["message"] for each in api.said(world.token, world._chats["group"])]
        assert ["true"] * 2 == [each["disable_content_type_detection"] for each in held]


async def test_how_fast_it_speaks(api: BotApi) -> None:
    """Messages of one chat go in order and a second apart; other chats do not wait for them, nor does typing."""
    async with opened(api) as world:
        section = TelegramSection(bot_id=world.bot, token_file="t", api_url=api.url)
        bot = TelegramAccount(section, world.token, "", world.given())
        started = time.monotonic()
        typing = send(world, "", operation=Operation.TYPING)
        said = [bot.perform(send(world, text)) for text in ("one", "two")]
        rest = [bot.perform(send(world, "elsewhere", "trio")), bot.perform(typing)]
        slow = asyncio.gather(*said)
        await asyncio.gather(*rest)
        assert not slow.done()
        await slow
        assert 0.95 < time.monotonic() - started
        assert ["one", "two"] == await world.shown("group")
        await bot.close()


REFUSED = [
    ("a chat of a business", {"target": Target("telegram", "", "b1/5")}, "not a chat of this account"),
    ("a name instead of an id", {"target": Target("telegram", "", "@group")}, "not a chat of this account"),
    ("an edit of nothing", {"operation": Operation.EDIT}, "nothing to edit"),
    ("a mark on nothing", {"operation": Operation.REACT, "reply_to": "x"}, "no message to react to"),
    ("a topic that is none", {"thread": "general"}, "no such topic"),
    ("an upload of nothing", {"operation": Operation.UPLOAD}, "not declared with these parts"),
    ("what is not declared", {"operation": Operation.THREAD}, "operation not declared"),
]


@pytest.mark.parametrize(("changes", "why"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
async def test_what_is_refused_before_it_leaves(api: BotApi, changes: dict[str, Any], why: str) -> None:
    """What cannot be meant for Telegram makes no request."""
    async with opened(api) as world:
        if "target" in changes:
            changes = {"target": msgspec.structs.replace(changes["target"], workspace=str(world.bot))}
        before = api.requests(world.bot)
        receipt = await world.account.perform(send(world, **changes))

        assert (Fact.NO, why) == (receipt.delivered, receipt.detail)
        assert before == api.requests(world.bot)


ANSWERS = [
    ("later", 429, {"ok": False, "error_code": 429, "description": "Too Many Requests",
                    "parameters": {"retry_after": 30}}, Fact.NO),
    ("moved", 400, {"ok": False, "error_code": 400, "description": "Bad Request: group chat was upgraded",
                    "parameters": {"migrate_to_chat_id": -1002000000077}}, Fact.NO),
    ("a failure inside", 500, {"ok": False, "error_code": 500, "description": "Internal Server Error"}, Fact.UNKNOWN),
    ("a gateway", 502, "<html>", Fact.UNKNOWN),
    ("an answer that is none", 200, "<html>", Fact.UNKNOWN),
    ("an answer without a message", 200, {"ok": True, "result": True}, Fact.UNKNOWN),
    ("elsewhere", 302, "", Fact.UNKNOWN),
    ("a request that took too long", 408, "", Fact.UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "delivered"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
async def test_what_an_answer_proves(api: BotApi, status: int, body: Any, delivered: Fact) -> None:
    """Only Telegram's own answer proves delivery; only a refusal proves that nothing was said; nothing is repeated."""
    with proxy(api.url) as way:
        world = TelegramWorld(api)
        bot = TelegramAccount(
            TelegramSection(bot_id=world.bot, token_file="t", api_url=way.url), world.token, "", world.given()
        )
        told = (body if isinstance(body, str) else json.dumps(body)).encode()
        way.instead = lambda request: (status, told)
        now = SystemClock().now()
        receipt = await bot.perform(send(world))

        assert delivered is receipt.delivered
        assert (receipt.retry_at is not None) == (status == 429)
        assert receipt.retry_at is None or 29 * SECOND < receipt.retry_at - now < 40 * SECOND
        assert ("another id" in receipt.detail) == ("migrate" in str(body))
        assert 1 == len(way.requests)
        await bot.close()
        await world.close()


async def test_nobody_there(api: BotApi) -> None:
    """Where no connection is made not a byte has left, and that is known."""
    async with opened(api) as world:
        section = TelegramSection(bot_id=world.bot, token_file="t", api_url="http://127.0.0.1:9")
        bot = TelegramAccount(section, world.token, "", world.given())
        assert Receipt(delivered=Fact.NO, detail="ConnectError") == await bot.perform(send(world))
        with pytest.raises(DragomanError, match="channel_unreachable"):
            await bot.open()
        await bot.close()


async def test_an_edit_that_changes_nothing(api: BotApi) -> None:
    """The text stands there, and Telegram says so: delivered."""
    async with opened(api) as world:
        receipt = await world.account.perform(send(world, "hello"))
        again = send(world, "hello", operation=Operation.EDIT, edits=receipt.evidence)

        assert Receipt(delivered=Fact.YES, evidence=receipt.evidence) == await world.account.perform(again)


async def test_what_became_of_a_lost_answer(api: BotApi) -> None:
    """Telegram has no way to ask: never a proof."""
    async with opened(api) as world:
        found = await world.account.look_up(world.target("group"), "k", 0)
        assert Proof(Fact.UNKNOWN, gone=True) == found


async def test_who_is_there(api: BotApi) -> None:
    """Of a one-to-one its person; of a group of colleagues only, them; of others that outsiders read, or nothing."""
    async with opened(api) as world:
        bot, id = str(world.bot), world.party
        direct = Presence(Fact.NO, frozenset({Party("telegram", bot, id("buyer"))}))
        inside = Presence(Fact.NO, frozenset({Party("telegram", bot, id("oper"))}))
        places = ("direct", "inside", "shared", "group")
        found = [await world.account.presence(world.target(place)) for place in places]
        assert [direct, inside, Presence(Fact.YES), Presence(Fact.YES)] == found
        api.chat(world._chats["inside"], linked_chat_id=-1003000000001)
        assert Presence(Fact.YES) == await world.account.presence(world.target("inside"))
        elsewhere = Target("telegram", bot, "-1009999999999")
        assert Presence(Fact.UNKNOWN) == await world.account.presence(elsewhere)


# --- the token --------------------------------------------------------------------------------------------------------


async def test_the_token_is_told_to_nobody(api: BotApi, caplog: pytest.LogCaptureFixture) -> None:
    """It is in every address, so nothing of the SDK or its HTTP client reaches a log, whatever the level."""
    with caplog.at_level(logging.DEBUG):
        async with opened(api) as world:
            await world.account.perform(send(world))
            await world.account.presence(world.target("inside"))
    assert world.token not in caplog.text
    assert "EXAMPLE" not in caplog.text


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("http://api.telegram.org", "7000000001:EXAMPLE-not-a-token"),
        ("https://api.telegram.org", "7000000002:EXAMPLE-not-a-token"),
        ("https://api.telegram.org", "EXAMPLE"),
        ("https://api.telegram.org", "7000000001:a/../b-not-a-token"),
    ],
)
async def test_what_is_no_connection(url: str, token: str) -> None:
    """No address in the clear, and no token of another bot; neither is told."""
    with pytest.raises(DragomanError, match="config_invalid") as refused:
        Connection(url, token, 7000000001, 1.0)
    assert "EXAMPLE" not in str(refused.value)
