"""How a serving process is asked to stop, and how it says what went wrong while it went on."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from types import FrameType

from dragoman.cli import error_phrases
from dragoman.cli.language import language
from dragoman.cli.output import emit
from dragoman.cli.phrases import told
from dragoman.errors import DragomanError
from dragoman.shown import shown


def stopped_by_signals() -> asyncio.Event:
    """Set by SIGTERM or SIGINT, on the running loop.

    The handler of SIGTERM outlives the loop (the loop's own would not): told once more at the very end, the process
    still ends by itself and with its own exit code.
    """
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def asked(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(stop.set)

    signal.signal(signal.SIGTERM, asked)
    loop.add_signal_handler(signal.SIGINT, stop.set)
    return stop


def warn(error: DragomanError, as_json: bool, role: str = "") -> None:
    """What goes wrong while it runs: a line for people, one object for a program that waits for the owner's word.
    `role` names whose it is in a process of many."""
    if as_json:
        if error.code in ("grant_changed", "policy_invalid", "hub_unreachable", "channel_unreachable"):
            whose = {"role": role} if role else {}
            emit({**whose, "waiting": error.code, "where": error.where, "fix": error.fix})
        if error.code != "input_invalid":  # what was left out is told in any case; standard output stays one answer
            return
    spoken = language()
    mend = error_phrases.fix(error.fix, spoken)
    name = f"dragoman: {shown(role)}" if role else "dragoman"
    words = f"{name}: {error.code}: {error_phrases.safe(error, spoken)}: {shown(error.detail)}"
    sys.stderr.write(f"{words} ({told('fix', fix=shown(mend))})\n" if mend else f"{words}\n")
    sys.stderr.flush()
