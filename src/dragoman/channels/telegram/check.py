"""Can this Telegram bot do its work? Asked of the Bot API with reading requests that nobody in a chat sees.

1. The token is the bot's, or nothing else is looked at.
2. Privacy: what Telegram withholds from a bot in groups can ask nothing of it.
3. Webhook: one that is set keeps polling out; one that is used should not fail.
4. Clock: an update's age is judged by ours, so it must not be far from theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.secret_file import read_secret
from dragoman.channels.telegram.connection import Connection, refused
from dragoman.channels.telegram.section import TelegramSection
from dragoman.clock import MINUTE, SECOND

_TIMEOUT: Final = 15.0
_PAGE: Final = "docs/how-to/telegram.md"


async def checks(section: TelegramSection, place: Place) -> list[Checked]:
    """Token, privacy mode, webhook and clock of the bot.

    Raises:
        DragomanError: as `read_secret` and `Connection`; `channel_unreachable` when nobody answered.
    """
    if section.webhook_secret_file is not None:
        read_secret(place.at(section.webhook_secret_file), "the webhook's secret")
    token = read_secret(place.at(section.token_file), "the bot's token")
    connection = Connection(section.api_url, token, section.bot_id, _TIMEOUT)
    try:
        answer = await connection.ask("getMe")
        off = _off(connection.date, place.clock.now())
        me = answer.holds(dict[str, Any])
        if me is None or me.get("id") != section.bot_id:
            known = answer.ok or refused(answer)
            return [
                _TOKEN_WRONG if known else Checked(what="token", state="not_checked", said=_not_told(answer.status))
            ]
        hook = await connection.ask("getWebhookInfo")
        return [_token(me), _privacy(me), _webhook(section, hook.holds(dict[str, Any])), _clock(off)]
    finally:
        await connection.close()


def _not_told(status: int) -> tuple[str, str]:
    return f"the Bot API answers with status {status}", f"Bot API 返回状态 {status}"


_TOKEN_WRONG: Final = Checked(
    what="token",
    state="blocker",
    said=("Telegram does not take it for this bot", "Telegram 不接受此令牌用于该机器人"),
    fix=(
        f"in a chat with @BotFather: /mybots, your bot, API Token; put it into `token_file` ({_PAGE})",
        f"在与 @BotFather 的对话中：/mybots，选择机器人，API Token；写入 `token_file`（{_PAGE}）",
    ),
    code="channel_refused",
)


def _token(me: Mapping[str, Any]) -> Checked:
    name = str(me.get("username"))[:64]
    return Checked(what="token", state="ok", said=(f"it is @{name}'s", f"属于 @{name}"))


def _privacy(me: Mapping[str, Any]) -> Checked:
    if me.get("can_read_all_group_messages") is True:
        return Checked(what="privacy", state="ok", said=("it sees what is said in its groups", "能看到群内消息"))
    if me.get("can_read_all_group_messages") is not False:
        return Checked(what="privacy", state="not_checked", said=("not told", "未获告知"))
    said = (
        "privacy mode is on: in groups only commands and answers to it come through, no mention",
        "隐私模式已开启：群内只收到命令和对它的回复，收不到提及",
    )
    fix = (
        "in a chat with @BotFather: /setprivacy, your bot, Disable; then take it out of each group and add it again",
        "在与 @BotFather 的对话中：/setprivacy，选择机器人，Disable；然后将机器人移出各群并重新加入",
    )
    return Checked(what="privacy", state="note", said=said, fix=fix)


def _webhook(section: TelegramSection, info: Mapping[str, Any] | None) -> Checked:
    if info is None:
        return Checked(what="webhook", state="not_checked", said=("not told", "未获告知"))
    url, waiting, failed = info.get("url"), info.get("pending_update_count"), info.get("last_error_message")
    if not section.webhook_url:
        return _HOOKED if url else Checked(what="webhook", state="ok", said=("none: news is asked for", "无：主动轮询"))
    if url != section.webhook_url:
        said = (
            "another address is set; the receiver sets its own when it starts",
            "设置了其他地址；接收程序启动时会重设",
        )
        return Checked(what="webhook", state="note", said=said)
    if failed:
        said = (f"Telegram could not deliver: {str(failed)[:120]}", f"Telegram 投递失败：{str(failed)[:120]}")
        fix = (
            "see that the address, with a certificate, leads to `/telegram` at `channels.listen` of a running receiver",
            "确认该地址带证书并转到 `channels.listen` 的 `/telegram`，且接收程序正在运行",
        )
        return Checked(what="webhook", state="note", said=said, fix=fix)
    return Checked(what="webhook", state="ok", said=(f"set; {waiting} updates wait", f"已设置；{waiting} 条更新等待中"))


_HOOKED: Final = Checked(
    what="webhook",
    state="blocker",
    said=("a webhook is set, so that nobody may ask for news", "已设置回调，因此无法轮询"),
    fix=(
        "stop who uses the bot by its webhook and delete that (`deleteWebhook`), or set `webhook_url` here",
        "停用以回调使用该机器人的程序并删除回调（`deleteWebhook`），或在此设置 `webhook_url`",
    ),
    code="channel_refused",
)


def _off(date: str, now: int) -> int | None:
    """How far our clock is ahead of theirs, in milliseconds; None when they did not say."""
    try:
        return now - int(parsedate_to_datetime(date).timestamp()) * SECOND
    except ValueError:
        return None


def _clock(off: int | None) -> Checked:
    if off is None:
        return Checked(what="clock", state="not_checked", said=("not told", "未获告知"))
    seconds = round(off / SECOND)
    if abs(off) < MINUTE:
        return Checked(what="clock", state="ok", said=("as Telegram's", "与 Telegram 一致"))
    said = (
        f"{seconds} seconds from Telegram's: messages look too old or not sent yet",
        f"与 Telegram 相差 {seconds} 秒",
    )
    fix = ("set this machine's clock by the network (NTP)", "用网络时间（NTP）校准本机时钟")
    return Checked(what="clock", state="blocker", said=said, fix=fix, code="not_ready")
