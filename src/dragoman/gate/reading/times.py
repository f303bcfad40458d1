"""Which times of day does a folded text state? Called by `reading.dates` only.

Times are `15:00`, with the zone if one is said (`15:00 utc`). What may be morning or afternoon (`two o'clock`, 四点) has
both readings.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Final

from dragoman.gate.reading.numbers import HAN
from dragoman.gate.reading.patterns import READERS
from dragoman.gate.reading.taker import Taker, han
from dragoman.gate.reading.words import SMALL, TIME_ZONES

_HAN: Final = rf"{HAN[:-1]}{{1,5}}"
_ZONE: Final = rf"(?:\s?\(?({TIME_ZONES})\b\)?)?"
_HALF: Final = r"(am|pm|a\.m\.?|p\.m\.?)(?![a-z])"
_CLOCK: Final = READERS.add(
    rf"(?<!\d)(?<!\d[:./])(?<!\d,(?=\d+\.))(\d{{1,2}})[:.h](\d{{2}})(?::(\d{{2}})(?:\.\d+)?)?(z)?(?!\d|:\d)(?:\s?{_HALF})?{_ZONE}"
)
_HOUR: Final = READERS.add(
    rf"(?<![\d:.,/a-z])(\d{{1,2}})(?:[:.](\d{{2}}))?\s?(?:(?:-|–|—|to|until|till|and|or)\s?(\d{{1,2}})(?:[:.](\d{{2}}))?\s?)?{_HALF}{_ZONE}"
)
_SAID_HOUR: Final = READERS.add(
    rf"(?<![a-z])({'|'.join(list(SMALL)[1:13])}|\d{{1,2}})\s?(?:{_HALF}|o'?clock(?:\s(in the (?:morning|afternoon|evening)))?)|\b(half past|quarter past|quarter to) ({'|'.join(list(SMALL)[1:13])}|\d{{1,2}})\b(?:\s(in the (?:morning|afternoon|evening)))?"
)
_HALF_HOUR: Final = READERS.add(
    rf"\b(?:at|till?|until|from|by|to|before|after|around|about) half ({'|'.join(list(SMALL)[1:13])}|\d{{1,2}})(?=[.,;!?)]|$| (?:in|on|sharp|and|to|till|until|at)\b)"
)
_PAST: Final = READERS.add(
    rf"(?<![a-z])(?:(?:at|by|until|till|before|after|around|about|it's) )?({'|'.join(list(SMALL)[1:])}|\d{{1,2}}) (?:minutes? )?(past|(?:minutes? )?to) ({'|'.join(list(SMALL)[1:13])}|\d{{1,2}})(?![a-z\d])(?:\s(in the (?:morning|afternoon|evening)))?"
)
_DOTTED: Final = READERS.add(
    r"(?<![\d.,])(\d{1,2})\.(\d{2})(?![\d.,%])(?:\s?(?:hrs?\b|h\b|o'clock)|\s(in the (?:morning|afternoon|evening)))"
)
_NAMED: Final = READERS.add(
    r"(?<![a-z])(?:at|by|until|till|before|after|from|around) (noon|midday|midnight)\b|(?<=, )(?:noon|midnight)\b|中午(?:十二|12)点(?!半|过|[一二三四五\d]|多|左右)|正午"
)
_ZH_LACKS: Final = READERS.add(
    rf"差(一刻|(?:\d{{1,2}}|{_HAN})分)(?:钟)?(\d{{1,2}}|{_HAN})点|(\d{{1,2}}|{_HAN})点差(一刻|(?:\d{{1,2}}|{_HAN})分)"
)
_ZH_CLOCK: Final = READERS.add(
    rf"(凌晨|清晨|早上|早晨|上午|中午|下午|午后|傍晚|晚上|今晚|明晚|今早|明早|晚|早)?\s?(\d{{1,2}}|{_HAN})\s?(?:点|點|时(?![候间刻常])|時(?![候間]))(?:钟|整)?(?:(半)|([一三])刻|(\d{{1,2}}|{_HAN})\s?分?(?![\d万千百个箱天])|(?=[^点]))?"
)


def _time(hour: int, minute: int, half: str | None, zone: str | None = None) -> str:
    """`15:00`, or "" when there is no such time."""
    if half:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    if not (0 <= hour <= 24 and 0 <= minute <= 59 and (hour < 24 or minute == 0)):
        return ""
    return f"{hour:02d}:{minute:02d}" + (f" {zone}" if zone else "")


def read_times(taker: Taker) -> None:
    for hit in taker.free(_HOUR):
        second = hit[3]
        value = _time(int(second or hit[1]), int((hit[4] if second else hit[2]) or 0), hit[5], hit[6])
        if not value:
            continue
        if second:
            # "10-2 pm" starts in the morning or not: both readings stand
            halves = [hit[5]] if int(hit[1]) % 12 <= int(second) % 12 else ["am", "pm"]
            first = [_time(int(hit[1]), int(hit[2] or 0), half, hit[6]) for half in halves]
            if all(first):
                taker.add("time", "|".join(first), hit.start(1), hit.end(2) if hit[2] else hit.end(1))
        taker.add("time", value, hit.start(3) if second else hit.start(), hit.end())
    for hit in taker.free(_CLOCK):
        dotted = hit.group()[len(hit[1])] == "." and not hit[5]
        value = _time(int(hit[1]), int(hit[2]), hit[5], hit[6] or ("utc" if hit[4] else None))
        if value and not dotted:
            seconds = f":{hit[3]}" if hit[3] and hit[3] != "00" else ""
            taker.add("time", value[:5] + seconds + value[5:], *hit.span())
    for hit in taker.free(_SAID_HOUR):
        _said_time(taker, hit)
    for hit in taker.free(_HALF_HOUR):
        hour = int(hit[1]) if hit[1].isdigit() else SMALL[hit[1]]
        if values := [value for half in ("am", "pm") if (value := _time(hour, 30, half))]:
            taker.add("time", "|".join(values), *hit.span())
    for hit in taker.free(_PAST):
        _past(taker, hit)
    for hit in taker.free(_DOTTED):
        half = _HALVES.get((hit[3] or "").split(" ")[-1])
        if value := _time(int(hit[1]), int(hit[2]), half if half and int(hit[1]) <= 12 else None):
            taker.add("time", value, *hit.span())
    for hit in taker.free(_NAMED):
        night = hit.group().endswith("midnight")
        taker.add("time", "00:00" if night else "12:00", *hit.span())
    for hit in taker.free(_ZH_LACKS):
        hour, lack = han(hit[2] or hit[3]), hit[1] or hit[4]
        minute = 60 - (15 if lack == "一刻" else han(lack.removesuffix("分")))
        if 1 <= hour <= 12 and 0 < minute < 60:
            values = [_time((hour + half - 1) % 24, minute, None) for half in (0, 12)]
            taker.add("time", "|".join(values), *hit.span())
    for hit in taker.free(_ZH_CLOCK):
        _han_time(taker, hit)


_AT: Final = ("at", "by", "until", "till", "before", "after", "around", "about", "it's")
_HALVES: Final = {"morning": "am", "afternoon": "pm", "evening": "pm"}


def _past(taker: Taker, hit: re.Match[str]) -> None:
    """`ten past four`, `20 to 8`: both halves of the day stand unless one is said."""
    minute, hour = (int(word) if word.isdigit() else SMALL[word] for word in (hit[1], hit[3]))
    if not (1 <= minute <= 59 and 1 <= hour <= 12) or (hit[2] != "past" and not hit.group().startswith(_AT)):
        return
    minute, hour = (minute, hour) if hit[2] == "past" else (60 - minute, (hour - 2) % 12 + 1)
    half = _HALVES.get((hit[4] or "").split(" ")[-1])
    values = [_time(hour, minute, one) for one in ([half] if half else ["am", "pm"])]
    taker.add("time", "|".join(values), *hit.span())


def _said_time(taker: Taker, hit: re.Match[str]) -> None:
    word = hit[1] or hit[5]
    hour = SMALL.get(word) if not word.isdigit() else int(word)
    if hour is None or not 1 <= hour <= 12:
        return
    minute = {"half past": 30, "quarter past": 15, "quarter to": 45}.get(hit[4] or "", 0)
    hour = (hour - 2) % 12 + 1 if hit[4] == "quarter to" else hour
    half = hit[2] or {"morning": "am", "afternoon": "pm", "evening": "pm"}.get((hit[3] or hit[6] or "").split(" ")[-1])
    values = [_time(hour, minute, one) for one in ([half] if half else ["am", "pm"])]
    taker.add("time", "|".join(values), *hit.span())


def _han_time(taker: Taker, hit: re.Match[str]) -> None:
    period, hour = hit[1] or "", han(hit[2])
    minute = 30 if hit[3] else 15 * int("13"["一三".index(hit[4])]) if hit[4] else han(hit[5]) if hit[5] else 0
    behind = taker.folded[max(0, hit.start() - 2) : hit.start()]
    if hit[2] == "一" and period in {"", "早", "晚"} and not hit[3] and not hit[5]:
        return  # "一点" is "a little"
    if (
        behind.endswith("第")
        or behind == "分之"
        or (not period and hit[5] and len(hit[5]) == 1 and not hit[5].isdigit())
    ):
        return  # "第二点" is a point, "三点五" a decimal
    if not period and taker.late_until == _before_joint(taker.folded, hit.start()):
        period = "下午"  # "下午三点到五点": the second hour is in the same half
    late = period in {"下午", "午后", "傍晚", "晚上", "今晚", "明晚", "晚"} or (period == "中午" and hour < 11)
    hours = [hour + 12] if late and 1 <= hour <= 11 else [hour]
    if period.endswith(("晚", "晚上")) and hour < 5:
        hours = [hour, hour + 12]
    if not period and 1 <= hour <= 11:
        hours = [hour, hour + 12]
    values = [_time(one, minute, None) for one in hours]
    if all(values):
        taker.add("time", "|".join(values), *hit.span())
        taker.late_until = hit.end() if late else -1


def _before_joint(folded: str, start: int) -> int | None:
    """Where the joining word right before `start` begins; None if there is none."""
    found = re.search(r"\s?(?:到|至|-|–|—|~|或|和|、)\s?$", folded[max(0, start - 4) : start])
    return start - len(found.group()) if found else None
