"""Can this XMPP account do its work? Signs in, asks server and rooms what they announce, shows no presence to anybody.

1. The password is the account's, and the stream is as safe as it must be; or nothing else is looked at.
2. Without an archive a message that came while we were away is lost, and a lost answer cannot be read back.
3. A room that announces neither real JIDs nor occupant-ids knows its people by nicks only.
4. Most clients mark no mentions: unless the nick counts as one, only replies and marked mentions ask in a room.
"""

from __future__ import annotations

from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.secret_file import read_secret
from dragoman.channels.xmpp import stanza as x
from dragoman.channels.xmpp.connection import MAM, Connection
from dragoman.channels.xmpp.rooms import OPEN_NAMES
from dragoman.channels.xmpp.section import XmppSection
from dragoman.errors import DragomanError

SECONDS: Final = 10.0
_PAGE: Final = "docs/how-to/xmpp.md"


async def checks(section: XmppSection, place: Place) -> list[Checked]:
    """Password, archive, rooms and mentions of the account.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    connection = Connection(
        section.jid,
        read_secret(place.at(section.password_file), "the password"),
        address=(section.host, section.port) if section.host else None,
        in_the_clear=section.in_the_clear,
        ca_file=place.at(section.ca_file) if section.ca_file else None,
        timeout=SECONDS,
    )
    try:
        await connection.start()
        found = [_PASSWORD_OK, _archive(MAM in await connection.features(section.jid))]
        for room in section.rooms:
            found += _room(room, await connection.features(room))
        return [*found, *_mentions(section)]
    except DragomanError as failed:
        if failed.code != "channel_refused":
            raise
        return [_PASSWORD_WRONG]
    finally:
        await connection.close()


_PASSWORD_OK: Final = Checked(what="password", state="ok", said=("the server accepts it", "服务器接受此密码"))
_PASSWORD_WRONG: Final = Checked(
    what="password",
    state="blocker",
    said=("the server does not accept it", "服务器不接受此密码"),
    fix=(
        f"set a new password of the account with your server, and put it into `password_file` ({_PAGE})",
        f"在你的服务器上为此账号设置新密码，并写入 `password_file`（{_PAGE}）",
    ),
    code="channel_refused",
)


def _archive(there: bool) -> Checked:
    if there:
        return Checked(what="archive", state="ok", said=("the server keeps one", "服务器保留存档"))
    said = (
        "the server keeps none: what comes while we are away may be lost",
        "服务器不保留存档：离线期间的消息可能丢失",
    )
    fix = (
        "switch on message archives: in Prosody `mam` in `modules_enabled`",
        "启用消息存档：Prosody 在 `modules_enabled` 加入 `mam`",
    )
    return Checked(what="archive", state="note", said=said, fix=fix)


def _room(room: str, features: frozenset[str]) -> list[Checked]:
    if not features:
        said = (f"`{room}` does not say what it is", f"`{room}` 未说明其性质")
        fix = ("see that it exists, and that its name is right", "确认其存在且名称无误")
        return [Checked(what="rooms", state="note", said=said, fix=fix)]
    found = []
    if OPEN_NAMES not in features and x.OCCUPANT_ID not in features:
        said = (f"`{room}` knows people by nicks only", f"`{room}` 只以昵称识别成员")
        fix = (
            "let everybody see real JIDs (room settings), or use a server with occupant-ids (XEP-0421)",
            "在房间设置中向所有人显示真实 JID，或使用支持 occupant-id（XEP-0421）的服务器",
        )
        found.append(Checked(what="rooms", state="note", said=said, fix=fix))
    if MAM not in features:
        said = (f"`{room}` keeps no archive", f"`{room}` 不保留存档")
        fix = ("switch it on in the room's settings", "在房间设置中启用存档")
        found.append(Checked(what="archive", state="note", said=said, fix=fix))
    return found or [Checked(what="rooms", state="ok", said=(f"`{room}` is usable", f"`{room}` 可用"))]


def _mentions(section: XmppSection) -> list[Checked]:
    if not section.rooms or section.nick_is_mention:
        return []
    said = (
        "only marked mentions and replies ask in a room; most clients mark none",
        "房间中只有带标记的提及和回复才算请求；多数客户端不带标记",
    )
    fix = (
        "set `nick_is_mention = true` to let a line that begins with the nick ask too",
        "设置 `nick_is_mention = true`，让以昵称开头的一行也算请求",
    )
    return [Checked(what="mentions", state="note", said=said, fix=fix)]
