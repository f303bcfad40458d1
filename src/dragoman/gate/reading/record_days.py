"""Is a day or time of a text one of the record's, said otherwise? For `record_equal`.

1. A holiday with a fixed day is that day; the last day of a month, a season, a part of a month are said by a date in it.
2. A day without month is that day of the only month in sight: of a date without year, or of a month the text names.
3. `Wed to Fri` is said by arriving on Wednesday and leaving on Friday; a weekend that is off by Monday to Friday.
4. A day is reckoned from the record's: a start and its nights; the day after what is closed until then.
5. Of `12/09` the reading counts that the text itself says in words.
6. A time is the record's within what "a bit after", "around" allow (`record_near`); `5:30` may be the afternoon's.

Never: another day of the week, the day before or after without a word that says so.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from decimal import Decimal
from typing import Final

from dragoman.gate.claims import Claim
from dragoman.gate.reading.record_figures import decimal
from dragoman.gate.reading.record_near import minutes
from dragoman.gate.reading.record_values import SOME_YEAR, Values, fixed, full
from dragoman.gate.reading.spans import part_of_month

_SHUT: Final = re.compile(r"\b(?:closed|shut|off|no|not|nobody|except|isn't|aren't|don't)\b|不|休|没")
_COME_AGAIN: Final = re.compile(r"\b(?:again|back|reopen|try)\b|再来|再送|恢复")
_AGAIN: Final = re.compile(
    r"\b(?:back|reopen\w*|open again|again|resum\w*|return\w*|restart\w*|from|check[- ]?out|depart\w*|leav\w*|leave)\b|恢复|开始|重新|复工|退房|离店|回来|上班"
)
_STILL: Final = re.compile(r"\b(?:until|through|till|to|including|closed|last day)\b|截止|为止|到|至")
_SEASONS: Final = {
    "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "fall": (9, 10, 11), "winter": (12, 1, 2),
    "春": (2, 3, 4, 5), "夏": (5, 6, 7, 8), "秋": (8, 9, 10, 11), "冬": (11, 12, 1, 2),
}  # fmt: skip
_NO_YEAR: Final = -9999
_YEAR_WORDS: Final = {
    "去年": -1,
    "last year": -1,
    "今年": 0,
    "this year": 0,
    "明年": 1,
    "next year": 1,
    "前年": -2,
    "后年": 2,
}
_SAID_HALF: Final = re.compile(r"\b0|[ap]\.? ?m|morning|evening|noon|night|上午|早|晨|[ap]m")
_BARE_CLOCK: Final = re.compile(r"(\d{1,2})[.:](\d\d)")
_MONTH_NAMES: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


_ORDER_SHOWN: Final = re.compile(
    r"(?<![\d/])(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2])(?![\d/]\d?$)|(?P<month_first>(?<![\d/])(?:0?[1-9]|1[0-2])/(?:1[3-9]|2\d|3[01])(?!\d)|[一-鿿])"
)
"""What shows in which order a text writes day and month: another date of it, or its language."""
_NEAR: Final = 200
"""Characters to each side in which a text shows how it writes dates."""
_PAIR: Final = re.compile(r"(\d{1,2})\D(\d{1,2})")
_HAN: Final = re.compile("[一-鿿]")
_OF_MONTH: Final = re.compile(r"rel:month([+-]\d)(?::(\d\d))?(?:~(\w+))?")
_PAST: Final = re.compile(r"已|了|过|寄出|发出|\b(?:was|were|left|shipped|sent|arrived|received|posted)\b")


def day_equal(claim: Claim, text: str, known: Values) -> bool:
    """Whether the record says this day, or these days, in another way."""
    readings = claim.value.split("|")
    near = text[max(0, claim.start - _NEAR) : claim.end + _NEAR]
    if len(readings) == 2 and not claim.value.startswith("each:") and any(_told_apart(one, near) for one in readings):
        readings = [one for one in readings if _told_apart(one, near)]
    elif (
        len(readings) == 2
        and (order := _ORDER_SHOWN.search(near))
        and (own := _PAIR.match(text[claim.start : claim.end]))
    ):
        month = int(own[1] if order["month_first"] or _HAN.search(near) else own[2])
        readings = [one for one in readings if int(one.partition("@")[0][-5:-3]) == month]
    if all(_date_equal(one, text, known) for one in readings) or _shut(claim, text, known):
        return True
    if len(readings) > 1 and claim.value.startswith("each:"):
        return _from_to(readings, known)
    return _reckoned(claim, text, known)


def time_equal(claim: Claim, text: str, known: Values) -> bool:
    """Whether the record says this time of day in another way."""
    near, written = minutes(claim, text), text[claim.start : claim.end]
    return any(_time_equal(one, known, near, written) for one in claim.value.split("|"))


def _date_equal(value: str, text: str, known: Values) -> bool:
    plain, _, weekday = value.partition("@")
    plain = fixed(plain) or plain
    if "~?last day" in plain:
        month = int(plain[2:4])
        plain = f"--{month:02d}-{monthrange(2027, month)[1]:02d}"
    if plain in ("rel:?月底", "rel:?end of the month", "rel:?the end of the month"):
        return any(day[-2:].isdigit() and int(day[-2:]) >= 25 for day in known.dates)
    if plain.startswith("rel:") and plain in known.relative:
        return True
    if plain.startswith("rel:month"):
        return _month_equal(plain, known)
    if plain.startswith("rel:?"):
        return _word_equal(plain[5:], known)
    if "~" in plain and f"{plain[2:4]}" in {day[5:7] for day in known.dates if len(day) == 7 and day[:1].isdigit()}:
        return True  # "end of March" for a month alone
    if _month_and_year(plain, known):
        return True
    if plain.startswith("?"):
        return _season_equal(plain[1:], known)
    if plain.isdigit() and Decimal(plain) in known.numbers:
        return True
    if plain in known.dates and not weekday:
        return True
    ends = [day for day in known.dates if day[-5:] == plain[-5:] and day.count("-") >= 2]
    if plain.startswith("--") and len(plain) == 7 and plain[2] != "-":
        return any(_weekday_fits(day, weekday) for day in ends)
    if plain.startswith("---"):
        same = [day for day in known.dates if day.count("-") >= 2 and day[-2:] == plain[-2:]]
        if known.today and not weekday and _PAST.search(text):
            gone = [(known.today - date.fromisoformat(day)).days for day in same if full(day)]
            if any(0 <= days < 28 for days in gone):
                return True
        return any(
            day.startswith("--") or _month_named(int(day[5:7]), text) for day in same if _weekday_fits(day, weekday)
        )
    if plain.startswith(("wd:", "every:", "each:", "rel:week", "rel:next:")):
        return _weekday_equal(plain, known)
    return False


def _weekday_equal(plain: str, known: Values) -> bool:
    """`周末` for 周六、周日, `Sundays` for Monday to Sunday, "Friday" for a dated Friday, 下周三 for "next Wednesday"."""
    form, _, rest = plain.rpartition(":")
    same = {f"{one}:{rest}" for one in ("wd", "every", "rel:next", "rel:this", form)}
    if form == "every" and not known.weekly:
        same = {f"every:{rest}", f"each:{rest}"}
    if form == "rel:week+1":
        same = {f"rel:next:{rest}", f"rel:coming:{rest}"} | (
            {f"each:{rest}"} if "rel:?下周" in known.relative else set()
        )
    if form == "rel:next":
        same = {f"rel:next:{rest}", f"rel:week+1:{rest}"}
    if same & known.dates:
        return True
    if form == "each" and {f"each:{day}" for day in range(1, 6)} <= known.dates and rest in "67":
        return False
    return form in ("wd", "every") and any(
        full(day) and date.fromisoformat(day).isoweekday() == int(rest) for day in known.dates
    )


def _weekday_fits(day: str, weekday: str) -> bool:
    return not weekday or not full(day) or date.fromisoformat(day).isoweekday() == int(weekday)


def _from_to(ends: list[str], known: Values) -> bool:
    """`Wed to Fri` for "arrive on Wednesday, leave on Friday"; a weekend for the days that are not open."""
    days = [end[5:] for end in (ends[0], ends[-1])]
    return all({f"wd:{day}", f"every:{day}", f"each:{day}"} & known.dates for day in days)


def _shut(claim: Claim, text: str, known: Values) -> bool:
    """A weekend on which nothing happens, and the Monday after it, for a record of Monday to Friday."""
    working = {f"each:{day}" for day in range(1, 6)}
    days = {one.rpartition(":")[2] for one in claim.value.split("|")}
    if (
        not working <= known.dates
        or {f"{form}:{day}" for form in ("each", "every", "wd") for day in days - {"1"}} & known.dates
    ):
        return False
    near = text[max(0, claim.start - 28) : claim.end + 12].lower()
    return bool((days <= {"6", "7"} and _SHUT.search(near)) or (days == {"1"} and _COME_AGAIN.search(near)))


def _told_apart(reading: str, text: str) -> bool:
    """Whether the text says this reading of `12/09` in words too."""
    month, day = int(reading.partition("@")[0][-5:-3]), int(reading.partition("@")[0][-2:])
    name = _MONTH_NAMES[month - 1]
    return (
        re.search(rf"\b{day}(?:st|nd|rd|th)?\.? (?:of )?{name}|\b{name}[a-z]*\.? {day}\b|{month}月{day}", text.lower())
        is not None
    )


def _reckoned(claim: Claim, text: str, known: Values) -> bool:
    """A day that follows from the record: the day after the last, the last before the first, a start and its nights."""
    near = text[max(0, claim.start - 48) : claim.end + 24].lower()
    said = _some_day(claim.value.partition("@")[0])
    if said is None:
        return False
    for one in known.dates:
        day = _some_day(one)
        if day is None or (full(claim.value) and full(one) and claim.value[:4] != one[:4]):
            continue
        gap = (said.day - day.day) if claim.value.startswith("---") else (said - day).days
        if gap in known.stays and gap > 0:
            return True
        if gap == 1 and known.closed and _AGAIN.search(near):
            return True
        if gap == -1 and known.opens and _STILL.search(near):
            return True
    return False


def _some_day(plain: str) -> date | None:
    if plain.startswith("---"):
        return date(int(SOME_YEAR), 1, int(plain[3:])) if plain[3:].isdigit() else None
    whole = plain.replace("--", f"{SOME_YEAR}-", 1) if plain.startswith("--") else f"{SOME_YEAR}{plain[4:]}"
    try:
        return date.fromisoformat(whole) if len(whole) == 10 else None
    except ValueError:
        return None


def _season_equal(said: str, known: Values) -> bool:
    months = next((months for name, months in _SEASONS.items() if name in said), ())
    return any(day[-5:-3].isdigit() and int(day[-5:-3]) in months for day in known.dates if len(day) in (7, 10)) or any(
        (day.startswith("?") and _SEASONS.get(day[1:2]) == months) or _SEASONS.get(day[1:]) == months
        for day in known.dates
        if months
    )


def _month_and_year(plain: str, known: Values) -> bool:
    """`Mar-27` and `3/27` for March 2027."""
    return len(plain) == 7 and plain.startswith("--") and f"20{plain[5:]}-{plain[2:4]}" in known.dates


def _word_equal(word: str, known: Values) -> bool:
    """`last year` for a date of the year before the record's own today, or before one that it names."""
    step = _YEAR_WORDS.get(word.strip())
    year = known.today.year if known.today else _NO_YEAR
    if step == 0 and any(day.startswith("--") and day[2] != "-" for day in known.dates):
        return True
    return step is not None and any(day.startswith(str(year + step)) for day in known.dates)


def _month_equal(plain: str, known: Values) -> bool:
    """`下月5号`, `上个月底`, `next month`, reckoned from today: by that day, that part of the month, a day in it."""
    hit = _OF_MONTH.fullmatch(plain)
    if hit is None or known.today is None:
        return False
    months = known.today.year * 12 + known.today.month - 1 + int(hit[1])
    year, month = months // 12, months % 12 + 1
    for one in known.dates:
        if one[:4] not in (str(year), f"--{month:02d}") or (one[:1] != "-" and one[5:7] != f"{month:02d}"):
            continue
        day = one[-2:] if one.count("-") >= (3 if one.startswith("--") else 2) else ""
        part = one.partition("~")[2] or (part_of_month(int(day)) if day.isdigit() else "")
        if not (hit[2] or hit[3]) and day:
            continue  # a month is more than one day of it
        if (hit[2] or day) == day and (hit[3] or part) == part:
            return True
    return False


def _month_named(month: int, text: str) -> bool:
    return re.search(rf"\b{_MONTH_NAMES[month - 1]}[a-z]*\b|(?<!\d){month}\s?月", text.lower()) is not None


def _time_equal(time: str, known: Values, near: tuple[int, int], written: str) -> bool:
    hour, _, zone = time.partition(" ")
    for other in known.times:
        plain, _, its_zone = other.partition(" ")
        if zone and zone != its_zone:
            continue
        if plain == hour or {plain, hour} == {"00:00", "24:00"}:
            return True
        late = _minute(plain) - _minute(hour)
        if -near[0] <= late <= near[1] or (
            late == 720 and 1 <= int(hour[:2]) <= 9 and not _SAID_HALF.search(written.lower())
        ):
            return True
    return False


def _minute(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:5])


def clock_said(claim: Claim, text: str, known: Values) -> bool:
    """`a bit after six`, `8 till 5.30`: a bare number that is the hour of a time of the record."""
    written = text[claim.start : claim.end]
    number = decimal(claim.value)
    if clock := _BARE_CLOCK.fullmatch(written):
        at = int(clock[1]) * 60 + int(clock[2])
        near = (0, 0)
    elif number is not None and 1 <= number <= 24 and number % 1 == 0:
        at, near = int(number) * 60, minutes(claim, text)
    else:
        return False
    clocks = [_minute(time) for time in known.times if time[:2].isdigit()]
    return any(-near[0] <= one - at - turn <= near[1] for one in clocks for turn in (-720, 0, 720))
