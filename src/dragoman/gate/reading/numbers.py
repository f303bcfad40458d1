"""What number does a spelling name? All readings of it, as normal decimal strings.

1. A spelling that can be read in two ways gives both: `1.200` is 1200 or 1.2. A claim of two readings is verified only
   when every reading is (see `records`).
2. A spelling that cannot be read gives itself, marked with `?`: it equals only the very same spelling.
3. `,` before three digits groups thousands; `.` before exactly three digits may group or divide; `'` and a space group.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from dragoman.gate.reading.words import LARGE, MAGNITUDES, SMALL, ZH_BIG, ZH_DIGITS, ZH_NO_NUMBERS, ZH_STEPS

_NUMBER_WORD: Final = "(?:" + "|".join(sorted((*SMALL, *LARGE), key=len, reverse=True)) + ")"
_SIGN: Final = r"(?:(?<!\d )(?<![a-z0-9_)\].,/])(?:[+\-−±]|minus |零下|负))?"
_SCALE: Final = r"(?:k(?![a-z0-9])|\s?(?:thousand|million|billion|mn|bn)(?![a-z])|\s?(?:百万|千万|千(?![克米瓦伏帕卡])|[百万萬亿億]))?"
DIGITS: Final = rf"{_SIGN}(?:\d{{1,3}}(?: \d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*|(?<!\d)\.\d+){_SCALE}"
SAID: Final = (
    rf"(?<![a-z])(?:half a (?=dozen))?{_NUMBER_WORD}"
    rf"(?:(?:(?<=hundred)|(?<=thousand)|(?<=million)) and {_NUMBER_WORD}|[- ]{_NUMBER_WORD})*(?![a-z])"
)
HAN: Final = "[零〇一二两兩三四五六七八九十百千万萬亿億]+"
HAN_DECIMAL: Final = rf"{HAN}(?:点[零〇一二三四五六七八九]+)?"
_PLAIN: Final = re.compile(r"([+\-−±]|minus |零下|负|)([\d.,' ]*\d)\s?(\D*)")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}|\d{1,3}(?:[ ']\d{3})+")
_MAX_DIGITS: Final = 30
_ZH_ONES: Final = frozenset("一二三四五六七八九")
_ZH_OMITS: Final = {"百": "十", "千": "百", "万": "千", "萬": "千", "亿": "千万", "億": "千万"}


def normal(value: Decimal) -> str:
    """`1200`, `12.5`: no exponent, no trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def digit_readings(spelling: str) -> tuple[str, ...]:
    """All readings of a number written in digits, with sign and scale word."""
    found = _PLAIN.fullmatch(spelling)
    if found is None or len(spelling) > _MAX_DIGITS:
        return (f"?{spelling}",)
    sign, body, scale = found.groups()
    sign = {"": "", "+": "+", "±": "±"}.get(sign, "-")
    times = MAGNITUDES.get(scale.strip(), 1)
    readings = _bodies(body)
    if times >= 10_000 and len(readings) == 2:
        readings = readings[1:]  # `1.248万` divides
    return tuple(sign + normal(Decimal(plain) * times) for plain in readings) or (f"?{spelling}",)


def _bodies(body: str) -> tuple[str, ...]:
    whole, dot, part = body.rpartition(".")
    if dot and "." not in whole and _GROUPED.fullmatch(whole):
        return (re.sub(r"[,' ]", "", whole) + "." + part,)
    if _GROUPED.fullmatch(body):
        return (re.sub(r"[,' ]", "", body),)
    if re.fullmatch(r"\d+|\d*\.\d+", body):
        both = re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", body)
        return (body.replace(".", ""), body) if both else (body,)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", body):
        return (body.replace(".", ""),)
    if re.fullmatch(r"\d{1,3}(?:[. ]\d{3})*,\d+|\d+,\d+", body):
        return (re.sub(r"[. ]", "", body).replace(",", "."),)
    return ()


def said_readings(spelling: str) -> tuple[str, ...]:
    """The reading of an English number in words: `forty-two`, `a hundred and twenty`, `half a dozen`."""
    half = spelling.startswith("half a ")
    total, current, last = 0, 0, 1_000_000_000
    for word in re.split(r"[- ]", spelling.removeprefix("half a ")):
        if word == "and":
            continue
        if word in SMALL:
            step = SMALL[word]
            size = 10 if step >= 20 else 1
            if size >= last or (last == 10 and not 1 <= step <= 9):
                return (f"?{spelling}",)
            current, last = current + step, size
        elif word in {"hundred", "dozen"}:
            current, last = (current or 1) * LARGE[word], 100
        else:
            total, current, last = total + (current or 1) * LARGE[word], 0, 1_000
    return (normal(Decimal(total + current) / (2 if half else 1)),)


def han_readings(spelling: str) -> tuple[str, ...]:
    """The reading of Chinese numerals: `四十二`, `一千二百`, `二〇二六`; `两三` names no number."""
    if spelling in ZH_NO_NUMBERS:
        return ()
    whole, point, part = spelling.partition("点")
    if point:
        before = han_readings(whole)
        return tuple(f"{one}.{''.join(str(ZH_DIGITS[char]) for char in part)}" for one in before)
    if all(char in ZH_DIGITS for char in spelling):
        plain = "".join(str(ZH_DIGITS[char]) for char in spelling)
        exact = len(plain) == 1 or len(plain) > 2
        return (normal(Decimal(plain)),) if exact else (f"?{spelling}",)
    if whole[-1] in _ZH_ONES and len(whole) > 2 and whole[-2] in _ZH_OMITS:
        whole += _ZH_OMITS[whole[-2]]  # "四百五" is 450, "一万二" 12000
    total, section, digit = 0, 0, -1
    for char in whole:
        if char in ZH_DIGITS:
            if digit > 0:
                return (f"?{spelling}",)
            digit = ZH_DIGITS[char]
        elif char in ZH_STEPS:
            section, digit = section + (1 if digit < 0 else digit) * ZH_STEPS[char], -1
        else:
            total, section, digit = (total + section + max(digit, 0) or 1) * ZH_BIG[char], 0, -1
    return (normal(Decimal(total + section + max(digit, 0))),)


def readings_of(spelling: str) -> tuple[str, ...]:
    """All readings of a number token of any kind; empty when it names no number at all."""
    if spelling.startswith(("minus ", "零下", "负")):
        return digit_readings(spelling)
    if spelling[0] in "零〇一二两兩三四五六七八九十百千万萬亿億":
        return han_readings(spelling)
    return said_readings(spelling) if spelling[0].isalpha() else digit_readings(spelling)
