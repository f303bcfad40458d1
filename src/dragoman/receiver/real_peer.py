"""Has a real peer been answered, from its message to the owner's notification? (spec 2 §3.13)

1. Only contacts that the owner named in `test_contact_ids` count; a stranger never does, however well it went.
2. A full exchange is four facts of one turn on record: the peer's message, the handler's answer, a reply that the hub
   has confirmed, and a notification about that contact that the owner's notifier confirmed afterwards.
3. It is a dated fact: noted in the ledger once it stands, because the rows that show it are forgotten in time. It says
   that it worked then, not that it works now.
"""

from __future__ import annotations

import contextlib
from typing import Final

import msgspec

from dragoman.channels.hub.facts import contact_target
from dragoman.errors import DragomanError
from dragoman.receiver.books import Books
from dragoman.receiver.config import Config
from dragoman.receiver.resolve import OWNER
from dragoman.words import Milestone, NotificationState, SendState

KEY: Final = "real_peer"
_NEWEST: Final = 50


class Exchange(msgspec.Struct, frozen=True):
    """A full exchange: with whom, and when its notification was confirmed (epoch milliseconds)."""

    contact_id: str
    at: int


def real_peer(books: Books, config: Config) -> Exchange | None:
    """The exchange on record with a contact that is named now, or None."""
    named = config.file.test_contact_ids
    kept = books.ledger.get(KEY)
    if kept is not None:
        noted = msgspec.json.decode(kept, type=Exchange)
        if noted.contact_id in named:
            return noted
    found = (exchange(books, config, contact) for contact in named)
    return next((each for each in found if each is not None), None)


def note_real_peer(books: Books, config: Config) -> None:
    """Write a full exchange down, unless one is noted already. What ends a receiver is not hidden by this."""
    with contextlib.suppress(DragomanError):
        found = real_peer(books, config)
        told = msgspec.json.encode(found).decode()
        if found is not None and books.ledger.get(KEY) != told:
            books.ledger.put(KEY, told)


def exchange(books: Books, config: Config, contact: str) -> Exchange | None:
    """The newest full exchange that the rows of one contact show, or None."""
    if config.file.hub is None:
        return None
    told = [
        each
        for each in books.notifications.listed(NotificationState.DELIVERED)
        if each.target == contact and each.milestone is not Milestone.PROBE
    ]
    for sent in books.turns.newest(contact_target(config.file.hub.role_id, contact), _NEWEST):
        turn = books.turns.find(sent.turn_id)
        proven = sent.state is SendState.SENT and sent.evidence not in ("", OWNER)
        if turn is None or not proven or not turn.attempts or not books.inbox.of_turn(turn.id):
            continue
        after = [each.updated_at for each in told if each.created_at >= turn.created_at]
        if after:
            return Exchange(contact, min(after))
    return None
