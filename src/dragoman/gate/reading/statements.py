"""What does a fact state? The keys under which `records` looks a claim up: each claim, and what says less than it.

1. Keys are the same for every way of measuring: `2 m` is `200 cm`, `0.75 hour` is `45 minutes`, `RAL7035` `RAL 7035`.
2. Less is stated by more: a month by its day, a sign by its currency, a time by one with its zone, `150 kg` by
   `150 kg per board`, one side by all of `200 x 80 x 40 cm`, the order's number `4410` by `PO-4410`, and a post code
   (five digits before a capital) without its town.
3. Per thing: in a clause about `each shelf`, `18.5 kg` is `18.5 kg per shelf` too. Never per time.
4. Two dates in one fact are "two dates".
5. A fact with two readings states neither, but for a stretch of weekdays, which is each of its days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from dragoman.gate.claims import Claim, ClaimKind, claims
from dragoman.gate.reading.spans import part_of_month
from dragoman.gate.reading.words import COUNTED, GENERIC_CURRENCIES

_GENERIC: Final = {code: sign for sign, codes in GENERIC_CURRENCIES.items() for code in codes}
_BASE: Final = {
    "um": ("m", "0.000001"), "mm": ("m", "0.001"), "cm": ("m", "0.01"), "km": ("m", "1000"),
    "mg": ("kg", "0.000001"), "g": ("kg", "0.001"), "t": ("kg", "1000"),
    "ml": ("m^3", "0.000001"), "l": ("m^3", "0.001"), "year": ("month", "12"), "week": ("day", "7"),
    "kw": ("w", "1000"), "kv": ("v", "1000"), "minute": ("second", "60"), "hour": ("second", "3600"),
}  # fmt: skip
TIMES: Final = frozenset(
    {"second", "minute", "hour", "day", "night", "week", "month", "quarter", "year", "shift", "time"}
)
_APART: Final = re.compile(r"(?<=[a-z])[-\s/.#]+(?=\d)")
_VERSION: Final = re.compile(r"^\?v(\d[\d.]*)$")
_CODE: Final = re.compile(r"\?[a-z]{1,6}(\d{4,})$")
_POST_CODE: Final = re.compile(r"(\d{5}) [A-Z]\w+")
_CLAUSE: Final = re.compile(r"[;；。\n]|\.\s")
_EACH: Final = re.compile(r"(?:\b(?:each|every|per|one|a single|single)|^\s*an?) ([a-z]+)(?: ([a-z]+))?")
_ZH_THING: Final = "|".join(sorted((word for word in COUNTED if not word.isascii()), key=len, reverse=True))
_ZH_EACH: Final = re.compile(f"[每单一][个只件台块层张]?({_ZH_THING})")
_ONE: Final = re.compile(rf"\bone ([a-z]+)|(?<!第)一个?({_ZH_THING})")


def key(kind: ClaimKind, value: str) -> str:
    """The key of one reading, the same in every unit and spelling."""
    if kind is ClaimKind.NUMBER and value.startswith("?"):
        value = _VERSION.sub(r"\1", _APART.sub("", value))
    elif kind in (ClaimKind.SPECIFICATION, ClaimKind.QUANTITY):
        value = _in_base(value)
    return f"{kind}\n{value}"


def stated(fact: str) -> Iterator[str]:
    """Every key that one fact states."""
    whole = claims(fact)
    for claim in whole:
        yield from _stated_by(claim)
        if claim.kind is ClaimKind.QUANTITY and (code := _POST_CODE.fullmatch(fact[claim.start : claim.end])):
            yield key(ClaimKind.NUMBER, code[1])
    days = {
        claim.value for claim in whole if claim.kind is ClaimKind.DATE and claim.value.partition("@")[0].count("-") >= 2
    }
    if len(days) > 1:
        yield key(ClaimKind.QUANTITY, f"{len(days)} date")
    for one in _ONE.finditer(fact.lower()):
        if thing := COUNTED.get(one[1] or one[2]):
            yield key(ClaimKind.QUANTITY, f"1 {thing}")
    for clause in _CLAUSE.split(fact):
        things = set(_things(clause.lower()))
        for claim in claims(clause) if things else ():
            base = claim.value.partition("/")[0]
            measure = claim.kind is ClaimKind.SPECIFICATION
            if (
                " " in base
                and "|" not in base
                and (measure or (claim.kind is ClaimKind.QUANTITY and base == claim.value))
            ):
                yield from (key(claim.kind, f"{base}/{thing}") for thing in things)


def _things(clause: str) -> Iterator[str]:
    """What a clause says something of, one by one: `each shelf`, `per shelf board`, `每个货架`."""
    for found in _EACH.finditer(clause):
        for word in found.groups():
            thing = COUNTED.get(word or "", (word or "").removesuffix("s"))
            if thing and thing not in TIMES:
                yield thing
    for found in _ZH_EACH.finditer(clause):
        if COUNTED[found[1]] not in TIMES:
            yield COUNTED[found[1]]


def _in_base(value: str) -> str:
    number, _, unit = value.partition(" ")
    name, slash, per = unit.partition("/")
    number = number.removeprefix("+")
    base, factor = _BASE.get(name, (name, "1") if unit else ("", "1"))
    if not base:
        return value
    try:
        sides = [format((Decimal(side) * Decimal(factor)).normalize(), "f") for side in number.split("x")]
    except InvalidOperation:
        return value
    return f"{'x'.join(sides)} {base}{slash}{per}"


def _stated_by(claim: Claim) -> list[str]:
    """The keys that a fact's claim states: itself, and what follows from it by saying less."""
    if "rel:" in claim.value:
        return []
    keys = [key(claim.kind, claim.value)]
    if "|" in claim.value:
        each = claim.value.split("|") if claim.value.startswith("each:") else []
        return keys + [key(claim.kind, one) for one in each]
    number, _, unit = claim.value.partition(" ")
    if claim.kind is ClaimKind.TIME and unit:
        keys.append(key(claim.kind, number))
    name, slash, per = unit.partition("/")
    if claim.kind is ClaimKind.AMOUNT and name in _GENERIC:
        keys.append(key(claim.kind, f"{number} {_GENERIC[name]}{slash}{per}"))
    if claim.kind is ClaimKind.SPECIFICATION:
        sides = [f"{number} {name}"] if per and per not in TIMES else []
        sides += [f"{side} {name}" for side in number.split("x")] if "x" in number else []
        keys += [key(claim.kind, side) for side in sides]
    if claim.kind is ClaimKind.NUMBER and (code := _CODE.fullmatch(_APART.sub("", claim.value))):
        keys.append(key(ClaimKind.NUMBER, code[1]))
    if claim.kind is ClaimKind.DATE:
        keys += [key(claim.kind, value) for value in _said_by_date(claim.value)]
    return keys


def _said_by_date(value: str) -> list[str]:
    """`*-10-06` stands for the date without year as a fact states it: it verifies that day of any year."""
    plain, _, weekday = value.partition("@")
    if plain[:1].isdigit() and len(plain) == 10:
        day = date.fromisoformat(plain)
        real = day.isoweekday()
        if weekday and int(weekday) != real:
            return []
        short, month = f"--{plain[5:]}", f"--{plain[5:7]}"
        return [
            plain, short, f"{plain}@{real}", f"{short}@{real}", plain[:7], month, plain[:4],
            f"{month}~{part_of_month(day.day)}",
        ]  # fmt: skip
    if plain.startswith("--") and len(plain) == 7:
        starred, month = f"*-{plain[2:]}", f"--{plain[2:4]}"
        part = f"{month}~{part_of_month(int(plain[5:]))}"
        return [plain, starred, month, part, *([f"{starred}@{weekday}"] if weekday else [])]
    if plain[:1].isdigit() and len(plain) == 7:
        return [f"--{plain[5:]}", plain[:4]]
    return [plain.partition("~")[0]] if "~" in plain else []
