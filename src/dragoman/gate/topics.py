"""Which topics, and which hard stops, does a finished text touch? (spec 1 §4 steps 2 and 4)

1. The text is the finished one: after prefixes, formatting, truncation, fallback.
2. Tables decide, English and Chinese, never a model: `topics_prices` (dense, tested on hundreds of sentences),
   `topics_words` (commitments, contract language, legal) and `topics_stops` (hard stops). Each row carries its proof.
3. When a row must err it errs towards marking: a held draft costs the operator a look, a price sent costs a price.
4. What a handler declares is added by `release`; nothing here, and nothing a handler says, takes a topic away.

Known as thin: prices hinted at without number, currency or price word ("same as last year", "twelve for the lot"), any
language but these two, pictures; commitments, contract and legal know phrases, not meaning; hard stops know the
common ways to say that it was done, or to ask for it. `PUBLIC_POST` and `UNVERIFIED_CLAIM` are facts of the send and of
`records`, `UNMEASURED_SPECIFICATION` of the record: no words are searched for them here.
"""

from __future__ import annotations

from typing import Final

from dragoman.gate.topic_rule import Table
from dragoman.gate.topics_contract import CONTRACT
from dragoman.gate.topics_deeds import DEEDS
from dragoman.gate.topics_legal import LEGAL
from dragoman.gate.topics_outsiders import OUTSIDERS
from dragoman.gate.topics_prices import PRICES
from dragoman.gate.topics_promises import PROMISES
from dragoman.gate.topics_public import PUBLIC
from dragoman.gate.topics_stops import STOPS
from dragoman.gate.topics_words import WORDS
from dragoman.words import HardStop, Topic

TOPICS: Final[Table[Topic]] = Table((*PRICES, *WORDS, *PROMISES, *CONTRACT, *LEGAL, *PUBLIC))
HARD_STOPS: Final[Table[HardStop]] = Table((*STOPS, *DEEDS, *OUTSIDERS))


def topics_in(text: str) -> frozenset[Topic]:
    """The topics that the finished text touches by rule (spec 1 §4 step 4)."""
    return TOPICS.marks_in(text)


def hard_stops_in(text: str) -> frozenset[HardStop]:
    """The hard stops that the finished text performs, reports or asks for (spec 1 §4 step 2)."""
    return HARD_STOPS.marks_in(text)
