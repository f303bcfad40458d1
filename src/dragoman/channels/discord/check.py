"""Can this Discord application do its work? Asked of Discord with reading requests that no server sees.

1. The token is the application's, or nothing else is looked at.
2. What the developer portal says: the message content intent, whether others may invite the bot, where chat commands go
   and by which key they are proven.
3. In which servers it is; and how far our clock is from Discord's, by which signed requests are fresh or old.
"""

from __future__ import annotations

import asyncio
from email.utils import parsedate_to_datetime
from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.discord.connection import FAILURES, Client, discord, intents
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.secret_file import read_secret
from dragoman.clock import MINUTE, SECOND
from dragoman.errors import DragomanError

SECONDS: Final = 15.0
PERMISSIONS: Final = 1 << 10 | 1 << 11 | 1 << 38 | 1 << 16 | 1 << 15 | 1 << 6
"""View channels, send messages (in threads too), read history, attach files, add reactions."""
_PAGE: Final = "docs/how-to/discord.md"
_MOST: Final = 200


async def checks(section: DiscordSection, place: Place) -> list[Checked]:
    """Token, intent, publicity, servers, chat commands and clock of the application.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    token = read_secret(place.at(section.token_file), "the bot's token")
    asked = intents(message_content=section.message_content)
    client = Client(lambda text: None, api_url=section.api_url, intents=asked)
    try:
        async with asyncio.timeout(SECONDS):
            await client.login(token)
            app = client.application
            if app is None or str(app.id) != section.application_id:
                return [_token(str(app.id) if app else "")]
            now = place.clock.now()
            servers = await client.http.get_guilds(_MOST, with_counts=False)
    except discord.LoginFailure:
        return [_token("")]
    except FAILURES as failed:
        raise DragomanError("channel_unreachable", type(failed).__name__, where="discord") from failed
    finally:
        await client.close()
    rows = [_TOKEN_OK, _intent(section, app.flags), _public(app.bot_public), _servers(section, len(servers))]
    return [*rows, _commands(section, app.interactions_endpoint_url, app.verify_key), _clock(now, client.answered_at)]


_TOKEN_OK: Final = Checked(what="token", state="ok", said=("it is the application's", "令牌属于此应用"))


def _token(found: str) -> Checked:
    said = ("Discord does not accept it", "Discord 不接受此令牌")
    if found:
        said = (f"it is of another application, `{found}`", f"令牌属于另一个应用 `{found}`")
    fix = (
        f"in the developer portal, Bot > Reset Token, and put the new token into `token_file` ({_PAGE})",
        f"在开发者门户 Bot > Reset Token，把新令牌写入 `token_file`（{_PAGE}）",
    )
    return Checked(what="token", state="blocker", said=said, fix=fix, code="channel_refused")


def _intent(section: DiscordSection, flags: discord.ApplicationFlags) -> Checked:
    on = flags.gateway_message_content or flags.gateway_message_content_limited
    if not section.message_content:
        said = ("only messages that mention it can be read", "只能读取提及它的消息")
        fix = (
            "to read the others, switch on Bot > Message Content Intent and drop `message_content = false`",
            "如需读取其他消息，请打开 Bot > Message Content Intent，并去掉 `message_content = false`",
        )
        return Checked(what="intents", state="note", said=said, fix=fix)
    if on:
        return Checked(what="intents", state="ok", said=("message content is on", "消息内容权限已打开"))
    said = ("the message content intent is off", "消息内容权限未打开")
    fix = (
        "in the developer portal, Bot > Privileged Gateway Intents, switch on Message Content Intent, "
        "or set `message_content = false`",
        "在开发者门户 Bot > Privileged Gateway Intents 打开 Message Content Intent，或设置 `message_content = false`",
    )
    return Checked(what="intents", state="blocker", said=said, fix=fix, code="channel_refused")


def _public(public: bool) -> Checked:
    if not public:
        return Checked(what="invitations", state="ok", said=("only its owner can invite it", "只有所有者可以邀请它"))
    said = ("anybody can invite it to a server", "任何人都可以邀请它进入服务器")
    fix = ("in the developer portal, switch off Bot > Public Bot", "在开发者门户关闭 Bot > Public Bot")
    return Checked(what="invitations", state="note", said=said, fix=fix)


def _servers(section: DiscordSection, number: int) -> Checked:
    if number:
        return Checked(what="servers", state="ok", said=(f"it is in {number}", f"已加入 {number} 个"))
    address = (
        f"https://discord.com/oauth2/authorize?client_id={section.application_id}"
        f"&scope=bot+applications.commands&permissions={PERMISSIONS}"
    )
    fix = (f"open {address} and choose one", f"打开 {address} 并选择一个服务器")
    return Checked(what="servers", state="note", said=("it is in none", "尚未加入任何服务器"), fix=fix)


def _commands(section: DiscordSection, address: str | None, key: str) -> Checked:
    """Chat commands come by the gateway or over HTTP, never by both."""
    if section.public_key and section.public_key != key:
        said = (
            "`public_key` is not the application's: every signed request would be refused",
            "`public_key` 不是此应用的",
        )
        fix = ("copy General Information > Public Key", "复制 General Information > Public Key")
        return Checked(what="webhook", state="blocker", said=said, fix=fix, code="config_invalid")
    if bool(address) == bool(section.public_key):
        how = ("over HTTP", "通过 HTTP") if address else ("over the gateway", "通过网关")
        said = (f"chat commands come {how[0]}", f"聊天命令{how[1]}到达")
        return Checked(what="webhook", state="ok", said=said)
    if address:
        said = (
            "chat commands go to an address, and `public_key` is not set",
            "聊天命令发往某个地址，但未设置 `public_key`",
        )
        fix = (
            "clear General Information > Interactions Endpoint URL, or set `public_key`",
            "清空 General Information > Interactions Endpoint URL，或设置 `public_key`",
        )
    else:
        said = (
            "`public_key` is set, but chat commands come over the gateway",
            "已设置 `public_key`，但聊天命令通过网关到达",
        )
        path = f"/discord/{section.application_id}"
        fix = (
            f"enter the address that leads to `{path}` as Interactions Endpoint URL, or drop `public_key`",
            f"把通往 `{path}` 的地址填入 Interactions Endpoint URL，或去掉 `public_key`",
        )
    return Checked(what="webhook", state="note", said=said, fix=fix)


def _clock(now: int, date: str | None) -> Checked:
    try:
        apart = abs(now - int(parsedate_to_datetime(date or "").timestamp() * SECOND))
    except (ValueError, TypeError, OverflowError):
        return Checked(what="clock", state="not_checked", said=("not told", "未获告知"))
    if apart <= MINUTE:
        return Checked(what="clock", state="ok", said=("it agrees with Discord's", "与 Discord 一致"))
    said = (f"it is {apart // SECOND} seconds from Discord's", f"与 Discord 相差 {apart // SECOND} 秒")
    fix = ("let the machine keep its time (NTP)", "请启用时间同步（NTP）")
    return Checked(what="clock", state="note", said=said, fix=fix)
