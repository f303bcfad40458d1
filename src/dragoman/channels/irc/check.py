"""Can this IRC account do its work? Signs in under its nick, or one beside it, asks, and is gone; it joins nothing.

1. The login is accepted, and the network is the one that the section names; or nothing else is looked at.
2. Without `account-tag` nobody is known, so that nobody is answered; without `echo-message` nothing is ever proven.
3. Whether a channel lets us in is only seen by going in: `run` tells of one that does not.
"""

from __future__ import annotations

from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.irc.connection import Connection
from dragoman.channels.irc.section import IrcSection
from dragoman.channels.secret_file import read_secret
from dragoman.errors import DragomanError

SECONDS: Final = 10.0
_PAGE: Final = "docs/how-to/irc.md"
_NEEDED: Final = {
    "account-tag": (
        "the server does not say who is logged in: nobody is answered",
        "服务器不告知谁已登录：不会回复任何人",
    ),
    "echo-message": (
        "the server does not echo what we say: no message is ever proven delivered",
        "服务器不回显我们的消息：永远无法证明送达",
    ),
}


async def checks(section: IrcSection, place: Place) -> list[Checked]:
    """Login, network and capabilities of the account.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    connection = Connection(
        (section.host, section.port),
        section.login,
        read_secret(place.at(section.password_file), "the password"),
        section.nick,
        in_the_clear=section.in_the_clear,
        heard=lambda text, line, playback: None,
        ca_file=place.at(section.ca_file) if section.ca_file else None,
        timeout=SECONDS,
    )
    try:
        await connection.start()
        if connection.network != section.network:
            return [_LOGIN_OK, _another(connection.network)]
        missing = [_missing(name) for name in _NEEDED if not connection.can(name)]
        return [_LOGIN_OK, _NETWORK_OK, *(missing or [_CAPABLE])]
    except DragomanError as failed:
        if failed.code != "channel_refused":
            raise
        return [_LOGIN_WRONG]
    finally:
        await connection.close()


_LOGIN_OK: Final = Checked(what="login", state="ok", said=("the services accept it", "网络服务接受此登录"))
_NETWORK_OK: Final = Checked(what="network", state="ok", said=("it is the one you named", "与你所填的网络一致"))
_CAPABLE: Final = Checked(what="capabilities", state="ok", said=("accounts and echoes are shown", "显示账号并回显消息"))
_LOGIN_WRONG: Final = Checked(
    what="login",
    state="blocker",
    said=("the network does not accept it, or has no SASL", "网络不接受此登录，或不支持 SASL"),
    fix=(
        f"log in to the account with a client of your own, say `/msg NickServ SET PASSWORD ...`, and put it into "
        f"`password_file`; compare `login` ({_PAGE})",
        "用自己的客户端登录该账号，执行 `/msg NickServ SET PASSWORD ...`，"
        f"写入 `password_file`；核对 `login`（{_PAGE}）",
    ),
    code="channel_refused",
)


def _another(found: str) -> Checked:
    return Checked(
        what="network",
        state="blocker",
        said=(f"it calls itself `{found}`", f"该网络自称 `{found}`"),
        fix=("write that into `network`, and into the policy's workspaces", "将其写入 `network` 和策略中的 workspace"),
        code="channel_refused",
    )


def _missing(capability: str) -> Checked:
    fix = (
        f"ask the network's operators for the capability `{capability}`, or use another network",
        f"请网络管理员启用 `{capability}`，或换一个网络",
    )
    return Checked(what="capabilities", state="note", said=_NEEDED[capability], fix=fix)
