"""Does this ledger reach up to what the hub was told of it? A third guard beside database and side file (spec 2 §3.14).

1. Asked at every start, after the log-in and before anything is done: a ledger that is another one than the grant was
   first used with, or whose counts are below the marks, was deleted or restored. That is a blocker, left by restoring
   the state or by the owner's new grant; nothing is ever taken over from the marks.
2. The marks hold two numbers per grant: how often this grant was charged (`uses`), and every grant together (`all`).
   No contact and no place is named.
3. They are raised after cycles that charged something, not before each turn: the side file is what is raised before a
   handler runs, this catches who deletes both.
4. A hub that knows no marks yet bars nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dragoman import wire
from dragoman.channels.hub.answers import HubError
from dragoman.channels.hub.reports import Reports
from dragoman.errors import DragomanError
from dragoman.receiver.books import Books

FIX: Final = "restore the state folder; or start with the owner's new grant under a new `grant_id`"
UNKNOWN_TO_HUB: Final = frozenset({"route_unknown", "method_not_allowed"})
"""What an older hub answers."""


def counts_of(books: Books, grant_id: str) -> dict[str, int]:
    """The two numbers of a ledger, for one grant."""
    totals = {key: count for key, count in books.charges.counts().items() if key.endswith("|total")}
    return {"uses": totals.get(f"grant:{grant_id}|total", 0), "all": sum(totals.values())}


def fallen(marks: wire.Marks, ledger_id: str, counts: Mapping[str, int]) -> str:
    """Why a ledger does not reach the hub's marks of a grant; empty when it does."""
    if marks.ledger_id is None:
        return ""
    if marks.ledger_id != ledger_id:
        return "this grant was used with another ledger, as the hub remembers"
    below = sorted(name for name, mark in marks.counts.items() if counts.get(name, 0) < mark)
    return f"an older copy: `{below[0]}` fell below the hub's mark" if below else ""


async def check_marks(hub: Reports, books: Books, grant_id: str) -> None:
    """Compare the open ledger with the hub's marks of the present grant (empty: none).

    Raises:
        DragomanError: `ledger_missing` when it does not reach them; what the hub could not be asked for.
    """
    if not grant_id:
        return
    try:
        marks = await hub.marks(grant_id)
    except HubError as error:
        if error.wire_code in UNKNOWN_TO_HUB:
            return
        raise
    if why := fallen(marks, books.ledger.install_id, counts_of(books, grant_id)):
        raise DragomanError("ledger_missing", why, where="hub", fix=FIX)
