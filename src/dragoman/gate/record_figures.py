"""When do two figures say the same? Number, unit, and what it is per. For `record_values`.

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

from dragoman.gate.claim_words import COUNTED, CURRENCIES, UNITS
from dragoman.gate.claims import Claim, ClaimKind
from dragoman.gate.statements import TIMES

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
    "psi": ("bar", "0.0689476", "imp"), "bar": ("bar", "1", "si"), "mpa": ("bar", "10", "si"), "kpa": ("bar", "0.01", "si"),
    "km/h": ("km/h", "1", "si"), "mph": ("km/h", "1.609344", "imp"), "ghz": ("hz", "1000000000", "si"),
    "mhz": ("hz", "1000000", "si"), "khz": ("hz", "1000", "si"), "hz": ("hz", "1", "si"),
}  # fmt: skip
_DEGREES: Final = frozenset({"°", "°c", "°f"})
KNOWN: Final = frozenset(COUNTED.values())
STRICT: Final = frozenset(
    {*UNITS.values(), *CURRENCIES.values(), *TIMES, "%", "‰", "working day", "milliwatt", "megawatt"}
)


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
        name, _, per = unit.partition("/") if unit != "km/h" else (unit, "", "")
        sides = [decimal(side.lstrip("+±")) for side in number.split("x")]
        if None in sides:
            return []
        found += [Figure(side, name, per) for side in sides if side is not None]
    return found


def same(one: Figure, other: Figure) -> bool:
    """Whether `other`, of the record, says what `one`, of the text, says."""
    if not one.unit:
        return one.number == other.number and not one.per
    if other.per in TIMES and one.per != other.per:
        return _interval(one, other)
    if one.per and one.per != other.per and (one.per in KNOWN or one.per in TIMES):
        return False
    if one.unit in _DEGREES and other.unit in _DEGREES:
        return _degrees(one, other)
    left, right = _MEASURES.get(one.unit), _MEASURES.get(other.unit)
    if left and right:
        if left[0] != right[0]:
            return False
        a, b = one.number * Decimal(left[1]), other.number * Decimal(right[1])
        return a == b if left[2] == right[2] else abs(a - b) <= abs(b) * Decimal("0.02")
    if one.number != other.number:
        return False
    if one.unit == other.unit:
        return True
    if one.unit in STRICT or other.unit in STRICT:
        return False
    return one.unit not in KNOWN or not other.unit


def _interval(one: Figure, other: Figure) -> bool:
    """`every 6 months` for "twice a year"."""
    left, right = _MEASURES.get(one.unit), _MEASURES.get(other.per)
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
