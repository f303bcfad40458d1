"""A hub message as facts (spec 2 §2: the hub is one more platform).

The target is `hub / own role / contact`, a real one-to-one with another owner's agent: the author is bot-origin traffic
and the audience external, whatever a message says of itself. The hub's answer over our own logged-in connection
authenticates it. Nothing in `text` or `packet` is a fact.
"""

from __future__ import annotations

from typing import Final

from dragoman import wire
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind
from dragoman.identity import Target, party, target
from dragoman.words import Fact

PLATFORM: Final = "hub"


def contact_target(role_id: str, contact_id: str) -> Target:
    """The target of one contact of `role_id`."""
    return target(PLATFORM, role_id, contact_id)


def facts(message: wire.Message, role_id: str, *, received_at: int) -> Event:
    """The event that one leased message is, for the role that leased it."""
    own = message.sender_role_id == role_id
    return Event(
        kind=EventKind.MESSAGE,
        target=contact_target(role_id, message.contact_id),
        event_id=message.message_id,
        dedupe_key=f"hub:{role_id}:{message.message_id}",
        received_at=received_at,
        sent_at=message.created_at,
        authenticated=Fact.YES,
        author=party(PLATFORM, role_id, message.sender_role_id),
        author_kind=AuthorKind.SELF if own else AuthorKind.BOT,
        chat=ChatKind.DIRECT,
        shared=Fact.YES,
        other_bots=Fact.NO,
        text=message.text,
        body=message.text,
    )
