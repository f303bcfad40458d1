"""Which quantities does a folded text state without a number? `twice as many`, `half of them`, `a week`. For `claims`.

1. A length of time with an article is the number one: `takes a week` is `1 week`, `half an hour` is `0.5 hour`, and
   `three quarters of an hour` is `0.75 hour`.
2. A multiple, a share, or a crowd (`double the`, `a third of`, `dozens of`, `一半`) is `?…` and equals only itself.
3. How fast, said as an adjective (`same-day`, `overnight`, `次日`) is `?…` too.

Not seen: what is no size (`a few`, `some`, `一些`) and figures of speech (`double-check`, `a couple of questions`).
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dragoman.gate.reading.numbers import HAN, SAID, readings_of
from dragoman.gate.reading.patterns import READERS, Open
from dragoman.gate.reading.words import COUNTED, UNITS

Vague = tuple[str, str, int, int]

_LENGTH: Final = (
    r"\b(?:in|within|after|for|takes?|took|taking|about|around|only|just|under|over|than|least|most|nearly|almost|needs?"
    r"|lasts?|another|up to|roughly|approximately) "
)
_ONE: Final = READERS.add(rf"{_LENGTH}(?:an?|one) (hour|day|week|fortnight|month|year)\b(?! (?:or two|of)\b)")
_HALF: Final = READERS.add(r"\bhalf an? (hour|day|week|month|year)\b")
_AND_HALF: Final = READERS.add(r"\b(?:an?|one) (hour|day|week|month|year) and a half\b")
_QUARTERS: Final = READERS.add(r"\b(?:(a|one|three)[ -])?quarters? of an (hour)\b")
_OFTEN: Final = READERS.add(r"\b(once|twice|thrice) (?:an?|per|each|every) (hour|day|week|month|quarter|year)\b")
_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}
_ZH_HALF: Final = READERS.add(r"半(?:个)?(小时|钟头|天|日|月|年)(?!前|来)")
_ZH_UNITS: Final = {"小时": "hour", "钟头": "hour", "天": "day", "日": "day", "月": "month", "年": "year"}
_OF: Final = r"(?:of|the|this|that|as|our|your|my|their|its|what)"
_CALLED: Final = r"(?:questions?|things?|points?|details?|notes?|words?|remarks?|thoughts?|ideas?|reasons?|ways?)"
_SIZES: Final = READERS.add(
    rf"\b(?:twice|thrice|double|triple|quadruple|half) {_OF}\b|\b(?:doubled|tripled|halved|doubling|halving)\b"
    rf"|\b(?:a couple of|a pair of|(?:tens|dozens|scores|hundreds|thousands|millions) of|several (?:hundred|thousand))"
    rf"(?! (?:more )?{_CALLED}\b)(?: [a-z]+)?"
    r"|\b(?:dozens|hundreds|thousands|a couple)\b(?= (?:left|remain|more|available|in stock)\b)"
    r"|\b(?:an?|one|two|three|four)[ -](?:halves|half|thirds?|quarters?|fifths?|tenths?)(?= of\b)"
    r"|\b(?:two|three|four)[ -](?:thirds|quarters|fifths|tenths)(?= (?:are|is|have|has|were)\b)"
    r"|\b(?:one|two|three|four|nine) (?:in|out of) (?:two|three|four|five|six|seven|eight|nine|ten|a hundred)\b"
    r"|翻[一两]?[倍番]|(?<!另)一半|半数|大半|[两二三四五六七八九十几]倍|加倍|成倍|一打|几[十百千万]|[上成]百|[数好]十|数百|数千"
)
_SPEED: Final = READERS.add(
    r"\b(?:same|next|one|two|three)[ -]day (?=delivery|shipping|shipment|dispatch|service|pick-?up|collection|courier)"
    r"|(?<!park )(?<!stay )\bovernight\b|(?:次日|隔日|隔天|翌日|当天|当日|即日|第二天)(?=[^。]{0,4}(?:送|到|达|发|寄|取|提|配))"
)


_AND_A_HALF: Final = READERS.add(rf"(?<![a-z\d.,-])({SAID}|\d{{1,6}}) and a half ([a-z]+)")
_NUMBERED: Final = READERS.add(r"([一二三四五六七八九十]{1,2})号(?:馆|厅|楼|库|门|仓|线|车间|窗口|展厅|桌|台|口)")
_TAILED: Final = READERS.add(
    rf"(?<![\d{HAN[1:-2]}])(\d{{1,9}}|{HAN[:-1]}{{1,9}})(个)?(吨|米|公斤|斤|小时|钟头|天|周|月|年|升|公里|度|寸)(半(?!天|年|小时|个)|[一二三四五六七八九](?:[一二三四五六七八九])?(?=[,。.;!?、高宽长深左的]|$))"
    rf"|(?<![\d{HAN[1:-2]}])(\d{{1,9}}|{HAN[:-1]}{{1,9}})个半(小时|钟头|月|星期)"
)


def tailed(folded: str, open: Open) -> Iterator[Vague]:
    """Sizes with a part behind the unit or the number: `一米八`, `十八公斤半`, `两个半小时`, `two and a half kilos`."""
    for hit in _AND_A_HALF.finditer(folded) if id(_AND_A_HALF) in open else ():
        unit = hit[2]
        whole = readings_of(hit[1])[0]
        if whole.isdigit() and (unit in UNITS or unit in COUNTED):
            kind = "specification" if unit in UNITS else "quantity"
            yield kind, f"{whole}.5 {UNITS.get(unit) or COUNTED[unit]}", *hit.span()
    for hit in _NUMBERED.finditer(folded) if id(_NUMBERED) in open else ():
        yield "number", readings_of(hit[1])[0], *hit.span()
    for hit in _TAILED.finditer(folded) if id(_TAILED) in open else ():
        unit = hit[3] or hit[6]
        part = "5" if hit[4] in (None, "半") else "".join(readings_of(one)[0] for one in hit[4])
        for whole in readings_of(hit[1] or hit[5])[:1]:
            if whole.isdigit():
                name = UNITS.get(unit) or COUNTED.get(f"个{unit}") or COUNTED.get(unit, unit)
                kind = "specification" if unit in UNITS else "quantity"
                yield kind, f"{whole}.{part} {'month' if unit == '月' else name}", *hit.span()


def vague(folded: str, open: Open) -> Iterator[Vague]:
    """Quantities without a number as (kind, value, start, end)."""
    for hit in _ONE.finditer(folded) if id(_ONE) in open else ():
        yield "quantity", ("2 week" if hit[1] == "fortnight" else f"1 {hit[1]}"), hit.start(), hit.end()
    for hit in _OFTEN.finditer(folded) if id(_OFTEN) in open else ():
        yield "quantity", f"{_TIMES[hit[1]]} time/{hit[2]}", *hit.span()
    for hit in _HALF.finditer(folded) if id(_HALF) in open else ():
        yield "quantity", f"0.5 {hit[1]}", *hit.span()
    for hit in _AND_HALF.finditer(folded) if id(_AND_HALF) in open else ():
        yield "quantity", f"1.5 {hit[1]}", *hit.span()
    for hit in _QUARTERS.finditer(folded) if id(_QUARTERS) in open else ():
        yield "quantity", ("0.75 hour" if hit[1] == "three" else "0.25 hour"), *hit.span()
    for hit in _ZH_HALF.finditer(folded) if id(_ZH_HALF) in open else ():
        yield "quantity", f"0.5 {_ZH_UNITS[hit[1]]}", *hit.span()
    for pattern in (_SIZES, _SPEED):
        for hit in pattern.finditer(folded) if id(pattern) in open else ():
            yield "quantity", f"?{hit.group().strip()}", *hit.span()
