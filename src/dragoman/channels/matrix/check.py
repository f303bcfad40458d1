"""Can this Matrix account do its work? Asked of its homeserver with reading requests that no room sees.

1. The token is the account's, or nothing else is looked at.
2. It is in a room at all; and none of its rooms is encrypted: there it could neither read nor speak.
3. Who may invite it is told, so that nobody waits for an invitation that is never accepted.
"""

from __future__ import annotations

from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.matrix.connection import Connection, read_token
from dragoman.channels.matrix.section import MatrixSection
from dragoman.errors import DragomanError

MOST_ROOMS: Final = 50
"""Rooms that are looked at one by one."""
SECONDS: Final = 10.0


async def checks(section: MatrixSection, place: Place) -> list[Checked]:
    """Token, rooms, encryption and invitations of the account.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    connection = Connection(section.homeserver, read_token(place.at(section.token_file)), section.user_id, SECONDS)
    try:
        status, answer = await connection.ask("account", "whoami")
        if status != 200 or answer.get("user_id") != section.user_id:
            return [_token(status, str(answer.get("user_id", "")))]
        return [_TOKEN_OK, *await _rooms(connection), _invitations(section)]
    finally:
        await connection.close()


_TOKEN_OK: Final = Checked(what="token", state="ok", said=("it is the account's", "令牌属于此账号"))


def _token(status: int, found: str) -> Checked:
    if status == 200:
        said = (f"it is of another account, `{found}`", f"令牌属于另一个账号 `{found}`")
    else:
        said = (f"the homeserver does not accept it (status {status})", f"服务器不接受此令牌（状态 {status}）")
    fix = (
        "log in with this account (docs/how-to/matrix.md) and put the new access token into `token_file`",
        "以此账号登录（docs/how-to/matrix.md），把新的访问令牌写入 `token_file`",
    )
    return Checked(what="token", state="blocker", said=said, fix=fix, code="channel_refused")


async def _rooms(connection: Connection) -> list[Checked]:
    status, answer = await connection.ask("joined_rooms")
    joined = answer.get("joined_rooms")
    if status != 200 or not isinstance(joined, list):
        return [Checked(what="rooms", state="not_checked", said=("not told", "未获告知"))]
    if not joined:
        said = ("the account is in no room", "此账号不在任何房间中")
        fix = (
            "invite it: in Element, open the room, then Room info > People > Invite",
            "邀请它：在 Element 中打开房间，然后 房间信息 > 成员 > 邀请",
        )
        return [Checked(what="rooms", state="note", said=said, fix=fix)]
    found = [Checked(what="rooms", state="ok", said=(f"it is in {len(joined)}", f"已加入 {len(joined)} 个"))]
    closed = [room for room in map(str, joined[:MOST_ROOMS]) if await _encrypted(connection, room)]
    if closed:
        said = (f"encrypted, so that nothing is read or said there: {closed[0]}", f"已加密，无法读写：{closed[0]}")
        fix = (
            "use a room without encryption: it cannot be switched off in a room that has it",
            "请使用未加密的房间：已启用的加密无法关闭",
        )
        found.append(Checked(what="encryption", state="note", said=said, fix=fix))
    return found


async def _encrypted(connection: Connection, room_id: str) -> bool:
    try:
        status, _ = await connection.ask("rooms", room_id, "state", "m.room.encryption")
    except DragomanError:
        return False
    return status == 200


def _invitations(section: MatrixSection) -> Checked:
    hosts = ", ".join(section.accept_invitations_from)
    said = (
        (f"accepted from {hosts}", f"接受来自 {hosts} 的邀请")
        if hosts
        else ("accepted from nobody", "不接受任何人的邀请")
    )
    fix = (
        "name those who may invite it in `accept_invitations_from`, or accept them with this account's own client",
        "在 `accept_invitations_from` 中列出可邀请它的人，或用此账号自己的客户端接受邀请",
    )
    return Checked(what="invitations", state="ok" if hosts else "note", said=said, fix=("", "") if hosts else fix)
