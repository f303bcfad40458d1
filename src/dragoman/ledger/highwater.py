"""The side file that remembers how far each grant was used, outside the database (spec 2 §2, §3.14).

1. It only detects: a ledger that is missing, or whose counts are below the marks, was deleted or restored. That is a
   blocker, left by restoring the state or by a new owner's grant; nothing is ever summed or restored from here.
2. Marks only grow. They are written after the charge is committed, flushed, and before the handler runs.
3. A side file that cannot be read is a blocker too: unknown is never "nothing was used".
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.ledger.files import read_private, replace_private

LIMIT: Final = 16 * 1024 * 1024


class Marks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: the ledger it belongs to, the grants that were used, and the highest counts seen."""

    version: int = 1
    install_id: str = ""
    grants: tuple[str, ...] = ()
    counts: dict[str, int] = {}


class HighWater:
    """The side file of one ledger."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Marks:
        """The marks; empty when there is no file.

        Raises:
            DragomanError: `ledger_broken` when the file is there but cannot be trusted.
        """
        try:
            return msgspec.json.decode(read_private(self.path, LIMIT), type=Marks)
        except FileNotFoundError:
            return Marks()
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise DragomanError(
                "ledger_broken", f"the high-water file cannot be trusted: {error}", where=str(self.path), fix=_FIX
            ) from error

    def check_missing(self) -> None:
        """May a ledger be made anew here?

        Raises:
            DragomanError: `ledger_missing` when a grant was used with the ledger that is gone.
        """
        marks = self.read()
        if marks.grants:
            raise DragomanError(
                "ledger_missing",
                f"grants were used here: {', '.join(marks.grants)[:200]}",
                where=str(self.path),
                fix=_FIX,
            )

    def check(self, install_id: str, counts: dict[str, int]) -> None:
        """Does the open ledger reach up to the marks?

        Raises:
            DragomanError: `ledger_missing` when it is another ledger or an older copy.
        """
        marks = self.read()
        if marks.grants and marks.install_id != install_id:
            raise DragomanError("ledger_missing", "this is another ledger", where=str(self.path), fix=_FIX)
        fallen = [key for key, mark in marks.counts.items() if counts.get(key, 0) < mark]
        if fallen:
            raise DragomanError(
                "ledger_missing",
                f"an older copy: `{fallen[0][:120]}` fell below its mark",
                where=str(self.path),
                fix=_FIX,
            )

    def raise_to(self, install_id: str, grant_id: str, counts: dict[str, int]) -> None:
        """Note a use: `grant_id` is known from now on, and no count may be seen lower than now. Durable on return.

        Raises:
            DragomanError: `ledger_broken` when it cannot be written; what was to follow must not happen.
        """
        marks = self.read()
        merged = {key: max(count, marks.counts.get(key, 0)) for key, count in (marks.counts | counts).items()}
        grants = marks.grants if grant_id in marks.grants else (*marks.grants, grant_id)
        new = Marks(install_id=install_id, grants=grants, counts=merged)
        if new == marks:
            return
        try:
            replace_private(self.path, msgspec.json.encode(new))
        except OSError as error:
            fix = "free disk space and see that the folder can be written; nothing was asked of the handler"
            raise DragomanError("ledger_broken", str(error), where=str(self.path), fix=fix) from error


_FIX: Final = "restore the state folder, or start again with a new folder and the owner's new grant id"
