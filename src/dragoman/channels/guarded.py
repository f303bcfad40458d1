"""The place of an account that speaks for a guarded client: the gate's clock, and nothing that only a receiver has."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Spool
from dragoman.channels.wall import Watched
from dragoman.errors import DragomanError


class _Clock:
    """The gate's time."""

    def __init__(self, gate: Watched) -> None:
        self._gate = gate

    def now(self) -> int:
        """The time, epoch milliseconds."""
        return self._gate.now()


def own_place(gate: Watched) -> Place:
    """A place for speaking: the bot's own SDK listens, so that no file, inbox or address is there to be asked for."""
    clock = _Clock(gate)
    return Place(clock=clock, at=_no_file, spool=_no_inbox, inlet=Inlet("127.0.0.1", 0, clock, _untold), report=_untold)


def _no_file(_: str) -> Path:
    _none()


def _no_inbox(_: str) -> Spool:
    _none()


def _none() -> NoReturn:
    raise DragomanError("internal", "a guarded client's account was asked to listen")


def _untold(_: Exception) -> None:
    """What the account would report is in the receipts of the door."""
