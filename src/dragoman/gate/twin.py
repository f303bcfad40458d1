"""The same message came a second time, with other facts: what do both copies say together? (spec 1 §3 step 1, §11.4)

Platforms tell one post twice (Slack's `message` and `app_mention`). The first copy was silent because nothing in it
asked; its facts are kept as kinds and booleans, without a word of the text, and are merged into the second: what asks,
or addresses somebody else, in either copy counts. The second copy's own text and identity stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from dragoman.gate.event import Event, ReplyTo
from dragoman.words import Fact, Reason

DECIDED_ONCE_MORE: Final = frozenset({Reason.NOT_REQUESTED, Reason.ADDRESSED_TO_OTHER})
"""The silences after which a twin may be decided, once."""


def kept(event: Event) -> dict[str, str]:
    """The facts of a silent copy that its twin is merged with."""
    return {
        "mentions_agent": event.mentions_agent,
        "mentions_other": event.mentions_other,
        "reply_to": event.reply_to,
    }


def with_twin(event: Event, facts: Mapping[str, str]) -> Event:
    """The event as both copies tell it. What is kept of the first is read strictly: anything odd is unknown."""
    if not facts:
        return event
    return msgspec.structs.replace(
        event,
        mentions_agent=_either(event.mentions_agent, facts.get("mentions_agent")),
        mentions_other=_either(event.mentions_other, facts.get("mentions_other")),
        reply_to=_reply(event.reply_to, facts.get("reply_to")),
    )


def _either(fact: Fact, told: str | None) -> Fact:
    other = Fact(told) if told in set(Fact) else Fact.UNKNOWN
    return next((each for each in (Fact.YES, Fact.UNKNOWN) if each in (fact, other)), Fact.NO)


def _reply(reply: ReplyTo, told: str | None) -> ReplyTo:
    other = ReplyTo(told) if told in set(ReplyTo) else ReplyTo.UNKNOWN
    order = (ReplyTo.AGENT, ReplyTo.OTHER, ReplyTo.UNKNOWN)
    return next((each for each in order if each in (reply, other)), ReplyTo.NOBODY)
