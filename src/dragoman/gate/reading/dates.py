"""Which dates and times does a folded text state? Called by `claims` only.

Normal forms: `2026-10-06`, `--10-06` (no year), `---06` (day alone), `2026-10`, `--10` (month), `2026`; `@2` behind a date
is the weekday said with it (1 = Monday), `---06` a day alone ("the 6th"). `wd:5` a bare Friday, `every:5` each Friday, `rel:...` relative to now. Times are
`15:00`, with the zone if one is said (`15:00 utc`). Numeric dates that may be read both ways give both readings.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from datetime import date
from typing import Final

from dragoman.gate.reading.numbers import HAN
from dragoman.gate.reading.patterns import READERS, Open
from dragoman.gate.reading.spans import spans
from dragoman.gate.reading.taker import Found, Taker, han
from dragoman.gate.reading.times import read_times
from dragoman.gate.reading.words import MONTHS, ORDINALS, WEEKDAYS, ZH_WEEKDAYS

MONTH_NAMES: Final = frozenset(MONTHS)
_MON: Final = "(" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
_ORD: Final = "|".join(sorted(ORDINALS, key=len, reverse=True))
_DAY: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?![\da-z])|(?:{_ORD})(?![a-z]))"
_SEP: Final = r"\s?(?:-|–|—|~|/|&|,\s?and\b|,\s?or\b|,|\b(?:to|until|till|through|and|or)\b)\s?(?:the )?"
_WD: Final = "(" + "|".join(sorted(WEEKDAYS, key=len, reverse=True)) + r")\b\.?"
_YEAR: Final = r"(?:,?\s?((?:19|20)\d\d)(?!\d))?"
_AFTER_WD: Final = rf"(?:,?\s?\(?{_WD}\)?)?"
_DAY_FIRST: Final = READERS.add(
    rf"(?:\b{_WD},?\s(?:the )?)?(?<![\w.:/-])({_DAY}(?:{_SEP}{_DAY}){{0,7}})\s?(?:-|of )?{_MON}(?![a-z]){_YEAR}{_AFTER_WD}"
)
_FOLLOWS: Final = (
    r"(?=\s*(?:$|[.;!?)\n]|,(?!\d)|(?:19|20)\d\d|(?:are|is|work|were|both|or|and|for|if|at|would|could|can|have|remain|in|as|which"
    r"|available|free|open|suit|from|to|with)\b|[&/\-–—]))"
)
_MONTH_FIRST: Final = READERS.add(
    rf"(?:\b{_WD},?\s)?(?<![a-z]){_MON}[\s-]?(?:the )?({_DAY}(?!\s?(?:am|pm|a\.m|p\.m|:\d))(?:{_SEP}{_DAY}{_FOLLOWS}){{0,7}}){_YEAR}{_AFTER_WD}"
)
_MONTH_ALONE: Final = READERS.add(rf"(?<![a-z]){_MON}(?:,?\s|-)((?:19|20)\d\d)(?!\d)|(?<![a-z]){_MON}(?![a-z-])")
_ISO: Final = READERS.add(r"(?<![\w.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(?:\s?t(?=\d))?")
_NUMERIC: Final = READERS.add(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-])(?!\.\d)")
_WD_BEFORE: Final = re.compile(rf"(?<![a-z]){_WD},?\s(?:the )?$")
_SHORT: Final = READERS.add(r"(?<![a-z0-9_.,/-])(\d{1,2})/(\d{1,2})(?![\d/a-z])(?![.,]\d)")
_POINT_DAY: Final = READERS.add(
    r"\b(?:on|received|from|until|by|since|due|am|bis|and|or|and the|dates?:?) (\d{1,2})\.(\d{1,2})\.(?!\d)"
    r"|(?<![\w.])(\d{1,2})\.(\d{1,2})\.(?=\s?(?:or|and|to|-|–|until|bis|und)\b)"
)
_SAID_DAY: Final = READERS.add(
    rf"\b(?:on|by|until|till|from|before|after|for) the ({'|'.join(word for word, day in ORDINALS.items() if day > 9)})(?=[.,;!?]|$| at\b| in the\b)"
)
_THE_DAY: Final = READERS.add(
    rf"(?:\b{_WD},?\s(?:on )?|\b(?:on|by|until|till|from|to|and|or|before|after|of|than|are|is|for) )?\bthe (\d{{1,2}})(?:st|nd|rd|th)\b"
    rf"(?=(?:\s?(?:and|or|to|/|&|-|–|,)\s?(?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b)?\s*(?:$|[.,;:!?)\n]|(?:and|or|to|works?|is|are|was|would|will|suits?|at|in|for|if|then|please|instead|onwards?|too|as well|remains?|fits?)\b))"
)
_AND_DAY: Final = re.compile(r"\s?(?:and|or|to|/|&|-|–|,)\s?(?:the )?(\d{1,2})(?:st|nd|rd|th)\b(?! [a-z]+ed\b)")
_ALWAYS: Final = READERS.add(r"(?<![\d/])24/7(?![\d/])")
_HAN: Final = rf"{HAN[:-1]}{{1,5}}"
_ZH_NUM: Final = rf"(?:\d{{1,4}}|{_HAN})"
_ZH_DATE: Final = READERS.add(
    rf"(?:({_ZH_NUM})\s?年\s?)?({_ZH_NUM})\s?月\s?({_ZH_NUM})\s?(?:[日号號]|(?![\d月个天年点時时:]))"
    rf"((?:\s?(?:[、,和与與及至到~\-–—/或]|以及)\s?{_ZH_NUM}\s?[日号號])*)(?:\s?\(?(?:周|星期|礼拜)([一二三四五六日天])\)?)?"
)
_ZH_MONTH: Final = READERS.add(
    rf"(?:({_ZH_NUM})\s?年\s?)?({_ZH_NUM})\s?月(?:份|初|中旬|底|末)?|((?:19|20)\d\d|{_HAN})\s?年(?!\s?[质保内以])"
)
_ZH_DAY: Final = READERS.add(
    rf"(?<![年月\da-z路街弄巷道栋])(?<![a-z路街弄巷道栋]\s)({_ZH_NUM})\s?[日号號](?!月台|[线楼库门车位机房台院站口柜厅馆仓路泊桥])"
)
_IN_YEAR: Final = READERS.add(
    r"\b(?:in|since|during|by|until|year|of|for|from) ((?:19|20)\d\d)(?![\d:/-]|[.,]\d|\s?[a-z%])"
)
_RELATIVE: Final = (
    (READERS.add(r"大后天|大後天"), "+3"),
    (READERS.add(r"\bday after tomorrow\b|后天|後天"), "+2"),
    (READERS.add(r"\btomorrow\b|明天|明日|明早|明晚"), "+1"),
    (READERS.add(r"\b(?:today|tonight)\b|今天|今日|今早|今晚"), "+0"),
    (READERS.add(r"\b(?:day before yesterday)\b|前天"), "-2"),
    (READERS.add(r"\byesterday\b|昨天|昨日|昨晚"), "-1"),
)
_ZH_OF_MONTH: Final = READERS.add(
    rf"(下下|下|上上|上|这|本)个?月份?的?\s?(?:({_ZH_NUM})\s?[日号]|(上旬|中旬|下旬|初|底|末))?(?![饼球经亮])"
)
_OF_MONTH: Final = READERS.add(r"\b(next|this|last) month\b")
_MONTHS_ON: Final = {"下下": 2, "下": 1, "上": -1, "上上": -2, "next": 1, "last": -1}
_PARTS: Final = {"上旬": "early", "初": "early", "中旬": "mid", "下旬": "late", "底": "late", "末": "late"}
_WD_OF_WEEK: Final = READERS.add(rf"\b{_WD} (next|this|last) week\b|\b(next|this|last) week (?:on )?{_WD}(?![a-z])")
_NEXT_WD: Final = READERS.add(rf"\b(next|this|last|coming|past|every|each) {_WD}(?![a-z])")
_FULL_WD: Final = READERS.add(
    r"\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)(s?)\b|\b(?:on|by|next|until|from|and|to|or) (mon|tues?|weds?|thu|thurs?|fri|sat|sun)\b"
)
_ZH_WD: Final = READERS.add(
    r"(下下|下|(?<!不)上|这|這|本|每)?(?:个|個)?(?:周|星期|礼拜)([一二三四五六日天])(?![年期末])"
)
_SEASON: Final = READERS.add(
    r"\b(?:in|this|next|last|early|late|by|until|since|before|after|during|from|mid|end of|of) (?:the |this |next |last |early |late )?(spring|summer|autumn|fall|winter)\b(?! (?:of|time|tyre|tire|coat|collection|sale))|([春夏秋冬])(?:天|季(?!节))"
)
_VAGUE: Final = READERS.add(
    r"\b(?:next|this|last|coming|following) (?:week(?:end)?|month|quarter|year)\b|\b(?:the )?(?:end|beginning|middle) of (?:the |this |next )?(?:week|month|quarter|year)\b"
    r"|(?:下下|下|上|这|這|本)(?:个|個)?(?:周末|周(?![一二三四五六日天])|星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天])|月|季度)|(?:明|去|今|后|前)年|(?:年|月|季)[底初末](?![\d])"
)


def read(folded: str, taken: bytearray, open: Open) -> list[Found]:
    """Dates and times of a folded text as (kind, value, start, end); marks their characters in `taken`."""
    taker = Taker(folded, taken, open)
    _numeric_dates(taker)
    _spans(taker)
    _named_dates(taker)
    _months(taker)
    _han_dates(taker)
    _relative(taker)
    _days_alone(taker)
    _weekdays(taker)
    read_times(taker)
    return taker.found


def _date(year: int | None, month: int, day: int, weekday: int | None = None) -> str:
    """The normal form, or "" when there is no such date."""
    days = 29 if month == 2 and (year is None or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))) else 28
    last = days if month == 2 else 30 if month in {4, 6, 9, 11} else 31
    if not (1 <= month <= 12 and 1 <= day <= last and (year is None or 1000 <= year <= 9999)):
        return ""
    plain = f"{year or '-'}-{month:02d}-{day:02d}"
    return plain if weekday is None else f"{plain}@{weekday}"


def _both(year: int | None, first: int, second: int) -> str:
    """Day-month and month-day, whichever of them exist."""
    return "|".join(dict.fromkeys(filter(None, (_date(year, second, first), _date(year, first, second)))))


def _on_weekday(value: str, weekday: int) -> str:
    """Of two readings the one that falls on the weekday said before it; both when that decides nothing."""
    fits = [one for one in value.split("|") if date.fromisoformat(one).isoweekday() == weekday]
    return fits[0] if len(fits) == 1 else value


def _numeric_dates(taker: Taker) -> None:
    for hit in taker.free(_ALWAYS):
        taker.add("number", "24/7", *hit.span())
    for hit in taker.free(_ISO):
        if value := _date(int(hit[1]), int(hit[3]), int(hit[4])):
            taker.add("date", value, *hit.span())
    for hit in taker.free(_NUMERIC):
        year = int(hit[4]) + (2000 if len(hit[4]) == 2 else 0)
        dotted = hit[2] == "."
        value = _date(year, int(hit[3]), int(hit[1])) if dotted else _both(year, int(hit[1]), int(hit[3]))
        if "|" in value and (said := _WD_BEFORE.search(taker.folded[max(0, hit.start() - 14) : hit.start()])):
            value = _on_weekday(value, WEEKDAYS[said[1]])
        if value:
            taker.add("date", value, *hit.span())
    for hit in taker.free(_POINT_DAY):
        if value := _date(None, int(hit[2] or hit[4]), int(hit[1] or hit[3])):
            taker.add("date", value, hit.start(1 if hit[1] else 3), hit.end())
    for hit in taker.free(_SHORT):
        if value := _both(None, int(hit[1]), int(hit[2])):
            taker.add("date", value, *hit.span())


def _spans(taker: Taker) -> None:
    for value, start, end in spans(taker.folded, taker.open):
        if not any(taker.taken[start:end]):
            taker.add("date", value, start, end)


def _days_alone(taker: Taker) -> None:
    """`the 6th and the 13th` without a month: the coming ones (see `records`); `the 3rd batch` is no day."""
    for hit in taker.free(_SAID_DAY):
        taker.add("date", f"---{ORDINALS[hit[1]]:02d}", *hit.span())
    for hit in taker.free(_THE_DAY):
        weekday = f"@{WEEKDAYS[hit[1]]}" if hit[1] else ""
        if not 1 <= int(hit[2]) <= 31:
            continue
        taker.add("date", f"---{int(hit[2]):02d}{weekday}", hit.start(), hit.end())
        more = _AND_DAY.match(taker.folded, hit.end())
        if more and 1 <= int(more[1]) <= 31 and not any(taker.taken[more.start() : more.end()]):
            taker.add("date", f"---{int(more[1]):02d}", more.start(1), more.end())


def _days(taker: Taker, hit: re.Match[str], group: int, month: int, year: int | None, weekday: int | None) -> None:
    """Every day of a list such as `6, 13 and 20` as a date of its own; the whole match is taken."""
    days = [
        (ORDINALS.get(one.group(), 0) or int(re.sub(r"\D", "", one.group()) or 0), one)
        for one in re.finditer(_DAY, hit[group])
    ]
    start = hit.start(group)
    made = [(_date(year, month, day, weekday if at == 0 else None), one) for at, (day, one) in enumerate(days)]
    for value, one in made:
        if value:
            taker.add("date", value, start + one.start(), start + one.end())
    if all(value for value, _ in made):
        taker.taken[hit.start() : hit.end()] = b"\1" * (hit.end() - hit.start())


def _named_dates(taker: Taker) -> None:
    for pattern, days, month in ((_DAY_FIRST, 2, 3), (_MONTH_FIRST, 3, 2)):
        for hit in taker.free(pattern):
            weekday = WEEKDAYS.get(hit[1] or hit[5] or "")
            _days(taker, hit, days, MONTHS[hit[month]], int(hit[4]) if hit[4] else None, weekday)
    for hit in taker.free(_MONTH_ALONE):
        if hit[1]:
            taker.add("date", f"{hit[2]}-{MONTHS[hit[1]]:02d}", *hit.span())
        elif (len(hit[3]) > 4 and hit[3] != "march") or re.search(
            r"\b(?:in|by|of|until|till|early|late|mid|from|since|next|last|this|during|before|after|to|between) $",
            taker.folded[: hit.start()][-12:],
        ):
            taker.add("date", f"--{MONTHS[hit[3]]:02d}", *hit.span())
    for hit in taker.free(_IN_YEAR):
        taker.add("date", hit[1], hit.start(1), hit.end(1))


def _han_dates(taker: Taker) -> None:
    for hit in taker.free(_ZH_DATE):
        year = han(hit[1]) if hit[1] else None
        year = year + 2000 if year is not None and 0 <= year < 100 else year
        weekday = ZH_WEEKDAYS.get(hit[5] or "")
        value = _date(year, han(hit[2]), han(hit[3]), weekday)
        if not value:
            continue
        taker.add("date", value, hit.start(), hit.start(4) if hit[4] else hit.end())
        for one in re.finditer(_ZH_NUM, hit[4]):
            at = hit.start(4) + one.start()
            if more := _date(year, han(hit[2]), han(one.group())):
                taker.add("date", more, at, at + len(one.group()))
        if hit[5]:
            taker.taken[hit.end(4) : hit.end()] = b"\1" * (hit.end() - hit.end(4))
    for hit in taker.free(_ZH_MONTH):
        month, year = (han(hit[2]) if hit[2] else 0), han(hit[1] or hit[3]) if hit[1] or hit[3] else 0
        if hit[2] and 1 <= month <= 12:
            taker.add("date", f"{year}-{month:02d}" if year else f"--{month:02d}", *hit.span())
        elif hit[3] and 1900 <= year <= 2100:
            taker.add("date", str(year), *hit.span())
    for hit in taker.free(_ZH_DAY):
        if 1 <= han(hit[1]) <= 31:
            taker.add("date", f"---{han(hit[1]):02d}", *hit.span())


def _months(taker: Taker) -> None:
    """`下月5号`, `上个月底`, `next month`: `rel:month+1:05`, `rel:month-1~late`, `rel:month+1`."""
    for hit in taker.free(_WD_OF_WEEK):
        weeks = {"next": 1, "last": -1}.get(hit[2] or hit[3], 0)
        taker.add("date", f"rel:week{weeks:+d}:{WEEKDAYS[hit[1] or hit[4]]}", *hit.span())
    for hit in taker.free(_ZH_OF_MONTH):
        day = f":{han(hit[2]):02d}" if hit[2] else f"~{_PARTS[hit[3]]}" if hit[3] else ""
        taker.add("date", f"rel:month{_MONTHS_ON.get(hit[1], 0):+d}{day}", *hit.span())
    for hit in taker.free(_OF_MONTH):
        taker.add("date", f"rel:month{_MONTHS_ON.get(hit[1], 0):+d}", *hit.span())


def _relative(taker: Taker) -> None:
    for pattern, offset in _RELATIVE:
        for hit in taker.free(pattern):
            taker.add("date", f"rel:{offset}", *hit.span())
    for hit in taker.free(_SEASON):
        taker.add("date", f"?{hit[1] or hit[2]}", hit.start(1 if hit[1] else 2), hit.end())
    for hit in taker.free(_VAGUE):
        taker.add("date", f"rel:?{hit.group()}", *hit.span())


def _weekdays(taker: Taker) -> None:
    for hit in taker.free(_NEXT_WD):
        form = {"every": "every", "each": "every", "coming": "wd"}.get(hit[1], f"rel:{hit[1]}")
        taker.add("date", f"{form}:{WEEKDAYS[hit[2]]}", *hit.span())
    for hit in taker.free(_FULL_WD):
        group = 1 if hit[1] else 3
        form = "every" if hit[2] else "wd"
        taker.add("date", f"{form}:{WEEKDAYS[hit[group]]}", hit.start(group), hit.end())
    for hit in taker.free(_ZH_WD):
        form = {"": "wd", "每": "every", "下": "rel:week+1", "下下": "rel:week+2", "上": "rel:week-1"}.get(
            hit[1] or "", "rel:week+0"
        )
        taker.add("date", f"{form}:{ZH_WEEKDAYS[hit[2]]}", *hit.span())
