"""How far from the record may a text be that says "about"? For `record_equal`: one precision, said by the text itself.

1. A plain figure is exact. `about`, `roughly`, 约, 左右 allow seven in a hundred on both sides, and never more than the
   figure is rounded to ("about 300" is no 312 when 310 could be said... the cap decides).
2. `nearly`, `just under`, 将近, 不到: the record lies below. `a bit over`, `more than`, 多, 出头: the record lies above.
3. A time of day: "a bit after six" up to an hour later, "shortly before" as much earlier, "around" half an hour to each side.

Never: a direction that the words deny; "about 60" for 68.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from dragoman.gate.claims import Claim

_UNDER: Final = re.compile(
    r"\b(?:(?:just|slightly|a (?:little|bit|touch|shade)|a few minutes|shortly|well|somewhat) (?:under|below|short of|less than|shy of|before)|nearly|almost|close to|not quite|coming up to|getting on for|(?:just )?before|shortly before|under)(?: the| an?)?\W*$|(?:将近|接近|不到|快到?|差不多|近)$"
)
_OVER: Final = re.compile(
    r"\b(?:(?:just|slightly|a (?:little|bit|touch)|a few minutes|shortly|a good) (?:over|above|more than|past|after)|over|more than|upwards? of|past|after|a good|a little|well over)(?: the| an?)?\W*$|(?:超过|至少|刚过)$"
)
_ABOUT: Final = re.compile(
    r"\b(?:about|around|roughly|approximately|approx\.?|some|circa|ca\.?|say|in round figures|give or take|or so|at about|more or less)(?: the| an?)?\W*$|~\s?$|(?:大约|大概|约|左右|差不多|约莫|大致|近)$"
)
_OVER_BEHIND: Final = re.compile(r"[\s-]?(?:odd\b|plus\b|or more\b)|多|出头|来[个件箱米公]|好几|开外|挂零|过一?点|过了")
_ABOUT_BEHIND: Final = re.compile(
    r"[^,.;!?，。；]{0,12}?(?:\bor so\b|\bgive or take\b|\bish\b|\bapprox|\broughly\b|左右|上下|前后|光景|来)"
)
_SHARE: Final = Decimal("0.07")


def slack(claim: Claim, text: str) -> tuple[Decimal, Decimal]:
    """How far the record may lie below and above the claim, as shares of the claim's figure."""
    before = text[max(0, claim.start - 28) : claim.start].lower()
    written = text[claim.start : claim.end]
    under, over = _UNDER.search(before), _OVER.search(before)
    over = over or _OVER_BEHIND.match(text, claim.end) or re.search("多", written)
    if _ABOUT.search(before) or _ABOUT_BEHIND.match(text, claim.end):
        return (_SHARE, _SHARE)
    return (_SHARE if under else Decimal(0), _SHARE if over else Decimal(0))


def minutes(claim: Claim, text: str) -> tuple[int, int]:
    """How many minutes earlier and later than the claim the record's time may be."""
    below, above = slack(claim, text)
    if below and above:
        return (30, 30)
    return (30 if below else 0, 59 if above else 0)
