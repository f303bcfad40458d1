"""What doctor says of a mailbox, on a real Postfix and Dovecot: what is wrong, and what to click."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.channels.email.check import checks
from dragoman.channels.email.section import EmailSection
from tests.channels.email.servers import Servers, place

pytestmark = [pytest.mark.platforms, pytest.mark.slow]
ALL_RIGHT = {"imap": "ok", "smtp": "ok", "proof": "ok", "copies": "ok"}


async def said_of(mail: Servers, folder: Path, name: str, **changed: Any) -> dict[str, str]:
    """What is said of one mailbox."""
    section = msgspec.convert(mail.section(f"{name}@desk.example", folder, **changed), EmailSection)
    found = await checks(section, place(folder))
    assert all(each.fix != ("", "") and all(each.fix) for each in found if each.state != "ok")
    return {each.what: each.state for each in found}


@pytest.mark.anyio
async def test_a_mailbox_that_is_right(mail: Servers, tmp_path: Path) -> None:
    """Empty it proves nothing; with a mail and a copy in it all is right, and nothing was sent or marked as seen."""
    empty = await said_of(mail, tmp_path, "doctor")
    came = EmailMessage()
    came["From"], came["To"] = "kim@shop.example", "doctor@desk.example"
    came.set_content("hello")
    mail.people_send(
        came, "doctor@desk.example", "doctor+Sent@desk.example", sender="kim@shop.example", signed="shop.example"
    )
    mail.settle()
    assert ALL_RIGHT | {"proof": "not_checked", "copies": "note"} == empty
    assert ALL_RIGHT == await said_of(mail, tmp_path, "doctor")
    flags = mail.doveadm("fetch", "-u", "doctor@desk.example", "flags", "mailbox", "INBOX", "all")
    assert ("Seen" not in flags, 0) == (True, mail.submissions("doctor@desk.example"))


@pytest.mark.anyio
async def test_what_is_wrong(mail: Servers, tmp_path: Path) -> None:
    """Another id than the server's, no folder for copies, servers that are not there: each is said by itself."""
    changed: list[dict[str, Any]] = [
        {"authserv_id": "mx.elsewhere.example"},
        {"copies_folder": None},
        {"smtp_port": 9},
        {"imap_port": 9},
    ]
    found = [await said_of(mail, tmp_path, "doctor", **each) for each in changed]
    assert [
        ALL_RIGHT | {"proof": "blocker"},
        ALL_RIGHT | {"copies": "note"},
        ALL_RIGHT | {"smtp": "blocker"},
        {"imap": "blocker", "smtp": "ok"},
    ] == found


@pytest.mark.anyio
async def test_the_other_name_is_told(mail: Servers, tmp_path: Path) -> None:
    """Where the server writes another id, the fix says which one."""
    given = mail.section("doctor@desk.example", tmp_path, authserv_id="mx.elsewhere.example")
    found = {each.what: each for each in await checks(msgspec.convert(given, EmailSection), place(tmp_path))}
    assert all("mx.desk.example" in fix for fix in found["proof"].fix)
