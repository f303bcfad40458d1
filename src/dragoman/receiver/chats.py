"""Which chat accounts does the configuration name, opened? Each platform's code is imported only when it is used.

A platform is found by its name: `channels/<platform>/account.py` makes the account of its section. Memory brings more
of its own into the source, and is made here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from importlib import import_module

from dragoman.channels.account import AccountSection, Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.clock import Clock
from dragoman.errors import DragomanError, unforeseen
from dragoman.ledger.files import private_folder
from dragoman.receiver.config import Config, MemorySection
from dragoman.receiver.source import Source

Report = Callable[[DragomanError], None]


async def chats(
    config: Config,
    stack: contextlib.AsyncExitStack,
    clock: Clock,
    position: Callable[[str], str | None],
    report: Report | None = None,
    *,
    patient: bool = False,
) -> list[Source]:
    """The configured chat accounts, open until `stack` ends. `report` is told what they leave out; `patient`: where the
    platform is away, an account is opened when it is back.

    Raises:
        DragomanError: with the code of the first one that cannot be opened.
    """
    channels, sources = config.file.channels, []
    place = place_of(config, clock, report)
    stack.push_async_callback(place.inlet.close)
    for platform, section in channels.accounts():
        opening = opened_account(platform, section, place, stack, position, report, patient=patient)
        sources.append(await opening)
    return sources


def place_of(config: Config, clock: Clock, report: Report | None = None) -> Place:
    """What every account of a configuration is given. Nothing is opened by this."""
    said = report or (lambda error: None)
    inlet = Inlet(*config.file.channels.address, clock, lambda failed: said(unforeseen(failed)))
    return Place(clock=clock, at=config.at, spool=lambda name: spool(config, clock, name), inlet=inlet, report=said)


def spool(config: Config, clock: Clock, name: str) -> Spool:
    """The private inbox of one account, beside the ledger.

    Raises:
        DragomanError: `inbox_broken`.
    """
    folder = config.state_dir / "inbox"
    private_folder(config.state_dir)
    private_folder(folder)
    return Spool(folder / (name.encode().hex() + ".db"), clock)


async def opened_account(
    platform: str,
    section: AccountSection,
    place: Place,
    stack: contextlib.AsyncExitStack,
    position: Callable[[str], str | None],
    report: Report | None = None,
    *,
    patient: bool = False,
) -> Source:
    """One account, open until `stack` ends, or (if `patient`) to be opened when its platform is back.

    Raises:
        DragomanError: it cannot be opened.
    """
    from dragoman.receiver.chat_source import AccountSource, MemorySource

    read_up_to = position(f"{platform}:{section.account}")
    if isinstance(section, MemorySection):
        from dragoman.channels.memory.adapter import MemoryChannel
        from dragoman.channels.memory.facts import MemoryAgent

        agent = MemoryAgent(workspace=section.workspace, id=section.id)
        channel = MemoryChannel(agent, clock=place.clock, folder=place.at(section.folder), report=report)
        return MemorySource(channel, read_up_to)
    account = import_module(f"dragoman.channels.{platform}.account").account(section, place)
    stack.push_async_callback(account.close)
    try:
        await account.open()
    except DragomanError as error:
        if not patient or error.code != "channel_unreachable":
            raise
        place.report(error)
        return AccountSource(account, read_up_to, report=place.report, tell=place.report)
    return AccountSource(account, read_up_to, tell=place.report)
