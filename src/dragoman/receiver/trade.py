"""What the hub's operator tells of trades, passed on to the owner and to nobody else (spec 2: a separate stream).

1. Each trade event is told once: the place up to which was read is kept in the commit that queues the notification and
   writes the journal's record.
2. It is always a milestone: only the owner can do something about a trade, so it is told in every notification mode.
3. Nothing is done about it. It opens no turn, reaches no handler, changes no budget, grant or conversation, and no
   payment, closing or delivery follows from it.
4. Its words are the operator's of the hub: they pass the leak check of every notification, and the fixed sentence
   before them says that nothing was done.
"""

from __future__ import annotations

from typing import Final

from dragoman import wire
from dragoman.channels.hub.answers import HubError
from dragoman.channels.hub.client import HubClient
from dragoman.clock import Clock
from dragoman.gate.ports import Entry
from dragoman.receiver.books import Books
from dragoman.receiver.notify import Notices
from dragoman.receiver.sentences import said
from dragoman.words import Milestone

CURSOR: Final = "hub_trades"
TRADE: Final = (
    "The hub reports a trade event; nothing was done about it, and nothing will be without you.",
    "平台通报一条交易事件；未做任何处理，没有您也不会处理。",
)


async def tell_trades(client: HubClient, books: Books, notices: Notices, clock: Clock, language: str) -> int:
    """Queue a notification for each trade event that was not told yet; how many.

    Raises:
        HubError: the hub cannot be asked. A hub of before there were events has none.
    """
    after = int(books.ledger.get(CURSOR) or 0)
    try:
        page = await client.finding.events(after=after, kinds=[wire.EventKind.TRADE])
    except HubError as error:
        if error.wire_code == "route_unknown":
            return 0
        raise
    if not page.events:
        return 0
    with books.ledger.write():
        for event in page.events:
            key = f"trade|{client.role_id}|{event.seq}"
            summary = said(TRADE, language, words_of(event.facts))
            notices.queue(Milestone.TRADE, key, summary, contact=event.facts.contact_id or "")
            books.journal.record(
                Entry(correlation_id=key, kind="life", outcome="trade_event", reason="told_owner", time=clock.now())
            )
        books.ledger.put(CURSOR, str(page.next_after))
    return len(page.events)


def words_of(facts: wire.EventFacts) -> str:
    """What happened to which trade, on one line, and below it what else the operator says."""
    head = " ".join(part for part in (facts.trade_kind, facts.reference) if part)
    return "\n".join(part for part in (head, facts.text) if part)
