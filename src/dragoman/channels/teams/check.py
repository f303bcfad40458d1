"""Can this Teams bot do its work? Asked of Microsoft's logins only: no person sees any of it.

1. The app's credentials give a token, or nothing else is looked at.
2. The keys that prove who calls us can be fetched.
3. Whether the connector reaches our address, and where the app is installed, cannot be seen from inside: it is told.
"""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.secret_file import read_secret
from dragoman.channels.teams.connector import Connector
from dragoman.channels.teams.section import TeamsSection
from dragoman.errors import DragomanError


async def checks(section: TeamsSection, place: Place) -> list[Checked]:
    """Token, keys and address of the account.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    connector = Connector(section, read_secret(place.at(section.secret_file), "the client secret"), place.clock)
    try:
        try:
            await connector.login()
        except DragomanError as failed:
            if failed.code != "channel_refused":
                raise
            return [_refused(failed.detail)]
        keys = await connector.keys("")
        return [_ok("token", "the app's credentials are right", "应用凭据正确"), _keys(len(keys)), _address(section)]
    finally:
        await connector.close()


def _ok(what: str, en: str, zh: str) -> Checked:
    return Checked(what=what, state="ok", said=(en, zh))


def _refused(detail: str) -> Checked:
    fix = (
        "in the Azure portal > App registrations > your app: compare `app_id` and `tenant_id` on Overview, and make a "
        "new secret under Certificates & secrets for `secret_file` (docs/how-to/teams.md)",
        "在 Azure 门户 > 应用注册 > 你的应用：在 概述 核对 `app_id` 与 `tenant_id`，"
        "并在 证书和密码 中新建密码写入 `secret_file`（docs/how-to/teams.md）",
    )
    said = (f"Microsoft gives no token ({detail})", f"微软未签发令牌（{detail}）")
    return Checked(what="token", state="blocker", said=said, fix=fix, code="channel_refused")


def _keys(number: int) -> Checked:
    if number:
        return _ok("keys", f"{number} keys of the connector are known", f"已获知连接器的 {number} 个密钥")
    said = ("the list of keys is empty: nothing that comes in could be proven", "密钥列表为空：无法验证任何来信")
    fix = ("see that `openid_url` is Microsoft's", "确认 `openid_url` 为微软的地址")
    return Checked(what="keys", state="blocker", said=said, fix=fix, code="channel_refused")


def _address(section: TeamsSection) -> Checked:
    said = (
        f"the connector must reach `channels.listen` over HTTPS at {section.path}; that is not seen from inside",
        f"连接器必须能经 HTTPS 访问 `channels.listen` 的 {section.path}；从内部无法得知",
    )
    return Checked(what="address", state="not_checked", said=said)
