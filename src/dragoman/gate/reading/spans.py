"""Which stretches of time does a folded text state? Weekday ranges, parts of a month, holidays. For `reading.dates`.

1. `Monday to Friday`, `weekdays`, `周一至周五`, `工作日` are each day of the stretch: `each:1|each:2|…|each:5`.
2. `early October`, `end of October`, `十月中旬` are `--10~early`, `--10~mid`, `--10~late`: days 1-10, 11-20, 21-31. Any
   other part (`first week of October`) is `--10~?…` and equals only itself.
3. A holiday is `?christmas`, and equals only itself: which day it is, is for the record to say. Wishes state nothing.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dragoman.gate.reading.patterns import READERS, Open
from dragoman.gate.reading.words import MONTHS, WEEKDAYS, ZH_WEEKDAYS

Span = tuple[str, int, int]

_WD: Final = "(" + "|".join(sorted(WEEKDAYS, key=len, reverse=True)) + r")s?\b\.?"
_RANGE: Final = READERS.add(rf"(?<![a-z]){_WD}\s?(?:-|–|—|~|to|through|thru|until|till)\s?{_WD}")
_ZH_RANGE: Final = READERS.add(
    r"(?:周|星期|礼拜)([一二三四五六日天])(?:到|至|-|–|—|~)(?:周|星期|礼拜)?([一二三四五六日天])"
)
_WEEKDAYS: Final = READERS.add(
    r"\b(?:(?:any |every |each |all )?weekdays?|(?:on|every|any|each|all) (?:working|business) ?days?)\b"
    r"|(?<![\d一二三四五六七八九十两几个.])工作日(?!内|后|之)"
)
_WEEKENDS: Final = READERS.add(
    r"\b(?:(?:at|on|over|during|every|the|most) weekend|weekends|weekend (?=delivery|pick-?up|shift|work|service|opening))\b(?! of)|(?<![下上本这])周末"
)
_MON: Final = "(" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b"
_PART: Final = READERS.add(
    r"\b(early|mid|late|beginning of|start of|middle of|end of|(?:first|second|third|fourth|last) (?:half|week|days?) (?:of|in))"
    rf"[\s-](?:the )?{_MON}"
)
_ZH_PART: Final = READERS.add(
    r"(\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:的)?(上旬|中旬|下旬|初|底|末|上半月|下半月)"
)
_HOLIDAY: Final = READERS.add(
    r"(?<!merry )(?<!happy )(?<!good )\b(christmas(?: eve| day)?|new year'?s(?: eve| day)?|easter(?: monday| sunday)?"
    r"|good friday|thanksgiving|labou?r day|chinese new year|lunar new year|spring festival|bank holidays?|public holidays?)\b"
    r"|(春节|国庆节?|中秋节?|元旦|端午节?|清明节?|劳动节|五一|圣诞节?|除夕|元宵节?)(?!快乐|愉快|安康|吉祥)"
)
_PARTS: Final = {
    "early": "early", "beginning of": "early", "start of": "early", "上旬": "early", "初": "early",
    "mid": "mid", "middle of": "mid", "中旬": "mid",
    "late": "late", "end of": "late", "下旬": "late", "底": "late", "末": "late",
}  # fmt: skip
_ZH_MONTHS: Final = {name: number for number, name in enumerate((*"一二三四五六七八九十", "十一", "十二"), 1)}


def part_of_month(day: int) -> str:
    """The part of its month in which a day lies."""
    return "early" if day <= 10 else "mid" if day <= 20 else "late"


def spans(folded: str, open: Open) -> Iterator[Span]:
    """Stretches of time as (value, start, end); they do not overlap what they contain."""
    for pattern, names in ((_RANGE, WEEKDAYS), (_ZH_RANGE, ZH_WEEKDAYS)):
        for hit in pattern.finditer(folded) if id(pattern) in open else ():
            yield _every(names[hit[1]], names[hit[2]]), *hit.span()
    for hit in _WEEKDAYS.finditer(folded) if id(_WEEKDAYS) in open else ():
        yield _every(1, 5), *hit.span()
    for hit in _WEEKENDS.finditer(folded) if id(_WEEKENDS) in open else ():
        yield _every(6, 7), *hit.span()
    for hit in _PART.finditer(folded) if id(_PART) in open else ():
        yield f"--{MONTHS[hit[2]]:02d}~{_PARTS.get(hit[1], '?' + hit[1])}", *hit.span()
    for hit in _ZH_PART.finditer(folded) if id(_ZH_PART) in open else ():
        month = int(hit[1]) if hit[1].isdigit() else _ZH_MONTHS[hit[1]]
        if 1 <= month <= 12:
            yield f"--{month:02d}~{_PARTS.get(hit[2], '?' + hit[2])}", *hit.span()
    for hit in _HOLIDAY.finditer(folded) if id(_HOLIDAY) in open else ():
        yield f"?{hit.group()}", *hit.span()


def _every(first: int, last: int) -> str:
    """Each weekday from `first` to `last`, over the weekend if need be."""
    return "|".join(f"each:{(first - 1 + step) % 7 + 1}" for step in range((last - first) % 7 + 1))
