"""Can this Mattermost account do its work? Asked of its server with reading requests that nobody sees.

1. The token is the account's, or nothing else is looked at.
2. It is a bot account (a person's would be one whom others take for a person), and in at least one channel.
3. Whom it could ring is told: the server has no way to send a name without ringing who bears it.
"""

from __future__ import annotations

from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.mattermost.connection import Answered, Connection
from dragoman.channels.mattermost.section import MattermostSection
from dragoman.channels.secret_file import read_secret

SECONDS: Final = 10.0


async def checks(section: MattermostSection, place: Place) -> list[Checked]:
    """Token, kind of account, channels and mentions.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    connection = Connection(section.server, read_secret(place.at(section.token_file), "the access token"), SECONDS)
    try:
        me = await connection.ask("GET", "users", "me")
        if me.status != 200 or me.text("id") != section.user_id:
            return [_token(me)]
        found = [Checked(what="token", state="ok", said=("it is the account's", "令牌属于此账号")), _kind(me)]
        return [*found, await _channels(connection), _MENTIONS]
    finally:
        await connection.close()


def _token(me: Answered) -> Checked:
    said = (f"it is not the account's (status {me.status})", f"令牌不属于此账号（状态 {me.status}）")
    fix = (
        "System Console or Product menu > Integrations > Bot Accounts > Create New Token; "
        "put it into `token_file`, and the bot's id into `user_id`",
        "产品菜单 > 集成 > 机器人账号 > 新建令牌；把令牌写入 `token_file`，把机器人 id 写入 `user_id`",
    )
    return Checked(what="token", state="blocker", said=said, fix=fix, code="channel_refused")


def _kind(me: Answered) -> Checked:
    if me.value.get("is_bot") is True:
        return Checked(what="account", state="ok", said=("a bot account", "机器人账号"))
    said = ("a person's account: nobody sees that a program answers", "个人账号：他人看不出是程序在回答")
    fix = (
        "Product menu > Integrations > Bot Accounts > Add Bot Account",
        "产品菜单 > 集成 > 机器人账号 > 添加机器人账号",
    )
    return Checked(what="account", state="note", said=said, fix=fix)


async def _channels(connection: Connection) -> Checked:
    teams = await connection.ask("GET", "users", "me", "teams")
    count = 0
    for team in teams.value if isinstance(teams.value, list) else []:
        id = str(team.get("id")) if isinstance(team, dict) else ""
        answer = await connection.ask("GET", "users", "me", "teams", id, "channels")
        count += len(answer.value) if isinstance(answer.value, list) else 0
    if count:
        return Checked(what="channels", state="ok", said=(f"it is in {count}", f"已加入 {count} 个频道"))
    fix = (
        "add the bot to the team, then in the channel: /invite @its-name",
        "先把机器人加入团队，再在频道中输入 /invite @名称",
    )
    return Checked(what="channels", state="note", said=("it is in no channel", "不在任何频道中"), fix=fix)


_MENTIONS: Final = Checked(
    what="mentions",
    state="note",
    said=(
        "a name in an answer rings whoever bears it; texts with @all, @channel or @here do not leave",
        "回答中的 @名字 会提醒对方；含 @all、@channel、@here 的文字不会发出",
    ),
)
