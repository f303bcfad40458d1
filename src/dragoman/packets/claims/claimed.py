"""Claims that no packet may make: a record is not what a runtime does (seed, support boundary; spec 3 §5.4).

1. Two judges are asked of every text: the grammar of its language, and the words by themselves (`weights`).
2. Where the grammar reads a claim, it stands; in Chinese the words can overrule it when they are almost certain.
3. Where it reads none, the words of one sentence need more than even odds, more in a question, and much more where
   anything is denied.
4. A text of two languages is read in both: sentences with Han letters as Chinese, all others as English.
"""

from __future__ import annotations

from math import log
from typing import Final

from dragoman.packets.claims.chinese.clauses import HAN, parted
from dragoman.packets.claims.chinese.reading import says as says_in_chinese
from dragoman.packets.claims.english.capabilities.reading import says as says_by_capability
from dragoman.packets.claims.english.fields.reading import says as says_by_field
from dragoman.packets.claims.weights import Weighed, weighed


def _odds(chance: float) -> float:
    return log(chance / (1 - chance))


ALONE: Final = _odds(0.55)
"""What words have to weigh of which the grammar knows nothing."""
ASKED: Final = _odds(0.7)
"""The same in a question, or in what follows one."""
DENIED: Final = _odds(0.9)
"""The same where something is denied: a word counts little against a "not"."""
AGAINST: Final = _odds(0.005)
"""What words have to weigh at least where the grammar reads a claim in Chinese; in English it is not doubted."""


def claims(text: str) -> bool:
    """Whether one of the sentences of `text` asserts a capability that is not ours: the grammar says so and the words
    do not speak against it, or the words alone say so."""
    read = asserts(text)
    if read and not HAN.search(text):
        return True
    return any(each.odds > (AGAINST if read else _needed(each)) for each in weighed(text))


def _needed(found: Weighed) -> float:
    return DENIED if found.denies else ASKED if found.asks else ALONE


def asserts(text: str) -> bool:
    """What the grammar says."""
    if HAN.search(text):
        chinese, text = parted(text)
        if says_in_chinese(chinese):
            return True
    return says_by_capability(text) or says_by_field(text)
