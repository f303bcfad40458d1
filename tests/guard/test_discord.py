"""A guarded discord.py client sends nothing past the gate: every call of its REST client and of its models, on a server
that counts."""

from __future__ import annotations

import ast
import asyncio
import datetime as dt
import io
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import Turn
from dragoman.channels.discord.connection import discord
from dragoman.errors import DragomanError
from tests.guard.calls import methods, outcome, plain
from tests.guard.counter import Counter, counting
from tests.guard.world import gate_at, stopped

from discord.http import HTTPClient, MultipartParameters, Route  # isort: skip
from discord.webhook.async_ import AsyncWebhookAdapter  # isort: skip
from discord.webhook.sync import WebhookAdapter  # isort: skip

from dragoman.channels.discord.calls import READS, SENDS  # isort: skip

BOT, GUILD, CHANNEL, MESSAGE, PERSON = "9000000000000001", "4000000000000001", "5000000000000001", "601", "701"
OWNER = {"id": PERSON, "username": "kim", "discriminator": "0", "avatar": None, "bot": False}
NO_REQUEST = {"clear", "close", "get_ratelimit", "get_from_cdn", "request", "ws_connect", "static_login"}
"""What of the REST client is no call of the API by itself."""


def answer(method: str, path: str, body: bytes) -> Any:
    """Enough of Discord to log in and to read."""
    if path.endswith("/users/@me"):
        return {"id": BOT, "username": "desk", "discriminator": "0", "avatar": None, "bot": True}
    if path.endswith("/oauth2/applications/@me"):
        said = {"id": BOT, "name": "desk", "description": "", "flags": 0, "verify_key": "", "icon": None}
        return {**said, "bot_public": False, "bot_require_code_grant": False, "owner": OWNER, "summary": ""}
    if path.endswith("/gateway/bot"):
        return {"url": "ws://127.0.0.1:9", "shards": 1, "session_start_limit": {}}
    if path.endswith(f"/channels/{CHANNEL}"):
        return {"id": CHANNEL, "type": 0, "guild_id": GUILD}
    if path.endswith(f"/guilds/{GUILD}"):
        return {"id": GUILD, "name": "g", "features": []}
    if method == "POST" and path.endswith(f"/channels/{CHANNEL}/messages"):
        return {"id": "602", "channel_id": CHANNEL}
    return {}


@pytest.fixture
def server() -> Iterator[Counter]:
    """Discord's API, as far as it counts; the SDK's own address is set back afterwards."""
    was = Route.BASE
    with counting(answer) as counter:
        Route.BASE = f"{counter.url}/api/v10"
        yield counter
    Route.BASE = was


@pytest.fixture
async def client(server: Counter) -> AsyncIterator[discord.Client]:
    """A client that has logged in."""
    made = discord.Client(intents=discord.Intents.none())
    await made.login("a-token-of-this-test")
    server.clear()
    yield made
    await made.close()


def called(root: Path) -> set[str]:
    """Every route that the installed SDK makes, by its method and path."""
    found: set[str] = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Route":
                method, route = node.args[:2]
                assert isinstance(method, ast.Constant), ast.unparse(node)
                text = route.value if isinstance(route, ast.Constant) else None
                # a route that is made with an id in it is named without
                text = text or re.sub(r"\{\w+\}", "{id}", ast.unparse(route).removeprefix("f").strip("'\""))
                found.add(f"{method.value} {text}")
    return found


def test_every_route_of_the_sdk_is_in_one_table() -> None:
    """A route that a newer SDK adds is in neither, and turns this red; what it dropped goes from the tables."""
    routes = called(Path(discord.__file__).parent)
    named = {call for call in READS | SENDS if " /" in call}

    assert set() == READS & SENDS
    assert routes == named, sorted(routes ^ named)
    assert len(routes) > 150
    assert {route for route in routes if route.startswith("GET ")} == {call for call in READS if " /" in call}


def made(name: str, annotation: str) -> Any:
    """Arguments of the REST client."""
    if name == "params" or "MultipartParameters" in annotation:
        return MultipartParameters(payload={"content": "x"}, multipart=None, files=None)
    if name == "file":
        return discord.File(io.BytesIO(b"x"), filename="a.png")
    return {} if name == "payload" else plain(name, annotation)


@pytest.mark.anyio
async def test_every_call_of_the_rest_client_is_judged(client: discord.Client, server: Counter, tmp_path: Path) -> None:
    """Called by its own name outside a turn, each method that can be noticed is stopped; those that read arrive."""
    gate, journal = gate_at(tmp_path, "discord", GUILD, CHANNEL)
    gate.guard(client)
    names = [name for name in methods(HTTPClient) if name not in NO_REQUEST]
    became = {name: await outcome(getattr(client.http, name), made) for name in names}
    odd = {name: said for name, said in became.items() if said not in ("stopped", "passed")}

    assert {} == odd
    assert {"GET"} == {method for method, _ in server.requests}
    assert sum(said == "stopped" for said in became.values()) == len(stopped(journal)) > 100
    assert len(server.requests) >= sum(said == "passed" for said in became.values()) > 60


@pytest.mark.anyio
async def test_every_webhook_and_interaction_is_stopped(
    client: discord.Client, server: Counter, tmp_path: Path
) -> None:
    """Webhooks and the answers to interactions go past the REST client, and are stopped as well: async and not."""
    gate, _ = gate_at(tmp_path, "discord", GUILD, CHANNEL)
    gate.guard(client)
    session = client.http._HTTPClient__session  # type: ignore[attr-defined]

    def given(name: str, annotation: str) -> Any:
        return session if name == "session" else made(name, annotation)

    for adapter in (AsyncWebhookAdapter(), WebhookAdapter()):
        names = [name for name in methods(type(adapter)) if name != "request"]
        became = {name: await outcome(getattr(adapter, name), given) for name in names}
        reading = {name for name in names if name.startswith(("fetch", "get"))}
        assert {"stopped"} == {became[name] for name in names if name not in reading}, became
        assert len(names) > len(reading) + 5
    assert {"GET"} >= {method for method, _ in server.requests}


def models(client: discord.Client) -> list[Any]:
    """One of each thing that a bot is handed or can look up."""
    state = client._connection
    author = OWNER
    member = {
        "user": author,
        "roles": [],
        "joined_at": "2026-01-01T00:00:00+00:00",
        "deaf": False,
        "mute": False,
        "flags": 0,
    }
    text = {"id": CHANNEL, "type": 0, "name": "c", "position": 0, "permission_overwrites": [], "nsfw": False}
    guild = discord.Guild(
        data={  # type: ignore[typeddict-item]
            "id": GUILD,
            "name": "g",
            "owner_id": PERSON,
            "features": [],
            "roles": [],
            "emojis": [],
            "stickers": [],
            "channels": [text],
            "members": [member],
            "member_count": 2,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "nsfw_level": 0,
            "mfa_level": 0,
            "premium_tier": 0,
            "system_channel_flags": 0,
            "preferred_locale": "en-US",
            "afk_timeout": 0,
        },
        state=state,
    )
    state._add_guild(guild)
    channel = guild.get_channel(int(CHANNEL))
    assert isinstance(channel, discord.TextChannel)
    said = {
        "id": MESSAGE,
        "channel_id": CHANNEL,
        "author": author,
        "content": "hi",
        "tts": False,
        "type": 0,
        "timestamp": "2026-11-30T10:00:00+00:00",
        "edited_timestamp": None,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
    }
    message = discord.Message(state=state, channel=channel, data=said)  # type: ignore[arg-type]
    thread = {
        "id": "801",
        "type": 11,
        "guild_id": GUILD,
        "parent_id": CHANNEL,
        "owner_id": PERSON,
        "name": "t",
        "message_count": 1,
        "member_count": 1,
        "rate_limit_per_user": 0,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": 60,
            "archive_timestamp": "2026-01-01T00:00:00+00:00",
        },
    }
    asked = {
        "id": "901",
        "application_id": BOT,
        "type": 2,
        "token": "interaction",
        "version": 1,
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "channel": text,
        "member": {**member, "permissions": "0"},
        "locale": "en-US",
        "data": {"id": "1", "name": "ask", "type": 1},
        "entitlements": [],
        "attachment_size_limit": 1,
        "authorizing_integration_owners": {},
    }
    interaction = discord.Interaction(data=asked, state=state)  # type: ignore[arg-type]
    person = guild.get_member(int(PERSON)) or discord.Member(data=member, guild=guild, state=state)  # type: ignore[arg-type]
    webhook = discord.Webhook.partial(901, "w" * 60, client=client)
    return [
        *(client, guild, channel, message, channel.get_partial_message(601), person, person._user, interaction),
        *(client.get_partial_messageable(int(CHANNEL)), discord.Thread(guild=guild, state=state, data=thread)),  # type: ignore[arg-type]
        *(interaction.response, interaction.followup, webhook, client.user),
    ]


WORDS = {
    "send",
    "reply",
    "send_message",
    "edit_message",
    "defer",
    "add_reaction",
    "publish",
    "pin",
    "edit",
    "change_presence",
}
"""What must be among the stopped whatever else is."""
BEFORE_A_CALL = {"start", "connect", "run", "login", "close", "setup_hook", "wait_until_ready", "wait_for", "on_error"}
"""Methods of the client that talk to nobody, or wait."""


def argument(name: str, annotation: str) -> Any:
    """Arguments of the models."""
    if name in ("emoji",):
        return "\N{WAVING HAND SIGN}"
    if name == "modal":
        modal = discord.ui.Modal(title="m")
        return modal.add_item(discord.ui.TextInput(label="l"))
    if "Snowflake" in annotation or "abc.User" in annotation or name in ("user", "member", "message", "channel"):
        return discord.Object(4_000_000_000_000_001)
    return plain(name, annotation)


@pytest.mark.anyio
async def test_every_method_of_the_models_is_stopped(client: discord.Client, server: Counter, tmp_path: Path) -> None:
    """Whatever a bot calls on what it is handed (channel, message, member, interaction, webhook ...), only what reads
    reaches the server."""
    gate, journal = gate_at(tmp_path, "discord", GUILD, CHANNEL)
    things = models(client)
    gate.guard(client)
    became: dict[str, str] = {}
    for at, thing in enumerate(things):
        for name in methods(type(thing), only_async=True):
            if thing is client and name in BEFORE_A_CALL:
                continue
            given = {"content": "x"} if name in ("send", "send_message", "edit_message") else {}
            said = await outcome(getattr(thing, name), argument, 1, **given)
            became[f"{type(thing).__name__}-{at}.{name}"] = said
    talked = {name.partition(".")[2] for name, said in became.items() if said == "stopped"}

    assert {"GET"} >= {method for method, _ in server.requests}
    assert set() == WORDS - talked - {"change_presence"}
    assert sum(said == "stopped" for said in became.values()) == len(stopped(journal)) > 70


@pytest.mark.anyio
async def test_presence_and_voice_are_stopped_at_the_gateway(
    client: discord.Client, server: Counter, tmp_path: Path
) -> None:
    """Heartbeat and identify pass; what others see of us does not."""
    from discord.gateway import DiscordWebSocket

    gate, journal = gate_at(tmp_path, "discord", GUILD, CHANNEL)
    gate.guard(client)

    sent: list[str] = []

    class Wire:
        async def send_str(self, text: str) -> None:
            sent.append(text)

    socket = DiscordWebSocket(Wire(), loop=asyncio.get_running_loop())  # type: ignore[arg-type]
    socket.token = "a-token-of-this-test"
    socket._rate_limiter.block = lambda: asyncio.sleep(0)  # type: ignore[method-assign, assignment]
    await socket.send_as_json({"op": 1, "d": 7})
    for presence in (socket.change_presence(), socket.voice_state(1, 2), socket.debug_send('{"op":3}')):
        with pytest.raises(DragomanError, match="ungated_send"):
            await presence

    assert ['{"op":1,"d":7}'] == [text.replace(" ", "") for text in sent]
    assert ["discord.gateway 3", "discord.gateway 4", "discord.gateway 3"] == [
        entry.consumer for entry in stopped(journal)
    ]


@pytest.mark.anyio
async def test_inside_a_turn_the_answer_arrives_and_nothing_else(
    client: discord.Client, server: Counter, tmp_path: Path
) -> None:
    """The agent's reply leaves by the door; the message's own shortcuts do not, nor while it is on its way."""
    gate, journal = gate_at(tmp_path, "discord", GUILD, CHANNEL)
    things = models(client)
    channel, message = things[2], things[3]
    desk = gate.guard(client)
    became: list[str] = []

    async def agent(turn: Turn) -> None:
        became.append(await outcome(lambda: message.reply("x"), argument))
        reply = asyncio.create_task(turn.reply("the answer"))
        while not reply.done():
            became.append(await outcome(lambda: channel.send("x"), argument))
            await asyncio.sleep(0)
        assert "yes" == (await reply).delivered

    asked, unasked = heard(client, "602", f"<@{BOT}> hello?"), heard(client, "603", "hello")
    admitted = await gate.handle(await desk.event(asked), desk, agent, report=_raise)
    silent = await gate.handle(await desk.event(unasked), desk, agent)
    with pytest.raises(DragomanError) as stranger:
        await desk.event(discord.Object(999))  # type: ignore[arg-type]
    await desk.close()

    assert ("respond", "not_requested") == (admitted.outcome, silent.reason)
    assert [("POST", f"/api/v10/channels/{CHANNEL}/messages")] == [row for row in server.requests if row[0] != "GET"]
    assert {"stopped"} == set(became)
    assert len(became) == len(stopped(journal))
    assert "not_found" == stranger.value.code


def heard(client: discord.Client, id: str, text: str) -> Any:
    """A message that the gateway brings, and what a listener is handed of it."""
    mentions = (
        [{"id": BOT, "username": "desk", "discriminator": "0", "avatar": None, "bot": True}] if BOT in text else []
    )
    now = dt.datetime.now(dt.UTC)
    raw: dict[str, Any] = {"id": str(snowflake(now) + int(id)), "channel_id": CHANNEL, "guild_id": GUILD}
    raw |= {"content": text, "timestamp": now.isoformat(), "edited_timestamp": None, "type": 0, "pinned": False}
    raw |= {"author": OWNER, "mentions": mentions, "mention_roles": [], "mention_everyone": False, "tts": False}
    raw |= {"attachments": [], "embeds": []}
    client._connection.parsers["MESSAGE_CREATE"](raw)
    return discord.Object(int(str(raw["id"])))


def snowflake(at: dt.datetime) -> int:
    """An id of that time."""
    return discord.utils.time_snowflake(at)


def _raise(error: Exception) -> None:
    raise error
