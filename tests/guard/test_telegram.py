"""A guarded Telegram bot sends nothing past the gate: every method and every shortcut of the SDK, on a server that
counts."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import telegram
from telegram import Bot, Chat, Message, Update, User
from telegram.ext import ApplicationBuilder, ExtBot
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from dragoman import Turn
from dragoman.channels.telegram.calls import READS, SENDS
from dragoman.errors import DragomanError
from tests.guard.calls import api_names, methods, outcome, plain
from tests.guard.counter import Counter, counting
from tests.guard.world import gate_at, stopped

TOKEN = "700000001:a-token-of-this-test"
ME = {"id": 700000001, "is_bot": True, "first_name": "Desk", "username": "desk_bot"}
ALIVE = {"initialize", "shutdown", "do_api_request", "to_dict", "to_json", "de_json", "de_list", "set_bot", "get_bot"}
"""What of a bot is no call of the API by itself."""


def answer(method: str, path: str, body: bytes) -> Any:
    """Enough of the Bot API to be read."""
    call = path.rpartition("/")[2]
    if call == "getMe":
        return {"ok": True, "result": ME}
    if call == "sendMessage":
        return {
            "ok": True,
            "result": {"message_id": 55, "date": 1, "chat": {"id": -100, "type": "group", "title": "g"}},
        }
    return {"ok": True, "result": []}


@pytest.fixture
def server() -> Iterator[Counter]:
    """The Bot API, as far as it counts."""
    with counting(answer) as counter:
        yield counter


@pytest.fixture
async def bot(server: Counter) -> AsyncIterator[Bot]:
    """A bot that has been started."""
    async with Bot(TOKEN, base_url=f"{server.url}/bot", base_file_url=f"{server.url}/file/bot") as made:
        server.clear()
        yield made


def sent(server: Counter) -> list[str]:
    """What reached the server and does not only read."""
    calls = [path.rpartition("/")[2] for _, path in server.requests]
    return [call for call in calls if call not in READS]


def test_every_method_of_the_sdk_is_in_one_table() -> None:
    """A method that a newer SDK adds is in neither, and turns this red; what it dropped goes from the tables."""
    called = api_names(Bot, r'_(?:post|send_message)\(\s*"([A-Za-z]+)"')
    named = (READS | SENDS) - {"file"}

    assert set() == READS & SENDS
    assert called == named, sorted(called ^ named)
    assert len(called) > 150
    assert {"setWebhook", "deleteWebhook"} == {call for call in READS if not call.startswith("get")} - {"file"}
    # the SDK has a second name for each method, as the API writes it
    assert called <= set(methods(Bot))


def made(name: str, annotation: str) -> Any:
    """Arguments of the bot's methods and of the shortcuts."""
    if name == "commands":
        return [("ask", "x")]
    if name in ("media", "messages") or "Sequence" in annotation or "list[" in annotation:
        return [telegram.InputMediaPhoto("x")] if name == "media" else [1]
    if "InputMedia" in annotation:
        return telegram.InputMediaPhoto("x")
    if any(word in annotation for word in ("FileInput", "InputFile", "PhotoSize", "Sticker")):
        return "file-id"
    if "int" in annotation:
        return 7
    if "bool" in annotation:
        return True
    return "x1"


MORE: dict[str, dict[str, Any]] = {
    "editMessageLiveLocation": {"latitude": 1.0, "longitude": 1.0},
    "sendContact": {"phone_number": "1", "first_name": "x"},
    "sendLocation": {"latitude": 1.0, "longitude": 1.0},
    "sendVenue": {"latitude": 1.0, "longitude": 1.0, "title": "x", "address": "x"},
}
"""What a method asks for that its signature does not say."""


@pytest.mark.parametrize("kind", [Bot, ExtBot])
@pytest.mark.anyio
async def test_every_method_is_judged(kind: type[Bot], server: Counter, tmp_path: Path) -> None:
    """Called outside a turn, nothing but what reads reaches the server, and every method that sends is stopped."""
    gate, journal = gate_at(tmp_path, "telegram", "700000001", "-100")
    async with kind(TOKEN, base_url=f"{server.url}/bot") as bot:
        server.clear()
        gate.guard(bot)
        named = {name: await outcome(getattr(bot, name), made, **MORE.get(name, {})) for name in sorted(SENDS)}
        rest = [name for name in methods(type(bot), only_async=True) if name not in ALIVE]
        snake = {name: await outcome(getattr(bot, name), made) for name in rest if name.islower()}

    assert [] == sent(server)
    assert {} == {name: said for name, said in named.items() if said != "stopped"}
    assert len(SENDS) + sum(said == "stopped" for said in snake.values()) == len(stopped(journal)) > 200


def things(bot: Bot) -> list[Any]:
    """One of each thing with shortcuts that a handler is handed."""
    person, group = User(8, "Kim", False), Chat(-100, "supergroup", title="g")
    message = Message(1, dt.datetime.now(dt.UTC), group, from_user=person, text="hi")
    found = [
        *(person, group, message),
        telegram.CallbackQuery("1", person, "c", message=message, data="x"),
        telegram.InlineQuery("1", person, "x", ""),
        telegram.ShippingQuery("1", person, "x", telegram.ShippingAddress("FR", "", "Paris", "x", "", "1")),
        telegram.PreCheckoutQuery("1", person, "EUR", 1, "x"),
        telegram.ChatJoinRequest(group, person, dt.datetime.now(dt.UTC), 8),
    ]
    for thing in found:
        thing.set_bot(bot)
    return found


@pytest.mark.anyio
async def test_every_shortcut_is_stopped(bot: Bot, server: Counter, tmp_path: Path) -> None:
    """`message.reply_text`, `chat.send_photo`, `query.answer` ...: whatever it is called on, it ends at the wall."""
    gate, journal = gate_at(tmp_path, "telegram", "700000001", "-100")
    gate.guard(bot)
    became: dict[str, str] = {}
    for thing in things(bot):
        for name in methods(type(thing), only_async=True):
            became[f"{type(thing).__name__}.{name}"] = await outcome(getattr(thing, name), made)
    words = {"Message.reply_text", "Message.edit_text", "Message.set_reaction", "Chat.send_photo", "User.send_message"}
    words |= {
        "CallbackQuery.answer",
        "InlineQuery.answer",
        "Message.delete",
        "Message.reply_document",
        "Chat.pin_message",
    }

    assert [] == sent(server)
    assert {"stopped"} == {became[word] for word in words}
    assert len(stopped(journal)) == sum(said == "stopped" for said in became.values()) > 150


@pytest.mark.anyio
async def test_what_lies_below_the_methods_is_stopped(bot: Bot, server: Counter, tmp_path: Path) -> None:
    """A raw API call, the request object, and the httpx client under it; also after the bot was stopped and started."""
    gate, _ = gate_at(tmp_path, "telegram", "700000001", "-100")
    gate.guard(bot)
    request = bot.request
    assert isinstance(request, HTTPXRequest)
    address = f"{bot.base_url}/sendMessage"
    ways = [
        lambda: bot.do_api_request("SENDMESSAGE", {"chat_id": 7, "text": "x"}),
        lambda: bot.do_api_request("sendTomorrow", {}),
        lambda: request.post(address, RequestData([])),
        lambda: request.retrieve(address),
        lambda: request.do_request(address, "POST"),
        lambda: request._client.post(address, data={"chat_id": 7, "text": "x"}),
        lambda: request._client.get(address),
    ]
    before = [await outcome(way, plain) for way in ways]
    await bot.shutdown()
    await bot.initialize()
    after = [await outcome(way, plain) for way in ways]

    assert ["stopped"] * 2 * len(ways) == before + after
    assert [] == sent(server)


class OwnRequest(BaseRequest):
    """A transport of the bot's own."""

    read_timeout = 5.0
    calls: list[str] = []  # noqa: RUF012  counted

    async def initialize(self) -> None:
        """Nothing."""

    async def shutdown(self) -> None:
        """Nothing."""

    async def do_request(self, url: str, method: str, *_: Any, **__: Any) -> tuple[int, bytes]:
        """Count it."""
        self.calls.append(url.rpartition("/")[2])
        return 200, json.dumps({"ok": True, "result": ME}).encode()


@pytest.mark.anyio
async def test_a_transport_of_the_bots_own_is_fenced(tmp_path: Path, server: Counter) -> None:
    """What another HTTP library would carry is judged too, called by the bot or directly."""
    gate, _ = gate_at(tmp_path, "telegram", "700000001", "-100")
    own = OwnRequest()
    async with Bot(TOKEN, request=own, get_updates_request=OwnRequest()) as bot:
        gate.guard(bot)
        became = [
            await outcome(lambda: bot.send_message(7, "x"), plain),
            await outcome(lambda: own.do_request(f"{bot.base_url}/sendMessage", "POST"), plain),
        ]
        await bot.get_me()

    assert ["stopped", "stopped"] == became
    assert {"getMe"} == set(OwnRequest.calls)


@pytest.mark.anyio
async def test_a_second_bot_with_the_token_is_guarded_and_no_other(bot: Bot, server: Counter, tmp_path: Path) -> None:
    """The token is in every address, so that whoever speaks by it is known; another bot is nobody's here."""
    gate, _ = gate_at(tmp_path, "telegram", "700000001", "-100")
    gate.guard(bot)
    async with Bot(TOKEN, base_url=f"{server.url}/bot") as second:
        assert "stopped" == await outcome(lambda: second.send_message(7, "x"), plain)
    async with Bot("700000002:another", base_url=f"{server.url}/bot") as other:
        await other.send_message(7, "x")

    assert ["sendMessage"] == sent(server)


@pytest.mark.anyio
async def test_files_are_read(bot: Bot, server: Counter, tmp_path: Path) -> None:
    """A file's address carries the token, and is read as ever."""
    gate, _ = gate_at(tmp_path, "telegram", "700000001", "-100")
    gate.guard(bot)
    await bot.request.retrieve(f"{server.url}/file/bot{TOKEN}/documents/a.pdf")

    assert "stopped" == await outcome(lambda: bot.request.post(f"{server.url}/file/bot{TOKEN}/a"), plain)
    assert [("GET", f"/file/bot{TOKEN}/documents/a.pdf")] == server.requests


def update(text: str, *, asks: bool = True) -> dict[str, Any]:
    """What Telegram brings of a message in a group."""
    words = f"@desk_bot {text}" if asks else text
    said: dict[str, Any] = {
        "message_id": 9 if asks else 10,
        "date": int(time.time()),
        "text": words,
        "chat": {"id": -100, "type": "supergroup", "title": "g"},
        "from": {"id": 8, "is_bot": False, "first_name": "Kim"},
    }
    if asks:
        said["entities"] = [{"type": "mention", "offset": 0, "length": 9}]
    return {"update_id": 1 if asks else 2, "message": said}


@pytest.mark.anyio
async def test_inside_a_turn_the_answer_arrives_and_nothing_else(server: Counter, tmp_path: Path) -> None:
    """The agent's reply leaves by the door; the shortcut of the very update, and a task beside the turn, do not."""
    gate, journal = gate_at(tmp_path, "telegram", "700000001", "-100")
    application = ApplicationBuilder().token(TOKEN).base_url(f"{server.url}/bot").updater(None).build()
    desk = gate.guard(application)
    became: list[str] = []
    async with application:
        asked = Update.de_json(update("hello?"), application.bot)
        silent = Update.de_json(update("hello", asks=False), application.bot)

        async def agent(turn: Turn) -> None:
            assert asked.message is not None
            became.append(await outcome(lambda: asked.message.reply_text("x"), plain))  # type: ignore[union-attr]
            reply = asyncio.create_task(turn.reply("the answer"))
            while not reply.done():
                became.append(await outcome(lambda: application.bot.send_message(-100, "x"), plain))
                await asyncio.sleep(0)
            assert "yes" == (await reply).delivered

        admitted = await gate.handle(await desk.event(asked), desk, agent, report=_raise)
        unasked = await gate.handle(await desk.event(silent), desk, agent)
        await desk.close()

    assert ("respond", "not_requested") == (admitted.outcome, unasked.reason)
    assert ["sendMessage"] == sent(server)
    assert {"stopped"} == set(became)
    assert len(became) == len(stopped(journal))


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.anyio
async def test_the_error_is_ours_and_not_the_sdks(bot: Bot, server: Counter, tmp_path: Path) -> None:
    """It is not taken for a failure of the network, which a bot would try again."""
    gate, _ = gate_at(tmp_path, "telegram", "700000001", "-100")
    gate.guard(bot)
    with pytest.raises(DragomanError, match=r"ungated_send: telegram: `sendMessage` sends; nothing left"):
        await bot.send_message(7, "x")
