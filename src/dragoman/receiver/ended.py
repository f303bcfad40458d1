"""What ended a role of a shared process: kept in its ledger for `status`, and told to its owner (spec 2 §2).

1. One record per role, from its first failure until it works again: the newest code, and which codes were told.
2. The owner hears of each code once in that time, by the role's own notifier; when that cannot be made, the telling is
   left to the next failure. A takeover was told already, and so was that this instance is not the primary one then.
3. Nothing is written while another process owns the state, and nothing here can fail a role a second time.
"""

from __future__ import annotations

import contextlib
from typing import Final

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.receiver.books import Books, open_books, side_file
from dragoman.receiver.config import Config
from dragoman.receiver.lock import StateLock
from dragoman.receiver.notify import Notices
from dragoman.receiver.sentences import ROLE_ENDED, said
from dragoman.receiver.wiring import new_id, notifier_alone
from dragoman.words import Milestone

_KEY: Final = "role_ended"
_SAID_BEFORE: Final = frozenset({"generation_changed"})


class RoleEnded(msgspec.Struct, frozen=True, kw_only=True):
    """What ended a role. `since` is the first failure after it last worked, `at` the newest; milliseconds."""

    code: str
    where: str
    fix: str
    since: int
    at: int
    told: tuple[str, ...] = ()


def role_ended(books: Books) -> RoleEnded | None:
    """What ended the role of this ledger; None while it works, or when it never ran in a shared process."""
    kept = books.ledger.get(_KEY)
    return msgspec.json.decode(kept, type=RoleEnded) if kept else None


def forgotten(books: Books) -> None:
    """The role works: what had ended it is over."""
    if books.ledger.get(_KEY):
        books.ledger.put(_KEY, "")


async def told_owner(config: Config, error: DragomanError, clock: Clock) -> None:
    """Keep what ended a role and tell its owner."""
    with contextlib.suppress(Exception), StateLock(config.state_dir, "run"):
        if error.code == "state_locked":
            return
        with contextlib.closing(_books(config)) as books:
            kept = _noted(books, error, clock.now())
            if error.code in kept.told:
                return
            async with notifier_alone(config, clock, books) as notifier:
                notices = Notices(books, notifier, clock, new_id)
                words = said(ROLE_ENDED, config.file.language, f"`{error.code}` {error.where}".rstrip())
                with books.ledger.write():
                    _put(books, msgspec.structs.replace(kept, told=(*kept.told, error.code)))
                    notices.queue(Milestone.DECISION_NEEDED, f"role_ended|{kept.since}|{error.code}", words)
                await notices.deliver()


def _noted(books: Books, error: DragomanError, now: int) -> RoleEnded:
    """The record with this error in it, written."""
    before = role_ended(books)
    told = before.told if before else ()
    if error.code in _SAID_BEFORE:
        told = (*told, error.code, "not_ready")
    kept = RoleEnded(
        code=error.code,
        where=error.where,
        fix=error.fix,
        since=before.since if before else now,
        at=now,
        told=told,
    )
    _put(books, kept)
    return kept


def _put(books: Books, kept: RoleEnded) -> None:
    books.ledger.put(_KEY, msgspec.json.encode(kept).decode())


def _books(config: Config) -> Books:
    return open_books(config.state_dir, side_file(config.path), may_create=True, grant_id=config.grant_id)
