"""From a text to the clauses of its sentences, each with the marks of the words that are known.

1. What stands in quotation marks within something else is not said by this text: it is blanked where a word of
   quoting stands near, or where it is a sentence by itself. A short phrase in quotation marks stays.
2. A sentence that asks is none: it has no clauses.
3. A clause ends at a semicolon or contrast, at a comma before a new subject or a reason, at every comma in Chinese,
   and after `MOST` marks, so that the work stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec
import re2

from dragoman.packets.rules import claims_en, claims_zh
from dragoman.packets.rules.claim_words import Kind, plain

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
    chinese: bool


_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_QUOTED: Final = re.compile(
    r"“[^“”]{1,400}”|\"[^\"\n]{1,400}\"|「[^「」]{1,400}」|‘[^‘’]{1,400}’|«[^«»]{1,400}»|《[^《》]{1,400}》"
)
_FRAME: Final = frozenset({Kind.SAY, Kind.ASK, Kind.TOPIC, Kind.WRONG})
_FRAMING: Final = re.compile(
    r"\b(?:draft|subject|entry|called|named|put|line|replace|sign|message of|mail|record \d+|note|text|string|label)\b"
    r"|写成|叫|原话|内容|字样|一词|字|标|一句|说|问",
    re.IGNORECASE,
)
_NEAR: Final = 90
_SENTENCE: Final = re.compile(r"(?<=[.!])[\s]+|(?<=[?？])\s*|[。！\n]+|(?<=[!])(?=[\u3400-\u9fff])")
_CUT: Final = re.compile(
    r"""[;；，]|,(?=\s*[\u3400-\u9fff])|\s[-–—]+\s|—+
    |[,:]\s+(?=(?:and\s+|or\s+|so\s+|then\s+)?(?:uaix|(?:the|each|every|any)\s+(?:packet|record|handoff|message)|it|it['’]s|this|that|these|those|we|you|they|he|she|i|there|nobody|nothing
      |no|not|what|which|who|because|since|as|if|when|whenever|once|your|our|its|please|copy|run|use|see|so)\b)
    |\b(?:because|since|whereas|so\s+that|in\s+case)\b
    |\b(?:and|then)\s+(?=(?:is|has|can|will|does|provides|offers|supports|includes|gives|runs|syncs|hosts|commits|pushes
      |writes|issues|delivers|stores|keeps|imports|certifies|orchestrates|starts|handles|performs|it|we|you|nobody|nothing
      |no\s+one|none|uaix|then|that|not)\b)
    |\((?=[^()]{20,})|(?:除了|除)(?=\S{1,8}(?:以外|之外|外))""",
    re.IGNORECASE | re.VERBOSE,
)


@cache
def _lexicon() -> tuple[re2._Regexp, dict[str, Kinds]]:
    kinds: dict[str, set[Kind]] = {}
    for table in (claims_en.TABLE, claims_zh.TABLE):
        for kind, entries in table.items():
            for word in entries:
                found = kinds.setdefault(plain(word), set())
                found.add(kind)
                if "uaix" in plain(word):
                    found.add(Kind.UAIX)
    options = re2.Options()
    options.longest_match = True
    options.case_sensitive = False
    options.max_mem = 1 << 26
    rows = (_pattern(word) for word in kinds)
    return re2.compile("|".join(rows), options), {word: frozenset(found) for word, found in kinds.items()}


def _pattern(word: str) -> str:
    escaped = "[\\s-]+".join("['’]".join(re2.escape(each) for each in part.split("'")) for part in word.split(" "))
    left = r"\b" if word[0].isascii() and word[0].isalnum() else ""
    right = r"\b" if word[-1].isascii() and word[-1].isalnum() else ""
    return left + escaped + right


def marks_of(text: str) -> list[Mark]:
    """All known words of the text, the longest at each place, in order."""
    pattern, kinds = _lexicon()
    return [Mark(m.start(), m.end(), kinds[plain(m.group())], plain(m.group())) for m in pattern.finditer(text)]


def sentences(text: str) -> Iterator[tuple[str, list[Clause]]]:
    """Each sentence that says something, with its clauses."""
    text = _without_quoted(text)
    start = 0
    for cut in [*_SENTENCE.finditer(text), None]:
        end = cut.start() if cut else len(text)
        sentence = text[start:end]
        start = cut.end() if cut else end
        if sentence.strip() and not sentence.rstrip(" )）”\"'").endswith(("?", "？")):
            yield sentence, _clauses(sentence)


def _without_quoted(text: str) -> str:
    def judged(found: re.Match[str]) -> str:
        inner = found.group()[1:-1]
        around = text[max(0, found.start() - _NEAR) : found.start()] + " " + text[found.end() : found.end() + _NEAR]
        if not re.search(r"\w", around):
            return " " + inner + " "
        framed = _FRAMING.search(around) or any(not _FRAME.isdisjoint(mark.kinds) for mark in marks_of(around))
        sentence = len(_HAN.findall(inner)) >= 7 or len(inner.split()) >= 4
        return " … " if framed or sentence else " " + inner + " "

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
    chinese = _HAN.search(sentence) is not None

    def close(end: int) -> None:
        nonlocal here, begin, turned
        if here:
            kinds: Kinds = frozenset().union(*(mark.kinds for mark in here))
            clauses.append(Clause(begin, end, tuple(here), kinds, turned, chinese))
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
