"""Can this mailbox do its work? Both servers are logged into, the newest mails' heads peeked at; nothing is sent.

1. Reading and sending are looked at apart; without reading, what the mailbox holds is not known.
2. The receiving server's own results must stand on top of what lately came, under the id of the configuration: without
   them every author is unproven, and nothing is ever answered.
3. Where the server keeps no copies of what it took, a lost answer stays uncertain: worth knowing, no blocker.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import Final

from dragoman.channels.account import Place
from dragoman.channels.checks import Checked
from dragoman.channels.email.account import EmailAccount
from dragoman.channels.email.mailbox import Found
from dragoman.channels.email.mime import read
from dragoman.channels.email.proof import signer
from dragoman.channels.email.section import EmailSection
from dragoman.errors import DragomanError

LATELY: Final = 20
"""Mails that are looked at."""


async def checks(section: EmailSection, place: Place) -> list[Checked]:
    """Reading, sending, the proof of authors, and copies.

    Raises:
        DragomanError: of the private files and certificates.
    """
    account = EmailAccount(section, place, timeout=10.0)
    try:
        heads = await asyncio.to_thread(account.newest, LATELY)
    except DragomanError as failed:
        return [_refused("imap", failed), await _sending(account)]
    found = [Checked(what="imap", state="ok", said=("the mailbox can be read", "邮箱可以读取"))]
    return [*found, await _sending(account), _proof(heads, section.authserv_id), await _copies(account, section)]


async def _sending(account: EmailAccount) -> Checked:
    try:
        await account.check_sending()
    except DragomanError as failed:
        return _refused("smtp", failed)
    return Checked(what="smtp", state="ok", said=("the server takes our log-in", "服务器接受登录"))


def _refused(what: str, failed: DragomanError) -> Checked:
    fix = (
        f"check `{what}_host`, `{what}_port`, `{what}_security`, `username` and the password file; many providers want "
        "IMAP switched on in the mailbox's settings, and a password made for one application",
        f"检查 `{what}_host`、`{what}_port`、`{what}_security`、`username` 和密码文件；"
        "许多服务商要求在邮箱设置中启用 IMAP，并使用应用专用密码",
    )
    said = (f"{failed.safe}: {failed.detail}", f"无法连接或登录：{failed.detail}")
    return Checked(what=what, state="blocker", said=said, fix=fix, code=failed.code)


def _proof(heads: list[Found], authserv_id: str) -> Checked:
    signers = Counter(signer(read(each.raw).all("authentication-results")) for each in heads)
    right, others = signers.pop(authserv_id.lower(), 0), ", ".join(sorted(filter(None, signers)))
    if right:
        said = (f"{right} of the newest {len(heads)} mails", f"最新 {len(heads)} 封邮件中有 {right} 封")
        return Checked(what="proof", state="ok", said=said)
    if not heads:
        fix = ("let somebody write to the mailbox, then ask again", "请他人发来一封邮件后再检查")
        return Checked(what="proof", state="not_checked", said=("the mailbox is empty", "邮箱是空的"), fix=fix)
    fix = (
        "set `authserv_id` to the name that your receiving server writes first in `Authentication-Results`, and let it "
        f"check DMARC{'; on top of the newest mails stand: ' + others if others else ''}",
        "把 `authserv_id` 设为收信服务器在 `Authentication-Results` 开头写的名称，并让它检查 DMARC"
        f"{'；最新邮件中为：' + others if others else ''}",
    )
    said = ("no mail has our server's result on top: nobody is answered", "没有邮件带有本服务器的结果：不会回答任何人")
    return Checked(what="proof", state="blocker", said=said, fix=fix, code="not_ready")


async def _copies(account: EmailAccount, section: EmailSection) -> Checked:
    fix = (
        "name in `copies_folder` the folder in which the server itself keeps what it sent (often `Sent`)",
        "在 `copies_folder` 中写明服务器自动保存已发邮件的文件夹（常为 `Sent`）",
    )
    if section.copies_folder is None:
        said = ("a send whose answer is lost stays uncertain", "丢失回应的发送将无法确认")
        return Checked(what="copies", state="note", said=said, fix=fix)
    with contextlib.suppress(DragomanError):
        await asyncio.to_thread(account.newest, 0, section.copies_folder)
        return Checked(what="copies", state="ok", said=("the folder is there", "文件夹存在"))
    said = ("there is no such folder yet", "尚无此文件夹")
    return Checked(what="copies", state="note", said=said, fix=fix)
