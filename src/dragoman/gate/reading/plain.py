"""How are figures written plainly that people say? `half a tonne` → `0.5 tonne`, 六成 → 60%. For `claims`, first of all.

1. A row is one kind of saying: a pattern over the folded text and what is written instead. Rows are applied in order,
   to messages and to facts alike, so every later reader meets one form only.
2. Positions survive: each character of what is written keeps the place in the text that it came from.
3. A row never adds what was not said: a day, a unit or a half of the day that is unsaid stays unsaid.
4. Sayings that count nothing (三天两头, 十有八九) become blanks.

Never: rounding. What is about right is judged by `record_near`.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from dragoman.gate.reading.numbers import normal, said_readings
from dragoman.gate.reading.patterns import Gates
from dragoman.gate.reading.plain_zh import ROWS_ZH
from dragoman.gate.reading.words import COUNTED, ORDINALS, SMALL, UNITS

Put = Callable[[re.Match[str]], str]


class Row(msgspec.Struct, frozen=True):
    """One kind of saying."""

    pattern: re.Pattern[str]
    put: Put


_ONES: Final = "one|two|three|four|five|six|seven|eight|nine"
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TEENS: Final = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_HOUR: Final = f"{_ONES}|ten|eleven|twelve|\\d{{1,2}}"
_DIGIT: Final = {"oh": "0", "o": "0", "zero": "0"} | {word: str(SMALL[word]) for word in _ONES.split("|")}
_D: Final = "|".join(_DIGIT)
_THING: Final = "|".join(
    sorted((word for word in (*UNITS, *COUNTED) if word.isascii() and len(word) > 2 and word.isalpha()), key=len, reverse=True)
)  # fmt: skip
_MANY: Final = f"{_THING}|million|thousand|billion|mile|pound|kilo|gross|cup|tin|pack|sheet|tub"
_PARTS: Final = {
    "half": 2,
    "halve": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
    "hundredth": 100,
    "thousandth": 1000,
}
_PART: Final = "half|halves|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?|hundredths?|thousandths?"
_COUNT: Final = {"a": 1, "an": 1, **{word: SMALL[word] for word in _ONES.split("|")}}


_MONTHS: Final = (
    "", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip


def _number(word: str) -> int:
    """A whole number in digits or English words."""
    return int(word) if word.isdigit() else int(said_readings(word)[0])


def _share(count: str, part: str) -> Decimal:
    return Decimal(_COUNT.get(count, 1)) / _PARTS[part.removesuffix("s")]


def _short(value: Decimal) -> str:
    return normal(value.quantize(Decimal("0.0001")))


def _part_of(hit: re.Match[str]) -> str:
    return _short(_share(hit[1] or "a", hit[2] or hit[3] or hit[4])) + " "


def _and_part(hit: re.Match[str]) -> str:
    return _short(_number(hit[1]) + _share(hit[2] or "a", hit[3]))


def _year(hit: re.Match[str]) -> str:
    century = {"nineteen": 1900, "twenty": 2000}[hit[1]]
    rest = re.sub(r"^(?:hundred and |oh[ -]|o[ -])", "", hit[2])
    return str(century + _number(rest))


def _digits(hit: re.Match[str]) -> str:
    return "".join(_DIGIT[word] for word in re.split("[ -]", hit.group()))


def _decimal(hit: re.Match[str]) -> str:
    return f"{_number(hit[1])}." + "".join(_DIGIT[word] for word in hit[2].split())


def _minutes(hit: re.Match[str]) -> str:
    """`eight minutes to seven`, `quarter past midnight`, `half an hour past noon`."""
    said = hit[1].removesuffix("utes").removesuffix("min").strip()
    minute = {"quarter": 15, "a quarter": 15, "half": 30, "half an hour": 30, "a quarter of an hour": 15}.get(said)
    minute = _number(said) if minute is None else minute
    at = hit[3]
    hour = {"noon": 12, "midday": 12, "midnight": 24, "twelve at night": 24, "12 at night": 24}.get(at) or _number(at)
    if not 0 < minute < 60 or hour > 24:
        return hit.group()
    total = hour * 60 + (minute if hit[2] == "past" or hit[2] == "after" else -minute)
    clock = f"{total // 60 % 24}:{total % 60:02d}"
    if at in ("noon", "midday", "midnight", "twelve at night", "12 at night"):
        return f"{int(clock[:-3]):02d}{clock[-3:]}"
    return clock


def _hundred_hours(hit: re.Match[str]) -> str:
    ends = [f"{one[:2]}:{one[2:]}" for one in (hit[1], hit[2]) if one]
    return " to ".join(ends)


def _inches(hit: re.Match[str]) -> str:
    return f"{int(hit[1]) * 12 + int(hit[2])} inch"


def _row(pattern: str, put: Put | str) -> Row:
    return Row(re.compile(pattern), put if callable(put) else (lambda hit, put=put: hit.expand(put)))  # type: ignore[misc]


ROWS: Final[tuple[Row, ...]] = (
    # figures of speech
    _row(r"\b(?:50/50|fifty-fifty)\b|\bmy two cents\b|\bone and (?:the same|only)\b|\bnine times out of ten\b|\bat sixes and sevens\b|\bon second thoughts?\b|\bone of (?:us|these days|you|them|the (?:team|colleagues|girls|boys|guys|ladies))\b|\ba thousand (?:thanks|apologies)\b|\b(?:the|any|this|wait a|just a|one) second (?=i\b|we\b|you\b|please)|\bone (?:way|day) or (?:another|the other)\b|\bat first\b|\bone-(?:time|off|stop)\b|\bone (?:another|by one|thing at a time|more thing|thing)\b", " "),
    _row(r"\bplus (?:or|/) ?minus |\+/- ?", "±"),
    # years, digits, decimals
    _row(rf"(?<![a-z])(nineteen|twenty)[ -]((?:oh[ -]|o[ -]|hundred and )?(?:(?:{_TENS})(?:[ -](?:{_ONES}))?|{_TEENS}|(?<=oh[ -])(?:{_ONES})))(?![a-z]|[ -](?:{_ONES}|hundred|thousand))", _year),
    _row(rf"(?<![a-z-])(?:{_D})(?:[ -](?:{_D})){{2,11}}(?![a-z]|[ -](?:past|to|hundred|thousand|or|and|{_TENS}|{_TEENS}))", _digits),
    _row(rf"(?<![a-z])((?:(?:{_TENS})[ -])?(?:{_D}|{_TEENS})|{_TENS}) point ((?:{_D})(?: (?:{_D})){{0,3}})(?![a-z])", _decimal),
    # parts of a unit
    _row(rf"\b(\d{{1,6}}|{_ONES}|ten|twelve)(?:-| )(?:and-|and )(?:(a|one|two|three)[ -])?({_PART})(?=[ -](?:{_MANY}|hours?|days?|weeks?|months?|years?))", _and_part),
    _row(rf"(?<![\w.])(?:an?|one) ((?:{_MANY})) and a half\b", r"1.5 \1"),
    _row(rf"\b(?:(a|an|one|two|three|four|five|six|seven|eight|nine)[ -]({_PART})(?: of an?)?|(half)(?:[ -]an?)?|(?<!last )(?<!first )(?<!second )(?<!third )(?<!fourth )(?<!this )(?<!next )(quarter)(?: of an?)?)[ -](?=(?:{_MANY})\b)", _part_of),
    _row(r"(?<![\d/.])(\d{1,3}) (?:1/2|\.5)(?=[ -]?[a-z\"])", r"\1.5"),
    _row(r"(?<![\d/.])1/2(?=\s?(?:[a-z\"]))(?! [a-z]+day)", "0.5"),
    _row(r"(?<![\d/.])(?:([13])/4)(?=\s?(?:inch|in\b|\"|hour|mile|cup|pint))", lambda hit: _short(Decimal(hit[1]) / 4)),
    # dozens
    _row(r"\b(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve) dozens?\b(?: of\b)?", lambda hit: str(_number(hit[1]) * 12)),
    _row(r"\bhalf a dozen\b", "6"),
    _row(r"\b(?:a|by the|per|one|each) dozen\b", "12"),
    _row(r"\b(\d{1,3}|a|two|three|four|five|six|ten) gross\b(?! (?:weight|margin|price|mass|amount|profit))", lambda hit: str(144 * (1 if hit[1] == "a" else _number(hit[1])))),
    _row(r"\ba couple of (?=(?:hundred|thousand|million)\b)", "two "),
    _row(r"(?<=\d )(?:degrees? )?below zero\b|(?<=\d )below(?= zero)", ""),
    # clock
    _row(rf"\b((?:{_TENS})[ -](?:{_ONES})|{_ONES}|{_TEENS}|{_TENS}|\d{{1,2}}) ?min(?:ute)?s? (past|to|before|after) ({_HOUR}|noon|midday|midnight)(?![a-z\d:])", _minutes),
    _row(rf"\b((?:{_TENS})[ -](?:{_ONES})|{_ONES}|{_TEENS}|{_TENS}|\d{{1,2}}|half an hour|(?:a )?quarter|half|a quarter of an hour) (past|to|before|after) (noon|midday|midnight|twelve at night|12 at night)\b", _minutes),
    _row(r"\b([01]\d|2[0-3])([0-5]\d)(?=\s?(?:h|hrs|hours)\b)(?<=0\d\d\d)\s?(?:h|hrs|hours)\b", lambda hit: f"{hit[1]}:{hit[2]}"),
    _row(r"\b((?:[01]\d|2[0-3])[0-5]\d)(?: to | until | till |-|–)((?:[01]\d|2[0-3])[0-5]\d)\s?(?:h|hrs|hours)\b", _hundred_hours),
    _row(r"\b(at|from|until|till|by|day,|am|um) (\d{1,2}) ?h(?![\w]| notice)", r"\1 \2:00"),
    _row(r"\b(?:twelve|12) (?:o'clock )?(?:at night|midnight)\b", "24:00"),
    _row(r"(?<=[a-z]), (\d{1,2}) ?h(?=[,.;]|$)", r", \1:00"),
    _row(r"\b(\d{1,2}):(\d\d) (?:o'clock )?in the (?:afternoon|evening)\b", r"\1:\2 pm"),
    _row(r"\b(\d{1,2}):(\d\d) in the morning\b", r"\1:\2 am"),
    _row(rf"(?<!past )(?<!er to )(?<!es to )\b({_HOUR}) (?:in the morning)\b", lambda hit: f"{_number(hit[1])} am"),
    _row(rf"(?<!past )(?<!er to )(?<!es to )\b({_HOUR}) (?:in the (?:afternoon|evening)|at night)\b", lambda hit: f"{_number(hit[1])} pm"),
    # calendar
    _row(r"\b(?:calendar week|week no\.?|week|cw|kw|wk)\.? ?(\d{1,2})\b(?![:/]|\.\d)", r"week no \1"),
    _row(r"\b(first|second|third|fourth|1st|2nd|3rd|4th) quarter\b(?! of an)", lambda hit: "q" + str(ORDINALS.get(hit[1]) or hit[1][0])),
    _row(r"\b(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[a-z]*)?\.? ?'(\d\d)\b", r"\1 20\2"),
    _row(r"(?<![\d/.,-])(0?[1-9]|1[0-2])[/.](20[0-4]\d)(?![\d/.-])", lambda hit: f"{_MONTHS[int(hit[1])]} {hit[2]}"),
    _row(r"(?<![a-z])(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\. (?=(?:19|20)\d\d)", r"\1 "),
    _row(r"\b(?:every six months|half[- ]yearly|semi-?annual(?:ly)?|bi-?annual(?:ly)?|every half[- ]year)\b", "every 6 months"),
    _row(r"\bevery (hour|day|week|month|quarter|year)\b", r"every 1 \1"),
    _row(r"\b(?:(once|one [a-z]+) (?:an?|per|each|every) (hour|day|week|month|quarter|year))\b", r"every 1 \2"),
    _row(r"\b(?:(?<!two-)(?<!bi-)(week|month|quarter|year|hour)ly|daily|annually)\b(?! (?:rate|fee|rent|newsletter))", lambda hit: "every 1 " + (hit[1] or {"d": "day", "a": "year"}[hit.group()[0]])),
    _row(r"\b(?:seven|7) days a week\b", "monday to sunday"),
    # floors, units, marks
    _row(rf"\b({'|'.join(list(ORDINALS)[:20])}|\d{{1,2}}(?:st|nd|rd|th)) floor\b", lambda hit: "floor " + str(ORDINALS.get(hit[1]) or hit[1][:-2])),
    _row(r"(?<=\d) ?(?:gsm|g/m2|g/m\^2|g per m\^2)\b", " g/m^2"),
    _row(r"(?<=\d) ?gigs?\b", " gb"),
    _row(r"(?<=\d) ?g(?= (?:of )?(?:ram|memory|storage|disk|data)\b)", " gb"),
    _row(r"\b(\d+)[- ]ton(?:ne)?rs?\b", r"\1 t"),
    _row(r"\b(\d{1,4}) ?(?:ft|foot|feet|') ?(\d{1,2}) ?(?:in\b|inch(?:es)?|\")", _inches),
    _row(r"(?<!['\d])\b(\d+) ?['′](?= ?(?:hc|gp|dc|hq|container|high|box)\b|$|[,.;) ])", r"\1 ft"),
    _row(r"(?<!\")(?<![\d.])\b(\d+(?:\.\d+)?) ?[\"″](?!\w)", r"\1 inch"),
    _row(r"\b(\d+(?:\.\d+)?) in(?=[).,;]|$| (?:diameter|wide|long|thick|high|deep|diagonal))", r"\1 inch"),
    *(Row(re.compile(pattern), put) for pattern, put in ROWS_ZH),
)  # fmt: skip
_GATES: Final = Gates(row.pattern for row in ROWS)

Origins = Sequence[int]


def plain(folded: str, origins: Origins) -> tuple[str, Origins, Origins]:
    """The text with every saying written plainly, and where in the text each of its characters begins and ends."""
    ends = origins
    for at in _GATES.numbers(folded):
        row = ROWS[at]
        if row.pattern.search(folded):
            folded, origins, ends = _written(folded, origins, ends, row)
    return folded, origins, ends


def _written(folded: str, starts: Origins, ends: Origins, row: Row) -> tuple[str, Origins, Origins]:
    """One row applied; whatever is read inside of what was put covers all that it was put for."""
    parts: list[str] = []
    first: list[int] = []
    last: list[int] = []
    done = 0
    for hit in row.pattern.finditer(folded):
        start, end = hit.span()
        put = row.put(hit)
        parts += (folded[done:start], put)
        first += (*starts[done:start], *[starts[min(start, len(starts) - 1)]] * len(put))
        last += (
            *ends[done:start],
            *[ends[max(start, end - 1) if end > start else min(start, len(ends) - 1)]] * len(put),
        )
        done = end
    parts.append(folded[done:])
    first += starts[done:]
    last += ends[done:]
    return "".join(parts), first, last
