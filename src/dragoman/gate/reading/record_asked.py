"""Which claims of a text are no statements? Questions for a wish, the outsider's own words, figures of speech.

1. A day (weekday, relative, holiday, a day of a month) and a count up to three inside a question to the outsider ("Would
   Thursday suit you?", 您周四方便吗?) ask; a full date, a time, an amount, a measure and a larger count still state.
2. What stands in quotation marks and ends in a question mark, or after "you wrote", is the outsider's.
3. The day of the outsider's own letter ("your mail of yesterday") and figures of speech ("thanks a million").
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Final

from dragoman.gate.claims import Claim, ClaimKind
from dragoman.gate.reading.asked_words import (
    EITHER,
    HERE,
    JUBILEE,
    KNOWN_LONG,
    LATER,
    LINE,
    OF_MINE,
    OWN,
    OWN_PAPER,
    SOON,
    TALK,
    WISH,
)

_NEAR: Final = 320
"""Characters around a claim that are looked at, so that a long text is read in linear time."""
_END: Final = re.compile(r"[.!?。!?！？;；\n]")
_YOU: Final = re.compile(
    r"\byou(?:r|rs|'d|'re|'ll|'ve)?\b|\bu\b|\bshall (?:we|i)\b|\bshould (?:we|i)\b|您|你|贵|貴|咱们|方便|可以吗",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"“「『]([^\"”」』]{2,300})[\"”」』]")
_SAID: Final = re.compile(
    r"\b(?:you|your \w+|they|he|she)(?:'ve| have|'d)? (?:wrote|write|written|asked?|said|say|mentioned|put it)\W*$|(?:您|你)(?:\S{0,4})(?:问|說|说|写|提到?|讲)\W*$",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(
    r"\b(?:your|our) (?:last |latest |kind |nice )?(?:\w+ )?(?:message|mail|e-?mail|letter|note|call|question|request|visit|order|text|enquiry|inquiry)s? (?:of|from|on)? ?$"
    r"|(?:您|你|贵司)的?$|\byou (?:wrote|asked|called|said|mentioned) (?:\w+ ){0,2}$",
    re.IGNORECASE,
)
_ONE_HOLDS: Final = re.compile(
    r"(?!.次)[^,。.;!?\d]{0,3}(?:\d|[一二两三四五六七八九十百千]+[^,。\s]|毛重|净重|重|装|有|含)"
)
"""`一托四桶`, `一箱毛重...`: of any one, not of one that is there."""
_SPEECH: Final = re.compile(r"thanks a $|thank you a $|one in a $|零件|万分(?!之)|一万个", re.IGNORECASE)
_REPORTED: Final = re.compile(
    r"\byou asked (?:us |me )?(?:whether|if|when|for|about)\b|\byour (?:question|request) (?:whether|if|about)\b|您问|您想问",
    re.IGNORECASE,
)


def asked(claim: Claim, text: str) -> bool:
    """Whether this claim asks, quotes or is a figure of speech, and so states nothing."""
    before = text[max(0, claim.start - 40) : claim.start]
    if _SPEECH.search(
        before[-14:] + ("" if text[claim.start : claim.end].isascii() else text[claim.start : claim.end + 1])
    ):
        return True
    if claim.value.startswith("rel:") and text[claim.end : claim.end + 1] in ("(", "（"):
        return True  # the date itself stands in the brackets
    if claim.kind is ClaimKind.QUANTITY and text[claim.start] == "一" and _ONE_HOLDS.match(text, claim.end):
        return True
    if claim.kind is ClaimKind.DATE and _LETTER.search(before):
        return True
    if _in_quotes(claim, text):
        return True
    near = max(0, claim.start - _NEAR)
    start = max((hit.end() for hit in _END.finditer(text, near, claim.start)), default=near)
    stop = _END.search(text, claim.end, claim.end + _NEAR)
    sentence = text[start : stop.end() if stop else claim.end + _NEAR]
    at, end = claim.start - start, claim.end - start
    if _of_the_talk(claim, sentence.lower(), at, end):
        return True
    if not _mild(claim):
        return False
    if _REPORTED.search(sentence[:at]):
        return True
    return sentence.rstrip().endswith(("?", "？")) and _YOU.search(sentence) is not None


def _of_the_talk(claim: Claim, sentence: str, at: int, end: int) -> bool:
    """Whether it is about this conversation and who leads it, or is a wish, and so no fact of the record's."""
    around = sentence[max(0, at - 60) : end + 60]
    if claim.kind is not ClaimKind.AMOUNT and JUBILEE.search(sentence):
        return True
    if claim.kind is ClaimKind.DATE and len(claim.value) != 10:
        clause = _clause(sentence, at, end)
        if WISH.search(around) or OWN.search(clause) is not None or (claim.value in _TODAY and HERE.search(clause)):
            return True
        return claim.value.startswith(("rel:", "wd:", "each:6")) and LATER.search(clause) is not None
    if claim.kind in (ClaimKind.NUMBER, ClaimKind.QUANTITY):
        number = claim.value.partition(" ")[0].lstrip("#")
        if LINE.search(sentence[max(0, at - 24) : end + 10]) and OWN_PAPER.search(sentence):
            return True
        if claim.value.endswith((" minute", " second")) or claim.value in ("1 hour", "0.5 hour"):
            return SOON.search(sentence) is not None
        if KNOWN_LONG.search(around) and claim.value.endswith(" year"):
            return True
        if number in {"1", "2", "3", "4", "5"} and OF_MINE.match(sentence, at):
            return True
    if _OF_DATE.match(sentence, end) or claim.kind not in (ClaimKind.QUANTITY, ClaimKind.TIME, ClaimKind.NUMBER):
        return False
    return (
        sentence.rstrip().endswith(("?", "？")) and EITHER.search(around) is not None and TALK.search(sentence) is None
    )


_OF_DATE: Final = re.compile(r"\s?[月日]")
_TODAY: Final = frozenset({"rel:+0"})


def _clause(sentence: str, at: int, end: int) -> str:
    """The part of a sentence, between commas, in which a claim stands."""
    start = max(sentence.rfind(mark, 0, at) for mark in (",", "，", ":", "：", " - ", "–")) + 1
    ends = [stop for mark in (", ", "，", ",") if (stop := sentence.find(mark, end)) >= 0]
    return sentence[start : min(ends, default=len(sentence))]


def _mild(claim: Claim) -> bool:
    if claim.kind is ClaimKind.DATE:
        return claim.value.startswith(("rel:", "wd:", "---", "every:", "each:", "?", "--")) and len(claim.value) != 10
    number = claim.value.partition(" ")[0]
    return claim.kind in (ClaimKind.QUANTITY, ClaimKind.NUMBER) and number in {"1", "2", "3"}


def _in_quotes(claim: Claim, text: str) -> bool:
    for quote in _QUOTED.finditer(text, max(0, claim.start - _NEAR), claim.end + _NEAR):
        if quote.start() < claim.start and claim.end <= quote.end():
            theirs = _SAID.search(text[max(0, quote.start() - 30) : quote.start()]) is not None
            return theirs or quote[1].rstrip().endswith(("?", "？"))
    return False
