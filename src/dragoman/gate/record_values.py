"""Is what a text states equal to what the record states, as people really write it? The lenient half of `records`.

Asked only where the keys of `statements` found nothing. In this order:

1. A number is the same number in another company: bare by any figure of the record, with a noun that no table knows by
   a figure that is bare or counts (`15 cars`, "15 parking spaces"); two known nouns, two measures must agree.
2. A measure is equal in another unit: exactly inside one system, within 2 % across (`25 kg`, `55 lb`), `°F` by formula.
3. A share is its percentage (`half`, `一半`, 50 %); a frequency its interval (`twice a year`, every 6 months).
4. A span of days is the difference of two dates of the record, counted with or without the first day; a night is a day.
5. A code is the same letters and digits in another grouping (`7781 2093 44`), or its last three or more.
6. A holiday with a fixed day is that day; the last day of a month, the quarter of a date are said by the date.
7. A day without month is that day of the only month in sight: of a date without year, or of a month the text names.

Never: a rate for a count (`36 boxes` for 36 boxes per hour), one unit or currency for another, a number for its
neighbour. What has no number in common is unverified, whatever it is called.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec

from dragoman.gate.claim_words import UNITS
from dragoman.gate.claims import Claim, ClaimKind
from dragoman.gate.record_codes import code_stated, squeeze
from dragoman.gate.record_figures import KNOWN, STRICT, Figure, decimal, figures_of, same

_SHARES: Final = (
    (re.compile(r"\bhalf\b|\bone half\b|一半|半数"), "50"),
    (re.compile(r"\b(?:three|3) quarters?\b|四分之三"), "75"),
    (re.compile(r"\b(?:a|an|one) quarter\b|四分之一"), "25"),
    (re.compile(r"\b(?:two) thirds?\b|三分之二"), "66.7"),
    (re.compile(r"\b(?:a|one) third\b|三分之一"), "33.3"),
    (re.compile(r"\b(?:a|one) fifth\b|五分之一"), "20"),
    (re.compile(r"\b(?:a|one) tenth\b|十分之一"), "10"),
)  # fmt: skip
_FIXED: Final = (
    (re.compile(r"christmas eve|平安夜"), "12-24"), (re.compile(r"christmas|圣诞"), "12-25"),
    (re.compile(r"new year's eve"), "12-31"), (re.compile(r"new year|元旦"), "01-01"),
    (re.compile(r"国庆"), "10-01"), (re.compile(r"劳动节|五一"), "05-01"), (re.compile(r"boxing"), "12-26"),
)  # fmt: skip
_PERCENT_OF: Final = re.compile(r"(?:of|out of) (?:the )?(?:100|a hundred)\b")
_FIGURE: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?")
_IN_UNIT: Final = re.compile(r"单位\S{0,2}?(毫米|厘米|公斤|千克|米|mm|cm|kg)")
_LIST: Final = re.compile(r"[^.;:。;:,、\n\d]{1,30}(?:(?:、|, | and |和)[^.;:。;:,、\n\d]{1,30}){1,7}")
_LISTED: Final = re.compile(r"、|, and |, | and |和")
_ABOUT: Final = re.compile(
    r"(?:just|slightly|a little) (?:under|over|below|above|short of)\W*$|\b(?:nearly|almost|roughly)\W*$|(?:将近|接近|不到)$"
)
"""Before a round number: within three in a hundred of the record's."""
_REST: Final = re.compile(r"(?:remaining|other|rest|left|剩下?的?|其余|余下)\W*$")


_NAME: Final = " name"
_NAME_BEFORE: Final = re.compile(
    r"(?:\b[A-Z][\w.]*|\b(?:gate|hall|room|dock|street|no\.|number|bay|line|table|page|chapter|version|order|stand|booth|unit|code)) $"
)


class Values(msgspec.Struct, frozen=True):
    """What a record states, for lenient comparison."""

    figures: tuple[Figure, ...] = ()
    numbers: frozenset[Decimal] = frozenset()
    dates: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    relative: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()
    squeezed: tuple[str, ...] = ()
    counts: frozenset[int] = frozenset()
    """How many things the facts list (`red, blue and white` are three)."""
    apart: frozenset[int] = frozenset()
    """Days between any two dates of the record."""
    minutes: frozenset[int] = frozenset()
    """Minutes between any two times of the record."""


def values(facts: tuple[str, ...], stated: tuple[tuple[Claim, ...], ...]) -> Values:
    """Collects a record's values once."""
    found = tuple(claim for its in stated for claim in its)
    figures = tuple(
        figure for fact, its in zip(facts, stated, strict=True) for claim in its for figure in _named(claim, fact)
    )
    raw = {
        Decimal(one[0].replace(",", "")) for fact in facts for one in _FIGURE.finditer(fact.lower()) if decimal(one[0])
    }
    dates = frozenset(
        one.partition("@")[0]
        for claim in found
        if claim.kind is ClaimKind.DATE and ("|" not in claim.value or claim.value.startswith("each:"))
        for one in claim.value.split("|")
    )
    clock = {
        int(one[:2]) * 60 + int(one[3:5])
        for claim in found
        if claim.kind is ClaimKind.TIME
        for one in claim.value.split("|")
        if one[:2].isdigit()
    }
    return Values(
        figures,
        frozenset({figure.number for figure in figures} | raw),
        dates | frozenset(day for claim in found if (day := _fixed(claim.value))),
        frozenset(one for claim in found if claim.kind is ClaimKind.TIME for one in claim.value.split("|")),
        frozenset(one for one in dates if one.startswith(("rel:", "wd:", "each:", "every:"))),
        frozenset(share for fact in facts for share in _shares(fact.lower())),
        tuple(squeeze(fact.lower()) for fact in facts),
        frozenset(count for fact in facts for count in _listed(fact)),
        _apart(dates),
        frozenset(abs(a - b) for a in clock for b in clock if a != b),
    )


def equal(claim: Claim, text: str, known: Values) -> bool:
    """Whether the record states this claim in another way."""
    if claim.kind is ClaimKind.DATE:
        return all(_date_equal(one, text, known) for one in claim.value.split("|"))
    if claim.kind is ClaimKind.TIME:
        return any(_time_equal(one, known) for one in claim.value.split("|"))
    if re.fullmatch(r"\?q[1-4]", claim.value):
        return any(day[-5:-3].isdigit() and (int(day[-5:-3]) + 2) // 3 == int(claim.value[2]) for day in known.dates)
    unit = claim.value.partition(" ")[2]
    odd = claim.kind is ClaimKind.QUANTITY and unit not in STRICT and unit not in KNOWN
    named = odd or claim.value.startswith("?") or claim.kind is ClaimKind.NUMBER
    if named and code_stated(claim, text, known.squeezed):
        return True
    if claim.value.startswith("?"):
        return _vague_equal(claim.value[1:], known)
    figures = figures_of(claim)
    if "x" in claim.value.partition(" ")[0] and len(figures) > 1:
        # 60 x 40 is another thing than 40 x 60
        if len(figures) == 2 and all(any(same(one, other) for other in known.figures) for one in figures):
            return True
        runs = zip(*(known.figures[at:] for at in range(len(figures))), strict=False)
        return any(all(same(one, other) for one, other in zip(figures, run, strict=True)) for run in runs)
    return bool(figures) and all(_figure_equal(figure, text, claim, known) for figure in figures)


def _named(claim: Claim, fact: str) -> list[Figure]:
    """A fact's figures; the number behind a name (`Hafenstrasse 12`, `gate 4`) is marked, for it counts nothing."""
    figures = figures_of(claim)
    if claim.kind is ClaimKind.NUMBER and _NAME_BEFORE.search(fact[: claim.start]):
        return [Figure(figure.number, figure.unit or _NAME, "") for figure in figures]
    return figures


def _figure_equal(figure: Figure, text: str, claim: Claim, known: Values) -> bool:
    if any(same(figure, other) for other in known.figures):
        return True
    if _REST.search(text[max(0, claim.start - 12) : claim.start].lower()):
        numbers = sorted(known.numbers)[:12]
        return any(abs(a - b) == figure.number for a in numbers for b in numbers)
    if not figure.unit:
        if text[claim.end : claim.end + 1] in ("月", "年", "日", "号"):
            return False  # a date that is none
        if unit := _IN_UNIT.search(text):
            return any(same(Figure(figure.number, UNITS[unit[1]], ""), other) for other in known.figures)
        hour = f"{int(figure.number) % 12:02d}:00" if 1 <= figure.number <= 12 and figure.number % 1 == 0 else ""
        if hour and any(f"{int(time[:2]) % 12:02d}:{time[3:5]}" == hour for time in known.times if time[:2].isdigit()):
            return True
        percent = _PERCENT_OF.search(text[claim.end : claim.end + 16].lower()) is not None
        if percent and any(other.unit == "%" and other.number == figure.number for other in known.figures):
            return True
        return figure.number in known.numbers
    if figure.number >= 20 and figure.number % 10 == 0 and _ABOUT.search(text[max(0, claim.start - 16) : claim.start]):
        near = [one for one in known.figures if abs(one.number - figure.number) * 33 <= one.number]
        if any(same(msgspec.structs.replace(figure, number=one.number), one) for one in near):
            return True
    if figure.unit not in STRICT and not figure.per and 2 <= figure.number <= 8 and figure.number in known.counts:
        return True
    if figure.unit in ("hour", "minute") and not figure.per:
        length = figure.number * (60 if figure.unit == "hour" else 1)
        if length in known.minutes:
            return True
    if figure.unit in ("day", "night") and not figure.per and int(figure.number) in known.apart:
        return True
    if figure.unit in KNOWN and figure.unit not in STRICT and figure.number == 1:
        return any(other.per == figure.unit or other.unit == figure.unit for other in known.figures)
    return not figure.per and figure.unit not in STRICT and figure.unit not in KNOWN and _raw(figure.number, known)


def _raw(number: Decimal, known: Values) -> bool:
    """Whether a figure that is bare or counts has this number."""
    return any(other.number == number and other.unit not in STRICT and other.unit != _NAME for other in known.figures)


def _shares(text: str) -> list[str]:
    return [percent for pattern, percent in _SHARES if pattern.search(text)]


def _vague_equal(vague: str, known: Values) -> bool:
    shares = _shares(vague)[:1]
    stated = {str(figure.number) for figure in known.figures if figure.unit == "%"}
    return bool(shares) and shares[0] in stated


def _time_equal(time: str, known: Values) -> bool:
    hour, _, zone = time.partition(" ")
    for other in known.times:
        plain, _, its_zone = other.partition(" ")
        if plain == hour and (zone == its_zone or not zone):
            return True
    return False


def _listed(fact: str) -> list[int]:
    """The lengths of the enumerations of a fact."""
    return [1 + len(_LISTED.findall(run[0])) for run in _LIST.finditer(fact)]


def _fixed(value: str) -> str:
    if not value.startswith("?"):
        return ""
    return next((f"--{day}" for pattern, day in _FIXED if pattern.search(value)), "")


def _date_equal(value: str, text: str, known: Values) -> bool:
    plain, _, weekday = value.partition("@")
    plain = _fixed(plain) or plain
    if "~?last day" in plain:
        month = int(plain[2:4])
        plain = f"--{month:02d}-{monthrange(2027, month)[1]:02d}"
    if plain in ("rel:?月底", "rel:?end of the month", "rel:?the end of the month"):
        return any(day[-2:].isdigit() and int(day[-2:]) >= 25 for day in known.dates)
    if plain.startswith("rel:"):
        return plain in known.relative
    if plain.isdigit() and Decimal(plain) in known.numbers:
        return True
    if plain in known.dates and not weekday:
        return True
    ends = [day for day in known.dates if day[-5:] == plain[-5:] and day.count("-") >= 2]
    if plain.startswith("--") and len(plain) == 7 and plain[2] != "-":
        return any(_weekday_fits(day, weekday) for day in ends)
    if plain.startswith("---"):
        same = [day for day in known.dates if day.count("-") >= 2 and day[-2:] == plain[-2:]]
        return any(
            day.startswith("--") or _month_named(int(day[5:7]), text) for day in same if _weekday_fits(day, weekday)
        )
    if plain.startswith("wd:"):
        return any(_full(day) and date.fromisoformat(day).isoweekday() == int(plain[3:]) for day in known.dates)
    return False


def _weekday_fits(day: str, weekday: str) -> bool:
    return not weekday or not _full(day) or date.fromisoformat(day).isoweekday() == int(weekday)


def _full(day: str) -> bool:
    return len(day) == 10 and day[:1].isdigit()


_MONTH_NAMES: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _month_named(month: int, text: str) -> bool:
    return re.search(rf"\b{_MONTH_NAMES[month - 1]}[a-z]*\b|(?<!\d){month}\s?月", text.lower()) is not None


def _apart(dates: frozenset[str]) -> frozenset[int]:
    """Days between any two dates of one record, and one more for both ends counted."""
    days = []
    for one in sorted(dates)[:12]:
        plain = one.replace("--", "2027-", 1) if one.startswith("--") and one.count("-") == 3 else one
        if len(plain) == 10 and plain[:1].isdigit() and plain[5:] != "02-29":
            days.append(date.fromisoformat(plain))
    gaps = {abs((a - b).days) for a in days for b in days if a != b and abs((a - b).days) < 60}
    return frozenset(gaps | {gap + 1 for gap in gaps})
