"""Errors with two voices: a stable code and one safe sentence outside, the detail inside.

`code` and `safe` may be shown to anyone; `detail`, `where` and `fix` are for the operator (terminal, journal) and never
leave in a message, an HTTP body to an outsider, or a packet. Wording: lower case, no full stop, input in backticks.
"""

from __future__ import annotations

import traceback
from enum import IntEnum
from pathlib import Path
from typing import Final


class Exit(IntEnum):
    """Exit codes of the command line (DESIGN §6)."""

    OK = 0
    FAILED_CHECK = 1
    BAD_INPUT = 2
    CANNOT_RUN = 3


CODES: Final[dict[str, tuple[Exit, str]]] = {
    "usage": (Exit.BAD_INPUT, "the command was not understood"),
    "config_missing": (Exit.BAD_INPUT, "the configuration file is missing"),
    "config_unreadable": (Exit.BAD_INPUT, "the configuration file cannot be read"),
    "config_invalid": (Exit.BAD_INPUT, "the configuration is not valid"),
    "config_not_private": (Exit.CANNOT_RUN, "the configuration is readable or writable by others"),
    "example_values": (Exit.BAD_INPUT, "the configuration still holds example values"),
    "policy_invalid": (Exit.BAD_INPUT, "the policy is not valid"),
    "input_invalid": (Exit.BAD_INPUT, "the input is not valid"),
    "input_too_large": (Exit.BAD_INPUT, "the input is too large"),
    "not_found": (Exit.BAD_INPUT, "no such thing"),
    "conflict": (Exit.BAD_INPUT, "this does not fit the present state"),
    "not_implemented": (Exit.CANNOT_RUN, "this is not built yet"),
    "extra_missing": (Exit.CANNOT_RUN, "an optional part is not installed"),
    "state_locked": (Exit.CANNOT_RUN, "another process owns this state"),
    "ledger_missing": (Exit.CANNOT_RUN, "the ledger that belongs to this grant is missing or older"),
    "ledger_broken": (Exit.CANNOT_RUN, "the ledger cannot be used"),
    "journal_altered": (Exit.FAILED_CHECK, "the journal is not what was written"),
    "grant_changed": (Exit.CANNOT_RUN, "the grant's scope was changed under the same id"),
    "store_broken": (Exit.CANNOT_RUN, "the hub's store cannot be used"),
    "generation_changed": (Exit.CANNOT_RUN, "another instance has taken over this role"),
    "hub_unreachable": (Exit.CANNOT_RUN, "the hub cannot be reached"),
    "hub_refused": (Exit.CANNOT_RUN, "the hub refused the request"),
    "channel_unreachable": (Exit.CANNOT_RUN, "the platform cannot be reached"),
    "channel_refused": (Exit.CANNOT_RUN, "the platform refused the request"),
    "inbox_broken": (Exit.CANNOT_RUN, "what a platform pushes cannot be kept"),
    "key_invalid": (Exit.CANNOT_RUN, "the role key cannot be used"),
    "ungated_send": (Exit.CANNOT_RUN, "something tried to speak past the gate and was stopped"),
    "handler_failed": (Exit.CANNOT_RUN, "the handler did not give a usable answer"),
    "notifier_failed": (Exit.CANNOT_RUN, "the notifier did not confirm"),
    "not_ready": (Exit.CANNOT_RUN, "something must be fixed first"),
    "internal": (Exit.CANNOT_RUN, "internal error"),
}
"""Every code of the command line with its exit code and its safe sentence."""


class DragomanError(Exception):
    """Any failure that the house foresees.

    Args:
        code: a key of `CODES`, or one of the hub's wire codes.
        detail: what happened, expected and got; for the operator only.
        where: file, path or field.
        fix: how to mend it.
    """

    def __init__(self, code: str, detail: str = "", *, where: str = "", fix: str = "") -> None:
        self.code = code
        self.detail = detail
        self.where = where
        self.fix = fix
        super().__init__(code)

    def __str__(self) -> str:
        """All of it on one line, for the operator: code, place, detail, and the fix."""
        told = ": ".join(part for part in (self.code, self.where, self.detail) if part)
        return f"{told} (fix: {self.fix})" if self.fix else told

    @property
    def exit(self) -> Exit:
        """The exit code that this error ends a command with."""
        return CODES.get(self.code, CODES["internal"])[0]

    @property
    def safe(self) -> str:
        """One sentence that may be shown to anyone; nothing is interpolated."""
        return CODES.get(self.code, CODES["internal"])[1]


def unforeseen(error: Exception) -> DragomanError:
    """The error itself if it is one of ours; of any other what the operator may know: its type and the last place of
    ours, not its words."""
    if isinstance(error, DragomanError):
        return error
    trail = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in trail if "dragoman" in frame.filename]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return DragomanError("internal", type(error).__name__, where=where, fix="report it with this place and the command")
