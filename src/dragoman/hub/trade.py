"""Trade events: what the hub's operator tells a role of a trade; the role and its receiver only read it (spec 2 §1).

1. Only who has the hub's store can write one: there is no route for it. One event id is told once.
2. It is a report, never an instruction: nothing of payment, closing or delivery follows from it here or in a receiver.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from dragoman import wire
from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.hub import events
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Store, Transaction

_ROLE: Final = re.compile(r"role_[0-9a-f]{32}", re.ASCII)
_KIND: Final = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,128}", re.ASCII)
_REFERENCE: Final = re.compile(r"[^\x00-\x1f\x7f]{0,128}")
TEXT: Final = 1000


class Trade(msgspec.Struct, frozen=True, kw_only=True):
    """One trade event to tell. `text` at most `TEXT` characters."""

    role_id: str
    kind: str
    event_id: str
    reference: str = ""
    text: str = ""


async def record(store: Store, clock: Clock, trade: Trade) -> bool:
    """Write a trade event into its role's stream; False when it was told before.

    Raises:
        DragomanError: `input_invalid`.
        Refusal: `role_unknown`.
    """
    for where, fits in (
        ("--role", _ROLE.fullmatch(trade.role_id)),
        ("--kind", _KIND.fullmatch(trade.kind)),
        ("--event-id", _ID.fullmatch(trade.event_id)),
        ("--reference", _REFERENCE.fullmatch(trade.reference)),
        ("--text-file", len(trade.text) <= TEXT and "\x00" not in trade.text),
    ):
        if not fits:
            raise DragomanError("input_invalid", "not of the form that is documented", where=where)

    async def work(tx: Transaction) -> bool:
        if await tx.one("role_get", role_id=trade.role_id) is None:
            raise Refusal("role_unknown")
        facts = wire.EventFacts(trade_kind=trade.kind, reference=trade.reference or None, text=trade.text or None)
        return await events.put(tx, trade.role_id, wire.EventKind.TRADE, trade.event_id, facts, clock.now())

    return await store.write(work)
