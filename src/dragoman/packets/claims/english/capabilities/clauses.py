"""From a text to the clauses of its sentences, each with the marks of the words that are known.

1. What stands in quotation marks within something else is not said by this text: it is blanked where a word of
   quoting stands near, or where it is a sentence by itself. A short phrase in quotation marks stays.
2. A sentence that asks is none: it has no clauses, unless the next one says yes (`answers`).
3. A clause ends at a semicolon or contrast, at a comma before a new subject or a reason, and
   after `MOST` marks, so that the work stays linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from dragoman.packets.claims.english.answers import answered, plainly
from dragoman.packets.claims.english.capabilities.more import ENGLISH as MORE_ENGLISH
from dragoman.packets.claims.english.capabilities.table import TABLE as ENGLISH
from dragoman.packets.claims.english.kinds import Kind, lower, plain

MOST: Final = 120
"""Most marks in one clause."""

Kinds = frozenset[Kind]


class Mark(msgspec.Struct, frozen=True):
    """One known word: where it stands in the text and what kinds of word it is."""

    start: int
    end: int
    kinds: Kinds
    word: str


class Clause(msgspec.Struct, frozen=True):
    """A part of a sentence: its place in the text, its marks in order, and what the marks together are."""

    start: int
    end: int
    marks: tuple[Mark, ...]
    kinds: Kinds
    after_contrast: bool


_QUOTED: Final = re.compile(r"“[^“”]{1,400}”|\"[^\"\n]{1,400}\"|‘[^‘’]{1,400}’|«[^«»]{1,400}»")
_FRAME: Final = frozenset({Kind.SAY, Kind.ASK, Kind.TOPIC, Kind.WRONG, Kind.BACK})
_FRAMING: Final = re.compile(
    r"\b(?:draft|subject|entry|called|named|put|line|replace|sign|message of|mail|record \d+|note|text|string|label)\b",
    re.IGNORECASE,
)
_NEAR: Final = 90
_SENTENCE_LONG: Final = 4
_WORD: Final = re.compile(r"\w")
SENTENCE: Final = re.compile(r"(?<=[.!])\s+|(?<=[?])\s*|\n+")
_CUT: Final = re.compile(
    r""";|\s[-–—]+\s|—+
    |[,:]\s+(?=(?:and\s+|or\s+|so\s+|then\s+)?(?:uaix|(?:the|each|every|any)\s+(?:packet|record|handoff|message)|it|it['’]s|this|that|these|those|we|you|they|he|she|i|there|nobody|nothing
      |no|not|what|which|who|because|since|as|if|when|whenever|once|your|our|its|please|copy|run|use|see|so)\b)
    |\b(?:because|since|whereas|so\s+that|in\s+case)\b
    |\b(?:and|then)\s+(?=(?:is|has|can|will|does|provides|offers|supports|includes|gives|runs|syncs|hosts|commits|pushes
      |writes|issues|delivers|stores|keeps|imports|certifies|orchestrates|starts|handles|performs|it|we|you|nobody|nothing
      |no\s+one|none|uaix|then|that|not)\b)
    |\((?=[^()]{20,})""",
    re.IGNORECASE | re.VERBOSE,
)


class _Node:
    """A node of the tree of phrases: what ends here, and the words that may follow."""

    __slots__ = ("after", "kinds")

    def __init__(self) -> None:
        self.after: dict[str, _Node] = {}
        self.kinds: set[Kind] = set()


@cache
def _lexicon() -> _Node:
    root = _Node()
    for table in (ENGLISH, MORE_ENGLISH):
        for kind, entries in table.items():
            for phrase in entries:
                node = root
                for token in _TOKEN.findall(lower(phrase)):
                    node = node.after.setdefault(token, _Node())
                node.kinds.add(kind)
                if "uaix" in phrase.lower():
                    node.kinds.add(Kind.UAIX)
    return root


_TOKEN: Final = re.compile(r"[a-z0-9_]+(?:'[a-z]+)?")
_GAP: Final = re.compile(r"[\s/-]{0,8}")


def marks_of(text: str) -> list[Mark]:
    """All known words of the text, the longest at each place, in order."""
    low = lower(text)
    tokens = [(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(low)]
    marks: list[Mark] = []
    at = 0
    while at < len(tokens):
        length, kinds = _longest(low, tokens, at)
        if kinds:
            end = tokens[at + length - 1][2]
            marks.append(Mark(tokens[at][1], end, kinds, plain(text[tokens[at][1] : end])))
        at += length
    return [
        msgspec.structs.replace(mark, kinds=_THEIRS)
        if mark.word in _POSSESSIVE and _theirs(text, mark, after)
        else mark
        for mark, after in zip(marks, [*marks[1:], None], strict=False)
    ]


def _longest(low: str, tokens: list[tuple[str, int, int]], at: int) -> tuple[int, Kinds]:
    """How many tokens the longest phrase at a place has, and its kinds; one token of no kind if there is none."""
    node, best, length = _lexicon(), 1, 0
    kinds: set[Kind] = set()
    while at + length < len(tokens):
        token, start, _ = tokens[at + length]
        if length and not _GAP.fullmatch(low, tokens[at + length - 1][2], start):
            break
        following = node.after.get(token)
        if following is None:
            break
        node, length = following, length + 1
        if node.kinds:
            best, kinds = length, node.kinds
    return best, frozenset(kinds)


_POSSESSIVE: Final = frozenset({"our"})
_THEIRS: Final[Kinds] = frozenset({Kind.OTHER})
_LETTER: Final = re.compile(r"[^\W\d_]")


def _theirs(text: str, mark: Mark, after: Mark | None) -> bool:
    """Whether what is ours is a party of its own or a thing that we do not know: our engineer, our Zapier flow."""
    if after is not None and Kind.OTHER in after.kinds:
        return True
    return _LETTER.search(text, mark.end, min(after.start if after else len(text), mark.end + 60)) is not None


def sentences(text: str) -> Iterator[tuple[str, list[Clause]]]:
    """Each sentence that says something, with its clauses."""
    text = without_quoted(text)
    start, asked = 0, ""
    for cut in [*SENTENCE.finditer(text), None]:
        end = cut.start() if cut else len(text)
        sentence = text[start:end]
        start = cut.end() if cut else end
        if not sentence.strip():
            continue
        if sentence.rstrip(" )”\"'").endswith("?"):
            asked = sentence
            continue
        said = answered(asked, sentence) if asked else None
        if said:
            yield said, _clauses(said)
        asked = ""
        sentence = plainly(sentence)
        yield sentence, _clauses(sentence)


def without_quoted(text: str) -> str:
    """The text with what it quotes blanked (law 1)."""
    if _QUOTED.search(text) is None:
        return text
    frames = [mark.start for mark in marks_of(text) if not _FRAME.isdisjoint(mark.kinds)]
    frames = sorted(frames + [found.start() for found in _FRAMING.finditer(text)])

    def framed(first: int, last: int) -> bool:
        at = bisect_left(frames, first)
        return at < len(frames) and frames[at] < last

    def judged(found: re.Match[str]) -> str:
        inner, start, end = found.group()[1:-1], found.start(), found.end()
        if _WORD.search(text, max(0, start - _NEAR), start) is None and _WORD.search(text, end, end + _NEAR) is None:
            return " " + inner + " "
        if len(inner.split()) >= _SENTENCE_LONG or framed(start - _NEAR, start) or framed(end, end + _NEAR):
            return " … "
        return " " + inner + " "

    return _QUOTED.sub(judged, text)


def _clauses(sentence: str) -> list[Clause]:
    marks = marks_of(sentence)
    contrasts = {mark.start for mark in marks if Kind.CONTRAST in mark.kinds}
    ands = {cut.end() for cut in _CUT.finditer(sentence)}
    cuts = sorted(ands | contrasts)
    contrasts |= {cut.end() for cut in _CUT.finditer(sentence) if "and" in cut.group().lower()}
    inside = _inside(marks, cuts)
    bounds = [at for at in cuts if at not in inside]
    clauses: list[Clause] = []
    here: list[Mark] = []
    begin, turned = 0, False

    def close(end: int) -> None:
        nonlocal here, begin, turned
        if here:
            kinds: Kinds = frozenset().union(*(mark.kinds for mark in here))
            clauses.append(Clause(begin, end, tuple(here), kinds, turned))
            turned = False
        here, begin = [], end

    waiting = iter([*bounds, len(sentence) + 1])
    bound = next(waiting)
    for mark in marks:
        while mark.start >= bound or len(here) == MOST:
            close(min(bound, mark.start))
            if mark.start >= bound:
                turned = turned or bound in contrasts
                bound = next(waiting)
        here.append(mark)
    close(len(sentence))
    return clauses


def _inside(marks: list[Mark], cuts: list[int]) -> set[int]:
    """The cuts that fall within a known word; both lists are in order."""
    found, at = set(), 0
    for mark in marks:
        while at < len(cuts) and cuts[at] <= mark.start:
            at += 1
        while at < len(cuts) and cuts[at] < mark.end:
            found.add(cuts[at])
            at += 1
    return found
