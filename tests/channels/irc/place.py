"""What an account is given in these tests: the machine's clock, an inbox in a folder, and reports that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.irc.adapter import IrcAccount
from dragoman.channels.irc.section import IrcSection
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from tests.channels.irc.network import NETWORK, PASSWORD

CLOCK = SystemClock()


def place(folder: Path, reports: list[DragomanError]) -> Place:
    """A place whose reports go to a list."""
    return Place(
        clock=CLOCK,
        at=lambda name: folder / name,
        spool=lambda name: Spool(folder / (name.encode().hex() + ".db"), CLOCK),
        inlet=Inlet("127.0.0.1", 0, CLOCK, lambda failed: None),
        report=reports.append,
    )


def section(port: int, login: str, *channels: str, **more: Any) -> IrcSection:
    """An account's section; its lines leave as fast as they can."""
    told: dict[str, Any] = {"nick": login, "spacing_ms": 0, "network": NETWORK, **more}
    return IrcSection(host="127.0.0.1", port=port, login=login, password_file="-", channels=channels, **told)


def account(
    folder: Path,
    port: int,
    login: str,
    *channels: str,
    timeout: float = 10.0,
    reports: list[DragomanError] | None = None,
    **more: Any,
) -> IrcAccount:
    """An account of ours, not opened yet."""
    here = place(folder, [] if reports is None else reports)
    return IrcAccount(section(port, login, *channels, **more), PASSWORD, here, timeout=timeout)
