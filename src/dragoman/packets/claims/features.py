"""What a passage is weighed by: words, which of them are denied, and how the grammar reads it (see `weights`).

1. English counts words and pairs of words; Chinese, which parts no words, characters in runs of up to three.
2. A word behind a denial in its clause counts once more as a denied word; a second denial takes that back.
3. The grammar's own marks (`clauses` of either language) count as signs: who is spoken of, whether something is
   asked, told, supposed or refused. They say how something is said; what is said, the words must say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from dragoman.packets.claims.chinese.clauses import HAN, clauses_of
from dragoman.packets.claims.chinese.clauses import sentences as chinese_sentences
from dragoman.packets.claims.chinese.denials import negated
from dragoman.packets.claims.english.capabilities.clauses import sentences as english_sentences
from dragoman.packets.claims.english.kinds import Kind, words

_PIECE: Final = re.compile(r"[a-z0-9_']+|[?.,;:!]")
_MARKS: Final = frozenset(".,;:!")
_ENDS: Final = _MARKS | {"but", "rather", "instead", "though", "however", "because"}
_NOT: Final = frozenset(
    words("not,no,never,nothing,nobody,none,neither,nor,without,cannot,hardly,nowhere,refuses,lacks,lack,missing")
)
_NOT_HAN: Final = frozenset("不没沒無无未非别勿莫")
_NO_DENIAL: Final = re.compile(
    "不[仅僅只但光单單止管论論同错錯用必需断斷]|[无無][论論需缝縫不人]|非常"  # deny nothing
)
_ENDS_HAN: Final = frozenset("，。；：！？,.;:!?\n")
_GRAMMAR: Final = frozenset(
    {Kind.NOT, Kind.LACK, Kind.NO_ONE, Kind.WRONG, Kind.BACK, Kind.EASE, Kind.FILL, Kind.BE, Kind.SAY, Kind.ASK}
    | {Kind.TOPIC, Kind.IF, Kind.CONTRAST, Kind.TELL, Kind.UAIX, Kind.PACKET, Kind.WE, Kind.IT, Kind.OTHER, Kind.YOU}
    | {Kind.GIVE, Kind.BY, Kind.FOR_YOU}
)
_DENIALS: Final = frozenset({Kind.NOT, Kind.LACK})
MOST: Final = 40
"""Most clauses whose signs count."""


ASKS: Final = "asks"
"""The sign of a question."""
DENIES: Final = frozenset({"not", "lack", "denied 1"})
"""The signs of a denial, whatever it denies."""


class Features(NamedTuple):
    """The words of a passage and the signs of its grammar, each once."""

    words: frozenset[str]
    signs: frozenset[str]


def features(passage: str) -> Features:
    """What a passage of one or two sentences, in which quotations are blanked, is weighed by."""
    low = passage.lower().replace("’", "'")
    if HAN.search(low):
        return Features(frozenset(_chinese(low)), frozenset(_chinese_signs(passage)))
    return Features(frozenset(_english(low)), frozenset(_english_signs(passage)))


def _english(low: str) -> Iterator[str]:
    pieces, denied, tagged = _PIECE.findall(low), False, [""]
    spoken = [piece for piece in pieces if piece not in _MARKS]
    yield from spoken
    yield from (f"{left} {right}" for left, right in pairwise(spoken))
    for piece in pieces:
        denied = denied and piece not in _ENDS
        tagged.append("~" + piece if denied else "")
        if piece in _NOT or piece.endswith("n't"):
            denied = not denied
    yield from filter(None, tagged)
    yield from (f"{left} {right}" for left, right in pairwise(tagged) if left and right)


def _chinese(low: str) -> Iterator[str]:
    for length in (1, 2, 3):
        yield from (low[at : at + length] for at in range(len(low) - length + 1))
    plain = _NO_DENIAL.sub(lambda found: "#" * len(found[0]), low)
    denied, before = False, ""
    for char in plain:
        denied = denied and char not in _ENDS_HAN
        if denied:
            yield "~" + char
            if before:
                yield "~" + before + char
        before = char if denied else ""
        if char in _NOT_HAN:
            denied = not denied


def _english_signs(passage: str) -> Iterator[str]:
    count = told = 0
    for _, clauses in english_sentences(passage):
        told += 1
        for number, clause in enumerate(clauses[:MOST], 1):
            yield from (str(kind) for kind in clause.kinds & _GRAMMAR)
            denials = sum(not mark.kinds.isdisjoint(_DENIALS) for mark in clause.marks)
            count += denials
            yield f"denials {min(denials, 3)}"
            if number == len(clauses):
                yield f"denials last {min(denials, 2)}"
    yield f"denials in all {min(count, 3)}"
    yield f"sentences {min(told, 2)}"
    if "?" in passage:
        yield ASKS


def _chinese_signs(passage: str) -> Iterator[str]:
    count = 0
    for sentence in chinese_sentences(passage):
        if sentence.asks:
            yield ASKS
        clauses = clauses_of(sentence.text)[:MOST]
        for number, clause in enumerate(clauses, 1):
            denied = negated(clause)
            count += denied
            yield f"denied {int(denied)}"
            if clause.roles:
                yield f"field denied {int(denied)}"
            if number == len(clauses):
                yield f"last denied {int(denied)}"
            yield from (str(tag) for tag in clause.tags)
    yield f"denied in all {min(count, 2)}"
