"""What an account is given in these tests: the machine's clock, an inbox in a folder, and reports that are kept."""

from __future__ import annotations

from pathlib import Path

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.channels.xmpp.adapter import XmppAccount
from dragoman.channels.xmpp.section import XmppSection
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from tests.channels.xmpp.prosody import PASSWORD

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


def account(
    folder: Path,
    port: int,
    jid: str,
    rooms: dict[str, str],
    *,
    timeout: float = 10.0,
    reports: list[DragomanError] | None = None,
    **more: object,
) -> XmppAccount:
    """An account of ours, not opened yet."""
    section = XmppSection(jid=jid, password_file="-", rooms=rooms, host="127.0.0.1", port=port, **more)  # type: ignore[arg-type]
    return XmppAccount(section, PASSWORD, place(folder, [] if reports is None else reports), timeout=timeout)
