"""Can this Zulip bot do its work? Asked of its server with reading requests that nobody sees.

1. The key is the bot's, or nothing else is looked at.
2. It is a bot, and subscribed to a channel: what is said where it is not, it never hears, but for mentions of it.
3. Whom it could ring is told: the server has no way to send a mention without ringing who is mentioned.
"""

from __future__ import annotations

from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.secret_file import read_secret
from dragoman.channels.zulip.connection import Answered, Connection
from dragoman.channels.zulip.section import ZulipSection

SECONDS: Final = 10.0


async def checks(section: ZulipSection, place: Place) -> list[Checked]:
    """Key, kind of account, subscriptions and mentions.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    key = read_secret(place.at(section.key_file), "the API key")
    connection = Connection(section.realm, section.email, key, SECONDS)
    try:
        me = await connection.ask("GET", "users/me")
        if me.status != 200 or me.whole("user_id") != section.user_id:
            return [_key(me)]
        found = [Checked(what="key", state="ok", said=("it is the bot's", "密钥属于此机器人")), _kind(me)]
        return [*found, await _channels(connection), _MENTIONS]
    finally:
        await connection.close()


def _key(me: Answered) -> Checked:
    said = (f"it is not the bot's (status {me.status})", f"密钥不属于此机器人（状态 {me.status}）")
    fix = (
        "Personal settings > Bots > the bot's key symbol; put the key into `key_file`, "
        "address and id of the bot into `email` and `user_id`",
        "个人设置 > 机器人 > 钥匙图标；把密钥写入 `key_file`，把机器人的地址和 id 写入 `email`、`user_id`",
    )
    return Checked(what="key", state="blocker", said=said, fix=fix, code="channel_refused")


def _kind(me: Answered) -> Checked:
    if me.value.get("is_bot") is True:
        return Checked(what="account", state="ok", said=("a bot", "机器人"))
    said = ("a person's account: nobody sees that a program answers", "个人账号：他人看不出是程序在回答")
    fix = ("Personal settings > Bots > Add a new bot > Generic bot", "个人设置 > 机器人 > 添加机器人 > 通用机器人")
    return Checked(what="account", state="note", said=said, fix=fix)


async def _channels(connection: Connection) -> Checked:
    answer = await connection.ask("GET", "users/me/subscriptions")
    count = len(answer.items("subscriptions"))
    if answer.status != 200:
        return Checked(what="channels", state="not_checked", said=("not told", "未获告知"))
    if count:
        return Checked(what="channels", state="ok", said=(f"it is subscribed to {count}", f"已订阅 {count} 个频道"))
    fix = ("channel settings > Subscribers > add the bot", "频道设置 > 订阅者 > 添加机器人")
    return Checked(what="channels", state="note", said=("it is subscribed to none", "未订阅任何频道"), fix=fix)


_MENTIONS: Final = Checked(
    what="mentions",
    state="note",
    said=(
        "a mention in an answer rings whoever bears the name; texts with @**all** and the like do not leave",
        "回答中的提及会提醒对方；含 @**all** 等的文字不会发出",
    ),
)
