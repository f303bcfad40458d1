"""Can this Slack app do its work? Asked of the Web API with reading requests that nobody in the workspace sees.

1. The token is the bot's of this workspace and of this app, or nothing else is looked at.
2. Scopes: without some nothing works; without others a part does not.
3. The way in: Socket Mode's token is tried without connecting; whether Slack calls us it does not tell.
4. Clock: a signature older than five minutes by our clock is refused, so it must not be far from Slack's.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.payload import Payload
from dragoman.channels.secret_file import read_secret
from dragoman.channels.slack.connection import Connection, Told
from dragoman.channels.slack.section import SlackSection
from dragoman.clock import MINUTE, SECOND

NEEDED: Final = frozenset({"chat:write", "users:read"})
"""Without these nothing can be answered, or nobody's home can be told."""
PARTS: Final = frozenset(
    {
        *("app_mentions:read", "channels:history", "groups:history", "im:history", "mpim:history"),
        *("channels:read", "groups:read", "im:read", "mpim:read", "files:write", "reactions:write"),
    }
)
"""What each kind of conversation, files and reactions need."""
_TIMEOUT: Final = 10.0


async def checks(section: SlackSection, place: Place) -> list[Checked]:
    """Token, app, scopes, way in and clock.

    Raises:
        DragomanError: as `read_secret` and `Connection`; `channel_unreachable` when nobody answered.
    """
    token = read_secret(place.at(section.bot_token_file), "the bot token")
    secret = section.signing_secret_file
    if secret is not None:
        read_secret(place.at(secret), "the signing secret")
    connection = Connection(section.api_url, token, _TIMEOUT)
    try:
        told = await connection.ask("auth.test")
        bot = Payload(told.body).id("bot_id")
        if not told.ok or not bot or Payload(told.body).id("team_id") != section.team_id:
            return [_no_token(told)]
        whose = await connection.ask("bots.info", bot=bot)
        way = _called(section) if secret is not None else await _linked(section, place)
        found = [_TOKEN, _app(section, whose), _scopes(told), way, _clock(told.date, place.clock.now())]
    finally:
        await connection.close()
    return found


_TOKEN: Final = Checked(what="token", state="ok", said=("it is a bot's of this workspace", "属于该工作区的机器人"))


def _no_token(told: Told) -> Checked:
    if told.limited or told.status >= 500:
        said = (f"Slack answers with status {told.status}", f"Slack 返回状态 {told.status}")
        return Checked(what="token", state="not_checked", said=said)
    why = told.error or "another workspace, or no bot"
    return Checked(
        what="token",
        state="blocker",
        said=(f"Slack does not take it for this workspace's bot: {why}", f"Slack 不接受此令牌：{why}"),
        fix=(
            "api.slack.com/apps, your app, OAuth & Permissions: copy the Bot User OAuth Token into `bot_token_file`",
            "api.slack.com/apps，选择应用，OAuth & Permissions：将 Bot User OAuth Token 写入 `bot_token_file`",
        ),
        code="channel_refused",
    )


def _app(section: SlackSection, told: Told) -> Checked:
    found = Payload(told.body).inside("bot").id("app_id")
    if not found:
        return Checked(what="app", state="not_checked", said=("not told", "未获告知"))
    if found == section.app_id:
        return Checked(what="app", state="ok", said=("the token is this app's", "令牌属于该应用"))
    return Checked(
        what="app",
        state="blocker",
        said=(f"the token is of the app {found}", f"令牌属于应用 {found}"),
        fix=(
            "api.slack.com/apps, your app, Basic Information: App ID",
            "api.slack.com/apps，应用的 Basic Information：App ID",
        ),
        code="channel_refused",
    )


def _scopes(told: Told) -> Checked:
    if told.scopes is None:
        return Checked(what="scopes", state="not_checked", said=("not told", "未获告知"))
    granted = {scope.strip() for scope in told.scopes.split(",")}
    missing = sorted((NEEDED | PARTS) - granted)
    if not missing:
        return Checked(what="scopes", state="ok", said=("all that are used are granted", "所需权限均已授予"))
    names = ", ".join(missing)
    blocked = bool(NEEDED - granted)
    return Checked(
        what="scopes",
        state="blocker" if blocked else "note",
        said=(f"missing: {names}", f"缺少：{names}"),
        fix=(
            "OAuth & Permissions, Bot Token Scopes: add them, then Reinstall to Workspace",
            "OAuth & Permissions 的 Bot Token Scopes：添加后点击 Reinstall to Workspace",
        ),
        code="channel_refused" if blocked else "",
    )


def _called(section: SlackSection) -> Checked:
    return Checked(
        what="webhook",
        state="not_checked",
        said=("Slack does not tell whom it calls", "Slack 不告知回调地址"),
        fix=(
            f"Event Subscriptions, Request URL: https://…{section.path} must say Verified while the receiver runs",
            f"Event Subscriptions 的 Request URL：接收程序运行时 https://…{section.path} 应显示 Verified",
        ),
    )


async def _linked(section: SlackSection, place: Place) -> Checked:
    """Whether Slack would give us a websocket; none is opened."""
    token = read_secret(place.at(section.app_token_file or ""), "the app-level token")
    connection = Connection(section.api_url, token, _TIMEOUT)
    try:
        told = await connection.ask("apps.connections.open")
    finally:
        await connection.close()
    if told.ok:
        return Checked(what="socket", state="ok", said=("Socket Mode is on", "Socket Mode 已开启"))
    return Checked(
        what="socket",
        state="blocker",
        said=(f"Slack opens none: {told.error or told.status}", f"Slack 拒绝：{told.error or told.status}"),
        fix=(
            "Socket Mode: Enable; Basic Information, App-Level Tokens: one with `connections:write`",
            "Socket Mode 设为 Enable；Basic Information 的 App-Level Tokens：需含 `connections:write`",
        ),
        code="channel_refused",
    )


def _clock(date: str, now: int) -> Checked:
    try:
        off = now - int(parsedate_to_datetime(date).timestamp()) * SECOND
    except ValueError:
        return Checked(what="clock", state="not_checked", said=("not told", "未获告知"))
    if abs(off) < MINUTE:
        return Checked(what="clock", state="ok", said=("as Slack's", "与 Slack 一致"))
    seconds = round(off / SECOND)
    return Checked(
        what="clock",
        state="blocker",
        said=(
            f"{seconds} seconds from Slack's: its requests look too old",
            f"与 Slack 相差 {seconds} 秒：请求会被视为过期",
        ),
        fix=("set this machine's clock by the network (NTP)", "用网络时间（NTP）校准本机时钟"),
        code="not_ready",
    )
