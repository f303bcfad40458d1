"""Which topics, and which hard stops, does a finished text touch? (spec 1 §4 steps 2 and 4)

1. The text is the finished one: after prefixes, formatting, truncation, fallback.
2. Tables decide, English and Chinese, never a model. By meaning: `wording.promises`, `wording.binding`,
   `wording.contract`, `wording.legal`, `wording.law`, `wording.public`, `wording.deeds`, `wording.flows`,
   `wording.outsiders`, `wording.others`; phrases and amounts: `wording.prices`, `wording.haggling`, `wording.words`,
   `wording.stops`. Each row carries its proof and its weight; `wording.excuses` says when a weak row marks nothing.
3. When a row must err it errs towards marking: a held draft costs the operator a look, a price sent costs a price.
4. What a handler declares is added by `release`; nothing here, and nothing a handler says, takes a topic away.

What is missed, and how often, stands in `docs/explanation/topics-and-records.md`. `UNVERIFIED_CLAIM` and
`UNMEASURED_SPECIFICATION` come from `records`; `PUBLIC_POST` is also a fact of the send (spec 1 §11.8).
"""

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.binding import BINDING
from dragoman.gate.wording.contract import CONTRACT
from dragoman.gate.wording.deeds import DEEDS
from dragoman.gate.wording.flows import FLOWS
from dragoman.gate.wording.haggling import HAGGLING
from dragoman.gate.wording.law import LAW
from dragoman.gate.wording.legal import LEGAL
from dragoman.gate.wording.others import OTHERS, OTHERS_ZH
from dragoman.gate.wording.outsiders import OUTSIDERS
from dragoman.gate.wording.prices import PRICES
from dragoman.gate.wording.promises import PROMISES
from dragoman.gate.wording.public import PUBLIC
from dragoman.gate.wording.rule import Table
from dragoman.gate.wording.stops import STOPS
from dragoman.gate.wording.words import WORDS
from dragoman.words import HardStop, Topic

TOPICS: Final[Table[Topic]] = Table((*PRICES, *HAGGLING, *WORDS, *PROMISES, *BINDING, *CONTRACT, *LEGAL, *LAW, *PUBLIC))
HARD_STOPS: Final[Table[HardStop]] = Table((*STOPS, *DEEDS, *FLOWS, *OUTSIDERS, *OTHERS, *OTHERS_ZH))


def topics_in(text: str) -> frozenset[Topic]:
    """The topics that the finished text touches by rule (spec 1 §4 step 4)."""
    return TOPICS.marks_in(text)


def hard_stops_in(text: str) -> frozenset[HardStop]:
    """The hard stops that the finished text performs, reports or asks for (spec 1 §4 step 2)."""
    return HARD_STOPS.marks_in(text)
