"""Can this WhatsApp number do its work? Asked of the Graph API with reading requests that no customer sees.

1. The token may read the number, or nothing else is looked at; and the number is connected.
2. The business account hands its webhooks to an app; without its id in the section that is not known.
3. Whether Meta reaches our address from outside cannot be seen from inside: it is told which one must be reachable.
"""

from __future__ import annotations

from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.secret_file import read_secret
from dragoman.channels.whatsapp.graph import Graph
from dragoman.channels.whatsapp.section import WhatsAppSection

_PAGE: Final = "docs/how-to/whatsapp.md"


async def checks(section: WhatsAppSection, place: Place) -> list[Checked]:
    """Token, number, webhook and address of the account.

    Raises:
        DragomanError: as `read_secret`; `channel_unreachable` when nobody answered.
    """
    for name in (section.app_secret_file, section.verify_token_file):
        read_secret(place.at(name), "a secret of the webhook")
    token = read_secret(place.at(section.token_file), "the access token")
    graph = Graph(section.api_url, section.api_version, section.phone_number_id, token)
    try:
        told = await graph.number("id,status,platform_type")
        if told.status != 200 or told.body.get("id") != section.phone_number_id:
            return [_token(told.status, told.code)]
        return [_TOKEN_OK, _number(told.body.get("status")), await _webhook(graph, section), _address(section)]
    finally:
        await graph.close()


_TOKEN_OK: Final = Checked(what="token", state="ok", said=("it may speak for the number", "可代表此号码"))


def _token(status: int, code: int) -> Checked:
    said = (
        f"Meta does not accept it for this number (status {status}, code {code})",
        f"Meta 不接受此令牌用于该号码（状态 {status}，代码 {code}）",
    )
    fix = (
        "in Meta Business Settings > System users > Generate token, choose the app and `whatsapp_business_messaging`, "
        f"and put the token into `token_file`; compare `phone_number_id` under WhatsApp > API Setup ({_PAGE})",
        "在 Meta 商务设置 > 系统用户 > 生成令牌，选择应用与 `whatsapp_business_messaging`，"
        f"写入 `token_file`；在 WhatsApp > API 设置 核对 `phone_number_id`（{_PAGE}）",
    )
    return Checked(what="token", state="blocker", said=said, fix=fix, code="channel_refused")


def _number(status: object) -> Checked:
    if status == "CONNECTED":
        return Checked(what="number", state="ok", said=("it is connected", "已连接"))
    said = (f"its status is `{str(status)[:40]}`", f"状态为 `{str(status)[:40]}`")
    fix = (
        "in WhatsApp Manager > Phone numbers, finish the registration of the number",
        "在 WhatsApp 管理工具 > 电话号码 中完成该号码的注册",
    )
    return Checked(what="number", state="note", said=said, fix=fix)


async def _webhook(graph: Graph, section: WhatsAppSection) -> Checked:
    if section.business_id is None:
        said = ("`business_id` is not set", "未设置 `business_id`")
        return Checked(what="webhook", state="not_checked", said=said)
    told = await graph.apps(section.business_id)
    apps = told.body.get("data")
    if told.status != 200 or not isinstance(apps, list):
        return Checked(what="webhook", state="not_checked", said=("not told", "未获告知"))
    if apps:
        return Checked(what="webhook", state="ok", said=("an app gets its webhooks", "已有应用接收其回调"))
    fix = (
        f"in the app, WhatsApp > Configuration, set the callback and subscribe to `messages` ({_PAGE})",
        f"在应用的 WhatsApp > 配置 中设置回调并订阅 `messages`（{_PAGE}）",
    )
    said = ("no app gets the account's webhooks: nothing would come in", "没有应用接收此账号的回调：收不到任何消息")
    return Checked(what="webhook", state="blocker", said=said, fix=fix, code="channel_refused")


def _address(section: WhatsAppSection) -> Checked:
    said = (
        f"Meta must reach `channels.listen` over HTTPS at {section.path}; that is not seen from inside",
        f"Meta 必须能经 HTTPS 访问 `channels.listen` 的 {section.path}；从内部无法得知",
    )
    return Checked(what="address", state="not_checked", said=said)
