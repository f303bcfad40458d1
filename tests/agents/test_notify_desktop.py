"""The owner's desktop: only the number that it gave the notification is told. The real `notify-send`, on a real bus."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

import pytest
from tests.agents.desktop import NOTIFY_SEND, session
from tests.agents.notices import NOTE, note

from dragoman.agents.notify_desktop import SESSION, DesktopNotifier, bus_of, silent
from dragoman.agents.process import Limits
from dragoman.agents.program import Program
from dragoman.errors import DragomanError
from dragoman.words import Milestone, NotificationState

pytestmark = pytest.mark.anyio

REAL = [("ok", "delivered", ""), ("hang", "uncertain", "timeout"), ("refuse", "uncertain", "exit_code: 1")]
REAL += [("nobody", "failed", "no_service")]
STAND_IN = [
    ("the number and a good end", "echo 7", "delivered", ""),
    ("a good end without a number", "true", "uncertain", "no_number"),
    ("a number and more", "echo 7; echo 8", "uncertain", "no_number"),
    ("number nought", "echo 0", "uncertain", "no_number"),
    ("no number", "echo shown", "uncertain", "no_number"),
    ("a number, then a bad end", "echo 7; exit 1", "uncertain", "exit_code: 1"),
    ("too slow", "echo 7; sleep 60", "uncertain", "timeout"),
    ("a flood", "yes", "uncertain", "output_too_large"),
]


def notifier(
    tmp_path: Path, environment: dict[str, str], program: str = NOTIFY_SEND, **options: Any
) -> DesktopNotifier:
    """A notifier on the bus that the environment names."""
    (tmp_path / "work").mkdir(mode=0o700, exist_ok=True)
    limits = Limits(time_ms=1_500, grace_ms=200, stdout_bytes=4_096)
    made = Program([program], limits=limits, allowed=SESSION, environment=environment, workdir=tmp_path / "work")
    return DesktopNotifier(made, environment=environment, **options)


@pytest.mark.parametrize(("answer", "state", "why"), REAL, ids=[row[0] for row in REAL])
async def test_the_real_program(tmp_path: Path, answer: str, state: str, why: str) -> None:
    """Shown once and numbered: told. No answer or a refusal: uncertain. No service on the bus: nobody was told."""
    with session(tmp_path, answer) as desktop:
        told = await notifier(tmp_path, desktop.environment).notify(NOTE)
        shown = desktop.shown()

    assert (NotificationState(state), why) == (told.state, told.why)
    assert int(answer != "nobody") == len(shown)


@pytest.mark.parametrize(("details", "body"), [(False, "It waits."), (True, "It waits.\nOffer the 6th?")])
async def test_what_is_shown(tmp_path: Path, details: bool, body: str) -> None:
    """The milestone in words, and the fixed sentence; the handler's words only when the operator wants them."""
    with session(tmp_path) as desktop:
        await notifier(tmp_path, desktop.environment, details=details).notify(NOTE)
        (shown,) = desktop.shown()

    assert ("dragoman", "Your decision is needed") == (shown["app"], shown["title"])
    assert details == ("con_1" in shown["body"])
    assert shown["body"].startswith(body)
    assert details or shown["body"] == body


@pytest.mark.parametrize(
    "words",
    ["--help", "a\\nb \\u0041 c:\\new", "<b>bold</b> & <a href='x'>y</a>", "会话正在等待您的决定。", "%s %n", "- x"],
)
async def test_words_are_shown_as_they_are(tmp_path: Path, words: str) -> None:
    """No word is an option, an escape or markup."""
    with session(tmp_path) as desktop:
        told = await notifier(tmp_path, desktop.environment, language="zh").notify(note(summary=words))
        (shown,) = desktop.shown()

    assert NotificationState.DELIVERED is told.state
    assert ("需要您决定", words) == (shown["title"], html.unescape(shown["body"]))
    assert "<" not in shown["body"]


@pytest.mark.parametrize(("what", "code", "state", "why"), STAND_IN, ids=[row[0] for row in STAND_IN])
async def test_any_other_program(tmp_path: Path, what: str, code: str, state: str, why: str) -> None:
    """A stand-in for the program: exit 0 alone is no proof."""
    program = tmp_path / "notify-send"
    program.write_text(f"#!/bin/sh\n{code}\n")
    program.chmod(0o700)
    with session(tmp_path, "nobody") as desktop:
        told = await notifier(tmp_path, desktop.environment, str(program)).notify(NOTE)

    assert (NotificationState(state), why) == (told.state, told.why)


async def test_without_a_bus_nothing_is_run(tmp_path: Path) -> None:
    """No session, or one that is gone: nobody was told, and `check` says how to mend it."""
    for environment in ({}, {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/gone"}):
        made = notifier(tmp_path, environment, "/bin/false")
        told = await made.notify(NOTE)
        with pytest.raises(DragomanError) as raised:
            await made.check()
        assert (NotificationState.FAILED, "no_bus") == (told.state, told.why.split(":")[0])
        assert ("not_ready", True) == (raised.value.code, bool(raised.value.fix))


async def test_check_shows_nothing(tmp_path: Path) -> None:
    """A look at the bus is no notification."""
    with session(tmp_path) as desktop:
        assert {} == await notifier(tmp_path, desktop.environment).check()
        assert [] == desktop.shown()


async def test_no_word_of_others_in_the_arguments(tmp_path: Path) -> None:
    """Arguments can be read by everybody on the machine: title and fixed sentence only."""
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nfor word; do printf "%s|" "$word"; done > {tmp_path}/argv; echo 7\n')
    program.chmod(0o700)
    with session(tmp_path, "nobody") as desktop:
        await notifier(tmp_path, desktop.environment, str(program)).notify(note(milestone=Milestone.COMPLETED))

    words = "--print-id|--app-name=dragoman|--urgency=normal|--|The matter is completed|It waits.|"
    assert words == (tmp_path / "argv").read_text()


BUSES = [
    ({}, ""),
    ({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1/bus,guid=1f"}, "/run/user/1/bus"),
    ({"DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/tmp/dbus-x,guid=1f"}, "\0/tmp/dbus-x"),
    ({"DBUS_SESSION_BUS_ADDRESS": "tcp:host=h,port=1;unix:path=/b"}, "/b"),
    ({"XDG_RUNTIME_DIR": "/run/user/1"}, "/run/user/1/bus"),
    ({"DBUS_SESSION_BUS_ADDRESS": "autolaunch:", "XDG_RUNTIME_DIR": "/run/user/1"}, "/run/user/1/bus"),
]


@pytest.mark.parametrize(("environment", "bus"), BUSES)
def test_where_the_bus_is(environment: dict[str, str], bus: str) -> None:
    """Of the address that the session gives, or the usual place."""
    assert bus == bus_of(environment)


def test_a_name_too_long_is_no_bus() -> None:
    """Whatever the environment says, it is a no in words, never an error."""
    assert silent("/" + "x" * 300)
    assert silent("a\0b")
    assert os.sep == "/"
