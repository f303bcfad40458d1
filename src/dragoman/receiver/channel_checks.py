"""Are the configured chat accounts usable? Each platform says it of its own (`channels/<platform>/check.py`).

A platform without a file of its own is asked whether it lets the account in. Nothing is said to anybody, and no
webhook is listened for: a receiver may be running beside this.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from dragoman.channels.account import AccountSection, Place
from dragoman.channels.checks import Checked
from dragoman.clock import Clock
from dragoman.errors import DragomanError, unforeseen
from dragoman.receiver.chats import opened_account, place_of
from dragoman.receiver.config import Config
from dragoman.receiver.findings import Check, blocked, check

SECONDS: Final = 30.0
"""How long one account may be looked at."""

Checks = Callable[[AccountSection, Place], Awaitable[list[Checked]]]


async def channels(config: Config, clock: Clock) -> list[Check]:
    """Every account of the configuration, looked at."""
    place = place_of(config, clock)
    return [
        found
        for platform, section in config.file.channels.accounts()
        for found in await _account(f"{platform}:{section.account}", _checks(platform), section, place)
    ]


def _checks(platform: str) -> Checks:
    name = f"dragoman.channels.{platform}.check"
    if find_spec(name) is not None:
        found: Checks = import_module(name).checks
        return found

    async def lets_in(section: AccountSection, place: Place) -> list[Checked]:
        async with contextlib.AsyncExitStack() as stack:
            await opened_account(platform, section, place, stack, lambda name: None)
        return [Checked(what="account", state="ok", said=("the platform lets it in", "平台允许其登录"))]

    return lets_in


async def _account(name: str, looks: Checks, section: AccountSection, place: Place) -> list[Check]:
    try:
        async with asyncio.timeout(SECONDS):
            return [_check(name, each) for each in await looks(section, place)]
    except TimeoutError:
        error = DragomanError("channel_unreachable", f"no answer within {SECONDS:.0f} s", where=name)
        return [blocked("channel", error)]
    except Exception as failed:  # noqa: BLE001  one account's trouble hides no other's
        error = unforeseen(failed)
        error.where = ": ".join(part for part in (name, error.where) if part)
        return [blocked("channel", error)]


def _check(name: str, found: Checked) -> Check:
    return check(
        "channel",
        found.state,
        "channel_says",
        code=found.code,
        where=f"{name} {found.what}",
        en=found.said[0],
        zh=found.said[1],
        fix_en=found.fix[0],
        fix_zh=found.fix[1],
    )
