"""The side file that remembers how far each grant was used, outside the database (spec 2 §2, §3.14).

1. It only detects: a ledger that is missing, or whose counts are below the marks, was deleted or restored. That is a
   blocker, left by restoring the state or by a new owner's grant; nothing is ever summed or restored from here.
2. Marks only grow. They are written after the charge is committed, flushed, and before the handler runs.
3. A grant that no mark knows is the owner's new word: with it an older or another ledger may go on. From its first use
   on, the marks of before are kept as `left`, and each grant in them stays barred until a ledger reaches them again.
4. A side file that cannot be read is a blocker too: unknown is never "nothing was used".
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from dragoman.errors import DragomanError
from dragoman.ledger.files import read_private, replace_private

LIMIT: Final = 16 * 1024 * 1024


class Reached(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Marks that a ledger once reached, and the grants that were used with it."""

    install_id: str = ""
    grants: tuple[str, ...] = ()
    counts: dict[str, int] = {}

    def fallen(self, install_id: str, counts: dict[str, int]) -> str:
        """Why this ledger does not reach these marks; empty when it does."""
        if self.grants and self.install_id != install_id:
            return "this is another ledger"
        below = next((key for key, mark in self.counts.items() if counts.get(key, 0) < mark), None)
        return "" if below is None else f"an older copy: `{below[:120]}` fell below its mark"


class Marks(Reached, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: the marks that hold, and those that were left by a new grant."""

    version: int = 1
    left: tuple[Reached, ...] = ()

    def knows(self, grant_id: str) -> bool:
        """Whether this grant was ever used here, with whatever ledger."""
        return any(grant_id in each.grants for each in (self, *self.left))


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

    def check_missing(self, grant_id: str = "") -> None:
        """May a ledger be made anew here, to be used with this grant (empty: with none)?

        Raises:
            DragomanError: `ledger_missing` when a grant was used with the ledger that is gone, unless this one is new.
        """
        marks = self.read()
        if marks.grants and (not grant_id or marks.knows(grant_id)):
            raise self._missing(f"grants were used here: {', '.join(marks.grants)[:200]}")

    def check(self, install_id: str, counts: dict[str, int], grant_id: str = "") -> None:
        """Does the open ledger reach up to the marks, as far as this grant (empty: none) is bound by them?

        Raises:
            DragomanError: `ledger_missing` when it is another ledger or an older copy, unless the grant is new.
        """
        marks = self.read()
        if grant_id and not marks.knows(grant_id):
            return
        if why := marks.fallen(install_id, counts) or _refused(marks.left, install_id, counts, grant_id):
            raise self._missing(why)

    def raise_to(self, install_id: str, grant_id: str, counts: dict[str, int]) -> None:
        """Note a use: `grant_id` is known from now on, and no count may be seen lower than now. Durable on return.

        Raises:
            DragomanError: `ledger_missing` when this grant was used with a ledger that this one does not reach;
                `ledger_broken` when it cannot be written. What was to follow must not happen.
        """
        marks = self.read()
        if why := _refused(marks.left, install_id, counts, grant_id):
            raise self._missing(why)
        if not marks.knows(grant_id) and marks.fallen(install_id, counts):
            before = Reached(install_id=marks.install_id, grants=marks.grants, counts=marks.counts)
            marks = Marks(left=(*marks.left, before))
        merged = {key: max(count, marks.counts.get(key, 0)) for key, count in (marks.counts | counts).items()}
        grants = marks.grants if grant_id in marks.grants else (*marks.grants, grant_id)
        new = Marks(install_id=install_id, grants=grants, counts=merged, left=marks.left)
        if new == marks:
            return
        try:
            replace_private(self.path, msgspec.json.encode(new))
        except OSError as error:
            fix = "free disk space and see that the folder can be written; nothing was asked of the handler"
            raise DragomanError("ledger_broken", str(error), where=str(self.path), fix=fix) from error

    def _missing(self, why: str) -> DragomanError:
        return DragomanError("ledger_missing", why, where=str(self.path), fix=_FIX)


def _refused(left: tuple[Reached, ...], install_id: str, counts: dict[str, int], grant_id: str) -> str:
    """Why a grant that was left behind with another ledger is barred from this one; empty when it is not."""
    bound = (each.fallen(install_id, counts) for each in left if grant_id in each.grants)
    return next((why for why in bound if why), "")


_FIX: Final = "restore the state folder; or start with the owner's new grant under a new `grant_id`"
