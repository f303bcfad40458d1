"""When do two figures say the same? Number, unit, and what it is per. For `record_equal`.

1. A bare number is the same number in any company. Two known nouns must be one; a noun that no table knows matches a
   bare or counting figure, never a measure, a time or a currency.
2. A measure is equal in another unit: exactly inside one system, within 2 % across (`25 kg`, `55 lb`), `°F` by formula.
3. Never a rate for a count (`36 boxes` for 36 boxes per hour); an interval is its frequency (every 6 months, twice a year).
"""

# Tables stay rows.
# ruff: noqa: E501

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final

import msgspec

from dragoman.gate.claims import Claim, ClaimKind
from dragoman.gate.reading.statements import TIMES as TIMES
from dragoman.gate.reading.words import COUNTED, CURRENCIES, UNITS

_MEASURES: Final[dict[str, tuple[str, str, str]]] = {
    "um": ("m", "0.000001", "si"), "mm": ("m", "0.001", "si"), "cm": ("m", "0.01", "si"), "m": ("m", "1", "si"),
    "km": ("m", "1000", "si"), "inch": ("m", "0.0254", "imp"), "ft": ("m", "0.3048", "imp"),
    "yd": ("m", "0.9144", "imp"), "mile": ("m", "1609.344", "imp"), "mg": ("kg", "0.000001", "si"),
    "g": ("kg", "0.001", "si"), "kg": ("kg", "1", "si"), "t": ("kg", "1000", "si"), "lb": ("kg", "0.45359237", "imp"),
    "oz": ("kg", "0.0283495", "imp"), "ml": ("l", "0.001", "si"), "l": ("l", "1", "si"), "m^3": ("l", "1000", "si"),
    "gallon": ("l", "3.78541", "imp"), "second": ("s", "1", "si"), "minute": ("s", "60", "si"),
    "hour": ("s", "3600", "si"), "day": ("s", "86400", "si"), "night": ("s", "86400", "si"),
    "week": ("s", "604800", "si"), "month": ("mo", "1", "si"), "year": ("mo", "12", "si"), "kw": ("w", "1000", "si"),
    "w": ("w", "1", "si"), "kv": ("v", "1000", "si"), "v": ("v", "1", "si"), "quarter": ("mo", "3", "si"),
    "mb": ("mb", "1", "si"), "gb": ("mb", "1024", "bin"), "ms": ("s", "0.001", "si"), "megabit": ("mb", "1", "si"),
    "psi": ("bar", "0.0689476", "imp"), "bar": ("bar", "1", "si"), "mpa": ("bar", "10", "si"), "kpa": ("bar", "0.01", "si"), "jin": ("kg", "0.5", "si"), "li": ("m", "500", "si"), "丝": ("m", "0.00001", "si"), "tb": ("mb", "1048576", "bin"),
    "pound": ("kg", "0.45359237", "imp"), "yard": ("m", "0.9144", "imp"), "working day": ("wd", "1", "si"), "fortnight": ("s", "1209600", "si"),
    "km/h": ("km/h", "1", "si"), "mph": ("km/h", "1.609344", "imp"), "ghz": ("hz", "1000000000", "si"),
    "mhz": ("hz", "1000000", "si"), "khz": ("hz", "1000", "si"), "hz": ("hz", "1", "si"),
}  # fmt: skip
_DEGREES: Final = frozenset({"°", "°c", "°f"})
KNOWN: Final = frozenset(COUNTED.values())
STRICT: Final = frozenset(
    {*UNITS.values(), *CURRENCIES.values(), *TIMES, "%", "‰", "working day", "milliwatt", "megawatt"}
)


_RATES: Final = {"m/s": ("m", "second"), "km/h": ("km", "hour"), "mph": ("mile", "hour")}
_ALSO: Final = frozenset(
    {
        ("pound", "lb"),
        ("寸", "inch"),
        ("ma", "mah"),
        ("board", "layer"),
        ("board", "楼"),
        ("盒", "box"),
        ("盒", "个"),
        ("盒", "piece"),
        ("桶", "个"),
        ("罐", "个"),
        ("pound", "gbp"),
        ("楼", "layer"),
        ("floor", "楼"),
        ("box", "carton"),
        ("box", "case"),
        ("box", "crate"),
        ("carton", "case"),
        ("piece", "unit"),
        ("piece", "个"),
        ("parcel", "box"),
        ("batch", "lot"),
        ("truck", "lorry"),
        ("copy", "本"),
        ("quid", "gbp"),
        ("piece", "支"),
        ("piece", "只"),
        ("seat", "person"),
        ("piece", "item"),
        ("unit", "item"),
        ("room", "个"),
        ("set", "unit"),
        ("person", "seat"),
    }
)
"""Two names of one thing as messages use them."""
_EVERY: Final = "every"
"""What an interval of the record is per (`every 6 months`)."""
_WHOLE: Final = frozenset({"km/h", "m/s"})
"""Units that are a rate by themselves."""


class Figure(msgspec.Struct, frozen=True):
    """One reading of a figure: number, unit (or ""), what it is per (or "")."""

    number: Decimal
    unit: str
    per: str


def figures_of(claim: Claim) -> list[Figure]:
    """The figures of a claim, each side of a measure too; none when a reading is no number."""
    if claim.kind in (ClaimKind.DATE, ClaimKind.TIME):
        return []
    found = []
    for reading in claim.value.split("|"):
        number, _, unit = reading.strip("#").partition(" ")
        if not unit and (split := re.fullmatch(r"([+\-±]?[\d.x]+)([^\W\d_].*)?", number)) and split[2]:
            number, unit = split[1], split[2]
        name, _, per = unit.partition("/") if unit not in _WHOLE else (unit, "", "")
        sides = [decimal(side.lstrip("+±")) for side in number.split("x")]
        if None in sides:
            return []
        found += [Figure(side, name, per) for side in sides if side is not None]
    return found


EXACT: Final = (Decimal(0), Decimal(0))


def same(one: Figure, other: Figure, slack: tuple[Decimal, Decimal] = EXACT) -> bool:
    """Whether `other`, of the record, says what `one`, of the text, says; it may lie below and above by the slack."""
    if not one.unit:
        return _within(one.number, other.number, slack) and not one.per
    if rate := _rates(one, other):
        return _within(*rate, slack)
    if other.per in TIMES and one.per != other.per:
        return _interval(one, other)
    if one.per in TIMES and one.unit == "time" and other.per == _EVERY:
        return _interval(other, one)
    if one.per and one.per != other.per and other.per != _EVERY and (one.per in KNOWN or one.per in TIMES):
        return False
    if {one.unit, other.unit} == {"week", "working day"}:
        return one.number * (5 if one.unit == "week" else 1) == other.number * (5 if other.unit == "week" else 1)
    if {one.unit, other.unit} == {"month", "day"}:
        return _half_months(one, other, slack)
    if {(one.number, one.unit), (other.number, other.unit)} == {(Decimal("0.5"), "day"), (Decimal(4), "hour")}:
        return True  # half a working day
    if {one.unit, other.unit} == {"pound", "gbp"}:
        return one.number == other.number
    if one.unit in _DEGREES and other.unit in _DEGREES:
        return _degrees(one, other)
    left, right = _MEASURES.get(one.unit), _MEASURES.get(other.unit)
    if left and right:
        if left[0] != right[0]:
            return False
        a, b = one.number * Decimal(left[1]), other.number * Decimal(right[1])
        return (
            _within(a, b, slack)
            or (one.unit != other.unit and abs(a - b) * 20_000 <= abs(b))
            or (left[2] != right[2] and abs(a - b) <= abs(b) * Decimal("0.02"))
        )
    if not _within(one.number, other.number, slack):
        return False
    if one.unit == other.unit or (one.unit, other.unit) in _ALSO or (other.unit, one.unit) in _ALSO:
        return True
    if one.unit in STRICT or other.unit in STRICT:
        return False
    if other.unit.startswith(" "):
        return one.unit not in KNOWN  # a number in a name counts nothing
    return one.unit not in KNOWN or other.unit not in KNOWN


def _half_months(one: Figure, other: Figure, slack: tuple[Decimal, Decimal]) -> bool:
    """`半个月` is 15 days; a whole month is 30 days only where the text says "about"."""
    months, days = (one.number, other.number) if one.unit == "month" else (other.number, one.number)
    return months * 30 == days and (months % 1 != 0 or any(slack))


def _within(said: Decimal, known: Decimal, slack: tuple[Decimal, Decimal]) -> bool:
    return said == known or said * (1 - slack[0]) <= known <= said * (1 + slack[1])


def _rates(one: Figure, other: Figure) -> tuple[Decimal, Decimal] | None:
    """Both per second (`30 m/minute`, `0.5 m/s`), when both are a measure per time."""
    left, right = _rate(one), _rate(other)
    if left is None or right is None or left[0] != right[0]:
        return None
    close = abs(left[1] - right[1]) * 1_000_000 <= abs(right[1])
    return (right[1], right[1]) if close else (left[1], right[1])


def _rate(figure: Figure) -> tuple[str, Decimal] | None:
    unit, per = _RATES.get(figure.unit, (figure.unit, figure.per))
    measure, time = _MEASURES.get(unit), _MEASURES.get(per)
    if measure is None or time is None or time[0] != "s":
        return None
    return measure[0], figure.number * Decimal(measure[1]) / Decimal(time[1])


def _interval(one: Figure, other: Figure) -> bool:
    """`every 6 months` for "twice a year"."""
    left, right = _MEASURES.get(one.unit), _MEASURES.get(other.per)
    if left and right and {left[0], right[0]} == {"s", "mo"} and one.unit == "week" and other.per == "year":
        return other.unit == "time" and one.number * other.number == 52
    if other.unit != "time" or not (left and right and left[0] == right[0]):
        return False
    return one.number * Decimal(left[1]) * other.number == Decimal(right[1])


def _degrees(one: Figure, other: Figure) -> bool:
    if one.unit == other.unit or "°" in (one.unit, other.unit):
        return one.number == other.number
    celsius, fahrenheit = (one, other) if one.unit == "°c" else (other, one)
    return abs(celsius.number * Decimal("1.8") + 32 - fahrenheit.number) <= Decimal("0.9")


def decimal(spelling: str) -> Decimal | None:
    try:
        return Decimal(spelling.replace(",", ""))
    except InvalidOperation:
        return None
