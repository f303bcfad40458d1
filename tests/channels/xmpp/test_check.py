"""What `doctor` says of an XMPP account, on a real Prosody."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.channels.xmpp.check import checks
from dragoman.channels.xmpp.section import XmppSection
from dragoman.errors import CODES
from tests.channels.xmpp.place import place
from tests.channels.xmpp.prosody import PASSWORD, ROOMS, Prosody, client, running

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]


def section(folder: Path, server: Prosody, password: str = PASSWORD, *rooms: str, nick: bool = False) -> XmppSection:
    """The account's section, and its password in a file."""
    secret = folder / "xmpp.password"
    secret.touch(0o600)
    secret.write_text(password)
    return XmppSection(
        jid=server.user("desk"),
        password_file=secret.name,
        rooms=dict.fromkeys(rooms, "desk"),
        nick_is_mention=nick,
        host="127.0.0.1",
        port=server.port,
    )


async def test_an_account_that_is_right(server: Prosody, tmp_path: Path) -> None:
    """Everything is well, and nobody saw it come."""
    room = f"checked@{ROOMS}"
    async with client(server, server.user("kim"), room) as kim:
        await kim.configure(room)
        found = await checks(section(tmp_path, server, PASSWORD, room, nick=True), place(tmp_path, []))
        await kim.say(room, "tick", id="t1")

    assert [("password", "ok"), ("archive", "ok"), ("rooms", "ok")] == [(each.what, each.state) for each in found]
    assert not [each for each in kim.seen if "desk" in each.get("from", "")]


async def test_what_is_wrong_says_what_to_click(server: Prosody, tmp_path: Path) -> None:
    """A wrong password blocks; a room that is none, and clients that mark nothing, are noted, each with a remedy."""
    nowhere = section(tmp_path, server, PASSWORD, "nowhere@elsewhere.test")
    wrong = await checks(section(tmp_path, server, "wrong"), place(tmp_path, []))
    section(tmp_path, server)
    found = await checks(nowhere, place(tmp_path, []))

    assert [("password", "blocker")] == [(each.what, each.state) for each in wrong]
    assert wrong[0].code in CODES
    notes = [each for each in found if each.state == "note"]
    assert ["rooms", "mentions"] == [each.what for each in notes]
    assert all(all(each.said) and all(each.fix) for each in (*wrong, *notes))


async def test_a_server_with_little(tmp_path: Path) -> None:
    """No archive: noted for the account and for the room."""
    (tmp_path / "server").mkdir()
    with running(tmp_path / "server", archives=False) as server:
        room = f"bare@{ROOMS}"
        async with client(server, server.user("kim"), room) as kim:
            await kim.configure(room)
            found = await checks(section(tmp_path, server, PASSWORD, room, nick=True), place(tmp_path, []))

    assert ["archive", "archive"] == [each.what for each in found if each.state == "note"]
