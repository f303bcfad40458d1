"""What does a record state, as values that can be compared leniently? For `record_equal` and `record_days`.

1. Figures with their units, in every company; numbers in names (`Hafenstrasse 12`) are marked, for they count nothing.
2. What follows from one fact alone: the days between its dates, the minutes between its times, the differences and sums of
   its counts, the length of its enumerations, shares.
3. Which day the record calls today, whether it speaks of closing, of opening again, of a weekly order.

Collected once per record, never per message.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec

from dragoman.gate.claims import Claim, ClaimKind
from dragoman.gate.reading.numbers import han_readings
from dragoman.gate.reading.record_codes import squeeze
from dragoman.gate.reading.record_figures import STRICT, Figure, decimal, figures_of
from dragoman.gate.reading.record_shares import shares_of
from dragoman.gate.reading.words import COUNTED, ORDINALS, UNITS

_FIXED: Final = (
    (re.compile(r"christmas eve|平安夜"), "12-24"), (re.compile(r"christmas|圣诞"), "12-25"),
    (re.compile(r"new year's eve"), "12-31"), (re.compile(r"new year|元旦"), "01-01"),
    (re.compile(r"国庆"), "10-01"), (re.compile(r"中秋"), "08-15"), (re.compile(r"端午"), "05-05"), (re.compile(r"元宵"), "01-15"), (re.compile(r"劳动节|五一"), "05-01"), (re.compile(r"boxing"), "12-26"),
)  # fmt: skip
SOME_YEAR: Final = "2028"
"""A leap year, where days are only counted."""
_FIGURE: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?")
_LIST: Final = re.compile(r"[^.;:。;:,、\n\d]{1,30}(?:(?:、|, | and |和)[^.;:。;:,、\n\d]{1,30}){1,7}")
_LISTED: Final = re.compile(r"、|, and |, | and |和")
EVERY: Final = re.compile(r"\bevery $|每(?:隔)?$")
EVERY_ITSELF: Final = (
    "every",
    "weekly",
    "monthly",
    "yearly",
    "daily",
    "hourly",
    "quarterly",
    "annual",
    "每",
    "一年",
    "半年",
)
_TOWN: Final = re.compile(r"\d{4,6} [A-Z]\w+")
_OPEN: Final = re.compile(r"open|hours|mon|tue|wed|thu|fri|sat|sun|时间|营业|周|点")
_HOURS: Final = re.compile(
    r"(?<![\d:./-])([01]?\d|2[0-4]) ?[-–—至到] ?([01]?\d|2[0-4])(?![\d:./-])(?! ?[a-z月日号天件])"
)
"""`Saturday 10-14`."""
_ORDINAL: Final = re.compile(r"[a-z]+(?:-[a-z]+)?")
_ZH_ORDINAL: Final = re.compile("第([一二三四五六七八九十百]{1,5})")
_ZH_NTH: Final = re.compile(r"第([一二三四五六七八]|\d)(批|台|箱|次|车|柜|份|页|层|间|组|套|期|个)")
_NTH: Final = re.compile(r"\b(first|second|third|fourth|fifth) ([a-z]+)")
_LABELLED: Final = re.compile(r"([a-z]+|[\u4e00-\u9fff]{1,2})(?: ?\(([a-z]+)\))?数? ?[:：] ?$")
"""`Machine hours: 12,480`, `Weight (kg): 25`: the unit stands before."""
NAME: Final = " name"
_NAME_BEFORE: Final = re.compile(
    r"(?:\b[A-Z][\w.]*|\b(?:gate|hall|room|dock|street|no\.|number|bay|line|table|page|chapter|version|order|stand|booth|unit|code)) $"
)
_CLOSED: Final = re.compile(r"\b(?:closed|until|through|holidays?|shut|till)\b|放假|休|停|截止|截至")
_WEEKLY: Final = re.compile(
    r"\b(?:hours|sessions?|lessons?|class(?:es)?|schedule|timetable|course|weekly|every|market|opening|weekdays)\b|\b(?:mon|tue|wed|thu|fri|sat)[a-z]* ?(?:-|–|to) ?(?:tue|wed|thu|fri|sat|sun)|时间|课|班次|每"
)
_OPENS: Final = re.compile(r"\b(?:reopen\w*|open again|from|starts?|resum\w*|back)\b|恢复|起|开始|复工|重新")
_TODAY: Final = re.compile(r"\btoday(?:'s date)?(?: is|:)|今天是|今日为|今日:|今日：|当前日期|现在是", re.IGNORECASE)


class Values(msgspec.Struct, frozen=True):
    """What a record states, for lenient comparison."""

    figures: tuple[Figure, ...] = ()
    facts: tuple[str, ...] = ()
    numbers: frozenset[Decimal] = frozenset()
    dates: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    relative: frozenset[str] = frozenset()
    shares: frozenset[Decimal] = frozenset()
    squeezed: tuple[str, ...] = ()
    counts: frozenset[int] = frozenset()
    """How many things the facts list (`red, blue and white` are three)."""
    apart: frozenset[int] = frozenset()
    """Days between any two dates of the record."""
    today: date | None = None
    """The day that the record says is today."""
    minutes: frozenset[int] = frozenset()
    """Minutes between any two times of the record."""
    stays: frozenset[int] = frozenset()
    """Lengths in days or nights that the record names."""
    closed: bool = False
    weekly: bool = False
    opens: bool = False
    lacking: frozenset[Decimal] = frozenset()
    """Differences of two counts of one fact."""
    sums: frozenset[tuple[Decimal, ...]] = frozenset()
    """The counts of each fact, where it has several."""
    ordinals: frozenset[tuple[str, int]] = frozenset()
    """The highest ordinal of each noun, where the record counts them from the first (第一批, 第二批)."""


def values(facts: tuple[str, ...], stated: tuple[tuple[Claim, ...], ...]) -> Values:
    """Collects a record's values once."""
    found = tuple(claim for its in stated for claim in its)
    figures = tuple(
        figure for fact, its in zip(facts, stated, strict=True) for claim in its for figure in _named(claim, fact)
    )
    dates = _dates(found)
    times = frozenset(one for claim in found if claim.kind is ClaimKind.TIME for one in claim.value.split("|"))
    times |= {
        f"{int(hour):02d}:00"
        for fact in facts
        if _OPEN.search(fact.lower())
        for pair in _HOURS.findall(fact)
        for hour in pair
    }
    clock = {int(one[:2]) * 60 + int(one[3:5]) for one in times if one[:2].isdigit()}
    counts = [_counts(its) for its in stated]
    said = "\n".join(facts).lower()
    return Values(
        facts=facts,
        figures=figures,
        numbers=frozenset({figure.number for figure in figures} | _raw(facts)),
        dates=dates,
        times=times,
        relative=frozenset(one for one in dates if one.startswith(("rel:", "wd:", "each:", "every:"))),
        shares=shares_of(facts, figures)
        | {a / b for its in counts[:8] for a in its[:4] for b in its[:4] if a < b}
        | _parts(figures),
        squeezed=tuple(squeeze(fact.lower()) for fact in facts),
        counts=frozenset(count for fact in facts for count in _listed(fact)),
        apart=_apart(dates),
        today=today_of(facts, stated),
        minutes=frozenset(gap for a in clock for b in clock if a != b for gap in (abs(a - b), (a - b) % 1440)),
        stays=frozenset(
            int(one.number)
            for one in figures
            if one.unit in ("day", "night") and 0 < one.number < 400 and one.number % 1 == 0
        ),
        closed=_CLOSED.search(said) is not None,
        weekly=_WEEKLY.search(said) is not None,
        opens=_OPENS.search(said) is not None,
        lacking=frozenset(abs(a - b) for its in counts for a in its for b in its if a != b),
        ordinals=_ordinals(facts),
        sums=frozenset(tuple(its) for its in counts if 2 <= len(its) <= 4),
    )


def _parts(figures: tuple[Figure, ...]) -> set[Decimal]:
    """Shares between two counts of one noun, in whichever facts: 42 of 84 pages."""
    counted = [one for one in figures if one.unit in COUNTED.values() and one.unit not in STRICT and not one.per][:8]
    return {a.number / b.number for a in counted for b in counted if a.unit == b.unit and 0 < a.number < b.number}


def _ordinals(facts: tuple[str, ...]) -> frozenset[tuple[str, int]]:
    found: dict[str, set[int]] = {}
    for fact in facts:
        for said, noun in _ZH_NTH.findall(fact):
            number = next(iter(han_readings(said)), "") if not said.isdigit() else said
            if number.isdigit() and noun in COUNTED:
                found.setdefault(COUNTED[noun], set()).add(int(number))
        for said, noun in _NTH.findall(fact.lower()):
            if noun in COUNTED:
                found.setdefault(COUNTED[noun], set()).add(ORDINALS[said])
    return frozenset((noun, max(its)) for noun, its in found.items() if its == set(range(1, max(its) + 1)))


def _dates(found: Iterable[Claim]) -> frozenset[str]:
    plain = {
        one.partition("@")[0]
        for claim in found
        if claim.kind is ClaimKind.DATE and ("|" not in claim.value or claim.value.startswith("each:"))
        for one in claim.value.split("|")
    }
    said = {f"wd:{claim.value[-1]}" for claim in found if claim.kind is ClaimKind.DATE and claim.value[-2:-1] == "@"}
    return frozenset(plain | said | {day for claim in found if (day := fixed(claim.value))})


def _raw(facts: Iterable[str]) -> set[Decimal]:
    """Every number that stands in the facts in digits, and every ordinal word."""
    found: set[Decimal] = set()
    for fact in facts:
        lower = fact.lower()
        found |= {number for one in _FIGURE.finditer(lower) if (number := decimal(one[0]))}
        found |= {Decimal(day) for word in _ORDINAL.findall(lower) if (day := ORDINALS.get(word))}
        found |= {Decimal(one) for said in _ZH_ORDINAL.findall(fact) for one in han_readings(said) if one.isdigit()}
    return found


def today_of(facts: tuple[str, ...], stated: tuple[tuple[Claim, ...], ...]) -> date | None:
    """The day that a fact calls today; its year is the one that any fact names, when it has none itself."""
    years = [
        claim.value[:4] for its in stated for claim in its if claim.kind is ClaimKind.DATE and claim.value[:4].isdigit()
    ]
    for fact, its in zip(facts, stated, strict=True):
        said = _TODAY.search(fact)
        for claim in its if said else ():
            if said and claim.start < said.end() and any(one.start >= said.end() for one in its):
                continue
            plain = claim.value.partition("@")[0]
            plain = plain.replace("--", f"{years[0] if years else SOME_YEAR}-", 1) if plain.count("-") == 3 else plain
            if claim.kind is ClaimKind.DATE and full(plain):
                return date.fromisoformat(plain)
    return None


def _counts(its: tuple[Claim, ...]) -> list[Decimal]:
    """What one fact counts, at most eight figures of it."""
    found = [figure for claim in its for figure in figures_of(claim) if figure.unit not in STRICT and not figure.per]
    return [figure.number for figure in found if 0 < figure.number < 10_000 and figure.number % 1 == 0][:8]


def _named(claim: Claim, fact: str) -> list[Figure]:
    """A fact's figures; the number behind a name (`Hafenstrasse 12`, `gate 4`) is marked, for it counts nothing."""
    figures = figures_of(claim)
    before = fact[max(0, claim.start - 16) : claim.start].lower()
    if EVERY.search(before) or fact[claim.start : claim.end].lower().startswith(EVERY_ITSELF):
        figures += [msgspec.structs.replace(figure, per="every") for figure in figures if not figure.per]
    if claim.kind is ClaimKind.QUANTITY and _TOWN.fullmatch(fact[claim.start : claim.end]):
        return [Figure(figure.number, NAME, "") for figure in figures]
    if claim.kind is ClaimKind.NUMBER and (label := _LABELLED.search(before)):
        unit = COUNTED.get(label[1]) or UNITS.get(label[1]) or UNITS.get(label[2] or "") or ""
        figures += [Figure(figure.number, unit, "") for figure in figures if unit]
    if claim.kind is ClaimKind.NUMBER and _NAME_BEFORE.search(fact[: claim.start]):
        return [Figure(figure.number, figure.unit or NAME, "") for figure in figures]
    return figures


def _listed(fact: str) -> list[int]:
    """The lengths of the enumerations of a fact."""
    return [1 + len(_LISTED.findall(run[0])) for run in _LIST.finditer(fact)]


def fixed(value: str) -> str:
    if not value.startswith("?"):
        return ""
    return next((f"--{day}" for pattern, day in _FIXED if pattern.search(value)), "")


def full(day: str) -> bool:
    return len(day) == 10 and day[:1].isdigit()


def _apart(dates: frozenset[str]) -> frozenset[int]:
    """Days between any two dates of one record, and one more for both ends counted."""
    days = []
    for one in sorted(dates)[:12]:
        plain = one.replace("--", "2027-", 1) if one.startswith("--") and one.count("-") == 3 else one
        if len(plain) == 10 and plain[:1].isdigit() and plain[5:] != "02-29":
            days.append(date.fromisoformat(plain))
    weekdays = sorted({int(one[-1]) for one in dates if one.startswith(("wd:", "every:"))})
    gaps = {(b - a) % 7 for a in weekdays for b in weekdays if a != b and len(weekdays) == 2 and a < b}
    gaps |= {(a - b).days % 365 for a in days for b in days if a < b and (a - b).days % 365 < 60}
    gaps |= {abs((a - b).days) for a in days for b in days if a != b and abs((a - b).days) < 60}
    return frozenset(gaps | {gap + 1 for gap in gaps})
