"""What `doctor` says of an IRC account, on a real InspIRCd with services."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dragoman.channels.irc.check import checks
from dragoman.channels.irc.section import IrcSection
from dragoman.errors import CODES
from tests.channels.irc.network import PASSWORD, Network
from tests.channels.irc.place import place
from tests.channels.irc.place import section as section_of

pytestmark = [pytest.mark.platforms, pytest.mark.anyio]


def section(folder: Path, network: Network, password: str = PASSWORD, name: str = "HomeTest") -> IrcSection:
    """The account's section, and its password in a file."""
    secret = folder / "irc.password"
    secret.touch(0o600)
    secret.write_text(password)
    made = section_of(network.port, "desk", "#checked", network=name)
    return msgspec.structs.replace(made, password_file=secret.name)


async def test_an_account_that_is_right(network: Network, tmp_path: Path) -> None:
    """Everything is well, and it went into no channel."""
    found = await checks(section(tmp_path, network), place(tmp_path, []))

    assert [("login", "ok"), ("network", "ok"), ("capabilities", "ok")] == [(each.what, each.state) for each in found]
    assert not any("#checked" in line for line in network.input())


async def test_what_is_wrong_says_what_to_click(network: Network, tmp_path: Path) -> None:
    """A wrong password and a wrong name of the network block, each with a remedy."""
    wrong = await checks(section(tmp_path, network, "wrong"), place(tmp_path, []))
    other = await checks(section(tmp_path, network, name="OtherNet"), place(tmp_path, []))

    blocked = [each for each in (*wrong, *other) if each.state == "blocker"]
    assert ["login", "network"] == [each.what for each in blocked]
    assert all(each.code in CODES and all(each.said) and all(each.fix) for each in blocked)
    assert "HomeTest" in blocked[1].said[0]
