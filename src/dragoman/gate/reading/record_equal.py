"""Is what a text states equal to what the record states, as people really write it? The lenient half of `records`.

Asked only where the keys of `statements` found nothing. Days and times are for `record_days`; for figures, in this order:

1. A code is the same letters and digits in another grouping (`record_codes`); a share its percentage (`record_shares`).
2. A number is the same number in another company: bare by any figure of the record, with a noun that no table knows by
   a figure that is bare or counts (`15 cars`, "15 parking spaces"); two known nouns, two measures must agree, in any
   unit (`record_figures`), within what the text's own "about" allows (`record_near`).
3. The first rule of `_RULES` that holds: what follows from one fact (a difference, a sum, a length of time, a list).

Never: a rate for a count (`36 boxes` for 36 boxes per hour), one unit or currency for another, a number for its
neighbour. What has no number in common is unverified, whatever it is called.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Final

import msgspec

from dragoman.gate.claims import Claim, ClaimKind, claims
from dragoman.gate.reading.record_codes import code_stated, grouped_alike
from dragoman.gate.reading.record_days import clock_said, day_equal, time_equal
from dragoman.gate.reading.record_figures import KNOWN, STRICT, TIMES, Figure, figures_of, same
from dragoman.gate.reading.record_near import slack
from dragoman.gate.reading.record_shares import said_share, share_stated
from dragoman.gate.reading.record_values import EVERY, EVERY_ITSELF, NAME, Values
from dragoman.gate.reading.words import UNITS

_YEAR_BEFORE: Final = re.compile(r"(?:[a-z]{3}\.?[ -]|['’/.-])$")
"""A year of two digits stands behind a month's name or a mark."""
_PERCENT_OF: Final = re.compile(r"(?:of|out of) (?:the )?(?:100|a hundred)\b")
_IN_UNIT: Final = re.compile(r"单位\S{0,2}?(毫米|厘米|公斤|千克|米|mm|cm|kg)")
_IN_MEASURE: Final = re.compile(
    r"\bin (kg|kilos?|kilograms?|g|grams?|t|tonnes?|tons?|lbs?|pounds?|cm|mm|km|m|met(?:re|er)s?|feet|inch(?:es)?|lit(?:re|er)s?|ml|hours?|minutes?|days?|weeks?|months?|euros?|eur|usd|dollars?|pounds?|per ?cent)\b"
)
_DIMENSION: Final = re.compile(
    r"\b(?:width|wide|weigh\w*|height|high|tall|length|depth|deep|load|limit|capacity|diameter|thick\w*|temperature|volume|area|pressure|speed|power|voltage|price|cost)\b|宽|高度|长度|深度|重量|限重|承重|载重|直径|厚度|温度|容量|面积|压力|功率|电压|价"
)
"""What a number measures when it says no unit: it is no count of things."""
_SENTENCE: Final = re.compile(r"[.!?。！？\n]")
_REST: Final = re.compile(r"(?:remaining|other|rest|left|剩下?的?|其余|余下)\W*$")
_LACKING: Final = re.compile(
    r"\b(?:missing|short|outstanding|to go|remain\w*|left|rest|other|others|still|all but|undelivered|lacking|fewer|open)\b|差|缺|少|剩|余|没到|未到|除了?"
)
_TOTAL: Final = re.compile(r"\b(?:so|total|altogether|all in all|makes?|in all)\b|一共|共|合计|总共")
_NEAR: Final = 120
_QUARTER: Final = re.compile(r"\?q[1-4]")
_BY: Final = re.compile(r"[一-鿿a-z] ?[×xX*] ?\d")
_AWAY: Final = re.compile(r"(?:之|以)?后|\s?from (?:now|today)\b|(?P<ago>(?:之|以)?前|\s?ago\b)")
_PAIR: Final = re.compile("双(?![方休击十向])")
_FOUNDED: Final = re.compile(
    r"成立|创立|创办|开业|建厂|经营|做了|历史|\b(?:founded|established|in business|been (?:around|in|making))\b"
)
_VERSION: Final = re.compile(r"^[vV](?=\d)")


class _Asked(msgspec.Struct, frozen=True):
    """One figure of a claim, and where it stands."""

    figure: Figure
    claim: Claim
    text: str
    known: Values

    def before(self, length: int) -> str:
        """So many characters before the claim, in lower case."""
        return self.text[max(0, self.claim.start - length) : self.claim.start].lower()

    def around(self, length: int) -> str:
        """The text around the claim: so many characters to each side, so that a long text is read in linear time."""
        return self.text[max(0, self.claim.start - length) : self.claim.end + length]

    @property
    def counts(self) -> bool:
        """Whether it counts things, and is no measure, time or rate."""
        return self.figure.unit not in STRICT and not self.figure.per


def equal(claim: Claim, text: str, known: Values) -> bool:
    """Whether the record states this claim in another way."""
    if claim.kind is ClaimKind.DATE:
        return day_equal(claim, text, known)
    if claim.kind is ClaimKind.TIME:
        return time_equal(claim, text, known)
    if _QUARTER.fullmatch(claim.value):
        return any(day[-5:-3].isdigit() and (int(day[-5:-3]) + 2) // 3 == int(claim.value[2]) for day in known.dates)
    if _code(claim, text, known):
        return True
    if claim.value.startswith("?"):
        said = said_share(claim.value[1:])
        return said is not None and share_stated(said, known.shares)
    figures = figures_of(claim)
    if "x" in claim.value.partition(" ")[0] and len(figures) > 1:
        return _sides_equal(figures, known)
    return bool(figures) and all(_figure_equal(_Asked(figure, claim, text, known)) for figure in figures)


def _code(claim: Claim, text: str, known: Values) -> bool:
    """A name with digits, in another grouping."""
    unit = claim.value.partition(" ")[2]
    odd = claim.kind is ClaimKind.QUANTITY and unit not in STRICT and unit not in KNOWN
    if not (odd or claim.value.startswith("?") or claim.kind is ClaimKind.NUMBER):
        return False
    if code_stated(claim, text, known.squeezed):
        return True
    spelled = _VERSION.sub("", text[claim.start : claim.end])
    return claim.kind is ClaimKind.NUMBER and grouped_alike(spelled, known.facts)


def _sides_equal(figures: list[Figure], known: Values) -> bool:
    """The sides of a thing in their order, for 60 x 40 is another thing than 40 x 60; two of them in any."""
    figures = [msgspec.structs.replace(one, per="") for one in figures]
    if len(figures) == 2 and all(any(same(one, other) for other in known.figures) for one in figures):
        return True
    runs = zip(*(known.figures[at:] for at in range(len(figures))), strict=False)
    return any(all(same(one, other) for one, other in zip(figures, run, strict=True)) for run in runs)


def _figure_equal(one: _Asked) -> bool:
    near = slack(one.claim, one.text)
    if not one.figure.unit and (said := _measured(one)) is not None:
        return _measure_stated(one, said)
    if any(same(one.figure, other, near) for other in one.known.figures) or any(rule(one) for rule in _RULES):
        return True
    if _REST.search(one.before(12)):
        return False  # a remainder, and no number of its own
    if not one.figure.unit:
        return _bare_equal(one, near)
    if one.figure.unit in KNOWN and one.figure.unit not in STRICT and one.figure.number == 1:
        return any(one.figure.unit in (other.per, other.unit) for other in one.known.figures)
    return one.counts and one.figure.unit not in KNOWN and _counted(one.figure.number, one.known)


def _bare_equal(one: _Asked, near: tuple[Decimal, Decimal]) -> bool:
    """A number without unit: by any number of the record, unless its place says what it is."""
    number, known = one.figure.number, one.known
    if number < 100 and _YEAR_BEFORE.search(one.before(12)):
        years = {int(day[:4]) for day in known.dates if day[:4].isdigit()}
        years |= {int(year) for year in known.numbers if 1900 <= year <= 2100}
        if any(year % 100 == number for year in years):
            return True
    if one.text[one.claim.end : one.claim.end + 1] in ("月", "年", "日", "号"):
        return False  # a date that is none
    if unit := _IN_UNIT.search(one.text):
        return any(same(Figure(number, UNITS[unit[1]], ""), other) for other in known.figures)
    if clock_said(one.claim, one.text, known):
        return True
    if _PERCENT_OF.search(one.text[one.claim.end : one.claim.end + 16].lower()):
        return share_stated(number / 100, known.shares) or number in known.numbers
    return any(number * (1 - near[0]) <= other <= number * (1 + near[1]) for other in known.numbers)


def _measured(one: _Asked) -> str | None:
    """The measure that a bare number is said in (`the width in cm is 42`): only a fact that names it too can state it."""
    sentence = _SENTENCE.split(one.before(_NEAR))[-1]
    sentence += _SENTENCE.split(one.text[one.claim.end : one.claim.end + _NEAR].lower(), maxsplit=1)[0]
    found = _IN_MEASURE.search(sentence) or _DIMENSION.search(sentence)
    return None if found is None else found[found.lastindex or 0]


def _measure_stated(one: _Asked, said: str) -> bool:
    """By a fact that names the same measure, or a figure that is one: never by a count of things."""
    if unit := _IN_UNIT.search(one.text):
        return any(same(Figure(one.figure.number, UNITS[unit[1]], ""), other) for other in one.known.figures)
    plain = re.compile(rf"(?<![\d.,]){re.escape(f'{one.figure.number:f}')}(?!\d|[.,]\d)")
    if any(said in fact.lower() and plain.search(fact) for fact in one.known.facts):
        return True
    return any(
        other.number == one.figure.number and (not other.unit or other.unit in STRICT) for other in one.known.figures
    )


def _counted(number: Decimal, known: Values) -> bool:
    """Whether a figure that is bare or counts has this number."""
    return any(other.number == number and other.unit not in STRICT and other.unit != NAME for other in known.figures)


def _per_thing(one: _Asked) -> bool:
    """`0.5 t per shelf` for "shelf load: 500 kg"."""
    per = one.figure.per
    if not per or one.claim.kind is not ClaimKind.SPECIFICATION or per in TIMES:
        return False
    whole = msgspec.structs.replace(one.figure, per="")
    return any(per in fact.lower() for fact in one.known.facts) and any(
        same(whole, other) for other in one.known.figures if not other.per
    )


def _no_interval(one: _Asked) -> bool:
    """`every week`, where the record knows of no interval that this could contradict."""
    written = one.text[one.claim.start : one.claim.end].lower()
    if not (written.startswith(EVERY_ITSELF) or (one.figure.number == 1 and EVERY.search(one.before(8)))):
        return False
    return not any(other.per == "every" or other.unit == "time" or other.per in TIMES for other in one.known.figures)


def _any_one(one: _Asked) -> bool:
    """`一瓶` of what the facts name in bottles (瓶装)."""
    last = one.text[one.claim.end - 1]
    return (
        one.counts and one.figure.number == 1 and not last.isascii() and any(last in fact for fact in one.known.facts)
    )


def _share(one: _Asked) -> bool:
    return one.figure.unit == "%" and share_stated(one.figure.number / 100, one.known.shares)


def _difference(one: _Asked) -> bool:
    """`two are missing` for 18 of 20: the difference of two counts of one fact."""
    near = one.text[max(0, one.claim.start - 16) : one.claim.end + 28].lower()
    if _REST.search(one.before(12)):
        numbers = sorted(one.known.numbers)[:12]
        return any(abs(a - b) == one.figure.number for a in numbers for b in numbers)
    return (
        one.figure.unit not in STRICT and _LACKING.search(near) is not None and one.figure.number in one.known.lacking
    )


def _sum(one: _Asked) -> bool:
    """`five tickets` for two adults and three children: all counts of one fact, all of which the text states too."""
    number, known = one.figure.number, one.known.sums
    if not one.counts or number > 1_000_000:
        return False
    if _TOTAL.search(one.before(24)) and any(len(its) == 2 and its[0] * its[1] == number for its in known):
        return True
    parts = [its for its in known if sum(its) == number or (len(its) == 2 and abs(its[0] - its[1]) == number)]
    if not parts:
        return False
    said = {figure.number for claim in claims(one.around(_NEAR)) for figure in figures_of(claim)}
    return any(set(its) <= said for its in parts)


def _per_by(one: _Asked) -> bool:
    """`每箱四十件` for 6箱×40件."""
    if one.claim.kind is not ClaimKind.QUANTITY or one.figure.per not in KNOWN or one.figure.per in TIMES:
        return False
    whole = msgspec.structs.replace(one.figure, per="")
    units = {figure.unit for figure in one.known.figures}
    return (
        one.figure.per in units
        and any(_BY.search(fact) for fact in one.known.facts)
        and any(figure.number == whole.number and figure.unit == whole.unit for figure in one.known.figures)
    )


def _days_a_week(one: _Asked) -> bool:
    """`一周两次` for 周二、周五."""
    days = {day[-1] for day in one.known.dates if day.startswith(("wd:", "every:", "each:"))}
    return one.figure.unit == "time" and one.figure.number == len(days)


def _floor(one: _Asked) -> bool:
    """`十二层` for 1203室."""
    if one.figure.unit not in ("楼", "layer", "floor") or one.figure.number % 1:
        return False
    room = re.compile(
        rf"(?<!\d){int(one.figure.number)}\d\d ?[室房]|\broom {int(one.figure.number)}\d\d\b", re.IGNORECASE
    )
    return any(room.search(fact) for fact in one.known.facts)


def _from_today(one: _Asked) -> bool:
    """`十天后`, `two weeks from now`, `ten days ago`: so far from today as a day of the record."""
    days = {"day": 1, "week": 7}.get(one.figure.unit, 0)
    if one.known.today is None or one.figure.per or not days or one.figure.number > 400 or one.figure.number % 1:
        return False
    hit = _AWAY.match(one.text[one.claim.end : one.claim.end + 12].lower())
    if hit is None:
        return False
    step = int(one.figure.number) * days
    day = (one.known.today + timedelta(days=-step if hit["ago"] else step)).isoformat()
    return bool({day, f"-{day[4:]}"} & one.known.dates)


def _numbered(one: _Asked) -> bool:
    """`三批` for 第一批, 第二批, 第三批."""
    return one.counts and one.figure.number > 1 and (one.figure.unit, int(one.figure.number)) in one.known.ordinals


def _double(one: _Asked) -> bool:
    """`两个司机` for 双驾."""
    return (
        one.figure.unit in ("个", "person", "位")
        and one.figure.number == 2
        and any(_PAIR.search(fact) for fact in one.known.facts)
    )


def _since(one: _Asked) -> bool:
    """`成立二十年` for a year of founding, reckoned from today."""
    if one.figure.unit != "year" or one.known.today is None or not _FOUNDED.search(one.around(24).lower()):
        return False
    years = {int(day[:4]) for day in one.known.dates if day[:4].isdigit()}
    return any(one.known.today.year - year == one.figure.number for year in years)


def _list_length(one: _Asked) -> bool:
    return one.counts and 2 <= one.figure.number <= 8 and one.figure.number in one.known.counts


def _length_of_time(one: _Asked) -> bool:
    """The time between two times, or the days between two dates, of the record."""
    number, unit = one.figure.number, one.figure.unit
    if one.figure.per:
        return False
    if unit in ("hour", "minute"):
        return number * (60 if unit == "hour" else 1) in one.known.minutes
    if unit == "week":
        near = 3 if any(slack(one.claim, one.text)) else 1
        return number < 10 and any(
            0 <= gap - number * 7 < near or 0 <= number * 7 - gap < near for gap in one.known.apart
        )
    return unit in ("day", "night") and int(number) in one.known.apart


_RULES: Final[tuple[Callable[[_Asked], bool], ...]] = (
    _per_thing, _no_interval, _any_one, _share, _difference, _sum, _numbered, _per_by, _days_a_week, _floor, _from_today, _double, _since, _list_length, _length_of_time,
)  # fmt: skip
